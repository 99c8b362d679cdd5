//! The types that this crate plugs into the core's `Face` trait: the closures of a program, boxed once.
//!
//! # Ground rules
//! - A handle has one closure for all its events. The closure is taken out of the handle while it is called, so that it
//!   can borrow the loop, and put back afterwards, also after a panic, unless the handle was closed or got another
//!   closure meanwhile.
//! - A closure with an argument is wrapped in the file of its handle type, and the wrapper unpacks its own variant of
//!   [`HandleEvent`]. The core emits only a handle type's own events, so other variants never arrive.

use phasor_core::{ExitStatus, Face, FsChange, FsPollChange, HandleId, Outcome, Readiness, Result};

use crate::Loop;
use crate::bytes::Bytes;
use crate::stream::Read;
use crate::udp::Datagram;

/// The Rust front end, as the core's `Face` type.
pub(crate) struct RustFace;

impl Face for RustFace {
    type Handle = Hooks;
    type Request = Completion;
    type Bytes = Bytes;
}

/// The closure of a handle, called at each of its events.
pub(crate) type Hook = Box<dyn FnMut(&mut Loop, HandleId, &HandleEvent<'_>)>;

/// The closure of a request, called once with its outcome.
pub(crate) type Completion = Box<dyn FnOnce(&mut Loop, Outcome<RustFace>)>;

/// The closure of `close_then`, called once in the closing phase.
pub(crate) type AfterClose = Box<dyn FnOnce(&mut Loop)>;

/// The closures of a handle.
#[derive(Default)]
pub(crate) struct Hooks {
    /// `None` before the handle is started, and while the closure runs.
    pub(crate) hook: Option<Hook>,
    /// True once a closure was set: `hook` is `None` while the closure runs, although the handle has one.
    pub(crate) was_set: bool,
    pub(crate) after_close: Option<AfterClose>,
}

/// An event of a handle, with its arguments. `Copy` and without drop, because every call passes it.
#[derive(Clone, Copy)]
pub(crate) enum HandleEvent<'a> {
    /// An event without arguments: timers, idle, prepare, check and async handles.
    Turn,
    /// A polled descriptor is ready, or polling it failed.
    Ready(Result<Readiness>),
    /// A listener has a connection to accept.
    Connection,
    /// The result of reading a stream.
    Read(Result<Read<'a>>),
    /// The result of receiving a datagram.
    Datagram(Result<Datagram<'a>>),
    /// A child process has ended.
    Exit(ExitStatus),
    /// A watched file changed (inotify).
    FsEvent(&'a FsChange),
    /// The metadata of a polled file differs from the last poll.
    FsPoll(&'a FsPollChange),
    /// A signal was delivered.
    Signal(i32),
}
