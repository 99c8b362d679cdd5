//! Host names and addresses: the C library's resolver, which blocks.
//!
//! [`Query::new`] checks the arguments and converts the host name on the caller's thread, as `src/unix/getaddrinfo.c:
//! uv_getaddrinfo` does. [`Query::run`] and [`name`] may take seconds and belong on a pool thread. The DNS protocol is
//! not implemented here.
//!
//! # Safety
//! `getaddrinfo(3)` and `getnameinfo(3)` take and return pointers. Everything passed in outlives the call. The list
//! that `getaddrinfo` returns is owned by an [`AddrList`], which frees it; only [`AddrList::into_raw`] hands out its
//! pointer.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use crate::{Errno, Result};

/// The longest host name in bytes, after its conversion to ASCII.
///
/// `src/unix/getaddrinfo.c: uv_getaddrinfo` converts into a buffer of 256 bytes, one of which is the NUL.
pub const HOST_MAX: usize = 255;

/// The kind of addresses that a [`Query`] looks for. The numbers are the C library's (`AF_INET`, `SOCK_STREAM` …); 0
/// means any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "addrinfo")]
pub struct Hints {
    /// A combination of the flag constants of this type.
    pub flags: i32,
    /// The address family.
    pub family: i32,
    /// The socket type.
    pub socktype: i32,
    /// The protocol.
    pub protocol: i32,
}

impl Hints {
    /// If the host is `None`: return the wildcard address, to listen on, instead of the loopback address.
    #[doc(alias = "AI_PASSIVE")]
    pub const PASSIVE: i32 = libc::AI_PASSIVE;
    /// Return the host's canonical name too.
    #[doc(alias = "AI_CANONNAME")]
    pub const CANONNAME: i32 = libc::AI_CANONNAME;
    /// The host is a numeric address: no name lookup.
    #[doc(alias = "AI_NUMERICHOST")]
    pub const NUMERICHOST: i32 = libc::AI_NUMERICHOST;
    /// The service is a port number: no lookup of its name.
    #[doc(alias = "AI_NUMERICSERV")]
    pub const NUMERICSERV: i32 = libc::AI_NUMERICSERV;
    /// If the family is IPv6 and none is found, return IPv4 addresses mapped into IPv6.
    #[doc(alias = "AI_V4MAPPED")]
    pub const V4MAPPED: i32 = libc::AI_V4MAPPED;
    /// With [`Hints::V4MAPPED`]: return both the IPv6 and the mapped IPv4 addresses.
    #[doc(alias = "AI_ALL")]
    pub const ALL: i32 = libc::AI_ALL;
    /// Return only families for which this machine has a configured address.
    #[doc(alias = "AI_ADDRCONFIG")]
    pub const ADDRCONFIG: i32 = libc::AI_ADDRCONFIG;

    /// IPv4, a value of [`Hints::family`].
    #[doc(alias = "AF_INET")]
    pub const INET: i32 = libc::AF_INET;
    /// IPv6, a value of [`Hints::family`].
    #[doc(alias = "AF_INET6")]
    pub const INET6: i32 = libc::AF_INET6;
    /// Stream sockets, a value of [`Hints::socktype`].
    #[doc(alias = "SOCK_STREAM")]
    pub const STREAM: i32 = libc::SOCK_STREAM;
    /// Datagram sockets, a value of [`Hints::socktype`].
    #[doc(alias = "SOCK_DGRAM")]
    pub const DGRAM: i32 = libc::SOCK_DGRAM;
}

/// Flags for [`name`], see `getnameinfo(3)`.
#[derive(Clone, Copy, Debug)]
pub enum NameFlags {}

impl NameFlags {
    /// Return the numeric address instead of the host name.
    #[doc(alias = "NI_NUMERICHOST")]
    pub const NUMERICHOST: i32 = libc::NI_NUMERICHOST;
    /// Return the port number instead of the service name.
    #[doc(alias = "NI_NUMERICSERV")]
    pub const NUMERICSERV: i32 = libc::NI_NUMERICSERV;
    /// Return only the first label of the name for hosts of the local domain.
    #[doc(alias = "NI_NOFQDN")]
    pub const NOFQDN: i32 = libc::NI_NOFQDN;
    /// Fail with `EAI_NONAME` if the host has no name, instead of returning the numeric address.
    #[doc(alias = "NI_NAMEREQD")]
    pub const NAMEREQD: i32 = libc::NI_NAMEREQD;
    /// Return the service name for UDP if it differs from the one for TCP.
    #[doc(alias = "NI_DGRAM")]
    pub const DGRAM: i32 = libc::NI_DGRAM;
}

