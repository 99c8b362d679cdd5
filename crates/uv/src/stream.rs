//! What tcp, pipe and tty handles share.
//!
//! # Safety
//! The promises of `door` hold: handles and requests are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::io::IoSlice;
use std::{ptr, slice};

use libc::ssize_t;
use phasor_core::{Errno, HandleId, Loop, RequestId, Result};

use crate::face::{Bufs, C, Handle, Request};
use crate::layout::*;
use crate::{allocator, door};

/// What libuv suggests to those who bring buffers.
const SUGGESTED_BYTES: usize = 64 * 1024;

/// As `uv__check_before_write`: more buffers than this are a sign that was lost.
pub(crate) const MOST_BUFS: c_uint = 1024 * 1024;

/// The bits of `flags` that follow from what the core knows.
const KNOWN: c_uint = flag::ACTIVE | flag::READABLE | flag::WRITABLE;

/// Whether a handle is of another kind than a function is for.
///
/// # Safety
/// The head of this file.
#[inline]
pub(crate) unsafe fn is_not(stream: *const uv_stream_t, kind: uv_handle_type) -> bool {
    // SAFETY: the head of this file.
    unsafe { (*stream).handle.type_ != kind }
}

/// Opens a stream of the program's, as `uv__stream_init` does.
///
/// # Safety
/// `lp` is an initialised loop, `stream` has room for its kind.
pub(crate) unsafe fn open(
    lp: *mut uv_loop_t,
    stream: *mut uv_stream_t,
    kind: uv_handle_type,
    open: impl FnOnce(&mut Loop<C>, Handle) -> Result<HandleId>,
) -> c_int {
    // SAFETY: the caller's promise; only fields are written.
    unsafe {
        let opened = door::open(lp, stream, kind, open);
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
            show(stream);
        }
        door::status(opened.map(|_| ()))
    }
}

/// Makes what clients see of a stream true: its descriptor and the flags that follow from what the core knows.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn show(stream: *mut uv_stream_t) {
    // SAFETY: the head of this file.
    unsafe {
        let seen = door::with_handle(stream, |core, id| {
            let mut flags = 0;
            for (bit, is_so) in [
                (flag::ACTIVE, core.is_active(id)),
                (flag::READABLE, core.stream_is_readable(id)),
                (flag::WRITABLE, core.stream_is_writable(id)),
            ] {
                flags |= if is_so { bit } else { 0 };
            }
            Ok((flags, core.fileno(id).unwrap_or(-1)))
        });
        let (flags, fd) = seen.unwrap_or((0, -1));
        (*stream).handle.flags = ((*stream).handle.flags & !KNOWN) | flags;
        (*stream).io_watcher.fd = fd;
    }
}

/// As [`show`], once the core has begun to close the stream.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn show_closing(stream: *mut uv_stream_t) {
    // SAFETY: the head of this file.
    unsafe {
        (*stream).handle.flags = ((*stream).handle.flags | flag::CLOSING) & !KNOWN;
        (*stream).io_watcher.fd = -1;
        (*stream).read_cb = None;
        (*stream).alloc_cb = None;
    }
}

/// Connects a stream: `connect` asks the core to.
///
/// # Safety
/// The head of this file; `req` has room for a request, which stays until `cb`.
pub(crate) unsafe fn connect(
    req: *mut uv_connect_t,
    stream: *mut uv_stream_t,
    cb: uv_connect_cb,
    connect: impl FnOnce(&mut Loop<C>, HandleId, Request) -> Result<RequestId>,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let begun =
            door::begin(req, UV_CONNECT).and_then(|face| door::with_handle(stream, |core, id| connect(core, id, face)));
        if let Ok(id) = begun {
            (*req).cb = cb;
            (*req).handle = stream;
            door::began(req, id);
            (*stream).connect_req = req;
        }
        show(stream);
        door::status(begun.map(|_| ()))
    }
}

/// Starts listening.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_listen(stream: *mut uv_stream_t, backlog: c_int, cb: uv_connection_cb) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let listening = door::with_handle(stream, |core, id| core.stream_listen(id, backlog));
        if listening.is_ok() {
            (*stream).connection_cb = cb;
        }
        show(stream);
        door::status(listening)
    }
}

/// Puts the connection that waits, or the descriptor that came, into another handle.
///
/// # Safety
/// `server` is an initialised stream handle, `client` an initialised stream or UDP handle of the same loop.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_accept(server: *mut uv_stream_t, client: *mut uv_stream_t) -> c_int {
    // SAFETY: the caller's promise; what kind the client is says which struct it is.
    unsafe {
        if (*server).handle.loop_ != (*client).handle.loop_ {
            return -Errno::EINVAL.raw();
        }
        let accepted = door::with_handle(server, |core, id| core.stream_accept(id, door::id(client)?));
        match (*client).handle.type_ {
            UV_TCP | UV_NAMED_PIPE | UV_TTY => show(client),
            UV_UDP => crate::udp::show(client.cast()),
            _ => {}
        }
        door::status(accepted)
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
    // SAFETY: the caller's promise.
    unsafe {
        // uvloop sets this bit itself, to learn when the reader of a pipe goes.
        let claimed = (*stream).handle.flags & flag::READABLE != 0;
        let started = door::with_handle(stream, |core, id| {
            if claimed {
                core.stream_add_directions(id, true, false)?;
            }
            core.stream_read_start(id)
        });
        if started.is_ok() {
            (*stream).alloc_cb = alloc_cb;
            (*stream).read_cb = read_cb;
            (*stream).handle.flags |= flag::ACTIVE;
        }
        door::status(started)
    }
}

