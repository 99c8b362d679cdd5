//! Streams: the common parts of tcp, pipe and tty handles. This file has their state and their file descriptors. `io`
//! has the stages of handling one readiness. `read`, `write`, `listen`, `connect` and `shutdown` have one operation
//! each. Operations that only one kind supports are in the file of that kind.
//!
//! # Ground rules
//! - An idle connection is one small box. Queued writes are requests of the loop, linked by index ([`RequestQueue`]). State
//!   that few streams need is in [`Rare`].
//! - No outcome is synchronous. If an operation finishes at once, its stream is *fed* to the pending phase, which
//!   handles the stream as if it had become writable (`src/unix/core.c: uv__io_feed`).
//! - A stream whose `fd` is `None` was not opened yet or is closed: operations that need a file descriptor return
//!   `EBADF`.

mod connect;
mod io;
mod listen;
mod read;
mod shutdown;
mod write;

use std::collections::VecDeque;
use std::ffi::CString;
use std::os::fd::AsRawFd;

use phasor_sys::socket::{self, Keepalive, Transport};
use phasor_sys::{Errno, Fd, Result, fd, file, tty};

pub(crate) use self::io::StreamIo;
pub(crate) use self::listen::AcceptBackoff;
pub(crate) use self::write::Write;
use super::{HandleBody, HandleId, Handles, Kind, Watch};
use crate::describe::{self, StreamDetail};
use crate::face::Face;
use crate::requests::{RequestId, RequestQueue};
use crate::state::Loop;

/// The state of a stream.
pub(crate) struct Stream {
    pub(crate) watch: Watch,
    /// The owner of the file descriptor in `watch`.
    pub(super) fd: Option<Fd>,
    pub(super) flags: Flags,
    pub(crate) kind: Kind,
    /// Writes that are not completely written.
    queued: RequestQueue,
    /// Writes that are complete or failed, and were not reported.
    done: RequestQueue,
    /// The unwritten bytes of queued writes, and of failed writes that were not reported.
    queued_bytes: usize,
    pub(super) connect: Option<RequestId>,
    shutdown: Option<RequestId>,
    /// An error of `bind` or `connect` that is reported later (`delayed_error` in libuv).
    pub(super) delayed_error: Option<Errno>,
    /// A connection, or a file descriptor received through an IPC pipe, that was not accepted yet.
    pub(super) accepted: Option<Fd>,
    pub(super) rare: Option<Box<Rare>>,
}

/// State that few streams need.
#[derive(Default)]
pub(super) struct Rare {
    /// The path of a bound pipe, which is unlinked when the stream is closed.
    pub(super) path: Option<CString>,
    /// The other file descriptors received through an IPC pipe, which follow `accepted`.
    pub(super) passed: VecDeque<Fd>,
    /// Keepalive options that were set before there was a socket.
    pub(super) keepalive: Option<Keepalive>,
    /// The mode of a terminal.
    pub(super) tty: tty::Settings,
}

/// Flags of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flags(u16);

#[rustfmt::skip]
impl Flags {
    pub(super) const NONE: Flags = Flags(0);
    pub(super) const READABLE: Flags = Flags(1);
    pub(super) const WRITABLE: Flags = Flags(1 << 1);
    /// The stream is readable and writable.
    pub(super) const DUPLEX: Flags = Flags(0b11);
    /// The stream is being read: after `read_start`, until `read_stop`, end of file or an error.
    pub(super) const READING: Flags = Flags(1 << 2);
    /// End of file was reported.
    pub(super) const ENDED: Flags = Flags(1 << 3);
    /// The last read filled its buffer.
    pub(super) const FILLED: Flags = Flags(1 << 4);
    /// The last read failed: reading stops after the callback.
    pub(super) const FAILED: Flags = Flags(1 << 5);
    /// `shutdown(2)` was called.
    pub(super) const SHUT: Flags = Flags(1 << 6);
    pub(super) const LISTENING: Flags = Flags(1 << 7);
    pub(super) const BOUND: Flags = Flags(1 << 8);
    /// The file descriptor blocks, so writes are never queued.
    pub(super) const BLOCKING_WRITES: Flags = Flags(1 << 9);
    /// The file descriptor is not a socket.
    pub(super) const PLAIN: Flags = Flags(1 << 10);
    /// The stream is a pipe that can pass file descriptors.
    pub(super) const IPC: Flags = Flags(1 << 11);
    /// `TCP_NODELAY` was set before there was a socket.
    pub(super) const NODELAY: Flags = Flags(1 << 12);
    /// The last read returned data, but did not fill the buffer.
    pub(super) const PARTIAL: Flags = Flags(1 << 13);

