//! Multicast groups: membership, interface, loopback and TTL.
//!
//! Addresses are already parsed: IPv4 identifies an interface by its address, IPv6 by its index (the scope id in
//! `fe80::1%eth0`).
//!
//! # Safety
//! One option takes a C struct that is zeroed first, which is valid for it.
#![allow(unsafe_code)]

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddrV6};
use std::os::fd::AsFd;

use rustix::net::sockopt;

use super::options::set;
use super::{Address, Domain};
use crate::{Errno, Result};

/// A network interface, as its address family identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interface {
    /// The interface with this address; `0.0.0.0` lets the kernel choose.
    V4(Ipv4Addr),
    /// The interface with this index; 0 lets the kernel choose.
    V6(u32),
}

impl Interface {
    /// Lets the kernel choose the interface.
    pub fn any(domain: Domain) -> Interface {
        if domain == Domain::V6 { Interface::V6(0) } else { Interface::V4(Ipv4Addr::UNSPECIFIED) }
    }
}

/// Whether to join or to leave a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Membership {
    /// Receive datagrams to the group.
    #[doc(alias = "UV_JOIN_GROUP")]
    Join,
    /// Stop receiving datagrams to the group.
    #[doc(alias = "UV_LEAVE_GROUP")]
    Leave,
}

/// Joins or leaves a group. `EINVAL` if the interface is of the other family.
#[doc(alias = "uv_udp_set_membership")]
pub fn set_membership(fd: impl AsFd, group: IpAddr, interface: Interface, membership: Membership) -> Result<()> {
    use Membership::{Join, Leave};
    match (group, interface, membership) {
        (IpAddr::V4(group), Interface::V4(on), Join) => Ok(sockopt::set_ip_add_membership(fd, &group, &on)?),
        (IpAddr::V4(group), Interface::V4(on), Leave) => Ok(sockopt::set_ip_drop_membership(fd, &group, &on)?),
        (IpAddr::V6(group), Interface::V6(on), Join) => Ok(sockopt::set_ipv6_add_membership(fd, &group, on)?),
        (IpAddr::V6(group), Interface::V6(on), Leave) => Ok(sockopt::set_ipv6_drop_membership(fd, &group, on)?),
        _ => Err(Errno::EINVAL),
    }
}

/// Joins or leaves a group for the datagrams of one source (source-specific multicast). `EINVAL` if the families
/// differ.
#[doc(alias = "uv_udp_set_source_membership")]
pub fn set_source_membership(
    fd: impl AsFd,
    group: IpAddr,
    interface: Interface,
    source: IpAddr,
    membership: Membership,
) -> Result<()> {
    match (group, interface, source) {
        (IpAddr::V4(group), Interface::V4(on), IpAddr::V4(source)) => match membership {
            Membership::Join => Ok(sockopt::set_ip_add_source_membership(fd, &group, &on, &source)?),
            Membership::Leave => Ok(sockopt::set_ip_drop_source_membership(fd, &group, &on, &source)?),
        },
        (IpAddr::V6(group), Interface::V6(on), IpAddr::V6(source)) => {
            let name = match membership {
                Membership::Join => libc::MCAST_JOIN_SOURCE_GROUP,
                Membership::Leave => libc::MCAST_LEAVE_SOURCE_GROUP,
            };
            set(fd, libc::IPPROTO_IPV6, name, &source_request(group, on, source))
        }
        _ => Err(Errno::EINVAL),
    }
}

