//! Execution of a file operation: passes the fields of a request to a function of `phasor_sys`, and stores its result
//! in the request.
//!
//! # Safety
//! The contract in the documentation of the module `fs` applies. The functions of this file may run on any thread, so
//! they access only the request and never its loop.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_void};
use std::{ptr, slice};

use phasor_core::{Errno, Result, file};

use super::{directory, stat_of};
use crate::layout::*;
use crate::{allocator, bufs};

/// Executes the operation of a request and stores the result.
///
/// # Safety
/// See the head of this file.
pub(super) unsafe fn perform(req: *mut uv_fs_t) {
    // SAFETY: see the head of this file.
    unsafe {
        (*req).result = match operate(req) {
            Ok(number) => number as isize,
            Err(errno) => -errno.raw() as isize,
        };
    }
}

/// # Safety
/// See the head of this file.
unsafe fn operate(req: *mut uv_fs_t) -> Result<usize> {
    // SAFETY: see the head of this file: the fields that an operation uses were checked and stored by `calls`.
    unsafe {
        let path = || CStr::from_ptr((*req).path);
        let new_path = || CStr::from_ptr((*req).new_path);
        let fd = (*req).file;
        let (atime, mtime) = ((*req).atime, (*req).mtime);
        match (*req).fs_type {
            UV_FS_ACCESS => file::access(path(), (*req).flags).map(no_value),
            UV_FS_CHMOD => file::chmod(path(), (*req).mode).map(no_value),
            UV_FS_CHOWN => file::chown(path(), (*req).uid, (*req).gid).map(no_value),
            UV_FS_CLOSE => file::close(fd).map(no_value),
            UV_FS_CLOSEDIR => directory::closedir(req),
            UV_FS_COPYFILE => file::copyfile(path(), new_path(), (*req).flags as u32).map(no_value),
            UV_FS_FCHMOD => file::fchmod(fd, (*req).mode).map(no_value),
            UV_FS_FCHOWN => file::fchown(fd, (*req).uid, (*req).gid).map(no_value),
            UV_FS_FDATASYNC => file::fdatasync(fd).map(no_value),
            UV_FS_FSTAT => store_stat(req, file::fstat(fd)),
            UV_FS_FSYNC => file::fsync(fd).map(no_value),
            UV_FS_FTRUNCATE => file::ftruncate(fd, (*req).off as u64).map(no_value),
            UV_FS_FUTIME => file::futime(fd, atime, mtime).map(no_value),
            UV_FS_LCHOWN => file::lchown(path(), (*req).uid, (*req).gid).map(no_value),
            UV_FS_LINK => file::link(path(), new_path()).map(no_value),
            UV_FS_LSTAT => store_stat(req, file::lstat(path())),
            UV_FS_LUTIME => file::lutime(path(), atime, mtime).map(no_value),
            UV_FS_MKDIR => file::mkdir(path(), (*req).mode).map(no_value),
            UV_FS_MKDTEMP => store_name(req, &file::mkdtemp(path())?),
            UV_FS_MKSTEMP => mkstemp(req),
            UV_FS_OPEN => Ok(file::open(path(), (*req).flags, (*req).mode)?.release() as usize),
            UV_FS_OPENDIR => directory::opendir(req),
            UV_FS_READ => read(req),
            UV_FS_READDIR => directory::readdir(req),
            UV_FS_READLINK => store_string(req, &file::readlink(path())?),
            UV_FS_REALPATH => store_string(req, &file::realpath(path())?),
            UV_FS_RENAME => file::rename(path(), new_path()).map(no_value),
            UV_FS_RMDIR => file::rmdir(path()).map(no_value),
            UV_FS_SCANDIR => directory::scandir(req),
            UV_FS_SENDFILE => file::sendfile(fd, (*req).flags, (*req).off as u64, (*req).bufsml[0].len),
            UV_FS_STAT => store_stat(req, file::stat(path())),
            UV_FS_STATFS => store_statfs(req, &file::statfs(path())?),
            UV_FS_SYMLINK => file::symlink(path(), new_path()).map(no_value),
            UV_FS_UNLINK => file::unlink(path()).map(no_value),
            UV_FS_UTIME => file::utime(path(), atime, mtime).map(no_value),
            UV_FS_WRITE => write(req),
            _ => Err(Errno::ENOSYS),
        }
    }
}

fn no_value((): ()) -> usize {
    0
}

