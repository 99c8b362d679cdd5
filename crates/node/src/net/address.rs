//! IP addresses as text, and the local and remote address of a socket.

use std::ffi::CString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

use phasor_core::{Errno, Kind};
use phasor_engine::{Array, Fallible, IntoJs, Local, Object, Scope, Value, define_natives};
use phasor_js::bytes::string_from_utf8;
use phasor_js::state;
use phasor_sys::os::{interface_index, interface_name};

use super::handles::id_of;

/// Defines the native functions.
pub(super) fn define(scope: Scope<'_>, natives: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, natives,
        "isIP" => |_: Scope<'_>, text: String| is_ip(&text),
        "ipBytes" => ip_bytes,
        "canonical" => |_: Scope<'_>, text: String| parse_ip(&text).map(|(ip, _)| ip.to_string()),
        "localAddress" => |scope, number| address_of(scope, number, false),
        "peerAddress" => |scope, number| address_of(scope, number, true),
    );
    Ok(())
}

/// Parses an address and its zone.
fn parse_ip(text: &str) -> Option<(IpAddr, Option<&str>)> {
    if let Ok(v4) = text.parse::<Ipv4Addr>() {
        return Some((v4.into(), None));
    }
    let (ip, zone) = match text.split_once('%') {
        Some((ip, zone)) => (ip, Some(zone)),
        None => (text, None),
    };
    // As the pattern in `lib/internal/net.js`.
    let fits = |zone: &str| !zone.is_empty() && zone.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.:".contains(&b));
    if zone.is_some_and(|zone| !fits(zone)) {
        return None;
    }
    Some((ip.parse::<Ipv6Addr>().ok()?.into(), zone))
}

/// 4, 6, or 0 if the text is not an IP address.
fn is_ip(text: &str) -> u8 {
    match parse_ip(text) {
        Some((IpAddr::V4(_), _)) => 4,
        Some((IpAddr::V6(_), _)) => 6,
        None => 0,
    }
}

/// The bytes of an address, 4 or 16, as an array of numbers; `undefined` if the text is not an address.
fn ip_bytes(scope: Scope<'_>, text: String) -> Fallible<Option<Local<'_, Array>>> {
    let Some((ip, _)) = parse_ip(&text) else { return Ok(None) };
    let bytes: Vec<u8> = match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let bytes: Vec<Local<'_, Value>> = bytes.iter().map(|&byte| scope.number(byte)).collect();
    Array::new(scope, &bytes).map(Some)
}

/// The address to bind or connect to. A zone is an interface's name or index; any other zone is ignored.
pub(crate) fn parse(text: &str, port: u16) -> Option<SocketAddr> {
    match parse_ip(text)? {
        (IpAddr::V4(ip), _) => Some(SocketAddr::from((ip, port))),
        (IpAddr::V6(ip), zone) => {
            let scope_id = zone.and_then(|zone| zone.parse().ok().or_else(|| interface(zone))).unwrap_or(0);
            Some(SocketAddrV6::new(ip, port, 0, scope_id).into())
        }
    }
}

fn interface(name: &str) -> Option<u32> {
    interface_index(&CString::new(name).ok()?)
}

/// `[address, family, port]`, a pipe's name, or libuv's error number.
fn address_of(scope: Scope<'_>, number: u32, peer: bool) -> Fallible<Local<'_, Value>> {
    let Some(id) = id_of(number) else { return Ok(scope.number(-Errno::EBADF.raw())) };
    let state = state(scope);
    // Separate statements: the loop must not be borrowed while a value is created.
    let kind = state.core().kind(id);
    let address = match kind {
        Some(Kind::Pipe) => {
            let name = if peer { state.core().pipe_peer_name(id) } else { state.core().pipe_local_name(id) };
            return match name {
                Ok(name) => string_from_utf8(scope, &name),
                Err(errno) => Ok(scope.number(-errno.raw())),
            };
        }
        Some(Kind::Udp) if peer => state.core().udp_peer_address(id).and_then(inet),
        Some(Kind::Udp) => state.core().udp_local_address(id).and_then(inet),
        _ if peer => state.core().tcp_peer_address(id),
        _ => state.core().tcp_local_address(id),
    };
    match address {
        Ok(address) => to_js(scope, address),
        Err(errno) => Ok(scope.number(-errno.raw())),
    }
}

fn inet(address: phasor_core::Address) -> phasor_core::Result<SocketAddr> {
    address.inet().ok_or(Errno::EAFNOSUPPORT)
}

/// `[address, family, port]`.
fn to_js(scope: Scope<'_>, address: SocketAddr) -> Fallible<Local<'_, Value>> {
    let family = if address.is_ipv6() { "IPv6" } else { "IPv4" };
    let parts = [ip_text(address).into_js(scope)?, family.into_js(scope)?, scope.number(address.port())];
    Ok(Array::new(scope, &parts)?.as_value())
}

/// The text of an address, with its zone if it has one.
pub(crate) fn ip_text(address: SocketAddr) -> String {
    match address {
        SocketAddr::V6(v6) if v6.scope_id() != 0 => match interface_name(v6.scope_id()) {
            Ok(name) => format!("{}%{}", v6.ip(), name.to_string_lossy()),
            Err(_) => v6.ip().to_string(),
        },
        other => other.ip().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ip_addresses_are_distinguished_from_host_names() {
        for (text, kind) in [
            ("127.0.0.1", 4),
            ("::", 6),
            ("::ffff:1.2.3.4", 6),
            ("fe80::1%lo", 6),
            ("fe80::1%", 0),
            ("fe80::1%l o", 0),
            ("01.2.3.4", 0),
            ("1.2.3", 0),
            ("", 0),
            ("1:2:3:4:5:6:7:8:9", 0),
        ] {
            assert_eq!(is_ip(text), kind, "{text}");
        }
        assert_eq!(parse("::1%7", 80).map(ip_text).as_deref(), Some("::1"));
    }
}
