//! Random small programs of timers, immediates, ticks, promises, messages and exceptions, written as JavaScript, and a model of
//! Node's rules that predicts the order of their callbacks.
//!
//! A program is a tree. [`generate`] makes one from a seed or from a fuzzer's bytes, [`script`] writes several as one file, [`play`]
//! predicts the output of such a file, [`shrink`] makes a program smaller while it still fails.
//!
//! Only programs with a single legal order are useful. Time is divided into units that are much longer than a callback: delays are
//! whole units, and a program waits by blocking for whole units. If the order depends on milliseconds, the model returns a [`Doubt`],
//! and the program is not used. Other crates run the scripts.
#![forbid(unsafe_code)]

mod generate;
mod model;
mod script;
mod shrink;

pub use self::generate::{Bytes, Seed, Source, clear_program, generate};
pub use self::model::{Doubt, play};
pub use self::script::{orders, script, show};
pub use self::shrink::shrink;

/// A program: its first body and its listeners for exceptions and rejections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// How the body is called.
    pub root: Root,
    /// Whether there is a listener for 'unhandledRejection'. Without one, a rejection is an uncaught exception.
    pub listens: bool,
    /// The body that runs first.
    pub body: Body,
    /// The bodies of the listeners for exceptions and rejections, one per call. They do not throw.
    pub answers: Vec<Body>,
}

/// How the first body is called. All ways but `Main` avoid the race between timers and immediates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// From the main script. Only one program of a file can have it.
    Main,
    /// From an immediate.
    Immediate,
    /// From a timer that the loop slept for.
    Timer,
    /// From a message, in the poll phase.
    Message,
}

/// The body of a function. It prints its number first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Set by [`Program::number`]; unique in a program.
    pub number: u32,
    /// The operations, in order.
    pub ops: Vec<Op>,
}

/// Selects a timer, immediate or promise by index, modulo their number. If there is none, the operation does nothing.
pub type Pick = u8;

/// An operation of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// `process.nextTick`
    Tick(Body),
    /// `queueMicrotask`
    Microtask(Body),
    /// `setImmediate`
    Immediate(Body),
    /// `setTimeout`, with a delay in units
    Timeout(u8, Body),
    /// `setInterval`, with a delay in units; cleared by its n-th call
    Interval(u8, u8, Body),
    /// `port.postMessage`; the message is received in the poll phase
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
    /// Calls an async function: its body up to the first `await`, then the rest.
    Async(Body, Vec<Stage>, End),
    /// Blocks for a number of units.
    Advance(u8),
    /// Throws; the rest of the body is skipped.
    Throw,
}

/// The initial state of a promise.
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
    /// Fulfilled with `undefined`.
    Value,
    /// Rejected.
    Error,
    /// Resolved with another promise or itself.
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

/// The return value of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `undefined`.
    Value,
    /// A promise.
    Promise(Pick),
}

/// A part of an async function: an `await` and the statements after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The awaited value.
    pub awaits: Awaits,
    /// Whether the `await` is in a `try` with a `catch`.
    pub caught: bool,
    /// The statements after it.
    pub body: Body,
}

/// An awaited value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// A plain value.
    Value,
    /// A promise.
    Promise(Pick),
    /// An object whose `then` calls its callback at once.
    Thenable,
}

impl Program {
    /// Numbers the bodies in source order.
    pub fn number(&mut self) {
        let mut next = 0;
        self.body.assign_numbers(&mut next);
        for answer in &mut self.answers {
            answer.assign_numbers(&mut next);
        }
    }
}

impl Body {
    fn assign_numbers(&mut self, next: &mut u32) {
        self.number = *next;
        *next += 1;
        for op in &mut self.ops {
            for body in op.bodies_mut() {
                body.assign_numbers(next);
            }
        }
    }
}

impl Op {
    /// The direct inner bodies, in source order.
    pub(crate) fn bodies_mut(&mut self) -> Vec<&mut Body> {
        match self {
            Op::Tick(body)
            | Op::Microtask(body)
            | Op::Immediate(body)
            | Op::Timeout(_, body)
            | Op::Interval(_, _, body)
            | Op::Message(body) => vec![body],
            Op::Then(_, on_fulfilled, on_rejected) => {
                [on_fulfilled, on_rejected].into_iter().flatten().map(|handler| &mut handler.body).collect()
            }
            Op::Async(first, stages, _) => {
                std::iter::once(first).chain(stages.iter_mut().map(|stage| &mut stage.body)).collect()
            }
            _ => Vec::new(),
        }
    }
}
