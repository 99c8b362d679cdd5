//! Handles that poll a path with `stat` at an interval.
//!
//! # Safety
//! The contract of `access` holds: handle pointers are live and of the declared type. `poll_ctx`, the only field of a
//! `uv_fs_poll_t` after those of the handle, holds the callback or NULL.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr;

use phasor_core::{Errno, FsPollChange, HandleId};

use crate::fs::stat_of;
use crate::fs_event::copy_path;
use crate::layout::{UV_FS_POLL, flag, uv_fs_poll_cb, uv_fs_poll_t, uv_loop_t, uv_stat_t};
use crate::{access, recording};

/// Opens a file poll handle.
///
/// # Safety
/// `lp` is an initialised loop, `handle` points to memory for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_poll_init(lp: *mut uv_loop_t, handle: *mut uv_fs_poll_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let opened = access::init_handle(lp, handle, UV_FS_POLL, |core, face| Ok(core.fs_poll_open(face)));
        if opened.is_ok() {
            (*handle).poll_ctx = ptr::null_mut();
        }
        access::status(opened.map(drop))
    }
}

/// Starts polling a path every `interval` milliseconds. Does nothing if the handle is started (`src/fs-poll.c:
/// uv_fs_poll_start`).
///
/// # Safety
/// `handle` is an initialised file poll handle, `path` NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_poll_start(
    handle: *mut uv_fs_poll_t,
    poll_cb: uv_fs_poll_cb,
    path: *const c_char,
    interval: c_uint,
) -> c_int {
    // SAFETY: guaranteed by the caller; `Option` of a function pointer has the size of a pointer.
    unsafe {
        if (*handle).handle.flags & flag::ACTIVE != 0 {
            return 0;
        }
        if path.is_null() {
            return -Errno::EINVAL.raw();
        }
        let interval_ms = u64::from(interval);
        let started = access::with_handle(handle, |core, id| core.fs_poll_start(id, CStr::from_ptr(path), interval_ms));
        if started.is_ok() {
            (*handle).poll_ctx = transmute::<uv_fs_poll_cb, *mut c_void>(poll_cb);
            access::set_active(handle, true);
            recording::describe(handle);
        }
        access::status(started)
    }
}

/// Stops polling.
///
/// # Safety
/// `handle` is an initialised file poll handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_poll_stop(handle: *mut uv_fs_poll_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let stopped = access::with_handle(handle, |core, id| core.fs_poll_stop(id));
        access::set_active(handle, false);
        access::status(stopped)
    }
}

/// The path that is polled. `EINVAL` if the handle is not started, `ENOBUFS` with the required size if the buffer is too small.
///
/// # Safety
/// `handle` is an initialised file poll handle; `buffer` is NULL or has `*size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fs_poll_getpath(handle: *mut uv_fs_poll_t, buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { copy_path(handle, buffer, size, |core, id| core.fs_poll_path(id)) }
}

/// Calls the callback of a file poll handle after the `stat` result has changed.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_fs_poll(lp: *mut uv_loop_t, id: HandleId, change: &FsPollChange) {
    let (status, current) = match &change.current {
        Ok(stat) => (0, stat_of(stat)),
        Err(errno) => (-errno.raw(), uv_stat_t::default()),
    };
    let previous = stat_of(&change.previous);
    // SAFETY: see the head of this file; `uv_fs_poll_start` stored the callback in `poll_ctx`.
    unsafe {
        let Some(handle) = access::handle_of::<uv_fs_poll_t>(lp, id) else { return };
        if let Some(call) = transmute::<*mut c_void, uv_fs_poll_cb>((*handle).poll_ctx) {
            call(handle, status, &previous, &current);
        }
    }
}
