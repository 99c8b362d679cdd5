//! Listening streams, and accepting connections and file descriptors received through an IPC pipe.
//!
//! # Without free file descriptors
//! The loop has a spare file descriptor for the case that no other is free (`src/unix/stream.c: uv__emfile_trick`). It
//! closes the spare, accepts and closes all waiting connections, so that their peers notice the overload, and opens the
//! spare again. If that fails (another thread took the descriptor, or there never was a spare) the listener backs off
//! for [`BACKOFF_MS`]: a connection that cannot be accepted stays readable, and the loop would spin. Meanwhile the
//! connections wait in the kernel's backlog.

use phasor_sys::socket::{self, Transport, UdpBind};
use phasor_sys::{Errno, Fd, Result, file};

use super::{Flags, HandleId, Kind, Stream};
use crate::event::Event;
use crate::face::Face;
use crate::platform::Readiness;
use crate::state::Loop;

/// How long a listener pauses after it could not accept.
const BACKOFF_MS: u64 = 20;

/// The listeners that pause, and the loop's spare file descriptor.
#[derive(Default)]
pub(crate) struct AcceptBackoff {
    spare: Option<Fd>,
    /// The paused listeners and when they continue, ordered by time.
    listeners: Vec<(HandleId, u64)>,
}

impl AcceptBackoff {
    /// The time until the first listener continues.
    #[inline]
    pub(crate) fn ends_in(&self, now_ms: u64) -> Option<u64> {
        self.listeners.first().map(|&(_, until_ms)| until_ms.saturating_sub(now_ms))
    }

    fn ensure_spare(&mut self) {
        if self.spare.is_none() {
            self.spare = file::open(c"/dev/null", 0, 0).or_else(|_| file::open(c"/", 0, 0)).ok();
        }
    }
}

impl Stream {
    /// Stores file descriptors that were received through an IPC pipe, until they are accepted.
    pub(super) fn take_passed(&mut self, passed: Vec<Fd>) {
        for fd in passed {
            match self.accepted {
                None => self.accepted = Some(fd),
                Some(_) => self.rare().passed.push_back(fd),
            }
        }
    }
}

impl<F: Face> Loop<F> {
    /// Starts listening. Each connection is an [`Event::Connection`]. `backlog` is the length of the kernel's queue.
    ///
    /// An unbound tcp handle gets a free port; a delayed error of binding is returned here. `EINVAL` for an unbound
    /// pipe, an IPC pipe, a tty, and a closing stream.
    #[doc(alias = "uv_listen")]
    pub fn stream_listen(&mut self, id: HandleId, backlog: i32) -> Result<()> {
        match self.handles.open_stream_mut(id)?.kind {
            Kind::Tcp => self.tcp_ready_to_listen(id)?,
            Kind::Pipe => self.pipe_ready_to_listen(id)?,
            _ => return Err(Errno::EINVAL),
        }
        let stream = self.handles.open_stream_mut(id)?;
        socket::listen(stream.fd()?, backlog)?;
        stream.flags.add(Flags::LISTENING);
        stream.flags.add(Flags::BOUND);
        let waits = stream.accepted.is_some();
        if !waits {
            self.add_interest(id, Readiness::READABLE);
        }
        self.activate(id);
        self.accept_backoff.ensure_spare();
        Ok(())
    }

    /// Accepts one connection for one readiness, so that no listener starves others (`src/unix/stream.c:
    /// uv__server_io`).
    pub(super) fn listener_ready(&mut self, id: HandleId) -> Option<Event<F>> {
        let stream = self.handles.stream_mut(id).ok()?;
        // The kind of readiness does not matter: `accept` returns errors too, and an error that is never fetched would
        // be reported forever.
        if stream.accepted.is_some() {
            return None;
        }
        match socket::accept(stream.fd().ok()?) {
            Ok(fd) => {
                stream.accepted = Some(fd);
                Some(Event::Connection(id, Ok(())))
            }
            // The connection is gone, or a firewall forbids it.
            Err(Errno::EAGAIN | Errno::ECONNABORTED | Errno::EPROTO | Errno::EPERM) => None,
            Err(Errno::EMFILE | Errno::ENFILE) if self.shed_connections(id) => None,
            Err(_) => {
                self.back_off(id);
                None
            }
        }
    }

