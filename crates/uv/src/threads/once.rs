//! One-time initialisation. [`threads`](super) states the contract.
//!
//! # Safety
//! The pointers are passed on to `pthread_once`, which calls the function.
#![allow(unsafe_code)]

use super::abort_on_error;
use crate::layout::uv_once_t;

/// Calls the function, unless a call with this guard has called it before. A concurrent call waits until the function
/// returns.
///
/// # Safety
/// `guard` was initialised with `UV_ONCE_INIT`; `callback` may be called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_once(guard: *mut uv_once_t, callback: Option<extern "C" fn()>) {
    // libuv would call address zero. Here the process aborts.
    let Some(callback) = callback else { std::process::abort() };
    // SAFETY: guaranteed by the caller.
    abort_on_error(unsafe { libc::pthread_once(guard, callback) });
}
