//! Native verbs of `dns`: the resolver of the C library, on the pool.

use phasor_core::dns::{Hints, Query};
use phasor_core::{Errno, Outcome};
use phasor_js::bytes::Text;
use phasor_js::state;
use rquickjs::function::{Func, This};
use rquickjs::{Ctx, Function, Object, Persistent, Result};

use crate::net::address::parse;
use crate::net::handles::{Listed, Wrap};

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    verbs.set("getaddrinfo", Func::from(getaddrinfo))?;
    verbs.set("getnameinfo", Func::from(getnameinfo))?;
    verbs.set("ADDRCONFIG", Hints::ADDRCONFIG)?;
    verbs.set("ALL", Hints::ALL)?;
    verbs.set("V4MAPPED", Hints::V4MAPPED)?;
    Ok(verbs)
}

/// `oncomplete(null, addresses)` or `oncomplete(number of the error)` of the request will hear. `order` is Node's: 0 as they come, 1 IPv4
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
    let object = Persistent::save(&ctx, object);
    state(&ctx).core().getaddrinfo(
        query,
        Box::new(move |ctx, outcome| {
            drop(listed);
            let object = object.restore(ctx)?;
            let done: Function<'_> = object.get("oncomplete")?;
            let found = match outcome {
                Outcome::Getaddrinfo(found) => found,
                _ => Err(Errno::EIO),
            };
            match found {
                Ok(found) => {
                    let mut found: Vec<_> = found.into_iter().map(|info| info.address.ip()).collect();
                    match order {
                        // Sorting is stable: within a family they stay as they came.
                        1 => found.sort_by_key(std::net::IpAddr::is_ipv6),
                        2 => found.sort_by_key(std::net::IpAddr::is_ipv4),
                        _ => {}
                    }
                    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
                    done.call((This(object), (), texts))
                }
                Err(errno) => done.call((This(object), -errno.raw())),
            }
        }),
    );
    0
}

/// `oncomplete(null, host, service)` or `oncomplete(number of the error)` of the request will hear.
fn getnameinfo<'js>(ctx: Ctx<'js>, object: Object<'js>, address: String, port: u16) -> i32 {
    let Some(address) = parse(&address, port) else { return -Errno::EINVAL.raw() };
    let listed = Listed::new(Wrap::GetNameInfo);
    let object = Persistent::save(&ctx, object);
    // As Node: a host without a name is an error, not its number.
    let flags = phasor_core::dns::NameFlags::NAMEREQD;
    state(&ctx).core().getnameinfo(
        address,
        flags,
        Box::new(move |ctx, outcome| {
            drop(listed);
            let object = object.restore(ctx)?;
            let done: Function<'_> = object.get("oncomplete")?;
            match outcome {
                Outcome::Getnameinfo(Ok((host, service))) => done.call((This(object), (), host, service)),
                Outcome::Getnameinfo(Err(errno)) => done.call((This(object), -errno.raw())),
                _ => done.call((This(object), -Errno::EIO.raw())),
            }
        }),
    );
    0
}
