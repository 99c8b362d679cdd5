//! The model of a trace: what recordings say, put into relation.
//!
//! A [`Trace`] is built from the recordings of the processes of one run. Records become callbacks with a parent, a cause and
//! a duration, requests with their way through the pool, timers with their lateness. All times are nanoseconds since the
//! start of the trace, which is the start of its first process. Locations, stacks and labels have one numbering for all
//! threads.
//!
//! Building takes time linear in the number of records, but for binary searches, and accepts any records: ends without
//! begins, lost records, ids that nothing defines.

mod build;
mod totals;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use phasor_core::Phase;

use crate::definition::{Location, ProcessInfo, ThreadInfo};
use crate::record::{CallbackKind, CounterKind, FindingKind, ResourceId, ResourceKind, SpanKind};

pub use self::totals::{FileTotal, LocationTotal, PhaseTotal, PoolTotal};

/// What the recordings of one run say.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The processes, the first one first.
    pub processes: Vec<Process>,
    /// The threads with loops, of all processes.
    pub threads: Vec<Thread>,
    /// All locations; [`LocationId`] is an index. The first is empty and means that the location is unknown.
    pub locations: Vec<Location>,
    /// All stacks, the innermost call first; [`StackId`] is an index. The first is empty.
    pub stacks: Vec<Vec<LocationId>>,
    /// All labels; [`LabelId`] is an index. The first is empty.
    pub labels: Vec<String>,
    /// Messages between threads, in the order in which they were sent.
    pub messages: Vec<Message>,
    /// The start of the trace, in nanoseconds since the Unix epoch.
    pub started_unix_ns: u64,
    /// The time of the last record.
    pub end_ns: u64,
}

/// The number of a location in [`Trace::locations`]. 0 means unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(pub u32);

/// The number of a stack in [`Trace::stacks`]. 0 means unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackId(pub u32);

/// The number of a label in [`Trace::labels`]. 0 means none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

impl LocationId {
    /// Whether the location is known.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

impl StackId {
    /// Whether the stack is known.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

impl LabelId {
    /// Whether there is a label.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

/// A callback of a trace: a thread in [`Trace::threads`] and an index in [`Thread::callbacks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallbackRef {
    /// The thread.
    pub thread: u32,
    /// The index of the callback.
    pub index: u32,
}

/// A recorded process.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// Its id, its arguments, its runtime.
    pub info: ProcessInfo,
    /// The start of its recording.
    pub start_ns: u64,
    /// Indices of its threads in [`Trace::threads`].
    pub threads: Vec<u32>,
    /// The threads of its pool that have run a task, by number.
    pub pool: Vec<PoolThread>,
    /// False if its file ends early.
    pub is_complete: bool,
}

/// A thread of the pool of a process.
#[derive(Clone, Debug, Default)]
pub struct PoolThread {
    /// Its number, from 1.
    pub number: u16,
    /// The tasks that it has run, in the order of their start.
    pub tasks: Vec<PoolTask>,
}

/// A task that a thread of the pool has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolTask {
    /// When it was queued.
    pub queued_ns: u64,
    /// When it started.
    pub begin_ns: u64,
    /// When it finished.
    pub end_ns: u64,
    /// The thread whose loop asked for it.
    pub thread: u32,
    /// The request, in [`Thread::requests`] of that thread; `None` if its beginning is not recorded.
    pub request: Option<u32>,
}

impl PoolTask {
    /// How long it waited in the queue.
    pub fn wait_ns(&self) -> u64 {
        self.begin_ns - self.queued_ns
    }

    /// How long it ran.
    pub fn duration_ns(&self) -> u64 {
        self.end_ns - self.begin_ns
    }
}

/// A thread with a loop. All lists are ordered by time.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// The index of its process in [`Trace::processes`].
    pub process: u32,
    /// Its name and its id of the operating system.
    pub info: ThreadInfo,
    /// The time of its first record.
    pub start_ns: u64,
    /// The time of its last record.
    pub end_ns: u64,
    /// The callbacks, ordered by their begin; a callback comes before those within it.
    pub callbacks: Vec<Callback>,
    /// The phases in which a callback ran.
    pub phases: Vec<PhaseSpan>,
    /// The turns of the loop.
    pub turns: Vec<Turn>,
    /// The polls: when the loop waited, or looked without waiting.
    pub polls: Vec<Poll>,
    /// Handles, timers and whatever else was made on this thread, in the order in which records name them first.
    pub resources: Vec<Resource>,
    /// The requests, in the order of their beginning.
    pub requests: Vec<Request>,
    /// When timers fired, ordered by callback.
    pub timer_fires: Vec<TimerFire>,
    /// The spans, in the order of their beginning.
    pub spans: Vec<Span>,
    /// The marks of the program.
    pub marks: Vec<Mark>,
    /// The values of counters.
    pub counters: Vec<CounterValue>,
    /// The garbage collections.
    pub collections: Vec<Collection>,
    /// What detectors in the runtime have found.
    pub findings: Vec<Finding>,
    /// Where records were lost.
    pub losses: Vec<Loss>,
    /// Resources by id.
    resource_index: IdMap,
}

