//! Socket options. Those of multicast are in `multicast`.
//!
//! # Safety
//! `setsockopt` reads as many bytes as it is told; the pointer and the length come from one reference.
#![allow(unsafe_code)]

use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use rustix::net::sockopt;

use super::Domain;
use crate::{Errno, Result};

/// Disables Nagle's algorithm (`TCP_NODELAY`).
#[doc(alias = "uv_tcp_nodelay")]
pub fn set_nodelay(fd: impl AsFd, enabled: bool) -> Result<()> {
    Ok(sockopt::set_tcp_nodelay(fd, enabled)?)
}

/// The timing of TCP keepalive probes (`tcp(7)`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keepalive {
    /// Seconds of idleness before the first probe.
    pub idle_s: u32,
    /// Seconds between probes.
    pub interval_s: u32,
    /// The number of unanswered probes after which the connection is reset.
    pub count: u32,
}

impl Keepalive {
    /// True if no value is 0; the kernel refuses 0.
    pub const fn is_valid(self) -> bool {
        self.idle_s != 0 && self.interval_s != 0 && self.count != 0
    }
}

/// Enables or disables TCP keepalive.
///
/// `EINVAL` if a value is 0. Keepalive is then already enabled with the previous values, as in `src/unix/tcp.c:
/// uv__tcp_keepalive`.
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

/// Allows binding to an address with connections in TIME_WAIT; for UDP, to one that is in use.
#[doc(alias = "SO_REUSEADDR")]
pub fn set_reuse_address(fd: impl AsFd, enabled: bool) -> Result<()> {
    Ok(sockopt::set_socket_reuseaddr(fd, enabled)?)
}

/// Allows several sockets on one port; the kernel distributes connections and datagrams among them.
#[doc(alias = "SO_REUSEPORT")]
pub fn set_reuse_port(fd: impl AsFd, enabled: bool) -> Result<()> {
    Ok(sockopt::set_socket_reuseport(fd, enabled)?)
}

/// Disables IPv4 on an IPv6 socket.
#[doc(alias = "IPV6_V6ONLY")]
pub fn set_ipv6_only(fd: impl AsFd, enabled: bool) -> Result<()> {
    Ok(sockopt::set_ipv6_v6only(fd, enabled)?)
}

/// Makes `close` reset the connection and discard unsent data (`SO_LINGER` with timeout 0), as `src/unix/tcp.c:
/// uv_tcp_close_reset`.
#[doc(alias = "SO_LINGER")]
pub fn set_reset_on_close(fd: impl AsFd) -> Result<()> {
    Ok(sockopt::set_socket_linger(fd, Some(Duration::ZERO))?)
}

/// The size of the send buffer: on Linux twice the value that was set (`socket(7)`).
#[doc(alias = "uv_send_buffer_size")]
pub fn send_buffer_size(fd: impl AsFd) -> Result<usize> {
    Ok(sockopt::socket_send_buffer_size(fd)?)
}

/// Sets the size of the send buffer; the kernel caps it (`net.core.wmem_max`).
pub fn set_send_buffer_size(fd: impl AsFd, size_bytes: u32) -> Result<()> {
    Ok(sockopt::set_socket_send_buffer_size(fd, clamp_size(size_bytes))?)
}

/// The size of the receive buffer: on Linux twice the value that was set (`socket(7)`).
#[doc(alias = "uv_recv_buffer_size")]
pub fn recv_buffer_size(fd: impl AsFd) -> Result<usize> {
    Ok(sockopt::socket_recv_buffer_size(fd)?)
}

/// Sets the size of the receive buffer; the kernel caps it (`net.core.rmem_max`).
pub fn set_recv_buffer_size(fd: impl AsFd, size_bytes: u32) -> Result<()> {
    Ok(sockopt::set_socket_recv_buffer_size(fd, clamp_size(size_bytes))?)
}

/// The option is a signed integer, and the kernel treats a negative value as a very large one.
fn clamp_size(size_bytes: u32) -> usize {
    size_bytes.min(i32::MAX as u32) as usize
}

/// Allows sending to broadcast addresses.
#[doc(alias = "uv_udp_set_broadcast")]
pub fn set_broadcast(fd: impl AsFd, enabled: bool) -> Result<()> {
    Ok(sockopt::set_socket_broadcast(fd, enabled)?)
}