/// One result of a lookup. It has every field of C's `struct addrinfo`, so that a C list can be rebuilt from it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(alias = "addrinfo")]
pub struct AddrInfo {
    /// The flags of the hints, as the C library returns them.
    pub flags: i32,
    /// The address family of `address`, as a number.
    pub family: i32,
    /// The socket type to use with the address.
    pub socktype: i32,
    /// The protocol to use with the address.
    pub protocol: i32,
    /// The address, with the service's port, or port 0 if no service was given.
    pub address: SocketAddr,
    /// The host's canonical name; only in the first result, and only with [`Hints::CANONNAME`].
    pub canonical_name: Option<CString>,
}

/// A lookup with checked arguments, ready to run on any thread.
#[derive(Clone, Debug)]
pub struct Query {
    host: Option<CString>,
    service: Option<CString>,
    hints: Option<Hints>,
}

impl Query {
    /// Checks the arguments of a lookup. They are UTF-8; the host may be an internationalized domain name, see
    /// [`host_to_ascii`].
    ///
    /// `EINVAL` if host and service are both `None`, or one of them is not a valid name. Without hints the C library
    /// uses its own defaults (`AI_V4MAPPED | AI_ADDRCONFIG` in glibc), which differ from hints with every field 0.
    pub fn new(host: Option<&[u8]>, service: Option<&[u8]>, hints: Option<Hints>) -> Result<Query> {
        if host.is_none() && service.is_none() {
            return Err(Errno::EINVAL);
        }
        let host = host.map(host_to_ascii).transpose()?;
        let service = service.map(CString::new).transpose().map_err(|_| Errno::EINVAL)?;
        Ok(Query { host, service, hints })
    }

    /// The host, as it is sent: an internationalized name is in ASCII.
    pub fn host(&self) -> Option<&CStr> {
        self.host.as_deref()
    }

    /// The service.
    pub fn service(&self) -> Option<&CStr> {
        self.service.as_deref()
    }

    /// Runs the lookup and blocks until it is complete. The addresses are in the C library's order of preference (RFC
    /// 6724).
    #[doc(alias = "getaddrinfo")]
    pub fn run(&self) -> Result<Vec<AddrInfo>> {
        Ok(self.run_raw()?.to_vec())
    }

    /// [`Query::run`] that returns the C library's list without converting it.
    pub fn run_raw(&self) -> Result<AddrList> {
        let pointer = |text: &Option<CString>| text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
        let hints = self.hints.map(|hints| libc::addrinfo {
            ai_flags: hints.flags,
            ai_family: hints.family,
            ai_socktype: hints.socktype,
            ai_protocol: hints.protocol,
            ai_addrlen: 0,
            ai_addr: std::ptr::null_mut(),
            ai_canonname: std::ptr::null_mut(),
            ai_next: std::ptr::null_mut(),
        });
        let hints = hints.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let mut list = std::ptr::null_mut();
        retry(|| {
            // SAFETY: the strings end with NUL and live in `self`; `hints` is null or points to a struct on this stack;
            // `list` is written only on success.
            unsafe { libc::getaddrinfo(pointer(&self.host), pointer(&self.service), hints, &mut list) }
        })?;
        Ok(AddrList(list))
    }
}

/// The list that `getaddrinfo(3)` allocated. Dropping it frees it.
#[derive(Debug)]
pub struct AddrList(*mut libc::addrinfo);

// SAFETY: this value owns the list alone, and any thread may read or free it.
unsafe impl Send for AddrList {}

impl AddrList {
    /// Converts the list to owned values.
    pub fn to_vec(&self) -> Vec<AddrInfo> {
        let mut found = Vec::new();
        let mut next = self.0;
        // SAFETY: the list is a null-terminated chain of valid entries and lives as long as `self`.
        while let Some(entry) = unsafe { next.as_ref() } {
            found.extend(copy(entry));
            next = entry.ai_next;
        }
        found
    }

