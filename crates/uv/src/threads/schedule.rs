//! Thread affinity and priority. [`threads`](super) states the contract.
//!
//! # Safety
//! A CPU mask is an array with one byte per processor; its length is checked before it is accessed. `cpu_set_t` and `sched_param` are
//! plain old data.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};

use phasor_sys::{Errno, os};

use crate::access::status;
use crate::layout::{UV_THREAD_PRIORITY_HIGHEST, UV_THREAD_PRIORITY_LOWEST, uv_thread_t};

/// The number of bytes in a CPU mask.
#[unsafe(no_mangle)]
pub extern "C" fn uv_cpumask_size() -> c_int {
    libc::CPU_SETSIZE
}

/// Sets the processors that a thread may run on. The previous mask is stored in `oldmask` unless that is NULL.
///
/// # Safety
/// `tid` points to a running thread, the masks to `mask_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_setaffinity(
    tid: *mut uv_thread_t,
    cpumask: *mut c_char,
    oldmask: *mut c_char,
    mask_size: usize,
) -> c_int {
    if mask_size < libc::CPU_SETSIZE as usize {
        return -Errno::EINVAL.raw();
    }
    if !oldmask.is_null() {
        // SAFETY: guaranteed by the caller.
        let status = unsafe { uv_thread_getaffinity(tid, oldmask, mask_size) };
        if status < 0 {
            return status;
        }
    }
    // SAFETY: guaranteed by the caller; all zeros is the empty set; the length of the mask was checked.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        for cpu in 0..libc::CPU_SETSIZE as usize {
            if *cpumask.add(cpu) != 0 {
                libc::CPU_SET(cpu, &mut set);
            }
        }
        -libc::pthread_setaffinity_np(*tid, size_of_val(&set), &set)
    }
}

/// The processors that a thread may run on.
///
/// # Safety
/// `tid` points to a running thread, the mask to `mask_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_getaffinity(tid: *mut uv_thread_t, cpumask: *mut c_char, mask_size: usize) -> c_int {
    if mask_size < libc::CPU_SETSIZE as usize {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller; all zeros is the empty set; the length of the mask was checked.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let status = libc::pthread_getaffinity_np(*tid, size_of_val(&set), &mut set);
        if status != 0 {
            return -status;
        }
        for cpu in 0..libc::CPU_SETSIZE as usize {
            *cpumask.add(cpu) = c_char::from(libc::CPU_ISSET(cpu, &set));
        }
    }
    0
}

/// The processor that the calling thread runs on.
#[unsafe(no_mangle)]
pub extern "C" fn uv_thread_getcpu() -> c_int {
    // SAFETY: `sched_getcpu` has no preconditions.
    let cpu = unsafe { libc::sched_getcpu() };
    if cpu < 0 { -Errno::last().raw() } else { cpu }
}

/// The scheduling policy of a thread, and its parameters.
///
/// # Safety
/// `tid` is a running thread.
unsafe fn schedule(tid: uv_thread_t) -> Result<(c_int, libc::sched_param), c_int> {
    let mut policy = 0;
    // SAFETY: plain old data, for which all zeros is valid.
    let mut param: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: guaranteed by the caller; both locals are writable.
    match unsafe { libc::pthread_getschedparam(tid, &mut policy, &mut param) } {
        0 => Ok((policy, param)),
        status => Err(-status),
    }
}

/// The kernel's id of a thread, if it is the calling thread and has the policy `SCHED_OTHER`. Such a thread has a nice value instead
/// of a priority (`src/unix/core.c: uv_thread_getpriority`), and the kernel's id of another thread is unknown.
fn nice_thread(tid: uv_thread_t, policy: c_int) -> Option<libc::pid_t> {
    // SAFETY: neither function has preconditions.
    unsafe { (policy == libc::SCHED_OTHER && tid == libc::pthread_self()).then(|| libc::gettid()) }
}

/// The priority of a thread, or its nice value if its policy is `SCHED_OTHER`.
///
/// # Safety
/// `tid` is a running thread; `priority` is writable, or NULL, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_getpriority(tid: uv_thread_t, priority: *mut c_int) -> c_int {
    if priority.is_null() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    let (policy, param) = match unsafe { schedule(tid) } {
        Ok(found) => found,
        Err(status) => return status,
    };
    let found = match nice_thread(tid, policy) {
        Some(thread) => os::priority(thread),
        None => Ok(param.sched_priority),
    };
    // SAFETY: guaranteed by the caller.
    status(found.map(|found| unsafe { *priority = found }))
}

/// Sets the priority of a thread, from `UV_THREAD_PRIORITY_LOWEST` to `UV_THREAD_PRIORITY_HIGHEST`.
///
/// # Safety
/// `tid` is a running thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_setpriority(tid: uv_thread_t, priority: c_int) -> c_int {
    if !(UV_THREAD_PRIORITY_LOWEST..=UV_THREAD_PRIORITY_HIGHEST).contains(&priority) {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    let (policy, mut param) = match unsafe { schedule(tid) } {
        Ok(found) => found,
        Err(status) => return status,
    };
    if let Some(thread) = nice_thread(tid, policy) {
        return status(os::set_priority(thread, -2 * priority));
    }
    // SAFETY: the two functions have no preconditions.
    let (min, max) = unsafe { (libc::sched_get_priority_min(policy), libc::sched_get_priority_max(policy)) };
    if min == -1 || max == -1 {
        return -Errno::last().raw();
    }
    let target = min + (max - min) * (priority - UV_THREAD_PRIORITY_LOWEST) / 4;
    if param.sched_priority == target {
        return 0;
    }
    param.sched_priority = target;
    // SAFETY: guaranteed by the caller; the parameters outlive the call.
    -unsafe { libc::pthread_setschedparam(tid, policy, &param) }
}
