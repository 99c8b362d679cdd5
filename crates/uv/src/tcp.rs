//! TCP handles.
//!
//! # Safety
//! The contract of `access` holds: pointers to handles and requests are live and of the declared type.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use libc::sockaddr;
use phasor_core::{Errno, Fd, Keepalive, TcpBind};

use crate::layout::{
    UV_TCP, UV_TCP_IPV6ONLY, UV_TCP_REUSEPORT, flag, uv_close_cb, uv_connect_cb, uv_connect_t, uv_loop_t, uv_os_sock_t,
    uv_tcp_t,
};
use crate::{access, address, stream};

/// Initialises a handle. Its socket is created later.
///
/// # Safety
/// `lp` is an initialised loop, `handle` points to memory for a TCP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_init(lp: *mut uv_loop_t, handle: *mut uv_tcp_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { uv_tcp_init_ex(lp, handle, libc::AF_UNSPEC as c_uint) }
}

/// Initialises a handle, and creates its socket if `flags` contains an address family.
///
/// # Safety
/// The requirements of [`uv_tcp_init`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_init_ex(lp: *mut uv_loop_t, handle: *mut uv_tcp_t, flags: c_uint) -> c_int {
    let domain = match address::domain(flags) {
        Ok(domain) => domain,
        Err(errno) => return -errno.raw(),
    };
    // SAFETY: guaranteed by the caller.
    unsafe {
        stream::open(lp, handle.cast(), UV_TCP, |core, face| match domain {
            None => Ok(core.tcp_open(face)),
            Some(domain) => core.tcp_open_family(domain, face),
        })
    }
}

/// Adopts a socket and makes it nonblocking.
///
/// # Safety
/// `handle` is an initialised TCP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_open(handle: *mut uv_tcp_t, sock: uv_os_sock_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let adopted = access::with_handle(handle, |core, id| {
            let socket = Fd::adopt(sock)?;
            core.tcp_adopt(id, socket).map_err(|(errno, socket)| {
                socket.release();
                errno
            })
        });
        stream::sync_fields(handle.cast());
        access::status(adopted)
    }
}

/// Binds to an address. `EADDRINUSE` is reported by `uv_listen` or `uv_tcp_connect` (`src/unix/tcp.c: uv__tcp_bind`).
///
/// # Safety
/// `handle` is an initialised TCP handle, `addr` an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_bind(handle: *mut uv_tcp_t, addr: *const sockaddr, flags: c_uint) -> c_int {
    let how = TcpBind { ipv6_only: flags & UV_TCP_IPV6ONLY != 0, reuse_port: flags & UV_TCP_REUSEPORT != 0 };
    // SAFETY: guaranteed by the caller.
    unsafe {
        if stream::has_other_type(handle.cast(), UV_TCP) || (*handle).stream.handle.flags & flag::CLOSING != 0 {
            return -Errno::EINVAL.raw();
        }
        let bound = access::with_handle(handle, |core, id| core.tcp_bind(id, address::read_inet(addr)?, how));
        stream::sync_fields(handle.cast());
        access::status(bound)
    }
}

/// Connects to an address.
///
/// # Safety
/// `handle` is an initialised TCP handle, `addr` an address; `req` points to memory for a request, valid until `cb` is called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_connect(
    req: *mut uv_connect_t,
    handle: *mut uv_tcp_t,
    addr: *const sockaddr,
    cb: uv_connect_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if stream::has_other_type(handle.cast(), UV_TCP) {
            return -Errno::EINVAL.raw();
        }
        let to = match address::read_inet(addr) {
            Ok(to) => to,
            Err(errno) => return -errno.raw(),
        };
        stream::connect(req, handle.cast(), cb, |core, id, face| Ok(core.tcp_connect(id, to, face)?))
    }
}

/// The local address.
///
/// # Safety
/// `handle` is an initialised TCP handle, `name` has `*namelen` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_getsockname(
    handle: *const uv_tcp_t,
    name: *mut sockaddr,
    namelen: *mut c_int,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let local = access::with_handle(handle, |core, id| core.tcp_local_name(id));
        address::write_sockaddr(local, name, namelen)
    }
}

/// The address of the peer.
///
/// # Safety
/// `handle` is an initialised TCP handle, `name` has `*namelen` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_getpeername(
    handle: *const uv_tcp_t,
    name: *mut sockaddr,
    namelen: *mut c_int,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let peer = access::with_handle(handle, |core, id| core.tcp_peer_name(id));
        address::write_sockaddr(peer, name, namelen)
    }
}

/// Sets `TCP_NODELAY`, which disables Nagle's algorithm.
///
/// # Safety
/// `handle` is an initialised TCP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_nodelay(handle: *mut uv_tcp_t, enable: c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // In libuv, a closing handle has no socket, which is not an error (`src/unix/tcp.c: uv_tcp_nodelay`).
        if (*handle).stream.handle.flags & flag::CLOSING != 0 {
            return 0;
        }
        access::status(access::with_handle(handle, |core, id| core.tcp_nodelay(id, enable != 0)))
    }
}

/// Enables TCP keepalive with a first probe after `delay` idle seconds, then one per second, up to 10.
///
/// # Safety
/// `handle` is an initialised TCP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_keepalive(handle: *mut uv_tcp_t, on: c_int, delay: c_uint) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { uv_tcp_keepalive_ex(handle, on, delay, 1, 10) }
}

/// Enables TCP keepalive like [`uv_tcp_keepalive`], with a probe every `intvl` seconds, `cnt` times.
///
/// # Safety
/// The requirements of [`uv_tcp_keepalive`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_keepalive_ex(
    handle: *mut uv_tcp_t,
    on: c_int,
    idle: c_uint,
    intvl: c_uint,
    cnt: c_uint,
) -> c_int {
    let keepalive = (on != 0).then_some(Keepalive { idle_s: idle, interval_s: intvl, count: cnt });
    // SAFETY: guaranteed by the caller.
    access::status(unsafe { access::with_handle(handle, |core, id| core.tcp_keepalive(id, keepalive)) })
}

/// Does nothing: this function only has an effect on Windows.
///
/// # Safety
/// Always safe to call.
#[unsafe(no_mangle)]
pub extern "C" fn uv_tcp_simultaneous_accepts(_handle: *mut uv_tcp_t, _enable: c_int) -> c_int {
    0
}

/// Closes the handle, and resets the connection by sending RST.
///
/// # Safety
/// `handle` is an initialised TCP handle that is not closing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_close_reset(handle: *mut uv_tcp_t, close_cb: uv_close_cb) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let closed = access::with_handle(handle, |core, id| core.tcp_close_reset(id));
        if closed.is_ok() {
            (*handle).stream.handle.close_cb = close_cb;
            stream::sync_closing(handle.cast());
        }
        access::status(closed)
    }
}
