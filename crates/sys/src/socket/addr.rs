//! Socket addresses, and their `sockaddr` form.
//!
//! [`Address`] is the value that callers keep and compare; [`Encoded`] is its `sockaddr`, made for one system call. No
//! system call happens here.
//!
//! # Safety
//! A trait of rustix requires a pointer and a length that are valid for a `sockaddr`, and a type of rustix returns such
//! a pair; both are the bounds of a byte array. Everything else is written and read byte by byte.
#![allow(unsafe_code)]

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use rustix::net::addr::{SocketAddrArg, SocketAddrLen, SocketAddrOpaque};

use super::Domain;
use crate::{Errno, Result};

/// The length of `sockaddr_un::sun_path` (`unix(7)`).
const PATH_BYTES: usize = 108;
/// The offset of `sun_path`, after the family.
const PATH_START: usize = 2;
/// Enough bytes for every address here: `sockaddr_un`, plus the NUL that Linux appends to a path that fills `sun_path`.
const STORAGE_BYTES: usize = 112;
const V4_BYTES: usize = size_of::<libc::sockaddr_in>();
const V6_BYTES: usize = size_of::<libc::sockaddr_in6>();

/// The address of a socket of any supported family. 32 bytes; only a Unix name is on the heap.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Address {
    /// An IPv4 address and a port.
    V4(SocketAddrV4),
    /// An IPv6 address and a port, with flow info and scope id.
    V6(SocketAddrV6),
    /// The name of a Unix socket.
    Unix(UnixName),
}

impl Address {
    /// The address family.
    pub fn domain(&self) -> Domain {
        match self {
            Address::V4(_) => Domain::V4,
            Address::V6(_) => Domain::V6,
            Address::Unix(_) => Domain::Unix,
        }
    }

    /// The address as a standard library type; `None` for a Unix name.
    pub fn inet(&self) -> Option<SocketAddr> {
        match self {
            Address::V4(v4) => Some(SocketAddr::V4(*v4)),
            Address::V6(v6) => Some(SocketAddr::V6(*v6)),
            Address::Unix(_) => None,
        }
    }

    /// The Unix name; `None` for IP addresses.
    pub fn unix(&self) -> Option<&UnixName> {
        match self {
            Address::Unix(name) => Some(name),
            _ => None,
        }
    }

    /// Parses a `sockaddr`. `None` if the family is not supported or there are too few bytes for it.
    ///
    /// A path ends at its first NUL or at the end of the bytes; an abstract name is all of the bytes.
    #[inline]
    pub fn from_sockaddr(bytes: &[u8]) -> Option<Address> {
        let (family, rest) = bytes.split_first_chunk::<2>()?;
        match libc::c_int::from(u16::from_ne_bytes(*family)) {
            libc::AF_INET => {
                let port = u16::from_be_bytes(*rest.first_chunk()?);
                let ip = Ipv4Addr::from(*rest.get(2..)?.first_chunk::<4>()?);
                Some(Address::V4(SocketAddrV4::new(ip, port)))
            }
            libc::AF_INET6 => {
                let port = u16::from_be_bytes(*rest.first_chunk()?);
                let flow = u32::from_ne_bytes(*rest.get(2..)?.first_chunk()?);
                let ip = Ipv6Addr::from(*rest.get(6..)?.first_chunk::<16>()?);
                let scope = u32::from_ne_bytes(*rest.get(22..)?.first_chunk()?);
                Some(Address::V6(SocketAddrV6::new(ip, port, flow, scope)))
            }
            libc::AF_UNIX => Some(Address::Unix(UnixName::from_kernel(rest))),
            _ => None,
        }
    }

    /// The address as a `sockaddr`.
    pub fn encode(&self) -> Encoded {
        let mut encoded = Encoded::EMPTY;
        self.encode_into(&mut encoded);
        encoded
    }

    /// [`Address::encode`] into an existing value, which must be all zeros.
    #[inline]
    pub(super) fn encode_into(&self, encoded: &mut Encoded) {
        encoded.len = self.write_to(&mut encoded.bytes) as u32;
    }

