//! Pipes: Unix sockets, and whatever else a program reads and writes on its own machine.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use phasor_core::{HandleId, Kind, RequestId, Result};

use crate::Loop;
use crate::bytes::Bytes;
use crate::handle::handle;
use crate::stream::{self, BACKLOG, connected, listener, stream};
use crate::{Tcp, Udp};

handle! {
    /// A Unix socket, listening or connected; or an end of a pipe.
    ///
    /// A name is a path, or an abstract name, which begins with a NUL byte and leaves no file behind.
    ///
    /// ```
    /// use phasor::{Loop, Pipe, Read, RunMode};
    ///
    /// let mut l = Loop::new()?;
    /// let name = format!("\0phasor-doc-{}", std::process::id());
    /// Pipe::serve(&mut l, &name, |l, server| {
    ///     let client = server.accept(l).unwrap();
    ///     client.write_then(l, "hello", move |l, _| client.close(l)).unwrap();
    ///     server.close(l);
    /// })?;
    /// let client = Pipe::new(&mut l);
    /// client.connect(&mut l, &name, move |l, connected| {
    ///     connected.unwrap();
    ///     client.read_start(l, |l, client, read| match read {
    ///         Ok(Read::Data(bytes)) => assert_eq!(bytes, b"hello"),
    ///         _ => client.close(l),
    ///     }).unwrap();
    /// })?;
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_pipe_t")]
    Pipe
}

stream!(Pipe);
listener!(Pipe);

impl Pipe {
    /// Opens a pipe handle.
    #[doc(alias = "uv_pipe_init")]
    pub fn new(l: &mut Loop) -> Pipe {
        Pipe(l.core.pipe_open(false, Loop::bare()))
    }

    /// Opens a pipe handle that handles can be passed through. It cannot listen.
    #[doc(alias = "uv_pipe_init")]
    pub fn new_ipc(l: &mut Loop) -> Pipe {
        Pipe(l.core.pipe_open(true, Loop::bare()))
    }

    /// Opens two pipe handles that are connected with each other.
    #[doc(alias = "uv_socketpair")]
    pub fn pair(l: &mut Loop) -> Result<(Pipe, Pipe)> {
        let (a, b) = phasor_core::stream_pair([true, true])?;
        let ends = (Pipe::new(l), Pipe::new(l));
        match ends.0.adopt(l, a).and_then(|()| ends.1.adopt(l, b)) {
            Ok(()) => Ok(ends),
            Err(errno) => {
                ends.0.close(l);
                ends.1.close(l);
                Err(errno)
            }
        }
    }

    /// Opens a server: binds to a name, listens, and calls `call` for every connection, which
    /// [`accept`](Pipe::accept) takes. The file of a path is removed when the handle is closed.
    pub fn serve(l: &mut Loop, name: impl AsRef<OsStr>, call: impl FnMut(&mut Loop, Pipe) + 'static) -> Result<Pipe> {
        let server = Pipe::new(l);
        match server.bind(l, name).and_then(|()| server.listen(l, BACKLOG, call)) {
            Ok(()) => Ok(server),
            Err(errno) => {
                server.close(l);
                Err(errno)
            }
        }
    }

    /// Binds to a name. `EINVAL` if it is too long or has a NUL inside, `EADDRINUSE` if the file is there.
    #[doc(alias = "uv_pipe_bind2")]
    pub fn bind(self, l: &mut Loop, name: impl AsRef<OsStr>) -> Result<()> {
        l.core.pipe_bind(self.0, name.as_ref().as_bytes(), true)
    }

    /// Connects to a name, and tells `then` how that ended. `EINVAL` if the name is too long or has a NUL inside.
    #[doc(alias = "uv_pipe_connect2")]
    pub fn connect(
        self,
        l: &mut Loop,
        name: impl AsRef<OsStr>,
        then: impl FnOnce(&mut Loop, Result<()>) + 'static,
    ) -> Result<RequestId> {
        Ok(l.core.pipe_connect_checked(self.0, name.as_ref().as_bytes(), true, connected(then))?)
    }

    /// Takes over a descriptor that was made elsewhere, which is closed with the handle; it can be used in the directions
    /// it was opened for. If this fails it is closed at once.
    #[doc(alias = "uv_pipe_open")]
    pub fn adopt(self, l: &mut Loop, fd: impl Into<OwnedFd>) -> Result<()> {
        l.core.pipe_adopt(self.0, fd.into().into()).map_err(|(errno, _)| errno)
    }

    /// Writes as [`write_then`](Pipe::write_then) does, and passes a copy of another handle's descriptor with it. For
    /// pipes of [`new_ipc`](Pipe::new_ipc).
    #[doc(alias = "uv_write2")]
    pub fn write_with_handle(
        self,
        l: &mut Loop,
        bytes: impl Into<Bytes>,
        passed: impl Into<HandleId>,
        then: impl FnOnce(&mut Loop, Result<()>) + 'static,
    ) -> Result<RequestId> {
        let sent = l.core.stream_write_with_handle(self.0, bytes.into(), passed.into(), stream::written(then));
        sent.map_err(|refused| refused.errno)
    }

    /// The kind of the next handle that came through the pipe and waits to be accepted, if there is one.
    #[doc(alias = "uv_pipe_pending_type")]
    pub fn pending_kind(self, l: &Loop) -> Option<Kind> {
        l.core.pipe_pending_kind(self.0)
    }

    /// How many handles came through the pipe and wait to be accepted.
    #[doc(alias = "uv_pipe_pending_count")]
    pub fn pending_count(self, l: &Loop) -> usize {
        l.core.pipe_pending_count(self.0)
    }

    /// Takes a TCP handle that came through the pipe.
    #[doc(alias = "uv_accept")]
    pub fn accept_tcp(self, l: &mut Loop) -> Result<Tcp> {
        let tcp = Tcp::new(l);
        stream::accept(l, self.0, tcp.0)?;
        Ok(tcp)
    }

    /// Takes a UDP handle that came through the pipe.
    #[doc(alias = "uv_accept")]
    pub fn accept_udp(self, l: &mut Loop) -> Result<Udp> {
        let udp = Udp::new(l);
        stream::accept(l, self.0, udp.0)?;
        Ok(udp)
    }

    /// The handle's own name; empty if it has none.
    #[doc(alias = "uv_pipe_getsockname")]
    pub fn local_name(self, l: &Loop) -> Result<Vec<u8>> {
        l.core.pipe_local_name(self.0)
    }

    /// The other end's name; empty if it has none.
    #[doc(alias = "uv_pipe_getpeername")]
    pub fn peer_name(self, l: &Loop) -> Result<Vec<u8>> {
        l.core.pipe_peer_name(self.0)
    }

    /// Lets everybody connect to a bound pipe, for reading, for writing, or both.
    #[doc(alias = "uv_pipe_chmod")]
    pub fn chmod(self, l: &mut Loop, readable: bool, writable: bool) -> Result<()> {
        l.core.pipe_chmod(self.0, readable, writable)
    }
}
