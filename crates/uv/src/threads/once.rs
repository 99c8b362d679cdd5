//! What is to be done once. See the head of [`threads`](super) for what C owes.
//!
//! # Safety
//! The pointers are passed on to `pthread_once`, which makes the call.
#![allow(unsafe_code)]

use super::must;
use crate::layout::uv_once_t;

/// Makes the call unless one has been made for this guard; whoever comes meanwhile waits.
///
/// # Safety
/// `guard` points to one that began as `UV_ONCE_INIT`; `callback` is a function that may be called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_once(guard: *mut uv_once_t, callback: Option<extern "C" fn()>) {
    // libuv would jump to address zero.
    let Some(callback) = callback else { std::process::abort() };
    // SAFETY: the caller's promise.
    must(unsafe { libc::pthread_once(guard, callback) });
}
