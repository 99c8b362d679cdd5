//! Locks that many readers or one writer hold. See the head of [`threads`](super) for what C owes.
//!
//! # Safety
//! Each function passes the pointer on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::{must, tried};
use crate::layout::uv_rwlock_t;

/// Makes a lock.
///
/// # Safety
/// `rwlock` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_init(rwlock: *mut uv_rwlock_t) -> c_int {
    // SAFETY: the caller's promise; no attributes are the usual ones.
    -unsafe { libc::pthread_rwlock_init(rwlock, std::ptr::null()) }
}

/// Ends a lock that nobody holds.
///
/// # Safety
/// `rwlock` points to a lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_destroy(rwlock: *mut uv_rwlock_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_rwlock_destroy(rwlock) });
}

/// Waits until no writer has it, and reads.
///
/// # Safety
/// `rwlock` points to a lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_rdlock(rwlock: *mut uv_rwlock_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_rwlock_rdlock(rwlock) });
}

/// Reads, or says `EBUSY`.
///
/// # Safety
/// `rwlock` points to a lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_tryrdlock(rwlock: *mut uv_rwlock_t) -> c_int {
    // SAFETY: the caller's promise.
    tried(unsafe { libc::pthread_rwlock_tryrdlock(rwlock) })
}

/// Stops reading.
///
/// # Safety
/// `rwlock` points to a lock that this thread reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_rdunlock(rwlock: *mut uv_rwlock_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_rwlock_unlock(rwlock) });
}

/// Waits until nobody has it, and writes.
///
/// # Safety
/// `rwlock` points to a lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_wrlock(rwlock: *mut uv_rwlock_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_rwlock_wrlock(rwlock) });
}

/// Writes, or says `EBUSY`.
///
/// # Safety
/// `rwlock` points to a lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_trywrlock(rwlock: *mut uv_rwlock_t) -> c_int {
    // SAFETY: the caller's promise.
    tried(unsafe { libc::pthread_rwlock_trywrlock(rwlock) })
}

/// Stops writing.
///
/// # Safety
/// `rwlock` points to a lock that this thread writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_wrunlock(rwlock: *mut uv_rwlock_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_rwlock_unlock(rwlock) });
}
