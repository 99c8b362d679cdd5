//! Addresses, multicast groups and other options of a UDP handle's socket.
//!
//! # Safety
//! The contract of `access` holds: handle pointers are live and of the declared type. Texts are C strings.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;

use libc::sockaddr;
use phasor_core::{Errno, HandleId, Interface, Loop, Membership, Result};

use crate::front_end::C;
use crate::layout::{UV_JOIN_GROUP, UV_LEAVE_GROUP, flag, uv_membership, uv_udp_t};
use crate::{access, address, net};

/// The valid values of the options `ttl` and `multicast_ttl`. As in libuv, they are checked before the socket
/// (`src/unix/udp.c: uv_udp_set_ttl`).
const BYTE_RANGE: RangeInclusive<c_int> = 0..=255;

/// The local address.
///
/// # Safety
/// `handle` is an initialised UDP handle, `name` has `*namelen` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_getsockname(
    handle: *const uv_udp_t,
    name: *mut sockaddr,
    namelen: *mut c_int,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        address::write_sockaddr(access::with_handle(handle, |core, id| core.udp_local_address(id)), name, namelen)
    }
}

/// The address of the peer.
///
/// # Safety
/// `handle` is an initialised UDP handle, `name` has `*namelen` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_getpeername(
    handle: *const uv_udp_t,
    name: *mut sockaddr,
    namelen: *mut c_int,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { address::write_sockaddr(access::with_handle(handle, |core, id| core.udp_peer_address(id)), name, namelen) }
}

/// Joins or leaves a multicast group.
///
/// # Safety
/// `handle` is an initialised UDP handle, `multicast_addr` a C string, `interface_addr` a C string or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_set_membership(
    handle: *mut uv_udp_t,
    multicast_addr: *const c_char,
    interface_addr: *const c_char,
    membership: uv_membership,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        change(handle, |core, id| {
            let group = ip(multicast_addr)?;
            core.udp_set_membership(id, group, interface(interface_addr)?, membership_of(membership)?)
        })
    }
}

/// Joins or leaves a multicast group for one source address.
///
/// # Safety
/// The requirements of [`uv_udp_set_membership`]; `source_addr` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_set_source_membership(
    handle: *mut uv_udp_t,
    multicast_addr: *const c_char,
    interface_addr: *const c_char,
    source_addr: *const c_char,
    membership: uv_membership,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        change(handle, |core, id| {
            let (group, source) = (ip(multicast_addr)?, ip(source_addr)?);
            core.udp_set_source_membership(id, group, interface(interface_addr)?, source, membership_of(membership)?)
        })
    }
}

/// Sets whether multicast datagrams are also delivered to sockets of this machine.
///
/// # Safety
/// `handle` is an initialised UDP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_set_multicast_loop(handle: *mut uv_udp_t, on: c_int) -> c_int {
    if !BYTE_RANGE.contains(&on) {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { change(handle, |core, id| core.udp_set_multicast_loop(id, on != 0)) }
}

/// Sets the time to live of multicast datagrams.
///
/// # Safety
/// `handle` is an initialised UDP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_set_multicast_ttl(handle: *mut uv_udp_t, ttl: c_int) -> c_int {
    if !BYTE_RANGE.contains(&ttl) {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { change(handle, |core, id| core.udp_set_multicast_ttl(id, ttl)) }
}

/// Sets the interface that multicast datagrams are sent through; NULL lets the kernel choose.
///
/// # Safety
/// `handle` is an initialised UDP handle, `interface_addr` a C string or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_set_multicast_interface(handle: *mut uv_udp_t, interface_addr: *const c_char) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { change(handle, |core, id| core.udp_set_multicast_interface(id, interface(interface_addr)?)) }
}

/// Allows or forbids sending to broadcast addresses.
///
/// # Safety
/// `handle` is an initialised UDP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_set_broadcast(handle: *mut uv_udp_t, on: c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { change(handle, |core, id| core.udp_set_broadcast(id, on != 0)) }
}

/// Sets the time to live of unicast datagrams.
///
/// # Safety
/// `handle` is an initialised UDP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_set_ttl(handle: *mut uv_udp_t, ttl: c_int) -> c_int {
    if ttl == 0 || !BYTE_RANGE.contains(&ttl) {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { change(handle, |core, id| core.udp_set_ttl(id, ttl)) }
}

/// # Safety
/// `handle` is an initialised UDP handle.
unsafe fn change(handle: *mut uv_udp_t, change: impl FnOnce(&mut Loop<C>, HandleId) -> Result<()>) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*handle).handle.flags & flag::CLOSING != 0 {
            return -Errno::EBADF.raw();
        }
        let changed = access::with_handle(handle, change);
        // `change` may have created the socket.
        super::sync_fields(handle);
        access::status(changed)
    }
}

fn membership_of(membership: uv_membership) -> Result<Membership> {
    match membership {
        UV_JOIN_GROUP => Ok(Membership::Join),
        UV_LEAVE_GROUP => Ok(Membership::Leave),
        _ => Err(Errno::EINVAL),
    }
}

/// # Safety
/// `text` is a C string or NULL.
unsafe fn ip(text: *const c_char) -> Result<IpAddr> {
    // SAFETY: guaranteed by the caller.
    unsafe { scoped_ip(text) }.map(|(ip, _)| ip)
}

/// Parses an interface: one of its IPv4 addresses, or an IPv6 address with the interface's name after a `%`.
///
/// # Safety
/// `text` is a C string or NULL.
unsafe fn interface(text: *const c_char) -> Result<Option<Interface>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: guaranteed by the caller.
    unsafe { scoped_ip(text) }.map(|(ip, scope_id)| {
        Some(match ip {
            IpAddr::V4(v4) => Interface::V4(v4),
            IpAddr::V6(_) => Interface::V6(scope_id),
        })
    })
}

/// # Safety
/// `text` is a C string or NULL.
unsafe fn scoped_ip(text: *const c_char) -> Result<(IpAddr, u32)> {
    let (mut v4, mut v6) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    if text.is_null() {
        return Err(Errno::EINVAL);
    }
    // SAFETY: guaranteed by the caller; the two functions write the address even if they fail.
    unsafe {
        if net::uv_ip4_addr(text, 0, v4.as_mut_ptr()) == 0 {
            return Ok((Ipv4Addr::from(u32::from_be(v4.assume_init().sin_addr.s_addr)).into(), 0));
        }
        if net::uv_ip6_addr(text, 0, v6.as_mut_ptr()) == 0 {
            let v6 = v6.assume_init();
            return Ok((Ipv6Addr::from(v6.sin6_addr.s6_addr).into(), v6.sin6_scope_id));
        }
    }
    Err(Errno::EINVAL)
}
