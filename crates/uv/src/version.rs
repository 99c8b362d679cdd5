//! Which libuv this is: the one whose interface is kept.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_uint};

/// 1.53.0, as `UV_VERSION_HEX`.
const HEX: c_uint = (1 << 16) | (53 << 8);

/// libuv's version, as one number.
///
/// # Safety
/// None is needed.
#[unsafe(no_mangle)]
pub extern "C" fn uv_version() -> c_uint {
    HEX
}

/// libuv's version, as text.
///
/// # Safety
/// None is needed.
#[unsafe(no_mangle)]
pub extern "C" fn uv_version_string() -> *const c_char {
    c"1.53.0".as_ptr()
}
