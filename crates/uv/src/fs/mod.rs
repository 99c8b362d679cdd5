//! File operations: the request, from the call to its callback.
//!
//! `perform` executes an operation on its request: on the calling thread if there is no callback, else on a thread of the pool. It
//! reads and writes the program's buffers directly. `calls` has the functions of `uv.h`; `directory` has the operations on
//! directories and the memory that they allocate.
//!
//! # Safety
//! The contract of `access` holds: request pointers are live and of the declared type. Until its callback is called, a request and
//! the memory that it points to belong to this library, and a thread of the pool may read and write them.
#![allow(unsafe_code)]

mod calls;
mod directory;
mod perform;
#[cfg(test)]
mod tests;

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{self, NonNull};

use phasor_core::{Class, Errno, RequestKind, WorkFailure, file};

use self::perform::perform;
use crate::front_end::Request;
use crate::layout::*;
use crate::{access, allocator, bufs, recording};

pub use self::calls::*;
pub use self::directory::uv_fs_scandir_next;

/// Initialises the fields that all operations share.
///
/// # Safety
/// `req` is NULL or points to memory for a request, which may be uninitialised.
unsafe fn begin(lp: *mut uv_loop_t, req: *mut uv_fs_t, kind: uv_fs_type, cb: uv_fs_cb) -> Result<(), Errno> {
    // SAFETY: guaranteed by the caller; only single fields are written, and `data` keeps its value.
    unsafe {
        access::init_request(req, UV_FS)?;
        (*req).fs_type = kind;
        (*req).result = 0;
        (*req).ptr = ptr::null_mut();
        (*req).loop_ = lp;
        (*req).path = ptr::null();
        (*req).new_path = ptr::null();
        (*req).bufs = ptr::null_mut();
        (*req).cb = cb;
    }
    Ok(())
}

/// Stores the path. It is copied only if the request is asynchronous (`src/unix/fs.c: PATH`).
///
/// # Safety
/// [`begin`] was called for `req`; `path` is NULL or a C string.
unsafe fn set_path(req: *mut uv_fs_t, path: *const c_char) -> Result<(), Errno> {
    // libuv asserts that the path is not NULL.
    if path.is_null() {
        return Err(Errno::EINVAL);
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        (*req).path = if (*req).cb.is_some() { duplicate([path, ptr::null()])? } else { path };
    }
    Ok(())
}

/// Stores two paths, in the way that [`set_path`] stores one (`src/unix/fs.c: PATH2`).
///
/// # Safety
/// [`begin`] was called for `req`; both paths are NULL or C strings.
unsafe fn set_paths(req: *mut uv_fs_t, path: *const c_char, new_path: *const c_char) -> Result<(), Errno> {
    if path.is_null() || new_path.is_null() {
        return Err(Errno::EINVAL);
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*req).cb.is_some() {
            (*req).path = duplicate([path, new_path])?;
            (*req).new_path = (*req).path.add(libc::strlen(path) + 1);
        } else {
            (*req).path = path;
            (*req).new_path = new_path;
        }
    }
    Ok(())
}

/// Copies one or two strings into one block, one after the other.
///
/// # Safety
/// The first string is a C string, and the second is NULL or a C string.
unsafe fn duplicate(strings: [*const c_char; 2]) -> Result<*const c_char, Errno> {
    // SAFETY: guaranteed by the caller; the block has the size of both strings with their NULs.
    unsafe {
        let sizes = strings.map(|string| if string.is_null() { 0 } else { libc::strlen(string) + 1 });
        let block = allocator::malloc(sizes[0] + sizes[1]).cast::<c_char>();
        if block.is_null() {
            return Err(Errno::ENOMEM);
        }
        ptr::copy_nonoverlapping(strings[0], block, sizes[0]);
        if sizes[1] != 0 {
            ptr::copy_nonoverlapping(strings[1], block.add(sizes[0]), sizes[1]);
        }
        Ok(block)
    }
}

/// Stores the buffers to read into or write from. The array is copied only if the request is asynchronous.
///
/// # Safety
/// [`begin`] was called for `req`; `bufs` has `nbufs` elements.
unsafe fn set_bufs(req: *mut uv_fs_t, bufs: *const uv_buf_t, nbufs: u32) -> Result<(), Errno> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        (*req).nbufs = nbufs;
        if (*req).cb.is_none() {
            (*req).bufs = bufs.cast_mut();
            return Ok(());
        }
        let list = bufs::store((&raw mut (*req).bufsml).cast(), bufs, nbufs as usize);
        if list.is_null() {
            return Err(Errno::ENOMEM);
        }
        (*req).bufs = list;
    }
    Ok(())
}