    /// Gives up ownership of the list. The caller frees it with `freeaddrinfo(3)`.
    pub fn into_raw(self) -> *mut libc::addrinfo {
        let list = self.0;
        std::mem::forget(self);
        list
    }
}

impl Drop for AddrList {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the list came from `getaddrinfo` and is not used again; `to_vec` copies everything.
            unsafe { libc::freeaddrinfo(self.0) };
        }
    }
}

/// Looks up a host, a service or both: [`Query::new`] and [`Query::run`] in one. Blocks.
#[doc(alias = "uv_getaddrinfo")]
pub fn lookup(host: Option<&[u8]>, service: Option<&[u8]>, hints: Option<Hints>) -> Result<Vec<AddrInfo>> {
    Query::new(host, service, hints)?.run()
}

/// The size of a buffer for a host name, including the NUL.
#[doc(alias = "NI_MAXHOST")]
pub const HOST_BYTES: usize = 1025;
/// The size of a buffer for a service name, including the NUL.
#[doc(alias = "NI_MAXSERV")]
pub const SERVICE_BYTES: usize = 32;

/// Reverse lookup: the host name and the service name of an address. Blocks.
///
/// Invalid UTF-8 in a name is replaced by U+FFFD.
#[doc(alias = "uv_getnameinfo")]
#[doc(alias = "getnameinfo")]
pub fn name(address: SocketAddr, flags: i32) -> Result<(String, String)> {
    let (mut host, mut service) = ([0; HOST_BYTES], [0; SERVICE_BYTES]);
    name_into(address, flags, &mut host, &mut service)?;
    let text = |buffer: &[u8]| {
        let end = buffer.iter().position(|&byte| byte == 0).unwrap_or(buffer.len());
        String::from_utf8_lossy(&buffer[..end]).into_owned()
    };
    Ok((text(&host), text(&service)))
}

/// [`name`] that writes the names into the caller's buffers, each ended by NUL.
pub fn name_into(
    address: SocketAddr,
    flags: i32,
    host: &mut [u8; HOST_BYTES],
    service: &mut [u8; SERVICE_BYTES],
) -> Result<()> {
    let mut call = |address: *const libc::sockaddr, len: usize| {
        retry(|| {
            // SAFETY: `address` points to `len` bytes of a complete socket address, and each buffer is passed with its
            // size.
            unsafe {
                libc::getnameinfo(
                    address,
                    len as libc::socklen_t,
                    host.as_mut_ptr().cast(),
                    host.len() as libc::socklen_t,
                    service.as_mut_ptr().cast(),
                    service.len() as libc::socklen_t,
                    flags,
                )
            }
        })
    };
    match address {
        SocketAddr::V4(v4) => {
            let raw = libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: v4.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(v4.ip().octets()) },
                sin_zero: [0; 8],
            };
            call(std::ptr::from_ref(&raw).cast(), size_of_val(&raw))
        }
        SocketAddr::V6(v6) => {
            let raw = libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            };
            call(std::ptr::from_ref(&raw).cast(), size_of_val(&raw))
        }
    }
}

/// Converts a host name to ASCII (IDNA, Punycode of RFC 3492).
///
/// As `src/idna.c: uv__idna_toascii`: each label that is not ASCII becomes `xn--` and its Punycode; the ideographic
/// full stops U+3002, U+FF0E and U+FF61 separate labels as `.` does; case and Unicode normalization are not changed.
/// ASCII names are returned unchanged. `EINVAL` for a name that is empty, longer than [`HOST_MAX`] (libuv's code for it
/// too), not UTF-8, or contains NUL.
pub fn host_to_ascii(host: &[u8]) -> Result<CString> {
    // A character has at most four bytes and takes at least one byte of Punycode, so a longer name cannot fit. Refusing
    // it here avoids the encoder, whose time is quadratic.
    if host.is_empty() || host.len() > 4 * HOST_MAX {
        return Err(Errno::EINVAL);
    }
    let ascii = if host.is_ascii() {
        host.to_vec()
    } else {
        let host = std::str::from_utf8(host).map_err(|_| Errno::EINVAL)?;
        let mut ascii = String::with_capacity(HOST_MAX);
        for (i, label) in host.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).enumerate() {
            if i > 0 {
                ascii.push('.');
            }
            if label.is_ascii() {
                ascii.push_str(label);
            } else {
                ascii.push_str("xn--");
                ascii.push_str(&punycode::encode(label).map_err(|()| Errno::EINVAL)?);
            }
        }
        ascii.into_bytes()
    };
    if ascii.len() > HOST_MAX {
        return Err(Errno::EINVAL);
    }
    CString::new(ascii).map_err(|_| Errno::EINVAL)
}

