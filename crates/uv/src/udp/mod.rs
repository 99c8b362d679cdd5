//! UDP handles: binding, connecting and sending. `options` has the socket options, `receive` has receiving.
//!
//! # Safety
//! The contract of `access` holds: pointers to handles and requests are live and of the declared type.
#![allow(unsafe_code)]

pub mod options;
pub mod receive;

use std::borrow::Cow;
use std::ffi::{c_int, c_uint};
use std::io::IoSlice;

use libc::sockaddr;
use phasor_core::{Address, Errno, Fd, Outgoing, Result, UDP_BATCH, UdpBind};

pub(crate) use self::receive::on_datagram;
use crate::front_end::Bufs;
use crate::layout::*;
use crate::{access, address, bufs, recording};

/// `UV_HANDLE_UDP_RECVMMSG` of `src/uv-common.h`: the handle receives several datagrams with one system call.
const RECVMMSG: c_uint = 0x0400_0000;

/// `UV_HANDLE_UDP_CONNECTED` of `src/uv-common.h`: the handle has the address of a peer.
const CONNECTED: c_uint = 0x0200_0000;

/// The flags that `uv_udp_bind` accepts.
const BIND_FLAGS: c_uint = UV_UDP_IPV6ONLY | UV_UDP_REUSEADDR | UV_UDP_REUSEPORT | UV_UDP_LINUX_RECVERR;

/// Initialises a handle. Its socket is created later.
///
/// # Safety
/// `lp` is an initialised loop, `handle` points to memory for a UDP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_init(lp: *mut uv_loop_t, handle: *mut uv_udp_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { uv_udp_init_ex(lp, handle, libc::AF_UNSPEC as c_uint) }
}

/// Initialises a handle, and creates its socket if `flags` contains an address family.
///
/// # Safety
/// The requirements of [`uv_udp_init`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_init_ex(lp: *mut uv_loop_t, handle: *mut uv_udp_t, flags: c_uint) -> c_int {
    let domain = match address::domain(flags & !UV_UDP_RECVMMSG) {
        Ok(domain) => domain,
        Err(errno) => return -errno.raw(),
    };
    // SAFETY: guaranteed by the caller.
    unsafe {
        let opened = access::init_handle(lp, handle, UV_UDP, |core, face| match domain {
            None => Ok(core.udp_open(face)),
            Some(domain) => core.udp_open_family(domain, face),
        });
        if opened.is_ok() {
            (*handle).alloc_cb = None;
            (*handle).recv_cb = None;
            (*handle).send_queue_size = 0;
            (*handle).send_queue_count = 0;
            if flags & UV_UDP_RECVMMSG != 0 {
                (*handle).handle.flags |= RECVMMSG;
            }
            sync_fields(handle);
        }
        access::status(opened.map(|_| ()))
    }
}

/// Updates the fields that programs read from the core. The core updates the fields of the send queue [through the
/// front end](crate::front_end::C).
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn sync_fields(handle: *mut uv_udp_t) {
    // SAFETY: see the head of this file.
    unsafe {
        let seen = access::with_handle(handle, |core, id| {
            Ok((core.udp_is_connected(id), core.is_active(id), core.fileno(id).unwrap_or(-1)))
        });
        let (connected, active, fd) = seen.unwrap_or((false, false, -1));
        (*handle).io_watcher.fd = fd;
        let rest = (*handle).handle.flags & !CONNECTED;
        (*handle).handle.flags = if connected { rest | CONNECTED } else { rest };
        access::set_active(handle, active);
    }
}

/// Updates the fields like [`sync_fields`], after the core has started to close the handle. The callbacks stay until
/// the close callback: if the program closes the handle while datagrams are reported, `recv_cb` still has to return the
/// buffer.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn sync_closing(handle: *mut uv_udp_t) {
    // SAFETY: see the head of this file.
    unsafe { (*handle).io_watcher.fd = -1 }
}

/// Removes the callbacks of a closed handle (`src/unix/udp.c: uv__udp_finish_close`).
///
/// # Safety
/// `handle` is a UDP handle whose close callback is about to be called.
pub(crate) unsafe fn release(handle: *mut uv_udp_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        (*handle).alloc_cb = None;
        (*handle).recv_cb = None;
    }
}

/// Whether several datagrams are received with one system call.
///
/// # Safety
/// `handle` is an initialised UDP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_using_recvmmsg(handle: *const uv_udp_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    c_int::from(unsafe { (*handle).handle.flags } & RECVMMSG != 0)
}

/// Adopts a socket and makes it nonblocking.
///
/// # Safety
/// `handle` is an initialised UDP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_open(handle: *mut uv_udp_t, sock: uv_os_sock_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { uv_udp_open_ex(handle, sock, 0) }
}

