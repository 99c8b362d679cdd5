//! Writing to streams, and shutting them down.
//!
//! # Safety
//! The contract of `access` holds: pointers to handles and requests are live and of the declared type.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::ptr;

use phasor_core::{Errno, HandleId, Result};

use crate::front_end::Bufs;
use crate::layout::*;
use crate::{access, bufs};

/// Writes buffers.
///
/// # Safety
/// `stream` is an initialised stream handle, `bufs` has `nbufs` elements. `req` points to memory for a request; it and the buffers
/// stay valid until `cb` is called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_write(
    req: *mut uv_write_t,
    stream: *mut uv_stream_t,
    bufs: *const uv_buf_t,
    nbufs: c_uint,
    cb: uv_write_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { uv_write2(req, stream, bufs, nbufs, ptr::null_mut(), cb) }
}

/// Writes buffers and passes the descriptor of a handle.
///
/// # Safety
/// The requirements of [`uv_write`]; `send_handle` is NULL, or an initialised handle of the same loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_write2(
    req: *mut uv_write_t,
    stream: *mut uv_stream_t,
    bufs: *const uv_buf_t,
    nbufs: c_uint,
    send_handle: *mut uv_stream_t,
    cb: uv_write_cb,
) -> c_int {
    if let Err(errno) = bufs::check_count(nbufs) {
        return -errno.raw();
    }
    // SAFETY: guaranteed by the caller; the array is copied into the request, because the program's array need not
    // outlive the call.
    unsafe {
        let face = match access::init_request(req, UV_WRITE) {
            Ok(face) => face,
            Err(errno) => return -errno.raw(),
        };
        let count = nbufs as usize;
        let list = bufs::store((&raw mut (*req).bufsml).cast(), bufs, count);
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
        let started = access::with_handle(stream, |core, id| {
            let started = match passed_handle(stream, send_handle)? {
                None => core.stream_write(id, bytes, face),
                Some(passed) => core.stream_write_with_handle(id, bytes, passed, face),
            };
            Ok(started?)
        });
        match started {
            Ok(id) => {
                access::set_request_id(req, id);
                0
            }
            Err(errno) => {
                bufs::free((&raw mut (*req).bufsml).cast(), &raw mut (*req).bufs);
                -errno.raw()
            }
        }
    }
}

/// The id of the handle whose descriptor is passed.
///
/// # Safety
/// See the head of this file; `send_handle` may be NULL.
unsafe fn passed_handle(stream: *const uv_stream_t, send_handle: *const uv_stream_t) -> Result<Option<HandleId>> {
    if send_handle.is_null() {
        return Ok(None);
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*send_handle).handle.loop_ != (*stream).handle.loop_ {
            return Err(Errno::EINVAL);
        }
        access::handle_id(send_handle).map(Some)
    }
}

/// The number of bytes of a write request that were written.
///
/// # Safety
/// `req` is a request of [`uv_write`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_write_nwritten(req: *const uv_write_t) -> usize {
    // SAFETY: guaranteed by the caller.
    unsafe { (*req).req.nwritten }
}

/// Writes as many bytes as possible without waiting.
///
/// # Safety
/// `stream` is an initialised stream handle, `bufs` has `nbufs` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_try_write(stream: *mut uv_stream_t, bufs: *const uv_buf_t, nbufs: c_uint) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { uv_try_write2(stream, bufs, nbufs, ptr::null_mut()) }
}

/// Writes as many bytes as possible without waiting, and passes the descriptor of a handle.
///
/// # Safety
/// The requirements of [`uv_try_write`]; `send_handle` is NULL, or an initialised handle of the same loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_try_write2(
    stream: *mut uv_stream_t,
    bufs: *const uv_buf_t,
    nbufs: c_uint,
    send_handle: *mut uv_stream_t,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    let written = unsafe {
        access::with_handle(stream, |core, id| {
            let slices = bufs::slices(bufs, if nbufs > bufs::MAX_COUNT { 0 } else { nbufs as usize });
            match passed_handle(stream, send_handle)? {
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

/// Shuts down the writing side after the pending writes.
///
/// # Safety
/// `stream` is an initialised stream handle; `req` points to memory for a request, valid until `cb` is called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_shutdown(req: *mut uv_shutdown_t, stream: *mut uv_stream_t, cb: uv_shutdown_cb) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // libuv returns `ENOTCONN` for a closing stream (`src/unix/stream.c: uv_shutdown`). The core does not know a
        // closed handle and would return `EBADF`.
        if (*stream).handle.flags & (flag::CLOSING | flag::CLOSED) != 0 {
            return -Errno::ENOTCONN.raw();
        }
        let started = access::init_request(req, UV_SHUTDOWN)
            .and_then(|face| access::with_handle(stream, |core, id| Ok(core.stream_shutdown(id, face)?)));
        if let Ok(id) = started {
            (*req).handle = stream;
            (*req).cb = cb;
            access::set_request_id(req, id);
            (*stream).shutdown_req = req;
            (*stream).handle.flags &= !flag::WRITABLE;
        }
        access::status(started.map(|_| ()))
    }
}

/// The number of bytes that are queued and not written.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_stream_get_write_queue_size(stream: *const uv_stream_t) -> usize {
    // SAFETY: guaranteed by the caller.
    unsafe { (*stream).write_queue_size }
}

/// Calls the callback of a shutdown request.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_shutdown(request: *mut uv_shutdown_t, result: Result<()>) {
    // SAFETY: see the head of this file.
    unsafe {
        (*(*request).handle).shutdown_req = ptr::null_mut();
        if let Some(call) = (*request).cb {
            call(request, access::status(result));
        }
    }
}

/// Calls the callback of a write request.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_write(request: *mut uv_write_t, result: Result<()>, written: usize) {
    // SAFETY: see the head of this file.
    unsafe {
        (*request).req.nwritten = written;
        (*request).error = access::status(result);
        bufs::free((&raw mut (*request).bufsml).cast(), &raw mut (*request).bufs);
        if let Some(call) = (*request).cb {
            call(request, (*request).error);
        }
    }
}
