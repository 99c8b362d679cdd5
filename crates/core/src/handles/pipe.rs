//! Pipe handles: streams over Unix sockets, FIFOs and pipes, which can pass file descriptors.

use std::ffi::CString;
use std::os::fd::{AsRawFd, RawFd};

use phasor_sys::socket::{self, Address, Domain, Progress, Transport, UnixName};
use phasor_sys::tty::{self, Kind as FdKind};
use phasor_sys::{Errno, Fd, Result};

use super::stream::{Flags, Stream};
use super::{HandleId, Kind};
use crate::event::Refused;
use crate::face::Face;
use crate::requests::RequestId;
use crate::state::Loop;

impl<F: Face> Loop<F> {
    /// Opens a pipe handle. With `ipc`, the handle can pass file descriptors and cannot listen.
    #[doc(alias = "uv_pipe_init")]
    pub fn pipe_open(&mut self, ipc: bool, face: F::Handle) -> HandleId {
        self.stream_open(Kind::Pipe, if ipc { Flags::IPC } else { Flags::NONE }, face)
    }

    /// Takes over a file descriptor, which is made nonblocking and closed with the handle. Its access mode determines
    /// whether the stream is readable and writable. On failure, the file descriptor is returned.
    ///
    /// `EEXIST` if a handle of this loop watches the file descriptor, `EBUSY` if this handle already has one.
    #[doc(alias = "uv_pipe_open")]
    pub fn pipe_adopt(&mut self, id: HandleId, fd: Fd) -> Result<(), (Errno, Fd)> {
        match self.pipe_directions(id, fd.as_raw_fd()) {
            Ok(flags) => self.stream_adopt(id, fd, flags),
            Err(errno) => Err((errno, fd)),
        }
    }

    fn pipe_directions(&mut self, id: HandleId, raw: RawFd) -> Result<Flags> {
        self.handles.open_kind_mut(id, Kind::Pipe)?;
        self.check_unwatched(raw)?;
        let access = socket::access_of(raw)?;
        let mut flags = Flags::NONE;
        flags.set(Flags::READABLE, access.readable);
        flags.set(Flags::WRITABLE, access.writable);
        Ok(flags)
    }

    /// Binds to a name: a path, or an abstract name, which begins with NUL. With an empty name the kernel chooses an
    /// abstract name. Closing the handle unlinks the file of a path.
    ///
    /// A name that is too long is truncated, or `EINVAL` with `no_truncate`. `EACCES` if the directory does not exist.
    /// `EINVAL` for a NUL inside a path, and for a handle with a socket.
    #[doc(alias = "uv_pipe_bind")]
    #[doc(alias = "uv_pipe_bind2")]
    pub fn pipe_bind(&mut self, id: HandleId, name: &[u8], no_truncate: bool) -> Result<()> {
        let stream = self.handles.open_kind_mut(id, Kind::Pipe)?;
        let name = unix_name(name, no_truncate)?;
        if stream.fd.is_some() {
            return Err(Errno::EINVAL);
        }
        let path = match name.path() {
            Some(path) => Some(CString::new(path).map_err(|_| Errno::EINVAL)?),
            None => None,
        };
        let fd = socket::stream_socket(Domain::Unix)?;
        socket::bind(&fd, &Address::Unix(name)).map_err(|errno| match errno {
            // libuv maps the error to that of Windows (`src/unix/pipe.c: uv_pipe_bind2`).
            Errno::ENOENT => Errno::EACCES,
            other => other,
        })?;
        self.stream_attach_fd(id, fd, Transport::Socket, Flags::BOUND).map_err(|(errno, _)| errno)?;
        if path.is_some() {
            self.handles.open_kind_mut(id, Kind::Pipe)?.rare().path = path;
        }
        Ok(())
    }

    /// Connects to a name. All errors about the name are reported by [`Outcome::Connect`](crate::Outcome::Connect) in
    /// the pending phase. `EALREADY` while a connect is in progress.
    #[doc(alias = "uv_pipe_connect")]
    pub fn pipe_connect(
        &mut self,
        id: HandleId,
        name: &[u8],
        request: F::Request,
    ) -> Result<RequestId, Refused<F, ()>> {
        let begun = self.pipe_begin(id, connect_name(name, false));
        self.start_connect(id, begun, request)
    }

    /// Connects like [`Loop::pipe_connect`], but returns `EINVAL` at once for an invalid name. With `no_truncate`, a
    /// name that is too long is invalid.
    #[doc(alias = "uv_pipe_connect2")]
    pub fn pipe_connect_checked(
        &mut self,
        id: HandleId,
        name: &[u8],
        no_truncate: bool,
        request: F::Request,
    ) -> Result<RequestId, Refused<F, ()>> {
        let begun = match connect_name(name, no_truncate) {
            Ok(name) => self.pipe_begin(id, Ok(name)),
            Err(errno) => Err(errno),
        };
        self.start_connect(id, begun, request)
    }

