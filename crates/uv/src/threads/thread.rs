//! Threads: start, end, identity and name. [`threads`](super) states the contract.
//!
//! # Safety
//! Pointers are passed on to the C library, or read and written once. A thread calls the program's function with the program's
//! argument; the program has to make that valid.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;

use phasor_sys::{Errno, process};

use super::abort_on_error;
use crate::layout::{UV_THREAD_HAS_STACK_SIZE, UV_THREAD_NO_FLAGS, uv_thread_cb, uv_thread_options_t, uv_thread_t};

/// The size of a thread's name in the kernel, with its NUL.
const NAME_BYTES: usize = 16;

/// Starts a thread with default options.
///
/// # Safety
/// `tid` points to memory for a thread; `entry` may be called on another thread with `arg`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_create(tid: *mut uv_thread_t, entry: uv_thread_cb, arg: *mut c_void) -> c_int {
    let options = uv_thread_options_t { flags: UV_THREAD_NO_FLAGS, stack_size: 0 };
    // SAFETY: guaranteed by the caller.
    unsafe { uv_thread_create_ex(tid, &options, entry, arg) }
}

/// Starts a thread.
///
/// # Safety
/// The requirements of [`uv_thread_create`]; `params` points to options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_create_ex(
    tid: *mut uv_thread_t,
    params: *const uv_thread_options_t,
    entry: uv_thread_cb,
    arg: *mut c_void,
) -> c_int {
    let Some(entry) = entry else { return -Errno::EINVAL.raw() };
    // SAFETY: guaranteed by the caller.
    let options = unsafe { *params };
    let requested = if options.flags & UV_THREAD_HAS_STACK_SIZE != 0 { options.stack_size } else { 0 };
    let stack_bytes = if requested == 0 { default_stack_bytes() } else { rounded_stack_bytes(requested) };
    // SAFETY: `uv_thread_join` ignores the thread's result. Returning nothing where a pointer is expected is harmless in the calling
    // conventions of every supported system; libuv does the same (`src/unix/thread.c: uv_thread_create_ex`).
    let entry: extern "C" fn(*mut c_void) -> *mut c_void = unsafe { std::mem::transmute(entry) };
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let attributes = attributes.as_mut_ptr();
    // SAFETY: guaranteed by the caller; the attributes are initialised before their use and destroyed after it.
    unsafe {
        abort_on_error(libc::pthread_attr_init(attributes));
        abort_on_error(libc::pthread_attr_setstacksize(attributes, stack_bytes));
        let status = libc::pthread_create(tid, attributes, entry, arg);
        libc::pthread_attr_destroy(attributes);
        -status
    }
}

/// The stack limit of the process in whole pages, or 2 MiB if that is not usable (`src/unix/thread.c:
/// uv__thread_stack_size`).
fn default_stack_bytes() -> usize {
    const FALLBACK: usize = 2 << 20;
    let limit = process::stack_limit_bytes().map(|bytes| bytes - bytes % process::page_bytes() as usize);
    limit.filter(|bytes| *bytes >= min_stack_bytes()).unwrap_or(FALLBACK)
}

/// Rounds a stack size up to whole pages and to the minimum. As in libuv, a size near the maximum wraps around to the
/// minimum (`src/unix/thread.c: uv_thread_create_ex`).
fn rounded_stack_bytes(requested: usize) -> usize {
    let page = process::page_bytes() as usize;
    (requested.wrapping_add(page - 1) & !(page - 1)).max(min_stack_bytes())
}

/// The minimum stack size of the C library, but at least the size that a signal handler needs.
fn min_stack_bytes() -> usize {
    // SAFETY: `sysconf` has no preconditions.
    let min = unsafe { libc::sysconf(libc::_SC_THREAD_STACK_MIN) };
    usize::try_from(min).unwrap_or(0).max(8192)
}

/// Detaches a thread: its resources are freed when it ends.
///
/// # Safety
/// `tid` points to a thread that was not joined or detached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_detach(tid: *mut uv_thread_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    -unsafe { libc::pthread_detach(*tid) }
}

/// Waits for the end of a thread.
///
/// # Safety
/// `tid` points to a thread that was not joined or detached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_join(tid: *mut uv_thread_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    -unsafe { libc::pthread_join(*tid, std::ptr::null_mut()) }
}

/// The calling thread.
#[unsafe(no_mangle)]
pub extern "C" fn uv_thread_self() -> uv_thread_t {
    // SAFETY: `pthread_self` has no preconditions.
    unsafe { libc::pthread_self() }
}

/// Whether two thread ids belong to the same thread.
///
/// # Safety
/// Both pointers point to thread ids.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_equal(t1: *const uv_thread_t, t2: *const uv_thread_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    c_int::from(unsafe { *t1 == *t2 })
}

/// Sets the name of the calling thread, truncated to 15 bytes.
///
/// # Safety
/// `name` is a C string, or NULL, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_setname(name: *const c_char) -> c_int {
    if name.is_null() {
        return -Errno::EINVAL.raw();
    }
    let mut kept = [0; NAME_BYTES];
    // SAFETY: guaranteed by the caller; the last byte of the copy stays 0, and the copy outlives the second call.
    unsafe {
        libc::strncpy(kept.as_mut_ptr(), name, NAME_BYTES - 1);
        -libc::pthread_setname_np(libc::pthread_self(), kept.as_ptr())
    }
}

/// The name of a thread, truncated to the buffer, whose remaining bytes become zeros.
///
/// # Safety
/// `tid` points to a running thread; `name` is a buffer of `size` bytes, or NULL, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_thread_getname(tid: *mut uv_thread_t, name: *mut c_char, size: usize) -> c_int {
    if name.is_null() || size == 0 {
        return -Errno::EINVAL.raw();
    }
    let mut kept = [0; NAME_BYTES];
    // SAFETY: guaranteed by the caller; the length is that of the buffer.
    let status = unsafe { libc::pthread_getname_np(*tid, kept.as_mut_ptr(), NAME_BYTES) };
    if status != 0 {
        return -status;
    }
    // SAFETY: guaranteed by the caller; `strncpy` writes `size - 1` bytes, and the last byte is set after it.
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
        for requested in [1, 8192, 8193, 1 << 20, (1 << 20) + 1, usize::MAX, usize::MAX - page] {
            let bytes = rounded_stack_bytes(requested);
            assert!(bytes.is_multiple_of(page) && bytes >= min_stack_bytes(), "{requested} became {bytes}");
        }
        assert!(default_stack_bytes().is_multiple_of(page));
    }

    #[test]
    fn names_are_truncated_and_padded() {
        let thread = std::thread::spawn(|| {
            let mut tid = uv_thread_self();
            let mut name = [b'x' as c_char; 24];
            // SAFETY: the names are C strings, and the buffers are not shorter than the lengths that are passed.
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
