//! `phasor doctor`: finds in a trace what keeps a program from running well, and says so in sentences.
//!
//! A detector is a function from a [`Trace`] to [`Diagnosis`]es. Each threshold is a constant with its reason. A detector says nothing unless
//! its evidence explains the symptom: a timer that is late on a busy machine, while the loop was waiting, is no finding.

mod accept;
mod alive;
mod blocked;
mod findings;
mod leak;
mod pool;
#[cfg(test)]
mod tests;
mod text;
mod timers;

use std::collections::HashMap;

use crate::definition::Location;
use crate::json::Json;
use crate::record::{CallbackKind, FindingKind};
use crate::trace::{Callback, Finding, StackId, Thread, Trace};

pub use self::alive::diagnose_alive;
pub use self::text::Style;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Detector {
    /// One callback runs for long.
    BlockedLoop,
    /// `process.nextTick` that queues ticks without end.
    TickStarvation,
    /// Promises or `queueMicrotask` that queue microtasks without end.
    MicrotaskStarvation,
    /// Immediates that keep turns long, while one connection is accepted in each.
    AcceptStarvation,
    /// All threads of the pool are busy, and something else waits for one.
    PoolSaturation,
    /// Timers fire late.
    LateTimers,
    /// An interval is longer than it was set.
    IntervalDrift,
    /// An event is emitted before its listener is added.
    EventBeforeListener,
    /// A stream is written to faster than it can write.
    UnboundedQueue,
    /// Handles or intervals are made and never closed.
    HandleLeak,
    /// The program ends while a top-level await waits.
    UnsettledAwait,
    /// A listener keeps a process alive that has nothing else to do.
    KeepsAlive,
}

impl Detector {
    /// The name in the output and in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Detector::BlockedLoop => "blocked-loop",
            Detector::TickStarvation => "tick-starvation",
            Detector::MicrotaskStarvation => "microtask-starvation",
            Detector::AcceptStarvation => "accept-starvation",
            Detector::PoolSaturation => "pool-saturation",
            Detector::LateTimers => "late-timers",
            Detector::IntervalDrift => "interval-drift",
            Detector::EventBeforeListener => "event-before-listener",
            Detector::UnboundedQueue => "unbounded-queue",
            Detector::HandleLeak => "handle-leak",
            Detector::UnsettledAwait => "unsettled-await",
            Detector::KeepsAlive => "keeps-alive",
        }
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Something waited, was lost, or did not end.
    Problem,
    /// It did no harm in this run.
    Warning,
}

impl Severity {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Problem => "problem",
            Severity::Warning => "warning",
        }
    }
}

/// A finding of a detector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// What was found.
    pub detector: Detector,
    /// How bad it is.
    pub severity: Severity,
    /// It in one sentence.
    pub title: String,
    /// The code of the program that causes it; `None` if it is not known.
    pub location: Option<Location>,
    /// What was measured, in sentences.
    pub evidence: Vec<String>,
    /// What to do about it, in a sentence or two.
    pub remedy: String,
    /// When it began, in nanoseconds since the start of the trace.
    pub at_ns: u64,
    /// The thread: `main`, `worker 1`.
    pub thread: String,
}

