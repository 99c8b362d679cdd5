//! Handles that watch a file or directory for changes.
//!
//! # Safety
//! The promises of `door` hold: handles are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::ptr;

use phasor_core::{Errno, FsChange, HandleId, Result};

use crate::door;
use crate::layout::{UV_FS_EVENT, uv_fs_event_cb, uv_fs_event_t, uv_loop_t};

/// Opens a file event handle.
///
/// # Safety
/// `lp` is an initialised loop, `handle` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_event_init(lp: *mut uv_loop_t, handle: *mut uv_fs_event_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let opened = door::open(lp, handle, UV_FS_EVENT, |core, face| Ok(core.fs_event_open(face)));
        if opened.is_ok() {
            (*handle).path = ptr::null_mut();
            (*handle).cb = None;
        }
        door::status(opened.map(drop))
    }
}

/// Starts to watch. No flag means anything on Linux. `EINVAL` if the handle is started.
///
/// # Safety
/// `handle` is an initialised file event handle, `path` NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_event_start(
    handle: *mut uv_fs_event_t,
    cb: uv_fs_event_cb,
    path: *const c_char,
    _flags: c_uint,
) -> c_int {
    if path.is_null() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: the caller's promise.
    unsafe {
        let started = door::with_handle(handle, |core, id| core.fs_event_start(id, CStr::from_ptr(path)));
        if started.is_ok() {
            (*handle).cb = cb;
            door::show_active(handle, true);
        }
        door::status(started)
    }
}

/// Stops to watch.
///
/// # Safety
/// `handle` is an initialised file event handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_event_stop(handle: *mut uv_fs_event_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let stopped = door::with_handle(handle, |core, id| core.fs_event_stop(id));
        door::show_active(handle, false);
        door::status(stopped)
    }
}

/// The path that is watched. `EINVAL` if the handle is not started, `ENOBUFS` with the size that is needed.
///
/// # Safety
/// `handle` is an initialised file event handle; `buffer` is NULL or has room for `*size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_event_getpath(
    handle: *mut uv_fs_event_t,
    buffer: *mut c_char,
    size: *mut usize,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        put_path(buffer, size, |take| door::with_handle(handle, |core, id| core.fs_event_path(id).and_then(take)))
    }
}

/// Puts the path that `find` finds into a buffer of the program's. `*size` is how much room there is, then how long the path
/// is: without its end if it was put, with it if there is not enough room, 0 if there is no path.
///
/// # Safety
/// `buffer` is NULL or has room for `*size` bytes.
pub(crate) unsafe fn put_path(
    buffer: *mut c_char,
    size: *mut usize,
    find: impl FnOnce(&mut dyn FnMut(&CStr) -> Result<()>) -> Result<()>,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        if buffer.is_null() || size.is_null() || *size == 0 {
            return -Errno::EINVAL.raw();
        }
        let room = *size;
        // If nothing is found.
        *size = 0;
        door::status(find(&mut |path| {
            let len = path.to_bytes().len();
            if len >= room {
                *size = len + 1;
                return Err(Errno::ENOBUFS);
            }
            ptr::copy_nonoverlapping(path.as_ptr(), buffer, len + 1);
            *size = len;
            Ok(())
        }))
    }
}

/// Something changed.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_fs_event(lp: *mut uv_loop_t, id: HandleId, change: FsChange) {
    // Names of files have no NUL in them.
    let name = change.name.and_then(|name| CString::new(name).ok());
    // SAFETY: the head of this file; the name lives until the call has returned.
    unsafe {
        let Some(handle) = door::face::<uv_fs_event_t>(lp, id) else { return };
        if let Some(call) = (*handle).cb {
            call(handle, name.as_ref().map_or(ptr::null(), |name| name.as_ptr()), change.kind, 0);
        }
    }
}
