//! IP addresses as text, and the network interfaces.
//!
//! # Safety
//! Texts are C strings; a `sockaddr` has the length of its family; a buffer has the size that is passed with it. The array of
//! interfaces and their names are one block of the replaceable allocator.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use libc::{in_addr, in6_addr, sockaddr, sockaddr_in, sockaddr_in6};
use phasor_sys::{Errno, os};

use crate::access::status;
use crate::layout::{uv_interface_address_t, uv_interface_sockaddr};
use crate::{allocator, text};

/// The length of the longest text of an address: IPv6 with an IPv4 tail.
const MAX_TEXT_LEN: usize = 45;

fn v4(address: Ipv4Addr, port: u16) -> sockaddr_in {
    sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: port.to_be(),
        sin_addr: in_addr { s_addr: u32::from(address).to_be() },
        sin_zero: [0; 8],
    }
}

fn v6(address: Ipv6Addr, port: u16, scope_id: u32) -> sockaddr_in6 {
    sockaddr_in6 {
        sin6_family: libc::AF_INET6 as libc::sa_family_t,
        sin6_port: port.to_be(),
        sin6_flowinfo: 0,
        sin6_addr: in6_addr { s6_addr: address.octets() },
        sin6_scope_id: scope_id,
    }
}

/// Parses an address of one family; the text must not contain anything else.
fn parse<T: std::str::FromStr>(bytes: &[u8]) -> Result<T, Errno> {
    std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()).ok_or(Errno::EINVAL)
}

/// Splits a text at the `%` into the address and the zone.
fn split_zone(text: &CStr) -> (&[u8], Option<&CStr>) {
    let bytes = text.to_bytes_with_nul();
    match bytes.iter().position(|byte| *byte == b'%') {
        Some(place) => (&bytes[..place], CStr::from_bytes_with_nul(&bytes[place + 1..]).ok()),
        None => (text.to_bytes(), None),
    }
}

/// Parses an IPv4 address. For an invalid text it returns `EINVAL` and stores the unspecified address.
///
/// # Safety
/// `ip` is a C string, or NULL, which is `EINVAL`; `addr` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_ip4_addr(ip: *const c_char, port: c_int, addr: *mut sockaddr_in) -> c_int {
    let parsed = if ip.is_null() {
        Err(Errno::EINVAL)
    } else {
        // SAFETY: guaranteed by the caller.
        parse::<Ipv4Addr>(unsafe { CStr::from_ptr(ip) }.to_bytes())
    };
    // SAFETY: guaranteed by the caller.
    unsafe { *addr = v4(parsed.unwrap_or(Ipv4Addr::UNSPECIFIED), port as u16) };
    status(parsed.map(drop))
}

/// Parses an IPv6 address. The scope id is that of the interface whose name follows a `%`.
///
/// # Safety
/// `ip` is a C string, or NULL, which is `EINVAL`; `addr` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_ip6_addr(ip: *const c_char, port: c_int, addr: *mut sockaddr_in6) -> c_int {
    let (parsed, scope_id) = if ip.is_null() {
        (Err(Errno::EINVAL), 0)
    } else {
        // SAFETY: guaranteed by the caller.
        let (address, zone) = split_zone(unsafe { CStr::from_ptr(ip) });
        // An address before a zone is truncated, and an unknown interface gives scope 0 (`src/uv-common.c:
        // uv_ip6_addr`).
        let address = if zone.is_some() { &address[..address.len().min(MAX_TEXT_LEN)] } else { address };
        (parse::<Ipv6Addr>(address), zone.and_then(os::interface_index).unwrap_or(0))
    };
    // SAFETY: guaranteed by the caller.
    unsafe { *addr = v6(parsed.unwrap_or(Ipv6Addr::UNSPECIFIED), port as u16, scope_id) };
    status(parsed.map(drop))
}

/// Formats an address; `ENOSPC` if the text and its NUL do not fit.
///
/// # Safety
/// `dst` has `size` bytes.
unsafe fn format_address(address: IpAddr, dst: *mut c_char, size: usize) -> c_int {
    let mut text = [0_u8; MAX_TEXT_LEN + 1];
    let mut rest = &mut text[..];
    let written = match address {
        // `::a.b.c.d` as in `src/inet.c: inet_ntop6`. The standard library prints such an address in hexadecimal.
        IpAddr::V6(v6) if v6.segments()[..6] == [0; 6] && v6.segments()[6] != 0 => {
            let [.., a, b, c, d] = v6.octets();
            write!(rest, "::{a}.{b}.{c}.{d}")
        }
        address => write!(rest, "{address}"),
    };
    let len = MAX_TEXT_LEN + 1 - rest.len();
    if written.is_err() || len >= size {
        return -Errno::ENOSPC.raw();
    }
    // SAFETY: guaranteed by the caller; the length of the text and its NUL was checked.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), dst, len + 1) };
    0
}