fn source_request(group: Ipv6Addr, interface: u32, source: Ipv6Addr) -> libc::group_source_req {
    // SAFETY: the struct is an integer and two `sockaddr_storage`, for which zeros are valid.
    let mut request: libc::group_source_req = unsafe { std::mem::zeroed() };
    request.gsr_interface = interface;
    for (ip, place) in [(group, &mut request.gsr_group), (source, &mut request.gsr_source)] {
        let encoded = Address::V6(SocketAddrV6::new(ip, 0, 0, 0)).encode();
        let bytes = encoded.as_bytes();
        let start = std::ptr::from_mut(place).cast::<u8>();
        // SAFETY: a `sockaddr_storage` has space for every `sockaddr`, and the two do not overlap.
        unsafe { start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
    request
}

/// Sets the interface that datagrams to groups are sent from.
#[doc(alias = "uv_udp_set_multicast_interface")]
pub fn set_multicast_interface(fd: impl AsFd, interface: Interface) -> Result<()> {
    match interface {
        Interface::V4(on) => Ok(sockopt::set_ip_multicast_if(fd, &on)?),
        Interface::V6(on) => Ok(sockopt::set_ipv6_multicast_if(fd, on)?),
    }
}

/// Sets whether datagrams sent to a group are also received on this machine.
#[doc(alias = "uv_udp_set_multicast_loop")]
pub fn set_multicast_loop(fd: impl AsFd, domain: Domain, enabled: bool) -> Result<()> {
    match domain {
        Domain::V6 => Ok(sockopt::set_ipv6_multicast_loop(fd, enabled)?),
        _ => Ok(sockopt::set_ip_multicast_loop(fd, enabled)?),
    }
}

/// Sets the TTL (hop limit) of datagrams to groups: 0 to 255, else `EINVAL`.
#[doc(alias = "uv_udp_set_multicast_ttl")]
pub fn set_multicast_ttl(fd: impl AsFd, domain: Domain, ttl: i32) -> Result<()> {
    let hops = u8::try_from(ttl).map_err(|_| Errno::EINVAL)?.into();
    match domain {
        Domain::V6 => Ok(sockopt::set_ipv6_multicast_hops(fd, hops)?),
        _ => Ok(sockopt::set_ip_multicast_ttl(fd, hops)?),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{UdpBind, local_address, recv_from, send_to, udp_bind, udp_socket};
    use super::*;
    use std::io::IoSlice;

    #[test]
    fn a_group_is_joined_and_left() {
        let group: IpAddr = "239.255.0.77".parse().unwrap();
        let loopback = Interface::V4(Ipv4Addr::LOCALHOST);
        let (receiver, sender) = (udp_socket(Domain::V4).unwrap(), udp_socket(Domain::V4).unwrap());
        let any = Address::from((IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0));
        udp_bind(&receiver, &any, UdpBind::default()).unwrap();
        let port = local_address(&receiver).unwrap().inet().unwrap().port();
        set_membership(&receiver, group, loopback, Membership::Join).unwrap();
        set_multicast_interface(&sender, loopback).unwrap();
        set_multicast_loop(&sender, Domain::V4, true).unwrap();
        set_multicast_ttl(&sender, Domain::V4, 0).unwrap();
        let to = Address::from((group, port));
        send_to(&sender, &[IoSlice::new(b"all")], Some(&to)).unwrap();
        wait_readable(&receiver);
        assert_eq!(recv_from(&receiver, &mut [0; 8]).unwrap().len, 3);

        set_membership(&receiver, group, loopback, Membership::Leave).unwrap();
        assert_eq!(set_membership(&receiver, group, loopback, Membership::Leave), Err(Errno::EADDRNOTAVAIL));

        let source = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let group: IpAddr = "232.1.1.1".parse().unwrap();
        set_source_membership(&receiver, group, loopback, source, Membership::Join).unwrap();
        set_source_membership(&receiver, group, loopback, source, Membership::Leave).unwrap();
    }

    #[test]
    fn ipv6_groups_are_joined_and_left() {
        if !has_ipv6_loopback() {
            return;
        }
        let loopback = Interface::V6(1);
        let fd = udp_socket(Domain::V6).unwrap();
        let group: IpAddr = "ff01::77".parse().unwrap();
        set_membership(&fd, group, loopback, Membership::Join).unwrap();
        set_membership(&fd, group, loopback, Membership::Leave).unwrap();
        let (group, source) = ("ff31::1234".parse().unwrap(), "::1".parse().unwrap());
        set_source_membership(&fd, group, loopback, source, Membership::Join).unwrap();
        assert_eq!(
            set_source_membership(&fd, group, loopback, source, Membership::Join),
            Err(Errno::EADDRNOTAVAIL),
            "joined already"
        );
        set_source_membership(&fd, group, loopback, source, Membership::Leave).unwrap();
        set_multicast_interface(&fd, loopback).unwrap();
        set_multicast_loop(&fd, Domain::V6, false).unwrap();
        assert!(!sockopt::ipv6_multicast_loop(&fd).unwrap());
        set_multicast_ttl(&fd, Domain::V6, 7).unwrap();
        assert_eq!(sockopt::ipv6_multicast_hops(&fd).unwrap(), 7);
    }

    #[test]
    fn mixed_families_and_ttls_out_of_range_are_invalid() {
        let fd = udp_socket(Domain::V4).unwrap();
        let v6: IpAddr = "ff02::1".parse().unwrap();
        let v4: IpAddr = "239.0.0.1".parse().unwrap();
        let any = Interface::any(Domain::V4);
        assert_eq!(set_membership(&fd, v6, any, Membership::Join), Err(Errno::EINVAL));
        assert_eq!(set_source_membership(&fd, v4, any, v6, Membership::Join), Err(Errno::EINVAL));
        for ttl in [-1, 256] {
            assert_eq!(set_multicast_ttl(&fd, Domain::V4, ttl), Err(Errno::EINVAL));
        }
    }
}
