//! The knobs of UDP handles. A handle without a socket has none: `EBADF`.

use std::net::IpAddr;

use phasor_sys::Result;
use phasor_sys::socket::{self, Address, Domain, Interface, Membership, UdpBind};

use super::HandleId;
use crate::face::Face;
use crate::state::Loop;

/// As `uv_udp_set_membership`: members of a group on one machine share its address.
const SHARED: UdpBind = UdpBind { reuse_address: true, ipv6_only: false, reuse_port: false, receive_errors: false };

fn domain_of(group: IpAddr) -> Domain {
    if group.is_ipv6() { Domain::V6 } else { Domain::V4 }
}

impl<F: Face> Loop<F> {
    /// The handle's own name.
    #[doc(alias = "uv_udp_getsockname")]
    pub fn udp_local_address(&self, id: HandleId) -> Result<Address> {
        socket::local_address(self.udp(id)?.fd()?)
    }

    /// The name of the connected end; `ENOTCONN` if there is none.
    #[doc(alias = "uv_udp_getpeername")]
    pub fn udp_peer_address(&self, id: HandleId) -> Result<Address> {
        socket::peer_address(self.udp(id)?.fd()?)
    }

    /// Joins or leaves a group. A handle without a socket is bound to any address of the group's family, shared.
    #[doc(alias = "uv_udp_set_membership")]
    pub fn udp_set_membership(
        &mut self,
        id: HandleId,
        group: IpAddr,
        interface: Option<Interface>,
        membership: Membership,
    ) -> Result<()> {
        let udp = self.udp_mut(id)?;
        udp.ensure_bound(domain_of(group), SHARED)?;
        let interface = interface.unwrap_or(Interface::any(domain_of(group)));
        socket::set_membership(udp.fd()?, group, interface, membership)
    }

    /// Joins or leaves a group as far as one source is concerned, as [`udp_set_membership`](Loop::udp_set_membership).
    #[doc(alias = "uv_udp_set_source_membership")]
    pub fn udp_set_source_membership(
        &mut self,
        id: HandleId,
        group: IpAddr,
        interface: Option<Interface>,
        source: IpAddr,
        membership: Membership,
    ) -> Result<()> {
        let udp = self.udp_mut(id)?;
        udp.ensure_bound(domain_of(group), SHARED)?;
        let interface = interface.unwrap_or(Interface::any(domain_of(group)));
        socket::set_source_membership(udp.fd()?, group, interface, source, membership)
    }

    /// Whether this machine hears what the handle sends to groups.
    #[doc(alias = "uv_udp_set_multicast_loop")]
    pub fn udp_set_multicast_loop(&mut self, id: HandleId, enabled: bool) -> Result<()> {
        let udp = self.udp_mut(id)?;
        socket::set_multicast_loop(udp.fd()?, udp.domain(), enabled)
    }

    /// How many routers a datagram to a group may pass: 0 to 255, anything else is `EINVAL`.
    #[doc(alias = "uv_udp_set_multicast_ttl")]
    pub fn udp_set_multicast_ttl(&mut self, id: HandleId, ttl: i32) -> Result<()> {
        let udp = self.udp_mut(id)?;
        socket::set_multicast_ttl(udp.fd()?, udp.domain(), ttl)
    }

    /// Through which interface datagrams to groups leave; `None` lets the kernel choose.
    #[doc(alias = "uv_udp_set_multicast_interface")]
    pub fn udp_set_multicast_interface(&mut self, id: HandleId, interface: Option<Interface>) -> Result<()> {
        let udp = self.udp_mut(id)?;
        socket::set_multicast_interface(udp.fd()?, interface.unwrap_or(Interface::any(udp.domain())))
    }

    /// Allows sending to broadcast addresses.
    #[doc(alias = "uv_udp_set_broadcast")]
    pub fn udp_set_broadcast(&mut self, id: HandleId, enabled: bool) -> Result<()> {
        socket::set_broadcast(self.udp_mut(id)?.fd()?, enabled)
    }

    /// How many routers a datagram may pass: 1 to 255, anything else is `EINVAL`.
    #[doc(alias = "uv_udp_set_ttl")]
    pub fn udp_set_ttl(&mut self, id: HandleId, ttl: i32) -> Result<()> {
        let udp = self.udp_mut(id)?;
        socket::set_ttl(udp.fd()?, udp.domain(), ttl)
    }
}
