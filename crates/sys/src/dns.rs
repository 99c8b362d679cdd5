//! Names and addresses: the system's resolver, which blocks.
//!
//! [`Query::new`] checks and converts at once, on the caller's thread, as `uv_getaddrinfo` does; [`Query::run`] and
//! [`name`] may take seconds and are for a thread of a pool. DNS on the wire is not here.
//!
//! # Safety
//! Two calls of the C library take and give pointers. Everything passed in lives as long as the call. The list that
//! `getaddrinfo` gives is owned by an [`AddrList`], which frees it; only [`AddrList::into_raw`] lets its pointers out.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use crate::{Errno, Result};

/// The longest name of a host that is looked up, in bytes, after its conversion to ASCII.
///
/// As libuv, which converts into 256 bytes with a NUL at the end.
pub const HOST_MAX: usize = 255;

/// What kind of addresses a [`Query`] wants. The numbers are the C library's (`AF_INET`, `SOCK_STREAM` …); 0 is any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "addrinfo")]
pub struct Hints {
    /// Bits from the constants of this type.
    pub flags: i32,
    /// The address family.
    pub family: i32,
    /// The socket type.
    pub socktype: i32,
    /// The protocol.
    pub protocol: i32,
}

impl Hints {
    /// Without a host, addresses to listen on instead of loopback ones.
    #[doc(alias = "AI_PASSIVE")]
    pub const PASSIVE: i32 = libc::AI_PASSIVE;
    /// Also find the host's canonical name.
    #[doc(alias = "AI_CANONNAME")]
    pub const CANONNAME: i32 = libc::AI_CANONNAME;
    /// The host is an address; look nothing up.
    #[doc(alias = "AI_NUMERICHOST")]
    pub const NUMERICHOST: i32 = libc::AI_NUMERICHOST;
    /// The service is a port number; look nothing up.
    #[doc(alias = "AI_NUMERICSERV")]
    pub const NUMERICSERV: i32 = libc::AI_NUMERICSERV;
    /// If IPv6 is asked for and there is none, IPv4 addresses in IPv6 form.
    #[doc(alias = "AI_V4MAPPED")]
    pub const V4MAPPED: i32 = libc::AI_V4MAPPED;
    /// With [`Hints::V4MAPPED`]: both.
    #[doc(alias = "AI_ALL")]
    pub const ALL: i32 = libc::AI_ALL;
    /// Only families of which this machine has an address.
    #[doc(alias = "AI_ADDRCONFIG")]
    pub const ADDRCONFIG: i32 = libc::AI_ADDRCONFIG;

    /// Any IPv4 address. Value of [`Hints::family`].
    #[doc(alias = "AF_INET")]
    pub const INET: i32 = libc::AF_INET;
    /// Any IPv6 address. Value of [`Hints::family`].
    #[doc(alias = "AF_INET6")]
    pub const INET6: i32 = libc::AF_INET6;
    /// Value of [`Hints::socktype`].
    #[doc(alias = "SOCK_STREAM")]
    pub const STREAM: i32 = libc::SOCK_STREAM;
    /// Value of [`Hints::socktype`].
    #[doc(alias = "SOCK_DGRAM")]
    pub const DGRAM: i32 = libc::SOCK_DGRAM;
}

/// Flags for [`name`].
#[derive(Clone, Copy, Debug)]
pub enum NameFlags {}

impl NameFlags {
    /// The address instead of the host's name.
    #[doc(alias = "NI_NUMERICHOST")]
    pub const NUMERICHOST: i32 = libc::NI_NUMERICHOST;
    /// The port number instead of the service's name.
    #[doc(alias = "NI_NUMERICSERV")]
    pub const NUMERICSERV: i32 = libc::NI_NUMERICSERV;
    /// Only the first part of names of this machine's domain.
    #[doc(alias = "NI_NOFQDN")]
    pub const NOFQDN: i32 = libc::NI_NOFQDN;
    /// Fail rather than give the address when there is no name.
    #[doc(alias = "NI_NAMEREQD")]
    pub const NAMEREQD: i32 = libc::NI_NAMEREQD;
    /// The service's name for datagrams, where it is another than for streams.
    #[doc(alias = "NI_DGRAM")]
    pub const DGRAM: i32 = libc::NI_DGRAM;
}

