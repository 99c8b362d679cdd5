//! Functions common to all handle types.
//!
//! # Safety
//! The contract of `access` holds: handle pointers are live and their `type` field is correct.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use phasor_core::{Errno, HandleId, Loop, Result};

use crate::front_end::C;
use crate::layout::*;
use crate::{access, asyncs, pipe, stream, udp};

/// The size of a handle type; `SIZE_MAX` for an unknown type.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_handle_size(kind: uv_handle_type) -> usize {
    match kind {
        UV_ASYNC => size_of::<uv_async_t>(),
        UV_CHECK => size_of::<uv_check_t>(),
        UV_FS_EVENT => size_of::<uv_fs_event_t>(),
        UV_FS_POLL => size_of::<uv_fs_poll_t>(),
        UV_HANDLE => size_of::<uv_handle_t>(),
        UV_IDLE => size_of::<uv_idle_t>(),
        UV_NAMED_PIPE => size_of::<uv_pipe_t>(),
        UV_POLL => size_of::<uv_poll_t>(),
        UV_PREPARE => size_of::<uv_prepare_t>(),
        UV_PROCESS => size_of::<uv_process_t>(),
        UV_STREAM => size_of::<uv_stream_t>(),
        UV_TCP => size_of::<uv_tcp_t>(),
        UV_TIMER => size_of::<uv_timer_t>(),
        UV_TTY => size_of::<uv_tty_t>(),
        UV_UDP => size_of::<uv_udp_t>(),
        UV_SIGNAL => size_of::<uv_signal_t>(),
        _ => usize::MAX,
    }
}

/// The name of a handle type; NULL for an unknown type.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_handle_type_name(kind: uv_handle_type) -> *const c_char {
    match kind {
        UV_ASYNC => c"async".as_ptr(),
        UV_CHECK => c"check".as_ptr(),
        UV_FS_EVENT => c"fs_event".as_ptr(),
        UV_FS_POLL => c"fs_poll".as_ptr(),
        UV_HANDLE => c"handle".as_ptr(),
        UV_IDLE => c"idle".as_ptr(),
        UV_NAMED_PIPE => c"pipe".as_ptr(),
        UV_POLL => c"poll".as_ptr(),
        UV_PREPARE => c"prepare".as_ptr(),
        UV_PROCESS => c"process".as_ptr(),
        UV_STREAM => c"stream".as_ptr(),
        UV_TCP => c"tcp".as_ptr(),
        UV_TIMER => c"timer".as_ptr(),
        UV_TTY => c"tty".as_ptr(),
        UV_UDP => c"udp".as_ptr(),
        UV_SIGNAL => c"signal".as_ptr(),
        UV_FILE => c"file".as_ptr(),
        _ => ptr::null(),
    }
}

/// The type of a handle.
///
/// # Safety
/// `handle` points to an initialised handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_handle_get_type(handle: *const uv_handle_t) -> uv_handle_type {
    // SAFETY: guaranteed by the caller.
    unsafe { (*handle).type_ }
}

/// The user data of a handle.
///
/// # Safety
/// `handle` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_handle_get_data(handle: *const uv_handle_t) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    unsafe { (*handle).data }
}

/// Sets the user data of a handle.
///
/// # Safety
/// `handle` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_handle_set_data(handle: *mut uv_handle_t, data: *mut c_void) {
    // SAFETY: guaranteed by the caller.
    unsafe { (*handle).data = data }
}

/// The loop of a handle.
///
/// # Safety
/// `handle` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_handle_get_loop(handle: *const uv_handle_t) -> *mut uv_loop_t {
    // SAFETY: guaranteed by the caller.
    unsafe { (*handle).loop_ }
}

/// Whether a handle is active.
///
/// # Safety
/// `handle` is an initialised handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_is_active(handle: *const uv_handle_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    let active = unsafe { access::with_handle(handle, |core, id| Ok(core.is_active(id))) };
    c_int::from(active.unwrap_or(false))
}

/// Whether a handle is closing or closed.
///
/// # Safety
/// `handle` is an initialised handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_is_closing(handle: *const uv_handle_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    c_int::from(unsafe { (*handle).flags } & (flag::CLOSING | flag::CLOSED) != 0)
}

