//! TTY handles.
//!
//! # Safety
//! The contract of `access` holds: handle pointers are live and of the declared type.
#![allow(unsafe_code)]

use std::ffi::c_int;

use phasor_core::{Errno, TtyMode, tty_reset_mode};

use crate::layout::{
    UV_TTY, UV_TTY_MODE_NORMAL, flag, uv_file, uv_loop_t, uv_tty_mode_t, uv_tty_t, uv_tty_vtermstate_t,
};
use crate::{access, recording, stream};

/// Initialises a handle for a terminal's descriptor.
///
/// # Safety
/// `lp` is an initialised loop, `handle` points to memory for a TTY handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tty_init(lp: *mut uv_loop_t, handle: *mut uv_tty_t, fd: uv_file, _unused: c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let status = stream::open(lp, handle.cast(), UV_TTY, |core, face| core.tty_open(fd, face));
        if status == 0 {
            (*handle).mode = UV_TTY_MODE_NORMAL as c_int;
            if access::with_handle(handle, |core, id| Ok(core.tty_blocks(id))) == Ok(true) {
                (*handle).stream.handle.flags |= flag::BLOCKING_WRITES;
            }
            recording::describe(handle);
        }
        status
    }
}

/// Sets the terminal mode (normal, raw, binary).
///
/// # Safety
/// `handle` is an initialised TTY handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tty_set_mode(handle: *mut uv_tty_t, mode: uv_tty_mode_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let set = access::with_handle(handle, |core, id| core.tty_set_mode(id, TtyMode::from_raw(mode as i32)?));
        if set.is_ok() {
            (*handle).mode = mode as c_int;
        }
        access::status(set)
    }
}

/// Restores the terminal mode that was active before the first change. Callable from a signal handler.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_tty_reset_mode() -> c_int {
    access::status(tty_reset_mode())
}

/// The size of the terminal's window.
///
/// # Safety
/// `handle` is an initialised TTY handle, `width` and `height` are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tty_get_winsize(handle: *mut uv_tty_t, width: *mut c_int, height: *mut c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let size = access::with_handle(handle, |core, id| core.tty_window_size(id));
        if let Ok((columns, rows)) = size {
            *width = c_int::from(columns);
            *height = c_int::from(rows);
        }
        access::status(size.map(|_| ()))
    }
}

/// Does nothing: this function only has an effect on Windows.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_tty_set_vterm_state(_state: uv_tty_vtermstate_t) {}

/// Returns `ENOTSUP`: this function only has an effect on Windows.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_tty_get_vterm_state(_state: *mut uv_tty_vtermstate_t) -> c_int {
    -Errno::ENOTSUP.raw()
}
