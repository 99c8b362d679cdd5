//! The machine: host name, kernel version, uptime, load average.
//!
//! # Safety
//! Output pointers are writable; a buffer has the size that is passed with it.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};

use phasor_sys::{Errno, os};

use crate::layout::uv_utsname_t;
use crate::text;

/// The host name.
///
/// # Safety
/// `buffer` has `*size` bytes; if either is NULL the result is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_gethostname(buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if text::is_invalid(buffer, size) {
            return -Errno::EINVAL.raw();
        }
        text::copy_out(&os::uname().nodename, buffer, size)
    }
}

/// The name and version of the kernel.
///
/// # Safety
/// `buffer` is writable, or NULL, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_os_uname(buffer: *mut uv_utsname_t) -> c_int {
    if buffer.is_null() {
        return -Errno::EINVAL.raw();
    }
    let names = os::uname();
    // SAFETY: guaranteed by the caller.
    unsafe {
        (*buffer).sysname = field(&names.sysname);
        (*buffer).release = field(&names.release);
        (*buffer).version = field(&names.version);
        (*buffer).machine = field(&names.machine);
    }
    0
}

/// Copies a name into a zero-filled field. The kernel's names have at most 64 bytes.
fn field(name: &CStr) -> [c_char; 256] {
    let mut field = [0; 256];
    for (place, byte) in field.iter_mut().zip(name.to_bytes().iter().take(255)) {
        *place = *byte as c_char;
    }
    field
}

/// Seconds since boot.
///
/// # Safety
/// `uptime` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_uptime(uptime: *mut f64) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { *uptime = os::uptime_s() };
    0
}

/// The load average over one, five and fifteen minutes.
///
/// # Safety
/// `avg` has three elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_loadavg(avg: *mut f64) {
    // SAFETY: guaranteed by the caller; three `double`s have the layout of an array.
    unsafe { avg.cast::<[f64; 3]>().write(os::loadavg()) };
}
