//! Native functions of `dgram`: UDP handles of the core, in the number table of `net`.

use std::net::{Ipv6Addr, SocketAddr};

use phasor_core::{Address, Errno, HandleId, Interface, Loop, Membership, Received, UdpBind};
use phasor_js::bytes::{Part, Utf8, copy_after, try_send};
use phasor_js::state;
use rquickjs::function::Func;
use rquickjs::{Array, ArrayBuffer, Ctx, Object, Result};

use crate::net::address::{ip_text, parse};
use crate::net::handles::{Listed, Wrap, id_of};
use crate::net::{HandleBinding, parts_of, request, with};

/// The maximum size of a UDP datagram.
const DATAGRAM_BYTES: usize = 64 << 10;

/// Creates the object of native functions: those of `net`, which work on any handle, and those of UDP.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = crate::net::natives(ctx)?;
    natives.set("openUdp", Func::from(open))?;
    natives.set("adoptUdp", Func::from(adopt))?;
    natives.set("bindUdp", Func::from(bind))?;
    natives.set("connectUdp", Func::from(connect))?;
    natives.set(
        "disconnectUdp",
        Func::from(|ctx: Ctx<'js>, number: u32| with(&ctx, number, |core, id| core.udp_connect(id, None))),
    )?;
    natives.set("recvStart", Func::from(recv_start))?;
    natives.set("recvStop", Func::from(|ctx: Ctx<'js>, number: u32| with(&ctx, number, Loop::udp_recv_stop)))?;
    natives.set("send", Func::from(send))?;
    natives.set("sendQueue", Func::from(send_queue))?;
    natives.set("setOption", Func::from(set_option))?;
    natives.set("setMulticastInterface", Func::from(set_multicast_interface))?;
    natives.set("setMembership", Func::from(set_membership))?;
    Ok(natives)
}

fn open<'js>(ctx: Ctx<'js>, object: Object<'js>) -> u32 {
    let binding = HandleBinding::new(&ctx, Wrap::Udp, object);
    let id = state(&ctx).core().udp_open(binding.clone());
    binding.opened(id)
}

fn adopt(ctx: Ctx<'_>, number: u32, fd: i32) -> i32 {
    with(&ctx, number, |core, id| {
        let fd = phasor_core::Fd::adopt(fd)?;
        core.udp_adopt(id, fd, UdpBind { reuse_address: true, ..UdpBind::default() }).map_err(|(errno, fd)| {
            fd.release();
            errno
        })
    })
}

/// `flags` are libuv's: 1 `UV_UDP_IPV6ONLY`, 4 `UV_UDP_REUSEADDR`, 64 `UV_UDP_REUSEPORT` (`uv.h`).
fn bind(ctx: Ctx<'_>, number: u32, Utf8(address): Utf8, port: u16, flags: u32) -> i32 {
    let Some(address) = parse(&address, port) else { return -Errno::EINVAL.raw() };
    let how = UdpBind {
        ipv6_only: flags & 1 != 0,
        reuse_address: flags & 4 != 0,
        reuse_port: flags & 64 != 0,
        receive_errors: false,
    };
    with(&ctx, number, |core, id| core.udp_bind(id, &Address::from(address), how))
}

fn connect(ctx: Ctx<'_>, number: u32, Utf8(address): Utf8, port: u16) -> i32 {
    let Some(address) = parse(&address, port) else { return -Errno::EINVAL.raw() };
    with(&ctx, number, |core, id| core.udp_connect(id, Some(&Address::from(address))))
}

/// As `src/udp_wrap.cc: UDPWrap::RecvStart`: UV_EALREADY is not an error.
fn recv_start(ctx: Ctx<'_>, number: u32) -> i32 {
    with(&ctx, number, |core, id| match core.udp_recv_start(id) {
        Err(Errno::EALREADY) => Ok(()),
        other => other,
    })
}

/// Sends a list of buffers as one datagram, as `src/udp_wrap.cc: UDPWrap::DoSend`. If the kernel accepts it at once, returns its length
/// plus 1 and the request gets no callback. Returns 0 if the request is pending, or libuv's error number.
fn send<'js>(
    ctx: Ctx<'js>,
    number: u32,
    object: Object<'js>,
    list: Array<'js>,
    address: Option<Utf8>,
    port: Option<u16>,
) -> Result<i32> {
    let to = match address {
        Some(Utf8(text)) => match parse(&text, port.unwrap_or(0)) {
            Some(address) => Some(Address::from(address)),
            None => return Ok(-Errno::EINVAL.raw()),
        },
        None => None,
    };
    let Some(id) = id_of(number) else { return Ok(-Errno::EBADF.raw()) };
    let parts: Vec<Part<'js>> = parts_of(&ctx, &list)?;
    let tried = try_send(&mut state(&ctx).core(), id, &parts, to.as_ref());
    match tried {
        Ok(count) => return Ok(i32::try_from(count).unwrap_or(i32::MAX - 1) + 1),
        Err(Errno::EAGAIN | Errno::ENOSYS) => {}
        Err(errno) => return Ok(-errno.raw()),
    }
    let bytes = copy_after(&parts, 0);
    let request = request(&ctx, number, Listed::new(Wrap::UdpSend), object);
    let begun = state(&ctx).core().udp_send(id, bytes, to, request);
    Ok(begun.map_or_else(|refused| -refused.errno.raw(), |_| 0))
}

