//! Texts that C asks for with a buffer and its size.
//!
//! The convention of libuv: the size is that of the buffer before and the length of the text, without its nul, after. A
//! buffer that is too small is `ENOBUFS`, and then the size is what is needed, with the nul.
//!
//! # Safety
//! A buffer is as long as its size says.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};

use phasor_sys::Errno;

/// Whether a buffer is null or has no room at all, which is `EINVAL`.
///
/// # Safety
/// `size` is null or may be read.
pub(crate) unsafe fn is_unusable(buffer: *const c_char, size: *const usize) -> bool {
    // SAFETY: the caller's promise.
    buffer.is_null() || size.is_null() || unsafe { *size } == 0
}

/// Gives a text in libuv's way.
///
/// # Safety
/// `buffer` has `*size` bytes. Neither is null.
pub(crate) unsafe fn give(text: &CStr, buffer: *mut c_char, size: *mut usize) -> c_int {
    let bytes = text.to_bytes_with_nul();
    // SAFETY: the caller's promise; the text and its nul fit. The text may lie where C wrote it, but not in the buffer.
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
    fn the_nul_has_to_fit() {
        let mut buffer = [b'x' as c_char; 6];
        for (room, status, told) in [(1, -libc::ENOBUFS, 6), (5, -libc::ENOBUFS, 6), (6, 0, 5)] {
            let mut size = room;
            // SAFETY: the buffer has at least that many bytes.
            assert_eq!((unsafe { give(c"hello", buffer.as_mut_ptr(), &mut size) }, size), (status, told));
        }
        assert_eq!(buffer.map(|byte| byte as u8), *b"hello\0");
    }

    #[test]
    fn no_room_is_unusable() {
        let buffer = [0; 1];
        // SAFETY: sizes that may be read, or null.
        unsafe {
            assert!(is_unusable(std::ptr::null(), &1) && is_unusable(buffer.as_ptr(), &0));
            assert!(is_unusable(buffer.as_ptr(), std::ptr::null()) && !is_unusable(buffer.as_ptr(), &1));
        }
    }
}
