//! The allocator that a program may replace, and what is allocated with it: memory that is handed to the program, or taken
//! over from it. What the library keeps for itself is Rust's.
//!
//! # Safety
//! The four functions belong together: a block is given back to the allocator it is from. As libuv asks, they are replaced
//! before anything is allocated.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use phasor_core::Errno;

use crate::layout::{uv_calloc_func, uv_free_func, uv_malloc_func, uv_realloc_func};

/// NULL stands for the C library's.
static MALLOC: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static REALLOC: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static CALLOC: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static FREE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Replaces the allocator. `EINVAL` if one of the four is missing.
///
/// # Safety
/// The four do what their names say, together; nothing of this library's has been allocated yet.
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

/// So many bytes, or NULL.
pub(crate) fn malloc(size: usize) -> *mut c_void {
    // SAFETY: what is stored is NULL or was given as such a function; an `Option` of one has a pointer's shape.
    unsafe {
        match transmute::<*mut c_void, uv_malloc_func>(MALLOC.load(Ordering::Relaxed)) {
            Some(malloc) => malloc(size),
            None => libc::malloc(size),
        }
    }
}

/// So many zeroed bytes, or NULL.
pub fn calloc(count: usize, size: usize) -> *mut c_void {
    // SAFETY: as in `malloc`.
    unsafe {
        match transmute::<*mut c_void, uv_calloc_func>(CALLOC.load(Ordering::Relaxed)) {
            Some(calloc) => calloc(count, size),
            None => libc::calloc(count, size),
        }
    }
}

/// The block with another size, perhaps at another place, or NULL.
///
/// # Safety
/// `block` is NULL or from this allocator; it is not used again unless this returns NULL.
pub unsafe fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: as in `malloc`, and the caller's promise.
    unsafe {
        match transmute::<*mut c_void, uv_realloc_func>(REALLOC.load(Ordering::Relaxed)) {
            Some(realloc) => realloc(block, size),
            None => libc::realloc(block, size),
        }
    }
}

/// Gives a block back. As `uv__free`: `errno` stays as it was.
///
/// # Safety
/// `block` is NULL or from this allocator, and is not used again.
pub(crate) unsafe fn free(block: *mut c_void) {
    // SAFETY: as in `malloc`, and the caller's promise.
    unsafe {
        let errno = *libc::__errno_location();
        match transmute::<*mut c_void, uv_free_func>(FREE.load(Ordering::Relaxed)) {
            Some(free) => free(block),
            None => libc::free(block),
        }
        *libc::__errno_location() = errno;
    }
}

/// A copy of a string, or NULL.
pub(crate) fn string(text: &CStr) -> *mut c_char {
    let bytes = text.to_bytes_with_nul();
    let copy = malloc(bytes.len()).cast::<c_char>();
    if !copy.is_null() {
        // SAFETY: the block is new and has room for as many.
        unsafe { ptr::copy_nonoverlapping(text.as_ptr(), copy, bytes.len()) };
    }
    copy
}
