//! Idle, prepare and check handles, defined by one macro (as in `src/unix/loop-watcher.c`).
//!
//! # Safety
//! The contract of `access` holds: handle pointers are live and of the declared type.
#![allow(unsafe_code)]

use std::ffi::c_int;

use phasor_core::Errno;

use crate::access;
use crate::layout::*;

macro_rules! watcher {
    ($noun:literal, $t:ident $cb_type:ident $cb:ident $KIND:ident, $init:ident $start:ident $stop:ident, $open:ident $begin:ident $end:ident) => {
        #[doc = concat!("Initialises ", $noun, " handle.")]
        ///
        /// # Safety
        /// `lp` is an initialised loop, `handle` points to memory for its type.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $init(lp: *mut uv_loop_t, handle: *mut $t) -> c_int {
            // SAFETY: guaranteed by the caller.
            unsafe {
                let opened = access::init_handle(lp, handle, $KIND, |core, face| Ok(core.$open(face)));
                if opened.is_ok() {
                    (*handle).$cb = None;
                }
                access::status(opened.map(|_| ()))
            }
        }

        #[doc = concat!("Starts ", $noun, " handle. One that is started stays as it is, with the callback it has.")]
        ///
        /// # Safety
        /// `handle` is an initialised handle of its type.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $start(handle: *mut $t, call: $cb_type) -> c_int {
            // SAFETY: guaranteed by the caller.
            unsafe {
                if (*handle).handle.flags & flag::ACTIVE != 0 {
                    return 0;
                }
                if call.is_none() {
                    return -Errno::EINVAL.raw();
                }
                let started = access::with_handle(handle, |core, id| core.$begin(id));
                if started.is_ok() {
                    (*handle).$cb = call;
                    (*handle).handle.flags |= flag::ACTIVE;
                }
                access::status(started)
            }
        }

        #[doc = concat!("Stops ", $noun, " handle.")]
        ///
        /// # Safety
        /// `handle` is an initialised handle of its type.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $stop(handle: *mut $t) -> c_int {
            // SAFETY: guaranteed by the caller.
            unsafe {
                // `src/unix/loop-watcher.c: uv_idle_stop`, `uv_prepare_stop` and `uv_check_stop` always return 0. The
                // error of the core is ignored: a closed handle is already stopped.
                let _ = access::with_handle(handle, |core, id| core.$end(id));
                (*handle).handle.flags &= !flag::ACTIVE;
            }
            0
        }
    };
}

watcher!("an idle", uv_idle_t uv_idle_cb idle_cb UV_IDLE, uv_idle_init uv_idle_start uv_idle_stop, idle_open idle_start idle_stop);
watcher!("a prepare", uv_prepare_t uv_prepare_cb prepare_cb UV_PREPARE, uv_prepare_init uv_prepare_start uv_prepare_stop, prepare_open prepare_start prepare_stop);
watcher!("a check", uv_check_t uv_check_cb check_cb UV_CHECK, uv_check_init uv_check_start uv_check_stop, check_open check_start check_stop);