    /// Writes the address as a `sockaddr` into `bytes`, which must be all zeros, and returns its length.
    #[inline]
    pub fn write_to(&self, bytes: &mut [u8; Encoded::BYTES]) -> usize {
        let (family, len) = match self {
            Address::V4(v4) => {
                bytes[2..4].copy_from_slice(&v4.port().to_be_bytes());
                bytes[4..8].copy_from_slice(&v4.ip().octets());
                (libc::AF_INET, V4_BYTES)
            }
            Address::V6(v6) => {
                bytes[2..4].copy_from_slice(&v6.port().to_be_bytes());
                bytes[4..8].copy_from_slice(&v6.flowinfo().to_ne_bytes());
                bytes[8..24].copy_from_slice(&v6.ip().octets());
                bytes[24..28].copy_from_slice(&v6.scope_id().to_ne_bytes());
                (libc::AF_INET6, V6_BYTES)
            }
            Address::Unix(name) => (libc::AF_UNIX, PATH_START + name.write_to(&mut bytes[PATH_START..])),
        };
        bytes[..2].copy_from_slice(&(family as u16).to_ne_bytes());
        len
    }

    /// Converts an address that rustix got from the kernel.
    pub(super) fn from_any(any: &rustix::net::SocketAddrAny) -> Option<Address> {
        // SAFETY: rustix keeps `addr_len` initialized bytes at `as_ptr` as long as `any` is borrowed.
        let bytes = unsafe { std::slice::from_raw_parts(any.as_ptr().cast::<u8>(), any.addr_len() as usize) };
        Address::from_sockaddr(bytes)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::V4(v4) => v4.fmt(f),
            Address::V6(v6) => v6.fmt(f),
            Address::Unix(name) => name.fmt(f),
        }
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Address {
        match address {
            SocketAddr::V4(v4) => Address::V4(v4),
            SocketAddr::V6(v6) => Address::V6(v6),
        }
    }
}

impl From<(IpAddr, u16)> for Address {
    fn from(pair: (IpAddr, u16)) -> Address {
        Address::from(SocketAddr::from(pair))
    }
}

impl From<UnixName> for Address {
    fn from(name: UnixName) -> Address {
        Address::Unix(name)
    }
}

/// The name of a Unix socket: a path, an abstract name (its first byte is NUL), or unnamed (`unix(7)`).
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct UnixName(Box<[u8]>);

impl UnixName {
    /// The longest name in bytes. libuv truncates longer ones unless `UV_PIPE_NO_TRUNCATE` is set; here they are
    /// refused.
    pub const MAX_BYTES: usize = PATH_BYTES;

    /// A name from its bytes. `ENAMETOOLONG` for more than [`UnixName::MAX_BYTES`], `EINVAL` for a NUL inside a path.
    ///
    /// The empty name is the unnamed address: binding to it makes Linux choose an abstract name (autobind).
    pub fn new(name: &[u8]) -> Result<UnixName> {
        // As `src/unix/pipe.c: includes_invalid_nul`: an abstract name may contain NUL.
        if !matches!(name.first(), None | Some(0)) && name.contains(&0) {
            return Err(Errno::EINVAL);
        }
        if name.len() > PATH_BYTES {
            return Err(Errno::ENAMETOOLONG);
        }
        Ok(UnixName(name.into()))
    }

    /// Parses the bytes after the family of a `sockaddr`.
    fn from_kernel(bytes: &[u8]) -> UnixName {
        let name = &bytes[..bytes.len().min(PATH_BYTES)];
        let end = match name.first() {
            None | Some(0) => name.len(),
            Some(_) => name.iter().position(|&byte| byte == 0).unwrap_or(name.len()),
        };
        UnixName(name[..end].into())
    }

    /// Writes the name into zeros and returns its length. A path includes its NUL if there is space; an abstract name
    /// has none.
    fn write_to(&self, buffer: &mut [u8]) -> usize {
        buffer[..self.0.len()].copy_from_slice(&self.0);
        self.0.len() + usize::from(self.path().is_some() && self.0.len() < PATH_BYTES)
    }