    #[inline]
    pub(super) fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    #[inline]
    pub(super) fn add(&mut self, other: Flags) {
        self.0 |= other.0;
    }

    #[inline]
    pub(super) fn remove(&mut self, other: Flags) {
        self.0 &= !other.0;
    }

    pub(super) fn set(&mut self, other: Flags, on: bool) {
        if on { self.add(other) } else { self.remove(other) }
    }
}

/// Dropping a loop removes socket files and restores terminals from raw mode.
impl Drop for Stream {
    fn drop(&mut self) {
        self.release();
    }
}

impl Stream {
    fn new(kind: Kind, flags: Flags) -> Stream {
        Stream {
            watch: Watch::new(-1),
            fd: None,
            flags,
            kind,
            queued: RequestQueue::EMPTY,
            done: RequestQueue::EMPTY,
            queued_bytes: 0,
            connect: None,
            shutdown: None,
            delayed_error: None,
            accepted: None,
            rare: None,
        }
    }

    /// Releases the resources of a closed stream (`src/unix/pipe.c: uv__pipe_close`, `src/unix/tty.c: uv__tty_close`).
    /// The socket file is unlinked before the file descriptor is closed, so that a new file with the same name is not
    /// removed. The terminal's mode is restored before its file descriptor is closed.
    fn release(&mut self) {
        if let Some(path) = self.rare.as_mut().and_then(|rare| rare.path.take()) {
            // Errors are ignored: the program may have unlinked the socket file.
            let _ = file::unlink(&path);
        }
        if let Some(fd) = self.fd.take()
            && self.kind == Kind::Tty
        {
            tty::restore_before_close(fd.as_raw_fd());
        }
        self.accepted = None;
        self.rare = None;
    }

    pub(super) fn fd(&self) -> Result<&Fd> {
        self.fd.as_ref().ok_or(Errno::EBADF)
    }

    /// Describes the stream, with its addresses.
    pub(crate) fn describe(&self) -> StreamDetail {
        let (local, peer) = self.fd.as_ref().map_or((None, None), describe::addresses);
        let path = self.fd.as_ref().filter(|_| local.is_none()).and_then(describe::path_of);
        StreamDetail {
            is_listening: self.flags.has(Flags::LISTENING),
            is_connecting: self.connect.is_some(),
            is_reading: self.flags.has(Flags::READING),
            local,
            peer,
            path,
            queued_bytes: self.queued_bytes,
        }
    }

    pub(super) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Applies the options that were set before the stream had a socket.
    fn apply_deferred_options(&self, fd: &Fd) -> Result<()> {
        if self.flags.has(Flags::NODELAY) {
            socket::set_nodelay(fd, true)?;
        }
        match self.rare.as_ref().and_then(|rare| rare.keepalive) {
            Some(keepalive) => socket::set_keepalive(fd, Some(keepalive)),
            None => Ok(()),
        }
    }

    fn transport(&self) -> Transport {
        if self.flags.has(Flags::PLAIN) { Transport::Plain } else { Transport::Socket }
    }
}

impl<F: Face> Handles<F> {
    #[inline]
    pub(super) fn stream(&self, id: HandleId) -> Result<&Stream> {
        match &self.get(id)?.body {
            HandleBody::Stream(stream) => Ok(stream),
            _ => Err(Errno::EBADF),
        }
    }

    #[inline]
    pub(super) fn stream_mut(&mut self, id: HandleId) -> Result<&mut Stream> {
        match &mut self.get_mut(id)?.body {
            HandleBody::Stream(stream) => Ok(stream),
            _ => Err(Errno::EBADF),
        }
    }

    /// Looks a stream up like [`Handles::stream_mut`], but refuses a closing stream.
    pub(super) fn open_stream_mut(&mut self, id: HandleId) -> Result<&mut Stream> {
        match &mut self.open_mut(id)?.body {
            HandleBody::Stream(stream) => Ok(stream),
            _ => Err(Errno::EBADF),
        }
    }

    /// Looks a stream up like [`Handles::open_stream_mut`], but refuses other kinds.
    pub(super) fn open_kind_mut(&mut self, id: HandleId, kind: Kind) -> Result<&mut Stream> {
        let stream = self.open_stream_mut(id)?;
        if stream.kind == kind { Ok(stream) } else { Err(Errno::EBADF) }
    }
}

impl<F: Face> Loop<F> {
    pub(super) fn stream_open(&mut self, kind: Kind, flags: Flags, face: F::Handle) -> HandleId {
        self.open(HandleBody::Stream(Box::new(Stream::new(kind, flags))), face)
    }