impl Diagnosis {
    /// As JSON: `{ detector, severity, title, location?: { function, file, line, column }, evidence: [], remedy, atMs, thread }`.
    pub fn to_json(&self) -> Json {
        let mut members = vec![
            ("detector", self.detector.id().into()),
            ("severity", self.severity.name().into()),
            ("title", self.title.as_str().into()),
        ];
        if let Some(location) = &self.location {
            let of = [
                ("function", location.function.as_str().into()),
                ("file", plain_path(&location.file).into()),
                ("line", location.line.into()),
                ("column", location.column.into()),
            ];
            members.push(("location", Json::object(of)));
        }
        members.extend([
            ("evidence", Json::list(self.evidence.iter().map(String::as_str))),
            ("remedy", self.remedy.as_str().into()),
            ("atMs", (self.at_ns as f64 / 1e6).into()),
            ("thread", self.thread.as_str().into()),
        ]);
        Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

/// What all detectors find in a trace: problems before warnings, in the order in which they began.
pub fn diagnose(trace: &Trace) -> Vec<Diagnosis> {
    let mut found = Vec::new();
    for thread in &trace.threads {
        let case = Case::new(trace, thread);
        blocked::find(&case, &mut found);
        accept::find(&case, &mut found);
        timers::find_late(&case, &mut found);
        timers::find_drift(&case, &mut found);
        findings::find(&case, &mut found);
        leak::find(&case, &mut found);
    }
    for process in &trace.processes {
        pool::find(trace, process, &mut found);
    }
    found.sort_by_key(|diagnosis| (diagnosis.severity, diagnosis.at_ns, diagnosis.detector));
    found
}

/// The report of a run: `{ healthy, durationMs, callbacks, lostRecords, findings: [...] }`, see [`Diagnosis::to_json`].
pub fn to_json(trace: &Trace, found: &[Diagnosis]) -> Json {
    Json::object([
        ("healthy", found.is_empty().into()),
        ("durationMs", (trace.end_ns as f64 / 1e6).into()),
        ("callbacks", (trace.callback_count() as u64).into()),
        ("lostRecords", lost_records(trace).into()),
        ("findings", Json::list(found.iter().map(Diagnosis::to_json))),
    ])
}

/// A sum of numbers that a damaged file may have made too large.
fn sum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

/// How many records of a trace are missing.
fn lost_records(trace: &Trace) -> u64 {
    sum(trace.threads.iter().flat_map(|thread| &thread.losses).map(|loss| loss.records))
}

/// A thread that is examined.
struct Case<'a> {
    trace: &'a Trace,
    thread: &'a Thread,
    /// The outermost callbacks, in order, with their indices.
    outermost: Vec<(u32, &'a Callback)>,
    /// The samples of running code, in order.
    samples: Vec<&'a Finding>,
}

impl<'a> Case<'a> {
    fn new(trace: &'a Trace, thread: &'a Thread) -> Case<'a> {
        let callbacks = (0..).zip(&thread.callbacks);
        Case {
            trace,
            thread,
            outermost: callbacks.filter(|(_, callback)| callback.depth == 0).collect(),
            samples: thread.findings.iter().filter(|finding| finding.kind == FindingKind::Running).collect(),
        }
    }

    fn name(&self) -> String {
        thread_name(self.trace, self.thread)
    }

    /// Whether the program runs on `libuv.so.1`: its remedies are functions of libuv.
    fn is_libuv(&self) -> bool {
        let process = self.trace.processes.get(self.thread.process as usize);
        process.is_some_and(|process| process.info.runtime.contains("libuv"))
    }

    /// The outermost callbacks that run at some time between two times.
    fn between(&self, begin_ns: u64, end_ns: u64) -> &[(u32, &'a Callback)] {
        let first = self.outermost.partition_point(|(_, callback)| callback.end_ns <= begin_ns);
        let rest = &self.outermost[first..];
        &rest[..rest.partition_point(|(_, callback)| callback.begin_ns < end_ns)]
    }

    /// The code that ran most of the time between two times, by the samples; how many samples have it, and how many there are.
    fn sampled(&self, begin_ns: u64, end_ns: u64) -> Option<(&'a Location, usize, usize)> {
        let first = self.samples.partition_point(|sample| sample.at_ns < begin_ns);
        let within = self.samples[first..].iter().take_while(|sample| sample.at_ns <= end_ns);
        let places: Vec<_> = within.filter_map(|sample| own_location(self.trace, sample.stack)).collect();
        let (place, count) = most_frequent(places.iter().map(|place| (&place.file, place.line)))?;
        let location = places.iter().find(|location| (&location.file, location.line) == place)?;
        Some((location, count, places.len()))
    }

    /// The code of the program that a callback runs: by samples, else the function that was called, else the code that asked for it.
    fn location_of(&self, index: u32, callback: &Callback) -> Option<&'a Location> {
        if let Some((location, ..)) = self.sampled(callback.begin_ns, callback.end_ns) {
            return Some(location);
        }
        let dominant = self.dominant(index);
        let function = |callback: &Callback| self.trace.location(callback.location).filter(|at| !at.is_internal());
        let of_callbacks = dominant.and_then(function).or_else(|| function(callback));
        of_callbacks.or_else(|| own_location(self.trace, callback.cause?.stack))
    }

    /// The innermost callback that takes more than half of the time of this one.
    fn dominant(&self, index: u32) -> Option<&'a Callback> {
        let mut at = index;
        for _ in 0..32 {
            let outer = self.thread.callbacks.get(at as usize)?;
            let inner = (at + 1..).zip(self.thread.inner_callbacks(at));
            let longest =
                inner.filter(|(_, inner)| inner.parent == Some(at)).max_by_key(|(_, inner)| inner.duration_ns());
            match longest.filter(|(_, inner)| inner.duration_ns() > outer.duration_ns() / 2) {
                Some((next, _)) => at = next,
                None => break,
            }
        }
        self.thread.callbacks.get(at as usize)
    }
}

