//! The working directory, the home and temporary directories, and the path of the executable.
//!
//! # Safety
//! A buffer has the size that is passed with it; strings are C strings; no other thread changes the environment during a call.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};

use phasor_sys::{Errno, os, process};

use super::environment::{uv_os_getenv, variable};
use crate::access::status;
use crate::text;

/// Copies a path to the buffer, or returns the error of looking it up.
///
/// # Safety
/// `buffer` has `*size` bytes; neither is NULL.
unsafe fn copy_path(path: phasor_sys::Result<CString>, buffer: *mut c_char, size: *mut usize) -> c_int {
    match path {
        // SAFETY: guaranteed by the caller.
        Ok(path) => unsafe { text::copy_out(&path, buffer, size) },
        Err(errno) => -errno.raw(),
    }
}

/// The working directory of the process.
///
/// # Safety
/// `buffer` has `*size` bytes; if either is NULL the result is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cwd(buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if text::is_invalid(buffer, size) { -Errno::EINVAL.raw() } else { copy_path(process::cwd(), buffer, size) }
    }
}

/// Changes the working directory.
///
/// # Safety
/// `dir` is a C string, or NULL, which is `EFAULT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_chdir(dir: *const c_char) -> c_int {
    if dir.is_null() {
        return -Errno::EFAULT.raw();
    }
    // SAFETY: guaranteed by the caller.
    status(process::chdir(unsafe { CStr::from_ptr(dir) }))
}

/// The path of the executable, truncated to the buffer.
///
/// # Safety
/// `buffer` has `*size` bytes; if either is NULL the result is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_exepath(buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller; `kept` leaves a byte for the NUL.
    unsafe {
        if text::is_invalid(buffer, size) {
            return -Errno::EINVAL.raw();
        }
        let path = match process::exe_path() {
            Ok(path) => path,
            Err(errno) => return -errno.raw(),
        };
        let kept = path.to_bytes().len().min(*size - 1);
        std::ptr::copy_nonoverlapping(path.as_ptr(), buffer, kept);
        *buffer.add(kept) = 0;
        *size = kept;
    }
    0
}

/// The user's home directory: `HOME`, otherwise the directory in the password database.
///
/// # Safety
/// `buffer` has `*size` bytes; if either is NULL the result is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_homedir(buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller; `uv_os_getenv` has checked that neither is NULL.
    unsafe {
        match uv_os_getenv(c"HOME".as_ptr(), buffer, size) {
            status if status == -Errno::ENOENT.raw() => copy_path(os::user().map(|user| user.home), buffer, size),
            status => status,
        }
    }
}

/// The directory for temporary files: `TMPDIR`, `TMP`, `TEMP` or `TEMPDIR`, otherwise `/tmp`. A trailing slash is
/// removed.
///
/// # Safety
/// `buffer` has `*size` bytes; if either is NULL the result is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_tmpdir(buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller; the buffer holds the text and its NUL when its last character is read.
    unsafe {
        if text::is_invalid(buffer, size) {
            return -Errno::EINVAL.raw();
        }
        let names = [c"TMPDIR", c"TMP", c"TEMP", c"TEMPDIR"];
        let found = names.into_iter().find_map(|name| variable(name.as_ptr()));
        let status = text::copy_out(found.unwrap_or(c"/tmp"), buffer, size);
        // The slash is removed after the size check: in `src/unix/core.c: uv_os_tmpdir` the required size includes it.
        if status == 0 && *size > 1 && *buffer.add(*size - 1) == b'/' as c_char {
            *size -= 1;
            *buffer.add(*size) = 0;
        }
        status
    }
}