/// One address found. Holds every field of C's `struct addrinfo`, so that a list of them can be rebuilt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(alias = "addrinfo")]
pub struct AddrInfo {
    /// The flags asked for, as the C library hands them back.
    pub flags: i32,
    /// The family of `address`, as a number.
    pub family: i32,
    /// The socket type to use with the address.
    pub socktype: i32,
    /// The protocol to use with the address.
    pub protocol: i32,
    /// The address, with the port of the service, or port 0.
    pub address: SocketAddr,
    /// The host's canonical name; only in the first of a list, if asked for.
    pub canonical_name: Option<CString>,
}

/// A lookup, checked and ready to be run on any thread.
#[derive(Clone, Debug)]
pub struct Query {
    host: Option<CString>,
    service: Option<CString>,
    hints: Option<Hints>,
}

impl Query {
    /// Checks a lookup. Bytes are UTF-8; the host may be an internationalised name, see [`host_to_ascii`].
    ///
    /// `EINVAL` if there is neither host nor service, or either is not a name. Without hints the C library has defaults
    /// of its own, which are other than hints with every field 0.
    pub fn new(host: Option<&[u8]>, service: Option<&[u8]>, hints: Option<Hints>) -> Result<Query> {
        if host.is_none() && service.is_none() {
            return Err(Errno::EINVAL);
        }
        let host = host.map(host_to_ascii).transpose()?;
        let service = service.map(CString::new).transpose().map_err(|_| Errno::EINVAL)?;
        Ok(Query { host, service, hints })
    }

    /// Asks the system, and waits for its answer. The addresses are in the system's order of preference.
    #[doc(alias = "getaddrinfo")]
    pub fn run(&self) -> Result<Vec<AddrInfo>> {
        Ok(self.ask()?.to_vec())
    }

    /// As [`Query::run`]; the answer stays the C library's.
    pub fn ask(&self) -> Result<AddrList> {
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
            // SAFETY: the strings end in NUL and live in `self`; `hints` is null or a whole struct on this stack; `list`
            // is written only on success.
            unsafe { libc::getaddrinfo(pointer(&self.host), pointer(&self.service), hints, &mut list) }
        })?;
        Ok(AddrList(list))
    }
}

/// The C library's own list of the addresses found. Dropping it frees it.
#[derive(Debug)]
pub struct AddrList(*mut libc::addrinfo);

// SAFETY: nobody else knows the list, and the C library does not mind which thread reads or frees it.
unsafe impl Send for AddrList {}

impl AddrList {
    /// A copy in values of ours.
    pub fn to_vec(&self) -> Vec<AddrInfo> {
        let mut found = Vec::new();
        let mut next = self.0;
        // SAFETY: the list is a chain of valid entries, ended by null, and lives as long as `self`.
        while let Some(entry) = unsafe { next.as_ref() } {
            found.extend(copy(entry));
            next = entry.ai_next;
        }
        found
    }

    /// Gives the list away, to be freed with the C library's `freeaddrinfo`.
    pub fn into_raw(self) -> *mut libc::addrinfo {
        let list = self.0;
        std::mem::forget(self);
        list
    }
}

impl Drop for AddrList {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the list came from `getaddrinfo` and is not used again; `to_vec` kept nothing of it.
            unsafe { libc::freeaddrinfo(self.0) };
        }
    }
}

/// Looks a host, a service, or both up: [`Query::new`] and [`Query::run`] in one. Blocks.
#[doc(alias = "uv_getaddrinfo")]
pub fn lookup(host: Option<&[u8]>, service: Option<&[u8]>, hints: Option<Hints>) -> Result<Vec<AddrInfo>> {
    Query::new(host, service, hints)?.run()
}

/// How many bytes the name of a host can take, with the NUL at its end.
#[doc(alias = "NI_MAXHOST")]
pub const HOST_BYTES: usize = 1025;
/// How many bytes the name of a service can take, with the NUL at its end.
#[doc(alias = "NI_MAXSERV")]
pub const SERVICE_BYTES: usize = 32;

/// The names of an address: the host's and the service's (the port's). Blocks.
///
/// Bytes of a name that are not UTF-8 are replaced.
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

/// As [`name`]; each name is put where the caller says, with a NUL at its end.
pub fn name_into(
    address: SocketAddr,
    flags: i32,
    host: &mut [u8; HOST_BYTES],
    service: &mut [u8; SERVICE_BYTES],
) -> Result<()> {
    let mut ask = |address: *const libc::sockaddr, len: usize| {
        retry(|| {
            // SAFETY: `address` points to `len` bytes of a whole socket address, and each buffer is given with its size.
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
            ask(std::ptr::from_ref(&raw).cast(), size_of_val(&raw))
        }
        SocketAddr::V6(v6) => {
            let raw = libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            };
            ask(std::ptr::from_ref(&raw).cast(), size_of_val(&raw))
        }
    }
}

