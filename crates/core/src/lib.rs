//! The event loop of Phasor: libuv's phased loop as a value that returns events and makes no callbacks.
//!
//! [`Loop::next`] returns the next callback that has to be made, as an [`Event`]. A *front end* (the trait [`Face`]:
//! Rust closures, C function pointers, JavaScript functions) makes the callback and calls `next` again:
//!
//! ```
//! use phasor_core::{Event, Face, Loop, RunMode};
//!
//! struct Names;
//! impl Face for Names {
//!     type Handle = &'static str;
//!     type Request = ();
//!     type Bytes = Vec<u8>;
//! }
//!
//! let mut core = Loop::<Names>::new()?;
//! let timer = core.timer_open("tick");
//! core.timer_start(timer, 1, 0)?;
//! let mut order = Vec::new();
//! while let Some(event) = core.next(RunMode::Default) {
//!     match event {
//!         Event::Timer(id) => {
//!             order.push(*core.face(id).unwrap());
//!             core.close(id)?;
//!         }
//!         Event::Closed(name) => order.push(name),
//!         _ => {}
//!     }
//! }
//! assert_eq!(order, ["tick", "tick"]);
//! # Ok::<(), phasor_core::Errno>(())
//! ```
//!
//! This crate never runs user code, and holds no borrow while a front end runs user code. It must not contain system
//! calls (they are in `phasor-sys`), callbacks (they belong to the front ends), or JavaScript's ticks and microtasks.
#![forbid(unsafe_code)]

mod alive;
mod describe;
mod event;
mod face;
mod fork;
mod handles;
mod heap;
mod list;
mod observe;
mod phase;
mod phases;
mod platform;
mod pool;
mod remote;
mod requests;
mod run;
mod slab;
mod spin;
mod state;
mod sync;

pub use phasor_sys::clock::{NanosecondClock, monotonic_ns, realtime};
pub use phasor_sys::fork::generation as fork_generation;
pub use phasor_sys::process::{ids as user_ids, thread_id};
pub use phasor_sys::random::{fill as random_fill, fill_uninit as random_fill_uninit};
pub use phasor_sys::signal::with_all_blocked as with_signals_blocked;
pub use phasor_sys::socket::{
    Address, BATCH as UDP_BATCH, CHUNK_BYTES as UDP_CHUNK_BYTES, Datagram, Domain, Interface, Keepalive, Membership,
    Outgoing, UdpBind, UnixName, pair as socket_pair, peer_user, pipe as pipe_pair, stream_pair,
};
pub use phasor_sys::spawn::{ExitStatus, disable_stdio_inheritance, kill};
pub use phasor_sys::tty::{
    Kind as FdKind, Mode as TtyMode, guess_kind as guess_fd_kind, reset_mode as tty_reset_mode,
    reset_mode_at_exit as tty_reset_mode_at_exit,
};
pub use phasor_sys::{Errno, Fd, ReadBuf, Result, dns, file};

pub use self::alive::Reason;
pub use self::describe::{HandleDescription, HandleDetail, RequestDescription, StreamDetail, TaskDetail};
pub use self::event::{Event, EventKind, Outcome, Refused};
pub use self::face::{Buffers, Face};
pub use self::handles::{
    FsChange, FsPollChange, HandleId, HandleView, Kind, PreparedSpawn, Received, Spawn, StartedSpawn, Stdio, TcpBind,
};
pub use self::observe::{Metrics, ObservedEvent, Observer, ObserverId, TaskSpan};
pub use self::phase::{Phase, RunMode};
pub use self::platform::{Os, Platform, Readiness, Ready, Ring, Sim};
pub use self::pool::{Class, Job, PoolStatus, Ticket, pool_status, shut_pool_down};
pub use self::remote::{AsyncSender, Remote};
pub use self::requests::{FsDone, FsOp, FsValue, RequestId, RequestKind, WorkFailure, fs_path};
pub use self::state::Loop;
