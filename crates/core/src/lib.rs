//! The loop of Phasor: libuv's phased event loop as a value that is asked, and does not call.
//!
//! [`Loop::next`] returns the next call that somebody has to make; a *face* (Rust closures, C function pointers,
//! JavaScript functions) makes it and asks again:
//!
//! ```
//! use phasor_core::{Event, Face, Loop, RunMode};
//!
//! struct Words;
//! impl Face for Words {
//!     type Handle = &'static str;
//!     type Request = ();
//!     type Bytes = Vec<u8>;
//! }
//!
//! let mut core = Loop::<Words>::new()?;
//! let timer = core.timer_open("tick");
//! core.timer_start(timer, 1, 0)?;
//! let mut said = Vec::new();
//! while let Some(event) = core.next(RunMode::Default) {
//!     match event {
//!         Event::Timer(id) => {
//!             said.push(*core.face(id).unwrap());
//!             core.close(id)?;
//!         }
//!         Event::Closed(word) => said.push(word),
//!         _ => {}
//!     }
//! }
//! assert_eq!(said, ["tick", "tick"]);
//! # Ok::<(), phasor_core::Errno>(())
//! ```
//!
//! Nothing here runs user code, and nothing is borrowed while a face does. What must not live here: system calls
//! (they are in `phasor-sys`), callbacks (they are the faces'), and the inner scheduler of JavaScript.
#![forbid(unsafe_code)]

mod alive;
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
mod slab;
mod spin;
mod state;
mod sync;
mod walk;

pub use phasor_sys::random::{fill as random_fill, fill_uninit as random_fill_uninit};
pub use phasor_sys::socket::{
    Address, BATCH as UDP_BATCH, CHUNK_BYTES as UDP_CHUNK_BYTES, Datagram, Domain, Interface, Keepalive, Membership,
    Outgoing, UdpBind, UnixName, pair as socket_pair, pipe as pipe_pair, stream_pair,
};
pub use phasor_sys::spawn::{ExitStatus, disable_stdio_inheritance, kill};
pub use phasor_sys::tty::{
    Kind as FdKind, Mode as TtyMode, guess_kind as guess_fd_kind, reset_mode as tty_reset_mode,
    reset_mode_at_exit as tty_reset_mode_at_exit,
};
pub use phasor_sys::{Errno, Fd, ReadBuf, Result, dns, file};

pub use self::alive::Reason;
pub use self::event::{Event, EventKind, Outcome, Refused};
pub use self::face::{Buffers, Face};
pub use self::handles::{FsChange, FsPollChange, HandleId, HandleView, Kind, Received, Spawn, Stdio, TcpBind};
pub use self::observe::{Metrics, ObservedEvent, Observer, TaskSpan};
pub use self::phase::{Phase, RunMode};
pub use self::platform::{Os, Platform, Readiness, Ready, Ring, Sim};
pub use self::pool::{Class, Job, Ticket, shut_pool_down};
pub use self::remote::{AsyncSender, Remote};
pub use self::requests::{FsDone, FsOp, FsValue, RequestId, RequestKind, WorkFailure, fs_path};
pub use self::state::Loop;
