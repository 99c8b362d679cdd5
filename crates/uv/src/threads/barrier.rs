//! Barriers, at which a number of threads wait for each other. [`threads`](super) states the contract.
//!
//! # Safety
//! Each function passes the pointer on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use super::abort_on_error;
use crate::layout::uv_barrier_t;

/// Initialises a barrier for `count` threads. `EINVAL` for 0.
///
/// # Safety
/// `barrier` points to memory for a barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_barrier_init(barrier: *mut uv_barrier_t, count: c_uint) -> c_int {
    // SAFETY: guaranteed by the caller; NULL means default attributes.
    -unsafe { libc::pthread_barrier_init(barrier, std::ptr::null(), count) }
}

/// Waits until `count` threads have called this function. Returns 1 in one of them, which may destroy the barrier, and
/// 0 in the others.
///
/// # Safety
/// `barrier` points to a barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_barrier_wait(barrier: *mut uv_barrier_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    match unsafe { libc::pthread_barrier_wait(barrier) } {
        0 => 0,
        libc::PTHREAD_BARRIER_SERIAL_THREAD => 1,
        _ => std::process::abort(),
    }
}

/// Destroys a barrier, after the waiting threads have returned.
///
/// # Safety
/// `barrier` points to a barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_barrier_destroy(barrier: *mut uv_barrier_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_barrier_destroy(barrier) });
}
