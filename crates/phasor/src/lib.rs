//! libuv's event loop with a safe API: closures on handles.
//!
//! # The first program
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
//! A program opens *handles* on a [`Loop`] (a [`Timer`], a [`Tcp`] socket, …) and gives each a closure. Then it
//! [runs](Loop::run) the loop, which calls the closures when their time has come, one at a time, on the thread that
//! runs it. The run is over when nothing is left that could cause a call.
//!
//! - **A handle is named by an id**, a small [`Copy`] value such as [`Timer`]. It borrows nothing; its methods take the
//!   loop: `timer.stop(&mut l)`. Every closure is given the loop and the id of its own handle, so it can do
//!   everything: start, stop and close any handle, also its own, open others, and replace the closure it is running in.
//! - **A handle lives until it is closed**, with `close` or `close_then`. The id of a closed handle is refused
//!   (`EBADF`), never mistaken for another handle of the loop. An id means nothing to another loop.
//! - **A request** (a write, a file operation, [`work`]) is made once and calls its `FnOnce` closure once. It cannot be forgotten:
//!   the loop stays alive until then.
//! - **Errors are values**: [`Errno`], which turns into [`std::io::Error`] with `?`.
//! - **Times are [`Duration`](std::time::Duration)s**, rounded up to whole milliseconds.
//!
//! | for | there is |
//! |---|---|
//! | time | [`Timer`], [`Loop::after`], [`Loop::every`] |
//! | every turn of the loop | [`Idle`], [`Prepare`], [`Check`] |
//! | connections | [`Tcp`], [`Pipe`] (Unix sockets), [`Tty`]; any of them is a [`Stream`] |
//! | datagrams | [`Udp`] |
//! | other libraries' descriptors | [`Poll`] |
//! | other threads | [`Async`], [`Loop::channel`], [`work`] |
//! | children and signals | [`process::Command`], [`signal::on`] |
//! | files | [`fs`] for operations, [`FsEvent`] and [`FsPoll`] for changes |
//! | names, random bytes | [`dns`], [`random`] |
//!
//! The examples are whole programs: `cargo run --example phases`, and `echo`, `chat`, `copy`, `child`.
//!
//! # Seeing inside
//!
//! Each turn of the loop goes through libuv's seven [phases](Phase): timers, pending, idle, prepare, poll, check,
//! closing. An [`Observer`] sees them go by, [`Loop::why_alive`] tells why a run does not end, [`Loop::metrics`] what
//! was counted, and [`Loop::simulated`] runs timers, polled descriptors and pool work in virtual time.
//!
//! # What lives here
//!
//! The Rust face of `phasor-core`, which decides what is next; this crate makes the calls. What must not live here: any
//! decision about order, and any system call.
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

/// The programs of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
