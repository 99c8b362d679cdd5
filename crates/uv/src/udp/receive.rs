//! Receiving datagrams on a UDP handle.
//!
//! # Safety
//! The contract of `access` holds: handle pointers are live and of the declared type. `alloc_cb` returns a buffer of
//! `len` bytes, which this library may use until it passes the buffer to `recv_cb`.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::ptr;

use libc::ssize_t;
use phasor_core::{Address, Errno, HandleId, ReadBuf, Received, UDP_CHUNK_BYTES};

use crate::address::SockaddrBuf;
use crate::layout::*;
use crate::{access, bufs};

/// Starts receiving.
///
/// # Safety
/// `handle` is an initialised UDP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_recv_start(
    handle: *mut uv_udp_t,
    alloc_cb: uv_alloc_cb,
    recv_cb: uv_udp_recv_cb,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*handle).handle.type_ != UV_UDP || alloc_cb.is_none() || recv_cb.is_none() {
            return -Errno::EINVAL.raw();
        }
        let started = access::with_handle(handle, |core, id| core.udp_recv_start(id));
        if started.is_ok() {
            (*handle).alloc_cb = alloc_cb;
            (*handle).recv_cb = recv_cb;
        }
        super::sync_fields(handle);
        access::status(started)
    }
}

/// Stops receiving.
///
/// # Safety
/// `handle` is an initialised UDP handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_udp_recv_stop(handle: *mut uv_udp_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if (*handle).handle.type_ != UV_UDP {
            return -Errno::EINVAL.raw();
        }
        // `src/unix/udp.c: uv__udp_recv_stop` always returns 0. The error of the core is ignored: a closed handle does
        // not receive.
        let _ = access::with_handle(handle, |core, id| core.udp_recv_stop(id));
        (*handle).alloc_cb = None;
        (*handle).recv_cb = None;
        super::sync_fields(handle);
    }
    0
}

/// Calls `alloc_cb`, receives into the buffer that it returns, and passes the buffer to `recv_cb`. There may be no
/// datagram.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_datagram(lp: *mut uv_loop_t, id: HandleId) {
    // SAFETY: see the head of this file. A callback may close the handle, but its memory stays valid until the closing phase.
    unsafe {
        let Some(handle) = access::handle_of::<uv_udp_t>(lp, id) else { return };
        loop {
            receive(lp, id, handle);
            if !access::with(lp, |core| core.udp_offers_again(id)) {
                return;
            }
        }
    }
}

/// # Safety
/// See the head of this file.
unsafe fn receive(lp: *mut uv_loop_t, id: HandleId, handle: *mut uv_udp_t) {
    let mut buf = uv_buf_t { base: ptr::null_mut(), len: 0 };
    // SAFETY: see the head of this file.
    unsafe {
        if let Some(alloc_cb) = (*handle).alloc_cb {
            alloc_cb(handle.cast(), UDP_CHUNK_BYTES, &mut buf);
        }
        let read_buf = bufs::read_buf(buf.base.cast(), buf.len);
        if super::uv_udp_using_recvmmsg(handle) != 0 && !read_buf.is_empty() {
            return receive_many(lp, id, handle, buf, read_buf);
        }
        match access::with(lp, |core| core.udp_recv_into(id, read_buf)) {
            Err(errno) => call_recv_cb(handle, -errno.raw() as ssize_t, &buf, None, 0),
            Ok(received) => report(handle, received, &buf, 0),
        }
    }
}

/// Receives several datagrams like `src/unix/udp.c: uv__udp_recvmmsg`: each datagram gets a chunk of the buffer, and a
/// last callback returns the whole buffer.
///
/// # Safety
/// See the head of this file; `read_buf` is the memory of `buf`.
unsafe fn receive_many(lp: *mut uv_loop_t, id: HandleId, handle: *mut uv_udp_t, buf: uv_buf_t, read_buf: ReadBuf<'_>) {
    let mut received = Vec::new();
    // SAFETY: see the head of this file. The handle is valid until its close callback, which is not called here.
    unsafe {
        let got = access::with(lp, |core| core.udp_recv_batch_into(id, read_buf, &mut received));
        match got {
            Err(errno) => return call_recv_cb(handle, -errno.raw() as ssize_t, &buf, None, 0),
            Ok(0) => return call_recv_cb(handle, 0, &buf, None, 0),
            Ok(_) => {}
        }
        for (index, received) in received.into_iter().enumerate() {
            let chunk = uv_buf_t { base: buf.base.add(index * UDP_CHUNK_BYTES), len: UDP_CHUNK_BYTES };
            report(handle, received, &chunk, UV_UDP_MMSG_CHUNK);
        }
        call_recv_cb(handle, 0, &buf, None, UV_UDP_MMSG_FREE);
    }
}

/// # Safety
/// See the head of this file.
unsafe fn report(handle: *mut uv_udp_t, received: Received, buf: &uv_buf_t, flags: c_uint) {
    // SAFETY: see the head of this file.
    unsafe {
        match received {
            Received::Nothing => call_recv_cb(handle, 0, buf, None, flags),
            Received::Datagram(datagram) => {
                let partial = if datagram.truncated { UV_UDP_PARTIAL } else { 0 };
                call_recv_cb(handle, datagram.len as ssize_t, buf, datagram.sender.as_ref(), flags | partial);
            }
            Received::Failure { errno, offender, .. } => {
                call_recv_cb(handle, -errno.raw() as ssize_t, buf, offender.as_ref(), flags | UV_UDP_LINUX_RECVERR);
            }
        }
    }
}

/// Calls the receive callback, unless the program has stopped receiving.
///
/// # Safety
/// See the head of this file.
unsafe fn call_recv_cb(handle: *mut uv_udp_t, nread: ssize_t, buf: &uv_buf_t, from: Option<&Address>, flags: c_uint) {
    let mut sockaddr = SockaddrBuf::EMPTY;
    let from = from.map_or(ptr::null(), |from| sockaddr.write(from));
    // SAFETY: see the head of this file.
    unsafe {
        if let Some(call) = (*handle).recv_cb {
            call(handle, nread, buf, from, flags);
        }
    }
}
