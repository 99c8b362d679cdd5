//! Threads: their start, end, identity and name. See the head of [`threads`](super) for what C owes.
//!
//! # Safety
//! Pointers are passed on to the C library or read and written once. A thread runs C's function on C's argument; what they
//! demand is C's business.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;

use phasor_sys::{Errno, process};

use super::must;
use crate::layout::{UV_THREAD_HAS_STACK_SIZE, UV_THREAD_NO_FLAGS, uv_thread_cb, uv_thread_options_t, uv_thread_t};

/// What the kernel keeps of a thread's name, with the nul at its end.
const NAME_BYTES: usize = 16;

/// Starts a thread with the usual stack.
///
/// # Safety
/// `tid` points to memory for one; `entry` may be called on another thread with `arg`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_create(tid: *mut uv_thread_t, entry: uv_thread_cb, arg: *mut c_void) -> c_int {
    let options = uv_thread_options_t { flags: UV_THREAD_NO_FLAGS, stack_size: 0 };
    // SAFETY: the caller's promise.
    unsafe { uv_thread_create_ex(tid, &options, entry, arg) }
}

/// Starts a thread.
///
/// # Safety
/// As [`uv_thread_create`]; `params` points to options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_create_ex(
    tid: *mut uv_thread_t,
    params: *const uv_thread_options_t,
    entry: uv_thread_cb,
    arg: *mut c_void,
) -> c_int {
    let Some(entry) = entry else { return -Errno::EINVAL.raw() };
    // SAFETY: the caller's promise.
    let options = unsafe { *params };
    let asked = if options.flags & UV_THREAD_HAS_STACK_SIZE != 0 { options.stack_size } else { 0 };
    let stack_bytes = if asked == 0 { usual_stack_bytes() } else { whole_stack_bytes(asked) };
    // SAFETY: the C library throws the result away, since `uv_thread_join` does not ask for it; returning nothing where a
    // pointer is expected is harmless in the calling conventions of every system that has libuv, which does the same.
    let entry: extern "C" fn(*mut c_void) -> *mut c_void = unsafe { std::mem::transmute(entry) };
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let attributes = attributes.as_mut_ptr();
    // SAFETY: the attributes are made before they are used and destroyed after; the caller's promise for the rest.
    unsafe {
        must(libc::pthread_attr_init(attributes));
        must(libc::pthread_attr_setstacksize(attributes, stack_bytes));
        let status = libc::pthread_create(tid, attributes, entry, arg);
        libc::pthread_attr_destroy(attributes);
        -status
    }
}

/// As `uv__thread_stack_size`: what the main thread may have, in whole pages, or 2 MiB if that is no use.
fn usual_stack_bytes() -> usize {
    const USUAL: usize = 2 << 20;
    let limit = process::stack_limit_bytes().map(|bytes| bytes - bytes % process::page_bytes() as usize);
    limit.filter(|bytes| *bytes >= least_stack_bytes()).unwrap_or(USUAL)
}

/// Whole pages, and not too few of them. As in libuv, a size near the end of all numbers wraps round to the least.
fn whole_stack_bytes(asked: usize) -> usize {
    let page = process::page_bytes() as usize;
    (asked.wrapping_add(page - 1) & !(page - 1)).max(least_stack_bytes())
}

/// The least that the C library takes and a signal needs.
fn least_stack_bytes() -> usize {
    // SAFETY: takes a number and gives one.
    let least = unsafe { libc::sysconf(libc::_SC_THREAD_STACK_MIN) };
    usize::try_from(least).unwrap_or(0).max(8192)
}

/// Lets a thread end without anybody waiting for it.
///
/// # Safety
/// `tid` points to a thread that was not joined or detached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_detach(tid: *mut uv_thread_t) -> c_int {
    // SAFETY: the caller's promise.
    -unsafe { libc::pthread_detach(*tid) }
}

