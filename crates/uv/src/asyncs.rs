//! Async handles, the one kind that other threads and signal handlers may touch.
//!
//! # Ground rules
//! - A send that has begun when the handle is closed is waited for, as libuv waits: `shared` counts the sends under way,
//!   and its highest bit says that the handle is closed. Whoever finds that bit leaves the sender alone.
//! - A send that begins when the handle's memory is gone is the program's fault, as with libuv.
//!
//! # Safety
//! The promises of `door` hold, except that a handle may be sent to from anywhere. `sender` is initialised from
//! `uv_async_init` until the closed bit is set and the count is zero.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::sync::atomic::Ordering;

use phasor_core::HandleId;

use crate::door;
use crate::layout::{UV_ASYNC, flag, uv_async_cb, uv_async_t, uv_loop_t};

/// Set in `shared` once the handle is closed; the rest counts the sends under way.
const CLOSED: u64 = 1 << 63;

/// How often a send under way is looked for before the thread lets others run: it is a matter of a few instructions,
/// unless the sender lost its processor.
const SPINS: u32 = 997;

/// Initialises an async handle, which is active from now on. The callback may be NULL: then a send only wakes the loop.
///
/// # Safety
/// `lp` is an initialised loop, `handle` has room for an async handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_async_init(lp: *mut uv_loop_t, handle: *mut uv_async_t, async_cb: uv_async_cb) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let opened = door::open(lp, handle, UV_ASYNC, |core, face| {
            let (id, sender) = core.async_open(face);
            (*handle).sender.write(sender);
            Ok(id)
        });
        if opened.is_ok() {
            (*handle).async_cb = async_cb;
            (*handle).handle.flags |= flag::ACTIVE;
            (*handle).handle.shared.store(0, Ordering::SeqCst);
        }
        door::status(opened.map(|_| ()))
    }
}

/// Has the handle's callback called soon, on its loop's thread. From any thread, and from a signal handler.
///
/// # Safety
/// `handle` is an initialised async handle whose close callback has not been called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_async_send(handle: *mut uv_async_t) -> c_int {
    // SAFETY: the caller's promise; the count keeps the sender where it is.
    unsafe {
        let shared = &raw const (*handle).handle.shared;
        if (*shared).fetch_add(1, Ordering::SeqCst) & CLOSED == 0 {
            (*(*handle).sender.as_ptr()).send();
        }
        (*shared).fetch_sub(1, Ordering::SeqCst);
    }
    0
}

/// Ends the sending: waits for those who are at it, and lets go of what they use.
///
/// # Safety
/// `handle` is an async handle that is being closed, for the first time.
pub(crate) unsafe fn retire(handle: *mut uv_async_t) {
    // SAFETY: the caller's promise; once nobody counts, nobody uses the sender, and nobody will.
    unsafe {
        let shared = &raw const (*handle).handle.shared;
        (*shared).fetch_or(CLOSED, Ordering::SeqCst);
        let mut spins = 0;
        while (*shared).load(Ordering::SeqCst) != CLOSED {
            spins += 1;
            if spins % SPINS == 0 {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        (*handle).sender.assume_init_drop();
    }
}

/// In a child of `fork`: whoever was sending is not there any more.
///
/// # Safety
/// `handle` is an initialised async handle, and this process has no other thread.
pub(crate) unsafe fn forget_senders(handle: *mut uv_async_t) {
    // SAFETY: the caller's promise.
    unsafe {
        (*handle).handle.shared.fetch_and(CLOSED, Ordering::SeqCst);
    }
}

/// Somebody has sent.
///
/// # Safety
/// The head of this file.
#[inline]
pub(crate) unsafe fn on_async(lp: *mut uv_loop_t, id: HandleId) {
    // SAFETY: the head of this file.
    unsafe {
        let Some(handle) = door::face::<uv_async_t>(lp, id) else { return };
        if let Some(call) = (*handle).async_cb {
            call(handle);
        }
    }
}