    /// If the callback did not accept the connection, the listener pauses until the connection is accepted.
    pub(super) fn after_connection_event(&mut self, id: HandleId) {
        if !self.is_closing(id) && self.handles.stream(id).is_ok_and(|stream| stream.accepted.is_some()) {
            self.remove_interest(id, Readiness::READABLE);
        }
    }

    /// Closes all waiting connections with the help of the spare file descriptor. Returns false if that is not
    /// possible.
    fn shed_connections(&mut self, id: HandleId) -> bool {
        let Some(spare) = self.accept_backoff.spare.take() else {
            self.accept_backoff.ensure_spare();
            return false;
        };
        drop(spare);
        let shed = loop {
            let Ok(fd) = self.handles.stream(id).and_then(Stream::fd) else { break false };
            match socket::accept(fd) {
                Ok(connection) => drop(connection),
                Err(Errno::EAGAIN) => break true,
                // The peer has already closed the connection.
                Err(Errno::ECONNABORTED | Errno::EPROTO | Errno::EPERM) => {}
                Err(_) => break false,
            }
        };
        self.accept_backoff.ensure_spare();
        shed
    }

    fn back_off(&mut self, id: HandleId) {
        self.remove_interest(id, Readiness::READABLE);
        self.accept_backoff.listeners.push((id, self.now_ms + BACKOFF_MS));
    }

    /// Resumes listeners whose pause is over.
    #[inline]
    pub(crate) fn resume_listeners(&mut self) {
        while let Some(&(id, until_ms)) = self.accept_backoff.listeners.first()
            && until_ms <= self.now_ms
        {
            self.accept_backoff.listeners.remove(0);
            self.accept_backoff.ensure_spare();
            let listens = self
                .handles
                .stream(id)
                .is_ok_and(|stream| stream.flags.has(Flags::LISTENING) && stream.accepted.is_none());
            if listens {
                self.add_interest(id, Readiness::READABLE);
            }
        }
    }

    /// Moves the connection of a listener, or a file descriptor received through an IPC pipe, into a new handle.
    ///
    /// `EAGAIN` if there is nothing to accept. `EINVAL` if the handle is closing or its kind does not fit. `EBUSY` if
    /// it has a file descriptor; in that case the accepted descriptor is closed.
    #[doc(alias = "uv_accept")]
    pub fn stream_accept(&mut self, server: HandleId, client: HandleId) -> Result<()> {
        if self.handles.stream(server)?.accepted.is_none() {
            return Err(Errno::EAGAIN);
        }
        let kind = self.handles.open_mut(client)?.body.kind();
        if !matches!(kind, Kind::Pipe | Kind::Tcp | Kind::Udp) {
            return Err(Errno::EINVAL);
        }
        let stream = self.handles.open_stream_mut(server)?;
        let fd = stream.accepted.take().ok_or(Errno::EAGAIN)?;
        if kind == Kind::Udp {
            // `SO_REUSEADDR` is set like in `uv_udp_open`: the sender of the socket may continue to use it.
            let how = UdpBind { reuse_address: true, ..UdpBind::default() };
            let result = self.udp_adopt(client, fd, how).map_err(|(errno, _)| errno);
            self.next_to_accept(server);
            return result;
        }
        // An accepted connection is a socket; a received file descriptor may be anything.
        let transport = if stream.flags.has(Flags::LISTENING) { Transport::Socket } else { Transport::of(&fd) };
        let mut flags = Flags::DUPLEX;
        flags.add(Flags::BOUND);
        let result = self.stream_attach_fd(client, fd, transport, flags).map_err(|(errno, _)| errno);
        self.next_to_accept(server);
        result
    }

    /// Makes the next received file descriptor available, or continues listening.
    fn next_to_accept(&mut self, server: HandleId) {
        let Ok(stream) = self.handles.stream_mut(server) else { return };
        if let Some(rare) = &mut stream.rare {
            stream.accepted = rare.passed.pop_front();
        }
        if stream.accepted.is_none() && stream.flags.has(Flags::LISTENING) {
            self.add_interest(server, Readiness::READABLE);
        }
    }
}
