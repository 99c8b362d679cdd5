//! Process ids, priorities, and signals to other processes.
//!
//! # Safety
//! Output pointers are writable.
#![allow(unsafe_code)]

use std::ffi::c_int;

use phasor_sys::{Errno, os, spawn};

use crate::access::status;
use crate::layout::uv_pid_t;

/// The id of this process.
#[unsafe(no_mangle)]
pub extern "C" fn uv_os_getpid() -> uv_pid_t {
    // SAFETY: `getpid` has no preconditions. `std::process::id` returns an unsigned id, but libuv's type is signed.
    unsafe { libc::getpid() }
}

/// The id of the parent process.
#[unsafe(no_mangle)]
pub extern "C" fn uv_os_getppid() -> uv_pid_t {
    // SAFETY: `getppid` has no preconditions.
    unsafe { libc::getppid() }
}

/// The priority (nice value) of a process; pid 0 is this process.
///
/// # Safety
/// `priority` is writable, or NULL, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_getpriority(pid: uv_pid_t, priority: *mut c_int) -> c_int {
    if priority.is_null() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    status(os::priority(pid).map(|found| unsafe { *priority = found }))
}

/// Sets the priority (nice value) of a process; pid 0 is this process.
#[unsafe(no_mangle)]
pub extern "C" fn uv_os_setpriority(pid: uv_pid_t, priority: c_int) -> c_int {
    status(os::set_priority(pid, priority))
}

/// Sends a signal. Signal 0 only checks that the process exists and may be signalled.
#[unsafe(no_mangle)]
pub extern "C" fn uv_kill(pid: c_int, signum: c_int) -> c_int {
    status(spawn::kill(pid, signum))
}

/// Sets close-on-exec on the descriptors that the process has inherited, so that its children do not inherit them.
#[unsafe(no_mangle)]
pub extern "C" fn uv_disable_stdio_inheritance() {
    spawn::disable_stdio_inheritance();
}
