//! Random bytes.
//!
//! # Safety
//! The promises of `door` hold: requests are the program's, alive, and of the kind that is said. Until its callback a
//! request and its bytes belong to this library, so that a thread of the pool may fill them.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint, c_void};

use phasor_core::{Class, Errno, RequestKind, WorkFailure, random_fill_uninit};

use crate::layout::{UV_RANDOM, uv_loop_t, uv_random_cb, uv_random_t};
use crate::{bufs, door};

/// The most that can be asked for.
const MAX_BYTES: usize = 0x7fff_ffff;

/// Fills memory with random bytes, fit for keys; without a callback at once.
///
/// # Safety
/// `lp` is a loop that this thread runs and `req` has room for a request, or both are NULL if `cb` is; the request and
/// `buflen` bytes at `buf` stay until the callback.
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
    // SAFETY: the caller's promise.
    unsafe {
        if cb.is_none() {
            return fill(buf, buflen);
        }
        if lp.is_null() {
            return -Errno::EINVAL.raw();
        }
        let face = match door::begin(req, UV_RANDOM) {
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
        let id = door::with(lp, |core| core.work_as(RequestKind::Random, Class::Fast, work, face));
        door::began(req, id);
    }
    0
}

/// # Safety
/// `buflen` bytes at `buf` may be written to, or `buf` is NULL.
unsafe fn fill(buf: *mut c_void, buflen: usize) -> c_int {
    if buflen == 0 {
        return 0;
    }
    // What the kernel would say.
    if buf.is_null() {
        return -Errno::EFAULT.raw();
    }
    // SAFETY: the caller's promise.
    door::status(random_fill_uninit(unsafe { bufs::read_buf(buf, buflen) }))
}

/// The bytes are there, or not.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_random(request: *mut uv_random_t, result: Result<(), WorkFailure>) {
    // SAFETY: the head of this file.
    unsafe {
        if let Err(failure) = result {
            (*request).status = -failure.errno().raw();
        }
        if let Some(call) = (*request).cb {
            call(request, (*request).status, (*request).buf, (*request).buflen);
        }
    }
}
