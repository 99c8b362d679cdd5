//! Threads, locks and related primitives: those of the C library, under libuv's names.
//!
//! The types are the C library's types, so each function calls one function of it. As in libuv, a function that cannot
//! fail in a correct program (lock, post, destroy) has no return value, so it aborts the process on a failure.
//!
//! # Safety
//! A pointer points to a live object of its type, which was initialised and not destroyed. A pointer that is passed to
//! an initialising function points to memory of that size. These modules keep no pointer and create no reference.

pub mod barrier;
pub mod condition;
pub mod key;
pub mod mutex;
pub mod once;
pub mod rwlock;
pub mod schedule;
pub mod semaphore;
pub mod thread;

use std::ffi::c_int;

use phasor_sys::Errno;

/// Aborts the process if a call of the C library has failed.
fn abort_on_error(status: c_int) {
    if status != 0 {
        std::process::abort();
    }
}

/// The result of a `trylock` call: 0, or `EBUSY` if another thread holds the lock.
fn try_status(status: c_int) -> c_int {
    match status {
        0 => 0,
        libc::EBUSY | libc::EAGAIN => -Errno::EBUSY.raw(),
        _ => std::process::abort(),
    }
}

#[cfg(test)]
mod tests;
