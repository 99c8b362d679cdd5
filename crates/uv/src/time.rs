//! Clocks, and sleeping without a loop.
//!
//! # Safety
//! An output pointer is writable, or NULL where the function states an error for that.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::time::Duration;

use phasor_sys::{Errno, clock};

use crate::layout::{UV_CLOCK_MONOTONIC, UV_CLOCK_REALTIME, uv_clock_id, uv_timespec64_t, uv_timeval64_t};

/// The monotonic clock, in nanoseconds.
#[unsafe(no_mangle)]
pub extern "C" fn uv_hrtime() -> u64 {
    clock::monotonic_ns()
}

/// The time of a clock.
///
/// # Safety
/// `ts` is writable, or NULL, which is `EFAULT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_clock_gettime(clock_id: uv_clock_id, ts: *mut uv_timespec64_t) -> c_int {
    if ts.is_null() {
        return -Errno::EFAULT.raw();
    }
    let (tv_sec, tv_nsec) = match clock_id {
        UV_CLOCK_MONOTONIC => clock::monotonic(),
        UV_CLOCK_REALTIME => clock::realtime(),
        _ => return -Errno::EINVAL.raw(),
    };
    // SAFETY: guaranteed by the caller.
    unsafe { *ts = uv_timespec64_t { tv_sec, tv_nsec } };
    0
}

/// The wall-clock time.
///
/// # Safety
/// `tv` is writable, or NULL, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_gettimeofday(tv: *mut uv_timeval64_t) -> c_int {
    if tv.is_null() {
        return -Errno::EINVAL.raw();
    }
    let (tv_sec, ns) = clock::realtime();
    // SAFETY: guaranteed by the caller.
    unsafe { *tv = uv_timeval64_t { tv_sec, tv_usec: ns / 1000 } };
    0
}

/// Blocks the thread for a time. A signal does not end the sleep.
#[unsafe(no_mangle)]
pub extern "C" fn uv_sleep(msec: c_uint) {
    std::thread::sleep(Duration::from_millis(u64::from(msec)));
}
