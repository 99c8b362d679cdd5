//! One script of operations, done on the real loop and on a naive model of it, step by step.
//!
//! The everyday test (`tests/loop_script.rs`) and the fuzzer (`fuzz/fuzz_targets/loop_script.rs`) both include this folder.
//! What must not live here: where scripts come from.

mod compare;
mod naive;
mod real;
pub(crate) mod script;

pub(crate) use self::compare::check;

/// An event as both sides tell it, with handles and requests by the number of their opening.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Observed {
    Timer(usize),
    Watcher(script::Watcher, usize),
    Async(usize),
    Ready(usize, Result<u32, i32>),
    Done(usize, Result<(), i32>),
    Closed(usize),
    /// What no script can cause.
    Unexpected(String),
}

/// An operation whose handles are chosen.
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
    /// By a sender that may have outlived its handle.
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

/// What an operation answers: nothing, or an error number.
type OpResult = Result<(), i32>;

/// Everything that can be seen of a loop and its world between two steps.
#[derive(Debug, Default, PartialEq, Eq)]
struct View {
    now_ms: u64,
    clock_ms: u64,
    alive: bool,
    backend_timeout: Option<u64>,
    fault: bool,
    /// The numbers of the handles that are not forgotten, oldest first.
    order: Vec<usize>,
    /// Of every handle there ever was: active, has a reference, is closing.
    flags: Vec<(bool, bool, bool)>,
    /// Of every handle there ever was: due in, repeats every.
    times: Vec<Result<(u64, u64), i32>>,
    /// Sorted.
    reasons: Vec<AliveReason>,
    /// What the world was told to watch, by descriptor.
    interests: Vec<Option<u32>>,
}

/// Why a loop is alive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AliveReason {
    Handle(usize),
    Request(usize),
    Closing(usize),
    Unexpected(String),
}
