//! Async handles, the only kind that other threads and signal handlers may use.
//!
//! # Ground rules
//! - `uv_close` waits for a `uv_async_send` that has begun (`src/unix/async.c: uv__async_spin`). `shared` counts the calls in
//!   progress, and its highest bit says that the handle is closed; a call that finds this bit set does not use the sender.
//! - A `uv_async_send` after the handle's memory was freed is undefined behaviour, as with libuv.
//!
//! # Safety
//! The contract of `access` holds, except that `uv_async_send` may run on any thread. `sender` is initialised from `uv_async_init`
//! until the closed bit is set and the count is zero.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::sync::atomic::Ordering;

use phasor_core::HandleId;

use crate::access;
use crate::layout::{UV_ASYNC, flag, uv_async_cb, uv_async_t, uv_loop_t};

/// Set in `shared` once the handle is closed; the other bits count the calls of `uv_async_send` in progress.
const CLOSED: u64 = 1 << 63;

/// How often `uv_close` checks for a send in progress before it yields the processor. A send takes a few instructions, unless its
/// thread was preempted. The same number as in `src/unix/async.c: uv__async_spin`.
const SPINS: u32 = 997;

/// Initialises an async handle, which is active from then on. If the callback is NULL, a send only wakes the loop.
///
/// # Safety
/// `lp` is an initialised loop, `handle` points to memory for an async handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_async_init(lp: *mut uv_loop_t, handle: *mut uv_async_t, async_cb: uv_async_cb) -> c_int {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let opened = access::init_handle(lp, handle, UV_ASYNC, |core, face| {
            let (id, sender) = core.async_open(face);
            (*handle).sender.write(sender);
            Ok(id)
        });
        if opened.is_ok() {
            (*handle).async_cb = async_cb;
            (*handle).handle.flags |= flag::ACTIVE;
            (*handle).handle.shared.store(0, Ordering::SeqCst);
        }
        access::status(opened.map(|_| ()))
    }
}

/// Makes the loop call the handle's callback on its own thread. Callable from any thread and from a signal handler.
///
/// # Safety
/// `handle` is an initialised async handle whose close callback has not been called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_async_send(handle: *mut uv_async_t) -> c_int {
    // SAFETY: guaranteed by the caller; `retire` does not drop the sender while the count is not zero.
    unsafe {
        let shared = &raw const (*handle).handle.shared;
        if (*shared).fetch_add(1, Ordering::SeqCst) & CLOSED == 0 {
            (*(*handle).sender.as_ptr()).send();
        }
        (*shared).fetch_sub(1, Ordering::SeqCst);
    }
    0
}

/// Waits for the sends in progress, then drops the sender.
///
/// # Safety
/// `handle` is an async handle on which `uv_close` is called for the first time.
pub(crate) unsafe fn retire(handle: *mut uv_async_t) {
    // SAFETY: guaranteed by the caller; when the count is zero, no thread uses the sender, and the closed bit keeps new
    // sends from using it.
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

/// Resets the count in a child of `fork`, where the threads that were sending do not exist.
///
/// # Safety
/// `handle` is an initialised async handle, and this process has no other thread.
pub(crate) unsafe fn forget_senders(handle: *mut uv_async_t) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        (*handle).handle.shared.fetch_and(CLOSED, Ordering::SeqCst);
    }
}

/// Calls the callback of an async handle after one or more sends.
///
/// # Safety
/// See the head of this file.
#[inline]
pub(crate) unsafe fn on_async(lp: *mut uv_loop_t, id: HandleId) {
    // SAFETY: see the head of this file.
    unsafe {
        let Some(handle) = access::handle_of::<uv_async_t>(lp, id) else { return };
        if let Some(call) = (*handle).async_cb {
            call(handle);
        }
    }
}
