//! Environment variables, accessed through the C library.
//!
//! These functions do not use the standard library: C programs change the environment without its lock, and `std::env`
//! does not accept a name that begins with an equals sign.
//!
//! # Safety
//! The rule of C applies: while a thread changes the environment, no other thread reads it. Strings are C strings; a
//! value is copied before the call returns.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};

use phasor_sys::Errno;

use crate::layout::uv_env_item_t;
use crate::{allocator, text};

unsafe extern "C" {
    /// The array of variables, terminated by NULL. The pointer itself is NULL after `clearenv`.
    static mut environ: *mut *mut c_char;
}

/// A variable's value.
///
/// # Safety
/// The value points into the environment, and is valid until the environment changes.
pub(super) unsafe fn variable<'a>(name: *const c_char) -> Option<&'a CStr> {
    // SAFETY: see the head of this file.
    unsafe {
        let value = libc::getenv(name);
        (!value.is_null()).then(|| CStr::from_ptr(value))
    }
}

/// All environment variables. Entries without an equals sign are skipped.
///
/// # Safety
/// Both pointers are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_environ(envitems: *mut *mut uv_env_item_t, count: *mut c_int) -> c_int {
    // SAFETY: guaranteed by the caller; the array is read up to its NULL, and `items` has as many elements.
    unsafe {
        *envitems = std::ptr::null_mut();
        *count = 0;
        let mut entries = 0;
        while !environ.is_null() && !(*environ.add(entries)).is_null() {
            entries += 1;
        }
        // The array has at least one item: `calloc(0)` may return NULL, which would look like an error.
        let items: *mut uv_env_item_t = allocator::calloc(entries.max(1), size_of::<uv_env_item_t>()).cast();
        if items.is_null() {
            return -Errno::ENOMEM.raw();
        }
        let mut kept = 0;
        for entry in 0..entries {
            let Some(sign) = CStr::from_ptr(*environ.add(entry)).to_bytes().iter().position(|byte| *byte == b'=')
            else {
                continue;
            };
            let name = allocator::string(CStr::from_ptr(*environ.add(entry)));
            if name.is_null() {
                uv_os_free_environ(items, kept);
                return -Errno::ENOMEM.raw();
            }
            *name.add(sign) = 0;
            *items.add(kept as usize) = uv_env_item_t { name, value: name.add(sign + 1) };
            kept += 1;
        }
        *envitems = items;
        *count = kept;
    }
    0
}

/// Frees the array of [`uv_os_environ`].
///
/// # Safety
/// The array is from [`uv_os_environ`], or NULL with a count of 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_free_environ(envitems: *mut uv_env_item_t, count: c_int) {
    // SAFETY: guaranteed by the caller. A value is in the same block as its name.
    unsafe {
        for item in 0..usize::try_from(count).unwrap_or(0) {
            allocator::free((*envitems.add(item)).name.cast());
        }
        allocator::free(envitems.cast());
    }
}

/// The value of an environment variable, or `ENOENT`.
///
/// # Safety
/// `name` is a C string, `buffer` has `*size` bytes; if any is NULL the result is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_getenv(name: *const c_char, buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if name.is_null() || text::is_invalid(buffer, size) {
            return -Errno::EINVAL.raw();
        }
        match variable(name) {
            Some(value) => text::copy_out(value, buffer, size),
            None => -Errno::ENOENT.raw(),
        }
    }
}

/// Sets an environment variable.
///
/// # Safety
/// Both are C strings; if either is NULL the result is `EINVAL`. No other thread reads or changes the environment
/// during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_setenv(name: *const c_char, value: *const c_char) -> c_int {
    if name.is_null() || value.is_null() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    if unsafe { libc::setenv(name, value, 1) } == 0 { 0 } else { -Errno::last().raw() }
}

/// Removes an environment variable.
///
/// # Safety
/// `name` is a C string, or NULL, which is `EINVAL`. No other thread reads or changes the environment during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_unsetenv(name: *const c_char) -> c_int {
    if name.is_null() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    if unsafe { libc::unsetenv(name) } == 0 { 0 } else { -Errno::last().raw() }
}
