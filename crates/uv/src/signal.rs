//! Signal handles.
//!
//! # Safety
//! The promises of `door` hold: handles are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use phasor_core::{HandleId, Loop, Result};

use crate::door;
use crate::face::C;
use crate::layout::{UV_SIGNAL, flag, uv_loop_t, uv_signal_cb, uv_signal_t};

/// Initialises a signal handle.
///
/// # Safety
/// `lp` is an initialised loop, `handle` has room for a signal handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_signal_init(lp: *mut uv_loop_t, handle: *mut uv_signal_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let opened = door::open(lp, handle, UV_SIGNAL, |core, face| Ok(core.signal_open(face)));
        if opened.is_ok() {
            (*handle).signal_cb = None;
            (*handle).signum = 0;
            (*handle).caught_signals = 0;
            (*handle).dispatched_signals = 0;
        }
        door::status(opened.map(|_| ()))
    }
}

/// Starts to tell of a signal.
///
/// # Safety
/// `handle` is an initialised signal handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_signal_start(handle: *mut uv_signal_t, signal_cb: uv_signal_cb, signum: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { start(handle, signal_cb, 0, |core, id| core.signal_start(id, signum)) }
}

/// Starts to tell of one delivery of a signal.
///
/// # Safety
/// `handle` is an initialised signal handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_signal_start_oneshot(
    handle: *mut uv_signal_t,
    signal_cb: uv_signal_cb,
    signum: c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { start(handle, signal_cb, flag::ONE_SHOT, |core, id| core.signal_start_oneshot(id, signum)) }
}

/// # Safety
/// As [`uv_signal_start`].
unsafe fn start(
    handle: *mut uv_signal_t,
    signal_cb: uv_signal_cb,
    one_shot: c_uint,
    begin: impl FnOnce(&mut Loop<C>, HandleId) -> Result<()>,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let before = (*handle).signum;
        let started = door::with_handle(handle, begin);
        show(handle);
        if started.is_ok() {
            (*handle).signal_cb = signal_cb;
            // As in libuv: for the signal it is started for already, only the callback is another.
            if (*handle).signum != before {
                (*handle).handle.flags = ((*handle).handle.flags & !flag::ONE_SHOT) | one_shot;
            }
        }
        door::status(started)
    }
}

/// Stops telling.
///
/// # Safety
/// `handle` is an initialised signal handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_signal_stop(handle: *mut uv_signal_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        // As in libuv this cannot fail: one that is closed is stopped.
        let _ = door::with_handle(handle, |core, id| core.signal_stop(id));
        show(handle);
    }
    0
}

/// Makes the struct say what the handle is started for.
///
/// # Safety
/// As [`uv_signal_start`].
pub(crate) unsafe fn show(handle: *mut uv_signal_t) {
    // SAFETY: the caller's promise.
    unsafe {
        (*handle).signum = door::with_handle(handle, |core, id| core.signal_number(id)).unwrap_or(0);
        door::show_active(handle, (*handle).signum != 0);
    }
}

/// A signal was delivered.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_signal(lp: *mut uv_loop_t, id: HandleId, signum: c_int) {
    // SAFETY: the head of this file. After the call the handle is looked at only if the core still has it.
    unsafe {
        let Some(handle) = door::face::<uv_signal_t>(lp, id) else { return };
        if let Some(call) = (*handle).signal_cb {
            call(handle, signum);
        }
        // The core stops it before its next event; the program may look sooner.
        if door::face::<uv_signal_t>(lp, id).is_some() && (*handle).handle.flags & flag::ONE_SHOT != 0 {
            uv_signal_stop(handle);
        }
    }
}