/// Executes the operation, or submits it to the pool. Returns the return value of the `uv_fs_*` function.
///
/// # Safety
/// `req` is filled in for its operation, and its loop is NULL or runs on this thread.
unsafe fn post(req: *mut uv_fs_t) -> c_int {
    // SAFETY: guaranteed by the caller; until the callback, only a pool thread uses the request; its id is not used by
    // that thread.
    unsafe {
        if (*req).cb.is_none() {
            let operation = recording::FsOperation { kind: (*req).fs_type, path: (*req).path };
            recording::synchronous((*req).loop_, operation, || perform(req));
            return (*req).result as c_int;
        }
        let lp = (*req).loop_;
        let Some(face) = NonNull::new(req.cast()).map(Request).filter(|_| !lp.is_null()) else {
            return -Errno::EINVAL.raw();
        };
        // libuv sets this to NULL for a request that it submits to io_uring (`src/unix/linux.c: uv__iou_get_sqe`). Any other value
        // says that the pool has the request.
        (*req).work_req.done = req as usize;
        let id =
            access::with(lp, |core| core.work_as(RequestKind::Fs, Class::Fast, move || perform(face.cast()), face));
        access::set_request_id(req, id);
        recording::describe_task(lp, req, ptr::null());
        0
    }
}

/// Calls the callback of a file operation.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_fs(request: *mut uv_fs_t, result: Result<(), WorkFailure>) {
    // SAFETY: see the head of this file.
    unsafe {
        if let Err(failure) = result {
            (*request).result = -failure.errno().raw() as isize;
        }
        if let Some(call) = (*request).cb {
            call(request);
        }
    }
}

/// Frees the memory of a completed request. A second call does nothing.
///
/// # Safety
/// `req` is NULL or a completed request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_req_cleanup(req: *mut uv_fs_t) {
    if req.is_null() {
        return;
    }
    // SAFETY: guaranteed by the caller: each field points to what an operation of this `fs_type` allocated.
    unsafe {
        let kind = (*req).fs_type;
        // The paths of synchronous requests belong to the program, except for templates, which are always copied.
        if (*req).cb.is_some() || kind == UV_FS_MKDTEMP || kind == UV_FS_MKSTEMP {
            allocator::free((*req).path.cast_mut().cast());
        }
        (*req).path = ptr::null();
        (*req).new_path = ptr::null();
        bufs::free((&raw mut (*req).bufsml).cast(), &raw mut (*req).bufs);
        let held = std::mem::replace(&mut (*req).ptr, ptr::null_mut());
        match kind {
            UV_FS_OPENDIR => {}
            UV_FS_READDIR => directory::free_names(held.cast(), (*req).result),
            UV_FS_CLOSEDIR => directory::close(held.cast()),
            UV_FS_SCANDIR => directory::free_entries(held.cast(), (*req).nbufs, (*req).result),
            _ if held == (&raw mut (*req).statbuf).cast() => {}
            _ => allocator::free(held),
        }
    }
}

/// Converts the result of `stat`.
pub(crate) fn stat_of(stat: &file::Stat) -> uv_stat_t {
    let time = |time: file::Timespec| uv_timespec_t { tv_sec: time.sec, tv_nsec: time.nsec };
    uv_stat_t {
        st_dev: stat.dev,
        st_mode: stat.mode,
        st_nlink: stat.nlink,
        st_uid: stat.uid,
        st_gid: stat.gid,
        st_rdev: stat.rdev,
        st_ino: stat.ino,
        st_size: stat.size,
        st_blksize: stat.blksize,
        st_blocks: stat.blocks,
        st_flags: stat.flags,
        st_gen: stat.generation,
        st_atim: time(stat.atime),
        st_mtim: time(stat.mtime),
        st_ctim: time(stat.ctime),
        st_birthtim: time(stat.birthtime),
    }
}

/// The type of the operation.
///
/// # Safety
/// `req` is a request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_type(req: *const uv_fs_t) -> uv_fs_type {
    // SAFETY: guaranteed by the caller.
    unsafe { (*req).fs_type }
}

/// The result of an operation. An error is a negative number.
///
/// # Safety
/// `req` is a request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_result(req: *const uv_fs_t) -> isize {
    // SAFETY: guaranteed by the caller.
    unsafe { (*req).result }
}

/// The system errno of a failed request.
///
/// # Safety
/// `req` is a failed request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_system_error(req: *const uv_fs_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { (*req).result.wrapping_neg() as c_int }
}

/// The result of an operation whose result does not fit in an integer: a path, a `uv_dir_t`, a `uv_statfs_t`, or a
/// pointer to `statbuf`.
///
/// # Safety
/// `req` is a request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_ptr(req: *const uv_fs_t) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    unsafe { (*req).ptr }
}

/// The path argument of the operation.
///
/// # Safety
/// `req` is a request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_path(req: *const uv_fs_t) -> *const c_char {
    // SAFETY: guaranteed by the caller.
    unsafe { (*req).path }
}

/// A pointer to the result of `stat`.
///
/// # Safety
/// `req` is a request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_statbuf(req: *mut uv_fs_t) -> *mut uv_stat_t {
    // SAFETY: guaranteed by the caller.
    unsafe { &raw mut (*req).statbuf }
}
