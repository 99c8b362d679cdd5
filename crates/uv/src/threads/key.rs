//! Values that each thread has for itself. See the head of [`threads`](super) for what C owes.
//!
//! # Safety
//! Each function passes what it was given on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use super::must;
use crate::layout::uv_key_t;

/// Makes a key; its value is null on every thread.
///
/// # Safety
/// `key` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_key_create(key: *mut uv_key_t) -> c_int {
    // SAFETY: the caller's promise.
    -unsafe { libc::pthread_key_create(key, None) }
}

/// Ends a key.
///
/// # Safety
/// `key` points to a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_key_delete(key: *mut uv_key_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_key_delete(*key) });
}

/// This thread's value.
///
/// # Safety
/// `key` points to a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_key_get(key: *mut uv_key_t) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { libc::pthread_getspecific(*key) }
}

/// Sets this thread's value.
///
/// # Safety
/// `key` points to a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_key_set(key: *mut uv_key_t, value: *mut c_void) {
    // SAFETY: the caller's promise; the value is only kept.
    must(unsafe { libc::pthread_setspecific(*key, value) });
}
