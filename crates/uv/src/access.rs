//! Access to the core: the only way from a C pointer to the `Loop`, a handle id or a request id.
//!
//! Access to the core. Only this module leads from a C pointer to the `Loop`, a handle id or a request id.
//! - A borrow of the core lives inside one call of `with` and never over a callback. The closure passed to it must not call the
//!   program; what a callback needs is copied out first.
//! - Programs read and write some fields of `uv_loop_t` (`active_handles`, `active_reqs`, `stop_flag`). `with` imports the changes
//!   of the program before the operation, and updates the fields after it.
//!
//! # Safety
//! Every function trusts the program as libuv does: a loop is initialised and not closed; a handle was initialised on
//! the loop that it names, and its close callback has not returned; each object is used only on the thread of its loop.
//! While its memory is still valid, a closed handle is recognised, because the core refuses its id.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use phasor_core::{Errno, HandleId, Loop, Remote, RequestId, Result};

use crate::attach::{self, Attached};
use crate::front_end::{C, Handle, Request};
use crate::layout::{flag, uv_handle_t, uv_handle_type, uv_loop_t, uv_req_t, uv_req_type};
use crate::recording::{self, LoopRecording};

/// The state behind `uv_loop_t.internal_fields`.
pub struct LoopState {
    /// The loop of the core.
    pub(crate) core: Loop<C>,
    /// For `uv_metrics_idle_time`, which other threads may call while the core is in use.
    pub(crate) remote: Remote,
    /// The last value written to `active_handles`. If the field differs, the program has changed it.
    published_handles: c_uint,
    /// The data for tools, if they may attach to this process.
    pub(crate) attached: Option<Box<Attached>>,
    /// The recording of the loop, while there is one.
    pub(crate) recording: Option<Box<LoopRecording>>,
}

impl LoopState {
    pub(crate) fn new(mut core: Loop<C>) -> Box<LoopState> {
        let mut recording = recording::begin(&mut core);
        let attached = attach::attach(&mut core, &mut recording);
        Box::new(LoopState { remote: core.remote(), core, published_handles: 0, attached, recording })
    }
}

/// Returns the state behind `uv_loop_t.internal_fields`.
///
/// # Safety
/// See the head of this file.
#[inline]
pub(crate) unsafe fn state(lp: *const uv_loop_t) -> *mut LoopState {
    // SAFETY: guaranteed by the caller.
    unsafe { (*lp).internal_fields.cast() }
}

/// True until `uv_loop_close`. libuv allows `uv_run` and some other functions on a closed loop and treats it as empty; the
/// functions that programs call so check this first.
///
/// # Safety
/// See the head of this file, except that the loop may be closed.
#[inline]
pub(crate) unsafe fn is_open(lp: *const uv_loop_t) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { !(*lp).internal_fields.is_null() }
}

/// Borrows the core of a loop for one operation. `operate` must not call the program.
///
/// # Safety
/// See the head of this file.
#[inline]
pub(crate) unsafe fn with<R>(lp: *mut uv_loop_t, operate: impl FnOnce(&mut Loop<C>) -> R) -> R {
    // SAFETY: the loop's struct and its state are two objects. There is no other borrow of the core, since none lives over a
    // callback and no other thread uses this loop. Only single fields are borrowed: another thread may use `remote` meanwhile.
    unsafe {
        let state = state(lp);
        let core = &mut (*state).core;
        let seen = (*lp).active_handles;
        if seen != (*state).published_handles {
            core.count_handles(seen.wrapping_sub((*state).published_handles) as i32 as isize);
        }
        if (*lp).stop_flag.load(Ordering::Relaxed) != 0 {
            core.stop();
        }
        let result = operate(core);
        (*state).published_handles = core.active_handles() as c_uint;
        (*lp).active_handles = (*state).published_handles;
        (*lp).active_reqs = core.active_requests() as c_uint;
        result
    }
}

/// Executes the requests of attached tools for a loop.
///
/// # Safety
/// See the head of this file.
pub(crate) unsafe fn serve_tools(lp: *mut uv_loop_t) {
    // SAFETY: guaranteed by the caller. The three fields are borrowed separately, and no callback runs.
    unsafe {
        let state = state(lp);
        if let Some(attached) = &mut (*state).attached {
            let recording = &mut (*state).recording;
            with(lp, |core| attached.serve(core, recording));
        }
    }
}

