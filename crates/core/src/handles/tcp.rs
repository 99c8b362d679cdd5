//! Tcp handles: operations that TCP sockets have in addition to those of all streams.

use std::net::SocketAddr;

use phasor_sys::socket::{self, Address, Domain, Keepalive, Transport};
use phasor_sys::{Errno, Fd, Result};

use super::stream::Flags;
use super::{HandleId, Kind};
use crate::event::Refused;
use crate::face::Face;
use crate::requests::RequestId;
use crate::state::Loop;

/// Options of [`Loop::tcp_bind`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpBind {
    /// Disables IPv4 on a socket that is bound to an IPv6 address.
    #[doc(alias = "UV_TCP_IPV6ONLY")]
    pub ipv6_only: bool,
    /// Shares the port with other sockets; the kernel distributes the connections.
    #[doc(alias = "UV_TCP_REUSEPORT")]
    pub reuse_port: bool,
}

impl<F: Face> Loop<F> {
    /// Opens a tcp handle. The handle gets its socket when it is bound, connected, or accepts a connection.
    #[doc(alias = "uv_tcp_init")]
    pub fn tcp_open(&mut self, face: F::Handle) -> HandleId {
        self.stream_open(Kind::Tcp, Flags::NONE, face)
    }

    /// Opens a tcp handle with a socket of the given family. `EINVAL` for a family other than IPv4 and IPv6.
    #[doc(alias = "uv_tcp_init_ex")]
    pub fn tcp_open_family(&mut self, domain: Domain, face: F::Handle) -> Result<HandleId> {
        if domain == Domain::Unix {
            return Err(Errno::EINVAL);
        }
        let fd = socket::stream_socket(domain)?;
        let id = self.tcp_open(face);
        self.stream_attach_fd(id, fd, Transport::Socket, Flags::NONE).map_err(|(errno, _)| errno)?;
        Ok(id)
    }

    /// Takes over a socket, which is made nonblocking and closed with the handle. On failure, the socket is returned.
    ///
    /// `EEXIST` if a handle of this loop watches the socket, `EBUSY` if this handle already has one.
    #[doc(alias = "uv_tcp_open")]
    pub fn tcp_adopt(&mut self, id: HandleId, socket: Fd) -> Result<(), (Errno, Fd)> {
        match self.handles.open_kind_mut(id, Kind::Tcp) {
            Ok(_) => self.stream_adopt(id, socket, Flags::DUPLEX),
            Err(errno) => Err((errno, socket)),
        }
    }

    /// Binds to an address. `EADDRINUSE` is delayed, as in `src/unix/tcp.c: uv__tcp_bind`: listening, connecting and
    /// `tcp_local_address` report it.
    ///
    /// `EINVAL` for `ipv6_only` with an IPv4 address, for an address of another family than the socket's, and for a
    /// bound handle.
    #[doc(alias = "uv_tcp_bind")]
    pub fn tcp_bind(&mut self, id: HandleId, address: SocketAddr, how: TcpBind) -> Result<()> {
        let TcpBind { ipv6_only, reuse_port } = how;
        self.handles.open_kind_mut(id, Kind::Tcp)?;
        if ipv6_only && !address.is_ipv6() {
            return Err(Errno::EINVAL);
        }
        self.tcp_make_socket(id, domain_of(&address), Flags::NONE)?;
        let stream = self.handles.open_kind_mut(id, Kind::Tcp)?;
        let fd = stream.fd()?;
        socket::set_reuse_address(fd, true)?;
        if reuse_port {
            socket::set_reuse_port(fd, true)?;
        }
        if address.is_ipv6() {
            socket::set_ipv6_only(fd, ipv6_only)?;
        }
        stream.delayed_error = match socket::bind(fd, &Address::from(address)) {
            Ok(()) => None,
            Err(Errno::EADDRINUSE) => Some(Errno::EADDRINUSE),
            Err(errno) => return Err(errno),
        };
        stream.flags.add(Flags::BOUND);
        Ok(())
    }

    /// Connects. The result is an [`Outcome::Connect`](crate::Outcome::Connect), even if the connection is refused at
    /// once.
    ///
    /// `EALREADY` while a connect is in progress; other errors that the kernel returns at once (`ENETUNREACH`,
    /// `EISCONN`, …) are returned.
    #[doc(alias = "uv_tcp_connect")]
    pub fn tcp_connect(
        &mut self,
        id: HandleId,
        address: SocketAddr,
        request: F::Request,
    ) -> Result<RequestId, Refused<F, ()>> {
        let begun = self.tcp_begin(id, address);
        self.start_connect(id, begun, request)
    }

    /// Begins to connect. `Ok(Some(errno))` is an error that is reported later.
    fn tcp_begin(&mut self, id: HandleId, address: SocketAddr) -> Result<Option<Errno>> {
        let stream = self.handles.open_kind_mut(id, Kind::Tcp)?;
        if stream.connect.is_some() {
            return Err(Errno::EALREADY);
        }
        if stream.delayed_error.is_some() {
            return Ok(stream.delayed_error);
        }
        self.tcp_make_socket(id, domain_of(&address), Flags::DUPLEX)?;
        match socket::connect(self.handles.stream(id)?.fd()?, &Address::from(address)) {
            Ok(_) => Ok(None),
            Err(Errno::ECONNREFUSED) => Ok(Some(Errno::ECONNREFUSED)),
            Err(errno) => Err(errno),
        }
    }

