//! UDP handles.
//!
//! # Safety
//! The promises of `door` hold: handles and requests are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use phasor_core::{HandleId, Result};

use crate::door;
use crate::layout::{uv_loop_t, uv_udp_send_t, uv_udp_t};

/// A datagram waits, perhaps: the program brings a buffer.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_datagram(lp: *mut uv_loop_t, id: HandleId) {
    // SAFETY: the head of this file.
    unsafe {
        let Some(udp) = door::face::<uv_udp_t>(lp, id) else { return };
        let _ = (*udp).recv_cb;
    }
}

/// A datagram was sent, or not.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_send(request: *mut uv_udp_send_t, result: Result<()>) {
    // SAFETY: the head of this file.
    unsafe {
        if let Some(call) = (*request).send_cb {
            call(request, door::status(result));
        }
    }
}
