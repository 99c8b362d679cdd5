//! The scope id (interface) of a link-local IPv6 address that has none.
//!
//! # Safety
//! `getifaddrs(3)` returns a list that it owns; it is walked and freed once, in one function. Addresses in it are read
//! as the struct of their family.
#![allow(unsafe_code)]

use std::net::{Ipv6Addr, SocketAddrV6};

/// Sets the scope id of a link-local address that has none to the scope id of the first interface with a link-local
/// address.
///
/// As `src/unix/tcp.c: uv__tcp_connect`, which does this before connecting; binding uses the address unchanged. Without
/// a scope id the kernel returns `EINVAL`. If there is no such interface the address is returned unchanged.
pub fn with_link_local_scope(address: SocketAddrV6) -> SocketAddrV6 {
    if address.scope_id() != 0 || !is_link_local(address.ip()) {
        return address;
    }
    let mut scoped = address;
    scoped.set_scope_id(first_link_local_scope().unwrap_or(0));
    scoped
}

/// True for `fe80::/16`, as in libuv. RFC 4291 section 2.5.6 defines link-local as `fe80::/10` with the other bits
/// zero.
fn is_link_local(ip: &Ipv6Addr) -> bool {
    ip.segments()[0] == 0xfe80
}

fn first_link_local_scope() -> Option<u32> {
    let mut list = std::ptr::null_mut();
    // SAFETY: `list` is a valid place for a pointer.
    if unsafe { libc::getifaddrs(&mut list) } != 0 {
        return None;
    }
    let mut found = None;
    let mut next = list;
    while !next.is_null() && found.is_none() {
        // SAFETY: not null, and an entry of the list, which is freed only below.
        let entry = unsafe { &*next };
        next = entry.ifa_next;
        let address = entry.ifa_addr;
        // SAFETY: not null, so it is a `sockaddr` with at least the family.
        if address.is_null() || libc::c_int::from(unsafe { (*address).sa_family }) != libc::AF_INET6 {
            continue;
        }
        // SAFETY: the family says that it is a `sockaddr_in6`; read without assuming its alignment.
        let v6 = unsafe { address.cast::<libc::sockaddr_in6>().read_unaligned() };
        if is_link_local(&Ipv6Addr::from(v6.sin6_addr.s6_addr)) {
            found = Some(v6.sin6_scope_id);
        }
    }
    // SAFETY: the list came from `getifaddrs`, and nothing borrows from it any more.
    unsafe { libc::freeifaddrs(list) };
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_addresses_are_unchanged() {
        let given = SocketAddrV6::new("fe80::1".parse().unwrap(), 1, 0, 9);
        assert_eq!(with_link_local_scope(given), given);
        let global = SocketAddrV6::new(Ipv6Addr::LOCALHOST, 1, 0, 0);
        assert_eq!(with_link_local_scope(global), global);
    }

    #[test]
    fn the_scope_id_is_that_of_a_link_local_interface() {
        // Each line has: address, index, prefix length, scope, flags, name; numbers in hexadecimal. Missing without
        // IPv6.
        let table = std::fs::read_to_string("/proc/net/if_inet6").unwrap_or_default();
        let indices: Vec<u32> = table
            .lines()
            .filter(|line| line.starts_with("fe80"))
            .filter_map(|line| u32::from_str_radix(line.split_whitespace().nth(1)?, 16).ok())
            .collect();
        let scoped = with_link_local_scope(SocketAddrV6::new("fe80::1".parse().unwrap(), 1, 0, 0)).scope_id();
        assert!(if indices.is_empty() { scoped == 0 } else { indices.contains(&scoped) }, "{scoped} of {indices:?}");
    }
}
