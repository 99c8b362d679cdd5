//! The knobs of a socket. Those of multicast are in `multicast`.
//!
//! # Safety
//! `setsockopt` reads as many bytes as the value it is given has; both come from one reference.
#![allow(unsafe_code)]

use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use rustix::net::sockopt;

use super::Domain;
use crate::{Errno, Result};

/// Sends small writes at once instead of gathering them.
#[doc(alias = "uv_tcp_nodelay")]
pub fn set_nodelay(fd: impl AsFd, enabled: bool) -> Result<()> {
    Ok(sockopt::set_tcp_nodelay(fd, enabled)?)
}

/// When a silent peer is asked whether it is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keepalive {
    /// First after so many seconds of silence.
    pub idle_s: u32,
    /// Then every so many seconds.
    pub interval_s: u32,
    /// So many times before the connection is given up.
    pub count: u32,
}

impl Keepalive {
    /// Whether the kernel can be told so: nothing in it is 0.
    pub const fn is_valid(self) -> bool {
        self.idle_s != 0 && self.interval_s != 0 && self.count != 0
    }
}

/// Lets the kernel ask a silent peer whether it is still there, or not.
///
/// As `uv__tcp_keepalive`: a zero among the numbers is `EINVAL`, by which time the asking with the old ones is already on.
#[doc(alias = "uv_tcp_keepalive_ex")]
pub fn set_keepalive(fd: impl AsFd, keepalive: Option<Keepalive>) -> Result<()> {
    let fd = fd.as_fd();
    sockopt::set_socket_keepalive(fd, keepalive.is_some())?;
    let Some(keepalive) = keepalive else { return Ok(()) };
    if !keepalive.is_valid() {
        return Err(Errno::EINVAL);
    }
    let Keepalive { idle_s, interval_s, count } = keepalive;
    sockopt::set_tcp_keepidle(fd, Duration::from_secs(idle_s.into()))?;
    sockopt::set_tcp_keepintvl(fd, Duration::from_secs(interval_s.into()))?;
    Ok(sockopt::set_tcp_keepcnt(fd, count)?)
}

/// Allows binding to an address whose last connections have not been forgotten yet; for UDP, to one that is in use.
#[doc(alias = "SO_REUSEADDR")]
pub fn set_reuse_address(fd: impl AsFd, enabled: bool) -> Result<()> {
    Ok(sockopt::set_socket_reuseaddr(fd, enabled)?)
}

/// Allows several sockets on one port, among which the kernel shares connections and datagrams out.
#[doc(alias = "SO_REUSEPORT")]
pub fn set_reuse_port(fd: impl AsFd, enabled: bool) -> Result<()> {
    Ok(sockopt::set_socket_reuseport(fd, enabled)?)
}

/// Keeps IPv4 off an IPv6 socket.
#[doc(alias = "IPV6_V6ONLY")]
pub fn set_ipv6_only(fd: impl AsFd, enabled: bool) -> Result<()> {
    Ok(sockopt::set_ipv6_v6only(fd, enabled)?)
}

/// Makes closing the socket reset the connection, throwing away what is not sent. As `uv_tcp_close_reset`.
#[doc(alias = "SO_LINGER")]
pub fn set_reset_on_close(fd: impl AsFd) -> Result<()> {
    Ok(sockopt::set_socket_linger(fd, Some(Duration::ZERO))?)
}

/// The size of the send buffer: on Linux twice what was set.
#[doc(alias = "uv_send_buffer_size")]
pub fn send_buffer_size(fd: impl AsFd) -> Result<usize> {
    Ok(sockopt::socket_send_buffer_size(fd)?)
}

/// Sets the size of the send buffer, as far as the kernel's limit allows.
pub fn set_send_buffer_size(fd: impl AsFd, size_bytes: u32) -> Result<()> {
    Ok(sockopt::set_socket_send_buffer_size(fd, most(size_bytes))?)
}

/// The size of the receive buffer: on Linux twice what was set.
#[doc(alias = "uv_recv_buffer_size")]
pub fn recv_buffer_size(fd: impl AsFd) -> Result<usize> {
    Ok(sockopt::socket_recv_buffer_size(fd)?)
}

/// Sets the size of the receive buffer, as far as the kernel's limit allows.
pub fn set_recv_buffer_size(fd: impl AsFd, size_bytes: u32) -> Result<()> {
    Ok(sockopt::set_socket_recv_buffer_size(fd, most(size_bytes))?)
}

/// The kernel takes a signed number, and takes a negative one for a very large one.
fn most(size_bytes: u32) -> usize {
    size_bytes.min(i32::MAX as u32) as usize
}

/// Allows sending to broadcast addresses.
#[doc(alias = "uv_udp_set_broadcast")]
pub fn set_broadcast(fd: impl AsFd, enabled: bool) -> Result<()> {
    Ok(sockopt::set_socket_broadcast(fd, enabled)?)
}

