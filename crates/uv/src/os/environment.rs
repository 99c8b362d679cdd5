//! The environment, as the C library has it.
//!
//! Not by the standard library's functions: C programs change the environment without its lock, and a name may begin with
//! an equals sign here.
//!
//! # Safety
//! As in C: whoever changes the environment owes that no other thread looks at it. Strings are C strings; what is
//! found is copied before the call ends.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};

use phasor_sys::Errno;

use crate::layout::uv_env_item_t;
use crate::{allocator, text};

unsafe extern "C" {
    /// The list, ended by a null; null itself after `clearenv`.
    static mut environ: *mut *mut c_char;
}

/// A variable's value.
///
/// # Safety
/// The value lies in the environment: it is good until that changes.
pub(super) unsafe fn variable<'a>(name: *const c_char) -> Option<&'a CStr> {
    // SAFETY: see the head of the file.
    unsafe {
        let value = libc::getenv(name);
        (!value.is_null()).then(|| CStr::from_ptr(value))
    }
}

/// All variables. Entries without an equals sign are left out.
///
/// # Safety
/// Both pointers may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_environ(envitems: *mut *mut uv_env_item_t, count: *mut c_int) -> c_int {
    // SAFETY: the caller's promise; the list is walked to its null, and the items are as many as its entries.
    unsafe {
        *envitems = std::ptr::null_mut();
        *count = 0;
        let mut entries = 0;
        while !environ.is_null() && !(*environ.add(entries)).is_null() {
            entries += 1;
        }
        // One item at least: an allocator may give null for none.
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

/// Frees what [`uv_os_environ`] gave.
///
/// # Safety
/// The items are what it gave, or null and none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_free_environ(envitems: *mut uv_env_item_t, count: c_int) {
    // SAFETY: the caller's promise. A value lies in the memory of its name.
    unsafe {
        for item in 0..usize::try_from(count).unwrap_or(0) {
            allocator::free((*envitems.add(item)).name.cast());
        }
        allocator::free(envitems.cast());
    }
}

/// A variable's value, or `ENOENT`.
///
/// # Safety
/// `name` is a C string, `buffer` has `*size` bytes; any may be null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_getenv(name: *const c_char, buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        if name.is_null() || text::is_unusable(buffer, size) {
            return -Errno::EINVAL.raw();
        }
        match variable(name) {
            Some(value) => text::give(value, buffer, size),
            None => -Errno::ENOENT.raw(),
        }
    }
}

/// Sets a variable.
///
/// # Safety
/// Both are C strings, or null, which is `EINVAL`; for threads see the head of the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_setenv(name: *const c_char, value: *const c_char) -> c_int {
    if name.is_null() || value.is_null() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: the caller's promise.
    if unsafe { libc::setenv(name, value, 1) } == 0 { 0 } else { -Errno::last().raw() }
}

/// Removes a variable.
///
/// # Safety
/// `name` is a C string, or null, which is `EINVAL`; for threads see the head of the file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_unsetenv(name: *const c_char) -> c_int {
    if name.is_null() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: the caller's promise.
    if unsafe { libc::unsetenv(name) } == 0 { 0 } else { -Errno::last().raw() }
}
