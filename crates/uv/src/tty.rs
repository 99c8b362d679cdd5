//! Terminals.
//!
//! # Safety
//! The promises of `door` hold: handles are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use std::ffi::c_int;

use phasor_core::{Errno, TtyMode, tty_reset_mode};

use crate::layout::{
    UV_TTY, UV_TTY_MODE_NORMAL, flag, uv_file, uv_loop_t, uv_tty_mode_t, uv_tty_t, uv_tty_vtermstate_t,
};
use crate::{door, stream};

/// Initialises a handle for a terminal.
///
/// # Safety
/// `lp` is an initialised loop, `handle` has room for a tty handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tty_init(lp: *mut uv_loop_t, handle: *mut uv_tty_t, fd: uv_file, _unused: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let status = stream::open(lp, handle.cast(), UV_TTY, |core, face| core.tty_open(fd, face));
        if status == 0 {
            (*handle).mode = UV_TTY_MODE_NORMAL as c_int;
            if door::with_handle(handle, |core, id| Ok(core.tty_blocks(id))) == Ok(true) {
                (*handle).stream.handle.flags |= flag::BLOCKING_WRITES;
            }
        }
        status
    }
}

/// Changes how the terminal treats what goes through it.
///
/// # Safety
/// `handle` is an initialised tty handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tty_set_mode(handle: *mut uv_tty_t, mode: uv_tty_mode_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let set = door::with_handle(handle, |core, id| core.tty_set_mode(id, TtyMode::from_raw(mode as i32)?));
        if set.is_ok() {
            (*handle).mode = mode as c_int;
        }
        door::status(set)
    }
}

/// Puts the terminal back as it was found. From a signal handler too.
///
/// # Safety
/// None is needed.
#[unsafe(no_mangle)]
pub extern "C" fn uv_tty_reset_mode() -> c_int {
    door::status(tty_reset_mode())
}

/// The size of the terminal's window.
///
/// # Safety
/// `handle` is an initialised tty handle, `width` and `height` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tty_get_winsize(handle: *mut uv_tty_t, width: *mut c_int, height: *mut c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let size = door::with_handle(handle, |core, id| core.tty_window_size(id));
        if let Ok((columns, rows)) = size {
            *width = c_int::from(columns);
            *height = c_int::from(rows);
        }
        door::status(size.map(|_| ()))
    }
}

/// Matters to Windows alone.
///
/// # Safety
/// None is needed.
#[unsafe(no_mangle)]
pub extern "C" fn uv_tty_set_vterm_state(_state: uv_tty_vtermstate_t) {}

/// Matters to Windows alone: `ENOTSUP`.
///
/// # Safety
/// None is needed.
#[unsafe(no_mangle)]
pub extern "C" fn uv_tty_get_vterm_state(_state: *mut uv_tty_vtermstate_t) -> c_int {
    -Errno::ENOTSUP.raw()
}
