//! Random bytes.
//!
//! # Safety
//! The promises of `door` hold: requests are the program's, alive, and of the kind that is said.
#![allow(unsafe_code)]

use phasor_core::Result;

use crate::door;
use crate::layout::uv_random_t;

/// The bytes are there, or not.
///
/// # Safety
/// The head of this file.
pub(crate) unsafe fn on_random(request: *mut uv_random_t, result: Result<()>) {
    // SAFETY: the head of this file.
    unsafe {
        (*request).status = door::status(result);
        if let Some(call) = (*request).cb {
            call(request, (*request).status, (*request).buf, (*request).buflen);
        }
    }
}
