//! Native functions of `dns`: `getaddrinfo` and `getnameinfo` of the C library, on the pool; the wire format of DNS queries; and sockets
//! and timers for a resolver in JavaScript. Those handles are hidden from `process.getActiveResourcesInfo()`, as c-ares' handles are in
//! Node.

mod records;
pub mod wire;

use phasor_core::dns::{Hints, Query};
use phasor_core::{Errno, Outcome};
use phasor_js::bytes::{Text, Utf8};
use phasor_js::{call_tracked, state};
use rquickjs::function::{Func, This};
use rquickjs::{ArrayBuffer, Ctx, Function, Object, Persistent, Result};

use crate::net::address::parse;
use crate::net::handles::{Listed, Wrap};
use crate::net::{HandleBinding, with};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = crate::dgram::natives(ctx)?;
    natives.set("openTimer", Func::from(open_timer))?;
    natives.set("startTimer", Func::from(start_timer))?;
    natives.set("nowMs", Func::from(now_ms))?;
    natives.set("openSocket", Func::from(open_socket))?;
    natives.set("question", Func::from(question))?;
    natives.set("answerHead", Func::from(records::head))?;
    natives.set("answerRecords", Func::from(records::records))?;
    natives.set("randomWord", Func::from(random_word))?;
    natives.set("toASCII", Func::from(to_ascii))?;
    // Scripts see these two functions and their names (`process.binding('cares_wrap')`).
    natives.set("getaddrinfo", Function::new(ctx.clone(), getaddrinfo)?.with_name("getaddrinfo")?)?;
    natives.set("getnameinfo", Function::new(ctx.clone(), getnameinfo)?.with_name("getnameinfo")?)?;
    natives.set("ADDRCONFIG", Hints::ADDRCONFIG)?;
    natives.set("ALL", Hints::ALL)?;
    natives.set("V4MAPPED", Hints::V4MAPPED)?;
    natives.set("INET", Hints::INET)?;
    natives.set("INET6", Hints::INET6)?;
    Ok(natives)
}

/// Later calls `oncomplete(null, addresses)` or `oncomplete(error number)` of the request object. `order` is Node's: 0 verbatim, 1 IPv4
/// first, 2 IPv6 first.
fn getaddrinfo<'js>(ctx: Ctx<'js>, object: Object<'js>, host: Text<'js>, family: i32, flags: i32, order: u32) -> i32 {
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
    let listed = Listed::new(Wrap::GetAddrInfo);
    let tracked = listed.wrap().track(&ctx, &object, None);
    let object = Persistent::save(&ctx, object);
    state(&ctx).core().getaddrinfo(
        query,
        Box::new(move |ctx, outcome| {
            state(ctx).drop_after_drain(listed);
            let object = object.restore(ctx)?;
            let done: Function<'_> = object.get("oncomplete")?;
            let found = match outcome {
                Outcome::Getaddrinfo(found) => found,
                _ => Err(Errno::EIO),
            };
            if let Some(tracked) = &tracked {
                tracked.end(ctx);
            }
            call_tracked(ctx, tracked.as_ref(), &object.clone(), || match found {
                Ok(found) => {
                    let mut found: Vec<_> = found.into_iter().map(|info| info.address.ip()).collect();
                    match order {
                        // The sort is stable: the order within a family is kept.
                        1 => found.sort_by_key(std::net::IpAddr::is_ipv6),
                        2 => found.sort_by_key(std::net::IpAddr::is_ipv4),
                        _ => {}
                    }
                    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
                    done.call((This(object), (), texts))
                }
                Err(errno) => done.call((This(object), -errno.raw())),
            })
        }),
    );
    0
}

/// Later calls `oncomplete(null, host, service)` or `oncomplete(error number)` of the request object.
fn getnameinfo<'js>(ctx: Ctx<'js>, object: Object<'js>, Utf8(address): Utf8, port: u16) -> i32 {
    let Some(address) = parse(&address, port) else { return -Errno::EINVAL.raw() };
    let listed = Listed::new(Wrap::GetNameInfo);
    let tracked = listed.wrap().track(&ctx, &object, None);
    let object = Persistent::save(&ctx, object);
    // As `src/cares_wrap.cc: GetNameInfo`: an address without a name is an error.
    let flags = phasor_core::dns::NameFlags::NAMEREQD;
    state(&ctx).core().getnameinfo(
        address,
        flags,
        Box::new(move |ctx, outcome| {
            state(ctx).drop_after_drain(listed);
            let object = object.restore(ctx)?;
            let done: Function<'_> = object.get("oncomplete")?;
            if let Some(tracked) = &tracked {
                tracked.end(ctx);
            }
            call_tracked(ctx, tracked.as_ref(), &object.clone(), || match outcome {
                Outcome::Getnameinfo(Ok((host, service))) => done.call((This(object), (), host, service)),
                Outcome::Getnameinfo(Err(errno)) => done.call((This(object), -errno.raw())),
                _ => done.call((This(object), -Errno::EIO.raw())),
            })
        }),
    );
    0
}

/// Opens a timer that calls `ontimeout()` of the object.
fn open_timer<'js>(ctx: Ctx<'js>, object: Object<'js>) -> u32 {
    let binding = HandleBinding::new(&ctx, Wrap::Hidden, object);
    let id = state(&ctx).core().timer_open(binding.clone());
    binding.opened(id)
}

/// Starts the timer for one shot.
fn start_timer(ctx: Ctx<'_>, number: u32, after_ms: f64) -> i32 {
    with(&ctx, number, |core, id| core.timer_start(id, after_ms as u64, 0))
}

/// The loop's time, updated. Query timeouts are measured with it.
fn now_ms(ctx: Ctx<'_>) -> f64 {
    let state = state(&ctx);
    let mut core = state.core();
    core.update_time();
    core.now_ms() as f64
}

/// Opens a TCP or UDP socket for queries.
fn open_socket<'js>(ctx: Ctx<'js>, object: Object<'js>, tcp: bool) -> u32 {
    let binding = HandleBinding::new(&ctx, Wrap::Hidden, object);
    let id =
        if tcp { state(&ctx).core().tcp_open(binding.clone()) } else { state(&ctx).core().udp_open(binding.clone()) };
    binding.opened(id)
}

/// Encodes a query; `None` if the name is invalid.
fn question<'js>(ctx: Ctx<'js>, id: u16, Utf8(name): Utf8, kind: u16) -> Result<Option<ArrayBuffer<'js>>> {
    wire::question(id, &name, kind).map(|bytes| ArrayBuffer::new(ctx, bytes)).transpose()
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
fn to_ascii(name: Text<'_>) -> String {
    let name = name.to_utf8();
    idna::domain_to_ascii_cow(name.as_bytes(), idna::AsciiDenyList::EMPTY).map(Into::into).unwrap_or_default()
}