/// The name of a thread, unique in the trace.
fn thread_name(trace: &Trace, thread: &Thread) -> String {
    let name = &thread.info.name;
    match trace.processes.get(thread.process as usize) {
        Some(process) if trace.processes.len() > 1 => format!("{name} of process {}", process.info.pid),
        _ => name.clone(),
    }
}

/// Code of the program in a stack: the innermost call that is neither of the runtime nor of a package, else of a package.
fn own_location(trace: &Trace, stack: StackId) -> Option<&Location> {
    let own = || trace.stack(stack).filter(|location| !location.is_internal() && location.line > 0);
    own().find(|location| !is_of_package(location)).or_else(|| own().next())
}

/// As [`own_location`], for stacks of C programs too, whose locations have no lines.
fn any_location(trace: &Trace, stack: StackId) -> Option<&Location> {
    own_location(trace, stack).or_else(|| trace.stack(stack).find(|location| !location.is_internal()))
}

fn is_of_package(location: &Location) -> bool {
    location.file.contains("/node_modules/")
}

/// The value that occurs most often, and how often; of equals the first.
fn most_frequent<T: std::hash::Hash + Eq + Copy>(values: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut counts: HashMap<T, (usize, usize)> = HashMap::new();
    for (position, value) in values.enumerate() {
        counts.entry(value).or_insert((0, position)).0 += 1;
    }
    let best = counts.into_iter().max_by_key(|(_, (count, position))| (*count, std::cmp::Reverse(*position)))?;
    Some((best.0, best.1.0))
}

/// A path without the scheme of a file URL.
fn plain_path(file: &str) -> &str {
    file.strip_prefix("file://").unwrap_or(file)
}

/// The name of a function; the code of a module has none.
fn function_name(location: &Location) -> &str {
    if location.function == "Object.<anonymous>" { "" } else { &location.function }
}

/// A location in a sentence: `busy (/app/server.js:7)`.
fn place(location: &Location) -> String {
    let file = plain_path(&location.file);
    match (function_name(location), location.line) {
        ("", 0) => file.to_owned(),
        (function, 0) => format!("{function} ({file})"),
        ("", line) => format!("{file}:{line}"),
        (function, line) => format!("{function} ({file}:{line})"),
    }
}

/// What a callback is, for a sentence without a location.
fn kind_name(callback: &Callback) -> &'static str {
    callback.kind.map_or("callback", CallbackKind::name)
}

/// A duration for people: `1.20 s`, `305 ms`, `2.5 ms`.
fn time(ns: u64) -> String {
    let ms = ns as f64 / 1e6;
    match ms {
        1000.0.. => format!("{:.2} s", ms / 1000.0),
        10.0.. => format!("{ms:.0} ms"),
        _ => format!("{ms:.1} ms"),
    }
}

/// A number with its noun.
fn count(number: usize, noun: &str) -> String {
    match (number, noun) {
        (1, _) => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// How often and when something happened: `once, 1.2 s after the start` or `5 times, first 1.2 s after the start`.
fn times(number: usize, first_ns: u64) -> String {
    match number {
        1 => format!("once, {} after the start", time(first_ns)),
        _ => format!("{number} times, first {} after the start", time(first_ns)),
    }
}
