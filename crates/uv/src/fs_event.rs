//! Handles that watch a file or directory for changes.
//!
//! # Safety
//! The contract of `access` holds: handle pointers are live and of the declared type.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::ptr;

use phasor_core::{Errno, FsChange, HandleId, Loop, Result};

use crate::front_end::C;
use crate::layout::{UV_FS_EVENT, uv_fs_event_cb, uv_fs_event_t, uv_loop_t};
use crate::{access, recording, text};

/// Opens a file event handle.
///
/// # Safety
/// `lp` is an initialised loop, `handle` points to memory for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_event_init(lp: *mut uv_loop_t, handle: *mut uv_fs_event_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let opened = access::init_handle(lp, handle, UV_FS_EVENT, |core, face| Ok(core.fs_event_open(face)));
        if opened.is_ok() {
            (*handle).path = ptr::null_mut();
            (*handle).cb = None;
        }
        access::status(opened.map(drop))
    }
}

/// Starts watching a path. No flag has an effect on Linux. `EINVAL` if the handle is started.
///
/// # Safety
/// `handle` is an initialised file event handle, `path` NULL or a C string.
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
    // SAFETY: guaranteed by the caller.
    unsafe {
        let started = access::with_handle(handle, |core, id| core.fs_event_start(id, CStr::from_ptr(path)));
        if started.is_ok() {
            (*handle).cb = cb;
            access::set_active(handle, true);
            recording::describe(handle);
        }
        access::status(started)
    }
}

/// Stops watching.
///
/// # Safety
/// `handle` is an initialised file event handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_event_stop(handle: *mut uv_fs_event_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let stopped = access::with_handle(handle, |core, id| core.fs_event_stop(id));
        access::set_active(handle, false);
        access::status(stopped)
    }
}

/// The path that is watched. `EINVAL` if the handle is not started, `ENOBUFS` with the required size if the buffer is too small.
///
/// # Safety
/// `handle` is an initialised file event handle; `buffer` is NULL or has `*size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_event_getpath(
    handle: *mut uv_fs_event_t,
    buffer: *mut c_char,
    size: *mut usize,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { copy_path(handle, buffer, size, |core, id| core.fs_event_path(id)) }
}

/// Copies the path that `find` returns to the buffer. If there is none, the size becomes 0 (`src/uv-common.c:
/// uv_fs_event_getpath`).
///
/// The requirements of [`uv_fs_event_getpath`].
/// As [`uv_fs_event_getpath`].
pub(crate) unsafe fn copy_path<T>(
    handle: *mut T,
    buffer: *mut c_char,
    size: *mut usize,
    find: impl FnOnce(&Loop<C>, HandleId) -> Result<&CStr>,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if text::is_invalid(buffer, size) {
            return -Errno::EINVAL.raw();
        }
        let copied = access::with_handle(handle, |core, id| Ok(text::copy_out(find(core, id)?, buffer, size)));
        copied.unwrap_or_else(|errno| {
            *size = 0;
            -errno.raw()
        })
    }
}

/// Calls the callback of a file event handle.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_fs_event(lp: *mut uv_loop_t, id: HandleId, change: FsChange) {
    // A name from the kernel contains no NUL, so `CString::new` succeeds.
    let name = change.name.and_then(|name| CString::new(name).ok());
    // SAFETY: see the head of this file; the name lives until the callback has returned.
    unsafe {
        let Some(handle) = access::handle_of::<uv_fs_event_t>(lp, id) else { return };
        if let Some(call) = (*handle).cb {
            call(handle, name.as_ref().map_or(ptr::null(), |name| name.as_ptr()), change.kind, 0);
        }
    }
}
