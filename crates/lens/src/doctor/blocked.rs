//! Callbacks that run for long: a blocked loop, and ticks or microtasks that queue more of them without end.

use std::collections::{HashMap, HashSet};

use super::{Case, Detector, Diagnosis, Severity, count, kind_name, place, time, times};
use crate::definition::Location;
use crate::record::{CallbackKind, SpanKind};
use crate::trace::{Callback, TimerFire};

/// A callback that runs for longer blocks the loop. People notice a delay of 100 ms; a shorter limit would report callbacks that a busy machine
/// has interrupted.
pub(super) const BLOCK_NS: u64 = 100_000_000;

/// More ticks or microtasks than this after one callback are a recursion: a program that handles data queues some for each piece, and a drain of
/// [`BLOCK_NS`] with fewer has slow ones, which is a blocked loop.
const MANY: u64 = 1000;

/// A timer that is at least this late because of a block has waited for it; the loop counts in milliseconds.
const WAITED_NS: u64 = 10_000_000;

/// What a block was.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum BlockKind {
    Loop,
    Ticks,
    Microtasks,
}

/// A callback that has blocked the loop.
struct Block<'a> {
    kind: BlockKind,
    index: u32,
    callback: &'a Callback,
    location: Option<&'a Location>,
    jobs: u64,
    waiting: Waiting,
}

/// What waited for the end of a callback.
#[derive(Clone, Copy, Default)]
struct Waiting {
    timers: usize,
    /// Results of requests.
    results: usize,
    /// Descriptors that were ready at the next poll.
    ready: usize,
}

impl Waiting {
    fn total(self) -> usize {
        self.timers + self.results + self.ready
    }
}

/// Whether the detectors of this file report this callback.
pub(super) fn is_block(case: &Case<'_>, index: u32, callback: &Callback) -> bool {
    callback.duration_ns() >= BLOCK_NS
        && !case.is_start_of_worker(callback)
        && (is_loop_callback(callback) || case.kind_of(index, callback).0 != BlockKind::Loop)
}

/// Scripts run before there is anything to block: what they make late is reported by the detector of late timers.
fn is_loop_callback(callback: &Callback) -> bool {
    !matches!(callback.kind, Some(CallbackKind::Script | CallbackKind::Attention))
}

impl Case<'_> {
    /// Whether this is the message by which a worker gets its script, which it runs at once.
    fn is_start_of_worker(&self, callback: &Callback) -> bool {
        let is_message = |at: &Callback| at.kind == Some(CallbackKind::Async);
        let first = self.outermost.iter().find(|(_, at)| is_message(at));
        self.thread.info.name.starts_with("worker") && first.is_some_and(|(_, first)| std::ptr::eq(*first, callback))
    }

    /// What a long callback is: its longest drain may have run very many ticks or microtasks.
    fn kind_of(&self, index: u32, callback: &Callback) -> (BlockKind, u64) {
        let inner = (index + 1..).zip(self.thread.inner_callbacks(index));
        let drains = std::iter::once((index, callback)).chain(inner);
        let drains = drains.filter(|(_, drain)| drain.kind == Some(CallbackKind::Drain));
        let Some((at, drain)) = drains.max_by_key(|(_, drain)| drain.duration_ns()) else {
            return (BlockKind::Loop, 0);
        };
        if drain.duration_ns() < callback.duration_ns() / 2 {
            return (BlockKind::Loop, 0);
        }
        let recorded = self.thread.inner_callbacks(at);
        let of_kind = |kind| recorded.iter().filter(|inner| inner.kind == Some(kind)).count() as u64;
        let ticks = of_kind(CallbackKind::Tick).max(drain.ticks.into());
        let microtasks = of_kind(CallbackKind::Microtask).max(drain.microtasks.into());
        match ticks.max(microtasks) {
            jobs if jobs < MANY => (BlockKind::Loop, 0),
            jobs if jobs == ticks => (BlockKind::Ticks, jobs),
            jobs => (BlockKind::Microtasks, jobs),
        }
    }

    fn waiting_for(&self, callback: &Callback) -> Waiting {
        let during = callback.begin_ns..callback.end_ns;
        let fires = self.thread.timer_fires.iter();
        let waits = |fire: &&TimerFire| {
            let fired_ns = fire.due_ns.saturating_add(fire.late_ns);
            let waited_ns = callback.end_ns.saturating_sub(fire.due_ns.max(callback.begin_ns));
            fire.due_ns < callback.end_ns && fired_ns >= callback.end_ns && waited_ns >= WAITED_NS
        };
        let timers = fires.filter(waits).count();
        let process = self.trace.processes.get(self.thread.process as usize);
        let tasks = process.into_iter().flat_map(|process| &process.pool).flat_map(|thread| &thread.tasks);
        let own = |thread: u32| self.trace.threads.get(thread as usize).is_some_and(|of| std::ptr::eq(of, self.thread));
        let results = tasks.filter(|task| during.contains(&task.end_ns) && own(task.thread)).count();
        let next = self.thread.polls.partition_point(|poll| poll.begin_ns < callback.end_ns);
        let next = self.thread.polls.get(next);
        // A poll that slept got what came later.
        let ready = next.filter(|poll| poll.duration_ns() < 1_000_000).map_or(0, |poll| poll.ready as usize);
        Waiting { timers, results, ready: ready.saturating_sub(results.min(1)) }
    }
}

