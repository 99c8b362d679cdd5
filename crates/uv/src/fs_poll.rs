//! Handles that look at a path again and again.
//!
//! # Safety
//! The promises of `door` hold: handles are the program's, alive, and of the kind that is said. The callback lies in the one
//! word that such a handle has of its own, and nothing else does.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr;

use phasor_core::{Errno, FsPollChange, HandleId};

use crate::door;
use crate::fs::stat_of;
use crate::fs_event::give_path;
use crate::layout::{UV_FS_POLL, flag, uv_fs_poll_cb, uv_fs_poll_t, uv_loop_t, uv_stat_t};

/// Opens a file poll handle.
///
/// # Safety
/// `lp` is an initialised loop, `handle` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_poll_init(lp: *mut uv_loop_t, handle: *mut uv_fs_poll_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let opened = door::open(lp, handle, UV_FS_POLL, |core, face| Ok(core.fs_poll_open(face)));
        if opened.is_ok() {
            (*handle).poll_ctx = ptr::null_mut();
        }
        door::status(opened.map(drop))
    }
}

/// Starts to look at a path every `interval` milliseconds. Starting a started handle changes nothing.
///
/// # Safety
/// `handle` is an initialised file poll handle, `path` NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_poll_start(
    handle: *mut uv_fs_poll_t,
    poll_cb: uv_fs_poll_cb,
    path: *const c_char,
    interval: c_uint,
) -> c_int {
    // SAFETY: the caller's promise; an `Option` of a function has a pointer's shape.
    unsafe {
        if (*handle).handle.flags & flag::ACTIVE != 0 {
            return 0;
        }
        if path.is_null() {
            return -Errno::EINVAL.raw();
        }
        let interval_ms = u64::from(interval);
        let started = door::with_handle(handle, |core, id| core.fs_poll_start(id, CStr::from_ptr(path), interval_ms));
        if started.is_ok() {
            (*handle).poll_ctx = transmute::<uv_fs_poll_cb, *mut c_void>(poll_cb);
            door::show_active(handle, true);
        }
        door::status(started)
    }
}

/// Stops to look.
///
/// # Safety
/// `handle` is an initialised file poll handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_poll_stop(handle: *mut uv_fs_poll_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let stopped = door::with_handle(handle, |core, id| core.fs_poll_stop(id));
        door::show_active(handle, false);
        door::status(stopped)
    }
}

/// The path that is looked at. `EINVAL` if the handle is not started, `ENOBUFS` with the size that is needed.
///
/// # Safety
/// `handle` is an initialised file poll handle; `buffer` is NULL or has room for `*size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_poll_getpath(handle: *mut uv_fs_poll_t, buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { give_path(handle, buffer, size, |core, id| core.fs_poll_path(id)) }
}

/// The path is not as it was.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_fs_poll(lp: *mut uv_loop_t, id: HandleId, change: &FsPollChange) {
    let (status, current) = match &change.current {
        Ok(stat) => (0, stat_of(stat)),
        Err(errno) => (-errno.raw(), uv_stat_t::default()),
    };
    let previous = stat_of(&change.previous);
    // SAFETY: the head of this file; a start put the callback where it is read here.
    unsafe {
        let Some(handle) = door::face::<uv_fs_poll_t>(lp, id) else { return };
        if let Some(call) = transmute::<*mut c_void, uv_fs_poll_cb>((*handle).poll_ctx) {
            call(handle, status, &previous, &current);
        }
    }
}