/// Converts one entry of the list. `None` for an address family other than IPv4 and IPv6, which the hints cannot ask
/// for.
fn copy(entry: &libc::addrinfo) -> Option<AddrInfo> {
    let len = entry.ai_addrlen as usize;
    let address = match entry.ai_family {
        libc::AF_INET if !entry.ai_addr.is_null() && len >= size_of::<libc::sockaddr_in>() => {
            // SAFETY: the family and the length say that this struct is there. Unaligned, since the alignment of
            // `sockaddr` is smaller.
            let raw = unsafe { entry.ai_addr.cast::<libc::sockaddr_in>().read_unaligned() };
            let ip = Ipv4Addr::from(raw.sin_addr.s_addr.to_ne_bytes());
            SocketAddr::V4(SocketAddrV4::new(ip, u16::from_be(raw.sin_port)))
        }
        libc::AF_INET6 if !entry.ai_addr.is_null() && len >= size_of::<libc::sockaddr_in6>() => {
            // SAFETY: the family and the length say that this struct is there.
            let raw = unsafe { entry.ai_addr.cast::<libc::sockaddr_in6>().read_unaligned() };
            let ip = Ipv6Addr::from(raw.sin6_addr.s6_addr);
            let port = u16::from_be(raw.sin6_port);
            SocketAddr::V6(SocketAddrV6::new(ip, port, raw.sin6_flowinfo, raw.sin6_scope_id))
        }
        _ => return None,
    };
    let canonical_name = (!entry.ai_canonname.is_null()).then(|| {
        // SAFETY: not null, hence a NUL-terminated string that lives as long as the list.
        unsafe { CStr::from_ptr(entry.ai_canonname) }.to_owned()
    });
    Some(AddrInfo {
        flags: entry.ai_flags,
        family: entry.ai_family,
        socktype: entry.ai_socktype,
        protocol: entry.ai_protocol,
        address,
        canonical_name,
    })
}

/// Repeats a resolver call while it fails with `EINTR`, and translates its result.
fn retry(mut call: impl FnMut() -> i32) -> Result<()> {
    loop {
        match call() {
            0 => return Ok(()),
            code => match translate(code) {
                Errno::EINTR => {}
                errno => return Err(errno),
            },
        }
    }
}

