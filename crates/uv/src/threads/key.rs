//! Thread-local values. [`threads`](super) states the contract.
//!
//! # Safety
//! Each function passes its arguments on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use super::abort_on_error;
use crate::layout::uv_key_t;

/// Creates a key. Its value is NULL on every thread.
///
/// # Safety
/// `key` points to memory for a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_key_create(key: *mut uv_key_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    -unsafe { libc::pthread_key_create(key, None) }
}

/// Deletes a key.
///
/// # Safety
/// `key` points to a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_key_delete(key: *mut uv_key_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_key_delete(*key) });
}

/// The value of the calling thread.
///
/// # Safety
/// `key` points to a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_key_get(key: *mut uv_key_t) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    unsafe { libc::pthread_getspecific(*key) }
}

/// Sets the value of the calling thread.
///
/// # Safety
/// `key` points to a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_key_set(key: *mut uv_key_t, value: *mut c_void) {
    // SAFETY: guaranteed by the caller; the value is stored, not dereferenced.
    abort_on_error(unsafe { libc::pthread_setspecific(*key, value) });
}