/// Waits for a thread's end.
///
/// # Safety
/// `tid` points to a thread that was not joined or detached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_join(tid: *mut uv_thread_t) -> c_int {
    // SAFETY: the caller's promise.
    -unsafe { libc::pthread_join(*tid, std::ptr::null_mut()) }
}

/// The thread that asks.
#[unsafe(no_mangle)]
pub extern "C" fn uv_thread_self() -> uv_thread_t {
    // SAFETY: nothing is needed for it.
    unsafe { libc::pthread_self() }
}

/// Whether two are one.
///
/// # Safety
/// Both point to threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_equal(t1: *const uv_thread_t, t2: *const uv_thread_t) -> c_int {
    // SAFETY: the caller's promise.
    c_int::from(unsafe { *t1 == *t2 })
}

/// Names the thread that asks. Only 15 bytes are kept.
///
/// # Safety
/// `name` is null, which is `EINVAL`, or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_setname(name: *const c_char) -> c_int {
    if name.is_null() {
        return -Errno::EINVAL.raw();
    }
    let mut kept = [0; NAME_BYTES];
    // SAFETY: the caller's promise; the last byte of the copy stays 0. The copy lives through the second call.
    unsafe {
        libc::strncpy(kept.as_mut_ptr(), name, NAME_BYTES - 1);
        -libc::pthread_setname_np(libc::pthread_self(), kept.as_ptr())
    }
}

/// A thread's name, cut to the buffer, whose rest becomes zeros.
///
/// # Safety
/// `tid` points to a thread that has not ended; `name` is null, which is `EINVAL`, or a buffer of `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_getname(tid: *mut uv_thread_t, name: *mut c_char, size: usize) -> c_int {
    if name.is_null() || size == 0 {
        return -Errno::EINVAL.raw();
    }
    let mut kept = [0; NAME_BYTES];
    // SAFETY: the caller's promise, and a buffer of the size that is given.
    let status = unsafe { libc::pthread_getname_np(*tid, kept.as_mut_ptr(), NAME_BYTES) };
    if status != 0 {
        return -status;
    }
    // SAFETY: the caller's promise: at most `size - 1` bytes and one more are written.
    unsafe {
        libc::strncpy(name, kept.as_ptr(), size - 1);
        *name.add(size - 1) = 0;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_whole_pages_and_large_enough() {
        let page = process::page_bytes() as usize;
        for asked in [1, 8192, 8193, 1 << 20, (1 << 20) + 1, usize::MAX, usize::MAX - page] {
            let bytes = whole_stack_bytes(asked);
            assert!(bytes.is_multiple_of(page) && bytes >= least_stack_bytes(), "{asked} became {bytes}");
        }
        assert!(usual_stack_bytes().is_multiple_of(page));
    }

    #[test]
    fn names_are_cut_and_padded() {
        let thread = std::thread::spawn(|| {
            let mut tid = uv_thread_self();
            let mut name = [b'x' as c_char; 24];
            // SAFETY: C strings, and buffers of their sizes.
            unsafe {
                assert_eq!(uv_thread_setname(c"a name that is too long".as_ptr()), 0);
                assert_eq!(uv_thread_getname(&mut tid, name.as_mut_ptr(), name.len()), 0);
                assert_eq!(name.map(|byte| byte as u8), *b"a name that is \0\0\0\0\0\0\0\0\0");
                assert_eq!(uv_thread_getname(&mut tid, name.as_mut_ptr(), 3), 0);
                assert_eq!(name[..4].iter().map(|byte| *byte as u8).collect::<Vec<_>>(), b"a \0a");
                assert_eq!(uv_thread_getname(&mut tid, name.as_mut_ptr(), 0), -libc::EINVAL);
                assert_eq!(uv_thread_getname(&mut tid, std::ptr::null_mut(), 3), -libc::EINVAL);
                assert_eq!(uv_thread_setname(std::ptr::null()), -libc::EINVAL);
            }
        });
        thread.join().expect("all as expected");
    }
}
