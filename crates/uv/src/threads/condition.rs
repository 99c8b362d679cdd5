//! Condition variables. [`threads`](super) states the contract.
//!
//! # Safety
//! Each function passes the pointers on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::mem::MaybeUninit;

use phasor_sys::{Errno, clock};

use super::abort_on_error;
use crate::layout::{uv_cond_t, uv_mutex_t};

/// Initialises a condition variable, whose timeouts are on the monotonic clock.
///
/// # Safety
/// `cond` points to memory for a condition variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_init(cond: *mut uv_cond_t) -> c_int {
    let mut attributes = MaybeUninit::<libc::pthread_condattr_t>::uninit();
    let attributes = attributes.as_mut_ptr();
    // SAFETY: guaranteed by the caller; the attributes are initialised before their use and destroyed after it.
    unsafe {
        let mut status = libc::pthread_condattr_init(attributes);
        if status != 0 {
            return -status;
        }
        status = libc::pthread_condattr_setclock(attributes, libc::CLOCK_MONOTONIC);
        if status == 0 {
            status = libc::pthread_cond_init(cond, attributes);
        }
        libc::pthread_condattr_destroy(attributes);
        -status
    }
}

/// Destroys a condition variable that no thread waits on.
///
/// # Safety
/// `cond` points to a condition variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_destroy(cond: *mut uv_cond_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_cond_destroy(cond) });
}

/// Wakes one waiting thread.
///
/// # Safety
/// `cond` points to a condition variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_signal(cond: *mut uv_cond_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_cond_signal(cond) });
}

/// Wakes all waiting threads.
///
/// # Safety
/// `cond` points to a condition variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_broadcast(cond: *mut uv_cond_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_cond_broadcast(cond) });
}

/// Unlocks the mutex, waits for a signal, and locks the mutex again.
///
/// # Safety
/// `cond` points to a condition variable, `mutex` to a mutex that this thread holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_wait(cond: *mut uv_cond_t, mutex: *mut uv_mutex_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_cond_wait(cond, mutex) });
}

/// Waits like [`uv_cond_wait`], for at most `timeout` nanoseconds. After that time it returns `ETIMEDOUT`.
///
/// In `src/unix/thread.c: uv_cond_timedwait`, the sum of the current time and a huge timeout wraps around, so the wait
/// ends at once. Here the sum saturates, so the wait is long.
///
/// # Safety
/// `cond` points to a condition variable, `mutex` to a mutex that this thread holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_timedwait(cond: *mut uv_cond_t, mutex: *mut uv_mutex_t, timeout: u64) -> c_int {
    const NS_PER_S: u64 = 1_000_000_000;
    let end_ns = clock::monotonic_ns().saturating_add(timeout);
    let end =
        libc::timespec { tv_sec: (end_ns / NS_PER_S) as libc::time_t, tv_nsec: (end_ns % NS_PER_S) as libc::c_long };
    // SAFETY: guaranteed by the caller; the deadline outlives the call.
    match unsafe { libc::pthread_cond_timedwait(cond, mutex, &end) } {
        0 => 0,
        libc::ETIMEDOUT => -Errno::ETIMEDOUT.raw(),
        _ => std::process::abort(),
    }
}
