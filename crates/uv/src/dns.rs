//! `uv_getaddrinfo` and `uv_getnameinfo`.
//!
//! # Safety
//! The contract of `access` holds: request pointers are live and of the declared type. Until its callback is called a request belongs
//! to this library, and a thread of the pool writes its results.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::net::SocketAddr;
use std::{ptr, slice};

use libc::{addrinfo, sockaddr, sockaddr_in, sockaddr_in6};
use phasor_core::dns::{self, HOST_BYTES, Hints, Query, SERVICE_BYTES};
use phasor_core::{Address, Class, Errno, RequestKind, WorkFailure};

use crate::layout::*;
use crate::{access, recording};

/// Resolves a host name, a service name or both. Synchronous if there is no callback.
///
/// # Safety
/// `lp` is a loop that this thread runs; it may be NULL if `cb` is. `req` is NULL or points to memory for a request, valid until
/// the callback. The names and the hints are NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_getaddrinfo(
    lp: *mut uv_loop_t,
    req: *mut uv_getaddrinfo_t,
    cb: uv_getaddrinfo_cb,
    hostname: *const c_char,
    service: *const c_char,
    hints: *const addrinfo,
) -> c_int {
    if req.is_null() || (lp.is_null() && cb.is_some()) {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        let bytes = |text: *const c_char| (!text.is_null()).then(|| CStr::from_ptr(text).to_bytes());
        let hints = hints.as_ref().map(|hints| Hints {
            flags: hints.ai_flags,
            family: hints.ai_family,
            socktype: hints.ai_socktype,
            protocol: hints.ai_protocol,
        });
        let started = Query::new(bytes(hostname), bytes(service), hints)
            .and_then(|query| access::init_request(req, UV_GETADDRINFO).map(|face| (query, face)));
        let (query, face) = match started {
            Ok(started) => started,
            Err(errno) => return -errno.raw(),
        };
        (*req).loop_ = lp;
        (*req).cb = cb;
        (*req).addrinfo = ptr::null_mut();
        (*req).hints = ptr::null_mut();
        (*req).service = ptr::null_mut();
        (*req).hostname = ptr::null_mut();
        (*req).retcode = 0;
        if cb.is_none() {
            resolve_address(req, &query);
            return (*req).retcode;
        }
        let work = move || resolve_address(face.cast(), &query);
        let id = access::with(lp, |core| core.work_as(RequestKind::Getaddrinfo, Class::Slow, work, face));
        access::set_request_id(req, id);
        recording::describe_task(lp, req, hostname);
        0
    }
}

/// Calls the resolver. The result is a list that the C library allocates, so that both `freeaddrinfo` and
/// `uv_freeaddrinfo` free it.
///
/// # Safety
/// See the head of this file.
unsafe fn resolve_address(req: *mut uv_getaddrinfo_t, query: &Query) {
    let answer = query.run_raw();
    // SAFETY: see the head of this file.
    unsafe {
        match answer {
            Ok(list) => (*req).addrinfo = list.into_raw(),
            Err(errno) => (*req).retcode = -errno.raw(),
        }
    }
}

/// Calls the callback of a `uv_getaddrinfo` request.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_getaddrinfo(request: *mut uv_getaddrinfo_t, result: Result<(), WorkFailure>) {
    // SAFETY: see the head of this file.
    unsafe {
        if let Err(failure) = result {
            (*request).retcode = failure_code(&failure);
        }
        if let Some(call) = (*request).cb {
            call(request, (*request).retcode, (*request).addrinfo);
        }
    }
}

/// The status of a request that the pool did not run (`src/unix/getaddrinfo.c: uv__getaddrinfo_done`): a cancelled
/// request has the status `UV_EAI_CANCELED`, not `UV_ECANCELED`.
fn failure_code(failure: &WorkFailure) -> c_int {
    match failure.errno() {
        Errno::ECANCELED => -Errno::EAI_CANCELED.raw(),
        errno => -errno.raw(),
    }
}

/// Frees a list of addresses.
///
/// # Safety
/// `ai` is NULL or a result of `uv_getaddrinfo`, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_freeaddrinfo(ai: *mut addrinfo) {
    if !ai.is_null() {
        // SAFETY: guaranteed by the caller.
        unsafe { libc::freeaddrinfo(ai) };
    }
}

/// Resolves an address to a host name and a service name. Synchronous if there is no callback.
///
/// # Safety
/// `lp` is a loop that this thread runs; it may be NULL if there is no callback. `req` is NULL or points to memory for a request,
/// valid until the callback. `addr` is NULL or an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_getnameinfo(
    lp: *mut uv_loop_t,
    req: *mut uv_getnameinfo_t,
    getnameinfo_cb: uv_getnameinfo_cb,
    addr: *const sockaddr,
    flags: c_int,
) -> c_int {
    if req.is_null() || addr.is_null() || (lp.is_null() && getnameinfo_cb.is_some()) {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller; the family determines the length of the address.
    unsafe {
        let len = match c_int::from((*addr).sa_family) {
            libc::AF_INET => size_of::<sockaddr_in>(),
            libc::AF_INET6 => size_of::<sockaddr_in6>(),
            _ => return -Errno::EINVAL.raw(),
        };
        let bytes = slice::from_raw_parts(addr.cast::<u8>(), len);
        let Some(address) = Address::from_sockaddr(bytes).and_then(|address| address.inet()) else {
            return -Errno::EINVAL.raw();
        };
        ptr::copy_nonoverlapping(bytes.as_ptr(), (&raw mut (*req).storage).cast(), len);
        let face = match access::init_request(req, UV_GETNAMEINFO) {
            Ok(face) => face,
            Err(errno) => return -errno.raw(),
        };
        (*req).getnameinfo_cb = getnameinfo_cb;
        (*req).flags = flags;
        (*req).loop_ = lp;
        (*req).retcode = 0;
        if getnameinfo_cb.is_none() {
            resolve_name(req, address, flags);
            return (*req).retcode;
        }
        let work = move || resolve_name(face.cast(), address, flags);
        let id = access::with(lp, |core| core.work_as(RequestKind::Getnameinfo, Class::Slow, work, face));
        access::set_request_id(req, id);
        0
    }
}

/// # Safety
/// See the head of this file.
unsafe fn resolve_name(req: *mut uv_getnameinfo_t, address: SocketAddr, flags: c_int) {
    // SAFETY: see the head of this file; the lengths are those of the two buffers in the struct.
    unsafe {
        let host = &mut *(&raw mut (*req).host).cast::<[u8; HOST_BYTES]>();
        let service = &mut *(&raw mut (*req).service).cast::<[u8; SERVICE_BYTES]>();
        (*req).retcode = access::status(dns::name_into(address, flags, host, service));
    }
}

/// Calls the callback of a `uv_getnameinfo` request.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_getnameinfo(request: *mut uv_getnameinfo_t, result: Result<(), WorkFailure>) {
    // SAFETY: see the head of this file.
    unsafe {
        if let Err(failure) = result {
            (*request).retcode = failure_code(&failure);
        }
        let (mut host, mut service) = (ptr::null(), ptr::null());
        if (*request).retcode == 0 {
            host = (&raw const (*request).host).cast();
            service = (&raw const (*request).service).cast();
        }
        if let Some(call) = (*request).getnameinfo_cb {
            call(request, (*request).retcode, host, service);
        }
    }
}