/// A callback that has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callback {
    /// When it began.
    pub begin_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// Why it ran; `None` for a kind that this version does not know.
    pub kind: Option<CallbackKind>,
    /// It threw an exception.
    pub threw: bool,
    /// Its end is not recorded: records were lost, or the recording ends in it. `end_ns` is when it was last seen.
    pub is_cut: bool,
    /// How many callbacks contain it.
    pub depth: u16,
    /// The callback that contains it, an index in [`Thread::callbacks`].
    pub parent: Option<u32>,
    /// The function that ran.
    pub location: LocationId,
    /// The resource that it belongs to, or 0.
    pub resource: ResourceId,
    /// How many ticks ran in it without a record of their own.
    pub ticks: u32,
    /// How many microtasks ran in it without a record of their own.
    pub microtasks: u32,
    /// How much of its time callbacks within it took.
    pub inner_ns: u64,
    /// Which code asked for it.
    pub cause: Option<Cause>,
}

impl Callback {
    /// How long it ran.
    pub fn duration_ns(&self) -> u64 {
        self.end_ns - self.begin_ns
    }

    /// How long it ran without the callbacks within it.
    pub fn self_ns(&self) -> u64 {
        self.duration_ns().saturating_sub(self.inner_ns)
    }
}

/// The code that asked for a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What it did.
    pub kind: CauseKind,
    /// When.
    pub at_ns: u64,
    /// Its stack, or 0.
    pub stack: StackId,
    /// The thread on which it ran.
    pub thread: u32,
    /// The innermost callback in which it ran, on that thread; `None` if it ran outside of callbacks.
    pub callback: Option<u32>,
}

/// What code did that caused a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CauseKind {
    /// It queued the callback: a tick, a microtask, an immediate.
    Queued,
    /// It started the timer.
    TimerStarted,
    /// It began the request.
    RequestBegun,
    /// It made the resource.
    Created,
    /// It sent the message.
    MessageSent,
}

impl CauseKind {
    /// All values.
    pub const ALL: [CauseKind; 5] = [
        CauseKind::Queued,
        CauseKind::TimerStarted,
        CauseKind::RequestBegun,
        CauseKind::Created,
        CauseKind::MessageSent,
    ];

    /// The name that people see.
    pub const fn name(self) -> &'static str {
        match self {
            CauseKind::Queued => "queued",
            CauseKind::TimerStarted => "timer started",
            CauseKind::RequestBegun => "request begun",
            CauseKind::Created => "created",
            CauseKind::MessageSent => "message sent",
        }
    }
}

/// A phase of a turn in which a callback ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSpan {
    /// Which.
    pub phase: Phase,
    /// When its first callback began.
    pub begin_ns: u64,
    /// When it ended.
    pub end_ns: u64,
}

impl PhaseSpan {
    /// How long it took.
    pub fn duration_ns(&self) -> u64 {
        self.end_ns - self.begin_ns
    }
}

/// A turn of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its number, from 1.
    pub number: u64,
    /// When it began.
    pub begin_ns: u64,
    /// When the next one began, or the last record of the thread.
    pub end_ns: u64,
}

/// A poll for events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poll {
    /// When it began.
    pub begin_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// How long it would have waited at most, in milliseconds; `None` means without a limit.
    pub timeout_ms: Option<u32>,
    /// How many descriptors were ready, and wakes.
    pub ready: u32,
}

impl Poll {
    /// How long the thread was in the poll.
    pub fn duration_ns(&self) -> u64 {
        self.end_ns - self.begin_ns
    }

    /// Whether it could wait.
    pub fn blocks(&self) -> bool {
        self.timeout_ms != Some(0)
    }
}

