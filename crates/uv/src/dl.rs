//! Functions for shared libraries: `uv_dlopen`, `uv_dlsym`, `uv_dlerror`, `uv_dlclose`.
//!
//! # Safety
//! A `uv_lib_t` is valid during the call, and was passed to `uv_dlopen` before any other function. Its message is allocated with
//! the replaceable allocator, and freed by the next failure or by `uv_dlclose`.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};

use crate::allocator;
use crate::layout::uv_lib_t;

/// Opens a library. A NULL name means the program itself.
///
/// # Safety
/// `filename` is NULL or a C string; `lib` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_dlopen(filename: *const c_char, lib: *mut uv_lib_t) -> c_int {
    // SAFETY: guaranteed by the caller. The first `dlerror` clears an earlier message.
    unsafe {
        libc::dlerror();
        (*lib).errmsg = std::ptr::null_mut();
        (*lib).handle = libc::dlopen(filename, libc::RTLD_LAZY);
        if (*lib).handle.is_null() { store_message(lib) } else { 0 }
    }
}

/// Closes a library and frees its message. Also valid after a failed [`uv_dlopen`].
///
/// # Safety
/// `lib` points to a library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_dlclose(lib: *mut uv_lib_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        allocator::free((*lib).errmsg.cast());
        (*lib).errmsg = std::ptr::null_mut();
        if !(*lib).handle.is_null() {
            libc::dlclose((*lib).handle);
            (*lib).handle = std::ptr::null_mut();
        }
    }
}

/// Looks up a symbol. A symbol whose address is NULL is found too: the error is in `dlerror`, not in the address.
///
/// # Safety
/// `lib` points to a library, `name` is a C string, `ptr` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_dlsym(lib: *mut uv_lib_t, name: *const c_char, ptr: *mut *mut c_void) -> c_int {
    // SAFETY: guaranteed by the caller. The first `dlerror` clears an earlier message.
    unsafe {
        libc::dlerror();
        let found = libc::dlsym((*lib).handle, name);
        *ptr = found;
        if found.is_null() { store_message(lib) } else { 0 }
    }
}

/// The message of the last failure.
///
/// # Safety
/// `lib` points to a library; the message is valid until the next call on it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_dlerror(lib: *const uv_lib_t) -> *const c_char {
    // SAFETY: guaranteed by the caller.
    let message = unsafe { (*lib).errmsg };
    if message.is_null() { c"no error".as_ptr() } else { message }
}

/// Stores a copy of the message of `dlerror`. Returns -1 if there is one, else 0.
///
/// # Safety
/// `lib` points to a library.
unsafe fn store_message(lib: *mut uv_lib_t) -> c_int {
    // SAFETY: guaranteed by the caller; the message is copied before the next call of the C library.
    unsafe {
        allocator::free((*lib).errmsg.cast());
        let message = libc::dlerror();
        (*lib).errmsg =
            if message.is_null() { std::ptr::null_mut() } else { allocator::string(CStr::from_ptr(message)) };
        if message.is_null() { 0 } else { -1 }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use super::*;

    #[test]
    fn messages_live_until_the_next_and_are_freed() {
        let mut lib = uv_lib_t { handle: std::ptr::null_mut(), errmsg: std::ptr::null_mut() };
        let mut found = std::ptr::null_mut();
        // SAFETY: `lib` and the symbol are locals, and the names are C strings.
        unsafe {
            let message = |lib: &uv_lib_t| CString::from(CStr::from_ptr(uv_dlerror(lib)));
            assert_eq!(uv_dlopen(c"/no/such/library".as_ptr(), &mut lib), -1);
            assert!(message(&lib).to_string_lossy().contains("/no/such/library"));
            uv_dlclose(&mut lib);
            assert_eq!(message(&lib).as_c_str(), c"no error");
            assert_eq!(uv_dlopen(std::ptr::null(), &mut lib), 0);
            assert_eq!(uv_dlsym(&mut lib, c"there_is_no_such_name".as_ptr(), &mut found), -1);
            assert!(found.is_null() && message(&lib).to_string_lossy().contains("there_is_no_such_name"));
            assert_eq!(uv_dlsym(&mut lib, c"malloc".as_ptr(), &mut found), 0);
            assert!(!found.is_null());
            uv_dlclose(&mut lib);
            uv_dlclose(&mut lib);
        }
    }
}
