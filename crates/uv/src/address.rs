//! Conversion of socket addresses between `struct sockaddr` and the core's `Address`.
//!
//! # Safety
//! A `sockaddr` that is read has the length of its address family. A `sockaddr` that is written has the length that its function
//! states.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::net::SocketAddr;
use std::slice;

use libc::{sockaddr, sockaddr_in, sockaddr_in6, sockaddr_storage, sockaddr_un};
use phasor_core::{Address, Domain, Errno, Result};

/// Reads an IPv4, IPv6 or Unix address. `EINVAL` for any other family.
///
/// # Safety
/// See the head of this file; `at` is not NULL.
pub(crate) unsafe fn read(at: *const sockaddr) -> Result<Address> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let len = match c_int::from((*at).sa_family) {
            libc::AF_INET => size_of::<sockaddr_in>(),
            libc::AF_INET6 => size_of::<sockaddr_in6>(),
            libc::AF_UNIX => size_of::<sockaddr_un>(),
            _ => return Err(Errno::EINVAL),
        };
        Address::from_sockaddr(slice::from_raw_parts(at.cast(), len)).ok_or(Errno::EINVAL)
    }
}

/// Reads an address like [`read`], for IPv4 and IPv6 only. `EINVAL` for any other family.
///
/// # Safety
/// The requirements of [`read`].
pub(crate) unsafe fn read_inet(at: *const sockaddr) -> Result<SocketAddr> {
    // SAFETY: guaranteed by the caller.
    unsafe { read(at) }?.inet().ok_or(Errno::EINVAL)
}

/// The address family in the flags of `uv_tcp_init_ex` and `uv_udp_init_ex`, if there is one. `EINVAL` for any other value.
pub(crate) fn domain(flags: c_uint) -> Result<Option<Domain>> {
    match c_int::try_from(flags) {
        Ok(libc::AF_UNSPEC) => Ok(None),
        Ok(libc::AF_INET) => Ok(Some(Domain::V4)),
        Ok(libc::AF_INET6) => Ok(Some(Domain::V6)),
        _ => Err(Errno::EINVAL),
    }
}

/// Writes an address as `getsockname` does: truncated to `*namelen` bytes, which then becomes the untruncated length.
///
/// # Safety
/// `name` points to `*namelen` writable bytes.
pub(crate) unsafe fn write_sockaddr(address: Result<Address>, name: *mut sockaddr, namelen: *mut c_int) -> c_int {
    let encoded = match address {
        Ok(address) => address.encode(),
        Err(errno) => return -errno.raw(),
    };
    let bytes = encoded.as_bytes();
    // SAFETY: guaranteed by the caller.
    unsafe {
        let Ok(space) = usize::try_from(*namelen) else { return -Errno::EINVAL.raw() };
        name.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(space));
        *namelen = bytes.len() as c_int;
    }
    0
}

/// An address as a `struct sockaddr`, for the time of a callback. It has the size of `sockaddr_storage`, which a program may copy.
#[repr(align(8))]
pub(crate) struct SockaddrBuf([u8; size_of::<sockaddr_storage>()]);

impl SockaddrBuf {
    /// Storage without an address.
    pub(crate) const EMPTY: SockaddrBuf = SockaddrBuf([0; size_of::<sockaddr_storage>()]);

    /// Writes the address and returns a pointer to it.
    #[inline]
    pub(crate) fn write(&mut self, address: &Address) -> *const sockaddr {
        if let Some(space) = self.0.first_chunk_mut() {
            address.write_to(space);
        }
        self.0.as_ptr().cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_addresses_can_be_read_and_are_truncated() {
        let address = Address::from("127.0.0.1:80".parse::<SocketAddr>().unwrap());
        let mut storage = SockaddrBuf::EMPTY;
        let sockaddr = storage.write(&address);
        // SAFETY: `SockaddrBuf` holds a whole address.
        assert_eq!(unsafe { read(sockaddr) }.unwrap(), address);
        let (mut space, at) = (4, storage.0.as_mut_ptr().cast());
        // SAFETY: the space is part of `storage`.
        assert_eq!(unsafe { write_sockaddr(Ok(address), at, &mut space) }, 0);
        assert_eq!(space, size_of::<sockaddr_in>() as c_int);
    }

    #[test]
    fn other_families_are_invalid() {
        let netlink = sockaddr { sa_family: libc::AF_NETLINK as libc::sa_family_t, sa_data: [0; 14] };
        // SAFETY: only the family is read.
        assert_eq!(unsafe { read(&netlink) }, Err(Errno::EINVAL));
        // SAFETY: only the family is read.
        assert_eq!(unsafe { read_inet(&netlink) }, Err(Errno::EINVAL));
    }
}
