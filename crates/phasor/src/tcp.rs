//! TCP sockets.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::Duration;

use phasor_core::{Keepalive, RequestId, Result, TcpBind};

use crate::Loop;
use crate::handle::handle;
use crate::stream::{BACKLOG, connected, listener, stream};

handle! {
    /// A TCP socket: a listener or a connection.
    ///
    /// ```
    /// use std::net::Ipv4Addr;
    /// use phasor::{Loop, Read, RunMode, Tcp};
    ///
    /// let mut l = Loop::new()?;
    /// let server = Tcp::serve(&mut l, (Ipv4Addr::LOCALHOST, 0), |l, server| {
    ///     let client = server.accept(l).unwrap();
    ///     client.write(l, "hello").unwrap();
    ///     client.shutdown(l, move |l, _| client.close(l)).unwrap();
    ///     server.close(l);
    /// })?;
    /// let address = server.local_address(&l)?;
    /// let client = Tcp::new(&mut l);
    /// client.connect(&mut l, address, move |l, connected| {
    ///     connected.unwrap();
    ///     let mut text = Vec::new();
    ///     client.read_start(l, move |l, client, read| match read {
    ///         Ok(Read::Data(bytes)) => text.extend_from_slice(bytes),
    ///         Ok(Read::End) => {
    ///             assert_eq!(text, b"hello");
    ///             client.close(l);
    ///         }
    ///         Err(errno) => panic!("{errno}"),
    ///     }).unwrap();
    /// })?;
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_tcp_t")]
    Tcp
}

stream!(Tcp);
listener!(Tcp);

impl Tcp {
    /// Opens a TCP handle. Its socket is created when it is bound or connected.
    #[doc(alias = "uv_tcp_init")]
    pub fn new(l: &mut Loop) -> Tcp {
        Tcp(l.core.tcp_open(Loop::no_hooks()))
    }

    /// Opens a server: binds to an address (port 0 lets the kernel choose), listens, and calls `call` for every
    /// connection, which [`accept`](Tcp::accept) takes.
    pub fn serve(
        l: &mut Loop,
        address: impl Into<SocketAddr>,
        call: impl FnMut(&mut Loop, Tcp) + 'static,
    ) -> Result<Tcp> {
        let server = Tcp::new(l);
        match server.bind(l, address).and_then(|()| server.listen(l, BACKLOG, call)) {
            Ok(()) => Ok(server),
            Err(errno) => {
                server.close(l);
                Err(errno)
            }
        }
    }

    /// Binds to an address. `EADDRINUSE` is reported later, by [`listen`](Tcp::listen) or [`connect`](Tcp::connect), as
    /// in libuv.
    #[doc(alias = "uv_tcp_bind")]
    pub fn bind(self, l: &mut Loop, address: impl Into<SocketAddr>) -> Result<()> {
        self.bind_with(l, address, TcpBind::default())
    }

    /// [`bind`](Tcp::bind) with options: disable IPv4 on an IPv6 address, share the port among several listeners.
    #[doc(alias = "uv_tcp_bind")]
    pub fn bind_with(self, l: &mut Loop, address: impl Into<SocketAddr>, how: TcpBind) -> Result<()> {
        l.core.tcp_bind(self.0, address.into(), how)
    }

    /// Connects and calls `then` with the result. Writes before that are queued and sent once it is connected.
    #[doc(alias = "uv_tcp_connect")]
    pub fn connect(
        self,
        l: &mut Loop,
        address: impl Into<SocketAddr>,
        then: impl FnOnce(&mut Loop, Result<()>) + 'static,
    ) -> Result<RequestId> {
        Ok(l.core.tcp_connect(self.0, address.into(), connected(then))?)
    }

    /// Takes over an existing socket, which is closed with the handle. On failure it is closed at once.
    #[doc(alias = "uv_tcp_open")]
    pub fn adopt(self, l: &mut Loop, socket: impl Into<OwnedFd>) -> Result<()> {
        l.core.tcp_adopt(self.0, socket.into().into()).map_err(|(errno, _)| errno)
    }

    /// Disables Nagle's algorithm (`TCP_NODELAY`): small writes are sent at once.
    #[doc(alias = "uv_tcp_nodelay")]
    pub fn set_nodelay(self, l: &mut Loop, enabled: bool) -> Result<()> {
        l.core.tcp_nodelay(self.0, enabled)
    }

    /// Enables TCP keepalive: after `idle` without traffic the kernel sends a probe every second, and resets the
    /// connection after ten unanswered ones. `None` disables it.
    ///
    /// The time is rounded up to seconds; `EINVAL` for zero.
    #[doc(alias = "uv_tcp_keepalive")]
    pub fn set_keepalive(self, l: &mut Loop, idle: Option<Duration>) -> Result<()> {
        let keepalive = |idle| Keepalive { idle_s: whole_seconds(idle), interval_s: 1, count: 10 };
        l.core.tcp_keepalive(self.0, idle.map(keepalive))
    }

    /// Closes the handle and resets the connection: unsent data is dropped, and the peer's read fails with
    /// `ECONNRESET`.
    #[doc(alias = "uv_tcp_close_reset")]
    pub fn close_reset(self, l: &mut Loop) -> Result<()> {
        l.core.tcp_close_reset(self.0)
    }

    /// The address that the socket is bound to.
    #[doc(alias = "uv_tcp_getsockname")]
    pub fn local_address(self, l: &Loop) -> Result<SocketAddr> {
        l.core.tcp_local_address(self.0)
    }

    /// The address of the peer; `ENOTCONN` if it is not connected.
    #[doc(alias = "uv_tcp_getpeername")]
    pub fn peer_address(self, l: &Loop) -> Result<SocketAddr> {
        l.core.tcp_peer_address(self.0)
    }
}

fn whole_seconds(time: Duration) -> u32 {
    let seconds = time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0));
    u32::try_from(seconds).unwrap_or(u32::MAX)
}