/// A handle, a timer, a promise: what records name by a [`ResourceId`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its id, unique on its thread.
    pub id: ResourceId,
    /// What it is; `None` if its creation is not recorded.
    pub kind: Option<ResourceKind>,
    /// When it was made, if that is recorded.
    pub created_ns: Option<u64>,
    /// The stack of the code that made it, or 0.
    pub stack: StackId,
    /// The innermost callback in which it was made.
    pub created_by: Option<u32>,
    /// The resource that it belongs to, or 0.
    pub owner: ResourceId,
    /// When it was closed, if it was.
    pub closed_ns: Option<u64>,
    /// How often a timer was started on it.
    pub starts: u32,
    /// The interval of a timer that repeats, or 0.
    pub repeat_ms: u32,
    /// How many callbacks have run for it.
    pub callbacks: u32,
    /// The last request with this id, in [`Thread::requests`].
    pub request: Option<u32>,
    /// What is known of it: an address, a path, a command.
    pub description: String,
}

/// A request: an operation that completes once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its id, unique on its thread.
    pub id: ResourceId,
    /// What it is; `None` for a kind that this version does not know.
    pub kind: Option<ResourceKind>,
    /// When it was begun.
    pub begin_ns: u64,
    /// The stack of the code that began it, or 0.
    pub stack: StackId,
    /// The innermost callback in which it was begun.
    pub begun_by: Option<u32>,
    /// The handle that it belongs to, or 0.
    pub handle: ResourceId,
    /// The pool thread that ran it, and when: its number, from 1, the start and the end.
    pub pool: Option<(u16, u64, u64)>,
    /// The callback that got the result.
    pub callback: Option<u32>,
}

/// A timer that has fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerFire {
    /// Its callback.
    pub callback: u32,
    /// When it was due.
    pub due_ns: u64,
    /// How much later its callback began.
    pub late_ns: u64,
    /// The delay it was started with, or its interval.
    pub delay_ms: u32,
    /// Whether it repeats.
    pub repeats: bool,
}

/// A span: an operation that callbacks interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its id, unique in the process.
    pub id: ResourceId,
    /// What it is; `None` for a kind that this version does not know.
    pub kind: Option<SpanKind>,
    /// Its name.
    pub label: LabelId,
    /// When it began.
    pub begin_ns: u64,
    /// When it ended; `None` if it has not ended in the recording.
    pub end_ns: Option<u64>,
    /// The HTTP status, or an exit code.
    pub status: u32,
    /// Bytes, or 0.
    pub bytes: u64,
    /// The resource that it belongs to, or 0.
    pub owner: ResourceId,
    /// The innermost callback in which it began.
    pub callback: Option<u32>,
}

/// A message from one thread to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The index of the process in [`Trace::processes`].
    pub process: u32,
    /// The id of the flow, unique in the process.
    pub flow: u64,
    /// The port.
    pub port: u64,
    /// Its size.
    pub bytes: u32,
    /// Where and when it was sent, if that is recorded.
    pub sent: Option<MessageEnd>,
    /// Where and when it arrived, if that is recorded.
    pub received: Option<MessageEnd>,
}

/// One end of the way of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageEnd {
    /// The thread.
    pub thread: u32,
    /// When.
    pub at_ns: u64,
    /// The callback in which it was sent, or that got it.
    pub callback: Option<u32>,
}

/// A mark of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When.
    pub at_ns: u64,
    /// Its name.
    pub label: LabelId,
    /// The innermost callback in which it was set.
    pub callback: Option<u32>,
}

/// The value of a counter at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterValue {
    /// When.
    pub at_ns: u64,
    /// Which counter.
    pub kind: CounterKind,
    /// The value.
    pub value: u64,
}

/// A garbage collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collection {
    /// When it began.
    pub begin_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// It collected the whole heap, not only the nursery.
    pub is_full: bool,
}

/// What the front end has noticed for a detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// When.
    pub at_ns: u64,
    /// What.
    pub kind: FindingKind,
    /// Its label.
    pub label: LabelId,
    /// What it is about: a number that findings of one subject share, or 0.
    pub subject: u64,
    /// A number whose meaning depends on the kind.
    pub number: u32,
    /// The stack of the code that ran, or 0.
    pub stack: StackId,
    /// The innermost callback in which it was noticed.
    pub callback: Option<u32>,
}

/// Records that are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The time of the last record before them.
    pub begin_ns: u64,
    /// The time of the first record after them.
    pub end_ns: u64,
    /// How many.
    pub records: u64,
}

