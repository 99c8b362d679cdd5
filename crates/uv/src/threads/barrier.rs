//! Barriers: a number of threads wait for each other. See the head of [`threads`](super) for what C owes.
//!
//! # Safety
//! Each function passes the pointer on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use super::must;
use crate::layout::uv_barrier_t;

/// Makes a barrier for so many threads. None is `EINVAL`.
///
/// # Safety
/// `barrier` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_barrier_init(barrier: *mut uv_barrier_t, count: c_uint) -> c_int {
    // SAFETY: the caller's promise; no attributes are the usual ones.
    -unsafe { libc::pthread_barrier_init(barrier, std::ptr::null(), count) }
}

/// Waits until all have come. One of them, any, is told 1: the one to destroy it. The others get 0.
///
/// # Safety
/// `barrier` points to a barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_barrier_wait(barrier: *mut uv_barrier_t) -> c_int {
    // SAFETY: the caller's promise.
    match unsafe { libc::pthread_barrier_wait(barrier) } {
        0 => 0,
        libc::PTHREAD_BARRIER_SERIAL_THREAD => 1,
        _ => std::process::abort(),
    }
}

/// Ends a barrier, after those who wait have left.
///
/// # Safety
/// `barrier` points to a barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_barrier_destroy(barrier: *mut uv_barrier_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_barrier_destroy(barrier) });
}
