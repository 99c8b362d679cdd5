//! Streams: what tcp, pipe and tty handles have in common. This file has their state and their descriptors; the rest
//! of the folder one thing each: `turn` what happens when one is ready, `read`, `write`, `listen`, `connect`,
//! `shutdown`. What only one kind can do is in that kind's file beside the folder.
//!
//! # Ground rules
//! - An idle connection is one small box. Queued writes are requests of the loop, chained by place ([`Queue`]); what
//!   few streams need is in [`Rare`].
//! - No outcome is synchronous: what is finished at once is *fed* to the pending phase, which treats the stream as if
//!   it had become writable. As `uv__io_feed`.
//! - A stream whose `fd` is none is not open yet, or closed: every operation that needs a descriptor answers `EBADF`.

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
use super::{Body, HandleId, Handles, Kind, Watch};
use crate::face::Face;
use crate::requests::{Queue, RequestId};
use crate::state::Loop;

/// The state of a stream.
pub(crate) struct Stream {
    pub(crate) watch: Watch,
    /// Owns the descriptor that `watch` names.
    pub(super) fd: Option<Fd>,
    pub(super) flags: Flags,
    pub(crate) kind: Kind,
    /// Writes that are not all written.
    queued: Queue,
    /// Writes that are, or failed, and have not been reported.
    done: Queue,
    /// How many bytes of the queued writes are not written, and of the failed ones that are not reported.
    queued_bytes: usize,
    pub(super) connect: Option<RequestId>,
    shutdown: Option<RequestId>,
    /// An error of binding or connecting that is told later.
    pub(super) delayed_error: Option<Errno>,
    /// A connection, or a descriptor that came through an IPC pipe, which nobody has accepted.
    pub(super) accepted: Option<Fd>,
    pub(super) rare: Option<Box<Rare>>,
}

/// What few streams need.
#[derive(Default)]
pub(super) struct Rare {
    /// The file of a bound pipe, to be unlinked.
    pub(super) path: Option<CString>,
    /// Descriptors that came through an IPC pipe, behind `accepted`.
    pub(super) passed: VecDeque<Fd>,
    /// Asked for before there was a descriptor.
    pub(super) keepalive: Option<Keepalive>,
    /// The mode of a terminal.
    pub(super) tty: tty::Settings,
}

/// Yes-or-no facts of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flags(u16);

#[rustfmt::skip]
impl Flags {
    pub(super) const NONE: Flags = Flags(0);
    pub(super) const READABLE: Flags = Flags(1);
    pub(super) const WRITABLE: Flags = Flags(1 << 1);
    /// Both directions.
    pub(super) const DUPLEX: Flags = Flags(0b11);
    /// Between `read_start` and `read_stop`, end or error.
    pub(super) const READING: Flags = Flags(1 << 2);
    /// The end was read.
    pub(super) const ENDED: Flags = Flags(1 << 3);
    /// The last read filled its buffer.
    pub(super) const FILLED: Flags = Flags(1 << 4);
    /// The last read failed: reading stops after the face was told.
    pub(super) const FAILED: Flags = Flags(1 << 5);
    /// `shutdown(2)` was called.
    pub(super) const SHUT: Flags = Flags(1 << 6);
    pub(super) const LISTENING: Flags = Flags(1 << 7);
    pub(super) const BOUND: Flags = Flags(1 << 8);
    /// The descriptor blocks, so writes are never put off.
    pub(super) const BLOCKING_WRITES: Flags = Flags(1 << 9);
    /// The descriptor is no socket.
    pub(super) const PLAIN: Flags = Flags(1 << 10);
    /// A pipe that descriptors may come through.
    pub(super) const IPC: Flags = Flags(1 << 11);
    /// Asked for before there was a descriptor.
    pub(super) const NODELAY: Flags = Flags(1 << 12);
    /// The last read got something, and less than there was room for.
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

/// A loop that is dropped leaves no file, no terminal in raw mode behind.
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
            queued: Queue::EMPTY,
            done: Queue::EMPTY,
            queued_bytes: 0,
            connect: None,
            shutdown: None,
            delayed_error: None,
            accepted: None,
            rare: None,
        }
    }

    /// As `uv__stream_close`, `uv__pipe_close`, `uv__tty_close`: the file's name goes before the descriptor, so that
    /// nobody else's file of that name is hit, and a terminal's mode while there is still a descriptor to put it back.
    fn release(&mut self) {
        if let Some(path) = self.rare.as_mut().and_then(|rare| rare.path.take()) {
            // Gone already is as good.
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

    pub(super) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Does what was asked of a tcp handle before it had a socket.
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
            Body::Stream(stream) => Ok(stream),
            _ => Err(Errno::EBADF),
        }
    }

    #[inline]
    pub(super) fn stream_mut(&mut self, id: HandleId) -> Result<&mut Stream> {
        match &mut self.get_mut(id)?.body {
            Body::Stream(stream) => Ok(stream),
            _ => Err(Errno::EBADF),
        }
    }

    /// As [`Handles::stream_mut`], for operations that a closing stream refuses.
    pub(super) fn open_stream_mut(&mut self, id: HandleId) -> Result<&mut Stream> {
        match &mut self.open_mut(id)?.body {
            Body::Stream(stream) => Ok(stream),
            _ => Err(Errno::EBADF),
        }
    }

    /// A stream of one kind that is not closing.
    pub(super) fn open_kind_mut(&mut self, id: HandleId, kind: Kind) -> Result<&mut Stream> {
        let stream = self.open_stream_mut(id)?;
        if stream.kind == kind { Ok(stream) } else { Err(Errno::EBADF) }
    }
}

