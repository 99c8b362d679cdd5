//! Which processors a thread runs on, and before which others. See the head of [`threads`](super) for what C owes.
//!
//! # Safety
//! A mask is an array of bytes, one for each processor; its length is checked before it is read or written. The sets of
//! the C library are plain old data of ours.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};

use phasor_sys::{Errno, os};

use crate::door::status;
use crate::layout::{UV_THREAD_PRIORITY_HIGHEST, UV_THREAD_PRIORITY_LOWEST, uv_thread_t};

/// How many processors a mask has bytes for.
#[unsafe(no_mangle)]
pub extern "C" fn uv_cpumask_size() -> c_int {
    libc::CPU_SETSIZE
}

/// Sets which processors a thread may run on; the mask before goes into `oldmask` unless that is null.
///
/// # Safety
/// `tid` points to a thread that has not ended, the masks to `mask_size` bytes.
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
        // SAFETY: the caller's promise.
        let status = unsafe { uv_thread_getaffinity(tid, oldmask, mask_size) };
        if status < 0 {
            return status;
        }
    }
    // SAFETY: zeros are the empty set; the mask has a byte for each processor; the caller's promise for the thread.
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

/// Which processors a thread may run on.
///
/// # Safety
/// `tid` points to a thread that has not ended, the mask to `mask_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_getaffinity(tid: *mut uv_thread_t, cpumask: *mut c_char, mask_size: usize) -> c_int {
    if mask_size < libc::CPU_SETSIZE as usize {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: zeros are the empty set; the mask has a byte for each processor; the caller's promise for the thread.
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

/// The processor that this thread is on.
#[unsafe(no_mangle)]
pub extern "C" fn uv_thread_getcpu() -> c_int {
    // SAFETY: nothing is needed for it.
    let cpu = unsafe { libc::sched_getcpu() };
    if cpu < 0 { -Errno::last().raw() } else { cpu }
}

/// A thread's policy and its priority in it.
///
/// # Safety
/// `tid` is a thread that has not ended.
unsafe fn schedule(tid: uv_thread_t) -> Result<(c_int, libc::sched_param), c_int> {
    let mut policy = 0;
    // SAFETY: plain old data, for which zeros are a value.
    let mut param: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: the caller's promise; both are written.
    match unsafe { libc::pthread_getschedparam(tid, &mut policy, &mut param) } {
        0 => Ok((policy, param)),
        status => Err(-status),
    }
}

/// The kernel's number of this thread, if it is the one asked for and of the usual policy: such threads have no priority
/// but a nice value, and that of another thread cannot be found by its `tid`.
fn nice_thread(tid: uv_thread_t, policy: c_int) -> Option<libc::pid_t> {
    // SAFETY: nothing is needed for either.
    unsafe { (policy == libc::SCHED_OTHER && tid == libc::pthread_self()).then(|| libc::gettid()) }
}

/// A thread's priority; of one with the usual policy the nice value.
///
/// # Safety
/// `tid` is a thread that has not ended; `priority` is null, which is `EINVAL`, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_getpriority(tid: uv_thread_t, priority: *mut c_int) -> c_int {
    if priority.is_null() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: the caller's promise.
    let (policy, param) = match unsafe { schedule(tid) } {
        Ok(found) => found,
        Err(status) => return status,
    };
    let found = match nice_thread(tid, policy) {
        Some(thread) => os::priority(thread),
        None => Ok(param.sched_priority),
    };
    // SAFETY: the caller's promise.
    status(found.map(|found| unsafe { *priority = found }))
}

/// Sets a thread's priority, from `UV_THREAD_PRIORITY_LOWEST` to `UV_THREAD_PRIORITY_HIGHEST`.
///
/// # Safety
/// `tid` is a thread that has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_setpriority(tid: uv_thread_t, priority: c_int) -> c_int {
    if !(UV_THREAD_PRIORITY_LOWEST..=UV_THREAD_PRIORITY_HIGHEST).contains(&priority) {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: the caller's promise.
    let (policy, mut param) = match unsafe { schedule(tid) } {
        Ok(found) => found,
        Err(status) => return status,
    };
    if let Some(thread) = nice_thread(tid, policy) {
        return status(os::set_priority(thread, -2 * priority));
    }
    // SAFETY: these take a number and give one.
    let (least, most) = unsafe { (libc::sched_get_priority_min(policy), libc::sched_get_priority_max(policy)) };
    if least == -1 || most == -1 {
        return -Errno::last().raw();
    }
    let wanted = least + (most - least) * (priority - UV_THREAD_PRIORITY_LOWEST) / 4;
    if param.sched_priority == wanted {
        return 0;
    }
    param.sched_priority = wanted;
    // SAFETY: the caller's promise; the parameters outlive the call.
    -unsafe { libc::pthread_setschedparam(tid, policy, &param) }
}
