//! What is written to streams, and their ends.
//!
//! # Safety
//! The promises of `door` hold: handles and requests are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::ptr;

use phasor_core::{Errno, HandleId, Result};

use crate::face::Bufs;
use crate::layout::*;
use crate::{bufs, door};

/// Writes.
///
/// # Safety
/// `stream` is an initialised stream handle, `bufs` an array of so many; `req` has room for a request, which stays, as the
/// bytes do, until `cb`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_write(
    req: *mut uv_write_t,
    stream: *mut uv_stream_t,
    bufs: *const uv_buf_t,
    nbufs: c_uint,
    cb: uv_write_cb,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { uv_write2(req, stream, bufs, nbufs, ptr::null_mut(), cb) }
}

/// Writes, and passes a handle's descriptor.
///
/// # Safety
/// As [`uv_write`]; `send_handle` is NULL, or an initialised handle of the same loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_write2(
    req: *mut uv_write_t,
    stream: *mut uv_stream_t,
    bufs: *const uv_buf_t,
    nbufs: c_uint,
    send_handle: *mut uv_stream_t,
    cb: uv_write_cb,
) -> c_int {
    if let Err(errno) = bufs::countable(nbufs) {
        return -errno.raw();
    }
    // SAFETY: the caller's promise; the array is copied to a place of the request's, since the program's may go.
    unsafe {
        let face = match door::begin(req, UV_WRITE) {
            Ok(face) => face,
            Err(errno) => return -errno.raw(),
        };
        let count = nbufs as usize;
        let list = bufs::keep((&raw mut (*req).bufsml).cast(), bufs, count);
        if list.is_null() {
            return -Errno::ENOMEM.raw();
        }
        (*req).cb = cb;
        (*req).handle = stream;
        (*req).error = 0;
        (*req).send_handle = send_handle;
        (*req).req.nwritten = 0;
        (*req).bufs = list;
        (*req).nbufs = nbufs;
        (*req).write_index = 0;
        let bytes = Bufs::new(list, count);
        let begun = door::with_handle(stream, |core, id| {
            let begun = match passed(stream, send_handle)? {
                None => core.stream_write(id, bytes, face),
                Some(passed) => core.stream_write_with_handle(id, bytes, passed, face),
            };
            Ok(begun?)
        });
        match begun {
            Ok(id) => {
                door::began(req, id);
                0
            }
            Err(errno) => {
                bufs::free((&raw mut (*req).bufsml).cast(), &raw mut (*req).bufs);
                -errno.raw()
            }
        }
    }
}

/// The name of a handle that is to be passed.
///
/// # Safety
/// The head of this file; `send_handle` may be NULL.
unsafe fn passed(stream: *const uv_stream_t, send_handle: *const uv_stream_t) -> Result<Option<HandleId>> {
    if send_handle.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    unsafe {
        if (*send_handle).handle.loop_ != (*stream).handle.loop_ {
            return Err(Errno::EINVAL);
        }
        door::id(send_handle).map(Some)
    }
}

/// How much of a write was written.
///
/// # Safety
/// `req` is a write that was begun.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_write_nwritten(req: *const uv_write_t) -> usize {
    // SAFETY: the caller's promise.
    unsafe { (*req).req.nwritten }
}

/// Writes what can be written at once.
///
/// # Safety
/// `stream` is an initialised stream handle, `bufs` an array of so many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_try_write(stream: *mut uv_stream_t, bufs: *const uv_buf_t, nbufs: c_uint) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { uv_try_write2(stream, bufs, nbufs, ptr::null_mut()) }
}

/// Writes what can be written at once, and passes a handle's descriptor.
///
/// # Safety
/// As [`uv_try_write`]; `send_handle` is NULL, or an initialised handle of the same loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_try_write2(
    stream: *mut uv_stream_t,
    bufs: *const uv_buf_t,
    nbufs: c_uint,
    send_handle: *mut uv_stream_t,
) -> c_int {
    // SAFETY: the caller's promise.
    let written = unsafe {
        door::with_handle(stream, |core, id| {
            let slices = bufs::slices(bufs, if nbufs > bufs::MOST { 0 } else { nbufs as usize });
            match passed(stream, send_handle)? {
                None => core.stream_try_write(id, &slices),
                Some(passed) => core.stream_try_write_with_handle(id, &slices, passed),
            }
        })
    };
    match written {
        Ok(count) => count as c_int,
        Err(errno) => -errno.raw(),
    }
}

/// Ends writing once everything is written.
///
/// # Safety
/// `stream` is an initialised stream handle; `req` has room for a request, which stays until `cb`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_shutdown(req: *mut uv_shutdown_t, stream: *mut uv_stream_t, cb: uv_shutdown_cb) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let begun = door::begin(req, UV_SHUTDOWN)
            .and_then(|face| door::with_handle(stream, |core, id| Ok(core.stream_shutdown(id, face)?)));
        if let Ok(id) = begun {
            (*req).handle = stream;
            (*req).cb = cb;
            door::began(req, id);
            (*stream).shutdown_req = req;
            (*stream).handle.flags &= !flag::WRITABLE;
        }
        door::status(begun.map(|_| ()))
    }
}

/// How many bytes are queued and not written.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_stream_get_write_queue_size(stream: *const uv_stream_t) -> usize {
    // SAFETY: the caller's promise.
    unsafe { (*stream).write_queue_size }
}

/// All was written and the other end was told so, or not.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_shutdown(request: *mut uv_shutdown_t, result: Result<()>) {
    // SAFETY: the head of this file.
    unsafe {
        (*(*request).handle).shutdown_req = ptr::null_mut();
        if let Some(call) = (*request).cb {
            call(request, door::status(result));
        }
    }
}

/// A write is over.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_write(request: *mut uv_write_t, result: Result<()>, written: usize) {
    // SAFETY: the head of this file.
    unsafe {
        (*request).req.nwritten = written;
        (*request).error = door::status(result);
        bufs::free((&raw mut (*request).bufsml).cast(), &raw mut (*request).bufs);
        if let Some(call) = (*request).cb {
            call(request, (*request).error);
        }
    }
}