pub(super) fn find(case: &Case<'_>, found: &mut Vec<Diagnosis>) {
    let serves = case.thread.callbacks.iter().any(|callback| callback.kind == Some(CallbackKind::Connection));
    let mut groups: HashMap<(BlockKind, Option<&Location>), Vec<Block<'_>>> = HashMap::new();
    for (index, callback) in &case.outermost {
        if callback.duration_ns() < BLOCK_NS || case.is_start_of_worker(callback) {
            continue;
        }
        let (kind, jobs) = case.kind_of(*index, callback);
        if kind == BlockKind::Loop && !is_loop_callback(callback) {
            continue;
        }
        let waiting = case.waiting_for(callback);
        // A program that does one thing may do it in one piece.
        if waiting.total() == 0 && !serves {
            continue;
        }
        let location = case.location_of(*index, callback);
        let block = Block { kind, index: *index, callback, location, jobs, waiting };
        groups.entry((kind, location)).or_default().push(block);
    }
    for blocks in groups.into_values() {
        if let Some(diagnosis) = describe(case, &blocks) {
            found.push(diagnosis);
        }
    }
}

fn describe(case: &Case<'_>, blocks: &[Block<'_>]) -> Option<Diagnosis> {
    let first = blocks.iter().min_by_key(|block| block.callback.begin_ns)?;
    let longest = blocks.iter().max_by_key(|block| block.callback.duration_ns())?;
    let (duration_ns, kind) = (longest.callback.duration_ns(), longest.kind);
    let by = match longest.location {
        Some(location) => place(location),
        None => format!("a callback ({})", kind_name(longest.callback)),
    };
    let how_often = match blocks.len() {
        1 => String::new(),
        number => format!(" {number} times, for up to"),
    };
    let how_long =
        if blocks.len() == 1 { format!(" for {}", time(duration_ns)) } else { format!(" {}", time(duration_ns)) };
    let what = match kind {
        BlockKind::Loop => "The event loop was blocked",
        BlockKind::Ticks => "process.nextTick kept the event loop from going on",
        BlockKind::Microtasks => "Promises kept the event loop from going on",
    };
    let title = format!("{what}{how_often}{how_long}: {by}.");

    let mut evidence = vec![format!("It happened {}.", times(blocks.len(), first.callback.begin_ns))];
    match kind {
        BlockKind::Loop => {}
        BlockKind::Ticks => {
            evidence.push(format!("{} ticks ran one after another before the next event.", longest.jobs));
        }
        BlockKind::Microtasks => {
            evidence.push(format!("{} microtasks ran one after another before the next event.", longest.jobs));
        }
    }
    let sync = longest_sync(case, longest.callback);
    if let Some((name, ns)) = &sync {
        evidence.push(format!("{} of it were spent in {name}.", time(*ns)));
    }
    if let Some((location, samples, of)) = case.sampled(longest.callback.begin_ns, longest.callback.end_ns) {
        evidence.push(format!("{samples} of {} of the running code are at {}.", count(of, "sample"), place(location)));
    }
    if let Some(function) = entry_function(case, longest) {
        evidence.push(format!("It ran in the callback {}.", place(function)));
    }
    let waiting = blocks.iter().fold(Waiting::default(), |sum, block| Waiting {
        timers: sum.timers + block.waiting.timers,
        results: sum.results + block.waiting.results,
        ready: sum.ready + block.waiting.ready,
    });
    evidence.push(match waiting_sentence(waiting) {
        Some(sentence) => sentence,
        None => "Nothing else waited in this run, but a connection would have.".to_owned(),
    });

    let remedy = match (kind, sync) {
        (BlockKind::Loop, Some((name, ns))) if ns > duration_ns / 2 => {
            format!("Call the asynchronous form of {name}, or call it in a worker thread.")
        }
        (BlockKind::Loop, _) if case.is_libuv() => {
            "Do this work on a thread of the pool (uv_queue_work), or in pieces that return to the loop.".to_owned()
        }
        (BlockKind::Loop, _) => {
            "Move this work to a worker thread, or do it in pieces with a setImmediate() between two of them.".to_owned()
        }
        (BlockKind::Ticks, _) => {
            "Use setImmediate() where this code calls process.nextTick(): it lets timers and I/O run in between.".to_owned()
        }
        (BlockKind::Microtasks, _) => {
            "Let the loop go on now and then: `await setImmediate()` of node:timers/promises. Awaiting what is there already does not.".to_owned()
        }
    };
    Some(Diagnosis {
        detector: match kind {
            BlockKind::Loop => Detector::BlockedLoop,
            BlockKind::Ticks => Detector::TickStarvation,
            BlockKind::Microtasks => Detector::MicrotaskStarvation,
        },
        severity: if waiting.total() > 0 { Severity::Problem } else { Severity::Warning },
        title,
        location: longest.location.cloned(),
        evidence,
        remedy,
        at_ns: first.callback.begin_ns,
        thread: case.name(),
    })
}

