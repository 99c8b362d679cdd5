//! Functions common to all request types.
//!
//! # Safety
//! The contract of `access` holds: request pointers are live and their `type` field is correct.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use phasor_core::{Errno, RequestId};

use crate::access;
use crate::layout::*;

/// The size of a request type; `SIZE_MAX` for an unknown type.
///
/// # Safety
/// Always safe to call.
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

/// The name of a request type; NULL for an unknown type.
///
/// # Safety
/// Always safe to call.
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

/// The type of a request.
///
/// # Safety
/// `req` is a request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_req_get_type(req: *const uv_req_t) -> uv_req_type {
    // SAFETY: guaranteed by the caller.
    unsafe { (*req).type_ }
}

/// The user data of a request.
///
/// # Safety
/// `req` is a request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_req_get_data(req: *const uv_req_t) -> *mut c_void {
    // SAFETY: guaranteed by the caller.
    unsafe { (*req).data }
}

/// Sets the user data of a request.
///
/// # Safety
/// `req` is a request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_req_set_data(req: *mut uv_req_t, data: *mut c_void) {
    // SAFETY: guaranteed by the caller.
    unsafe { (*req).data = data }
}

/// Cancels a request that is not running yet. `EBUSY` if it is running or completed, `EINVAL` if its type cannot be cancelled.
///
/// # Safety
/// `req` is a request whose operation was started and whose callback has not returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_cancel(req: *mut uv_req_t) -> c_int {
    // SAFETY: guaranteed by the caller; `type_` says which struct it is.
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
        // Without an id the request was synchronous, so it has completed. The core returns `EBADF` once the callback
        // was called.
        let Some(id) = RequestId::from_bits((*req).id) else { return -Errno::EBUSY.raw() };
        access::status(access::with(lp, |core| core.cancel(id)).map_err(|errno| match errno {
            Errno::EBADF => Errno::EBUSY,
            other => other,
        }))
    }
}
