//! Poll handles: readiness of a descriptor that the program owns.
//!
//! # Safety
//! The contract of `access` holds: handle pointers are live and of the declared type.
#![allow(unsafe_code)]

use std::ffi::c_int;

use phasor_core::{Errno, HandleId, Readiness, Result};

use crate::access;
use crate::layout::*;

/// Pairs of libuv's event bits and the core's readiness bits.
const BITS: [(c_int, Readiness); 4] = [
    (UV_READABLE, Readiness::READABLE),
    (UV_WRITABLE, Readiness::WRITABLE),
    (UV_DISCONNECT, Readiness::PEER_CLOSED),
    (UV_PRIORITIZED, Readiness::PRIORITIZED),
];

/// Initialises a handle for a descriptor, and makes the descriptor nonblocking.
///
/// # Safety
/// `lp` is an initialised loop, `handle` points to memory for a poll handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_poll_init(lp: *mut uv_loop_t, handle: *mut uv_poll_t, fd: c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let opened = access::init_handle(lp, handle, UV_POLL, |core, face| core.poll_open(fd, face));
        if opened.is_ok() {
            (*handle).poll_cb = None;
            (*handle).io_watcher.fd = fd;
        }
        access::status(opened.map(|_| ()))
    }
}

/// Initialises a handle like [`uv_poll_init`]: on Unix a socket is a descriptor.
///
/// # Safety
/// The requirements of [`uv_poll_init`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_poll_init_socket(lp: *mut uv_loop_t, handle: *mut uv_poll_t, socket: c_int) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe { uv_poll_init(lp, handle, socket) }
}

/// Starts watching for the readiness in `events`. If `events` is 0, stops watching.
///
/// # Safety
/// `handle` is an initialised poll handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_poll_start(handle: *mut uv_poll_t, events: c_int, poll_cb: uv_poll_cb) -> c_int {
    let mut readiness = Readiness::from_bits(0);
    for (bit, kind) in BITS {
        if events & bit != 0 {
            readiness |= kind;
        }
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        let started = access::with_handle(handle, |core, id| core.poll_start(id, readiness));
        if started.is_ok() {
            access::set_active(handle, !readiness.is_empty());
            (*handle).poll_cb = poll_cb;
        }
        access::status(started)
    }
}

/// Stops watching.
///
/// # Safety
/// `handle` is an initialised poll handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_poll_stop(handle: *mut uv_poll_t) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        // `src/unix/poll.c: uv_poll_stop` always returns 0. The error of the core is ignored: a closed handle is already
        // stopped.
        let _ = access::with_handle(handle, |core, id| core.poll_stop(id));
        access::set_active(handle, false);
    }
    0
}

/// Calls the callback of a poll handle, with a readiness or an error.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_ready(lp: *mut uv_loop_t, id: HandleId, ready: Result<Readiness, Errno>) {
    // SAFETY: see the head of this file.
    unsafe {
        let Some(handle) = access::handle_of::<uv_poll_t>(lp, id) else { return };
        let (status, events) = match ready {
            Ok(ready) => {
                let bits = BITS.iter().filter(|(_, kind)| ready.intersects(*kind));
                (0, bits.fold(0, |all, (bit, _)| all | bit))
            }
            Err(errno) => {
                access::set_active(handle, false);
                (-errno.raw(), 0)
            }
        };
        if let Some(call) = (*handle).poll_cb {
            call(handle, status, events);
        }
    }
}