/// Stops reading.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_read_stop(stream: *mut uv_stream_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        // As in libuv this cannot fail.
        let active = door::with_handle(stream, |core, id| {
            core.stream_read_stop(id)?;
            Ok(core.is_active(id))
        });
        door::show_active(stream, active == Ok(true));
        (*stream).read_cb = None;
        (*stream).alloc_cb = None;
    }
    0
}

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
    if !(1..=MOST_BUFS).contains(&nbufs) {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: the caller's promise; the array is copied to a place of the request's, since the program's may go.
    unsafe {
        let face = match door::begin(req, UV_WRITE) {
            Ok(face) => face,
            Err(errno) => return -errno.raw(),
        };
        let count = nbufs as usize;
        let list = keep_bufs((&raw mut (*req).bufsml).cast(), bufs, count);
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
                free_bufs(req);
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

/// Copies an array of buffers to `own`, which has room for four, or to a block of the allocator. NULL if there is none.
///
/// # Safety
/// `bufs` has `count` elements, `own` room for four.
pub(crate) unsafe fn keep_bufs(own: *mut uv_buf_t, bufs: *const uv_buf_t, count: usize) -> *mut uv_buf_t {
    const OWN: usize = 4;
    let list = if count <= OWN { own } else { allocator::malloc(count * size_of::<uv_buf_t>()).cast() };
    if !list.is_null() {
        // SAFETY: the caller's promise, and the block is as long.
        unsafe { list.copy_from_nonoverlapping(bufs, count) };
    }
    list
}

/// Lets go of a write's array of buffers.
///
/// # Safety
/// `request` is a write whose `bufs` were set by [`uv_write2`].
unsafe fn free_bufs(request: *mut uv_write_t) {
    // SAFETY: the caller's promise.
    unsafe {
        if (*request).bufs != (&raw mut (*request).bufsml).cast() {
            allocator::free((*request).bufs.cast());
        }
        (*request).bufs = ptr::null_mut();
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
            let slices = if nbufs > MOST_BUFS { &[] } else { slices(bufs, nbufs as usize) };
            match passed(stream, send_handle)? {
                None => core.stream_try_write(id, slices),
                Some(passed) => core.stream_try_write_with_handle(id, slices, passed),
            }
        })
    };
    match written {
        Ok(count) => count as c_int,
        Err(errno) => -errno.raw(),
    }
}

/// The program's array of buffers as the kernel's.
///
/// # Safety
/// `bufs` is an array of so many, whose bytes stay as long as the slices are used.
pub(crate) unsafe fn slices<'a>(bufs: *const uv_buf_t, count: usize) -> &'a [IoSlice<'a>] {
    if bufs.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise; a `uv_buf_t` and an `IoSlice` are both laid out as `struct iovec`.
    unsafe { slice::from_raw_parts(bufs.cast(), count) }
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

/// Whether the stream can be read.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_is_readable(stream: *const uv_stream_t) -> c_int {
    // SAFETY: the caller's promise.
    c_int::from(unsafe { (*stream).handle.flags } & flag::READABLE != 0)
}

/// Whether the stream can be written to.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_is_writable(stream: *const uv_stream_t) -> c_int {
    // SAFETY: the caller's promise.
    c_int::from(unsafe { (*stream).handle.flags } & flag::WRITABLE != 0)
}

/// Makes the stream's descriptor block, or not.
///
/// # Safety
/// `stream` is an initialised stream handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_stream_set_blocking(stream: *mut uv_stream_t, blocking: c_int) -> c_int {
    // SAFETY: the caller's promise.
    door::status(unsafe { door::with_handle(stream, |core, id| core.stream_set_blocking(id, blocking != 0)) })
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
        tell_read(stream, nread, &buf);
    }
}

/// Tells what came of reading. After an end or an error the stream is another one, and is shown so before.
///
/// # Safety
/// The head of this file.
unsafe fn tell_read(stream: *mut uv_stream_t, nread: ssize_t, buf: &uv_buf_t) {
    // SAFETY: the head of this file.
    unsafe {
        let read_cb = (*stream).read_cb;
        if nread < 0 {
            show(stream);
        }
        if let Some(call) = read_cb {
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
        (*stream).connect_req = ptr::null_mut();
        if (*stream).handle.flags & flag::CLOSING == 0 {
            show(stream);
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
        free_bufs(request);
        if let Some(call) = (*request).cb {
            call(request, (*request).error);
        }
    }
}
