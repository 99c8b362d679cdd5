//! Runs one script of operations on the real loop and on a naive model, step by step.
//!
//! The test `tests/loop_script.rs` and the fuzzer `fuzz/fuzz_targets/loop_script.rs` both include this folder. What
//! must not live here: the generation of scripts.

mod compare;
mod naive;
mod real;
pub(crate) mod script;

pub(crate) use self::compare::check;

/// An event in a form common to both sides. Handles and requests are numbered in the order of their creation.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Observed {
    Timer(usize),
    Watcher(script::Watcher, usize),
    Async(usize),
    Ready(usize, Result<u32, i32>),
    Done(usize, Result<(), i32>),
    Closed(usize),
    /// An event that no script can cause.
    Unexpected(String),
}

/// An operation with its handles chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Open(script::Kind),
    OpenPoll(i32),
    TimerStart(usize, u64, u64),
    TimerStop(usize),
    TimerAgain(usize),
    TimerSetRepeat(usize, u64),
    Start(script::Watcher, usize),
    Stop(script::Watcher, usize),
    Send(usize),
    /// With a sender that may have outlived its handle.
    SendKept(usize),
    PollStart(usize, u32),
    PollStop(usize),
    Ready(i32, u32),
    ReadyIn(u64, i32, u32),
    SetRef(usize, bool),
    Close(usize),
    Advance(u64),
    UpdateTime,
    StopRun,
    Work,
    Cancel(usize),
}

/// The result of an operation: success or an error number.
type OpResult = Result<(), i32>;

/// The visible state of a loop and its platform between two steps.
#[derive(Debug, Default, PartialEq, Eq)]
struct View {
    now_ms: u64,
    clock_ms: u64,
    alive: bool,
    backend_timeout: Option<u64>,
    fault: bool,
    /// The handles that are not closed, oldest first.
    order: Vec<usize>,
    /// For every handle ever opened: active, referenced, closing.
    flags: Vec<(bool, bool, bool)>,
    /// For every handle ever opened: time until due, repeat interval.
    times: Vec<Result<(u64, u64), i32>>,
    /// Sorted.
    reasons: Vec<AliveReason>,
    /// The interest that the platform has registered, by descriptor.
    interests: Vec<Option<u32>>,
}

/// A reason why a loop is alive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AliveReason {
    Handle(usize),
    Request(usize),
    Closing(usize),
    Unexpected(String),
}
