//! libuv's event loop with a safe Rust API: closures on handles.
//!
//! # A first program
//!
//! ```
//! use std::time::Duration;
//! use phasor::{Loop, RunMode};
//!
//! let mut l = Loop::new()?;
//! let mut left = 3;
//! l.every(Duration::from_millis(10), move |l, timer| {
//!     println!("{left}");
//!     left -= 1;
//!     if left == 0 {
//!         timer.close(l);
//!     }
//! });
//! l.run(RunMode::Default)?;
//! # Ok::<(), phasor::Errno>(())
//! ```
//!
//! # How it works
//!
//! A program opens *handles* on a [`Loop`] (a [`Timer`], a [`Tcp`] socket, …) and gives each a closure, its callback.
//! Then it [runs](Loop::run) the loop, which calls the closures when their events occur, one at a time, on the thread
//! that runs the loop. `run` returns when no active handle and no request is left that could cause a call.
//!
//! - **A handle is named by an id**, a small [`Copy`] value such as [`Timer`]. It borrows nothing; its methods take the
//!   loop: `timer.stop(&mut l)`. Every closure gets the loop and the id of its own handle, so it can start, stop and
//!   close any handle, its own included, open others, and replace the closure that is running.
//! - **A handle lives until it is closed**, by `close` or `close_then`. Operations on the id of a closed handle fail
//!   with `EBADF`; the id never refers to another handle of the loop. An id must not be used with another loop.
//! - **A request** (a write, a file operation, [`work`]) is one operation, and calls its `FnOnce` closure once. It
//!   keeps the loop alive until then.
//! - **Errors are values** of [`Errno`], which `?` converts to [`std::io::Error`].
//! - **Times are [`Duration`](std::time::Duration)s**, rounded up to whole milliseconds.
//!
//! | purpose | items |
//! |---|---|
//! | timers | [`Timer`], [`Loop::after`], [`Loop::every`] |
//! | a call in every turn of the loop | [`Idle`], [`Prepare`], [`Check`] |
//! | connections | [`Tcp`], [`Pipe`] (Unix sockets), [`Tty`]; each converts to a [`Stream`] |
//! | datagrams | [`Udp`] |
//! | readiness of other libraries' descriptors | [`Poll`] |
//! | other threads, the thread pool | [`Async`], [`Loop::channel`], [`work`] |
//! | child processes and signals | [`process::Command`], [`signal::on`] |
//! | files | [`fs`] for operations, [`FsEvent`] and [`FsPoll`] for watching |
//! | DNS lookups, random bytes | [`dns`], [`random`] |
//!
//! The examples are complete programs: `cargo run --example phases`, and `echo`, `chat`, `copy`, `child`.
//!
//! # Observing the loop
//!
//! Each turn (iteration) of the loop walks libuv's seven [phases](Phase): timers, pending, idle, prepare, poll, check,
//! closing. An [`Observer`] is notified of each phase and event, [`Loop::why_alive`] lists what keeps the loop alive and
//! [`Loop::why_report`] describes it,
//! [`Loop::metrics`] returns counters, and [`Loop::simulated`] runs timers, polled descriptors and pool work in virtual
//! time.
//!
//! # Scope of this crate
//!
//! This is the Rust front end of `phasor-core`, which decides which event comes next; this crate makes the calls.
//! Decisions about order and system calls do not belong here.
#![forbid(unsafe_code)]

mod asyncs;
mod bytes;
pub mod dns;
mod face;
pub mod fs;
mod handle;
#[cfg(doctest)]
mod pages;
mod pipe;
mod poll;
pub mod process;
mod run;
pub mod signal;
mod stream;
mod tcp;
mod timer;
mod tty;
mod udp;
mod watch;
mod watcher;
mod work;

pub use phasor_core::{
    AsyncSender, Errno, EventKind, ExitStatus, FsChange, FsPollChange, HandleId, HandleView, Interface, Kind,
    Membership, Metrics, ObservedEvent, Observer, Phase, Platform, Readiness, Reason, Remote, RequestId, RequestKind,
    Result, RunMode, Sim, TaskSpan, TcpBind, UdpBind,
};

/// Tools for a loop and its process: reports, recordings, the control socket.
pub use phasor_lens as lens;

pub use self::asyncs::{Async, Sender};
pub use self::bytes::Bytes;
pub use self::pipe::Pipe;
pub use self::poll::Poll;
pub use self::process::Process;
pub use self::run::Loop;
pub use self::signal::Signal;
pub use self::stream::{Read, Stream};
pub use self::tcp::Tcp;
pub use self::timer::Timer;
pub use self::tty::{Tty, TtyMode, tty_reset_mode};
pub use self::udp::{Datagram, Udp};
pub use self::watch::{FsEvent, FsPoll};
pub use self::watcher::{Check, Idle, Prepare};
pub use self::work::{random, work};

/// Runs the programs in the README as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
