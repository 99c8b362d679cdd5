//! Poll handles: readiness of a descriptor of the program's.
//!
//! # Safety
//! The promises of `door` hold: handles are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use std::ffi::c_int;

use phasor_core::{Errno, HandleId, Readiness, Result};

use crate::door;
use crate::layout::*;

/// C's bits and the core's.
const BITS: [(c_int, Readiness); 4] = [
    (UV_READABLE, Readiness::READABLE),
    (UV_WRITABLE, Readiness::WRITABLE),
    (UV_DISCONNECT, Readiness::PEER_CLOSED),
    (UV_PRIORITIZED, Readiness::PRIORITIZED),
];

/// Initialises a handle for a descriptor, which is made nonblocking.
///
/// # Safety
/// `lp` is an initialised loop, `handle` has room for a poll handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_poll_init(lp: *mut uv_loop_t, handle: *mut uv_poll_t, fd: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let opened = door::open(lp, handle, UV_POLL, |core, face| core.poll_open(fd, face));
        if opened.is_ok() {
            (*handle).poll_cb = None;
            (*handle).io_watcher.fd = fd;
        }
        door::status(opened.map(|_| ()))
    }
}

/// As [`uv_poll_init`]: on Unix a socket is a descriptor.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_poll_init_socket(lp: *mut uv_loop_t, handle: *mut uv_poll_t, socket: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { uv_poll_init(lp, handle, socket) }
}

/// Starts to tell of readiness of these kinds; of none: stops.
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
    // SAFETY: the caller's promise.
    unsafe {
        let started = door::with_handle(handle, |core, id| core.poll_start(id, readiness));
        if started.is_ok() {
            door::show_active(handle, !readiness.is_empty());
            (*handle).poll_cb = poll_cb;
        }
        door::status(started)
    }
}

/// Stops telling.
///
/// # Safety
/// `handle` is an initialised poll handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_poll_stop(handle: *mut uv_poll_t) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        // As in libuv this cannot fail: one that is closed is stopped.
        let _ = door::with_handle(handle, |core, id| core.poll_stop(id));
        door::show_active(handle, false);
    }
    0
}

/// The descriptor is ready, or of no use.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_ready(lp: *mut uv_loop_t, id: HandleId, ready: Result<Readiness, Errno>) {
    // SAFETY: the head of this file.
    unsafe {
        let Some(handle) = door::face::<uv_poll_t>(lp, id) else { return };
        let (status, events) = match ready {
            Ok(ready) => {
                let bits = BITS.iter().filter(|(_, kind)| ready.intersects(*kind));
                (0, bits.fold(0, |all, (bit, _)| all | bit))
            }
            Err(errno) => {
                door::show_active(handle, false);
                (-errno.raw(), 0)
            }
        };
        if let Some(call) = (*handle).poll_cb {
            call(handle, status, events);
        }
    }
}