    /// The bytes of the name; those of an abstract name start with NUL.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path; `None` for abstract and unnamed addresses.
    pub fn path(&self) -> Option<&[u8]> {
        match self.0.first() {
            None | Some(0) => None,
            Some(_) => Some(&self.0),
        }
    }

    /// True for a name in the abstract namespace, which has no file.
    pub fn is_abstract(&self) -> bool {
        self.0.first() == Some(&0)
    }

    /// True if there is no name.
    pub fn is_unnamed(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for UnixName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unix:\"{}\"", self.0.escape_ascii())
    }
}

/// An address in its `sockaddr` form, on the stack.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub struct Encoded {
    bytes: [u8; STORAGE_BYTES],
    len: u32,
}

impl Encoded {
    /// The size of the buffer, enough for every address.
    pub const BYTES: usize = STORAGE_BYTES;

    pub(super) const EMPTY: Encoded = Encoded { bytes: [0; STORAGE_BYTES], len: 0 };

    /// The bytes of the `sockaddr`.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..(self.len as usize).min(STORAGE_BYTES)]
    }

    /// Parses the first `len` bytes, which the kernel wrote.
    pub(super) fn decode(&self, len: u32) -> Option<Address> {
        Address::from_sockaddr(&self.bytes[..(len as usize).min(STORAGE_BYTES)])
    }

    /// The buffer for the kernel to write an address into.
    pub(super) fn storage(&mut self) -> &mut [u8; STORAGE_BYTES] {
        &mut self.bytes
    }
}

// SAFETY: the pointer and the length are those of `as_bytes`, which outlives the call of `f`.
unsafe impl SocketAddrArg for Encoded {
    unsafe fn with_sockaddr<R>(&self, f: impl FnOnce(*const SocketAddrOpaque, SocketAddrLen) -> R) -> R {
        let bytes = self.as_bytes();
        f(bytes.as_ptr().cast(), bytes.len() as SocketAddrLen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(address: Address) {
        assert_eq!(Address::from_sockaddr(address.encode().as_bytes()), Some(address));
    }

    #[test]
    fn addresses_round_trip_through_sockaddr() {
        round_trip(Address::from("127.0.0.1:80".parse::<SocketAddr>().unwrap()));
        round_trip(Address::V6(SocketAddrV6::new("fe80::1".parse().unwrap(), 65535, 7, 3)));
        round_trip(Address::Unix(UnixName::new(b"/tmp/x").unwrap()));
        round_trip(Address::Unix(UnixName::new(b"\0a\0b").unwrap()));
        round_trip(Address::Unix(UnixName::default()));
        round_trip(Address::Unix(UnixName::new(&[b'p'; 108]).unwrap()));
        assert_eq!(size_of::<Address>(), 32);
    }

    #[test]
    fn the_sockaddr_has_the_layout_of_the_c_library() {
        let v4 = Address::from("1.2.3.4:258".parse::<SocketAddr>().unwrap()).encode();
        assert_eq!(v4.as_bytes()[2..], [1, 2, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Address::from("[::1]:1".parse::<SocketAddr>().unwrap()).encode().as_bytes().len(), 28);
        assert_eq!(Address::Unix(UnixName::new(b"ab").unwrap()).encode().as_bytes()[2..], *b"ab\0");
        assert_eq!(Address::Unix(UnixName::new(b"\0ab").unwrap()).encode().as_bytes()[2..], *b"\0ab");
    }

    #[test]
    fn invalid_unix_names_are_refused() {
        assert_eq!(UnixName::new(&[b'p'; 109]), Err(Errno::ENAMETOOLONG));
        assert_eq!(UnixName::new(b"a\0b"), Err(Errno::EINVAL));
        assert!(UnixName::new(b"").unwrap().is_unnamed());
    }

    #[test]
    fn truncated_and_unknown_sockaddrs_are_refused() {
        assert_eq!(Address::from_sockaddr(&[]), None);
        assert_eq!(Address::from_sockaddr(&[0; 16]), None);
        let v6 = Address::from("[::1]:1".parse::<SocketAddr>().unwrap()).encode();
        for len in 0..28 {
            assert_eq!(Address::from_sockaddr(&v6.as_bytes()[..len]), None);
        }
    }
}