/// The number of queued bytes and the number of queued datagrams.
fn send_queue(ctx: Ctx<'_>, number: u32) -> Vec<f64> {
    let Some(id) = id_of(number) else { return vec![0.0, 0.0] };
    let state = state(&ctx);
    let core = state.core();
    vec![core.udp_send_queue_size(id) as f64, core.udp_send_queue_count(id) as f64]
}

/// `which`: 0 broadcast, 1 TTL, 2 multicast TTL, 3 multicast loopback.
fn set_option(ctx: Ctx<'_>, number: u32, which: u32, value: i32) -> i32 {
    with(&ctx, number, |core, id| match which {
        0 => core.udp_set_broadcast(id, value != 0),
        // As `src/unix/udp.c: uv_udp_set_ttl`: the value is validated before the descriptor.
        1 if !(1..=255).contains(&value) => Err(Errno::EINVAL),
        2 if !(0..=255).contains(&value) => Err(Errno::EINVAL),
        1 => core.udp_set_ttl(id, value),
        2 => core.udp_set_multicast_ttl(id, value),
        _ => core.udp_set_multicast_loop(id, value != 0),
    })
}

/// The interface that an address denotes: the IPv4 address, or the scope id of an IPv6 address.
fn interface_of(address: &str) -> Option<Interface> {
    match parse(address, 0)? {
        SocketAddr::V4(v4) => Some(Interface::V4(*v4.ip())),
        SocketAddr::V6(v6) => Some(Interface::V6(v6.scope_id())),
    }
}

fn set_multicast_interface(ctx: Ctx<'_>, number: u32, Utf8(address): Utf8) -> i32 {
    let Some(interface) = interface_of(&address) else { return -Errno::EINVAL.raw() };
    with(&ctx, number, |core, id| core.udp_set_multicast_interface(id, Some(interface)))
}

/// Parses an optional argument; an error if it is malformed.
fn parse_optional<T>(text: Option<Utf8>, read: impl FnOnce(&str) -> Option<T>) -> std::result::Result<Option<T>, ()> {
    text.map(|Utf8(text)| read(&text).ok_or(())).transpose()
}

fn set_membership(
    ctx: Ctx<'_>,
    number: u32,
    source: Option<Utf8>,
    Utf8(group): Utf8,
    interface: Option<Utf8>,
    join: bool,
) -> i32 {
    let Some(group) = parse(&group, 0).map(|address| address.ip()) else { return -Errno::EINVAL.raw() };
    let Ok(interface) = parse_optional(interface, interface_of) else { return -Errno::EINVAL.raw() };
    let membership = if join { Membership::Join } else { Membership::Leave };
    let Ok(source) = parse_optional(source, |text| parse(text, 0).map(|address| address.ip())) else {
        return -Errno::EINVAL.raw();
    };
    with(&ctx, number, |core, id| match source {
        Some(source) => core.udp_set_source_membership(id, group, interface, source, membership),
        None => core.udp_set_membership(id, group, interface, membership),
    })
}

/// Receives the datagram that an event announced.
pub(crate) fn receive<'js>(binding: &HandleBinding, ctx: &Ctx<'js>, id: HandleId) -> Result<()> {
    let (got, bytes) = crate::net::with_slab(|slab| {
        let got = state(ctx).core().udp_recv(id, &mut slab[..DATAGRAM_BYTES]);
        let bytes = match &got {
            Ok(Received::Datagram(datagram)) => Some(ArrayBuffer::new_copy(ctx.clone(), &slab[..datagram.len])),
            _ => None,
        };
        (got, bytes.transpose())
    });
    let bytes = bytes?;
    match got {
        Ok(Received::Datagram(datagram)) => {
            let sender = datagram.sender.as_ref().and_then(Address::inet);
            let (address, is_ipv6, port) = match sender {
                Some(address) => (ip_text(address), address.is_ipv6(), address.port()),
                None => (Ipv6Addr::UNSPECIFIED.to_string(), true, 0),
            };
            let count = datagram.len as i32;
            binding.call_method(ctx, "onmessage", |this| (this, count, bytes, address, is_ipv6, port))
        }
        Ok(_) => Ok(()),
        Err(errno) => binding.call_method(ctx, "onmessage", |this| (this, -errno.raw())),
    }
}