/// Sets the TTL (hop limit) of datagrams: 1 to 255, else `EINVAL`.
#[doc(alias = "uv_udp_set_ttl")]
pub fn set_ttl(fd: impl AsFd, domain: Domain, ttl: i32) -> Result<()> {
    let hops = u8::try_from(ttl).ok().filter(|&hops| hops > 0).ok_or(Errno::EINVAL)?;
    match domain {
        Domain::V6 => Ok(sockopt::set_ipv6_unicast_hops(fd, Some(hops))?),
        _ => Ok(sockopt::set_ip_ttl(fd, hops.into())?),
    }
}

/// Enables the error queue for ICMP errors (`IP_RECVERR`, `ip(7)`). Does nothing for Unix sockets, which have none.
#[doc(alias = "UV_UDP_LINUX_RECVERR")]
pub(super) fn set_receive_errors(fd: impl AsFd, domain: Domain) -> Result<()> {
    let yes: libc::c_int = 1;
    match domain {
        Domain::V4 => set(fd, libc::IPPROTO_IP, libc::IP_RECVERR, &yes),
        Domain::V6 => set(fd, libc::IPPROTO_IPV6, libc::IPV6_RECVERR, &yes),
        Domain::Unix => Ok(()),
    }
}

/// Sets an option that rustix lacks. `T` is the C type of the option.
pub(super) fn set<T: Copy>(fd: impl AsFd, level: libc::c_int, name: libc::c_int, value: &T) -> Result<()> {
    let (start, len) = (std::ptr::from_ref(value).cast(), size_of::<T>() as libc::socklen_t);
    // SAFETY: `start` and `len` are the bounds of `value`, which the kernel only reads.
    let result = unsafe { libc::setsockopt(fd.as_fd().as_raw_fd(), level, name, start, len) };
    if result == 0 { Ok(()) } else { Err(Errno::last()) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{bind, listen, local_address, read, stream_socket, udp_socket};
    use super::*;

    #[test]
    fn tcp_options_are_set() {
        let fd = stream_socket(Domain::V4).unwrap();
        set_nodelay(&fd, true).unwrap();
        assert!(sockopt::tcp_nodelay(&fd).unwrap());
        let keepalive = Keepalive { idle_s: 7, interval_s: 3, count: 5 };
        set_keepalive(&fd, Some(keepalive)).unwrap();
        assert!(sockopt::socket_keepalive(&fd).unwrap());
        assert_eq!(sockopt::tcp_keepidle(&fd).unwrap().as_secs(), 7);
        assert_eq!(sockopt::tcp_keepintvl(&fd).unwrap().as_secs(), 3);
        assert_eq!(sockopt::tcp_keepcnt(&fd).unwrap(), 5);
        assert_eq!(set_keepalive(&fd, Some(Keepalive { idle_s: 0, ..keepalive })), Err(Errno::EINVAL));
        set_keepalive(&fd, None).unwrap();
        assert!(!sockopt::socket_keepalive(&fd).unwrap());
        assert_eq!(set_ipv6_only(&fd, true), Err(Errno::ENOPROTOOPT));
    }

    #[test]
    fn buffer_sizes_are_doubled_by_the_kernel() {
        let fd = udp_socket(Domain::V4).unwrap();
        for size_bytes in [u32::MAX, i32::MAX as u32 + 1, 10_000] {
            set_send_buffer_size(&fd, size_bytes).unwrap();
        }
        set_recv_buffer_size(&fd, 10_000).unwrap();
        assert_eq!((send_buffer_size(&fd), recv_buffer_size(&fd)), (Ok(20_000), Ok(20_000)));
    }

    #[test]
    fn two_listeners_share_a_port_only_if_both_set_the_option() {
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
    fn closing_with_reset_resets_the_connection() {
        let (_server, client, accepted) = connected(Domain::V4, &localhost(Domain::V4));
        set_reset_on_close(&client).unwrap();
        drop(client);
        wait_readable(&accepted);
        assert_eq!(read(&accepted, &mut [0; 8]), Err(Errno::ECONNRESET));
    }

    #[test]
    fn ttl_out_of_range_is_refused() {
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