    /// Begins to connect. `Ok(Some(errno))` is an error that is reported later.
    fn pipe_begin(&mut self, id: HandleId, name: Result<UnixName>) -> Result<Option<Errno>> {
        let stream = self.handles.open_kind_mut(id, Kind::Pipe)?;
        if stream.connect.is_some() {
            return Err(Errno::EALREADY);
        }
        Ok(name.and_then(|name| self.pipe_reach(id, name)).err())
    }

    fn pipe_reach(&mut self, id: HandleId, name: UnixName) -> Result<()> {
        let stream = self.handles.open_kind_mut(id, Kind::Pipe)?;
        let new = stream.fd.is_none();
        if new {
            let fd = socket::stream_socket(Domain::Unix)?;
            self.stream_attach_fd(id, fd, Transport::Socket, Flags::NONE).map_err(|(errno, _)| errno)?;
        }
        let stream = self.handles.open_kind_mut(id, Kind::Pipe)?;
        match socket::connect(stream.fd()?, &Address::Unix(name))? {
            Progress::Done | Progress::Pending if new => stream.flags.add(Flags::DUPLEX),
            Progress::Done | Progress::Pending => {}
        }
        Ok(())
    }

    /// Prepares listening: checks that there is a socket, and that it is not an IPC pipe.
    pub(super) fn pipe_ready_to_listen(&mut self, id: HandleId) -> Result<()> {
        let stream = self.handles.stream(id)?;
        if stream.fd.is_none() || stream.flags.has(Flags::IPC) { Err(Errno::EINVAL) } else { Ok(()) }
    }

    /// The local name; empty if the pipe has no name.
    #[doc(alias = "uv_pipe_getsockname")]
    pub fn pipe_local_name(&self, id: HandleId) -> Result<Vec<u8>> {
        self.pipe_name(id, |fd| socket::local_address(fd))
    }

    /// The name of the peer; empty if the peer has no name. `ENOTCONN` without a peer.
    #[doc(alias = "uv_pipe_getpeername")]
    pub fn pipe_peer_name(&self, id: HandleId) -> Result<Vec<u8>> {
        self.pipe_name(id, |fd| socket::peer_address(fd))
    }

    fn pipe_name(&self, id: HandleId, ask: fn(&Fd) -> Result<Address>) -> Result<Vec<u8>> {
        let address = ask(self.pipe(id)?.fd()?)?;
        Ok(address.unix().ok_or(Errno::EAFNOSUPPORT)?.as_bytes().to_vec())
    }

    /// Allows all users to connect to a bound pipe, for reading, writing or both.
    #[doc(alias = "uv_pipe_chmod")]
    pub fn pipe_chmod(&mut self, id: HandleId, readable: bool, writable: bool) -> Result<()> {
        let fd = self.pipe(id)?.fd()?;
        if !readable && !writable {
            return Err(Errno::EINVAL);
        }
        let mode = if readable { 0o444 } else { 0 } | if writable { 0o222 } else { 0 };
        socket::set_unix_mode(fd, mode)
    }

    /// How many file descriptors received through an IPC pipe are waiting to be [accepted](Loop::stream_accept).
    #[doc(alias = "uv_pipe_pending_count")]
    pub fn pipe_pending_count(&self, id: HandleId) -> usize {
        match self.pipe(id) {
            Ok(stream) if stream.flags.has(Flags::IPC) && stream.accepted.is_some() => {
                1 + stream.rare.as_ref().map_or(0, |rare| rare.passed.len())
            }
            _ => 0,
        }
    }

    /// The kind of handle that can accept the next received file descriptor; `None` if there is no descriptor, or if no
    /// kind can accept it.
    #[doc(alias = "uv_pipe_pending_type")]
    pub fn pipe_pending_kind(&self, id: HandleId) -> Option<Kind> {
        let stream = self.pipe(id).ok().filter(|stream| stream.flags.has(Flags::IPC))?;
        match tty::guess_kind(stream.accepted.as_ref()?.as_raw_fd()) {
            FdKind::NamedPipe => Some(Kind::Pipe),
            FdKind::Tcp => Some(Kind::Tcp),
            FdKind::Tty => Some(Kind::Tty),
            FdKind::Udp => Some(Kind::Udp),
            FdKind::File | FdKind::Unknown => None,
        }
    }

    fn pipe(&self, id: HandleId) -> Result<&Stream> {
        let stream = self.handles.stream(id)?;
        if stream.kind == Kind::Pipe { Ok(stream) } else { Err(Errno::EBADF) }
    }
}

/// Validates and truncates a name like `src/unix/pipe.c: uv_pipe_bind2`.
fn unix_name(name: &[u8], no_truncate: bool) -> Result<UnixName> {
    if no_truncate && name.len() > UnixName::MAX_BYTES {
        return Err(Errno::EINVAL);
    }
    if name.first().is_some_and(|&first| first != 0) && name.contains(&0) {
        return Err(Errno::EINVAL);
    }
    UnixName::new(&name[..name.len().min(UnixName::MAX_BYTES)])
}

/// Validates a name like `src/unix/pipe.c: uv_pipe_connect2`, which refuses an empty name.
fn connect_name(name: &[u8], no_truncate: bool) -> Result<UnixName> {
    if name.is_empty() { Err(Errno::EINVAL) } else { unix_name(name, no_truncate) }
}
