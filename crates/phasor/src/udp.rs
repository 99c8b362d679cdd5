//! UDP sockets.

use std::io::IoSlice;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;

use phasor_core::{Address, HandleId, Interface, Membership, Outcome, Received, RequestId, Result, UdpBind};

use crate::Loop;
use crate::bytes::Bytes;
use crate::face::HandleEvent;
use crate::handle::handle;

handle! {
    /// A UDP socket.
    ///
    /// ```
    /// use std::net::Ipv4Addr;
    /// use phasor::{Loop, RunMode, Udp};
    ///
    /// let mut l = Loop::new()?;
    /// let server = Udp::new(&mut l);
    /// server.bind(&mut l, (Ipv4Addr::LOCALHOST, 0))?;
    /// server.recv_start(&mut l, |l, server, datagram| {
    ///     assert_eq!(datagram.unwrap().bytes, b"ping");
    ///     server.close(l);
    /// })?;
    /// let to = server.local_address(&l)?;
    /// let client = Udp::new(&mut l);
    /// client.send(&mut l, "ping", to, move |l, sent| {
    ///     assert_eq!(sent, Ok(()));
    ///     client.close(l);
    /// })?;
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), phasor::Errno>(())
    /// ```
    #[doc(alias = "uv_udp_t")]
    Udp
}

/// A received datagram. Its payload is in the loop's buffer, valid during the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// The payload.
    pub bytes: &'a [u8],
    /// The address of the sender.
    pub from: Option<SocketAddr>,
    /// True if the datagram was longer than the buffer; the rest is lost.
    #[doc(alias = "UV_UDP_PARTIAL")]
    pub truncated: bool,
}

impl Udp {
    /// Opens a UDP handle. Its socket is created when it is bound, or when it first sends or receives.
    #[doc(alias = "uv_udp_init")]
    pub fn new(l: &mut Loop) -> Udp {
        Udp(l.core.udp_open(Loop::no_hooks()))
    }

    /// Binds to an address; port 0 lets the kernel choose.
    #[doc(alias = "uv_udp_bind")]
    pub fn bind(self, l: &mut Loop, address: impl Into<SocketAddr>) -> Result<()> {
        self.bind_with(l, address, UdpBind::default())
    }

    /// [`bind`](Udp::bind) with options for sharing the address and receiving errors.
    #[doc(alias = "uv_udp_bind")]
    pub fn bind_with(self, l: &mut Loop, address: impl Into<SocketAddr>, how: UdpBind) -> Result<()> {
        l.core.udp_bind(self.0, &address.into().into(), how)
    }

    /// Takes over an existing socket, which is closed with the handle. On failure it is closed at once.
    #[doc(alias = "uv_udp_open")]
    pub fn adopt(self, l: &mut Loop, socket: impl Into<OwnedFd>) -> Result<()> {
        let shared = UdpBind { reuse_address: true, ..UdpBind::default() };
        l.core.udp_adopt(self.0, socket.into().into(), shared).map_err(|(errno, _)| errno)
    }

    /// Sets the peer: sends then need no address, and only the peer's datagrams are received. `None` removes it.
    ///
    /// `EISCONN` if there is a peer already, `ENOTCONN` if there is none to remove.
    #[doc(alias = "uv_udp_connect")]
    pub fn connect(self, l: &mut Loop, to: impl Into<Option<SocketAddr>>) -> Result<()> {
        l.core.udp_connect(self.0, to.into().map(Address::from).as_ref())
    }

