//! Native functions that open, bind and connect TCP and pipe handles.

use phasor_core::{Errno, Fd, Keepalive, Loop, TcpBind};
use phasor_js::bytes::{Text, Utf8};
use phasor_js::state;
use rquickjs::function::Func;
use rquickjs::object::Property;
use rquickjs::{Ctx, Object, Result, Undefined};

use super::address::parse;
use super::handles::{self, Listed, Wrap, id_of};
use super::{HandleBinding, fast, request, with};

/// Defines the native functions.
pub(super) fn define<'js>(natives: &Object<'js>) -> Result<()> {
    natives.set("open", Func::from(open))?;
    natives.set("adopt", Func::from(adopt))?;
    natives.set("bindTcp", Func::from(bind_tcp))?;
    natives.set("bindPipe", Func::from(bind_pipe))?;
    natives.set("connectTcp", Func::from(connect_tcp))?;
    natives.set("connectPipe", Func::from(connect_pipe))?;
    natives.set(
        "chmodPipe",
        Func::from(|ctx: Ctx<'js>, number: u32, readable: bool, writable: bool| {
            with(&ctx, number, |core, id| core.pipe_chmod(id, readable, writable))
        }),
    )?;
    natives.set(
        "setNoDelay",
        Func::from(|ctx: Ctx<'js>, number: u32, enable: bool| {
            with(&ctx, number, |core, id| core.tcp_nodelay(id, enable))
        }),
    )?;
    natives.set("setKeepAlive", Func::from(set_keep_alive))?;
    natives.set("reset", Func::from(reset))?;
    Ok(())
}

/// Opens a handle: `kind` is a constant of `tcp_wrap` or `pipe_wrap` (0 socket and 1 server; 2 pipe, 3 server and 4 pipe with IPC).
fn open<'js>(ctx: Ctx<'js>, kind: u32, object: Object<'js>) -> Result<u32> {
    // Not enumerable, as in Node: inspecting a handle does not show it.
    object.prop("onread", Property::from(Undefined).writable().configurable())?;
    let wrap = match kind {
        0 => Wrap::TcpSocket,
        1 => Wrap::TcpServer,
        3 => Wrap::PipeServer,
        _ => Wrap::Pipe,
    };
    let binding = HandleBinding::new(&ctx, wrap, object.clone());
    let id = match kind {
        0 | 1 => state(&ctx).core().tcp_open(binding.clone()),
        _ => state(&ctx).core().pipe_open(kind == 4, binding.clone()),
    };
    let number = binding.opened(id);
    fast::note_number(&ctx, &object, number)?;
    Ok(number)
}

/// Adopts a file descriptor. On failure the caller keeps it.
fn adopt(ctx: Ctx<'_>, number: u32, fd: i32, tcp: bool) -> i32 {
    with(&ctx, number, |core, id| {
        let fd = Fd::adopt(fd)?;
        let adopted = if tcp { core.tcp_adopt(id, fd) } else { core.pipe_adopt(id, fd) };
        adopted.map_err(|(errno, fd)| {
            fd.release();
            errno
        })
    })
}

fn bind_tcp(ctx: Ctx<'_>, number: u32, Utf8(address): Utf8, port: u16, ipv6_only: bool, reuse_port: bool) -> i32 {
    let Some(address) = parse(&address, port) else { return -Errno::EINVAL.raw() };
    with(&ctx, number, |core, id| core.tcp_bind(id, address, TcpBind { ipv6_only, reuse_port }))
}

/// As `src/pipe_wrap.cc: PipeWrap::Bind`: a name that is too long is truncated.
fn bind_pipe<'js>(ctx: Ctx<'js>, number: u32, name: Text<'js>) -> i32 {
    with(&ctx, number, |core, id| core.pipe_bind(id, name.as_wtf8(), false))
}

fn connect_tcp<'js>(ctx: Ctx<'js>, number: u32, Utf8(address): Utf8, port: u16, object: Object<'js>) -> i32 {
    let Some(address) = parse(&address, port) else { return -Errno::EINVAL.raw() };
    let Some(id) = id_of(number) else { return -Errno::EBADF.raw() };
    let request = request(&ctx, number, Listed::new(Wrap::TcpConnect), object);
    let begun = state(&ctx).core().tcp_connect(id, address, request);
    begun.map_or_else(|refused| -refused.errno.raw(), |_| 0)
}

/// Truncates the name as `bind_pipe` does.
fn connect_pipe<'js>(ctx: Ctx<'js>, number: u32, name: Text<'js>, object: Object<'js>) -> i32 {
    let Some(id) = id_of(number) else { return -Errno::EBADF.raw() };
    let request = request(&ctx, number, Listed::new(Wrap::PipeConnect), object);
    let begun = state(&ctx).core().pipe_connect_checked(id, name.as_wtf8(), false, request);
    begun.map_or_else(|refused| -refused.errno.raw(), |_| 0)
}

fn set_keep_alive(ctx: Ctx<'_>, number: u32, enable: bool, idle_s: u32) -> i32 {
    // As `src/unix/tcp.c: uv__tcp_keepalive`: one probe per second, ten probes.
    let keepalive = enable.then_some(Keepalive { idle_s, interval_s: 1, count: 10 });
    with(&ctx, number, |core, id| core.tcp_keepalive(id, keepalive))
}

/// Closes the connection with a TCP reset.
fn reset(ctx: Ctx<'_>, number: u32) -> i32 {
    let status = with(&ctx, number, Loop::tcp_close_reset);
    if status == 0 {
        handles::forget(number);
    }
    status
}
