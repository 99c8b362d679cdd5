//! Semaphores. See the head of [`threads`](super) for what C owes.
//!
//! libuv has semaphores of its own for C libraries older than this one can run on; they are not here.
//!
//! # Safety
//! Each function passes the pointer on to the C library's function of the same name.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use phasor_sys::Errno;

use super::must;
use crate::layout::uv_sem_t;

/// Makes a semaphore with a count.
///
/// # Safety
/// `sem` points to memory for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_sem_init(sem: *mut uv_sem_t, value: c_uint) -> c_int {
    // SAFETY: the caller's promise.
    if unsafe { libc::sem_init(sem, 0, value) } == 0 { 0 } else { -Errno::last().raw() }
}

/// Ends a semaphore that nobody waits for.
///
/// # Safety
/// `sem` points to a semaphore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_sem_destroy(sem: *mut uv_sem_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::sem_destroy(sem) });
}

/// Adds one.
///
/// # Safety
/// `sem` points to a semaphore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_sem_post(sem: *mut uv_sem_t) {
    // SAFETY: the caller's promise.
    must(unsafe { libc::sem_post(sem) });
}

/// Waits until there is one, and takes it.
///
/// # Safety
/// `sem` points to a semaphore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_sem_wait(sem: *mut uv_sem_t) {
    // SAFETY: the caller's promise.
    while unsafe { libc::sem_wait(sem) } != 0 {
        if Errno::last() != Errno::EINTR {
            std::process::abort();
        }
    }
}

/// Takes one, or says `EAGAIN`.
///
/// # Safety
/// `sem` points to a semaphore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_sem_trywait(sem: *mut uv_sem_t) -> c_int {
    // SAFETY: the caller's promise.
    while unsafe { libc::sem_trywait(sem) } != 0 {
        match Errno::last() {
            Errno::EINTR => {}
            Errno::EAGAIN => return -Errno::EAGAIN.raw(),
            _ => std::process::abort(),
        }
    }
    0
}
