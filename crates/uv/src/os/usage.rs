//! Resource usage of the process and its threads.
//!
//! # Safety
//! Output pointers are writable.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_long};

use phasor_sys::process::{self, Usage};

use crate::access::status;
use crate::layout::{uv_rusage_t, uv_timeval_t};

/// The resource usage of the process.
///
/// # Safety
/// `rusage` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_getrusage(rusage: *mut uv_rusage_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    status(process::usage().map(|usage| unsafe { *rusage = converted(usage) }))
}

/// The resource usage of the calling thread.
///
/// # Safety
/// `rusage` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_getrusage_thread(rusage: *mut uv_rusage_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    status(process::thread_usage().map(|usage| unsafe { *rusage = converted(usage) }))
}

/// Converts the resource usage. Fields that Linux does not maintain stay zero, as in the kernel's struct.
fn converted(usage: Usage) -> uv_rusage_t {
    let time = |us: u64| uv_timeval_t { tv_sec: (us / 1_000_000) as c_long, tv_usec: (us % 1_000_000) as c_long };
    uv_rusage_t {
        ru_utime: time(usage.user_us),
        ru_stime: time(usage.system_us),
        ru_maxrss: usage.max_rss_kib,
        ru_minflt: usage.minor_faults,
        ru_majflt: usage.major_faults,
        ru_inblock: usage.fs_reads,
        ru_oublock: usage.fs_writes,
        ru_nvcsw: usage.voluntary_switches,
        ru_nivcsw: usage.involuntary_switches,
        ..uv_rusage_t::default()
    }
}