/// Formats an IPv4 address, without its port.
///
/// # Safety
/// `src` points to an address, `dst` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_ip4_name(src: *const sockaddr_in, dst: *mut c_char, size: usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { uv_inet_ntop(libc::AF_INET, (&raw const (*src).sin_addr).cast(), dst, size) }
}

/// Formats an IPv6 address, without its port and scope.
///
/// # Safety
/// `src` points to an address, `dst` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_ip6_name(src: *const sockaddr_in6, dst: *mut c_char, size: usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { uv_inet_ntop(libc::AF_INET6, (&raw const (*src).sin6_addr).cast(), dst, size) }
}

/// Formats an address of either family, without its port.
///
/// # Safety
/// `src` points to an address with the length of its family, `dst` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_ip_name(src: *const sockaddr, dst: *mut c_char, size: usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match c_int::from((*src).sa_family) {
            libc::AF_INET => uv_ip4_name(src.cast(), dst, size),
            libc::AF_INET6 => uv_ip6_name(src.cast(), dst, size),
            _ => -Errno::EAFNOSUPPORT.raw(),
        }
    }
}

/// Formats a binary address.
///
/// # Safety
/// `src` points to 4 bytes (`AF_INET`) or 16 (`AF_INET6`), `dst` has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_inet_ntop(af: c_int, src: *const c_void, dst: *mut c_char, size: usize) -> c_int {
    // SAFETY: guaranteed by the caller; byte arrays have no alignment.
    unsafe {
        let address = match af {
            libc::AF_INET => IpAddr::from(*src.cast::<[u8; 4]>()),
            libc::AF_INET6 => IpAddr::from(*src.cast::<[u8; 16]>()),
            _ => return -Errno::EAFNOSUPPORT.raw(),
        };
        format_address(address, dst, size)
    }
}

/// Parses an address to binary. A zone is ignored.
///
/// # Safety
/// `src` is a C string, `dst` has 4 bytes (`AF_INET`) or 16 (`AF_INET6`); if either is NULL the result is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_inet_pton(af: c_int, src: *const c_char, dst: *mut c_void) -> c_int {
    if src.is_null() || dst.is_null() {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller; byte arrays have no alignment.
    unsafe {
        let source = CStr::from_ptr(src);
        status(match af {
            libc::AF_INET => {
                parse::<Ipv4Addr>(source.to_bytes()).map(|address| *dst.cast::<[u8; 4]>() = address.octets())
            }
            libc::AF_INET6 => {
                parse::<Ipv6Addr>(split_zone(source).0).map(|address| *dst.cast::<[u8; 16]>() = address.octets())
            }
            _ => Err(Errno::EAFNOSUPPORT),
        })
    }
}

/// The name of an interface.
///
/// # Safety
/// `buffer` has `*size` bytes; if either is NULL the result is `EINVAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_if_indextoname(ifindex: c_uint, buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if text::is_invalid(buffer, size) {
            return -Errno::EINVAL.raw();
        }
        match os::interface_name(ifindex) {
            Ok(name) => text::copy_out(&name, buffer, size),
            Err(errno) => -errno.raw(),
        }
    }
}

/// The identifier of an interface after the `%` of an address: on Linux, the interface's name.
///
/// # Safety
/// The requirements of [`uv_if_indextoname`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_if_indextoiid(ifindex: c_uint, buffer: *mut c_char, size: *mut usize) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { uv_if_indextoname(ifindex, buffer, size) }
}

/// The addresses of all interfaces that are up and running. The array is NULL if there are none.
///
/// # Safety
/// Both pointers are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_interface_addresses(
    addresses: *mut *mut uv_interface_address_t,
    count: *mut c_int,
) -> c_int {
    let found = os::interfaces();
    // SAFETY: guaranteed by the caller; the block has the size of the array and, after it, of the names with their NULs.
    unsafe {
        *addresses = std::ptr::null_mut();
        *count = 0;
        let interfaces = match found {
            Ok(interfaces) if interfaces.is_empty() => return 0,
            Ok(interfaces) => interfaces,
            Err(errno) => return -errno.raw(),
        };
        let names_bytes: usize = interfaces.iter().map(|interface| interface.name.to_bytes_with_nul().len()).sum();
        let bytes = interfaces.len() * size_of::<uv_interface_address_t>() + names_bytes;
        // The block is zeroed, because an IPv4 address is shorter than the union.
        let list: *mut uv_interface_address_t = allocator::calloc(1, bytes).cast();
        if list.is_null() {
            return -Errno::ENOMEM.raw();
        }
        let mut name: *mut c_char = list.add(interfaces.len()).cast();
        for (index, interface) in interfaces.iter().enumerate() {
            let entry = list.add(index);
            (*entry).name = name;
            (*entry).phys_addr = interface.mac.map(|byte| byte as c_char);
            (*entry).is_internal = c_int::from(interface.is_internal);
            write_interface_addr(interface.address, interface.scope_id, &raw mut (*entry).address);
            write_interface_addr(interface.netmask, 0, &raw mut (*entry).netmask);
            let name_bytes = interface.name.to_bytes_with_nul().len();
            std::ptr::copy_nonoverlapping(interface.name.as_ptr(), name, name_bytes);
            name = name.add(name_bytes);
        }
        *addresses = list;
        *count = interfaces.len() as c_int;
    }
    0
}

