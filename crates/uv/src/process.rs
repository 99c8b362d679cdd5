//! Child processes.
//!
//! # Safety
//! The promises of `door` hold: handles are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use phasor_core::{ExitStatus, HandleId};

use crate::door;
use crate::layout::{uv_loop_t, uv_process_t};

/// A child has ended.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_exit(lp: *mut uv_loop_t, id: HandleId, status: ExitStatus) {
    // SAFETY: the head of this file.
    unsafe {
        let Some(process) = door::face::<uv_process_t>(lp, id) else { return };
        door::show_active(process, false);
        if let Some(call) = (*process).exit_cb {
            call(process, status.code, status.signal);
        }
    }
}