/// # Safety
/// See the head of this file.
unsafe fn store_stat(req: *mut uv_fs_t, found: Result<file::Stat>) -> Result<usize> {
    let stat = found?;
    // SAFETY: see the head of this file.
    unsafe {
        (*req).statbuf = stat_of(&stat);
        (*req).ptr = (&raw mut (*req).statbuf).cast();
    }
    Ok(0)
}

/// # Safety
/// See the head of this file.
unsafe fn store_statfs(req: *mut uv_fs_t, found: &file::StatFs) -> Result<usize> {
    let block = allocator::malloc(size_of::<uv_statfs_t>()).cast::<uv_statfs_t>();
    if block.is_null() {
        return Err(Errno::ENOMEM);
    }
    // SAFETY: see the head of this file; the block is new and has the size of a `uv_statfs_t`.
    unsafe {
        block.write(uv_statfs_t {
            f_type: found.fs_type,
            f_bsize: found.bsize,
            f_blocks: found.blocks,
            f_bfree: found.bfree,
            f_bavail: found.bavail,
            f_files: found.files,
            f_ffree: found.ffree,
            f_frsize: found.frsize,
            f_spare: [0; 3],
        });
        (*req).ptr = block.cast();
    }
    Ok(0)
}

/// # Safety
/// See the head of this file.
unsafe fn store_string(req: *mut uv_fs_t, text: &CStr) -> Result<usize> {
    let copy: *mut c_void = allocator::string(text).cast();
    if copy.is_null() {
        return Err(Errno::ENOMEM);
    }
    // SAFETY: see the head of this file.
    unsafe { (*req).ptr = copy };
    Ok(0)
}

/// Overwrites the template with the generated name, which has the same length.
///
/// # Safety
/// See the head of this file.
unsafe fn store_name(req: *mut uv_fs_t, name: &CString) -> Result<usize> {
    let bytes = name.as_bytes_with_nul();
    // SAFETY: see the head of this file; `path` is a copy of the template that this library made, of the same length.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), (*req).path.cast_mut().cast(), bytes.len()) };
    Ok(0)
}

/// # Safety
/// See the head of this file.
unsafe fn mkstemp(req: *mut uv_fs_t) -> Result<usize> {
    // SAFETY: see the head of this file.
    unsafe {
        match file::mkstemp(CStr::from_ptr((*req).path)) {
            Ok((fd, name)) => {
                store_name(req, &name)?;
                Ok(fd.release() as usize)
            }
            Err(errno) => {
                // After a failure the path is made empty, so that the template is not taken for a file name
                // (`src/unix/fs.c: uv__fs_mkstemp`).
                *(*req).path.cast_mut() = 0;
                Err(errno)
            }
        }
    }
}

/// # Safety
/// See the head of this file.
unsafe fn read(req: *mut uv_fs_t) -> Result<usize> {
    // SAFETY: see the head of this file.
    unsafe {
        let result = file::read_list((*req).file, pieces(req), offset(req));
        release_bufs(req);
        result
    }
}

/// # Safety
/// See the head of this file.
unsafe fn write(req: *mut uv_fs_t) -> Result<usize> {
    // SAFETY: see the head of this file.
    unsafe {
        let result = file::write_list((*req).file, pieces(req), offset(req));
        release_bufs(req);
        result
    }
}

/// # Safety
/// See the head of this file; the array is valid while the request holds it.
unsafe fn pieces<'a>(req: *mut uv_fs_t) -> &'a [libc::iovec] {
    // SAFETY: see the head of this file; `uv_buf_t` has the layout of `iovec`.
    unsafe { slice::from_raw_parts((*req).bufs.cast(), (*req).nbufs as usize) }
}

/// The position at which to read or write. `None` if `off` is negative: the current position of the file.
///
/// # Safety
/// See the head of this file.
unsafe fn offset(req: *mut uv_fs_t) -> Option<u64> {
    // SAFETY: see the head of this file.
    u64::try_from(unsafe { (*req).off }).ok()
}

/// Frees the array of buffers after the transfer (`src/unix/fs.c: uv__fs_read`). The array of a synchronous request
/// belongs to the program.
///
/// # Safety
/// See the head of this file.
unsafe fn release_bufs(req: *mut uv_fs_t) {
    // SAFETY: see the head of this file.
    unsafe {
        if (*req).cb.is_some() {
            bufs::free((&raw mut (*req).bufsml).cast(), &raw mut (*req).bufs);
        }
        (*req).bufs = ptr::null_mut();
        (*req).nbufs = 0;
    }
}