/// Translates a resolver error (`EAI_*`), as `src/unix/getaddrinfo.c: uv__getaddrinfo_translate_error`. An unknown code
/// is `UNKNOWN`; libuv aborts.
fn translate(code: i32) -> Errno {
    // The crate `libc` lacks these constants; the values are those of glibc and musl.
    const EAI_ADDRFAMILY: i32 = -9;
    const EAI_CANCELED: i32 = -103;
    match code {
        EAI_ADDRFAMILY => Errno::EAI_ADDRFAMILY,
        libc::EAI_AGAIN => Errno::EAI_AGAIN,
        libc::EAI_BADFLAGS => Errno::EAI_BADFLAGS,
        EAI_CANCELED => Errno::EAI_CANCELED,
        libc::EAI_FAIL => Errno::EAI_FAIL,
        libc::EAI_FAMILY => Errno::EAI_FAMILY,
        libc::EAI_MEMORY => Errno::EAI_MEMORY,
        libc::EAI_NODATA => Errno::EAI_NODATA,
        libc::EAI_NONAME => Errno::EAI_NONAME,
        libc::EAI_OVERFLOW => Errno::EAI_OVERFLOW,
        libc::EAI_SERVICE => Errno::EAI_SERVICE,
        libc::EAI_SOCKTYPE => Errno::EAI_SOCKTYPE,
        libc::EAI_SYSTEM => Errno::last(),
        _ => Errno::UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(flags: i32) -> Option<Hints> {
        Some(Hints { flags, socktype: Hints::STREAM, ..Hints::default() })
    }

    fn addresses(found: &[AddrInfo]) -> Vec<String> {
        found.iter().map(|info| info.address.to_string()).collect()
    }

    #[test]
    fn localhost_resolves_to_loopback() {
        let found = lookup(Some(b"localhost"), None, hints(0)).unwrap();
        assert!(!found.is_empty());
        for info in found {
            assert!(info.address.ip().is_loopback(), "{info:?}");
            assert_eq!((info.address.port(), info.socktype), (0, Hints::STREAM));
        }
    }

    #[test]
    fn numeric_hosts_need_no_lookup() {
        let found = lookup(Some(b"127.0.0.1"), Some(b"8080"), hints(Hints::NUMERICHOST | Hints::NUMERICSERV)).unwrap();
        assert_eq!(addresses(&found), ["127.0.0.1:8080"]);
        assert_eq!((found[0].family, found[0].protocol), (Hints::INET, libc::IPPROTO_TCP));
        assert_eq!(found[0].flags, Hints::NUMERICHOST | Hints::NUMERICSERV);
        let found = lookup(Some(b"::1"), Some(b"1"), hints(Hints::NUMERICHOST)).unwrap();
        assert_eq!(addresses(&found), ["[::1]:1"]);
        assert_eq!(found[0].family, Hints::INET6);
        let found = lookup(Some(b"fe80::1%7"), None, hints(Hints::NUMERICHOST)).unwrap();
        assert!(matches!(found[0].address, SocketAddr::V6(v6) if v6.scope_id() == 7), "{found:?}");
    }

    #[test]
    fn all_socket_types_are_returned_without_hints() {
        let found = lookup(Some(b"127.0.0.1"), None, None).unwrap();
        assert!(found.len() > 1, "{found:?}");
        assert!(found.iter().any(|info| info.socktype == Hints::STREAM));
        assert!(found.iter().any(|info| info.socktype == Hints::DGRAM));
    }

    #[test]
    fn a_service_alone_is_enough() {
        let v4 = |flags| Some(Hints { family: Hints::INET, ..hints(flags).unwrap() });
        assert_eq!(addresses(&lookup(None, Some(b"80"), v4(0)).unwrap()), ["127.0.0.1:80"]);
        assert_eq!(addresses(&lookup(None, Some(b"80"), v4(Hints::PASSIVE)).unwrap()), ["0.0.0.0:80"]);
    }

    #[test]
    fn the_canonical_name_is_kept() {
        let found = lookup(Some(b"127.0.0.1"), None, hints(Hints::CANONNAME | Hints::NUMERICHOST)).unwrap();
        assert_eq!(found[0].canonical_name.as_deref(), Some(c"127.0.0.1"));
    }

    #[test]
    fn the_resolvers_errors_have_libuvs_numbers() {
        let refused = |host: &[u8], service: Option<&[u8]>, hints| lookup(Some(host), service, hints).unwrap_err();
        assert_eq!(refused(b"localhost", None, hints(Hints::NUMERICHOST)), Errno::EAI_NONAME);
        assert_eq!(refused(b"127.0.0.1", Some(b"http"), hints(Hints::NUMERICSERV)), Errno::EAI_NONAME);
        assert_eq!(refused(b"127.0.0.1", Some(b"no such service"), hints(0)), Errno::EAI_SERVICE);
        assert_eq!(refused(b"127.0.0.1", None, hints(0x4000_0000)), Errno::EAI_BADFLAGS);
        let odd = Hints { family: 12345, ..Hints::default() };
        assert_eq!(refused(b"127.0.0.1", None, Some(odd)), Errno::EAI_FAMILY);
        let odd = Hints { socktype: 12345, ..Hints::default() };
        assert_eq!(refused(b"127.0.0.1", None, Some(odd)), Errno::EAI_SOCKTYPE);
        let v6 = Hints { family: Hints::INET6, flags: Hints::NUMERICHOST, ..Hints::default() };
        assert_eq!(refused(b"127.0.0.1", None, Some(v6)), Errno::EAI_ADDRFAMILY);
        assert_eq!(translate(-777), Errno::UNKNOWN);
    }

    #[test]
    fn invalid_names_are_refused_without_a_lookup() {
        let refused = |host: Option<&[u8]>, service: Option<&[u8]>| Query::new(host, service, None).unwrap_err();
        assert_eq!(refused(None, None), Errno::EINVAL);
        assert_eq!(refused(Some(b""), None), Errno::EINVAL);
        assert_eq!(refused(Some(b"a\0b"), None), Errno::EINVAL);
        assert_eq!(refused(None, Some(b"8\x000")), Errno::EINVAL);
        assert_eq!(refused(Some(b"\xc0\x80\xc1\x80.com"), None), Errno::EINVAL);
        assert_eq!(refused(Some("ü".repeat(300).as_bytes()), None), Errno::EINVAL);
        assert_eq!(refused(Some("ü".repeat(100_000).as_bytes()), None), Errno::EINVAL);
    }

    #[test]
    fn a_host_name_has_at_most_255_bytes() {
        assert!(host_to_ascii(&[b'a'; HOST_MAX]).is_ok());
        assert_eq!(host_to_ascii(&[b'a'; HOST_MAX + 1]), Err(Errno::EINVAL));
    }

    #[test]
    fn names_become_ascii_label_by_label() {
        for (host, ascii) in [
            ("example", "example"),
            ("Example.COM.", "Example.COM."),
            (".", "."),
            ("-> $1.00 <-", "-> $1.00 <-"),
            ("straße.de", "xn--strae-oqa.de"),
            ("mañana。com", "xn--maana-pta.com"),
            ("mañana．com", "xn--maana-pta.com"),
            ("mañana｡com", "xn--maana-pta.com"),
            (".ü", ".xn--tda"),
            ("ü.ü.", "xn--tda.xn--tda."),
            ("☃-⌘.com", "xn----dqo34k.com"),
            ("💩.la", "xn--ls8h.la"),
            ("MajiでKoiする5秒前", "xn--MajiKoi5-783gue6qz075azm5e"),
            ("نامه‌ای.com", "xn--mgba3gch31f060k.com"),
        ] {
            assert_eq!(host_to_ascii(host.as_bytes()).unwrap().to_str(), Ok(ascii), "{host}");
        }
    }

    #[test]
    fn a_host_name_is_converted_before_the_lookup() {
        // Not a numeric address, so it fails without a lookup, and with an error of the resolver and not of the
        // conversion.
        let outcome = lookup(Some("bücher.example".as_bytes()), None, hints(Hints::NUMERICHOST));
        assert_eq!(outcome, Err(Errno::EAI_NONAME));
        let outcome = lookup(Some("127。0。0。1".as_bytes()), None, hints(Hints::NUMERICHOST)).unwrap();
        assert_eq!(addresses(&outcome), ["127.0.0.1:0"]);
    }

    #[test]
    fn numeric_names_of_addresses() {
        let numeric = NameFlags::NUMERICHOST | NameFlags::NUMERICSERV;
        let of = |address: &str, flags| name(address.parse().unwrap(), flags);
        let pair = |host: &str, service: &str| Ok((host.to_owned(), service.to_owned()));
        assert_eq!(of("127.0.0.1:8080", numeric), pair("127.0.0.1", "8080"));
        assert_eq!(of("[2001:db8::17]:65535", numeric), pair("2001:db8::17", "65535"));
        assert_eq!(of("127.0.0.1:80", numeric | NameFlags::NAMEREQD), Err(Errno::EAI_NONAME));
        assert_eq!(of("127.0.0.1:80", 0x4000_0000), Err(Errno::EAI_BADFLAGS));
    }

    /// A machine may have no `/etc/services`; then the port number is returned as the name.
    #[test]
    fn well_known_ports_have_service_names() {
        let tcp = hints(Hints::NUMERICHOST);
        let (_, service) = name("127.0.0.1:80".parse().unwrap(), NameFlags::NUMERICHOST).unwrap();
        match lookup(Some(b"127.0.0.1"), Some(b"http"), tcp) {
            Ok(found) => {
                assert_eq!(addresses(&found), ["127.0.0.1:80"]);
                assert_eq!(service, "http");
            }
            Err(errno) => {
                assert_eq!(errno, Errno::EAI_SERVICE);
                assert_eq!(service, "80");
            }
        }
    }
}
