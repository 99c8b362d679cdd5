//! Handles that watch a file or directory for changes.
//!
//! # Safety
//! The promises of `door` hold: handles are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::ptr;

use phasor_core::{FsChange, HandleId};

use crate::door;
use crate::layout::{uv_fs_event_t, uv_loop_t};

/// Something changed.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_fs_event(lp: *mut uv_loop_t, id: HandleId, change: &FsChange) {
    // Names of files have no NUL in them.
    let name = change.name.clone().and_then(|name| CString::new(name).ok());
    // SAFETY: the head of this file; the name lives until the call has returned.
    unsafe {
        let Some(handle) = door::face::<uv_fs_event_t>(lp, id) else { return };
        if let Some(call) = (*handle).cb {
            call(handle, name.as_ref().map_or(ptr::null(), |name| name.as_ptr()), change.kind, 0);
        }
    }
}
