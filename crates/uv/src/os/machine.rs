//! The machine: its names, its age, its load.
//!
//! # Safety
//! A pointer may be written; a buffer is as long as its size says.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};

use phasor_sys::{Errno, os};

use crate::layout::uv_utsname_t;
use crate::text;

/// The host's name.
///
/// # Safety
/// `buffer` has `*size` bytes; either may be null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_gethostname(buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        if text::is_unusable(buffer, size) {
            return -Errno::EINVAL.raw();
        }
        text::give(&os::uname().nodename, buffer, size)
    }
}

/// The kernel's names.
///
/// # Safety
/// `buffer` may be written, or is null, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_uname(buffer: *mut uv_utsname_t) -> c_int {
    if buffer.is_null() {
        return -Errno::EINVAL.raw();
    }
    let names = os::uname();
    // SAFETY: the caller's promise.
    unsafe {
        (*buffer).sysname = field(&names.sysname);
        (*buffer).release = field(&names.release);
        (*buffer).version = field(&names.version);
        (*buffer).machine = field(&names.machine);
    }
    0
}

/// A name in its field. The kernel's have 64 bytes at most.
fn field(name: &CStr) -> [c_char; 256] {
    let mut field = [0; 256];
    for (place, byte) in field.iter_mut().zip(name.to_bytes().iter().take(255)) {
        *place = *byte as c_char;
    }
    field
}

/// Seconds since the machine started.
///
/// # Safety
/// `uptime` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_uptime(uptime: *mut f64) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { *uptime = os::uptime_s() };
    0
}

/// The load over one, five and fifteen minutes.
///
/// # Safety
/// `avg` has room for three.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loadavg(avg: *mut f64) {
    // SAFETY: the caller's promise; an array of three has their layout.
    unsafe { avg.cast::<[f64; 3]>().write(os::loadavg()) };
}
