//! TCP handles.
//!
//! # Safety
//! The promises of `door` hold: handles and requests are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use libc::sockaddr;
use phasor_core::{Errno, Fd, Keepalive, TcpBind};

use crate::layout::{
    UV_TCP, UV_TCP_IPV6ONLY, UV_TCP_REUSEPORT, flag, uv_close_cb, uv_connect_cb, uv_connect_t, uv_loop_t, uv_os_sock_t,
    uv_tcp_t,
};
use crate::{address, door, stream};

/// Initialises a handle, which gets its socket later.
///
/// # Safety
/// `lp` is an initialised loop, `handle` has room for a tcp handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_init(lp: *mut uv_loop_t, handle: *mut uv_tcp_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { uv_tcp_init_ex(lp, handle, libc::AF_UNSPEC as c_uint) }
}

/// Initialises a handle, with a socket if `flags` names a family.
///
/// # Safety
/// As [`uv_tcp_init`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_init_ex(lp: *mut uv_loop_t, handle: *mut uv_tcp_t, flags: c_uint) -> c_int {
    let domain = match address::domain(flags) {
        Ok(domain) => domain,
        Err(errno) => return -errno.raw(),
    };
    // SAFETY: the caller's promise.
    unsafe {
        stream::open(lp, handle.cast(), UV_TCP, |core, face| match domain {
            None => Ok(core.tcp_open(face)),
            Some(domain) => core.tcp_open_family(domain, face),
        })
    }
}

/// Takes over a socket, which is made nonblocking.
///
/// # Safety
/// `handle` is an initialised tcp handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_open(handle: *mut uv_tcp_t, sock: uv_os_sock_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let adopted = door::with_handle(handle, |core, id| {
            let socket = Fd::adopt(sock)?;
            core.tcp_adopt(id, socket).map_err(|(errno, socket)| {
                socket.release();
                errno
            })
        });
        stream::show(handle.cast());
        door::status(adopted)
    }
}

/// Binds to an address. One that is in use is told later.
///
/// # Safety
/// `handle` is an initialised tcp handle, `addr` an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_bind(handle: *mut uv_tcp_t, addr: *const sockaddr, flags: c_uint) -> c_int {
    let how = TcpBind { ipv6_only: flags & UV_TCP_IPV6ONLY != 0, reuse_port: flags & UV_TCP_REUSEPORT != 0 };
    // SAFETY: the caller's promise.
    unsafe {
        if stream::is_not(handle.cast(), UV_TCP) || (*handle).stream.handle.flags & flag::CLOSING != 0 {
            return -Errno::EINVAL.raw();
        }
        let bound = door::with_handle(handle, |core, id| core.tcp_bind(id, address::read_inet(addr)?, how));
        stream::show(handle.cast());
        door::status(bound)
    }
}

/// Connects.
///
/// # Safety
/// `handle` is an initialised tcp handle, `addr` an address; `req` has room for a request, which stays until `cb`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_connect(
    req: *mut uv_connect_t,
    handle: *mut uv_tcp_t,
    addr: *const sockaddr,
    cb: uv_connect_cb,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        if stream::is_not(handle.cast(), UV_TCP) {
            return -Errno::EINVAL.raw();
        }
        let to = match address::read_inet(addr) {
            Ok(to) => to,
            Err(errno) => return -errno.raw(),
        };
        stream::connect(req, handle.cast(), cb, |core, id, face| Ok(core.tcp_connect(id, to, face)?))
    }
}

/// The handle's own address.
///
/// # Safety
/// `handle` is an initialised tcp handle, `name` has room for `*namelen` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_getsockname(
    handle: *const uv_tcp_t,
    name: *mut sockaddr,
    namelen: *mut c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let local = door::with_handle(handle, |core, id| core.tcp_local_name(id));
        address::give(local, name, namelen)
    }
}

/// The other end's address.
///
/// # Safety
/// `handle` is an initialised tcp handle, `name` has room for `*namelen` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_getpeername(
    handle: *const uv_tcp_t,
    name: *mut sockaddr,
    namelen: *mut c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let peer = door::with_handle(handle, |core, id| core.tcp_peer_name(id));
        address::give(peer, name, namelen)
    }
}

/// Sends small pieces at once, or collects them.
///
/// # Safety
/// `handle` is an initialised tcp handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_nodelay(handle: *mut uv_tcp_t, enable: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        // As libuv: there is no socket any more to set it on, which is no error.
        if (*handle).stream.handle.flags & flag::CLOSING != 0 {
            return 0;
        }
        door::status(door::with_handle(handle, |core, id| core.tcp_nodelay(id, enable != 0)))
    }
}

/// Asks a silent peer, first after `delay` seconds, whether it is still there.
///
/// # Safety
/// `handle` is an initialised tcp handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_keepalive(handle: *mut uv_tcp_t, on: c_int, delay: c_uint) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { uv_tcp_keepalive_ex(handle, on, delay, 1, 10) }
}

/// As [`uv_tcp_keepalive`], then every `intvl` seconds, `cnt` times.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_keepalive_ex(
    handle: *mut uv_tcp_t,
    on: c_int,
    idle: c_uint,
    intvl: c_uint,
    cnt: c_uint,
) -> c_int {
    let keepalive = (on != 0).then_some(Keepalive { idle_s: idle, interval_s: intvl, count: cnt });
    // SAFETY: the caller's promise.
    door::status(unsafe { door::with_handle(handle, |core, id| core.tcp_keepalive(id, keepalive)) })
}

/// Matters to Windows alone.
///
/// # Safety
/// None is needed.
#[unsafe(no_mangle)]
pub extern "C" fn uv_tcp_simultaneous_accepts(_handle: *mut uv_tcp_t, _enable: c_int) -> c_int {
    0
}

/// Closes the handle and resets its connection.
///
/// # Safety
/// `handle` is an initialised tcp handle that is not closing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_tcp_close_reset(handle: *mut uv_tcp_t, close_cb: uv_close_cb) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let closed = door::with_handle(handle, |core, id| core.tcp_close_reset(id));
        if closed.is_ok() {
            (*handle).stream.handle.close_cb = close_cb;
            stream::show_closing(handle.cast());
        }
        door::status(closed)
    }
}
