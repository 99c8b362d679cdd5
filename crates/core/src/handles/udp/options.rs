//! Socket options of UDP handles. All functions return `EBADF` without a socket.

use std::net::IpAddr;

use phasor_sys::Result;
use phasor_sys::socket::{self, Address, Domain, Interface, Membership, UdpBind};

use super::HandleId;
use crate::face::Face;
use crate::state::Loop;

/// The options for joining a group: several members on one machine share its address (`src/unix/udp.c:
/// uv_udp_set_membership`).
const SHARED: UdpBind = UdpBind { reuse_address: true, ipv6_only: false, reuse_port: false, receive_errors: false };

fn domain_of(group: IpAddr) -> Domain {
    if group.is_ipv6() { Domain::V6 } else { Domain::V4 }
}

impl<F: Face> Loop<F> {
    /// The local address.
    #[doc(alias = "uv_udp_getsockname")]
    pub fn udp_local_address(&self, id: HandleId) -> Result<Address> {
        socket::local_address(self.udp(id)?.fd()?)
    }

    /// The address of the connected peer; `ENOTCONN` if there is none.
    #[doc(alias = "uv_udp_getpeername")]
    pub fn udp_peer_address(&self, id: HandleId) -> Result<Address> {
        socket::peer_address(self.udp(id)?.fd()?)
    }

    /// Joins or leaves a multicast group. A handle without a socket is bound to any address of the group's family, with
    /// `SO_REUSEADDR`.
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

    /// Joins or leaves a group like [`udp_set_membership`](Loop::udp_set_membership), for the datagrams of one source.
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

    /// Sets whether multicast datagrams are also delivered to this machine.
    #[doc(alias = "uv_udp_set_multicast_loop")]
    pub fn udp_set_multicast_loop(&mut self, id: HandleId, enabled: bool) -> Result<()> {
        let udp = self.udp_mut(id)?;
        socket::set_multicast_loop(udp.fd()?, udp.domain(), enabled)
    }

    /// Sets the time to live of multicast datagrams: 0 to 255, otherwise `EINVAL`.
    #[doc(alias = "uv_udp_set_multicast_ttl")]
    pub fn udp_set_multicast_ttl(&mut self, id: HandleId, ttl: i32) -> Result<()> {
        let udp = self.udp_mut(id)?;
        socket::set_multicast_ttl(udp.fd()?, udp.domain(), ttl)
    }

    /// Sets the interface for multicast datagrams; `None` lets the kernel choose.
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

    /// Sets the time to live of datagrams: 1 to 255, otherwise `EINVAL`.
    #[doc(alias = "uv_udp_set_ttl")]
    pub fn udp_set_ttl(&mut self, id: HandleId, ttl: i32) -> Result<()> {
        let udp = self.udp_mut(id)?;
        socket::set_ttl(udp.fd()?, udp.domain(), ttl)
    }
}
