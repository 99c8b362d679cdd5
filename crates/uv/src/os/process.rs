//! Processes by number: this one, its parent, their priorities, signals for them.
//!
//! # Safety
//! A pointer may be written.
#![allow(unsafe_code)]

use std::ffi::c_int;

use phasor_sys::{Errno, os, spawn};

use crate::door::status;
use crate::layout::uv_pid_t;

/// This process.
#[unsafe(no_mangle)]
pub extern "C" fn uv_os_getpid() -> uv_pid_t {
    // SAFETY: nothing is needed for it. The C library's, since the standard library's is unsigned.
    unsafe { libc::getpid() }
}

/// Its parent.
#[unsafe(no_mangle)]
pub extern "C" fn uv_os_getppid() -> uv_pid_t {
    // SAFETY: nothing is needed for it.
    unsafe { libc::getppid() }
}

/// A process's priority; 0 is this one.
///
/// # Safety
/// `priority` may be written, or is null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_getpriority(pid: uv_pid_t, priority: *mut c_int) -> c_int {
    if priority.is_null() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: the caller's promise.
    status(os::priority(pid).map(|found| unsafe { *priority = found }))
}

/// Sets a process's priority; 0 is this one.
#[unsafe(no_mangle)]
pub extern "C" fn uv_os_setpriority(pid: uv_pid_t, priority: c_int) -> c_int {
    status(os::set_priority(pid, priority))
}

/// Sends a signal; 0 only asks whether that could be done.
#[unsafe(no_mangle)]
pub extern "C" fn uv_kill(pid: c_int, signum: c_int) -> c_int {
    status(spawn::kill(pid, signum))
}

/// Keeps what is open from the programs that are started from now on.
#[unsafe(no_mangle)]
pub extern "C" fn uv_disable_stdio_inheritance() {
    spawn::disable_stdio_inheritance();
}