fn waiting_sentence(waiting: Waiting) -> Option<String> {
    let mut parts = Vec::new();
    if waiting.timers > 0 {
        parts.push(count(waiting.timers, "timer"));
    }
    if waiting.results > 0 {
        parts.push(format!("{} of the thread pool", count(waiting.results, "result")));
    }
    if waiting.ready > 0 {
        parts.push(format!("{} with data or connections", count(waiting.ready, "descriptor")));
    }
    (!parts.is_empty()).then(|| format!("Meanwhile these had to wait: {}.", parts.join(", ")))
}

/// The function of the program that the loop called, if the blocking code is another one.
fn entry_function<'a>(case: &Case<'a>, block: &Block<'a>) -> Option<&'a Location> {
    let blamed = block.location?;
    let called = std::iter::once(block.callback).chain(case.dominant(block.index));
    let mut called = called.filter_map(|callback| case.trace.location(callback.location));
    called.find(|location| !location.is_internal() && location.function != blamed.function)
}

/// The synchronous calls that took most of a callback, by name.
fn longest_sync(case: &Case<'_>, callback: &Callback) -> Option<(String, u64)> {
    let mut sums: HashMap<&str, u64> = HashMap::new();
    let mut seen = HashSet::new();
    let spans = case.thread.spans.iter().filter(|span| span.kind == Some(SpanKind::Sync));
    for span in spans.filter(|span| (callback.begin_ns..callback.end_ns).contains(&span.begin_ns)) {
        if seen.insert(span.id) {
            let end_ns = span.end_ns.unwrap_or(callback.end_ns).min(callback.end_ns);
            let of = sums.entry(case.trace.label(span.label)).or_default();
            *of = end_ns.saturating_sub(span.begin_ns).saturating_add(*of);
        }
    }
    let (name, ns) = sums.into_iter().max_by_key(|(_, ns)| *ns)?;
    (ns >= callback.duration_ns() / 10 && !name.is_empty()).then(|| (name.to_owned(), ns))
}