/// Closes a handle. `close_cb` is called in the closing phase; the program may free the memory from then on.
///
/// # Safety
/// `handle` is an initialised handle that is not closing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_close(handle: *mut uv_handle_t, close_cb: uv_close_cb) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // libuv asserts that the handle is not closing. Continuing would call a callback twice; returning is harmless.
        if (*handle).flags & (flag::CLOSING | flag::CLOSED) != 0 {
            return;
        }
        (*handle).close_cb = close_cb;
        (*handle).flags = ((*handle).flags | flag::CLOSING) & !flag::ACTIVE;
        if (*handle).type_ == UV_ASYNC {
            asyncs::retire(handle.cast());
        }
        // The core only fails for an id that it does not know.
        let _ = access::with_handle(handle, |core, id| core.close(id));
        match (*handle).type_ {
            UV_TCP | UV_NAMED_PIPE | UV_TTY => stream::sync_closing(handle.cast()),
            UV_UDP => udp::sync_closing(handle.cast()),
            UV_SIGNAL => (*handle.cast::<uv_signal_t>()).signum = 0,
            _ => {}
        }
    }
}

/// Frees the memory that a closed handle has allocated for fields that the program can read.
///
/// # Safety
/// `handle` is a handle whose close callback is about to be called.
#[inline]
pub(crate) unsafe fn release(handle: *mut uv_handle_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match (*handle).type_ {
            UV_NAMED_PIPE => pipe::release(handle.cast()),
            UV_UDP => udp::release(handle.cast()),
            _ => {}
        }
    }
}

/// References a handle: it keeps its loop alive while it is active. A new handle is referenced.
///
/// # Safety
/// `handle` is an initialised handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_ref(handle: *mut uv_handle_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let _ = access::with_handle(handle, |core, id| core.set_ref(id, true));
        (*handle).flags |= flag::REF;
    }
}

/// Unreferences a handle.
///
/// # Safety
/// `handle` is an initialised handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_unref(handle: *mut uv_handle_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let _ = access::with_handle(handle, |core, id| core.set_ref(id, false));
        (*handle).flags &= !flag::REF;
    }
}

/// Whether a handle is referenced.
///
/// # Safety
/// `handle` is an initialised handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_has_ref(handle: *const uv_handle_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    c_int::from(unsafe { (*handle).flags } & flag::REF != 0)
}

/// The descriptor of a TCP, pipe, TTY, UDP or poll handle.
///
/// # Safety
/// `handle` is an initialised handle, `fd` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_fileno(handle: *const uv_handle_t, fd: *mut uv_os_fd_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match access::with_handle(handle, |core, id| core.fileno(id)) {
            Ok(raw) => {
                *fd = raw;
                0
            }
            Err(errno) => -errno.raw(),
        }
    }
}

/// Reads (if `*value` is 0) or sets the size of the kernel's send buffer.
///
/// # Safety
/// `handle` is an initialised handle, `value` is NULL, or readable and writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_send_buffer_size(handle: *mut uv_handle_t, value: *mut c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { buffer_size(handle, value, Loop::send_buffer_size, Loop::set_send_buffer_size) }
}

/// Reads (if `*value` is 0) or sets the size of the kernel's receive buffer.
///
/// # Safety
/// `handle` is an initialised handle, `value` is NULL, or readable and writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_recv_buffer_size(handle: *mut uv_handle_t, value: *mut c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { buffer_size(handle, value, Loop::recv_buffer_size, Loop::set_recv_buffer_size) }
}

/// # Safety
/// The requirements of [`uv_send_buffer_size`].
unsafe fn buffer_size(
    handle: *mut uv_handle_t,
    value: *mut c_int,
    get: impl FnOnce(&Loop<C>, HandleId) -> Result<usize>,
    set: impl FnOnce(&mut Loop<C>, HandleId, u32) -> Result<()>,
) -> c_int {
    if handle.is_null() || value.is_null() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        let requested = *value;
        let done = access::with_handle(handle, |core, id| {
            if requested == 0 {
                get(core, id).map(|size| size as c_int)
            } else {
                set(core, id, requested as u32).map(|()| requested)
            }
        });
        match done {
            Ok(size) => {
                *value = size;
                0
            }
            Err(errno) => -errno.raw(),
        }
    }
}
