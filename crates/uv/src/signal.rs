//! Signal handles.
//!
//! # Safety
//! The contract of `access` holds: handle pointers are live and of the declared type.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use phasor_core::{HandleId, Loop, Result};

use crate::front_end::C;
use crate::layout::{UV_SIGNAL, flag, uv_loop_t, uv_signal_cb, uv_signal_t};
use crate::{access, recording};

/// Initialises a signal handle.
///
/// # Safety
/// `lp` is an initialised loop, `handle` points to memory for a signal handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_signal_init(lp: *mut uv_loop_t, handle: *mut uv_signal_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let opened = access::init_handle(lp, handle, UV_SIGNAL, |core, face| Ok(core.signal_open(face)));
        if opened.is_ok() {
            (*handle).signal_cb = None;
            (*handle).signum = 0;
            (*handle).caught_signals = 0;
            (*handle).dispatched_signals = 0;
        }
        access::status(opened.map(|_| ()))
    }
}

/// Starts watching for a signal.
///
/// # Safety
/// `handle` is an initialised signal handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_signal_start(handle: *mut uv_signal_t, signal_cb: uv_signal_cb, signum: c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { start(handle, signal_cb, 0, |core, id| core.signal_start(id, signum)) }
}

/// Starts watching for one delivery of a signal.
///
/// # Safety
/// `handle` is an initialised signal handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_signal_start_oneshot(
    handle: *mut uv_signal_t,
    signal_cb: uv_signal_cb,
    signum: c_int,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { start(handle, signal_cb, flag::ONE_SHOT, |core, id| core.signal_start_oneshot(id, signum)) }
}

/// # Safety
/// The requirements of [`uv_signal_start`].
unsafe fn start(
    handle: *mut uv_signal_t,
    signal_cb: uv_signal_cb,
    one_shot: c_uint,
    begin: impl FnOnce(&mut Loop<C>, HandleId) -> Result<()>,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let before = (*handle).signum;
        let started = access::with_handle(handle, begin);
        sync_fields(handle);
        if started.is_ok() {
            (*handle).signal_cb = signal_cb;
            // If the handle already watches the signal, only the callback is replaced (`src/unix/signal.c:
            // uv__signal_start`).
            if (*handle).signum != before {
                (*handle).handle.flags = ((*handle).handle.flags & !flag::ONE_SHOT) | one_shot;
                recording::describe(handle);
            }
        }
        access::status(started)
    }
}

/// Stops watching.
///
/// # Safety
/// `handle` is an initialised signal handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_signal_stop(handle: *mut uv_signal_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // `src/unix/signal.c: uv_signal_stop` always returns 0. The error of the core is ignored: a closed handle is
        // already stopped.
        let _ = access::with_handle(handle, |core, id| core.signal_stop(id));
        sync_fields(handle);
    }
    0
}

/// Updates `signum` and the active bit in the struct from the core.
///
/// # Safety
/// The requirements of [`uv_signal_start`].
pub(crate) unsafe fn sync_fields(handle: *mut uv_signal_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        (*handle).signum = access::with_handle(handle, |core, id| core.signal_number(id)).unwrap_or(0);
        access::set_active(handle, (*handle).signum != 0);
    }
}

/// Calls the callback of a signal handle.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_signal(lp: *mut uv_loop_t, id: HandleId, signum: c_int) {
    // SAFETY: see the head of this file. After the callback the handle is only accessed if the core still has it.
    unsafe {
        let Some(handle) = access::handle_of::<uv_signal_t>(lp, id) else { return };
        if let Some(call) = (*handle).signal_cb {
            call(handle, signum);
        }
        // The core stops a one-shot handle before its next event; the program may check it sooner.
        if access::handle_of::<uv_signal_t>(lp, id).is_some() && (*handle).handle.flags & flag::ONE_SHOT != 0 {
            uv_signal_stop(handle);
        }
    }
}
