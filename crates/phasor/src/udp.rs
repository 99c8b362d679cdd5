//! Datagrams.

use std::io::IoSlice;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;

use phasor_core::{Address, HandleId, Interface, Membership, Outcome, Received, RequestId, Result, UdpBind};

use crate::Loop;
use crate::bytes::Bytes;
use crate::face::Happening;
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

/// A datagram that has come. Its bytes are in the loop's buffer, for the time of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// What it says.
    pub bytes: &'a [u8],
    /// Who sent it.
    pub from: Option<SocketAddr>,
    /// Whether it was longer than the buffer, and the rest is lost.
    #[doc(alias = "UV_UDP_PARTIAL")]
    pub truncated: bool,
}

impl Udp {
    /// Opens a UDP handle. It gets a socket when it is bound, or when it first sends or receives.
    #[doc(alias = "uv_udp_init")]
    pub fn new(l: &mut Loop) -> Udp {
        Udp(l.core.udp_open(Loop::bare()))
    }

    /// Binds to an address; port 0 is any free one.
    #[doc(alias = "uv_udp_bind")]
    pub fn bind(self, l: &mut Loop, address: impl Into<SocketAddr>) -> Result<()> {
        self.bind_with(l, address, UdpBind::default())
    }

    /// As [`bind`](Udp::bind), and says how the address is shared.
    #[doc(alias = "uv_udp_bind")]
    pub fn bind_with(self, l: &mut Loop, address: impl Into<SocketAddr>, how: UdpBind) -> Result<()> {
        l.core.udp_bind(self.0, &address.into().into(), how)
    }

    /// Takes over a socket that was made elsewhere, which is closed with the handle. If this fails it is closed at once.
    #[doc(alias = "uv_udp_open")]
    pub fn adopt(self, l: &mut Loop, socket: impl Into<OwnedFd>) -> Result<()> {
        let shared = UdpBind { reuse_address: true, ..UdpBind::default() };
        l.core.udp_adopt(self.0, socket.into().into(), shared).map_err(|(errno, _)| errno)
    }

    /// Fixes the other end: sends need no address then, and only its datagrams come in. `None` undoes this.
    ///
    /// `EISCONN` if there is an other end already, `ENOTCONN` if there is none to undo.
    #[doc(alias = "uv_udp_connect")]
    pub fn connect(self, l: &mut Loop, to: impl Into<Option<SocketAddr>>) -> Result<()> {
        l.core.udp_connect(self.0, to.into().map(Address::from).as_ref())
    }

    /// Starts receiving: `call` is called with every datagram. One that is receiving gets this closure.
    ///
    /// An error, such as that of a socket [bound](Udp::bind_with) to receive errors, does not stop it.
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
            Box::new(move |l, id, happening| {
                if let Happening::Datagram(datagram) = *happening {
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

    /// Sends a datagram, to an address or, with `None`, to the connected end. `then` is told when the kernel has taken it.
    ///
    /// `EISCONN` for an address on a connected handle, `EDESTADDRREQ` for none on another.
    #[doc(alias = "uv_udp_send")]
    pub fn send(
        self,
        l: &mut Loop,
        bytes: impl Into<Bytes>,
        to: impl Into<Option<SocketAddr>>,
        then: impl FnOnce(&mut Loop, Result<()>) + 'static,
    ) -> Result<RequestId> {
        let finish = |l: &mut Loop, outcome: Outcome<_>| {
            if let Outcome::Send { result, .. } = outcome {
                then(l, result);
            }
        };
        let to = to.into().map(Address::from);
        l.core.udp_send(self.0, bytes.into(), to, Box::new(finish)).map_err(|refused| refused.errno)
    }

    /// Sends a datagram now or not at all: `EAGAIN` if others wait or the kernel is full. Returns its length.
    #[doc(alias = "uv_udp_try_send")]
    pub fn try_send(self, l: &mut Loop, bytes: &[u8], to: impl Into<Option<SocketAddr>>) -> Result<usize> {
        l.core.udp_try_send(self.0, &[IoSlice::new(bytes)], to.into().map(Address::from).as_ref())
    }

    /// How many bytes were given to send and not reported on.
    #[doc(alias = "uv_udp_get_send_queue_size")]
    pub fn send_queue_size(self, l: &Loop) -> usize {
        l.core.udp_send_queue_size(self.0)
    }

    /// The handle's own address.
    #[doc(alias = "uv_udp_getsockname")]
    pub fn local_address(self, l: &Loop) -> Result<SocketAddr> {
        l.core.udp_local_address(self.0).and_then(inet)
    }

    /// The address of the connected end; `ENOTCONN` if there is none.
    #[doc(alias = "uv_udp_getpeername")]
    pub fn peer_address(self, l: &Loop) -> Result<SocketAddr> {
        l.core.udp_peer_address(self.0).and_then(inet)
    }

    /// Joins or leaves a group of receivers, on an interface or on the one the kernel chooses.
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

    /// As [`set_membership`](Udp::set_membership), as far as one source is concerned.
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

    /// Whether this machine hears what the handle sends to groups.
    #[doc(alias = "uv_udp_set_multicast_loop")]
    pub fn set_multicast_loop(self, l: &mut Loop, enabled: bool) -> Result<()> {
        l.core.udp_set_multicast_loop(self.0, enabled)
    }

    /// How many routers a datagram to a group may pass.
    #[doc(alias = "uv_udp_set_multicast_ttl")]
    pub fn set_multicast_ttl(self, l: &mut Loop, ttl: u8) -> Result<()> {
        l.core.udp_set_multicast_ttl(self.0, ttl.into())
    }

    /// Through which interface datagrams to groups leave; `None` lets the kernel choose.
    #[doc(alias = "uv_udp_set_multicast_interface")]
    pub fn set_multicast_interface(self, l: &mut Loop, interface: Option<Interface>) -> Result<()> {
        l.core.udp_set_multicast_interface(self.0, interface)
    }

    /// Allows sending to broadcast addresses.
    #[doc(alias = "uv_udp_set_broadcast")]
    pub fn set_broadcast(self, l: &mut Loop, enabled: bool) -> Result<()> {
        l.core.udp_set_broadcast(self.0, enabled)
    }

    /// How many routers a datagram may pass; 0 is `EINVAL`.
    #[doc(alias = "uv_udp_set_ttl")]
    pub fn set_ttl(self, l: &mut Loop, ttl: u8) -> Result<()> {
        l.core.udp_set_ttl(self.0, ttl.into())
    }

    /// Asks the kernel to keep so much of what is being sent.
    #[doc(alias = "uv_send_buffer_size")]
    pub fn set_send_buffer_size(self, l: &mut Loop, size_bytes: u32) -> Result<()> {
        l.core.set_send_buffer_size(self.0, size_bytes)
    }

    /// Asks the kernel to keep so much of what was received.
    #[doc(alias = "uv_recv_buffer_size")]
    pub fn set_recv_buffer_size(self, l: &mut Loop, size_bytes: u32) -> Result<()> {
        l.core.set_recv_buffer_size(self.0, size_bytes)
    }
}

/// A UDP socket has no other addresses than those of the Internet.
fn inet(address: Address) -> Result<SocketAddr> {
    address.inet().ok_or(phasor_core::Errno::EAFNOSUPPORT)
}

impl Loop {
    /// Takes the datagram that a handle was offered and calls its closure with it.
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
            l.call(id, &Happening::Datagram(result));
        });
    }
}
