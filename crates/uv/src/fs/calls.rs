//! The `uv_fs_*` functions that start a file operation.
//!
//! Each function fills the same fields of `uv_fs_t` as libuv, including fields that this library does not need, because
//! programs read them.
//!
//! # Safety
//! These requirements apply to all functions: `lp` is an initialised loop that this thread runs; it may be NULL if `cb`
//! is. `req` is NULL or points to memory for a request, valid until `uv_fs_req_cleanup`. Paths are C strings. Buffers
//! stay valid until the operation has ended.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint};
use std::slice;

use phasor_core::Errno;
use phasor_core::file::{COPYFILE_EXCL, COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE, MAX_IO_BYTES};

use super::{begin, duplicate, post, set_bufs, set_path, set_paths};
use crate::layout::*;

/// Defines functions that only store their arguments. Each line gives the name, the `fs_type`, how the paths are
/// stored, and the other arguments.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $kind:ident, $take:ident($($path:ident),*), ($($field:ident: $type:ty),*);)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// See the head of this file.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(
                lp: *mut uv_loop_t,
                req: *mut uv_fs_t,
                $($path: *const c_char,)*
                $($field: $type,)*
                cb: uv_fs_cb,
            ) -> c_int {
                // SAFETY: guaranteed by the caller.
                unsafe {
                    operate(lp, req, $kind, cb, || {
                        $take(req, $($path),*)?;
                        $((*req).$field = $field as _;)*
                        Ok(())
                    })
                }
            }
        )*
    };
}

/// Starts an operation. `fill` checks its arguments and stores them in the request.
///
/// # Safety
/// See the head of this file.
unsafe fn operate(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    kind: uv_fs_type,
    cb: uv_fs_cb,
    fill: impl FnOnce() -> Result<(), Errno>,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match begin(lp, req, kind, cb).and_then(|()| fill()) {
            Ok(()) => post(req),
            Err(errno) => -errno.raw(),
        }
    }
}

/// The path argument of operations without a path.
unsafe fn no_path(_req: *mut uv_fs_t) -> Result<(), Errno> {
    Ok(())
}

operations! {
    /// Checks whether the user has the access in `flags` to a file.
    uv_fs_access = UV_FS_ACCESS, set_path(path), (flags: c_int);
    /// Sets the permissions of a file.
    uv_fs_chmod = UV_FS_CHMOD, set_path(path), (mode: c_int);
    /// Sets the owner of a file.
    uv_fs_chown = UV_FS_CHOWN, set_path(path), (uid: uv_uid_t, gid: uv_gid_t);
    /// Closes a descriptor.
    uv_fs_close = UV_FS_CLOSE, no_path(), (file: uv_file);
    /// Sets the permissions of an open file.
    uv_fs_fchmod = UV_FS_FCHMOD, no_path(), (file: uv_file, mode: c_int);
    /// Sets the owner of an open file.
    uv_fs_fchown = UV_FS_FCHOWN, no_path(), (file: uv_file, uid: uv_uid_t, gid: uv_gid_t);
    /// Flushes the content of a file to the disk.
    uv_fs_fdatasync = UV_FS_FDATASYNC, no_path(), (file: uv_file);
    /// Reads the metadata of an open file.
    uv_fs_fstat = UV_FS_FSTAT, no_path(), (file: uv_file);
    /// Flushes the content and the metadata of a file to the disk.
    uv_fs_fsync = UV_FS_FSYNC, no_path(), (file: uv_file);
    /// Sets the length of an open file.
    uv_fs_ftruncate = UV_FS_FTRUNCATE, no_path(), (file: uv_file, off: i64);
    /// Sets the times of an open file. NaN leaves a time unchanged, and an infinite value means the current time.
    uv_fs_futime = UV_FS_FUTIME, no_path(), (file: uv_file, atime: f64, mtime: f64);
    /// Sets the owner of a file; does not follow a symbolic link.
    uv_fs_lchown = UV_FS_LCHOWN, set_path(path), (uid: uv_uid_t, gid: uv_gid_t);
    /// Creates a hard link.
    uv_fs_link = UV_FS_LINK, set_paths(path, new_path), ();
    /// Reads the metadata of a file; does not follow a symbolic link.
    uv_fs_lstat = UV_FS_LSTAT, set_path(path), ();
    /// Sets the times of a file; does not follow a symbolic link.
    uv_fs_lutime = UV_FS_LUTIME, set_path(path), (atime: f64, mtime: f64);
    /// Creates a directory.
    uv_fs_mkdir = UV_FS_MKDIR, set_path(path), (mode: c_int);
    /// Opens a file; the result is its descriptor.
    uv_fs_open = UV_FS_OPEN, set_path(path), (flags: c_int, mode: c_int);
    /// Opens a directory; `ptr` is then a `uv_dir_t`.
    uv_fs_opendir = UV_FS_OPENDIR, set_path(path), ();
    /// Reads the target of a symbolic link, which is then in `ptr`.
    uv_fs_readlink = UV_FS_READLINK, set_path(path), ();
    /// Resolves symbolic links, `.` and `..`; `ptr` is then the absolute path.
    uv_fs_realpath = UV_FS_REALPATH, set_path(path), ();
    /// Renames or moves a file.
    uv_fs_rename = UV_FS_RENAME, set_paths(path, new_path), ();
    /// Removes an empty directory.
    uv_fs_rmdir = UV_FS_RMDIR, set_path(path), ();
    /// Lists a directory; `uv_fs_scandir_next` returns the entries.
    uv_fs_scandir = UV_FS_SCANDIR, set_path(path), (flags: c_int);
    /// Reads the metadata of a file.
    uv_fs_stat = UV_FS_STAT, set_path(path), ();
    /// Reads the statistics of a file system; `ptr` is then a `uv_statfs_t`.
    uv_fs_statfs = UV_FS_STATFS, set_path(path), ();
    /// Creates a symbolic link with the target `path`.
    uv_fs_symlink = UV_FS_SYMLINK, set_paths(path, new_path), (flags: c_int);
    /// Removes a file.
    uv_fs_unlink = UV_FS_UNLINK, set_path(path), ();
    /// Sets the times of a file. NaN leaves a time unchanged, and an infinite value means the current time.
    uv_fs_utime = UV_FS_UTIME, set_path(path), (atime: f64, mtime: f64);
}

