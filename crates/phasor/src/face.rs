//! What this crate hangs on the hooks of the core: the closures of a program, boxed once when they are given.
//!
//! # Ground rules
//! - A handle has one closure for what happens to it. It is taken out while it is called, so that it may use the loop,
//!   and put back after, also when it panics, unless the handle is gone or was given another one meanwhile.
//! - The closure of a kind with an argument is wrapped when it is given, in the file of that kind, and unpacks its own
//!   variant of [`Happening`]. The core hands a kind only its own events, so the other variants never come.

use phasor_core::{ExitStatus, Face, FsChange, FsPollChange, HandleId, Outcome, Readiness, Result};

use crate::Loop;
use crate::bytes::Bytes;
use crate::stream::Read;
use crate::udp::Datagram;

/// This crate, seen from the core.
pub(crate) struct RustFace;

impl Face for RustFace {
    type Handle = Hooks;
    type Request = Finish;
    type Bytes = Bytes;
}

/// Called whenever something happens to a handle.
pub(crate) type Hook = Box<dyn FnMut(&mut Loop, HandleId, &Happening<'_>)>;

/// Called once, with the outcome of a request.
pub(crate) type Finish = Box<dyn FnOnce(&mut Loop, Outcome<RustFace>)>;

/// Called once, when a handle is closed.
pub(crate) type AfterClose = Box<dyn FnOnce(&mut Loop)>;

/// What hangs on a handle.
#[derive(Default)]
pub(crate) struct Hooks {
    /// Empty before the handle is started, and while the closure runs.
    pub(crate) hook: Option<Hook>,
    /// Whether there ever was a closure: while it runs it is not here, but the handle is not without one.
    pub(crate) given: bool,
    pub(crate) after_close: Option<AfterClose>,
}

/// What happened to a handle. Small, copied and never dropped, because it goes by in every call.
#[derive(Clone, Copy)]
pub(crate) enum Happening<'a> {
    /// Its turn: timers, idle, prepare, check and async handles.
    Turn,
    /// A polled descriptor is ready.
    Ready(Result<Readiness>),
    /// A listener has a connection.
    Connection,
    /// A stream was read.
    Read(Result<Read<'a>>),
    /// A datagram has come.
    Datagram(Result<Datagram<'a>>),
    /// A child has ended.
    Exit(ExitStatus),
    /// A watched file changed.
    FsEvent(&'a FsChange),
    /// A polled file is not as it was.
    FsPoll(&'a FsPollChange),
    /// A signal was delivered.
    Signal(i32),
}
