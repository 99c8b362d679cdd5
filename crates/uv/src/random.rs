//! The function `uv_random`.
//!
//! # Safety
//! The contract of `access` holds: request pointers are live and of the declared type. Until its callback is called, a request and
//! its buffer belong to this library, and a thread of the pool writes to them.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint, c_void};

use phasor_core::{Class, Errno, RequestKind, WorkFailure, random_fill_uninit};

use crate::layout::{UV_RANDOM, uv_loop_t, uv_random_cb, uv_random_t};
use crate::{access, bufs};

/// The largest buffer that `src/random.c: uv_random` accepts.
const MAX_BYTES: usize = 0x7fff_ffff;

/// Fills a buffer with cryptographically secure random bytes. Synchronous if there is no callback.
///
/// # Safety
/// `lp` is a loop that this thread runs and `req` points to memory for a request; both may be NULL if `cb` is. The request and
/// the `buflen` bytes at `buf` stay valid until the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_random(
    lp: *mut uv_loop_t,
    req: *mut uv_random_t,
    buf: *mut c_void,
    buflen: usize,
    flags: c_uint,
    cb: uv_random_cb,
) -> c_int {
    if buflen > MAX_BYTES {
        return -Errno::E2BIG.raw();
    }
    if flags != 0 {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        if cb.is_none() {
            return fill(buf, buflen);
        }
        if lp.is_null() {
            return -Errno::EINVAL.raw();
        }
        let face = match access::init_request(req, UV_RANDOM) {
            Ok(face) => face,
            Err(errno) => return -errno.raw(),
        };
        (*req).loop_ = lp;
        (*req).status = 0;
        (*req).cb = cb;
        (*req).buf = buf;
        (*req).buflen = buflen;
        let work = move || {
            let req = face.cast::<uv_random_t>();
            (*req).status = fill((*req).buf, (*req).buflen);
        };
        let id = access::with(lp, |core| core.work_as(RequestKind::Random, Class::Fast, work, face));
        access::set_request_id(req, id);
    }
    0
}

/// # Safety
/// `buf` is NULL or points to `buflen` writable bytes.
unsafe fn fill(buf: *mut c_void, buflen: usize) -> c_int {
    if buflen == 0 {
        return 0;
    }
    // `getrandom` fails with `EFAULT` for a NULL address.
    if buf.is_null() {
        return -Errno::EFAULT.raw();
    }
    // SAFETY: guaranteed by the caller.
    access::status(random_fill_uninit(unsafe { bufs::read_buf(buf, buflen) }))
}

/// Calls the callback of a `uv_random` request.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_random(request: *mut uv_random_t, result: Result<(), WorkFailure>) {
    // SAFETY: see the head of this file.
    unsafe {
        if let Err(failure) = result {
            (*request).status = -failure.errno().raw();
        }
        if let Some(call) = (*request).cb {
            call(request, (*request).status, (*request).buf, (*request).buflen);
        }
    }
}
