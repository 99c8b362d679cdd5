//! The functions that begin file operations.
//!
//! Each fills the fields of its request that libuv fills, also those that nothing here needs, because programs look.
//!
//! # Safety
//! What all of them ask of C: `lp` is an initialised loop that this thread runs, or NULL if `cb` is; `req` is NULL or has
//! room for a request and stays until it is cleaned up; paths are strings; buffers stay until the operation is over.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint};
use std::slice;

use phasor_core::Errno;
use phasor_core::file::{COPYFILE_EXCL, COPYFILE_FICLONE, COPYFILE_FICLONE_FORCE, MAX_IO_BYTES};

use super::{begin, duplicate, post, set_bufs, set_path, set_paths};
use crate::layout::*;

/// Functions that note their arguments in the request and begin: name, kind, how the paths are noted, the other arguments.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $kind:ident, $take:ident($($path:ident),*), ($($field:ident: $type:ty),*);)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// The head of this file.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(
                lp: *mut uv_loop_t,
                req: *mut uv_fs_t,
                $($path: *const c_char,)*
                $($field: $type,)*
                cb: uv_fs_cb,
            ) -> c_int {
                // SAFETY: the caller's promise.
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

/// Begins an operation: `fill` notes its arguments in the request, or says what is wrong with them.
///
/// # Safety
/// The head of this file.
unsafe fn operate(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    kind: uv_fs_type,
    cb: uv_fs_cb,
    fill: impl FnOnce() -> Result<(), Errno>,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        match begin(lp, req, kind, cb).and_then(|()| fill()) {
            Ok(()) => post(req),
            Err(errno) => -errno.raw(),
        }
    }
}

/// What an operation without a path notes of it.
unsafe fn no_path(_req: *mut uv_fs_t) -> Result<(), Errno> {
    Ok(())
}

operations! {
    /// Whether the user may do what `flags` says with a file.
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
    /// Waits until the content of a file is on the disk.
    uv_fs_fdatasync = UV_FS_FDATASYNC, no_path(), (file: uv_file);
    /// Describes an open file.
    uv_fs_fstat = UV_FS_FSTAT, no_path(), (file: uv_file);
    /// Waits until a file is on the disk.
    uv_fs_fsync = UV_FS_FSYNC, no_path(), (file: uv_file);
    /// Makes an open file so long.
    uv_fs_ftruncate = UV_FS_FTRUNCATE, no_path(), (file: uv_file, off: i64);
    /// Sets the times of an open file. NaN leaves one as it is, an infinity is now.
    uv_fs_futime = UV_FS_FUTIME, no_path(), (file: uv_file, atime: f64, mtime: f64);
    /// Sets the owner of a file, or of a link itself.
    uv_fs_lchown = UV_FS_LCHOWN, set_path(path), (uid: uv_uid_t, gid: uv_gid_t);
    /// Gives a file a second name.
    uv_fs_link = UV_FS_LINK, set_paths(path, new_path), ();
    /// Describes a file, or a link itself.
    uv_fs_lstat = UV_FS_LSTAT, set_path(path), ();
    /// Sets the times of a file, or of a link itself.
    uv_fs_lutime = UV_FS_LUTIME, set_path(path), (atime: f64, mtime: f64);
    /// Makes a directory.
    uv_fs_mkdir = UV_FS_MKDIR, set_path(path), (mode: c_int);
    /// Opens a file; the result is its descriptor.
    uv_fs_open = UV_FS_OPEN, set_path(path), (flags: c_int, mode: c_int);
    /// Opens a directory; `ptr` is then a `uv_dir_t`.
    uv_fs_opendir = UV_FS_OPENDIR, set_path(path), ();
    /// Reads a link; `ptr` is then its text.
    uv_fs_readlink = UV_FS_READLINK, set_path(path), ();
    /// Resolves links and dots; `ptr` is then the path.
    uv_fs_realpath = UV_FS_REALPATH, set_path(path), ();
    /// Moves a name.
    uv_fs_rename = UV_FS_RENAME, set_paths(path, new_path), ();
    /// Removes an empty directory.
    uv_fs_rmdir = UV_FS_RMDIR, set_path(path), ();
    /// Lists a directory, whose entries `uv_fs_scandir_next` gives.
    uv_fs_scandir = UV_FS_SCANDIR, set_path(path), (flags: c_int);
    /// Describes a file.
    uv_fs_stat = UV_FS_STAT, set_path(path), ();
    /// Describes a file system; `ptr` is then a `uv_statfs_t`.
    uv_fs_statfs = UV_FS_STATFS, set_path(path), ();
    /// Makes a symbolic link with `path` as its text.
    uv_fs_symlink = UV_FS_SYMLINK, set_paths(path, new_path), (flags: c_int);
    /// Removes a name.
    uv_fs_unlink = UV_FS_UNLINK, set_path(path), ();
    /// Sets the times of a file. NaN leaves one as it is, an infinity is now.
    uv_fs_utime = UV_FS_UTIME, set_path(path), (atime: f64, mtime: f64);
}

/// Copies a file. `EINVAL` for flags that there are not.
///
/// # Safety
/// The head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_copyfile(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    path: *const c_char,
    new_path: *const c_char,
    flags: c_int,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: the caller's promise.
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

/// Makes a directory with a name that nobody has; `path` is then this name.
///
/// # Safety
/// The head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_mkdtemp(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    tpl: *const c_char,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { temporary(lp, req, UV_FS_MKDTEMP, tpl, cb) }
}

/// Makes and opens a file with a name that nobody has; `path` is then this name.
///
/// # Safety
/// The head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_mkstemp(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    tpl: *const c_char,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { temporary(lp, req, UV_FS_MKSTEMP, tpl, cb) }
}

/// The template is always copied, since it is written over.
///
/// # Safety
/// The head of this file.
unsafe fn temporary(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    kind: uv_fs_type,
    tpl: *const c_char,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: the caller's promise.
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

/// Reads from a file, at `off` or, if that is below 0, where it stands; the result is how many bytes.
///
/// # Safety
/// The head of this file; `bufs` is NULL or has `nbufs` elements.
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
    // SAFETY: the caller's promise.
    unsafe { transfer(lp, req, UV_FS_READ, file, bufs, nbufs, off, cb) }
}

/// Writes to a file, at `off` or, if that is below 0, where it stands; the result is how many bytes.
///
/// # Safety
/// The head of this file; `bufs` is NULL or has `nbufs` elements.
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
    // SAFETY: the caller's promise.
    unsafe { transfer(lp, req, UV_FS_WRITE, file, bufs, nbufs, off, cb) }
}

/// # Safety
/// As the two above.
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
    // SAFETY: the caller's promise.
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

/// Fills the entries that the program hung on an open directory with the next ones; the result is how many.
///
/// # Safety
/// The head of this file; `dir` is NULL or from `uv_fs_opendir`, and its `dirents` NULL or room for `nentries`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_readdir(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    dir: *mut uv_dir_t,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: the caller's promise.
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

/// Closes a directory and frees it.
///
/// # Safety
/// The head of this file; `dir` is NULL or from `uv_fs_opendir`, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_closedir(
    lp: *mut uv_loop_t,
    req: *mut uv_fs_t,
    dir: *mut uv_dir_t,
    cb: uv_fs_cb,
) -> c_int {
    // SAFETY: the caller's promise.
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

/// Sends bytes of one file to another; the result is how many.
///
/// # Safety
/// The head of this file.
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
    // SAFETY: the caller's promise.
    unsafe {
        operate(lp, req, UV_FS_SENDFILE, cb, || {
            // As libuv, the two that have no field of their own lie in others.
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
