//! Addresses of sockets between C's form and the core's.
//!
//! # Safety
//! A `sockaddr` that is read is as long as its family says; one that is written has the room that is said beside it.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::net::SocketAddr;
use std::slice;

use libc::{sockaddr, sockaddr_in, sockaddr_in6, sockaddr_storage, sockaddr_un};
use phasor_core::{Address, Domain, Errno, Result};

/// Reads an address of any family that sockets here have. `EINVAL` for another.
///
/// # Safety
/// The head of this file; `at` is not NULL.
pub(crate) unsafe fn read(at: *const sockaddr) -> Result<Address> {
    // SAFETY: the caller's promise.
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

/// As [`read`], of the Internet's families alone.
///
/// # Safety
/// As there.
pub(crate) unsafe fn read_inet(at: *const sockaddr) -> Result<SocketAddr> {
    // SAFETY: the caller's promise.
    unsafe { read(at) }?.inet().ok_or(Errno::EINVAL)
}

/// The family that the flags of `uv_tcp_init_ex` and its like name, if they name one. `EINVAL` for any other bit.
pub(crate) fn domain(flags: c_uint) -> Result<Option<Domain>> {
    match c_int::try_from(flags) {
        Ok(libc::AF_UNSPEC) => Ok(None),
        Ok(libc::AF_INET) => Ok(Some(Domain::V4)),
        Ok(libc::AF_INET6) => Ok(Some(Domain::V6)),
        _ => Err(Errno::EINVAL),
    }
}

/// Gives an address to a program as the kernel would: as much as there is room for, and how long it is.
///
/// # Safety
/// `name` has room for `*namelen` bytes.
pub(crate) unsafe fn give(address: Result<Address>, name: *mut sockaddr, namelen: *mut c_int) -> c_int {
    let encoded = match address {
        Ok(address) => address.encode(),
        Err(errno) => return -errno.raw(),
    };
    let bytes = encoded.as_bytes();
    // SAFETY: the caller's promise.
    unsafe {
        let Ok(room) = usize::try_from(*namelen) else { return -Errno::EINVAL.raw() };
        name.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(room));
        *namelen = bytes.len() as c_int;
    }
    0
}

/// An address in C's form, for the time of a callback. As long as libuv's, which a program may copy whole.
#[repr(align(8))]
pub(crate) struct Shown([u8; size_of::<sockaddr_storage>()]);

impl Shown {
    /// Room for any address, and none in it.
    pub(crate) const ROOM: Shown = Shown([0; size_of::<sockaddr_storage>()]);

    /// Writes the address down, once, and says where it is.
    #[inline]
    pub(crate) fn write(&mut self, address: &Address) -> *const sockaddr {
        if let Some(room) = self.0.first_chunk_mut() {
            address.write_to(room);
        }
        self.0.as_ptr().cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_can_be_read_and_a_short_room_is_kept_to() {
        let address = Address::from("127.0.0.1:80".parse::<SocketAddr>().unwrap());
        let mut storage = Shown::ROOM;
        let shown = storage.write(&address);
        // SAFETY: `Shown` holds a whole address.
        assert_eq!(unsafe { read(shown) }.unwrap(), address);
        let (mut room, at) = (4, storage.0.as_mut_ptr().cast());
        // SAFETY: the room is part of `storage`.
        assert_eq!(unsafe { give(Ok(address), at, &mut room) }, 0);
        assert_eq!(room, size_of::<sockaddr_in>() as c_int);
    }

    #[test]
    fn other_families_are_refused() {
        let netlink = sockaddr { sa_family: libc::AF_NETLINK as libc::sa_family_t, sa_data: [0; 14] };
        // SAFETY: only the family is looked at.
        assert_eq!(unsafe { read(&netlink) }, Err(Errno::EINVAL));
        // SAFETY: as above.
        assert_eq!(unsafe { read_inet(&netlink) }, Err(Errno::EINVAL));
    }
}