impl Thread {
    /// The resource with this id.
    pub fn resource(&self, id: ResourceId) -> Option<&Resource> {
        self.resources.get(*self.resource_index.get(&id)? as usize)
    }

    /// The last request with this id.
    pub fn request(&self, id: ResourceId) -> Option<&Request> {
        self.requests.get(self.resource(id)?.request? as usize)
    }

    /// When the timer was due for which this callback ran.
    pub fn timer_fire(&self, callback: u32) -> Option<&TimerFire> {
        let found = self.timer_fires.binary_search_by_key(&callback, |fire| fire.callback);
        self.timer_fires.get(found.ok()?)
    }

    /// The callbacks directly or indirectly within this one: they follow it in [`Thread::callbacks`].
    pub fn inner_callbacks(&self, callback: u32) -> &[Callback] {
        let Some(outer) = self.callbacks.get(callback as usize) else { return &[] };
        let rest = &self.callbacks[callback as usize + 1..];
        &rest[..rest.iter().position(|inner| inner.depth <= outer.depth).unwrap_or(rest.len())]
    }

    /// The callback that contains this one and is contained in none.
    pub fn outermost_callback(&self, callback: u32) -> u32 {
        let mut at = callback;
        while let Some(parent) = self.callbacks.get(at as usize).and_then(|callback| callback.parent) {
            at = parent;
        }
        at
    }

    /// The time in outermost callbacks.
    pub fn busy_ns(&self) -> u64 {
        self.callbacks.iter().filter(|callback| callback.depth == 0).map(Callback::duration_ns).sum()
    }

    /// The time in polls that could wait.
    pub fn slept_ns(&self) -> u64 {
        self.polls.iter().filter(|poll| poll.blocks()).map(Poll::duration_ns).sum()
    }
}

impl Trace {
    /// The text of a location; `None` if it is unknown.
    pub fn location(&self, id: LocationId) -> Option<&Location> {
        self.locations.get(id.0 as usize).filter(|_| id.is_some())
    }

    /// The locations of a stack, the innermost call first.
    pub fn stack(&self, id: StackId) -> impl Iterator<Item = &Location> {
        self.stacks.get(id.0 as usize).into_iter().flatten().filter_map(|location| self.location(*location))
    }

    /// The text of a label, or an empty one.
    pub fn label(&self, id: LabelId) -> &str {
        self.labels.get(id.0 as usize).map_or("", String::as_str)
    }

    /// The callback.
    pub fn callback(&self, callback: CallbackRef) -> Option<&Callback> {
        self.threads.get(callback.thread as usize)?.callbacks.get(callback.index as usize)
    }

    /// How many callbacks there are.
    pub fn callback_count(&self) -> usize {
        self.threads.iter().map(|thread| thread.callbacks.len()).sum()
    }

    /// The line of the program that caused a callback. The code that asked for the callback may be the runtime's alone: then it is the function of
    /// the program, or the line, that caused that code to run, and so on.
    pub fn cause_location(&self, callback: CallbackRef) -> Option<&Location> {
        let mut at = callback;
        for _ in 0..MOST_CAUSES {
            let this = self.callback(at)?;
            at = match this.cause {
                Some(cause) => {
                    if let Some(location) = self.stack(cause.stack).find(|location| !location.is_internal()) {
                        return Some(location);
                    }
                    CallbackRef { thread: cause.thread, index: cause.callback? }
                }
                None => CallbackRef { index: this.parent?, ..at },
            };
            let location = self.location(self.callback(at)?.location);
            if let Some(location) = location.filter(|location| !location.is_internal()) {
                return Some(location);
            }
        }
        None
    }

    /// The innermost call of a stack that belongs to the program and not to the runtime; else its innermost call.
    pub fn program_location(&self, stack: StackId) -> Option<&Location> {
        self.stack(stack).find(|location| !location.is_internal()).or_else(|| self.stack(stack).next())
    }
}

/// How many callbacks [`Trace::cause_location`] follows.
const MOST_CAUSES: usize = 100;

/// Indices by id. The ids are numbers that the runtime gives, so a hash that withstands an attacker is not needed.
type IdMap = HashMap<ResourceId, u32, BuildHasherDefault<IdHasher>>;

/// Multiplies and mixes; for keys of eight bytes.
#[derive(Clone, Copy, Debug, Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }
}
