//! Native functions of `dns`: `getaddrinfo` and `getnameinfo` of the C library, on the pool; the wire format of DNS queries; and sockets
//! and timers for a resolver in JavaScript. `process.getActiveResourcesInfo()` does not list the handles of the resolver, as it does not
//! list those of c-ares in Node.

mod records;
pub mod wire;

use phasor_core::dns::{Hints, Query};
use phasor_core::{Errno, Outcome};
use phasor_engine::{Array, ArrayBuffer, Fallible, IntoJs, Local, Object, Scope, define_natives};
use phasor_js::bytes::Text;
use phasor_js::{ResourceId, SpanKind, state};

use crate::net::address::parse;
use crate::net::binding::request_with;
use crate::net::handles::{Listed, Wrap};
use crate::net::{HandleBinding, with};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = crate::dgram::natives(scope)?;
    define_natives!(scope, natives,
        "openTimer" => open_timer,
        "startTimer" => |scope: Scope<'_>, number: u32, after_ms: f64| {
            with(scope, number, |core, id| core.timer_start(id, after_ms as u64, 0))
        },
        "nowMs" => now_ms,
        "openSocket" => open_socket,
        "question" => question,
        "answerHead" => records::head,
        "answerRecords" => records::records,
        "randomWord" => |_: Scope<'_>| random_word(),
        "toASCII" => |_: Scope<'_>, name: Text| to_ascii(&name),
        // Scripts see these two functions and their names (`process.binding('cares_wrap')`).
        "getaddrinfo" => getaddrinfo,
        "getnameinfo" => getnameinfo,
    );
    for (name, value) in [
        ("ADDRCONFIG", Hints::ADDRCONFIG),
        ("ALL", Hints::ALL),
        ("V4MAPPED", Hints::V4MAPPED),
        ("INET", Hints::INET),
        ("INET6", Hints::INET6),
    ] {
        natives.set(scope, name, value)?;
    }
    Ok(natives)
}

/// `(request, host, family, flags, order)`: later calls `oncomplete(null, addresses)` or `oncomplete(error number)` of the request.
/// `order` is Node's: 0 verbatim, 1 IPv4 first, 2 IPv6 first.
fn getaddrinfo(scope: Scope<'_>, object: Local<'_, Object>, host: Text, family: i32, flags: i32, order: u32) -> i32 {
    let family = match family {
        4 => Hints::INET,
        6 => Hints::INET6,
        _ => 0,
    };
    let hints = Hints { flags, family, socktype: Hints::STREAM, protocol: 0 };
    let query = match Query::new(Some(host.as_wtf8()), None, Some(hints)) {
        Ok(query) => query,
        Err(errno) => return -errno.raw(),
    };
    let span = state(scope).begin_span(SpanKind::Dns, ResourceId::NONE, || host.to_utf8().into_owned());
    let request = request_with(scope, Listed::new(Wrap::GetAddrInfo), object, None, move |scope, outcome| {
        state(scope).end_span(span, 0, 0);
        let found = match outcome {
            Outcome::Getaddrinfo(found) => found,
            _ => Err(Errno::EIO),
        };
        let found = match found {
            Ok(found) => found,
            Err(errno) => return Ok(vec![scope.number(-errno.raw())]),
        };
        let mut found: Vec<_> = found.into_iter().map(|info| info.address.ip()).collect();
        match order {
            // The sort is stable: the order within a family is kept.
            1 => found.sort_by_key(std::net::IpAddr::is_ipv6),
            2 => found.sort_by_key(std::net::IpAddr::is_ipv4),
            _ => {}
        }
        let texts: Vec<_> = found.iter().map(|ip| ip.to_string().into_js(scope)).collect::<Fallible<_>>()?;
        Ok(vec![scope.null(), Array::new(scope, &texts)?.as_value()])
    });
    let request = state(scope).core().getaddrinfo(query, request);
    state(scope).describe(ResourceId::request(request), || host.to_utf8().into_owned());
    0
}

/// `(request, address, port)`: later calls `oncomplete(null, host, service)` or `oncomplete(error number)` of the request.
fn getnameinfo(scope: Scope<'_>, object: Local<'_, Object>, address: String, port: u16) -> i32 {
    let Some(address) = parse(&address, port) else { return -Errno::EINVAL.raw() };
    let span = state(scope).begin_span(SpanKind::Dns, ResourceId::NONE, || address.to_string());
    let request = request_with(scope, Listed::new(Wrap::GetNameInfo), object, None, move |scope, outcome| {
        state(scope).end_span(span, 0, 0);
        Ok(match outcome {
            Outcome::Getnameinfo(Ok((host, service))) => {
                vec![scope.null(), host.into_js(scope)?, service.into_js(scope)?]
            }
            Outcome::Getnameinfo(Err(errno)) => vec![scope.number(-errno.raw())],
            _ => vec![scope.number(-Errno::EIO.raw())],
        })
    });
    // As `src/cares_wrap.cc: GetNameInfo`: an address without a name is an error.
    let flags = phasor_core::dns::NameFlags::NAMEREQD;
    let request = state(scope).core().getnameinfo(address, flags, request);
    state(scope).describe(ResourceId::request(request), || address.to_string());
    0
}

/// Opens a timer that calls `ontimeout()` of the object.
fn open_timer(scope: Scope<'_>, object: Local<'_, Object>) -> u32 {
    let binding = HandleBinding::new(scope, Wrap::Hidden, object);
    let id = state(scope).core().timer_open(binding.clone());
    binding.opened(id)
}

/// The loop's time, updated. Query timeouts are measured with it.
fn now_ms(scope: Scope<'_>) -> f64 {
    let mut core = state(scope).core();
    core.update_time();
    core.now_ms() as f64
}

/// Opens a TCP or UDP socket for queries.
fn open_socket(scope: Scope<'_>, object: Local<'_, Object>, tcp: bool) -> u32 {
    if !tcp {
        return crate::dgram::open(scope, Wrap::Hidden, object);
    }
    let binding = HandleBinding::new(scope, Wrap::Hidden, object);
    let id = state(scope).core().tcp_open(binding.clone());
    binding.opened(id)
}

/// Encodes a query; `None` if the name is invalid.
fn question(scope: Scope<'_>, id: u16, name: String, kind: u16) -> Fallible<Option<Local<'_, ArrayBuffer>>> {
    wire::question(id, &name, kind).map(|bytes| ArrayBuffer::from_vec(scope, bytes)).transpose()
}

/// A query id from the kernel's random source, so that responses cannot be forged; or a negative error number.
fn random_word() -> i32 {
    let mut bytes = [0; 2];
    match phasor_core::random_fill(&mut bytes) {
        Ok(()) => u16::from_ne_bytes(bytes).into(),
        Err(errno) => -errno.raw(),
    }
}

/// The ASCII form (IDNA) of a host name; empty if it is invalid.
fn to_ascii(name: &Text) -> String {
    let name = name.to_utf8();
    idna::domain_to_ascii_cow(name.as_bytes(), idna::AsciiDenyList::EMPTY).map(Into::into).unwrap_or_default()
}
