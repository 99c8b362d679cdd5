//! Random small programs made of timers, immediates, ticks, promises, messages, throws and clears: written as JavaScript,
//! and played by a model of Node's rules that says in which order their callbacks run.
//!
//! A program is a tree. [`generate`] grows one from a seed or from a fuzzer's bytes, [`script`] writes many as one file,
//! [`play`] tells what such a file must print, [`shrink`] makes a program smaller for as long as a difference stays.
//!
//! Only programs with one legal order are of use. Time is cut into units, far longer than a callback takes: delays are
//! whole units, and a program waits by blocking for whole units. Where a millisecond more or less would still decide, the
//! model says so ([`Doubt`]), and the program is left out. What runs a script is not known here.
#![forbid(unsafe_code)]

mod generate;
mod model;
mod script;
mod shrink;

pub use self::generate::{Bytes, Seed, Source, clear_program, generate};
pub use self::model::{Doubt, play};
pub use self::script::{orders, script, show};
pub use self::shrink::shrink;

/// A program: what is done first and where, and what is done when something goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// From where the body is called.
    pub root: Root,
    /// Whether there is a listener for 'unhandledRejection'. Without one, a rejection is an uncaught exception.
    pub listens: bool,
    /// What is done first.
    pub body: Body,
    /// What listeners for exceptions and rejections do, one for each time one of them is called. These do not throw.
    pub answers: Vec<Body>,
}

/// From where the body is called. Ways without a race between timers and immediates are all but the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The main script. Only one program of a file can have it.
    Main,
    /// An immediate.
    Immediate,
    /// A timer that the loop slept for.
    Timer,
    /// A message, delivered in the poll phase.
    Message,
}

/// A function's body. It prints its number when it is entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Given by [`Program::number`]; no two bodies of a program have the same.
    pub number: u32,
    /// What it does.
    pub ops: Vec<Op>,
}

/// Which of the timers, immediates or promises that there are, counted round. If there is none, nothing happens.
pub type Pick = u8;

/// One thing that a body does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// `process.nextTick`
    Tick(Body),
    /// `queueMicrotask`
    Microtask(Body),
    /// `setImmediate`
    Immediate(Body),
    /// `setTimeout`, after so many units
    Timeout(u8, Body),
    /// `setInterval`, every so many units, cleared by its call of this number
    Interval(u8, u8, Body),
    /// `port.postMessage`, answered in the poll phase
    Message(Body),
    /// `clearTimeout`
    Clear(Pick),
    /// `timeout.refresh()`
    Refresh(Pick),
    /// `timeout.unref()`
    Unref(Pick),
    /// `timeout.ref()`
    Ref(Pick),
    /// `clearImmediate`
    ClearImmediate(Pick),
    /// `immediate.unref()`
    UnrefImmediate(Pick),
    /// `immediate.ref()`
    RefImmediate(Pick),
    /// A new promise.
    Promise(Fate),
    /// Settles a promise that was made pending.
    Settle(Pick, Settlement),
    /// `promise.then`
    Then(Pick, Option<Handler>, Option<Handler>),
    /// A call of an async function: its body up to the first await, then the rest.
    Async(Body, Vec<Stage>, End),
    /// Blocks for so many units.
    Advance(u8),
    /// Throws; what follows in the body is not done.
    Throw,
}

/// How a promise begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Undecided.
    Pending,
    /// Fulfilled.
    Fulfilled,
    /// Rejected.
    Rejected,
}

/// What a promise is settled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// Fulfilled with nothing.
    Value,
    /// Rejected.
    Error,
    /// Resolved with another promise, or itself.
    Promise(Pick),
}

/// A reaction to a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// What it does.
    pub body: Body,
    /// What it returns.
    pub end: End,
}

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing.
    Value,
    /// A promise.
    Promise(Pick),
}

/// A part of an async function: an await, and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What is awaited.
    pub awaits: Awaits,
    /// Whether a rejection is caught.
    pub caught: bool,
    /// What follows.
    pub body: Body,
}

/// What is awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// A plain value.
    Value,
    /// A promise.
    Promise(Pick),
    /// An object with a `then` that calls back at once.
    Thenable,
}

impl Program {
    /// Numbers the bodies in the order in which they are written.
    pub fn number(&mut self) {
        let mut next = 0;
        self.body.give_numbers(&mut next);
        for answer in &mut self.answers {
            answer.give_numbers(&mut next);
        }
    }
}

impl Body {
    fn give_numbers(&mut self, next: &mut u32) {
        self.number = *next;
        *next += 1;
        for op in &mut self.ops {
            for body in op.bodies_mut() {
                body.give_numbers(next);
            }
        }
    }
}

impl Op {
    /// The bodies right below, in the order in which they are written.
    pub(crate) fn bodies_mut(&mut self) -> Vec<&mut Body> {
        match self {
            Op::Tick(body)
            | Op::Microtask(body)
            | Op::Immediate(body)
            | Op::Timeout(_, body)
            | Op::Interval(_, _, body)
            | Op::Message(body) => vec![body],
            Op::Then(_, kept, broken) => {
                [kept, broken].into_iter().flatten().map(|handler| &mut handler.body).collect()
            }
            Op::Async(first, stages, _) => {
                std::iter::once(first).chain(stages.iter_mut().map(|stage| &mut stage.body)).collect()
            }
            _ => Vec::new(),
        }
    }
}
