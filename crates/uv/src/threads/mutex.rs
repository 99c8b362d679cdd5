//! Mutexes. [`threads`](super) states the contract.
//!
//! # Safety
//! Each function passes the pointer on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::mem::MaybeUninit;

use super::{abort_on_error, try_status};
use crate::layout::uv_mutex_t;

/// Initialises a mutex. As in libuv, only a debug build detects that a thread locks the mutex twice
/// (`src/unix/thread.c: uv_mutex_init`).
///
/// # Safety
/// `mutex` points to memory for a mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_init(mutex: *mut uv_mutex_t) -> c_int {
    if cfg!(debug_assertions) {
        // SAFETY: guaranteed by the caller.
        unsafe { init(mutex, libc::PTHREAD_MUTEX_ERRORCHECK) }
    } else {
        // SAFETY: guaranteed by the caller; NULL means default attributes.
        -unsafe { libc::pthread_mutex_init(mutex, std::ptr::null()) }
    }
}

/// Initialises a mutex that its owner may lock again.
///
/// # Safety
/// `mutex` points to memory for a mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_init_recursive(mutex: *mut uv_mutex_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { init(mutex, libc::PTHREAD_MUTEX_RECURSIVE) }
}

/// # Safety
/// `mutex` points to memory for a mutex.
unsafe fn init(mutex: *mut uv_mutex_t, kind: c_int) -> c_int {
    let mut attributes = MaybeUninit::<libc::pthread_mutexattr_t>::uninit();
    let attributes = attributes.as_mut_ptr();
    // SAFETY: guaranteed by the caller; the attributes are initialised before their use and destroyed after it.
    unsafe {
        abort_on_error(libc::pthread_mutexattr_init(attributes));
        abort_on_error(libc::pthread_mutexattr_settype(attributes, kind));
        let status = libc::pthread_mutex_init(mutex, attributes);
        abort_on_error(libc::pthread_mutexattr_destroy(attributes));
        -status
    }
}

/// Destroys a mutex that no thread holds.
///
/// # Safety
/// `mutex` points to a mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_destroy(mutex: *mut uv_mutex_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_mutex_destroy(mutex) });
}

/// Locks the mutex. Waits while another thread holds it.
///
/// # Safety
/// `mutex` points to a mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_lock(mutex: *mut uv_mutex_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_mutex_lock(mutex) });
}

/// Locks the mutex. Returns `EBUSY` if another thread holds it.
///
/// # Safety
/// `mutex` points to a mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_trylock(mutex: *mut uv_mutex_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    try_status(unsafe { libc::pthread_mutex_trylock(mutex) })
}

/// Unlocks the mutex.
///
/// # Safety
/// `mutex` points to a mutex that this thread holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_unlock(mutex: *mut uv_mutex_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_mutex_unlock(mutex) });
}