/// Copies a file. `EINVAL` for unknown flags.
///
/// # Safety
/// See the head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_copyfile(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    path: *const c_char,
    new_path: *const c_char,
    flags: c_int,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        operate(lp, req, UV_FS_COPYFILE, cb, || {
            if flags as u32 & !(COPYFILE_EXCL | COPYFILE_FICLONE | COPYFILE_FICLONE_FORCE) != 0 {
                return Err(Errno::EINVAL);
            }
            (*req).flags = flags;
            set_paths(req, path, new_path)
        })
    }
}

/// Creates a directory with a unique name, which is then in `path`.
///
/// # Safety
/// See the head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_mkdtemp(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    tpl: *const c_char,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { temporary(lp, req, UV_FS_MKDTEMP, tpl, cb) }
}

/// Creates and opens a file with a unique name, which is then in `path`.
///
/// # Safety
/// See the head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_mkstemp(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    tpl: *const c_char,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { temporary(lp, req, UV_FS_MKSTEMP, tpl, cb) }
}

/// Common part of `mkdtemp` and `mkstemp`. The template is always copied, because the operation overwrites it.
///
/// # Safety
/// See the head of this file.
unsafe fn temporary(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    kind: uv_fs_type,
    tpl: *const c_char,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        operate(lp, req, kind, cb, || {
            if tpl.is_null() {
                return Err(Errno::EINVAL);
            }
            (*req).path = duplicate([tpl, std::ptr::null()])?;
            Ok(())
        })
    }
}

/// Reads from a file at `off`, or at its current position if `off` is negative. The result is the number of bytes.
///
/// # Safety
/// See the head of this file; `bufs` is NULL or has `nbufs` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_read(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    file: uv_file,
    bufs: *const uv_buf_t,
    nbufs: c_uint,
    off: i64,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { transfer(lp, req, UV_FS_READ, file, bufs, nbufs, off, cb) }
}

/// Writes to a file at `off`, or at its current position if `off` is negative. The result is the number of bytes.
///
/// # Safety
/// See the head of this file; `bufs` is NULL or has `nbufs` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_write(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    file: uv_file,
    bufs: *const uv_buf_t,
    nbufs: c_uint,
    off: i64,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { transfer(lp, req, UV_FS_WRITE, file, bufs, nbufs, off, cb) }
}

/// # Safety
/// The requirements of [`uv_fs_read`] and [`uv_fs_write`].
#[allow(clippy::too_many_arguments, reason = "libuv's")]
unsafe fn transfer(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    kind: uv_fs_type,
    file: uv_file,
    bufs: *const uv_buf_t,
    nbufs: c_uint,
    off: i64,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        operate(lp, req, kind, cb, || {
            if bufs.is_null() || nbufs == 0 {
                return Err(Errno::EINVAL);
            }
            if kind == UV_FS_WRITE {
                let list = slice::from_raw_parts(bufs, nbufs as usize);
                if list.iter().fold(0, |sum: usize, buf| sum.saturating_add(buf.len)) > MAX_IO_BYTES {
                    return Err(Errno::EINVAL);
                }
            }
            (*req).file = file;
            (*req).off = off;
            set_bufs(req, bufs, nbufs)
        })
    }
}

/// Reads the next entries of an open directory into its `dirents`. The result is their number.
///
/// # Safety
/// See the head of this file; `dir` is NULL or from `uv_fs_opendir`, and its `dirents` is NULL or has `nentries` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_readdir(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    dir: *mut uv_dir_t,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        operate(lp, req, UV_FS_READDIR, cb, || {
            if dir.is_null() || (*dir).dir.is_null() || (*dir).dirents.is_null() {
                return Err(Errno::EINVAL);
            }
            (*req).ptr = dir.cast();
            Ok(())
        })
    }
}

/// Closes a directory and frees its `uv_dir_t`.
///
/// # Safety
/// See the head of this file; `dir` is NULL or from `uv_fs_opendir`, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_closedir(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    dir: *mut uv_dir_t,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        operate(lp, req, UV_FS_CLOSEDIR, cb, || {
            if dir.is_null() {
                return Err(Errno::EINVAL);
            }
            (*req).ptr = dir.cast();
            Ok(())
        })
    }
}

/// Copies bytes from one descriptor to another. The result is the number of bytes.
///
/// # Safety
/// See the head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_sendfile(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    out_fd: uv_file,
    in_fd: uv_file,
    off: i64,
    len: usize,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        operate(lp, req, UV_FS_SENDFILE, cb, || {
            // The fields are used as in `src/unix/fs.c: uv_fs_sendfile`: the input descriptor is in `flags` and the
            // length in `bufsml[0].len`.
            (*req).flags = in_fd;
            (*req).file = out_fd;
            (*req).off = off;
            if len > MAX_IO_BYTES {
                return Err(Errno::EINVAL);
            }
            (*req).bufsml[0].len = len;
            Ok(())
        })
    }
}
