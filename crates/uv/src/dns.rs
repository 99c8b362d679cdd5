//! Names and addresses of hosts.
//!
//! # Safety
//! The promises of `door` hold: requests are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use std::ptr;

use phasor_core::Result;
use phasor_core::dns::AddrInfo;

use crate::layout::{uv_getaddrinfo_t, uv_getnameinfo_t};

/// Addresses were found, or not.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_getaddrinfo(request: *mut uv_getaddrinfo_t, result: Result<Vec<AddrInfo>>) {
    // SAFETY: the head of this file.
    unsafe {
        (*request).retcode = result.err().map_or(0, |errno| -errno.raw());
        if let Some(call) = (*request).cb {
            call(request, (*request).retcode, (*request).addrinfo);
        }
    }
}

/// Names were found, or not.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_getnameinfo(request: *mut uv_getnameinfo_t, result: Result<(String, String)>) {
    // SAFETY: the head of this file.
    unsafe {
        (*request).retcode = result.err().map_or(0, |errno| -errno.raw());
        if let Some(call) = (*request).getnameinfo_cb {
            call(request, (*request).retcode, ptr::null(), ptr::null());
        }
    }
}
