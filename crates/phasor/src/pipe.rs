//! Pipes: Unix stream sockets and pipe ends, and passing handles to other processes through them.

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
    /// A Unix stream socket, listening or connected; or one end of a pipe.
    ///
    /// A name is a path, or an abstract name, which begins with NUL and has no file.
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
        Pipe(l.core.pipe_open(false, Loop::no_hooks()))
    }

    /// Opens a pipe handle that can pass handles (IPC). It cannot listen.
    #[doc(alias = "uv_pipe_init")]
    pub fn new_ipc(l: &mut Loop) -> Pipe {
        Pipe(l.core.pipe_open(true, Loop::no_hooks()))
    }

    /// Opens two pipe handles that are connected to each other.
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

    /// Opens a server: binds to a name, listens, and calls `call` for every connection, which [`accept`](Pipe::accept)
    /// takes. The socket file of a path is removed when the handle is closed.
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

    /// Binds to a name. `EINVAL` if it is too long or contains NUL (except a leading one), `EADDRINUSE` if the file
    /// exists.
    #[doc(alias = "uv_pipe_bind2")]
    pub fn bind(self, l: &mut Loop, name: impl AsRef<OsStr>) -> Result<()> {
        l.core.pipe_bind(self.0, name.as_ref().as_bytes(), true)
    }

    /// Connects to a name and calls `then` with the result. `EINVAL` if the name is too long or contains NUL (except a
    /// leading one).
    #[doc(alias = "uv_pipe_connect2")]
    pub fn connect(
        self,
        l: &mut Loop,
        name: impl AsRef<OsStr>,
        then: impl FnOnce(&mut Loop, Result<()>) + 'static,
    ) -> Result<RequestId> {
        Ok(l.core.pipe_connect_checked(self.0, name.as_ref().as_bytes(), true, connected(then))?)
    }

    /// Takes over an existing descriptor, which is closed with the handle; it is usable in the directions it was opened
    /// for. On failure it is closed at once.
    #[doc(alias = "uv_pipe_open")]
    pub fn adopt(self, l: &mut Loop, fd: impl Into<OwnedFd>) -> Result<()> {
        l.core.pipe_adopt(self.0, fd.into().into()).map_err(|(errno, _)| errno)
    }

    /// Like [`write_then`](Pipe::write_then), and passes a copy of another handle's descriptor with the bytes. Only for
    /// pipes from [`new_ipc`](Pipe::new_ipc).
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

    /// The type of the next received handle that was not accepted yet; `None` if there is none.
    #[doc(alias = "uv_pipe_pending_type")]
    pub fn pending_kind(self, l: &Loop) -> Option<Kind> {
        l.core.pipe_pending_kind(self.0)
    }

    /// The number of received handles that were not accepted yet.
    #[doc(alias = "uv_pipe_pending_count")]
    pub fn pending_count(self, l: &Loop) -> usize {
        l.core.pipe_pending_count(self.0)
    }

    /// Accepts a received TCP handle.
    #[doc(alias = "uv_accept")]
    pub fn accept_tcp(self, l: &mut Loop) -> Result<Tcp> {
        let tcp = Tcp::new(l);
        stream::accept(l, self.0, tcp.0)?;
        Ok(tcp)
    }

    /// Accepts a received UDP handle.
    #[doc(alias = "uv_accept")]
    pub fn accept_udp(self, l: &mut Loop) -> Result<Udp> {
        let udp = Udp::new(l);
        stream::accept(l, self.0, udp.0)?;
        Ok(udp)
    }

    /// The name that the socket is bound to; empty if unnamed.
    #[doc(alias = "uv_pipe_getsockname")]
    pub fn local_name(self, l: &Loop) -> Result<Vec<u8>> {
        l.core.pipe_local_name(self.0)
    }

    /// The name of the peer; empty if unnamed.
    #[doc(alias = "uv_pipe_getpeername")]
    pub fn peer_name(self, l: &Loop) -> Result<Vec<u8>> {
        l.core.pipe_peer_name(self.0)
    }

    /// Sets the permissions of a bound pipe so that all users can read, write, or both.
    #[doc(alias = "uv_pipe_chmod")]
    pub fn chmod(self, l: &mut Loop, readable: bool, writable: bool) -> Result<()> {
        l.core.pipe_chmod(self.0, readable, writable)
    }
}
