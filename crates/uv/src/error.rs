//! Names and messages of errors: `uv_err_name`, `uv_strerror` and their `_r` variants.
//!
//! # Safety
//! A buffer of the program has the size that is passed with it.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};
use std::fmt::Write;

use phasor_core::Errno;

use crate::allocator;

/// The errno of a libuv error code. Only negative numbers are error codes, and libuv has none for `ECHILD` (`UV_ERRNO_MAP`).
fn errno_of(number: c_int) -> Option<Errno> {
    number.checked_neg().filter(|&raw| raw > 0).map(Errno::from_raw).filter(|&errno| errno != Errno::ECHILD)
}

/// A writer that truncates like `snprintf` and always leaves room for the NUL. It has a raw pointer, since the
/// program's buffer may be uninitialised.
struct Truncated {
    at: *mut u8,
    /// The number of free bytes, including the byte for the NUL.
    left_bytes: usize,
}

impl Write for Truncated {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let fits = text.len().min(self.left_bytes - 1);
        // SAFETY: the caller of `write_truncated` guarantees this many bytes, the last of which is reserved for the
        // NUL.
        unsafe {
            self.at.copy_from_nonoverlapping(text.as_ptr(), fits);
            self.at = self.at.add(fits);
            *self.at = 0;
        }
        self.left_bytes -= fits;
        Ok(())
    }
}

/// # Safety
/// `buf` has `buflen` bytes.
unsafe fn write_truncated(buf: *mut c_char, buflen: usize, text: std::fmt::Arguments<'_>) -> *mut c_char {
    if !buf.is_null() && buflen > 0 {
        // `write_str` never fails.
        let _ = Truncated { at: buf.cast(), left_bytes: buflen }.write_fmt(text);
    }
    buf
}

/// The string for an unknown error code, which is never freed (`src/uv-common.c: uv__unknown_err_code`).
fn unknown_code(number: c_int) -> *const c_char {
    let text = CString::new(format!("Unknown system error {number}")).unwrap_or_default();
    let copy = allocator::string(&text);
    if copy.is_null() { c"Unknown system error".as_ptr() } else { copy }
}

/// The name of an error, such as `ENOENT`.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_err_name(number: c_int) -> *const c_char {
    errno_of(number).and_then(Errno::c_name).map_or_else(|| unknown_code(number), CStr::as_ptr)
}

/// The message of an error, such as `no such file or directory`.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_strerror(number: c_int) -> *const c_char {
    errno_of(number).and_then(Errno::c_message).map_or_else(|| unknown_code(number), CStr::as_ptr)
}

/// Writes the name of an error (see [`uv_err_name`]) to `buf`, and returns `buf`.
///
/// # Safety
/// `buf` has `buflen` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_err_name_r(number: c_int, buf: *mut c_char, buflen: usize) -> *mut c_char {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match errno_of(number).and_then(Errno::name) {
            Some(name) => write_truncated(buf, buflen, format_args!("{name}")),
            None => write_truncated(buf, buflen, format_args!("Unknown system error {number}")),
        }
    }
}

/// Writes the message of an error (see [`uv_strerror`]) to `buf`, and returns `buf`.
///
/// # Safety
/// `buf` has `buflen` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_strerror_r(number: c_int, buf: *mut c_char, buflen: usize) -> *mut c_char {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match errno_of(number).and_then(Errno::message) {
            Some(message) => write_truncated(buf, buflen, format_args!("{message}")),
            None => write_truncated(buf, buflen, format_args!("Unknown system error {number}")),
        }
    }
}

/// The libuv error code of a system errno (`src/unix/core.c: uv_translate_sys_error`).
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_translate_sys_error(number: c_int) -> c_int {
    if number <= 0 { number } else { -number }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(pointer: *const c_char) -> String {
        // SAFETY: the functions return C strings.
        unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
    }

    #[test]
    fn known_codes_have_names_and_unknown_ones_contain_their_number() {
        assert_eq!(text(uv_err_name(-2)), "ENOENT");
        assert_eq!(text(uv_strerror(-4095)), "end of file");
        for number in [0, 2, -10, -100_000, i32::MIN] {
            assert_eq!(text(uv_strerror(number)), format!("Unknown system error {number}"));
            assert_eq!(text(uv_err_name(number)), format!("Unknown system error {number}"));
        }
    }

    #[test]
    fn a_small_buffer_gets_a_truncated_text_and_a_nul() {
        let mut buf = [b'x' as c_char; 8];
        // SAFETY: the buffer is longer than 4 bytes.
        unsafe { uv_err_name_r(-2, buf.as_mut_ptr(), 4) };
        assert_eq!(text(buf.as_ptr()), "ENO");
        // SAFETY: the length is that of the buffer.
        unsafe { uv_strerror_r(-2, buf.as_mut_ptr(), buf.len()) };
        assert_eq!(text(buf.as_ptr()), "no such");
        // SAFETY: with a length of 0 nothing is written.
        unsafe { uv_strerror_r(-2, buf.as_mut_ptr(), 0) };
        assert_eq!(text(buf.as_ptr()), "no such");
    }
}
