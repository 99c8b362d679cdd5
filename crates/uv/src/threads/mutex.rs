//! Mutual exclusion. See the head of [`threads`](super) for what C owes.
//!
//! # Safety
//! Each function passes the pointer on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::mem::MaybeUninit;

use super::{must, tried};
use crate::layout::uv_mutex_t;

/// Makes a mutex. As libuv, one that notices a thread which locks it twice in builds with assertions only.
///
/// # Safety
/// `mutex` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_init(mutex: *mut uv_mutex_t) -> c_int {
    if cfg!(debug_assertions) {
        // SAFETY: the caller's promise.
        unsafe { init(mutex, libc::PTHREAD_MUTEX_ERRORCHECK) }
    } else {
        // SAFETY: the caller's promise; no attributes are the usual ones.
        -unsafe { libc::pthread_mutex_init(mutex, std::ptr::null()) }
    }
}

/// Makes a mutex that its holder may lock again.
///
/// # Safety
/// `mutex` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_init_recursive(mutex: *mut uv_mutex_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { init(mutex, libc::PTHREAD_MUTEX_RECURSIVE) }
}

/// # Safety
/// `mutex` points to memory for one.
unsafe fn init(mutex: *mut uv_mutex_t, kind: c_int) -> c_int {
    let mut attributes = MaybeUninit::<libc::pthread_mutexattr_t>::uninit();
    let attributes = attributes.as_mut_ptr();
    // SAFETY: the attributes are made before they are used and destroyed after; the caller's promise for the mutex.
    unsafe {
        must(libc::pthread_mutexattr_init(attributes));
        must(libc::pthread_mutexattr_settype(attributes, kind));
        let status = libc::pthread_mutex_init(mutex, attributes);
        must(libc::pthread_mutexattr_destroy(attributes));
        -status
    }
}

/// Ends a mutex that nobody holds.
///
/// # Safety
/// `mutex` points to a mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_destroy(mutex: *mut uv_mutex_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_mutex_destroy(mutex) });
}

/// Waits for the mutex and takes it.
///
/// # Safety
/// `mutex` points to a mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_lock(mutex: *mut uv_mutex_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_mutex_lock(mutex) });
}

/// Takes the mutex, or says `EBUSY`.
///
/// # Safety
/// `mutex` points to a mutex.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_trylock(mutex: *mut uv_mutex_t) -> c_int {
    // SAFETY: the caller's promise.
    tried(unsafe { libc::pthread_mutex_trylock(mutex) })
}

/// Gives the mutex back.
///
/// # Safety
/// `mutex` points to a mutex that this thread holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_mutex_unlock(mutex: *mut uv_mutex_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_mutex_unlock(mutex) });
}