/// # Safety
/// `place` is writable.
unsafe fn write_interface_addr(address: IpAddr, scope_id: u32, place: *mut uv_interface_sockaddr) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match address {
            IpAddr::V4(address) => (*place).address4 = v4(address, 0),
            IpAddr::V6(address) => (*place).address6 = v6(address, 0, scope_id),
        }
    }
}

/// Frees the array of [`uv_interface_addresses`].
///
/// # Safety
/// The array is from [`uv_interface_addresses`], or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_free_interface_addresses(addresses: *mut uv_interface_address_t, _count: c_int) {
    // SAFETY: guaranteed by the caller.
    unsafe { allocator::free(addresses.cast()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(address: &str) -> String {
        let address: IpAddr = address.parse().expect("an address");
        let mut text = [0; MAX_TEXT_LEN + 1];
        // SAFETY: the buffer has the length that is passed, and a NUL after a success.
        unsafe {
            assert_eq!(format_address(address, text.as_mut_ptr(), text.len()), 0);
            CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned()
        }
    }

    #[test]
    fn addresses_are_formatted_as_by_inet_ntop() {
        for text in ["0.0.0.0", "255.1.2.3", "::", "::1", "::2", "::1.2.3.4", "::ffff:1.2.3.4", "1::", "1:0:0:2::3"] {
            assert_eq!(print(text), text);
        }
        assert_eq!(print("::ffff:ffff:ffff:ffff:255.255.255.255"), "::ffff:ffff:ffff:ffff:ffff:ffff");
        assert_eq!(print("::102:304"), "::1.2.3.4");
        assert_eq!(print("1:0:2:0:3:0:4:0"), "1:0:2:0:3:0:4:0");
    }

    #[test]
    fn the_nul_must_fit() {
        let mut text = [b'x' as c_char; 9];
        let address = IpAddr::from([1, 2, 3, 4]);
        // SAFETY: the buffer is not shorter than the length that is passed.
        unsafe {
            assert_eq!(format_address(address, text.as_mut_ptr(), 7), -libc::ENOSPC);
            assert_eq!(text[0] as u8, b'x', "nothing is written");
            assert_eq!(format_address(address, text.as_mut_ptr(), 8), 0);
            assert_eq!(text.map(|byte| byte as u8), *b"1.2.3.4\0x");
        }
    }

    #[test]
    fn a_zone_sets_the_scope_and_a_failure_leaves_zeros() {
        // SAFETY: the texts are C strings, and the addresses are locals.
        unsafe {
            let mut address = v6(Ipv6Addr::LOCALHOST, 1, 1);
            assert_eq!(uv_ip6_addr(c"fe80::1%no-such-device".as_ptr(), 80, &mut address), 0);
            assert_eq!((address.sin6_scope_id, address.sin6_port), (0, 80_u16.to_be()));
            assert_eq!(uv_ip6_addr(c"fe80::x".as_ptr(), 80, &mut address), -libc::EINVAL);
            assert_eq!(address.sin6_addr.s6_addr, [0; 16]);
            if let Some(index) = os::interface_index(c"lo") {
                assert_eq!(uv_ip6_addr(c"fe80::1%lo".as_ptr(), 80, &mut address), 0);
                assert_eq!(address.sin6_scope_id, index);
            }
            let mut address = v4(Ipv4Addr::LOCALHOST, 1);
            assert_eq!(uv_ip4_addr(std::ptr::null(), 80, &mut address), -libc::EINVAL);
            assert_eq!(address.sin_addr.s_addr, 0);
        }
    }

    #[test]
    fn interfaces_have_names_and_addresses_of_their_family() {
        let (mut list, mut count) = (std::ptr::null_mut(), -1);
        // SAFETY: the array has `count` entries until it is freed.
        unsafe {
            assert_eq!(uv_interface_addresses(&mut list, &mut count), 0);
            for index in 0..usize::try_from(count).expect("a count") {
                let entry = list.add(index);
                assert!(!CStr::from_ptr((*entry).name).to_bytes().is_empty());
                let family = i32::from((*entry).address.address4.sin_family);
                assert!([libc::AF_INET, libc::AF_INET6].contains(&family));
                assert_eq!(i32::from((*entry).netmask.address4.sin_family), family);
            }
            uv_free_interface_addresses(list, count);
        }
    }
}
