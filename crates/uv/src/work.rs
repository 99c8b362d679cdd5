//! `uv_queue_work`: runs functions of the program on the pool.
//!
//! # Safety
//! The contract of `access` holds: request pointers are live and of the declared type. The program guarantees that its work callback may
//! run on another thread.
#![allow(unsafe_code)]

use std::ffi::c_int;

use phasor_core::{Errno, WorkFailure};

use crate::layout::{UV_WORK, uv_after_work_cb, uv_loop_t, uv_work_cb, uv_work_t};
use crate::{access, recording};

/// Calls `work_cb` on a thread of the pool, then `after_work_cb` on the loop's thread. `EINVAL` if `work_cb` is NULL.
///
/// # Safety
/// `lp` is an initialised loop of this thread. `req` points to memory for a request, valid until `after_work_cb`. `work_cb` may be
/// called on any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_queue_work(
    lp: *mut uv_loop_t,
    req: *mut uv_work_t,
    work_cb: uv_work_cb,
    after_work_cb: uv_after_work_cb,
) -> c_int {
    let Some(work) = work_cb else { return -Errno::EINVAL.raw() };
    // SAFETY: guaranteed by the caller.
    unsafe {
        let face = match access::init_request(req, UV_WORK) {
            Ok(face) => face,
            Err(errno) => return -errno.raw(),
        };
        (*req).loop_ = lp;
        (*req).work_cb = work_cb;
        (*req).after_work_cb = after_work_cb;
        let id = access::with(lp, |core| core.work(move || work(face.cast()), face));
        access::set_request_id(req, id);
        recording::describe_task(lp, req, std::ptr::null());
    }
    0
}

/// Calls `after_work_cb` when the work is done or cancelled.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn on_work(request: *mut uv_work_t, result: Result<(), WorkFailure>) {
    // SAFETY: see the head of this file.
    unsafe {
        if let Some(call) = (*request).after_work_cb {
            call(request, access::status(result.map_err(|failure| failure.errno())));
        }
    }
}
