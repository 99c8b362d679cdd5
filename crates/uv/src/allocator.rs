//! The allocator of `uv_replace_allocator`. It allocates the memory that the program frees or that libuv would allocate with it; the
//! internal state of this library uses Rust's global allocator.
//!
//! # Safety
//! The four functions belong together: a block is freed by the allocator that it came from. As libuv's manual requires
//! (`uv_replace_allocator`), a program replaces them before this library allocates anything.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use phasor_core::Errno;

use crate::layout::{uv_calloc_func, uv_free_func, uv_malloc_func, uv_realloc_func};

/// The replacement of `malloc`. NULL means the function of the C library. The other three statics work in the same way.
static MALLOC: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static REALLOC: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static CALLOC: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static FREE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Replaces the allocator. `EINVAL` if one of the four functions is NULL.
///
/// # Safety
/// The four functions behave like those of the C library; this library has not allocated anything yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_replace_allocator(
    malloc: uv_malloc_func,
    realloc: uv_realloc_func,
    calloc: uv_calloc_func,
    free: uv_free_func,
) -> c_int {
    let (Some(malloc), Some(realloc), Some(calloc), Some(free)) = (malloc, realloc, calloc, free) else {
        return -Errno::EINVAL.raw();
    };
    MALLOC.store(malloc as *mut c_void, Ordering::Relaxed);
    REALLOC.store(realloc as *mut c_void, Ordering::Relaxed);
    CALLOC.store(calloc as *mut c_void, Ordering::Relaxed);
    FREE.store(free as *mut c_void, Ordering::Relaxed);
    0
}

/// Allocates `size` bytes; NULL if there is no memory.
pub(crate) fn malloc(size: usize) -> *mut c_void {
    // SAFETY: the stored pointer is NULL or came from such a function; `Option` of a function pointer has the size of a pointer.
    unsafe {
        match transmute::<*mut c_void, uv_malloc_func>(MALLOC.load(Ordering::Relaxed)) {
            Some(malloc) => malloc(size),
            None => libc::malloc(size),
        }
    }
}

/// Allocates zeroed memory for `count` elements; NULL if there is not enough.
pub fn calloc(count: usize, size: usize) -> *mut c_void {
    // SAFETY: as in `malloc`.
    unsafe {
        match transmute::<*mut c_void, uv_calloc_func>(CALLOC.load(Ordering::Relaxed)) {
            Some(calloc) => calloc(count, size),
            None => libc::calloc(count, size),
        }
    }
}

/// Resizes a block, which may move; NULL if there is no memory.
///
/// # Safety
/// `block` is NULL or from this allocator; it is not used again unless this returns NULL.
pub unsafe fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: as in `malloc`, and guaranteed by the caller.
    unsafe {
        match transmute::<*mut c_void, uv_realloc_func>(REALLOC.load(Ordering::Relaxed)) {
            Some(realloc) => realloc(block, size),
            None => libc::realloc(block, size),
        }
    }
}

/// Frees a block and preserves `errno` (`src/uv-common.c: uv__free`).
///
/// # Safety
/// `block` is NULL or from this allocator, and is not used again.
pub(crate) unsafe fn free(block: *mut c_void) {
    // SAFETY: as in `malloc`, and guaranteed by the caller.
    unsafe {
        let errno = *libc::__errno_location();
        match transmute::<*mut c_void, uv_free_func>(FREE.load(Ordering::Relaxed)) {
            Some(free) => free(block),
            None => libc::free(block),
        }
        *libc::__errno_location() = errno;
    }
}

/// A copy of a string; NULL if there is no memory.
pub(crate) fn string(text: &CStr) -> *mut c_char {
    let bytes = text.to_bytes_with_nul();
    let copy = malloc(bytes.len()).cast::<c_char>();
    if !copy.is_null() {
        // SAFETY: the block is new and has the length of the string with its NUL.
        unsafe { ptr::copy_nonoverlapping(text.as_ptr(), copy, bytes.len()) };
    }
    copy
}
