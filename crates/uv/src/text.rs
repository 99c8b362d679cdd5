//! Strings that are returned in a buffer of the program.
//!
//! libuv's convention: `*size` is the size of the buffer before the call, and the length of the string without its NUL after it. If
//! the buffer is too small the result is `ENOBUFS`, and `*size` becomes the required size including the NUL.
//!
//! # Safety
//! A buffer has the size that is passed with it.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};

use phasor_sys::Errno;

/// True if the buffer is NULL or empty, which is `EINVAL`.
///
/// # Safety
/// `size` is NULL or readable.
pub(crate) unsafe fn is_invalid(buffer: *const c_char, size: *const usize) -> bool {
    // SAFETY: guaranteed by the caller.
    buffer.is_null() || size.is_null() || unsafe { *size } == 0
}

/// Copies a string to the buffer.
///
/// # Safety
/// `buffer` has `*size` bytes. Neither is NULL.
pub(crate) unsafe fn copy_out(text: &CStr, buffer: *mut c_char, size: *mut usize) -> c_int {
    let bytes = text.to_bytes_with_nul();
    // SAFETY: guaranteed by the caller; the length was checked. `copy` allows overlap: the text may be in C memory that
    // overlaps the buffer.
    unsafe {
        if bytes.len() > *size {
            *size = bytes.len();
            return -Errno::ENOBUFS.raw();
        }
        std::ptr::copy(bytes.as_ptr().cast(), buffer, bytes.len());
        *size = bytes.len() - 1;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nul_must_fit() {
        let mut buffer = [b'x' as c_char; 6];
        for (capacity, status, expected) in [(1, -libc::ENOBUFS, 6), (5, -libc::ENOBUFS, 6), (6, 0, 5)] {
            let mut size = capacity;
            // SAFETY: the buffer has at least this size.
            assert_eq!((unsafe { copy_out(c"hello", buffer.as_mut_ptr(), &mut size) }, size), (status, expected));
        }
        assert_eq!(buffer.map(|byte| byte as u8), *b"hello\0");
    }

    #[test]
    fn null_and_empty_buffers_are_invalid() {
        let buffer = [0; 1];
        // SAFETY: the sizes are readable or NULL.
        unsafe {
            assert!(is_invalid(std::ptr::null(), &1) && is_invalid(buffer.as_ptr(), &0));
            assert!(is_invalid(buffer.as_ptr(), std::ptr::null()) && !is_invalid(buffer.as_ptr(), &1));
        }
    }
}
