//! Network interfaces: their addresses and their names.
//!
//! # Safety
//!
//! `getifaddrs(3)` returns pointers into memory that it owns. Everything is copied before `freeifaddrs`.
//! `if_indextoname(3)` writes into a buffer of ours of the size that it requires.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::{Errno, Result};

/// One address of a network interface.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The interface's name, such as `eth0`.
    pub name: CString,
    /// The address.
    pub address: IpAddr,
    /// The network mask of the address.
    pub netmask: IpAddr,
    /// The hardware (MAC) address; zeros if the interface has none.
    pub mac: [u8; 6],
    /// True for a loopback interface.
    pub is_internal: bool,
    /// The scope id of an IPv6 address; 0 for IPv4.
    pub scope_id: u32,
}

/// All IPv4 and IPv6 addresses of the interfaces that are up and running, in the order of `getifaddrs(3)`.
#[doc(alias = "uv_interface_addresses")]
pub fn interfaces() -> Result<Vec<Interface>> {
    let mut list: *mut libc::ifaddrs = std::ptr::null_mut();
    // SAFETY: on success `list` is set, and freed below after everything was copied.
    if unsafe { libc::getifaddrs(&mut list) } != 0 {
        return Err(Errno::last());
    }
    let mut found = Vec::new();
    let mut macs: Vec<(CString, [u8; 6])> = Vec::new();
    let mut entry = list;
    while !entry.is_null() {
        // SAFETY: `entry` is a live node of the list.
        let node = unsafe { &*entry };
        entry = node.ifa_next;
        let up = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_uint;
        if node.ifa_flags & up != up || node.ifa_addr.is_null() {
            continue;
        }
        // SAFETY: the names in the list are C strings.
        let name = unsafe { CStr::from_ptr(node.ifa_name) }.to_owned();
        // SAFETY: an address of the list, as long as its family requires.
        if let Some(mac) = unsafe { hardware_address(node.ifa_addr) } {
            macs.push((name, mac));
            continue;
        }
        // SAFETY: the address is in the list and as long as its family requires; the mask has the same family or is
        // null.
        let (address, mask) = unsafe { (ip_address(node.ifa_addr), ip_address(node.ifa_netmask)) };
        if let Some((address, scope_id)) = address {
            let none = if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
            let is_internal = node.ifa_flags & libc::IFF_LOOPBACK as libc::c_uint != 0;
            let netmask = mask.map_or(none, |(mask, _)| mask);
            found.push(Interface { name, address, netmask, mac: [0; 6], is_internal, scope_id });
        }
    }
    // SAFETY: allocated by `getifaddrs`, freed once, not used afterwards.
    unsafe { libc::freeifaddrs(list) };
    for interface in &mut found {
        // An alias such as `eth0:1` has the hardware address of its device.
        let device = interface.name.to_bytes().split(|byte| *byte == b':').next().unwrap_or_default();
        if let Some((_, mac)) = macs.iter().find(|(name, _)| name.to_bytes() == device) {
            interface.mac = *mac;
        }
    }
    Ok(found)
}

/// # Safety
/// `address` is null or points to a socket address as long as its family requires.
unsafe fn ip_address(address: *const libc::sockaddr) -> Option<(IpAddr, u32)> {
    // SAFETY: the caller's contract; unaligned reads copy the structs.
    unsafe {
        if address.is_null() {
            return None;
        }
        match i32::from((*address).sa_family) {
            libc::AF_INET => {
                let v4 = address.cast::<libc::sockaddr_in>().read_unaligned();
                Some((Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr)).into(), 0))
            }
            libc::AF_INET6 => {
                let v6 = address.cast::<libc::sockaddr_in6>().read_unaligned();
                Some((Ipv6Addr::from(v6.sin6_addr.s6_addr).into(), v6.sin6_scope_id))
            }
            _ => None,
        }
    }
}

/// # Safety
/// `address` points to a socket address as long as its family requires.
#[cfg(target_os = "linux")]
unsafe fn hardware_address(address: *const libc::sockaddr) -> Option<[u8; 6]> {
    // SAFETY: the caller's contract.
    unsafe {
        if i32::from((*address).sa_family) != libc::AF_PACKET {
            return None;
        }
        let link = address.cast::<libc::sockaddr_ll>().read_unaligned();
        let [a, b, c, d, e, f, ..] = link.sll_addr;
        Some([a, b, c, d, e, f])
    }
}

/// # Safety
/// No requirement: `address` is not read. Other systems have no `AF_PACKET`.
#[cfg(not(target_os = "linux"))]
unsafe fn hardware_address(_address: *const libc::sockaddr) -> Option<[u8; 6]> {
    None
}

/// The name of an interface by its index. `ENXIO` if there is none.
#[doc(alias = "uv_if_indextoname")]
pub fn interface_name(index: u32) -> Result<CString> {
    let mut name = [0 as libc::c_char; libc::IF_NAMESIZE];
    // SAFETY: the buffer has the size that the function requires.
    if unsafe { libc::if_indextoname(index, name.as_mut_ptr()) }.is_null() {
        return Err(Errno::last());
    }
    // SAFETY: on success the name ends with NUL within the buffer.
    Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_owned())
}

/// The index of an interface by its name; `None` if there is none.
pub fn interface_index(name: &CStr) -> Option<u32> {
    // SAFETY: a C string that outlives the call.
    Some(unsafe { libc::if_nametoindex(name.as_ptr()) }).filter(|index| *index != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_is_internal() {
        let list = interfaces().expect("interfaces");
        for interface in list.iter().filter(|interface| interface.address.is_loopback()) {
            assert!(interface.is_internal, "{interface:?}");
        }
    }

    #[test]
    fn names_and_indices_are_inverse() {
        assert_eq!(interface_name(0), Err(Errno::ENXIO));
        assert_eq!(interface_index(c"no-such-device"), None);
        for interface in interfaces().expect("interfaces") {
            // An alias has its own name but the index of its device.
            if let Some(index) = interface_index(&interface.name) {
                assert!(interface.name.to_bytes().starts_with(interface_name(index).expect("it has one").to_bytes()));
            }
        }
    }
}