/// How many routers a datagram may pass: 1 to 255, anything else is `EINVAL`.
#[doc(alias = "uv_udp_set_ttl")]
pub fn set_ttl(fd: impl AsFd, domain: Domain, ttl: i32) -> Result<()> {
    let hops = u8::try_from(ttl).ok().filter(|&hops| hops > 0).ok_or(Errno::EINVAL)?;
    match domain {
        Domain::V6 => Ok(sockopt::set_ipv6_unicast_hops(fd, Some(hops))?),
        _ => Ok(sockopt::set_ip_ttl(fd, hops.into())?),
    }
}

/// Asks for the errors that ICMP reports, to be read from the error queue. Other families have none and stay as is.
#[doc(alias = "UV_UDP_LINUX_RECVERR")]
pub(super) fn set_receive_errors(fd: impl AsFd, domain: Domain) -> Result<()> {
    let yes: libc::c_int = 1;
    match domain {
        Domain::V4 => set(fd, libc::IPPROTO_IP, libc::IP_RECVERR, &yes),
        Domain::V6 => set(fd, libc::IPPROTO_IPV6, libc::IPV6_RECVERR, &yes),
        Domain::Unix => Ok(()),
    }
}

/// Sets an option that rustix does not know. `T` is the C struct that the option takes.
pub(super) fn set<T: Copy>(fd: impl AsFd, level: libc::c_int, name: libc::c_int, value: &T) -> Result<()> {
    let (start, len) = (std::ptr::from_ref(value).cast(), size_of::<T>() as libc::socklen_t);
    // SAFETY: `start` and `len` bound `value`, which the kernel only reads.
    let result = unsafe { libc::setsockopt(fd.as_fd().as_raw_fd(), level, name, start, len) };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{bind, listen, local_address, read, stream_socket, udp_socket};
    use super::*;

    #[test]
    fn tcp_options_reach_the_kernel() {
        let fd = stream_socket(Domain::V4).unwrap();
        set_nodelay(&fd, true).unwrap();
        assert!(sockopt::tcp_nodelay(&fd).unwrap());
        let asked = Keepalive { idle_s: 7, interval_s: 3, count: 5 };
        set_keepalive(&fd, Some(asked)).unwrap();
        assert!(sockopt::socket_keepalive(&fd).unwrap());
        assert_eq!(sockopt::tcp_keepidle(&fd).unwrap().as_secs(), 7);
        assert_eq!(sockopt::tcp_keepintvl(&fd).unwrap().as_secs(), 3);
        assert_eq!(sockopt::tcp_keepcnt(&fd).unwrap(), 5);
        assert_eq!(set_keepalive(&fd, Some(Keepalive { idle_s: 0, ..asked })), Err(Errno::EINVAL));
        set_keepalive(&fd, None).unwrap();
        assert!(!sockopt::socket_keepalive(&fd).unwrap());
        assert_eq!(set_ipv6_only(&fd, true), Err(Errno::ENOPROTOOPT));
    }

    #[test]
    fn buffer_sizes_come_back_doubled() {
        let fd = udp_socket(Domain::V4).unwrap();
        for size_bytes in [u32::MAX, i32::MAX as u32 + 1, 10_000] {
            set_send_buffer_size(&fd, size_bytes).unwrap();
        }
        set_recv_buffer_size(&fd, 10_000).unwrap();
        assert_eq!((send_buffer_size(&fd), recv_buffer_size(&fd)), (Ok(20_000), Ok(20_000)));
    }

    #[test]
    fn two_listeners_share_a_port_only_if_both_agree() {
        let first = stream_socket(Domain::V4).unwrap();
        set_reuse_port(&first, true).unwrap();
        bind(&first, &localhost(Domain::V4)).unwrap();
        listen(&first, 1).unwrap();
        let address = local_address(&first).unwrap();
        let second = stream_socket(Domain::V4).unwrap();
        assert_eq!(bind(&second, &address), Err(Errno::EADDRINUSE));
        set_reuse_port(&second, true).unwrap();
        bind(&second, &address).unwrap();
    }

    #[test]
    fn closing_with_reset_resets() {
        let (_server, client, accepted) = connected(Domain::V4, &localhost(Domain::V4));
        set_reset_on_close(&client).unwrap();
        drop(client);
        wait_readable(&accepted);
        assert_eq!(read(&accepted, &mut [0; 8]), Err(Errno::ECONNRESET));
    }

    #[test]
    fn hops_have_limits() {
        let fd = udp_socket(Domain::V4).unwrap();
        for ttl in [-1, 0, 256] {
            assert_eq!(set_ttl(&fd, Domain::V4, ttl), Err(Errno::EINVAL));
        }
        set_ttl(&fd, Domain::V4, 255).unwrap();
        assert_eq!(sockopt::ip_ttl(&fd).unwrap(), 255);
        if has_ipv6_loopback() {
            let fd = udp_socket(Domain::V6).unwrap();
            set_ttl(&fd, Domain::V6, 9).unwrap();
            assert_eq!(sockopt::ipv6_unicast_hops(&fd).unwrap(), 9);
        }
        set_broadcast(&fd, true).unwrap();
        assert!(sockopt::socket_broadcast(&fd).unwrap());
    }
}