    /// Starts receiving: `call` is called with every datagram. A handle that is already receiving gets the new closure.
    ///
    /// An error, such as one of the error queue of a socket [bound](Udp::bind_with) with `receive_errors`, does not
    /// stop it.
    #[doc(alias = "uv_udp_recv_start")]
    pub fn recv_start(
        self,
        l: &mut Loop,
        mut call: impl FnMut(&mut Loop, Udp, Result<Datagram<'_>>) + 'static,
    ) -> Result<()> {
        if !l.core.udp_is_receiving(self.0) {
            l.core.udp_recv_start(self.0)?;
        }
        l.set_hook(
            self.0,
            Box::new(move |l, id, event| {
                if let HandleEvent::Datagram(datagram) = *event {
                    call(l, Udp(id), datagram);
                }
            }),
        );
        Ok(())
    }

    /// Stops receiving.
    #[doc(alias = "uv_udp_recv_stop")]
    pub fn recv_stop(self, l: &mut Loop) -> Result<()> {
        l.core.udp_recv_stop(self.0)
    }

    /// Sends a datagram to an address or, with `None`, to the peer set by [`connect`](Udp::connect). `then` is called
    /// when the kernel has accepted it.
    ///
    /// `EISCONN` for an address on a connected handle, `EDESTADDRREQ` for `None` on an unconnected one.
    #[doc(alias = "uv_udp_send")]
    pub fn send(
        self,
        l: &mut Loop,
        bytes: impl Into<Bytes>,
        to: impl Into<Option<SocketAddr>>,
        then: impl FnOnce(&mut Loop, Result<()>) + 'static,
    ) -> Result<RequestId> {
        let completion = |l: &mut Loop, outcome: Outcome<_>| {
            if let Outcome::Send { result, .. } = outcome {
                then(l, result);
            }
        };
        let to = to.into().map(Address::from);
        l.core.udp_send(self.0, bytes.into(), to, Box::new(completion)).map_err(|refused| refused.errno)
    }

    /// Sends a datagram without queueing, and returns its length. `EAGAIN` if earlier sends are queued or the kernel's
    /// buffer is full.
    #[doc(alias = "uv_udp_try_send")]
    pub fn try_send(self, l: &mut Loop, bytes: &[u8], to: impl Into<Option<SocketAddr>>) -> Result<usize> {
        l.core.udp_try_send(self.0, &[IoSlice::new(bytes)], to.into().map(Address::from).as_ref())
    }

    /// The total size in bytes of the sends whose closure was not called yet.
    #[doc(alias = "uv_udp_get_send_queue_size")]
    pub fn send_queue_size(self, l: &Loop) -> usize {
        l.core.udp_send_queue_size(self.0)
    }

    /// The address that the socket is bound to.
    #[doc(alias = "uv_udp_getsockname")]
    pub fn local_address(self, l: &Loop) -> Result<SocketAddr> {
        l.core.udp_local_address(self.0).and_then(inet)
    }

    /// The address of the peer; `ENOTCONN` if it is not connected.
    #[doc(alias = "uv_udp_getpeername")]
    pub fn peer_address(self, l: &Loop) -> Result<SocketAddr> {
        l.core.udp_peer_address(self.0).and_then(inet)
    }

    /// Joins or leaves a multicast group, on an interface or on the one that the kernel chooses.
    #[doc(alias = "uv_udp_set_membership")]
    pub fn set_membership(
        self,
        l: &mut Loop,
        group: IpAddr,
        interface: Option<Interface>,
        membership: Membership,
    ) -> Result<()> {
        l.core.udp_set_membership(self.0, group, interface, membership)
    }

    /// [`set_membership`](Udp::set_membership) for the datagrams of one source only.
    #[doc(alias = "uv_udp_set_source_membership")]
    pub fn set_source_membership(
        self,
        l: &mut Loop,
        group: IpAddr,
        interface: Option<Interface>,
        source: IpAddr,
        membership: Membership,
    ) -> Result<()> {
        l.core.udp_set_source_membership(self.0, group, interface, source, membership)
    }

    /// Sets whether datagrams that the handle sends to groups are also received on this machine.
    #[doc(alias = "uv_udp_set_multicast_loop")]
    pub fn set_multicast_loop(self, l: &mut Loop, enabled: bool) -> Result<()> {
        l.core.udp_set_multicast_loop(self.0, enabled)
    }

    /// Sets the TTL (hop limit) of datagrams to groups.
    #[doc(alias = "uv_udp_set_multicast_ttl")]
    pub fn set_multicast_ttl(self, l: &mut Loop, ttl: u8) -> Result<()> {
        l.core.udp_set_multicast_ttl(self.0, ttl.into())
    }

    /// Sets the interface for datagrams to groups; `None` lets the kernel choose.
    #[doc(alias = "uv_udp_set_multicast_interface")]
    pub fn set_multicast_interface(self, l: &mut Loop, interface: Option<Interface>) -> Result<()> {
        l.core.udp_set_multicast_interface(self.0, interface)
    }

    /// Allows sending to broadcast addresses (`SO_BROADCAST`).
    #[doc(alias = "uv_udp_set_broadcast")]
    pub fn set_broadcast(self, l: &mut Loop, enabled: bool) -> Result<()> {
        l.core.udp_set_broadcast(self.0, enabled)
    }

    /// Sets the TTL (hop limit) of datagrams; `EINVAL` for 0.
    #[doc(alias = "uv_udp_set_ttl")]
    pub fn set_ttl(self, l: &mut Loop, ttl: u8) -> Result<()> {
        l.core.udp_set_ttl(self.0, ttl.into())
    }

    /// Sets the size of the kernel's send buffer (`SO_SNDBUF`).
    #[doc(alias = "uv_send_buffer_size")]
    pub fn set_send_buffer_size(self, l: &mut Loop, size_bytes: u32) -> Result<()> {
        l.core.set_send_buffer_size(self.0, size_bytes)
    }

    /// Sets the size of the kernel's receive buffer (`SO_RCVBUF`).
    #[doc(alias = "uv_recv_buffer_size")]
    pub fn set_recv_buffer_size(self, l: &mut Loop, size_bytes: u32) -> Result<()> {
        l.core.set_recv_buffer_size(self.0, size_bytes)
    }
}

/// Converts to an IP address; a UDP socket has no other.
fn inet(address: Address) -> Result<SocketAddr> {
    address.inet().ok_or(phasor_core::Errno::EAFNOSUPPORT)
}

impl Loop {
    /// Receives a datagram for a ready handle and calls its closure with it.
    pub(crate) fn datagram(&mut self, id: HandleId) {
        self.with_buffer(|l, buffer| {
            let result = match l.core.udp_recv(id, buffer) {
                Ok(Received::Nothing) => return,
                Ok(Received::Datagram(datagram)) => Ok(Datagram {
                    bytes: buffer.get(..datagram.len).unwrap_or_default(),
                    from: datagram.sender.and_then(|sender| sender.inet()),
                    truncated: datagram.truncated,
                }),
                Ok(Received::Failure { errno, .. }) | Err(errno) => Err(errno),
            };
            l.call(id, &HandleEvent::Datagram(result));
        });
    }
}
