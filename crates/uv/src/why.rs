//! Reports what keeps the loop of a C program alive, for `phasor why`: the handles and requests of the core, their
//! callbacks, and the addresses of the program's structs.
//!
//! # Safety
//! The contract of `access` holds: the core has a handle until its close callback and a request until its callback, so their pointers are live.
#![allow(unsafe_code)]

use std::ffi::c_void;

use phasor_core::{Kind, Loop, Reason};
use phasor_lens::{LoopActivity, WhyEntry, WhyLoop};

use crate::front_end::{C, Handle, Request};
use crate::layout::*;
use crate::recording;

/// The handles and requests that keep the loop alive. The caller fills in the thread.
pub(crate) fn why(core: &Loop<C>) -> WhyLoop {
    let entries = core.why_alive().into_iter().map(|reason| entry(core, reason)).collect();
    WhyLoop { thread: String::new(), activity: LoopActivity::of_idle(core), entries }
}

fn entry(core: &Loop<C>, reason: Reason) -> WhyEntry {
    let mut entry = WhyEntry::of_reason(core, reason);
    match reason {
        Reason::Handle(id, kind) => {
            if let Some(handle) = core.face(id) {
                // SAFETY: see the head of this file; `kind` is the type that the core has for the handle.
                unsafe { describe_handle(&mut entry, *handle, kind) };
                entry.remedy = "uv_close() or uv_unref()".into();
            }
        }
        Reason::Closing(id, kind) | Reason::Pending(id, kind) => {
            if let Some(handle) = core.face(id) {
                // SAFETY: see the head of this file; `kind` is the type that the core has for the handle.
                unsafe { describe_handle(&mut entry, *handle, kind) };
            }
        }
        Reason::Request(id, _) => {
            if let Some(request) = core.request_face(id) {
                // SAFETY: see the head of this file; the field `type_` says which type the request has.
                unsafe { describe_request(&mut entry, *request) };
            }
        }
        Reason::Counted(_) => entry.remedy = "change of uv_loop_t.active_handles by the program".into(),
    }
    entry
}

/// Adds the callback and the addresses of a handle.
///
/// # Safety
/// The handle is live and of kind `kind`.
unsafe fn describe_handle(entry: &mut WhyEntry, handle: Handle, kind: Kind) {
    macro_rules! field {
        ($type:ty, $field:ident) => {
            (*handle.cast::<$type>()).$field.map_or(0, |function| function as usize)
        };
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        let callback = match kind {
            Kind::Async => field!(uv_async_t, async_cb),
            Kind::Check => field!(uv_check_t, check_cb),
            Kind::FsEvent => field!(uv_fs_event_t, cb),
            // `uv_fs_poll_start` has stored the function in `poll_ctx`.
            Kind::FsPoll => (*handle.cast::<uv_fs_poll_t>()).poll_ctx as usize,
            Kind::Idle => field!(uv_idle_t, idle_cb),
            Kind::Poll => field!(uv_poll_t, poll_cb),
            Kind::Prepare => field!(uv_prepare_t, prepare_cb),
            Kind::Process => field!(uv_process_t, exit_cb),
            Kind::Signal => field!(uv_signal_t, signal_cb),
            Kind::Timer => field!(uv_timer_t, timer_cb),
            Kind::Udp => field!(uv_udp_t, recv_cb),
            Kind::Pipe | Kind::Tcp | Kind::Tty if entry.kind.ends_with("server") => field!(uv_stream_t, connection_cb),
            Kind::Pipe | Kind::Tcp | Kind::Tty => field!(uv_stream_t, read_cb),
        };
        add_callback(entry, callback);
        add_addresses(entry, handle.0.as_ptr().cast(), (*handle.0.as_ptr()).data);
    }
}

/// Adds the callback, the addresses and the file operation of a request.
///
/// # Safety
/// The request is live and its type is set.
unsafe fn describe_request(entry: &mut WhyEntry, request: Request) {
    macro_rules! field {
        ($type:ty, $field:ident) => {
            (*request.cast::<$type>()).$field.map_or(0, |function| function as usize)
        };
    }
    let head = request.0.as_ptr();
    // SAFETY: guaranteed by the caller. The pool writes only the results of a request, and the fields that are read
    // here are not results.
    unsafe {
        let callback = match (*head).type_ {
            UV_CONNECT => field!(uv_connect_t, cb),
            UV_FS => {
                let request = request.cast::<uv_fs_t>();
                entry.what =
                    format!("{} {}", recording::operation((*request).fs_type), recording::text((*request).path));
                entry.what.truncate(entry.what.trim_end().len());
                field!(uv_fs_t, cb)
            }
            UV_GETADDRINFO => field!(uv_getaddrinfo_t, cb),
            UV_GETNAMEINFO => field!(uv_getnameinfo_t, getnameinfo_cb),
            UV_RANDOM => field!(uv_random_t, cb),
            UV_SHUTDOWN => field!(uv_shutdown_t, cb),
            UV_UDP_SEND => field!(uv_udp_send_t, send_cb),
            UV_WORK => field!(uv_work_t, work_cb),
            UV_WRITE => field!(uv_write_t, cb),
            _ => 0,
        };
        add_callback(entry, callback);
        add_addresses(entry, head.cast(), (*head).data);
    }
}

fn add_callback(entry: &mut WhyEntry, address: usize) {
    if address != 0 {
        entry.callback = Some(recording::locate(address));
    }
}

/// Adds the address of the struct and the program's `data` pointer, for use in a debugger.
fn add_addresses(entry: &mut WhyEntry, at: *mut c_void, data: *mut c_void) {
    entry.add(&format!("at {at:p}"));
    if !data.is_null() {
        entry.add(&format!("data {data:p}"));
    }
}
