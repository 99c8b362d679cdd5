//! The clocks, and waiting without a loop.
//!
//! # Safety
//! A pointer may be written, or is null where that is answered.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::time::Duration;

use phasor_sys::{Errno, clock};

use crate::layout::{UV_CLOCK_MONOTONIC, UV_CLOCK_REALTIME, uv_clock_id, uv_timespec64_t, uv_timeval64_t};

/// Nanoseconds of the clock that never goes back.
#[unsafe(no_mangle)]
pub extern "C" fn uv_hrtime() -> u64 {
    clock::monotonic_ns()
}

/// A clock's time.
///
/// # Safety
/// `ts` may be written, or is null, which is `EFAULT`.
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
    // SAFETY: the caller's promise.
    unsafe { *ts = uv_timespec64_t { tv_sec, tv_nsec } };
    0
}

/// The time of the calendar.
///
/// # Safety
/// `tv` may be written, or is null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_gettimeofday(tv: *mut uv_timeval64_t) -> c_int {
    if tv.is_null() {
        return -Errno::EINVAL.raw();
    }
    let (tv_sec, ns) = clock::realtime();
    // SAFETY: the caller's promise.
    unsafe { *tv = uv_timeval64_t { tv_sec, tv_usec: ns / 1000 } };
    0
}

/// Blocks the thread, also through signals.
#[unsafe(no_mangle)]
pub extern "C" fn uv_sleep(msec: c_uint) {
    std::thread::sleep(Duration::from_millis(u64::from(msec)));
}