/// Adopts a socket like [`uv_udp_open`], with the flags of [`uv_udp_bind`].
///
/// # Safety
/// The requirements of [`uv_udp_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_open_ex(handle: *mut uv_udp_t, sock: uv_os_sock_t, flags: c_uint) -> c_int {
    if flags & !BIND_FLAGS != 0 {
        return -Errno::EINVAL.raw();
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*handle).io_watcher.fd != -1 {
            return -Errno::EBUSY.raw();
        }
        let adopted = access::with_handle(handle, |core, id| {
            let socket = Fd::adopt(sock)?;
            core.udp_adopt(id, socket, bind_options(flags)).map_err(|(errno, socket)| {
                socket.release();
                errno
            })
        });
        sync_fields(handle);
        access::status(adopted)
    }
}

fn bind_options(flags: c_uint) -> UdpBind {
    UdpBind {
        ipv6_only: flags & UV_UDP_IPV6ONLY != 0,
        reuse_address: flags & UV_UDP_REUSEADDR != 0,
        reuse_port: flags & UV_UDP_REUSEPORT != 0,
        receive_errors: flags & UV_UDP_LINUX_RECVERR != 0,
    }
}

/// Binds to an address.
///
/// # Safety
/// `handle` is an initialised UDP handle, `addr` an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_bind(handle: *mut uv_udp_t, addr: *const sockaddr, flags: c_uint) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*handle).handle.type_ != UV_UDP || flags & !BIND_FLAGS != 0 {
            return -Errno::EINVAL.raw();
        }
        let bound = access::with_handle(handle, |core, id| {
            core.udp_bind(id, &Address::from(address::read_inet(addr)?), bind_options(flags))
        });
        sync_fields(handle);
        recording::describe(handle);
        access::status(bound)
    }
}

/// Sets the address of the peer; NULL removes it.
///
/// # Safety
/// `handle` is an initialised UDP handle, `addr` an address or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_connect(handle: *mut uv_udp_t, addr: *const sockaddr) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*handle).handle.type_ != UV_UDP {
            return -Errno::EINVAL.raw();
        }
        let connected = access::with_handle(handle, |core, id| {
            let to = if addr.is_null() { None } else { Some(Address::from(address::read_inet(addr)?)) };
            core.udp_connect(id, to.as_ref())
        });
        sync_fields(handle);
        recording::describe(handle);
        access::status(connected)
    }
}

/// Sends a datagram.
///
/// # Safety
/// `handle` is an initialised UDP handle, `bufs` has `nbufs` elements, `addr` is an address or NULL. `req` points to memory for a
/// request; it and the buffers stay valid until `send_cb` is called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_send(
    req: *mut uv_udp_send_t,
    handle: *mut uv_udp_t,
    bufs: *const uv_buf_t,
    nbufs: c_uint,
    addr: *const sockaddr,
    send_cb: uv_udp_send_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller; the array is copied into the request, because the program's array need not
    // outlive the call.
    unsafe {
        let to = destination(handle, addr).and_then(|to| bufs::check_count(nbufs).and(Ok(to)));
        let (face, to) = match to.and_then(|to| Ok((access::init_request(req, UV_UDP_SEND)?, to))) {
            Ok(both) => both,
            Err(errno) => return -errno.raw(),
        };
        let list = bufs::store((&raw mut (*req).bufsml).cast(), bufs, nbufs as usize);
        if list.is_null() {
            return -Errno::ENOMEM.raw();
        }
        (*req).handle = handle;
        (*req).send_cb = send_cb;
        (*req).status = 0;
        (*req).bufs = list;
        (*req).nbufs = nbufs;
        let started =
            access::with_handle(handle, |core, id| Ok(core.udp_send(id, Bufs::new(list, nbufs as usize), to, face)?));
        if (*handle).io_watcher.fd == -1 {
            // `send` may have created the socket.
            sync_fields(handle);
        }
        match started {
            Ok(id) => {
                access::set_request_id(req, id);
                access::set_active(handle, true);
                0
            }
            Err(errno) => {
                bufs::free((&raw mut (*req).bufsml).cast(), &raw mut (*req).bufs);
                -errno.raw()
            }
        }
    }
}

/// The destination of a datagram. Like `src/uv-common.c: uv__udp_check_before_send`, the function first checks whether
/// an address is allowed or required, and only then reads the address.
///
/// # Safety
/// `handle` is an initialised handle, `addr` an address or NULL.
unsafe fn destination(handle: *const uv_udp_t, addr: *const sockaddr) -> Result<Option<Address>> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*handle).handle.type_ != UV_UDP {
            return Err(Errno::EINVAL);
        }
        match (addr.is_null(), (*handle).handle.flags & CONNECTED != 0) {
            (true, true) => Ok(None),
            (true, false) => Err(Errno::EDESTADDRREQ),
            (false, true) => Err(Errno::EISCONN),
            (false, false) => read_address(addr),
        }
    }
}

