//! `uv_loop_t` and the handle types.

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, AtomicU64};

use phasor_core::AsyncSender;

use super::*;

#[repr(C)]
pub struct uv_loop_t {
    pub data: *mut c_void,
    /// Number of active referenced handles. Programs may change it to keep a loop alive, as with libuv.
    pub active_handles: c_uint,
    pub(crate) handle_queue: [usize; 2],
    /// The number of active requests. In C, this is a union of the count and a pointer.
    pub active_reqs: c_uint,
    /// Pointer to the loop's [`LoopState`](crate::access::LoopState).
    pub(crate) internal_fields: *mut c_void,
    /// The flag that `uv_stop` sets. It is atomic, since programs call `uv_stop` in signal handlers.
    pub(crate) stop_flag: AtomicU32,
    pub(crate) flags: c_ulong,
    pub backend_fd: c_int,
    pub(crate) unused_before_time: [usize; 59],
    pub time: u64,
    pub(crate) unused_after_time: [usize; 37],
}

#[repr(C)]
pub struct uv_handle_t {
    pub data: *mut c_void,
    pub loop_: *mut uv_loop_t,
    pub type_: uv_handle_type,
    pub close_cb: uv_close_cb,
    /// The bits of the handle's id in the core. Uses the first word of libuv's `handle_queue`.
    pub(crate) id: u64,
    /// A word shared with other threads, which only async handles use. Uses the second word of libuv's `handle_queue`.
    pub(crate) shared: AtomicU64,
    /// Reserved words. In C, this is a union of them and a descriptor.
    pub u: [usize; 4],
    pub(crate) next_closing: usize,
    pub flags: c_uint,
}

/// libuv's watcher of a descriptor. Only the descriptor is used here, because programs read it.
#[repr(C)]
pub struct uv__io_t {
    pub(crate) unused: [usize; 6],
    pub fd: c_int,
}

#[repr(C)]
pub struct uv_stream_t {
    pub handle: uv_handle_t,
    pub write_queue_size: usize,
    pub alloc_cb: uv_alloc_cb,
    pub read_cb: uv_read_cb,
    pub connect_req: *mut uv_connect_t,
    pub shutdown_req: *mut uv_shutdown_t,
    pub io_watcher: uv__io_t,
    pub(crate) write_queue: [usize; 2],
    pub(crate) write_completed_queue: [usize; 2],
    pub connection_cb: uv_connection_cb,
    pub(crate) delayed_error: c_int,
    pub accepted_fd: c_int,
    pub(crate) queued_fds: *mut c_void,
}

#[repr(C)]
pub struct uv_tcp_t {
    pub stream: uv_stream_t,
}

#[repr(C)]
pub struct uv_pipe_t {
    pub stream: uv_stream_t,
    pub ipc: c_int,
    /// The bound path, allocated with the replaceable allocator, or NULL.
    pub pipe_fname: *const c_char,
}

#[repr(C)]
pub struct uv_tty_t {
    pub stream: uv_stream_t,
    pub(crate) orig_termios: libc::termios,
    pub mode: c_int,
}

#[repr(C)]
pub struct uv_udp_t {
    pub handle: uv_handle_t,
    pub send_queue_size: usize,
    pub send_queue_count: usize,
    pub alloc_cb: uv_alloc_cb,
    pub recv_cb: uv_udp_recv_cb,
    pub io_watcher: uv__io_t,
    pub(crate) write_queue: [usize; 2],
    pub(crate) write_completed_queue: [usize; 2],
}

#[repr(C)]
pub struct uv_poll_t {
    pub handle: uv_handle_t,
    pub poll_cb: uv_poll_cb,
    pub io_watcher: uv__io_t,
}

#[repr(C)]
pub struct uv_timer_t {
    pub handle: uv_handle_t,
    pub timer_cb: uv_timer_cb,
    pub(crate) node: [usize; 3],
    /// When the timer is or was due, on the loop's clock in milliseconds.
    pub timeout: u64,
    pub repeat: u64,
    pub(crate) start_id: u64,
}

#[repr(C)]
pub struct uv_prepare_t {
    pub handle: uv_handle_t,
    pub prepare_cb: uv_prepare_cb,
    pub(crate) queue: [usize; 2],
}

#[repr(C)]
pub struct uv_check_t {
    pub handle: uv_handle_t,
    pub check_cb: uv_check_cb,
    pub(crate) queue: [usize; 2],
}

#[repr(C)]
pub struct uv_idle_t {
    pub handle: uv_handle_t,
    pub idle_cb: uv_idle_cb,
    pub(crate) queue: [usize; 2],
}

#[repr(C)]
pub struct uv_async_t {
    pub handle: uv_handle_t,
    pub async_cb: uv_async_cb,
    /// The sender that wakes the loop, initialised from `uv_async_init` to `uv_close`. libuv has the handle's queue and
    /// the `pending` word at this offset.
    pub(crate) sender: MaybeUninit<AsyncSender>,
}

#[repr(C)]
pub struct uv_process_t {
    pub handle: uv_handle_t,
    pub exit_cb: uv_exit_cb,
    pub pid: c_int,
    pub(crate) queue: [usize; 2],
    pub(crate) status: c_int,
}

#[repr(C)]
pub struct uv_fs_event_t {
    pub handle: uv_handle_t,
    pub path: *mut c_char,
    pub cb: uv_fs_event_cb,
    pub(crate) watchers: [usize; 2],
    pub(crate) wd: c_int,
}

#[repr(C)]
pub struct uv_fs_poll_t {
    pub handle: uv_handle_t,
    pub(crate) poll_ctx: *mut c_void,
}

#[repr(C)]
pub struct uv_signal_t {
    pub handle: uv_handle_t,
    pub signal_cb: uv_signal_cb,
    /// The signal that the handle is started for, or 0.
    pub signum: c_int,
    pub(crate) tree_entry: [usize; 4],
    pub(crate) caught_signals: c_uint,
    pub(crate) dispatched_signals: c_uint,
}

/// Memory for any handle.
#[repr(C)]
pub union uv_any_handle {
    pub handle: std::mem::ManuallyDrop<uv_handle_t>,
    pub tty: std::mem::ManuallyDrop<uv_tty_t>,
}