    /// Gives a stream its file descriptor and its directions (`src/unix/stream.c: uv__stream_open`). Returns the file
    /// descriptor on failure.
    ///
    /// `EBUSY` if the stream has a file descriptor. Options that were set earlier are applied.
    pub(super) fn stream_attach_fd(
        &mut self,
        id: HandleId,
        fd: Fd,
        transport: Transport,
        flags: Flags,
    ) -> Result<(), (Errno, Fd)> {
        let stream = match self.handles.open_stream_mut(id) {
            Ok(stream) if stream.fd.is_none() => stream,
            Ok(_) => return Err((Errno::EBUSY, fd)),
            Err(errno) => return Err((errno, fd)),
        };
        if stream.kind == Kind::Tcp
            && let Err(errno) = stream.apply_deferred_options(&fd)
        {
            return Err((errno, fd));
        }
        stream.flags.add(flags);
        stream.flags.set(Flags::PLAIN, transport == Transport::Plain);
        if transport == Transport::Plain && !F::KEEPS_SIGPIPE {
            socket::ignore_sigpipe_once();
        }
        stream.watch = Watch::new(fd.as_raw_fd());
        stream.fd = Some(fd);
        Ok(())
    }

    /// Takes over a file descriptor of the user (`uv_tcp_open`, `uv_pipe_open`). On failure, the file descriptor is
    /// returned.
    ///
    /// `EEXIST` if a handle of this loop watches the file descriptor, `EBUSY` if the stream has another one. If a
    /// stream adopts its own file descriptor again, only directions are added.
    pub(super) fn stream_adopt(&mut self, id: HandleId, fd: Fd, flags: Flags) -> Result<(), (Errno, Fd)> {
        let raw = fd.as_raw_fd();
        let usable = self.check_unwatched(raw).and_then(|()| self.platform.set_nonblocking(raw));
        match usable.and_then(|()| self.handles.open_stream_mut(id)) {
            Err(errno) => return Err((errno, fd)),
            Ok(stream) if stream.fd.as_ref().is_some_and(|own| own.as_raw_fd() == raw) => {
                stream.flags.add(flags);
                fd.release();
                return Ok(());
            }
            Ok(_) => {}
        }
        let transport = Transport::of(&fd);
        self.stream_attach_fd(id, fd, transport, flags)
    }

    /// The synchronous part of closing: releases all system resources. Requests stay until the closing phase.
    pub(super) fn stream_close(&mut self, id: HandleId) {
        self.unwatch(id);
        let Ok(stream) = self.handles.stream_mut(id) else { return };
        stream.flags.remove(Flags(Flags::DUPLEX.0 | Flags::READING.0 | Flags::LISTENING.0));
        stream.release();
        stream.watch = Watch::new(-1);
    }

    /// Whether the stream is readable. False for a stale id.
    #[doc(alias = "uv_is_readable")]
    pub fn stream_is_readable(&self, id: HandleId) -> bool {
        self.handles.stream(id).is_ok_and(|stream| stream.flags.has(Flags::READABLE))
    }

    /// Whether the stream is writable. False for a stale id.
    #[doc(alias = "uv_is_writable")]
    pub fn stream_is_writable(&self, id: HandleId) -> bool {
        self.handles.stream(id).is_ok_and(|stream| stream.flags.has(Flags::WRITABLE))
    }

    /// Adds directions that the file descriptor was not opened for. uvloop reads from the write end of a pipe to learn
    /// at once that the read end was closed.
    #[doc(alias = "UV_HANDLE_READABLE")]
    #[doc(alias = "UV_HANDLE_WRITABLE")]
    pub fn stream_add_directions(&mut self, id: HandleId, readable: bool, writable: bool) -> Result<()> {
        let stream = self.handles.open_stream_mut(id)?;
        if readable {
            stream.flags.add(Flags::READABLE);
        }
        if writable {
            stream.flags.add(Flags::WRITABLE);
        }
        Ok(())
    }

    /// Makes the stream's file descriptor blocking or nonblocking. With a blocking descriptor, a write blocks the loop.
    #[doc(alias = "uv_stream_set_blocking")]
    pub fn stream_set_blocking(&mut self, id: HandleId, blocking: bool) -> Result<()> {
        let raw = self.handles.stream(id)?.fd()?.as_raw_fd();
        fd::set_nonblocking(raw, !blocking)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::Pointers;
    use crate::handles::Handle;
    use crate::slab::Slab;

    #[test]
    fn an_idle_connection_is_smaller_than_uv_tcp_t() {
        const UV_TCP_T: usize = 248;
        // The most bytes that an allocation adds as overhead.
        const OVERHEAD: usize = 16;
        let bytes = Slab::<Handle<Pointers>>::SLOT_BYTES + size_of::<Stream>() + OVERHEAD;
        assert!(bytes < UV_TCP_T, "{bytes}");
    }
}