/// Borrows the core like [`with`], for an operation on one handle.
///
/// # Safety
/// See the head of this file.
#[inline]
pub(crate) unsafe fn with_handle<T, R>(
    handle: *const T,
    operate: impl FnOnce(&mut Loop<C>, HandleId) -> Result<R>,
) -> Result<R> {
    let handle = handle.cast::<uv_handle_t>();
    // SAFETY: guaranteed by the caller; every handle type begins with a `uv_handle_t`.
    unsafe {
        let id = handle_id(handle)?;
        with((*handle).loop_, |core| operate(core, id))
    }
}

/// The id of a handle in the core. `EBADF` if the handle never had an id.
///
/// # Safety
/// See the head of this file.
#[inline]
pub(crate) unsafe fn handle_id<T>(handle: *const T) -> Result<HandleId> {
    // SAFETY: guaranteed by the caller; every handle type begins with a `uv_handle_t`.
    HandleId::from_bits(unsafe { (*handle.cast::<uv_handle_t>()).id }).ok_or(Errno::EBADF)
}

/// The handle of an event. `None` if it was closed in the meantime.
///
/// # Safety
/// See the head of this file.
#[inline]
pub(crate) unsafe fn handle_of<T>(lp: *mut uv_loop_t, id: HandleId) -> Option<*mut T> {
    // SAFETY: guaranteed by the caller. The borrow ends on this line.
    unsafe { (*state(lp)).core.face(id) }.map(|handle| handle.cast())
}

/// Opens a handle: `open` registers it in the core, then its struct is filled as in `src/uv-common.h: uv__handle_init`.
///
/// # Safety
/// See the head of this file; `handle` points to memory for its type, which may be uninitialised.
#[inline]
pub(crate) unsafe fn init_handle<T>(
    lp: *mut uv_loop_t,
    handle: *mut T,
    kind: uv_handle_type,
    open: impl FnOnce(&mut Loop<C>, Handle) -> Result<HandleId>,
) -> Result<HandleId> {
    let handle = handle.cast::<uv_handle_t>();
    // SAFETY: guaranteed by the caller; only single fields are written, and `data` keeps its value.
    unsafe {
        let face = Handle(NonNull::new(handle).ok_or(Errno::EINVAL)?);
        let id = with(lp, |core| open(core, face))?;
        (*handle).loop_ = lp;
        (*handle).type_ = kind;
        (*handle).flags = flag::REF;
        (*handle).next_closing = 0;
        (*handle).id = id.to_bits();
        Ok(id)
    }
}

/// Sets or clears the active bit in the handle's `flags`.
///
/// # Safety
/// See the head of this file.
#[inline]
pub(crate) unsafe fn set_active<T>(handle: *mut T, active: bool) {
    let handle = handle.cast::<uv_handle_t>();
    // SAFETY: guaranteed by the caller.
    unsafe {
        let rest = (*handle).flags & !flag::ACTIVE;
        (*handle).flags = if active { rest | flag::ACTIVE } else { rest };
    }
}

/// Initialises a request: its type, and no id until [`set_request_id`] sets it.
///
/// # Safety
/// `request` points to memory for its type, which may be uninitialised.
#[inline]
pub(crate) unsafe fn init_request<T>(request: *mut T, kind: uv_req_type) -> Result<Request> {
    let request = request.cast::<uv_req_t>();
    let face = Request(NonNull::new(request).ok_or(Errno::EINVAL)?);
    // SAFETY: guaranteed by the caller; every request type begins with a `uv_req_t`.
    unsafe {
        (*request).type_ = kind;
        (*request).id = 0;
    }
    Ok(face)
}

/// Stores the id of a request in the core.
///
/// # Safety
/// [`init_request`] was called for `request`, and its callback has not been called.
#[inline]
pub(crate) unsafe fn set_request_id<T>(request: *mut T, id: RequestId) {
    // SAFETY: guaranteed by the caller; every request type begins with a `uv_req_t`.
    unsafe { (*request.cast::<uv_req_t>()).id = id.to_bits() }
}

/// Converts a result without a value to a return value of libuv: 0, or the negated errno.
#[inline]
pub(crate) fn status(result: Result<()>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(errno) => -errno.raw(),
    }
}
