//! Memory: of the machine, and what the process may have and has.
//!
//! # Safety
//! A pointer may be written.
#![allow(unsafe_code)]

use std::ffi::c_int;

use phasor_sys::{os, process};

use crate::door::status;

/// What a program could still get, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn uv_get_free_memory() -> u64 {
    os::memory_bytes().1
}

/// All memory, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn uv_get_total_memory() -> u64 {
    os::memory_bytes().0
}

/// The limit that is set for the process, in bytes: 0 if none is known, all ones if it is known that there is none.
#[unsafe(no_mangle)]
pub extern "C" fn uv_get_constrained_memory() -> u64 {
    os::constrained_memory_bytes()
}

/// What the process could still get, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn uv_get_available_memory() -> u64 {
    os::available_memory_bytes()
}

/// How much of the process's memory is resident, in bytes.
///
/// # Safety
/// `rss` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_resident_set_memory(rss: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    status(process::resident_bytes().map(|bytes| unsafe { *rss = bytes as usize }))
}
