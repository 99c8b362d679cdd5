//! Functions common to TCP, pipe and TTY handles. `write` has writing and shutdown.
//!
//! # Safety
//! The contract of `access` holds: pointers to handles and requests are live and of the declared type.
#![allow(unsafe_code)]

pub mod write;

use std::ffi::{c_int, c_uint};
use std::ptr;

use libc::ssize_t;
use phasor_core::{Errno, HandleId, Loop, RequestId, Result};

pub(crate) use self::write::{on_shutdown, on_write};
use crate::front_end::{C, Handle, Request};
use crate::layout::*;
use crate::{access, bufs, recording};

/// The size that `alloc_cb` is called with, as in `src/unix/stream.c: uv__read`.
const SUGGESTED_BYTES: usize = 64 * 1024;

/// The bits of `flags` that are derived from the core's state.
const DERIVED_FLAGS: c_uint = flag::ACTIVE | flag::READABLE | flag::WRITABLE;

/// Whether a handle has another type than `kind`.
///
/// # Safety
/// See the head of this file.
#[inline]
pub(crate) unsafe fn has_other_type(stream: *const uv_stream_t, kind: uv_handle_type) -> bool {
    // SAFETY: see the head of this file.
    unsafe { (*stream).handle.type_ != kind }
}

/// Opens a stream handle and initialises its fields (`src/unix/stream.c: uv__stream_init`).
///
/// # Safety
/// `lp` is an initialised loop, `stream` points to memory for its type.
pub(crate) unsafe fn open(
    lp: *mut uv_loop_t,
    stream: *mut uv_stream_t,
    kind: uv_handle_type,
    open: impl FnOnce(&mut Loop<C>, Handle) -> Result<HandleId>,
) -> c_int {
    // SAFETY: guaranteed by the caller; only single fields are written.
    unsafe {
        let opened = access::init_handle(lp, stream, kind, open);
        if opened.is_ok() {
            (*stream).write_queue_size = 0;
            (*stream).alloc_cb = None;
            (*stream).read_cb = None;
            (*stream).connect_req = ptr::null_mut();
            (*stream).shutdown_req = ptr::null_mut();
            (*stream).connection_cb = None;
            (*stream).delayed_error = 0;
            (*stream).accepted_fd = -1;
            (*stream).queued_fds = ptr::null_mut();
            sync_fields(stream);
        }
        access::status(opened.map(|_| ()))
    }
}

/// Updates the fields that programs read from the core: the descriptor, and the derived bits of `flags`.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn sync_fields(stream: *mut uv_stream_t) {
    // SAFETY: see the head of this file.
    unsafe {
        let seen = access::with_handle(stream, |core, id| {
            let mut flags = 0;
            for (bit, is_set) in [
                (flag::ACTIVE, core.is_active(id)),
                (flag::READABLE, core.stream_is_readable(id)),
                (flag::WRITABLE, core.stream_is_writable(id)),
            ] {
                flags |= if is_set { bit } else { 0 };
            }
            Ok((flags, core.fileno(id).unwrap_or(-1)))
        });
        let (flags, fd) = seen.unwrap_or((0, -1));
        (*stream).handle.flags = ((*stream).handle.flags & !DERIVED_FLAGS) | flags;
        (*stream).io_watcher.fd = fd;
    }
}

/// Updates the fields like [`sync_fields`], after the core has started to close the stream.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn sync_closing(stream: *mut uv_stream_t) {
    // SAFETY: see the head of this file.
    unsafe {
        (*stream).handle.flags = ((*stream).handle.flags | flag::CLOSING) & !DERIVED_FLAGS;
        (*stream).io_watcher.fd = -1;
        (*stream).read_cb = None;
        (*stream).alloc_cb = None;
    }
}

/// Connects a stream; `connect` calls the function of the core.
///
/// # Safety
/// See the head of this file; `req` points to memory for a request, valid until `cb` is called.
pub(crate) unsafe fn connect(
    req: *mut uv_connect_t,
    stream: *mut uv_stream_t,
    cb: uv_connect_cb,
    connect: impl FnOnce(&mut Loop<C>, HandleId, Request) -> Result<RequestId>,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let started = access::init_request(req, UV_CONNECT)
            .and_then(|face| access::with_handle(stream, |core, id| connect(core, id, face)));
        if let Ok(id) = started {
            (*req).cb = cb;
            (*req).handle = stream;
            access::set_request_id(req, id);
            (*stream).connect_req = req;
        }
        sync_fields(stream);
        access::status(started.map(|_| ()))
    }
}

/// Starts listening.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_listen(stream: *mut uv_stream_t, backlog: c_int, cb: uv_connection_cb) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let listening = access::with_handle(stream, |core, id| core.stream_listen(id, backlog));
        if listening.is_ok() {
            (*stream).connection_cb = cb;
            recording::describe(stream);
        }
        sync_fields(stream);
        access::status(listening)
    }
}

/// Accepts the pending connection, or the next received descriptor, into another handle.
///
/// # Safety
/// `server` is an initialised stream handle, `client` an initialised stream or UDP handle of the same loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_accept(server: *mut uv_stream_t, client: *mut uv_stream_t) -> c_int {
    // SAFETY: guaranteed by the caller; `type_` says which struct the client is.
    unsafe {
        if (*server).handle.loop_ != (*client).handle.loop_ {
            return -Errno::EINVAL.raw();
        }
        let accepted = access::with_handle(server, |core, id| core.stream_accept(id, access::handle_id(client)?));
        match (*client).handle.type_ {
            UV_TCP | UV_NAMED_PIPE | UV_TTY => sync_fields(client),
            UV_UDP => crate::udp::sync_fields(client.cast()),
            _ => {}
        }
        if accepted.is_ok() {
            recording::describe(client);
        }
        access::status(accepted)
    }
}

