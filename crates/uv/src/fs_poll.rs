//! Handles that look at a path again and again.
//!
//! # Safety
//! The promises of `door` hold: handles are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use phasor_core::{FsPollChange, HandleId};

use crate::door;
use crate::fs::stat_of;
use crate::layout::{uv_fs_poll_cb, uv_fs_poll_t, uv_loop_t, uv_stat_t};

/// The path is not as it was.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_fs_poll(lp: *mut uv_loop_t, id: HandleId, change: &FsPollChange) {
    let (status, current) = match &change.current {
        Ok(stat) => (0, stat_of(stat)),
        Err(errno) => (-errno.raw(), uv_stat_t::default()),
    };
    let previous = stat_of(&change.previous);
    // SAFETY: the head of this file; a start put the callback where it is read here.
    unsafe {
        let Some(handle) = door::face::<uv_fs_poll_t>(lp, id) else { return };
        let call = std::mem::transmute::<*mut std::ffi::c_void, uv_fs_poll_cb>((*handle).poll_ctx);
        if let Some(call) = call {
            call(handle, status, &previous, &current);
        }
    }
}
