//! Native functions of `dgram`: UDP handles of the core, in the number table of `net`.

use std::net::{Ipv6Addr, SocketAddr};
use std::rc::Rc;

use phasor_core::{Address, Errno, HandleId, Interface, Loop, Membership, Received, UdpBind};
use phasor_engine::{Array, ArrayBuffer, Fallible, IntoJs, Local, Object, Scope, define_natives};
use phasor_js::bytes::{copy_after, try_send};
use phasor_js::state;

use crate::net::address::{ip_text, parse};
use crate::net::callbacks::Callback;
use crate::net::handles::{Listed, Wrap, id_of};
use crate::net::{HandleBinding, HandleReader, parts_of, request, with, with_slab};

/// The maximum size of a UDP datagram.
const DATAGRAM_BYTES: usize = 64 << 10;

/// Creates the object of native functions: those of `net`, which work on any handle, and those of UDP.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = crate::net::natives(scope)?;
    define_natives!(scope, natives,
        "openUdp" => |scope: Scope<'_>, object: Local<'_, Object>| open(scope, Wrap::Udp, object),
        "adoptUdp" => adopt,
        "bindUdp" => bind,
        "connectUdp" => connect,
        "disconnectUdp" => |scope: Scope<'_>, number: u32| with(scope, number, |core, id| core.udp_connect(id, None)),
        "recvStart" => recv_start,
        "recvStop" => |scope: Scope<'_>, number: u32| with(scope, number, Loop::udp_recv_stop),
        "send" => send,
        "sendQueue" => send_queue,
        "setOption" => set_option,
        "setMulticastInterface" => set_multicast_interface,
        "setMembership" => set_membership,
    );
    Ok(natives)
}

/// Opens a UDP handle that passes datagrams to `onmessage` of the object.
pub(crate) fn open(scope: Scope<'_>, wrap: Wrap, object: Local<'_, Object>) -> u32 {
    let binding = HandleBinding::new(scope, wrap, object);
    binding.set_reader(Some(Rc::new(DatagramReader)));
    let id = state(scope).core().udp_open(binding.clone());
    binding.opened(id)
}

fn adopt(scope: Scope<'_>, number: u32, fd: i32) -> i32 {
    with(scope, number, |core, id| {
        let fd = phasor_core::Fd::adopt(fd)?;
        core.udp_adopt(id, fd, UdpBind { reuse_address: true, ..UdpBind::default() }).map_err(|(errno, fd)| {
            fd.release();
            errno
        })
    })
}

/// `flags` are libuv's: 1 `UV_UDP_IPV6ONLY`, 4 `UV_UDP_REUSEADDR`, 64 `UV_UDP_REUSEPORT` (`uv.h`).
fn bind(scope: Scope<'_>, number: u32, address: String, port: u16, flags: u32) -> i32 {
    let Some(address) = parse(&address, port) else { return -Errno::EINVAL.raw() };
    let how = UdpBind {
        ipv6_only: flags & 1 != 0,
        reuse_address: flags & 4 != 0,
        reuse_port: flags & 64 != 0,
        receive_errors: false,
    };
    with(scope, number, |core, id| core.udp_bind(id, &Address::from(address), how))
}

fn connect(scope: Scope<'_>, number: u32, address: String, port: u16) -> i32 {
    let Some(address) = parse(&address, port) else { return -Errno::EINVAL.raw() };
    with(scope, number, |core, id| core.udp_connect(id, Some(&Address::from(address))))
}

/// As `src/udp_wrap.cc: UDPWrap::RecvStart`: UV_EALREADY is not an error.
fn recv_start(scope: Scope<'_>, number: u32) -> i32 {
    with(scope, number, |core, id| match core.udp_recv_start(id) {
        Err(Errno::EALREADY) => Ok(()),
        other => other,
    })
}