    /// Creates the socket if there is none (`src/unix/tcp.c: maybe_new_socket`).
    fn tcp_make_socket(&mut self, id: HandleId, domain: Domain, flags: Flags) -> Result<()> {
        let stream = self.handles.open_kind_mut(id, Kind::Tcp)?;
        if stream.fd.is_some() {
            stream.flags.add(flags);
            return Ok(());
        }
        let fd = socket::stream_socket(domain)?;
        self.stream_attach_fd(id, fd, Transport::Socket, flags).map_err(|(errno, _)| errno)
    }

    /// Prepares listening: returns a delayed error of binding, and creates the socket if there is none.
    pub(super) fn tcp_ready_to_listen(&mut self, id: HandleId) -> Result<()> {
        match self.handles.stream(id)?.delayed_error {
            Some(errno) => Err(errno),
            None => self.tcp_make_socket(id, Domain::V4, Flags::NONE),
        }
    }

    /// Sets `TCP_NODELAY`. Without a socket, the option is applied when the handle gets one.
    #[doc(alias = "uv_tcp_nodelay")]
    pub fn tcp_nodelay(&mut self, id: HandleId, enable: bool) -> Result<()> {
        let stream = self.handles.open_kind_mut(id, Kind::Tcp)?;
        if let Some(fd) = &stream.fd {
            socket::set_nodelay(fd, enable)?;
        }
        stream.flags.set(Flags::NODELAY, enable);
        Ok(())
    }

    /// Sets keepalive probes, or disables them. Without a socket, the options are applied when the handle gets one.
    ///
    /// `EINVAL` if there is a socket and one of the numbers is 0. `uv_tcp_keepalive` uses an interval of 1 and a count
    /// of 10.
    #[doc(alias = "uv_tcp_keepalive")]
    #[doc(alias = "uv_tcp_keepalive_ex")]
    pub fn tcp_keepalive(&mut self, id: HandleId, keepalive: Option<Keepalive>) -> Result<()> {
        /// Used for invalid numbers without a socket: libuv does not check numbers without a socket, and later sets a
        /// delay of 60 (`src/unix/stream.c: uv__stream_open`).
        const UNCHECKED: Keepalive = Keepalive { idle_s: 60, interval_s: 1, count: 10 };
        let stream = self.handles.open_kind_mut(id, Kind::Tcp)?;
        if let Some(fd) = &stream.fd {
            return socket::set_keepalive(fd, keepalive);
        }
        if keepalive.is_some() || stream.rare.is_some() {
            stream.rare().keepalive =
                keepalive.map(|requested| if requested.is_valid() { requested } else { UNCHECKED });
        }
        Ok(())
    }

    /// Closes the handle with a connection reset: unsent data is dropped, and the peer gets `ECONNRESET`.
    ///
    /// `EINVAL` during a shutdown, `EBADF` without a socket; in both cases the handle stays open.
    #[doc(alias = "uv_tcp_close_reset")]
    pub fn tcp_close_reset(&mut self, id: HandleId) -> Result<()> {
        if self.is_shutting_down(id) {
            return Err(Errno::EINVAL);
        }
        let stream = self.handles.open_kind_mut(id, Kind::Tcp)?;
        match socket::set_reset_on_close(stream.fd()?) {
            // Some systems return `EINVAL` for a socket that was shut down.
            Ok(()) | Err(Errno::EINVAL) => self.close(id),
            Err(errno) => Err(errno),
        }
    }

    /// The local address. A delayed error of binding is returned here as well.
    #[doc(alias = "uv_tcp_getsockname")]
    pub fn tcp_local_address(&self, id: HandleId) -> Result<SocketAddr> {
        self.tcp_local_name(id)?.inet().ok_or(Errno::EAFNOSUPPORT)
    }

    /// The local address like [`Loop::tcp_local_address`], for any family: an [adopted](Loop::tcp_adopt) socket may be
    /// a Unix socket.
    pub fn tcp_local_name(&self, id: HandleId) -> Result<Address> {
        self.tcp_name(id, |fd| socket::local_address(fd))
    }

    /// The address of the peer; `ENOTCONN` if there is none.
    #[doc(alias = "uv_tcp_getpeername")]
    pub fn tcp_peer_address(&self, id: HandleId) -> Result<SocketAddr> {
        self.tcp_peer_name(id)?.inet().ok_or(Errno::EAFNOSUPPORT)
    }

    /// The address of the peer like [`Loop::tcp_peer_address`], for any family.
    pub fn tcp_peer_name(&self, id: HandleId) -> Result<Address> {
        self.tcp_name(id, |fd| socket::peer_address(fd))
    }

    fn tcp_name(&self, id: HandleId, ask: fn(&Fd) -> Result<Address>) -> Result<Address> {
        let stream = self.handles.stream(id)?;
        if stream.kind != Kind::Tcp {
            return Err(Errno::EBADF);
        }
        match stream.delayed_error {
            Some(errno) => Err(errno),
            None => ask(stream.fd()?),
        }
    }
}

fn domain_of(address: &SocketAddr) -> Domain {
    if address.is_ipv6() { Domain::V6 } else { Domain::V4 }
}
