//! Read-write locks. [`threads`](super) states the contract.
//!
//! # Safety
//! Each function passes the pointer on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::c_int;

use super::{abort_on_error, try_status};
use crate::layout::uv_rwlock_t;

/// Initialises a lock.
///
/// # Safety
/// `rwlock` points to memory for a lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_init(rwlock: *mut uv_rwlock_t) -> c_int {
    // SAFETY: guaranteed by the caller; NULL means default attributes.
    -unsafe { libc::pthread_rwlock_init(rwlock, std::ptr::null()) }
}

/// Destroys a lock that no thread holds.
///
/// # Safety
/// `rwlock` points to a lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_destroy(rwlock: *mut uv_rwlock_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_rwlock_destroy(rwlock) });
}

/// Locks for reading. Waits while a writer holds the lock.
///
/// # Safety
/// `rwlock` points to a lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_rdlock(rwlock: *mut uv_rwlock_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_rwlock_rdlock(rwlock) });
}

/// Locks for reading. Returns `EBUSY` if a writer holds the lock.
///
/// # Safety
/// `rwlock` points to a lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_tryrdlock(rwlock: *mut uv_rwlock_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    try_status(unsafe { libc::pthread_rwlock_tryrdlock(rwlock) })
}

/// Unlocks a read lock.
///
/// # Safety
/// `rwlock` points to a lock that this thread holds for reading.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_rdunlock(rwlock: *mut uv_rwlock_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_rwlock_unlock(rwlock) });
}

/// Locks for writing. Waits while another thread holds the lock.
///
/// # Safety
/// `rwlock` points to a lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_wrlock(rwlock: *mut uv_rwlock_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_rwlock_wrlock(rwlock) });
}

/// Locks for writing. Returns `EBUSY` if another thread holds the lock.
///
/// # Safety
/// `rwlock` points to a lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_trywrlock(rwlock: *mut uv_rwlock_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    try_status(unsafe { libc::pthread_rwlock_trywrlock(rwlock) })
}

/// Unlocks a write lock.
///
/// # Safety
/// `rwlock` points to a lock that this thread holds for writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_rwlock_wrunlock(rwlock: *mut uv_rwlock_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_rwlock_unlock(rwlock) });
}
