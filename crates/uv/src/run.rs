//! `uv_run`: takes events from the core and calls their callbacks.
//!
//! Events of a handle type with a file of its own are dispatched in that file (`on_…`). This file dispatches the events
//! that only call one function pointer. Nothing is allocated between the core and the callback.
//!
//! # Safety
//! The data of an event is copied out of the core before the callback is called. After the callback, the code only accesses the
//! loop, and handles that the core still has. The contract of `access` holds.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::sync::atomic::Ordering;

use phasor_core::{Event, Outcome, RunMode};

use crate::front_end::{C, Handle, Request};
use crate::layout::{
    UV_FS, UV_GETADDRINFO, UV_GETNAMEINFO, UV_RANDOM, UV_RUN_NOWAIT, UV_RUN_ONCE, flag, uv_check_t, uv_handle_t,
    uv_idle_t, uv_loop_t, uv_prepare_t, uv_run_mode, uv_timer_t,
};
use crate::loop_::uv_loop_alive;
use crate::{
    access, asyncs, dns, fs, fs_event, fs_poll, handle, poll, process, random, recording, signal, stream, udp, work,
};

/// Runs the loop. Returns whether it is still alive.
///
/// # Safety
/// `lp` is an initialised loop, and the calling thread is its thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn uv_run(lp: *mut uv_loop_t, mode: uv_run_mode) -> c_int {
    let mode = match mode {
        UV_RUN_ONCE => RunMode::Once,
        UV_RUN_NOWAIT => RunMode::NoWait,
        _ => RunMode::Default,
    };
    // SAFETY: guaranteed by the caller; see the head of this file.
    unsafe {
        loop {
            // A callback that closes the last handle may also close the loop.
            if !access::is_open(lp) {
                return 0;
            }
            let event = if (*access::state(lp)).recording.is_none() {
                access::with(lp, |core| {
                    let event = core.next(mode);
                    (*lp).time = core.now_ms();
                    event
                })
            } else {
                recording::next(lp, mode)
            };
            match event {
                Some(event) => dispatch(lp, event),
                None => break,
            }
        }
        // The core has ended the run, and has reset its own stop flag.
        (*lp).stop_flag.store(0, Ordering::Relaxed);
        uv_loop_alive(lp)
    }
}

/// Calls the callback of one event.
///
/// # Safety
/// See the head of this file.
#[inline]
unsafe fn dispatch(lp: *mut uv_loop_t, event: Event<C>) {
    // SAFETY: see the head of this file. A started handle has a callback; the `Option` is checked nevertheless.
    unsafe {
        match event {
            Event::Timer(id) => {
                let Some(timer) = access::handle_of::<uv_timer_t>(lp, id) else { return };
                let repeat_ms = (*timer).repeat;
                if repeat_ms == 0 {
                    (*timer).handle.flags &= !flag::ACTIVE;
                } else {
                    // The core has restarted the timer at the same cached time.
                    (*timer).timeout = (*lp).time.saturating_add(repeat_ms);
                }
                if let Some(call) = (*timer).timer_cb {
                    call(timer);
                }
            }
            Event::Idle(id) => {
                let Some(idle) = access::handle_of::<uv_idle_t>(lp, id) else { return };
                if let Some(call) = (*idle).idle_cb {
                    call(idle);
                }
            }
            Event::Prepare(id) => {
                let Some(prepare) = access::handle_of::<uv_prepare_t>(lp, id) else { return };
                if let Some(call) = (*prepare).prepare_cb {
                    call(prepare);
                }
            }
            Event::Check(id) => {
                let Some(check) = access::handle_of::<uv_check_t>(lp, id) else { return };
                if let Some(call) = (*check).check_cb {
                    call(check);
                }
            }
            Event::Async(id) => asyncs::on_async(lp, id),
            Event::Attention => access::serve_tools(lp),
            Event::Datagram(id) => udp::on_datagram(lp, id),
            Event::Ready(id, ready) => poll::on_ready(lp, id, ready),
            Event::Exit(id, status) => process::on_exit(lp, id, status),
            Event::FsEvent(id, change) => fs_event::on_fs_event(lp, id, change),
            Event::FsPoll(id, change) => fs_poll::on_fs_poll(lp, id, &change),
            Event::Signal(id, signum) => signal::on_signal(lp, id, signum),
            Event::Connection(id, result) => stream::on_connection(lp, id, result),
            Event::Hangup(id) => stream::on_hangup(lp, id),
            Event::Readable(id) => stream::on_readable(lp, id),
            Event::Done(request, outcome) => on_done(request, outcome),
            Event::Closed(closed) => on_closed(closed),
        }
    }
}

/// # Safety
/// See the head of this file.
unsafe fn on_done(request: Request, outcome: Outcome<C>) {
    // SAFETY: see the head of this file; the outcome says which type the request has.
    unsafe {
        match outcome {
            Outcome::Connect(result) => stream::on_connect(request.cast(), result),
            Outcome::Shutdown(result) => stream::on_shutdown(request.cast(), result),
            Outcome::Write { result, written, .. } => stream::on_write(request.cast(), result, written),
            Outcome::Send { result, .. } => udp::on_send(request.cast(), result),
            Outcome::Work(result) => match (*request.0.as_ptr()).type_ {
                UV_FS => fs::on_fs(request.cast(), result),
                UV_GETADDRINFO => dns::on_getaddrinfo(request.cast(), result),
                UV_GETNAMEINFO => dns::on_getnameinfo(request.cast(), result),
                UV_RANDOM => random::on_random(request.cast(), result),
                _ => work::on_work(request.cast(), result),
            },
            // Never produced here: this crate runs these operations as pool work, on the program's request and buffers.
            Outcome::Fs(_) | Outcome::Getaddrinfo(_) | Outcome::Getnameinfo(_) | Outcome::Random(..) => {}
        }
    }
}

/// Finishes the close of a handle like `src/unix/core.c: uv__finish_close`. The program may free the handle in its
/// close callback.
///
/// # Safety
/// See the head of this file.
#[inline]
unsafe fn on_closed(closed: Handle) {
    const LIVING: c_uint = flag::REF | flag::ACTIVE;
    let at: *mut uv_handle_t = closed.cast();
    // SAFETY: see the head of this file.
    unsafe {
        handle::release(at);
        (*at).flags = ((*at).flags & !LIVING) | flag::CLOSING | flag::CLOSED;
        if let Some(call) = (*at).close_cb {
            call(at);
        }
    }
}
