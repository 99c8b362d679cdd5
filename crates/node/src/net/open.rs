//! Native functions that open, bind and connect TCP and pipe handles.

use phasor_core::{Errno, Fd, Keepalive, Loop, TcpBind};
use phasor_engine::{Attributes, Fallible, Local, Object, Scope, define_natives};
use phasor_js::bytes::Text;
use phasor_js::{ResourceId, SpanKind, state};

use super::address::parse;
use super::handles::{self, Listed, Wrap, binding_of, id_of};
use super::{HandleBinding, end_span, request, with};

/// Defines the native functions.
pub(super) fn define(scope: Scope<'_>, natives: Local<'_, Object>) -> Fallible<()> {
    define_natives!(scope, natives,
        "open" => open,
        "adopt" => adopt,
        "bindTcp" => bind_tcp,
        "bindPipe" => |scope: Scope<'_>, number: u32, name: Text| {
            // As `src/pipe_wrap.cc: PipeWrap::Bind`: a name that is too long is truncated.
            with(scope, number, |core, id| core.pipe_bind(id, name.as_wtf8(), false))
        },
        "connectTcp" => connect_tcp,
        "connectPipe" => connect_pipe,
        "chmodPipe" => |scope: Scope<'_>, number: u32, readable: bool, writable: bool| {
            with(scope, number, |core, id| core.pipe_chmod(id, readable, writable))
        },
        "setNoDelay" => |scope: Scope<'_>, number: u32, enable: bool| {
            with(scope, number, |core, id| core.tcp_nodelay(id, enable))
        },
        "setKeepAlive" => set_keep_alive,
        "reset" => reset,
    );
    Ok(())
}

/// Opens a handle: `kind` is a constant of `tcp_wrap` or `pipe_wrap` (0 socket and 1 server; 2 pipe, 3 server and 4 pipe with IPC).
fn open(scope: Scope<'_>, kind: u32, object: Local<'_, Object>) -> Fallible<u32> {
    // Not enumerable, as in Node: inspecting a handle does not show it.
    object.define(scope, "onread", scope.undefined(), Attributes::METHOD)?;
    let wrap = match kind {
        0 => Wrap::TcpSocket,
        1 => Wrap::TcpServer,
        3 => Wrap::PipeServer,
        _ => Wrap::Pipe,
    };
    let binding = HandleBinding::new(scope, wrap, object);
    let id = match kind {
        0 | 1 => state(scope).core().tcp_open(binding.clone()),
        _ => state(scope).core().pipe_open(kind == 4, binding.clone()),
    };
    Ok(binding.opened(id))
}

/// Adopts a file descriptor. On failure the caller keeps it.
fn adopt(scope: Scope<'_>, number: u32, fd: i32, tcp: bool) -> i32 {
    with(scope, number, |core, id| {
        let fd = Fd::adopt(fd)?;
        let adopted = if tcp { core.tcp_adopt(id, fd) } else { core.pipe_adopt(id, fd) };
        adopted.map_err(|(errno, fd)| {
            fd.release();
            errno
        })
    })
}

fn bind_tcp(scope: Scope<'_>, number: u32, address: String, port: u16, ipv6_only: bool, reuse_port: bool) -> i32 {
    let Some(address) = parse(&address, port) else { return -Errno::EINVAL.raw() };
    with(scope, number, |core, id| core.tcp_bind(id, address, TcpBind { ipv6_only, reuse_port }))
}

fn connect_tcp(scope: Scope<'_>, number: u32, address: String, port: u16, object: Local<'_, Object>) -> i32 {
    let Some(address) = parse(&address, port) else { return -Errno::EINVAL.raw() };
    let Some(id) = id_of(number) else { return -Errno::EBADF.raw() };
    let request = request(scope, number, Listed::new(Wrap::TcpConnect), object);
    let begun = state(scope).core().tcp_connect(id, address, request);
    if begun.is_ok()
        && let Some(binding) = binding_of(number)
    {
        binding.begin_span(scope, SpanKind::Connection, id, || format!("to {address}"));
        state(scope).describe(ResourceId::handle(id), || format!("to {address}"));
    }
    begun.map_or_else(|refused| -refused.errno.raw(), |_| 0)
}

/// A name that is too long is truncated.
fn connect_pipe(scope: Scope<'_>, number: u32, name: Text, object: Local<'_, Object>) -> i32 {
    let Some(id) = id_of(number) else { return -Errno::EBADF.raw() };
    let request = request(scope, number, Listed::new(Wrap::PipeConnect), object);
    let begun = state(scope).core().pipe_connect_checked(id, name.as_wtf8(), false, request);
    if begun.is_ok()
        && let Some(binding) = binding_of(number)
    {
        binding.begin_span(scope, SpanKind::Connection, id, || format!("to {}", name.to_utf8()));
        state(scope).describe(ResourceId::handle(id), || format!("to {}", name.to_utf8()));
    }
    begun.map_or_else(|refused| -refused.errno.raw(), |_| 0)
}

fn set_keep_alive(scope: Scope<'_>, number: u32, enable: bool, idle_s: u32) -> i32 {
    // As `src/unix/tcp.c: uv__tcp_keepalive`: one probe per second, ten probes.
    let keepalive = enable.then_some(Keepalive { idle_s, interval_s: 1, count: 10 });
    with(scope, number, |core, id| core.tcp_keepalive(id, keepalive))
}

/// Closes the connection with a TCP reset.
fn reset(scope: Scope<'_>, number: u32) -> i32 {
    let status = with(scope, number, Loop::tcp_close_reset);
    if status == 0 {
        end_span(scope, number);
    }
    if status == 0 {
        handles::forget(number);
    }
    status
}
