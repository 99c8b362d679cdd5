//! Threads, locks and what belongs to them: the C library's own, under libuv's names.
//!
//! The types *are* the C library's, so every function is one call of it. As in libuv: what cannot fail in a right program
//! (locking, posting, destroying) ends the process if it does, since there is nobody to tell.
//!
//! # Safety
//! A pointer that C gives must point to a live object of its type: one that was initialised and not destroyed, except for
//! the functions that initialise. Nothing here keeps a pointer or makes a reference of one.

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

/// Ends the process unless a call of the C library went well.
fn must(status: c_int) {
    if status != 0 {
        std::process::abort();
    }
}

/// What a lock that was only tried says: 0, or `EBUSY` if another has it.
fn tried(status: c_int) -> c_int {
    match status {
        0 => 0,
        libc::EBUSY | libc::EAGAIN => -Errno::EBUSY.raw(),
        _ => std::process::abort(),
    }
}

#[cfg(test)]
mod tests;
