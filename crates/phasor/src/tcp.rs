//! TCP.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::Duration;

use phasor_core::{Keepalive, RequestId, Result, TcpBind};

use crate::Loop;
use crate::handle::handle;
use crate::stream::{BACKLOG, connected, listener, stream};

handle! {
    /// A TCP socket: a listener, or a connection.
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
    /// Opens a TCP handle. Its socket is made when it is bound or connected.
    #[doc(alias = "uv_tcp_init")]
    pub fn new(l: &mut Loop) -> Tcp {
        Tcp(l.core.tcp_open(Loop::bare()))
    }

    /// Opens a server: binds to an address (port 0 is any free one), listens, and calls `call` for every connection,
    /// which [`accept`](Tcp::accept) takes.
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

    /// Binds to an address. One that is in use is told by [`listen`](Tcp::listen) and its like.
    #[doc(alias = "uv_tcp_bind")]
    pub fn bind(self, l: &mut Loop, address: impl Into<SocketAddr>) -> Result<()> {
        self.bind_with(l, address, TcpBind::default())
    }

    /// As [`bind`](Tcp::bind), and says how: keep IPv4 off an IPv6 address, share the port among several listeners.
    #[doc(alias = "uv_tcp_bind")]
    pub fn bind_with(self, l: &mut Loop, address: impl Into<SocketAddr>, how: TcpBind) -> Result<()> {
        l.core.tcp_bind(self.0, address.into(), how)
    }

    /// Connects, and tells `then` how that ended. What is written before is sent when it is connected.
    #[doc(alias = "uv_tcp_connect")]
    pub fn connect(
        self,
        l: &mut Loop,
        address: impl Into<SocketAddr>,
        then: impl FnOnce(&mut Loop, Result<()>) + 'static,
    ) -> Result<RequestId> {
        Ok(l.core.tcp_connect(self.0, address.into(), connected(then))?)
    }

    /// Takes over a socket that was made elsewhere, which is closed with the handle. If this fails it is closed at once.
    #[doc(alias = "uv_tcp_open")]
    pub fn adopt(self, l: &mut Loop, socket: impl Into<OwnedFd>) -> Result<()> {
        l.core.tcp_adopt(self.0, socket.into().into()).map_err(|(errno, _)| errno)
    }

    /// Sends small pieces at once instead of collecting them.
    #[doc(alias = "uv_tcp_nodelay")]
    pub fn set_nodelay(self, l: &mut Loop, enabled: bool) -> Result<()> {
        l.core.tcp_nodelay(self.0, enabled)
    }

    /// Asks a peer that was silent this long, every second, whether it is still there; after ten questions the
    /// connection is broken. `None` does not ask.
    ///
    /// The time is rounded up to seconds; zero is `EINVAL`.
    #[doc(alias = "uv_tcp_keepalive")]
    pub fn set_keepalive(self, l: &mut Loop, idle: Option<Duration>) -> Result<()> {
        let keepalive = |idle| Keepalive { idle_s: whole_seconds(idle), interval_s: 1, count: 10 };
        l.core.tcp_keepalive(self.0, idle.map(keepalive))
    }

    /// Closes the handle and resets the connection: what was not sent is dropped, and the peer reads `ECONNRESET`.
    #[doc(alias = "uv_tcp_close_reset")]
    pub fn close_reset(self, l: &mut Loop) -> Result<()> {
        l.core.tcp_close_reset(self.0)
    }

    /// The handle's own address.
    #[doc(alias = "uv_tcp_getsockname")]
    pub fn local_address(self, l: &Loop) -> Result<SocketAddr> {
        l.core.tcp_local_address(self.0)
    }

    /// The other end's address; `ENOTCONN` if there is none.
    #[doc(alias = "uv_tcp_getpeername")]
    pub fn peer_address(self, l: &Loop) -> Result<SocketAddr> {
        l.core.tcp_peer_address(self.0)
    }
}

fn whole_seconds(time: Duration) -> u32 {
    let seconds = time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0));
    u32::try_from(seconds).unwrap_or(u32::MAX)
}
