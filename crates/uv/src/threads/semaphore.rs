//! Semaphores. [`threads`](super) states the contract.
//!
//! libuv has its own implementation for glibc before 2.21 (`src/unix/thread.c: platform_needs_custom_semaphore`); this
//! library has none.
//!
//! # Safety
//! Each function passes the pointer on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use phasor_sys::Errno;

use super::abort_on_error;
use crate::layout::uv_sem_t;

/// Initialises a semaphore.
///
/// # Safety
/// `sem` points to memory for a semaphore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_sem_init(sem: *mut uv_sem_t, value: c_uint) -> c_int {
    // SAFETY: guaranteed by the caller.
    if unsafe { libc::sem_init(sem, 0, value) } == 0 { 0 } else { -Errno::last().raw() }
}

/// Destroys a semaphore that no thread waits on.
///
/// # Safety
/// `sem` points to a semaphore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_sem_destroy(sem: *mut uv_sem_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::sem_destroy(sem) });
}

/// Increments the semaphore.
///
/// # Safety
/// `sem` points to a semaphore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_sem_post(sem: *mut uv_sem_t) {
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::sem_post(sem) });
}

/// Decrements the semaphore. Waits while its value is 0.
///
/// # Safety
/// `sem` points to a semaphore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_sem_wait(sem: *mut uv_sem_t) {
    // SAFETY: guaranteed by the caller.
    while unsafe { libc::sem_wait(sem) } != 0 {
        if Errno::last() != Errno::EINTR {
            std::process::abort();
        }
    }
}

/// Decrements the semaphore. Returns `EAGAIN` if its value is 0.
///
/// # Safety
/// `sem` points to a semaphore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_sem_trywait(sem: *mut uv_sem_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    while unsafe { libc::sem_trywait(sem) } != 0 {
        match Errno::last() {
            Errno::EINTR => {}
            Errno::EAGAIN => return -Errno::EAGAIN.raw(),
            _ => std::process::abort(),
        }
    }
    0
}
