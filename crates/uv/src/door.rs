//! The door: the only way from a C pointer to the core.
//!
//! # Ground rules
//! - A borrow of the core lives inside one call of `with` and never over a callback: the closure given to it must not
//!   call the program. What a callback needs is copied out first.
//! - What clients look at in the loop's own struct is true whenever they can look: `with` takes in what they changed and
//!   puts out what is changed since.
//!
//! # Safety
//! Every function here trusts the program as libuv does: a loop was initialised and not closed, a handle was initialised
//! on the loop it names and its close callback has not returned, and each is used on its loop's thread alone. A handle
//! that is closed is recognised (the core refuses its id), as far as its memory is still there.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

use phasor_core::{Errno, HandleId, Loop, Remote, RequestId, Result};

use crate::face::{C, Handle, Request};
use crate::layout::{flag, uv_handle_t, uv_handle_type, uv_loop_t, uv_req_t, uv_req_type};

/// What `uv_loop_t.internal_fields` points to.
pub struct Inside {
    /// The loop itself.
    pub(crate) core: Loop<C>,
    /// For `uv_metrics_idle_time`, which other threads may call while the core runs.
    pub(crate) remote: Remote,
    /// What `active_handles` was set to: another value there is the client's doing.
    told: c_uint,
}

impl Inside {
    pub(crate) fn new(core: Loop<C>) -> Box<Inside> {
        Box::new(Inside { remote: core.remote(), core, told: 0 })
    }
}

/// What is inside a loop.
///
/// # Safety
/// As the head of this file says.
#[inline]
pub(crate) unsafe fn inside(lp: *const uv_loop_t) -> *mut Inside {
    // SAFETY: the caller's promise.
    unsafe { (*lp).internal_fields.cast() }
}

/// Whether a loop is not closed. With libuv a closed one can be run, and is found empty; only what a program does by
/// mistake is asked whether it may.
///
/// # Safety
/// As the head of this file says, but that the loop may be closed.
#[inline]
pub(crate) unsafe fn is_open(lp: *const uv_loop_t) -> bool {
    // SAFETY: the caller's promise.
    unsafe { !(*lp).internal_fields.is_null() }
}

/// Borrows the core of a loop for one operation. `operate` must not call the program.
///
/// # Safety
/// As the head of this file says.
#[inline]
pub(crate) unsafe fn with<R>(lp: *mut uv_loop_t, operate: impl FnOnce(&mut Loop<C>) -> R) -> R {
    // SAFETY: the loop's struct and what is inside are two objects; no other borrow of the core lives, since none lives
    // over a callback and no other thread uses this loop. Only fields are borrowed: others may look at `remote` meanwhile.
    unsafe {
        let inside = inside(lp);
        let core = &mut (*inside).core;
        let seen = (*lp).active_handles;
        if seen != (*inside).told {
            core.count_handles(seen.wrapping_sub((*inside).told) as i32 as isize);
        }
        if (*lp).stop_flag.load(Ordering::Relaxed) != 0 {
            core.stop();
        }
        let result = operate(core);
        (*inside).told = core.active_handles() as c_uint;
        (*lp).active_handles = (*inside).told;
        (*lp).active_reqs = core.active_requests() as c_uint;
        result
    }
}

/// As [`with`], for an operation on one handle.
///
/// # Safety
/// As the head of this file says.
#[inline]
pub(crate) unsafe fn with_handle<T, R>(
    handle: *const T,
    operate: impl FnOnce(&mut Loop<C>, HandleId) -> Result<R>,
) -> Result<R> {
    let handle = handle.cast::<uv_handle_t>();
    // SAFETY: the caller's promise; every kind begins with the handle.
    unsafe {
        let id = id(handle)?;
        with((*handle).loop_, |core| operate(core, id))
    }
}

/// The core's name of a handle. `EBADF` if the core never had it.
///
/// # Safety
/// As the head of this file says.
#[inline]
pub(crate) unsafe fn id<T>(handle: *const T) -> Result<HandleId> {
    // SAFETY: the caller's promise; every kind begins with the handle.
    HandleId::from_bits(unsafe { (*handle.cast::<uv_handle_t>()).id }).ok_or(Errno::EBADF)
}

/// The handle that an event is about, unless it is gone.
///
/// # Safety
/// As the head of this file says.
#[inline]
pub(crate) unsafe fn face<T>(lp: *mut uv_loop_t, id: HandleId) -> Option<*mut T> {
    // SAFETY: the caller's promise. The borrow is over at the end of this line.
    unsafe { (*inside(lp)).core.face(id) }.map(|handle| handle.cast())
}

/// Opens a handle of the program's: `open` makes it known to the core, then its struct is filled as `uv__handle_init` does.
///
/// # Safety
/// As the head of this file says, and `handle` has room for its kind. What it holds does not matter.
#[inline]
pub(crate) unsafe fn open<T>(
    lp: *mut uv_loop_t,
    handle: *mut T,
    kind: uv_handle_type,
    open: impl FnOnce(&mut Loop<C>, Handle) -> Result<HandleId>,
) -> Result<HandleId> {
    let handle = handle.cast::<uv_handle_t>();
    // SAFETY: the caller's promise; only fields are written, `data` stays as it is.
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

/// Makes `flags` say whether the handle is active.
///
/// # Safety
/// As the head of this file says.
#[inline]
pub(crate) unsafe fn show_active<T>(handle: *mut T, active: bool) {
    let handle = handle.cast::<uv_handle_t>();
    // SAFETY: the caller's promise.
    unsafe {
        let rest = (*handle).flags & !flag::ACTIVE;
        (*handle).flags = if active { rest | flag::ACTIVE } else { rest };
    }
}

/// Begins a request of the program's: its kind is written, and what comes of [`began`] later names it.
///
/// # Safety
/// `request` has room for its kind. What it holds does not matter.
#[inline]
pub(crate) unsafe fn begin<T>(request: *mut T, kind: uv_req_type) -> Result<Request> {
    let request = request.cast::<uv_req_t>();
    let face = Request(NonNull::new(request).ok_or(Errno::EINVAL)?);
    // SAFETY: the caller's promise; every kind begins with the request.
    unsafe {
        (*request).type_ = kind;
        (*request).id = 0;
    }
    Ok(face)
}

/// Notes the core's name of a request.
///
/// # Safety
/// `request` is one that [`begin`] was called for and whose callback has not been called.
#[inline]
pub(crate) unsafe fn began<T>(request: *mut T, id: RequestId) {
    // SAFETY: the caller's promise; every kind begins with the request.
    unsafe { (*request.cast::<uv_req_t>()).id = id.to_bits() }
}

/// What C is told of an operation without a value: 0, or the error's negative number.
#[inline]
pub(crate) fn status(result: Result<()>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(errno) => -errno.raw(),
    }
}
