//! What tcp, pipe and tty handles share.
//!
//! # Safety
//! The promises of `door` hold: handles and requests are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr;
use std::slice;

use libc::ssize_t;
use phasor_core::{Errno, HandleId, Result};

use crate::layout::{uv_buf_t, uv_connect_t, uv_loop_t, uv_shutdown_t, uv_stream_t, uv_write_t};
use crate::{allocator, door};

/// What libuv suggests to those who bring buffers.
const SUGGESTED_BYTES: usize = 64 * 1024;

/// A connection waits to be accepted.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_connection(lp: *mut uv_loop_t, id: HandleId, result: Result<()>) {
    // SAFETY: the head of this file.
    unsafe {
        let Some(server) = door::face::<uv_stream_t>(lp, id) else { return };
        if let Some(call) = (*server).connection_cb {
            call(server, door::status(result));
        }
    }
}

/// The other end has gone, and there is nothing to read.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_hangup(lp: *mut uv_loop_t, id: HandleId) {
    // SAFETY: the head of this file.
    unsafe {
        let Some(stream) = door::face::<uv_stream_t>(lp, id) else { return };
        door::show_active(stream, false);
        tell_read(stream, -Errno::EOF.raw() as ssize_t, &uv_buf_t { base: ptr::null_mut(), len: 0 });
    }
}

/// There is something to read: the program brings a buffer, and gets it back with what was read.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_readable(lp: *mut uv_loop_t, id: HandleId) {
    let mut buf = uv_buf_t { base: ptr::null_mut(), len: 0 };
    // SAFETY: the head of this file. The buffer is the program's promise to `uv_alloc_cb`: room for so many bytes, for us
    // alone until the callback.
    unsafe {
        let Some(stream) = door::face::<uv_stream_t>(lp, id) else { return };
        if let Some(bring) = (*stream).alloc_cb {
            bring(stream.cast(), SUGGESTED_BYTES, &mut buf);
        }
        let got = door::with(lp, |core| {
            if buf.base.is_null() || buf.len == 0 {
                core.stream_read(id, &mut [])
            } else {
                core.stream_read(id, slice::from_raw_parts_mut(buf.base.cast::<u8>(), buf.len))
            }
        });
        let nread = match got {
            Ok(count) => count as ssize_t,
            Err(errno) => -errno.raw() as ssize_t,
        };
        if nread == -Errno::EOF.raw() as ssize_t {
            door::show_active(stream, false);
        }
        tell_read(stream, nread, &buf);
    }
}

/// # Safety
/// The head of this file.
unsafe fn tell_read(stream: *mut uv_stream_t, nread: ssize_t, buf: &uv_buf_t) {
    // SAFETY: the head of this file.
    unsafe {
        if let Some(call) = (*stream).read_cb {
            call(stream, nread, buf);
        }
    }
}

/// A connection was made, or not.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_connect(request: *mut uv_connect_t, result: Result<()>) {
    // SAFETY: the head of this file.
    unsafe {
        let stream = (*request).handle;
        if !stream.is_null() {
            (*stream).connect_req = ptr::null_mut();
        }
        if let Some(call) = (*request).cb {
            call(request, door::status(result));
        }
    }
}

/// All was written and the other end was told so, or not.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_shutdown(request: *mut uv_shutdown_t, result: Result<()>) {
    // SAFETY: the head of this file.
    unsafe {
        let stream = (*request).handle;
        if !stream.is_null() {
            (*stream).shutdown_req = ptr::null_mut();
        }
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
        let own: *mut uv_buf_t = (&raw mut (*request).bufsml).cast();
        if (*request).bufs != own {
            allocator::free((*request).bufs.cast());
        }
        (*request).bufs = ptr::null_mut();
        let stream = (*request).handle;
        if let Ok(left) = door::with_handle(stream, |core, id| Ok(core.stream_write_queue_size(id))) {
            (*stream).write_queue_size = left;
        }
        if let Some(call) = (*request).cb {
            call(request, (*request).error as c_int);
        }
    }
}
