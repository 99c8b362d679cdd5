//! Directories and the program's path.
//!
//! # Safety
//! A buffer is as long as its size says; strings are C strings; the environment is not changed meanwhile.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int};

use phasor_sys::{Errno, os, process};

use super::environment::{uv_os_getenv, variable};
use crate::door::status;
use crate::text;

/// Gives a path that had to be asked for, or its failure.
///
/// # Safety
/// `buffer` has `*size` bytes; neither is null.
unsafe fn give_path(path: phasor_sys::Result<CString>, buffer: *mut c_char, size: *mut usize) -> c_int {
    match path {
        // SAFETY: the caller's promise.
        Ok(path) => unsafe { text::give(&path, buffer, size) },
        Err(errno) => -errno.raw(),
    }
}

/// The directory that the process is in.
///
/// # Safety
/// `buffer` has `*size` bytes; either may be null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cwd(buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        if text::is_unusable(buffer, size) { -Errno::EINVAL.raw() } else { give_path(process::cwd(), buffer, size) }
    }
}

/// Goes to another directory.
///
/// # Safety
/// `dir` is a C string, or null, which is `EFAULT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_chdir(dir: *const c_char) -> c_int {
    if dir.is_null() {
        return -Errno::EFAULT.raw();
    }
    // SAFETY: the caller's promise.
    status(process::chdir(unsafe { CStr::from_ptr(dir) }))
}

/// The program's path, cut to the buffer.
///
/// # Safety
/// `buffer` has `*size` bytes; either may be null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_exepath(buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: the caller's promise; what is copied and its nul fit.
    unsafe {
        if text::is_unusable(buffer, size) {
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

/// The user's home: `HOME`, or what the password file says.
///
/// # Safety
/// `buffer` has `*size` bytes; either may be null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_homedir(buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: the caller's promise; past the first call neither is null.
    unsafe {
        match uv_os_getenv(c"HOME".as_ptr(), buffer, size) {
            status if status == -Errno::ENOENT.raw() => give_path(os::user().map(|user| user.home), buffer, size),
            status => status,
        }
    }
}

/// Where temporary files go: `TMPDIR`, `TMP`, `TEMP` or `TEMPDIR`, or `/tmp`; without a slash at its end.
///
/// # Safety
/// `buffer` has `*size` bytes; either may be null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_tmpdir(buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: the caller's promise; the text and its nul are in the buffer when its end is looked at.
    unsafe {
        if text::is_unusable(buffer, size) {
            return -Errno::EINVAL.raw();
        }
        let names = [c"TMPDIR", c"TMP", c"TEMP", c"TEMPDIR"];
        let found = names.into_iter().find_map(|name| variable(name.as_ptr()));
        let status = text::give(found.unwrap_or(c"/tmp"), buffer, size);
        // Only now: as in libuv the slash counts for the room that is needed.
        if status == 0 && *size > 1 && *buffer.add(*size - 1) == b'/' as c_char {
            *size -= 1;
            *buffer.add(*size) = 0;
        }
        status
    }
}
