//! File operations: the request, from its call to its callback.
//!
//! An operation is done by `perform` on the request itself: on the caller's thread if there is no callback, else on one of
//! the pool, straight from and to the program's memory. `calls` has the functions of `uv.h`, `directory` what they keep of
//! directories.
//!
//! # Safety
//! The promises of `door` hold: requests are the program's, alive, and of the kind that is said. Until its callback a
//! request and what it names belong to this library, so that a thread of the pool may read and write its fields.
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
use crate::face::Request;
use crate::layout::*;
use crate::{allocator, bufs, door};

pub use self::calls::*;
pub use self::directory::uv_fs_scandir_next;

/// Fills a request as every operation's begins.
///
/// # Safety
/// `req` is NULL or has room for a request. What it holds does not matter.
unsafe fn begin(lp: *mut uv_loop_t, req: *mut uv_fs_t, kind: uv_fs_type, cb: uv_fs_cb) -> Result<(), Errno> {
    // SAFETY: the caller's promise; only fields are written, `data` stays as it is.
    unsafe {
        door::begin(req, UV_FS)?;
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

/// Notes the path. As libuv: it is copied only if the request outlives the call.
///
/// # Safety
/// `req` was begun; `path` is NULL or a string.
unsafe fn set_path(req: *mut uv_fs_t, path: *const c_char) -> Result<(), Errno> {
    // libuv asserts that there is one.
    if path.is_null() {
        return Err(Errno::EINVAL);
    }
    // SAFETY: the caller's promise.
    unsafe {
        (*req).path = if (*req).cb.is_some() { duplicate([path, ptr::null()])? } else { path };
    }
    Ok(())
}

/// As [`set_path`], for two.
///
/// # Safety
/// `req` was begun; both paths are NULL or strings.
unsafe fn set_paths(req: *mut uv_fs_t, path: *const c_char, new_path: *const c_char) -> Result<(), Errno> {
    if path.is_null() || new_path.is_null() {
        return Err(Errno::EINVAL);
    }
    // SAFETY: the caller's promise.
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

/// Copies of one or two strings, one after the other in one block.
///
/// # Safety
/// The first is a string, the second NULL or one.
unsafe fn duplicate(strings: [*const c_char; 2]) -> Result<*const c_char, Errno> {
    // SAFETY: the caller's promise; the block has room for both with their ends.
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

/// Notes the bytes to be read into or written. The list is copied only if the request outlives the call.
///
/// # Safety
/// `req` was begun; `bufs` has `nbufs` elements.
unsafe fn set_bufs(req: *mut uv_fs_t, bufs: *const uv_buf_t, nbufs: u32) -> Result<(), Errno> {
    // SAFETY: the caller's promise.
    unsafe {
        (*req).nbufs = nbufs;
        if (*req).cb.is_none() {
            (*req).bufs = bufs.cast_mut();
            return Ok(());
        }
        let list = bufs::keep((&raw mut (*req).bufsml).cast(), bufs, nbufs as usize);
        if list.is_null() {
            return Err(Errno::ENOMEM);
        }
        (*req).bufs = list;
    }
    Ok(())
}

/// Does the operation, or has it done; what `uv_fs_` functions return.
///
/// # Safety
/// `req` is filled for its operation, and its loop is NULL or this thread's.
unsafe fn post(req: *mut uv_fs_t) -> c_int {
    // SAFETY: the caller's promise; the request is the pool's until its callback, except for the id.
    unsafe {
        if (*req).cb.is_none() {
            perform(req);
            return (*req).result as c_int;
        }
        let lp = (*req).loop_;
        let Some(face) = NonNull::new(req.cast()).map(Request).filter(|_| !lp.is_null()) else {
            return -Errno::EINVAL.raw();
        };
        // Whoever looks for NULL here wants to know whether io_uring has the request.
        (*req).work_req.done = req as usize;
        let id = door::with(lp, |core| core.work_as(RequestKind::Fs, Class::Fast, move || perform(face.cast()), face));
        door::began(req, id);
        0
    }
}

/// A file operation is over.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_fs(request: *mut uv_fs_t, result: Result<(), WorkFailure>) {
    // SAFETY: the head of this file.
    unsafe {
        if let Err(failure) = result {
            (*request).result = -failure.errno().raw() as isize;
        }
        if let Some(call) = (*request).cb {
            call(request);
        }
    }
}

/// Frees what a request that is over holds. A second time it does nothing.
///
/// # Safety
/// `req` is NULL or a request of a file operation that is over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_req_cleanup(req: *mut uv_fs_t) {
    if req.is_null() {
        return;
    }
    // SAFETY: the caller's promise: what the fields point to is what the operation of that kind left there.
    unsafe {
        let kind = (*req).fs_type;
        // Paths of synchronous requests are the program's, except for templates, which are always copied.
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

/// A file's description as C has it.
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

/// Which operation it is.
///
/// # Safety
/// `req` is a request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_type(req: *const uv_fs_t) -> uv_fs_type {
    // SAFETY: the caller's promise.
    unsafe { (*req).fs_type }
}

/// What came of it: an error below 0.
///
/// # Safety
/// `req` is a request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_result(req: *const uv_fs_t) -> isize {
    // SAFETY: the caller's promise.
    unsafe { (*req).result }
}

/// The system's number of the error.
///
/// # Safety
/// `req` is a request of a file operation that failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_system_error(req: *const uv_fs_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { (*req).result.wrapping_neg() as c_int }
}

/// What the operation made or found, if that is more than a number.
///
/// # Safety
/// `req` is a request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_ptr(req: *const uv_fs_t) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { (*req).ptr }
}

/// The path that the operation is on.
///
/// # Safety
/// `req` is a request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_path(req: *const uv_fs_t) -> *const c_char {
    // SAFETY: the caller's promise.
    unsafe { (*req).path }
}

/// Where the description of a file is.
///
/// # Safety
/// `req` is a request of a file operation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_get_statbuf(req: *mut uv_fs_t) -> *mut uv_stat_t {
    // SAFETY: the caller's promise.
    unsafe { &raw mut (*req).statbuf }
}
