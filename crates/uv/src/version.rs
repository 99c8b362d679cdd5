//! The libuv version whose interface this library implements.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_uint};

/// `UV_VERSION_HEX` of libuv 1.53.0.
const HEX: c_uint = (1 << 16) | (53 << 8);

/// The version as a number.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_version() -> c_uint {
    HEX
}

/// The version as a string.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_version_string() -> *const c_char {
    c"1.53.0".as_ptr()
}