/// Sends a list of buffers as one datagram, as `src/udp_wrap.cc: UDPWrap::DoSend`. If the kernel accepts it at once, returns its length
/// plus 1 and the request gets no callback. Returns 0 if the request is pending, or libuv's error number.
fn send<'s>(
    scope: Scope<'s>,
    number: u32,
    object: Local<'s, Object>,
    list: Local<'s, Array>,
    address: Option<String>,
    port: Option<u16>,
) -> Fallible<i32> {
    let to = match address {
        Some(text) => match parse(&text, port.unwrap_or(0)) {
            Some(address) => Some(Address::from(address)),
            None => return Ok(-Errno::EINVAL.raw()),
        },
        None => None,
    };
    let Some(id) = id_of(number) else { return Ok(-Errno::EBADF.raw()) };
    let parts = parts_of(scope, list)?;
    let tried = try_send(&mut state(scope).core(), id, &parts, to.as_ref());
    match tried {
        Ok(count) => return Ok(i32::try_from(count).unwrap_or(i32::MAX - 1) + 1),
        Err(Errno::EAGAIN | Errno::ENOSYS) => {}
        Err(errno) => return Ok(-errno.raw()),
    }
    let bytes = copy_after(&parts, 0);
    let request = request(scope, number, Listed::new(Wrap::UdpSend), object);
    let begun = state(scope).core().udp_send(id, bytes, to, request);
    Ok(begun.map_or_else(|refused| -refused.errno.raw(), |_| 0))
}

/// The number of queued bytes and the number of queued datagrams.
fn send_queue(scope: Scope<'_>, number: u32) -> Fallible<Local<'_, Array>> {
    let (bytes, count) = id_of(number).map_or((0, 0), |id| {
        let core = state(scope).core();
        (core.udp_send_queue_size(id), core.udp_send_queue_count(id))
    });
    Array::new(scope, &[scope.number(bytes as f64), scope.number(count as f64)])
}

/// `which`: 0 broadcast, 1 TTL, 2 multicast TTL, 3 multicast loopback.
fn set_option(scope: Scope<'_>, number: u32, which: u32, value: i32) -> i32 {
    with(scope, number, |core, id| match which {
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

fn set_multicast_interface(scope: Scope<'_>, number: u32, address: String) -> i32 {
    let Some(interface) = interface_of(&address) else { return -Errno::EINVAL.raw() };
    with(scope, number, |core, id| core.udp_set_multicast_interface(id, Some(interface)))
}

/// Parses an optional argument; an error if it is malformed.
fn parse_optional<T>(text: Option<String>, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, ()> {
    text.map(|text| read(&text).ok_or(())).transpose()
}

fn set_membership(
    scope: Scope<'_>,
    number: u32,
    source: Option<String>,
    group: String,
    interface: Option<String>,
    join: bool,
) -> i32 {
    let Some(group) = parse(&group, 0).map(|address| address.ip()) else { return -Errno::EINVAL.raw() };
    let Ok(interface) = parse_optional(interface, interface_of) else { return -Errno::EINVAL.raw() };
    let membership = if join { Membership::Join } else { Membership::Leave };
    let Ok(source) = parse_optional(source, |text| parse(text, 0).map(|address| address.ip())) else {
        return -Errno::EINVAL.raw();
    };
    with(scope, number, |core, id| match source {
        Some(source) => core.udp_set_source_membership(id, group, interface, source, membership),
        None => core.udp_set_membership(id, group, interface, membership),
    })
}

/// Receives the datagram that an event announced.
struct DatagramReader;

impl HandleReader for DatagramReader {
    fn read(&self, scope: Scope<'_>, binding: &HandleBinding, id: HandleId) -> Fallible<()> {
        let got = with_slab(|slab| {
            let got = state(scope).core().udp_recv(id, &mut slab[..DATAGRAM_BYTES]);
            match got {
                Ok(Received::Datagram(datagram)) => {
                    let bytes = ArrayBuffer::copy_of(scope, &slab[..datagram.len]);
                    Ok(Some((datagram, bytes)))
                }
                Ok(_) => Ok(None),
                Err(errno) => Err(errno),
            }
        });
        match got {
            Ok(Some((datagram, bytes))) => {
                let sender = datagram.sender.as_ref().and_then(Address::inet);
                let (address, is_ipv6, port) = match sender {
                    Some(address) => (ip_text(address), address.is_ipv6(), address.port()),
                    None => (Ipv6Addr::UNSPECIFIED.to_string(), true, 0),
                };
                let arguments = [
                    scope.number(datagram.len as f64),
                    bytes?.as_value(),
                    address.into_js(scope)?,
                    scope.boolean(is_ipv6),
                    scope.number(port),
                ];
                binding.call(scope, Callback::Message, &arguments)
            }
            Ok(None) => Ok(()),
            Err(errno) => binding.call(scope, Callback::Message, &[scope.number(-errno.raw())]),
        }
    }
}