impl<F: Face> Loop<F> {
    pub(super) fn stream_open(&mut self, kind: Kind, flags: Flags, face: F::Handle) -> HandleId {
        self.open(Body::Stream(Box::new(Stream::new(kind, flags))), face)
    }

    /// Gives a stream its descriptor, and the directions it can be used in. If this fails the descriptor comes back.
    ///
    /// As `uv__stream_open`: `EBUSY` if it has one. What was asked of a socket before it was there is done now.
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

    /// Takes over a descriptor that a program brought. If this fails it comes back.
    ///
    /// As `uv_tcp_open` and `uv_pipe_open`: `EEXIST` if a handle of this loop watches it, `EBUSY` if the stream has
    /// another. Its own once more only adds directions.
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

    /// What closing does at once: everything that the system holds is released. Requests stay until the closing phase.
    pub(super) fn stream_close(&mut self, id: HandleId) {
        self.unwatch(id);
        let Ok(stream) = self.handles.stream_mut(id) else { return };
        stream.flags.remove(Flags(Flags::DUPLEX.0 | Flags::READING.0 | Flags::LISTENING.0));
        stream.release();
        stream.watch = Watch::new(-1);
    }

    /// Whether the stream can be read. A stale id cannot.
    #[doc(alias = "uv_is_readable")]
    pub fn stream_is_readable(&self, id: HandleId) -> bool {
        self.handles.stream(id).is_ok_and(|stream| stream.flags.has(Flags::READABLE))
    }

    /// Whether the stream can be written to. A stale id cannot.
    #[doc(alias = "uv_is_writable")]
    pub fn stream_is_writable(&self, id: HandleId) -> bool {
        self.handles.stream(id).is_ok_and(|stream| stream.flags.has(Flags::WRITABLE))
    }

    /// Lets a stream be used in a direction that its descriptor was not opened for, besides those it was. uvloop reads from
    /// the end of a pipe that it writes to, and so learns at once when the other end goes.
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

    /// Makes the stream's descriptor block, or not. With one that does, a write holds the loop up until it is written.
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
        // What an allocator adds to a box, at most.
        const OVERHEAD: usize = 16;
        let bytes = Slab::<Handle<Pointers>>::SLOT_BYTES + size_of::<Stream>() + OVERHEAD;
        assert!(bytes < UV_TCP_T, "{bytes}");
    }
}
