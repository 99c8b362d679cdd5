//! Condition variables. See the head of [`threads`](super) for what C owes.
//!
//! # Safety
//! Each function passes the pointers on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::mem::MaybeUninit;

use phasor_sys::{Errno, clock};

use super::must;
use crate::layout::{uv_cond_t, uv_mutex_t};

/// Makes a condition variable whose limits of time are on the clock that never goes back.
///
/// # Safety
/// `cond` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_init(cond: *mut uv_cond_t) -> c_int {
    let mut attributes = MaybeUninit::<libc::pthread_condattr_t>::uninit();
    let attributes = attributes.as_mut_ptr();
    // SAFETY: the attributes are made before they are used and destroyed after; the caller's promise for the rest.
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

/// Ends a condition variable that nobody waits for.
///
/// # Safety
/// `cond` points to a condition variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_destroy(cond: *mut uv_cond_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_cond_destroy(cond) });
}

/// Wakes one who waits.
///
/// # Safety
/// `cond` points to a condition variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_signal(cond: *mut uv_cond_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_cond_signal(cond) });
}

/// Wakes all who wait.
///
/// # Safety
/// `cond` points to a condition variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_broadcast(cond: *mut uv_cond_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_cond_broadcast(cond) });
}

/// Gives the mutex back, waits to be woken, and takes it again.
///
/// # Safety
/// `cond` points to a condition variable, `mutex` to a mutex that this thread holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_wait(cond: *mut uv_cond_t, mutex: *mut uv_mutex_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_cond_wait(cond, mutex) });
}

/// As [`uv_cond_wait`], for so many nanoseconds at most: then it is `ETIMEDOUT`.
///
/// libuv's sum of now and a time near the end of all numbers wraps round and has passed already; here it is a long wait.
///
/// # Safety
/// `cond` points to a condition variable, `mutex` to a mutex that this thread holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cond_timedwait(cond: *mut uv_cond_t, mutex: *mut uv_mutex_t, timeout: u64) -> c_int {
    const NS_PER_S: u64 = 1_000_000_000;
    let end_ns = clock::monotonic_ns().saturating_add(timeout);
    let end =
        libc::timespec { tv_sec: (end_ns / NS_PER_S) as libc::time_t, tv_nsec: (end_ns % NS_PER_S) as libc::c_long };
    // SAFETY: the caller's promise; the time outlives the call.
    match unsafe { libc::pthread_cond_timedwait(cond, mutex, &end) } {
        0 => 0,
        libc::ETIMEDOUT => -Errno::ETIMEDOUT.raw(),
        _ => std::process::abort(),
    }
}
