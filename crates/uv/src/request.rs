//! What all requests share.
//!
//! # Safety
//! The promises of `door` hold: requests are the program's, alive, and of the kind that they say.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use phasor_core::{Errno, RequestId};

use crate::door;
use crate::layout::*;

/// How large a request of a kind is; the largest number for what is no kind.
///
/// # Safety
/// None is needed.
#[unsafe(no_mangle)]
pub extern "C" fn uv_req_size(kind: uv_req_type) -> usize {
    match kind {
        UV_REQ => size_of::<uv_req_t>(),
        UV_CONNECT => size_of::<uv_connect_t>(),
        UV_WRITE => size_of::<uv_write_t>(),
        UV_SHUTDOWN => size_of::<uv_shutdown_t>(),
        UV_UDP_SEND => size_of::<uv_udp_send_t>(),
        UV_FS => size_of::<uv_fs_t>(),
        UV_WORK => size_of::<uv_work_t>(),
        UV_GETADDRINFO => size_of::<uv_getaddrinfo_t>(),
        UV_GETNAMEINFO => size_of::<uv_getnameinfo_t>(),
        UV_RANDOM => size_of::<uv_random_t>(),
        _ => usize::MAX,
    }
}

/// The name of a kind; NULL for what is none.
///
/// # Safety
/// None is needed.
#[unsafe(no_mangle)]
pub extern "C" fn uv_req_type_name(kind: uv_req_type) -> *const c_char {
    match kind {
        UV_REQ => c"req".as_ptr(),
        UV_CONNECT => c"connect".as_ptr(),
        UV_WRITE => c"write".as_ptr(),
        UV_SHUTDOWN => c"shutdown".as_ptr(),
        UV_UDP_SEND => c"udp_send".as_ptr(),
        UV_FS => c"fs".as_ptr(),
        UV_WORK => c"work".as_ptr(),
        UV_GETADDRINFO => c"getaddrinfo".as_ptr(),
        UV_GETNAMEINFO => c"getnameinfo".as_ptr(),
        UV_RANDOM => c"random".as_ptr(),
        _ => ptr::null(),
    }
}

/// The kind of a request.
///
/// # Safety
/// `req` is a request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_req_get_type(req: *const uv_req_t) -> uv_req_type {
    // SAFETY: the caller's promise.
    unsafe { (*req).type_ }
}

/// What the program hung on a request.
///
/// # Safety
/// `req` is a request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_req_get_data(req: *const uv_req_t) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { (*req).data }
}

/// Hangs something on a request.
///
/// # Safety
/// `req` is a request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_req_set_data(req: *mut uv_req_t, data: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { (*req).data = data }
}

/// Cancels a request that has not begun. `EBUSY` if it has, `EINVAL` if its kind cannot be cancelled.
///
/// # Safety
/// `req` is a request that was begun and whose callback has not returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cancel(req: *mut uv_req_t) -> c_int {
    // SAFETY: the caller's promise; the kind says which struct it is.
    unsafe {
        let lp = match (*req).type_ {
            UV_FS => (*req.cast::<uv_fs_t>()).loop_,
            UV_GETADDRINFO => (*req.cast::<uv_getaddrinfo_t>()).loop_,
            UV_GETNAMEINFO => (*req.cast::<uv_getnameinfo_t>()).loop_,
            UV_RANDOM => (*req.cast::<uv_random_t>()).loop_,
            UV_WORK => (*req.cast::<uv_work_t>()).loop_,
            UV_WRITE => {
                let stream = (*req.cast::<uv_write_t>()).handle;
                if (*stream).handle.flags & flag::CLOSING != 0 {
                    return -Errno::EBUSY.raw();
                }
                (*stream).handle.loop_
            }
            _ => return -Errno::EINVAL.raw(),
        };
        // A request whose callback is under way, or that never was the core's, is over.
        let Some(id) = RequestId::from_bits((*req).id) else { return -Errno::EBUSY.raw() };
        door::status(door::with(lp, |core| core.cancel(id)).map_err(|errno| match errno {
            Errno::EBADF => Errno::EBUSY,
            other => other,
        }))
    }
}
