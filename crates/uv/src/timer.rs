//! Timer handles.
//!
//! # Safety
//! The contract of `access` holds: handle pointers are live and of the declared type.
#![allow(unsafe_code)]

use std::ffi::c_int;

use phasor_core::Errno;

use crate::access;
use crate::layout::{UV_TIMER, flag, uv_loop_t, uv_timer_cb, uv_timer_t};

/// Initialises a timer.
///
/// # Safety
/// `lp` is an initialised loop, `timer` points to memory for a timer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_timer_init(lp: *mut uv_loop_t, timer: *mut uv_timer_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let opened = access::init_handle(lp, timer, UV_TIMER, |core, face| Ok(core.timer_open(face)));
        if opened.is_ok() {
            (*timer).timer_cb = None;
            (*timer).timeout = 0;
            (*timer).repeat = 0;
        }
        access::status(opened.map(|_| ()))
    }
}

/// Starts or restarts a timer.
///
/// # Safety
/// `timer` is an initialised timer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_timer_start(
    timer: *mut uv_timer_t,
    timer_cb: uv_timer_cb,
    timeout_ms: u64,
    repeat_ms: u64,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if timer_cb.is_none() || (*timer).handle.flags & (flag::CLOSING | flag::CLOSED) != 0 {
            return -Errno::EINVAL.raw();
        }
        if let Err(errno) = access::with_handle(timer, |core, id| core.timer_start(id, timeout_ms, repeat_ms)) {
            return -errno.raw();
        }
        (*timer).timer_cb = timer_cb;
        (*timer).repeat = repeat_ms;
        set_started(timer, timeout_ms);
        0
    }
}

/// Updates the struct after a start: the due time, and the active bit.
///
/// # Safety
/// The requirements of [`uv_timer_start`].
#[inline]
unsafe fn set_started(timer: *mut uv_timer_t, after_ms: u64) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        (*timer).timeout = (*(*timer).handle.loop_).time.saturating_add(after_ms);
        (*timer).handle.flags |= flag::ACTIVE;
    }
}

/// Stops a timer.
///
/// # Safety
/// `timer` is an initialised timer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_timer_stop(timer: *mut uv_timer_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // `src/timer.c: uv_timer_stop` always returns 0. The error of the core is ignored: a closed handle is already
        // stopped.
        let _ = access::with_handle(timer, |core, id| core.timer_stop(id));
        (*timer).handle.flags &= !flag::ACTIVE;
    }
    0
}

/// Restarts a repeating timer. `EINVAL` if it was never started.
///
/// # Safety
/// `timer` is an initialised timer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_timer_again(timer: *mut uv_timer_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*timer).handle.flags & (flag::CLOSING | flag::CLOSED) != 0 {
            // `src/timer.c: uv_timer_again` ignores the error of `uv_timer_start`, and so does this function.
            return if (*timer).timer_cb.is_none() { -Errno::EINVAL.raw() } else { 0 };
        }
        let again = access::with_handle(timer, |core, id| core.timer_again(id));
        if again.is_ok() && (*timer).repeat != 0 {
            set_started(timer, (*timer).repeat);
        }
        access::status(again)
    }
}

/// Sets the repeat interval. A running timer keeps its due time, and uses the new interval after that.
///
/// # Safety
/// `timer` is an initialised timer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_timer_set_repeat(timer: *mut uv_timer_t, repeat_ms: u64) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let _ = access::with_handle(timer, |core, id| core.timer_set_repeat(id, repeat_ms));
        (*timer).repeat = repeat_ms;
    }
}

/// The repeat interval; 0 if the timer does not repeat.
///
/// # Safety
/// `timer` is an initialised timer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_timer_get_repeat(timer: *const uv_timer_t) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe { (*timer).repeat }
}

/// Milliseconds until the timer is due; 0 if it is due already.
///
/// # Safety
/// `timer` is an initialised timer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_timer_get_due_in(timer: *const uv_timer_t) -> u64 {
    // SAFETY: guaranteed by the caller.
    unsafe { (*timer).timeout.saturating_sub((*(*timer).handle.loop_).time) }
}