/// Starts reading.
///
/// # Safety
/// `stream` is an initialised stream handle, or NULL, which is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_read_start(stream: *mut uv_stream_t, alloc_cb: uv_alloc_cb, read_cb: uv_read_cb) -> c_int {
    if stream.is_null() || alloc_cb.is_none() || read_cb.is_none() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        // The core does not know a closed handle, and would return `EBADF`.
        if (*stream).handle.flags & flag::CLOSED != 0 {
            return -Errno::EINVAL.raw();
        }
        // uvloop sets this bit itself on a write-only pipe, so that it notices when the reading end is closed.
        let marked_readable = (*stream).handle.flags & flag::READABLE != 0;
        let started = access::with_handle(stream, |core, id| {
            if marked_readable {
                core.stream_add_directions(id, true, false)?;
            }
            core.stream_read_start(id)
        });
        if started.is_ok() {
            (*stream).alloc_cb = alloc_cb;
            (*stream).read_cb = read_cb;
            (*stream).handle.flags |= flag::ACTIVE;
        }
        access::status(started)
    }
}

/// Stops reading.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_read_stop(stream: *mut uv_stream_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // `src/unix/stream.c: uv_read_stop` always returns 0. The error of the core is ignored: a closed handle does
        // not read.
        let active = access::with_handle(stream, |core, id| {
            core.stream_read_stop(id)?;
            Ok(core.is_active(id))
        });
        access::set_active(stream, active == Ok(true));
        (*stream).read_cb = None;
        (*stream).alloc_cb = None;
    }
    0
}

/// Whether the stream is readable.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_is_readable(stream: *const uv_stream_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    c_int::from(unsafe { (*stream).handle.flags } & flag::READABLE != 0)
}

/// Whether the stream is writable.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_is_writable(stream: *const uv_stream_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    c_int::from(unsafe { (*stream).handle.flags } & flag::WRITABLE != 0)
}

/// Makes the stream's descriptor blocking or nonblocking.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_stream_set_blocking(stream: *mut uv_stream_t, blocking: c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    access::status(unsafe { access::with_handle(stream, |core, id| core.stream_set_blocking(id, blocking != 0)) })
}

/// Calls the connection callback of a listening stream.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_connection(lp: *mut uv_loop_t, id: HandleId, result: Result<()>) {
    // SAFETY: see the head of this file.
    unsafe {
        let Some(server) = access::handle_of::<uv_stream_t>(lp, id) else { return };
        if let Some(call) = (*server).connection_cb {
            call(server, access::status(result));
        }
    }
}

/// Reports `EOF` after the peer has closed the connection and no data is left.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_hangup(lp: *mut uv_loop_t, id: HandleId) {
    // SAFETY: see the head of this file.
    unsafe {
        let Some(stream) = access::handle_of::<uv_stream_t>(lp, id) else { return };
        call_read_cb(stream, -Errno::EOF.raw() as ssize_t, &uv_buf_t { base: ptr::null_mut(), len: 0 });
    }
}

/// Calls `alloc_cb`, reads into the buffer that it returns, and passes the buffer to `read_cb`.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_readable(lp: *mut uv_loop_t, id: HandleId) {
    // SAFETY: see the head of this file. A callback may close the stream, but its memory stays valid until the closing phase.
    unsafe {
        let Some(stream) = access::handle_of::<uv_stream_t>(lp, id) else { return };
        loop {
            read(lp, id, stream);
            if !access::with(lp, |core| core.stream_reads_again(id)) {
                return;
            }
        }
    }
}

/// Reads once.
///
/// # Safety
/// See the head of this file.
unsafe fn read(lp: *mut uv_loop_t, id: HandleId, stream: *mut uv_stream_t) {
    let mut buf = uv_buf_t { base: ptr::null_mut(), len: 0 };
    // SAFETY: see the head of this file. `alloc_cb` returns a buffer of `len` bytes, for this library's use until `read_cb`.
    unsafe {
        if let Some(alloc_cb) = (*stream).alloc_cb {
            alloc_cb(stream.cast(), SUGGESTED_BYTES, &mut buf);
        }
        let got = access::with(lp, |core| core.stream_read_into(id, bufs::read_buf(buf.base.cast(), buf.len)));
        let nread = match got {
            Ok(count) => count as ssize_t,
            Err(errno) => -errno.raw() as ssize_t,
        };
        call_read_cb(stream, nread, &buf);
    }
}

/// Calls the read callback. After an end or an error the state of the stream has changed, so its fields are updated
/// before the call.
///
/// # Safety
/// See the head of this file.
unsafe fn call_read_cb(stream: *mut uv_stream_t, nread: ssize_t, buf: &uv_buf_t) {
    // SAFETY: see the head of this file.
    unsafe {
        let read_cb = (*stream).read_cb;
        if nread < 0 {
            sync_fields(stream);
        }
        if let Some(call) = read_cb {
            call(stream, nread, buf);
        }
    }
}

/// Calls the callback of a connect request.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_connect(request: *mut uv_connect_t, result: Result<()>) {
    // SAFETY: see the head of this file.
    unsafe {
        let stream = (*request).handle;
        (*stream).connect_req = ptr::null_mut();
        if (*stream).handle.flags & flag::CLOSING == 0 {
            sync_fields(stream);
            recording::describe(stream);
        }
        if let Some(call) = (*request).cb {
            call(request, access::status(result));
        }
    }
}