/// A host's name in ASCII, as resolvers want it.
///
/// As `uv__idna_toascii`: each label that is not ASCII becomes `xn--` and its Punycode, the ideographic full stops
/// separate labels like the ASCII one, and nothing else is changed: neither case nor normal form. ASCII names pass
/// untouched. `EINVAL` for an empty name, one longer than [`HOST_MAX`] (also that is libuv's code), one that is not
/// UTF-8, and one with a NUL.
pub fn host_to_ascii(host: &[u8]) -> Result<CString> {
    // One character of at most four bytes is never less than one byte of Punycode: what is longer than this cannot fit,
    // and the encoder, whose work grows with the square of the length, need not try.
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

/// Copies one entry of the C library's list. `None` for an address that is neither IPv4 nor IPv6, for which no caller
/// can have asked.
fn copy(entry: &libc::addrinfo) -> Option<AddrInfo> {
    let len = entry.ai_addrlen as usize;
    let address = match entry.ai_family {
        libc::AF_INET if !entry.ai_addr.is_null() && len >= size_of::<libc::sockaddr_in>() => {
            // SAFETY: the family and the length say that this struct is there. Unaligned, since the pointer's type
            // promises less than this struct needs.
            let raw = unsafe { entry.ai_addr.cast::<libc::sockaddr_in>().read_unaligned() };
            let ip = Ipv4Addr::from(raw.sin_addr.s_addr.to_ne_bytes());
            SocketAddr::V4(SocketAddrV4::new(ip, u16::from_be(raw.sin_port)))
        }
        libc::AF_INET6 if !entry.ai_addr.is_null() && len >= size_of::<libc::sockaddr_in6>() => {
            // SAFETY: as above.
            let raw = unsafe { entry.ai_addr.cast::<libc::sockaddr_in6>().read_unaligned() };
            let ip = Ipv6Addr::from(raw.sin6_addr.s6_addr);
            let port = u16::from_be(raw.sin6_port);
            SocketAddr::V6(SocketAddrV6::new(ip, port, raw.sin6_flowinfo, raw.sin6_scope_id))
        }
        _ => return None,
    };
    let canonical_name = (!entry.ai_canonname.is_null()).then(|| {
        // SAFETY: not null, hence a string that ends in NUL and lives as long as the list.
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

/// Calls until the call was not interrupted, and translates what it returned.
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

/// The resolver's error as an [`Errno`]. As `uv__getaddrinfo_translate_error`, which aborts where this says `UNKNOWN`.
fn translate(code: i32) -> Errno {
    // Not in the libc crate; the values of glibc and musl.
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
    fn localhost_is_this_machine() {
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
    fn every_socket_type_is_given_when_none_is_asked_for() {
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
    fn what_is_no_name_is_refused_at_once() {
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
    fn the_longest_name_passes_and_one_byte_more_does_not() {
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
    fn a_name_is_converted_before_it_is_asked_for() {
        // Not an address, so it fails without a lookup; and with the resolver's error, not the conversion's.
        let outcome = lookup(Some("bücher.example".as_bytes()), None, hints(Hints::NUMERICHOST));
        assert_eq!(outcome, Err(Errno::EAI_NONAME));
        let outcome = lookup(Some("127。0。0。1".as_bytes()), None, hints(Hints::NUMERICHOST)).unwrap();
        assert_eq!(addresses(&outcome), ["127.0.0.1:0"]);
    }

    #[test]
    fn addresses_have_names() {
        let numeric = NameFlags::NUMERICHOST | NameFlags::NUMERICSERV;
        let of = |address: &str, flags| name(address.parse().unwrap(), flags);
        let pair = |host: &str, service: &str| Ok((host.to_owned(), service.to_owned()));
        assert_eq!(of("127.0.0.1:8080", numeric), pair("127.0.0.1", "8080"));
        assert_eq!(of("[2001:db8::17]:65535", numeric), pair("2001:db8::17", "65535"));
        assert_eq!(of("127.0.0.1:80", numeric | NameFlags::NAMEREQD), Err(Errno::EAI_NONAME));
        assert_eq!(of("127.0.0.1:80", 0x4000_0000), Err(Errno::EAI_BADFLAGS));
    }

    /// A machine may have no list of services; then the port's number is its name.
    #[test]
    fn services_have_names() {
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