/// # Safety
/// `addr` is an address or NULL.
unsafe fn read_address(addr: *const sockaddr) -> Result<Option<Address>> {
    // SAFETY: guaranteed by the caller.
    if addr.is_null() { Ok(None) } else { unsafe { address::read(addr) }.map(Some) }
}

/// Calls the callback of a send request.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_send(request: *mut uv_udp_send_t, result: Result<()>) {
    // SAFETY: see the head of this file.
    unsafe {
        bufs::free((&raw mut (*request).bufsml).cast(), &raw mut (*request).bufs);
        if let Some(call) = (*request).send_cb {
            call(request, access::status(result));
        }
    }
}

/// Sends a datagram if that is possible without waiting. Returns its length.
///
/// # Safety
/// `handle` is an initialised UDP handle, `bufs` has `nbufs` elements, `addr` is an address or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_try_send(
    handle: *mut uv_udp_t,
    bufs: *const uv_buf_t,
    nbufs: c_uint,
    addr: *const sockaddr,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    let sent = unsafe {
        let to = destination(handle, addr).and_then(|to| bufs::check_count(nbufs).and(Ok(to)));
        let sent = to.and_then(|to| {
            access::with_handle(handle, |core, id| {
                core.udp_try_send(id, &bufs::slices(bufs, nbufs as usize), to.as_ref())
            })
        });
        if (*handle).io_watcher.fd == -1 {
            // `try_send` may have created the socket.
            sync_fields(handle);
        }
        sent
    };
    match sent {
        Ok(count) => count as c_int,
        Err(errno) => -errno.raw(),
    }
}

/// Sends datagrams in order without waiting, until one fails. Returns how many were sent.
///
/// libuv skips datagrams of a long batch after one in its middle has failed (`src/unix/udp.c: uv__udp_sendmsgv`); here no datagram
/// is sent after one that failed.
///
/// # Safety
/// `handle` is an initialised UDP handle; `bufs`, `nbufs` and `addrs` have `count` elements, which meet the
/// requirements of [`uv_udp_try_send`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_try_send2(
    handle: *mut uv_udp_t,
    count: c_uint,
    bufs: *mut *mut uv_buf_t,
    nbufs: *mut c_uint,
    addrs: *mut *mut sockaddr,
    flags: c_uint,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*handle).handle.type_ != UV_UDP || count < 1 || flags != 0 {
            return -Errno::EINVAL.raw();
        }
        let (mut sent, count) = (0, (count as usize).min(c_int::MAX as usize));
        // Datagrams are sent in batches: the program chooses `count`, and there may not be memory for all of them at
        // once.
        while sent < count {
            let (many, first) = ((count - sent).min(UDP_BATCH), sent);
            match try_send_some(handle, many, bufs.add(first), nbufs.add(first), addrs.add(first)) {
                Ok(some) => sent += some,
                Err(errno) if sent == 0 => return -errno.raw(),
                Err(_) => break,
            }
            if sent < first + many {
                break;
            }
        }
        sent as c_int
    }
}

/// # Safety
/// The requirements of [`uv_udp_try_send2`].
unsafe fn try_send_some(
    handle: *mut uv_udp_t,
    count: usize,
    bufs: *mut *mut uv_buf_t,
    nbufs: *mut c_uint,
    addrs: *mut *mut sockaddr,
) -> Result<usize> {
    let mut parts: Vec<(Cow<'_, [IoSlice<'_>]>, Option<Address>)> = Vec::with_capacity(count);
    // SAFETY: guaranteed by the caller.
    unsafe {
        for index in 0..count {
            bufs::check_count(*nbufs.add(index))?;
            let slices = bufs::slices(*bufs.add(index), *nbufs.add(index) as usize);
            if slices.is_empty() {
                return Err(Errno::EINVAL);
            }
            parts.push((slices, read_address(*addrs.add(index))?));
        }
        let datagrams: Vec<Outgoing<'_>> =
            parts.iter().map(|(slices, to)| Outgoing { slices, to: to.as_ref() }).collect();
        access::with_handle(handle, |core, id| core.udp_try_send_batch(id, &datagrams))
    }
}

/// The number of bytes in send requests whose callback was not called yet.
///
/// # Safety
/// `handle` is an initialised UDP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_get_send_queue_size(handle: *const uv_udp_t) -> usize {
    // SAFETY: guaranteed by the caller.
    unsafe { (*handle).send_queue_size }
}

/// The number of send requests whose callback was not called yet.
///
/// # Safety
/// `handle` is an initialised UDP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_get_send_queue_count(handle: *const uv_udp_t) -> usize {
    // SAFETY: guaranteed by the caller.
    unsafe { (*handle).send_queue_count }
}
