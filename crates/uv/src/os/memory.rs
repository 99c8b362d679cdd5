//! Memory of the machine, and the limits and use of the process.
//!
//! # Safety
//! Output pointers are writable.
#![allow(unsafe_code)]

use std::ffi::c_int;

use phasor_sys::{os, process};

use crate::access::status;

/// Memory that is available without swapping, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn uv_get_free_memory() -> u64 {
    os::memory_bytes().1
}

/// Total memory, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn uv_get_total_memory() -> u64 {
    os::memory_bytes().0
}

/// The memory limit of the process's cgroup, in bytes: 0 if unknown, `UINT64_MAX` if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn uv_get_constrained_memory() -> u64 {
    os::constrained_memory_bytes()
}

/// Memory that the process could still allocate, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn uv_get_available_memory() -> u64 {
    os::available_memory_bytes()
}

/// The resident set size of the process, in bytes.
///
/// # Safety
/// `rss` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_resident_set_memory(rss: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    status(process::resident_bytes().map(|bytes| unsafe { *rss = bytes as usize }))
}
