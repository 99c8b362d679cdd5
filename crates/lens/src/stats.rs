//! Statistics of a loop: a light observer counts into atomics, which other threads read at any time, also while the loop is
//! blocked.
//!
//! *Delay* is how long a callback that becomes ready has to wait for the loop. It is sampled as Node's
//! `monitorEventLoopDelay` does, without a timer: a virtual probe becomes ready every 10 ms, and its delay is the time until
//! the loop polls for events again.

use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use phasor_core::{EventKind, HandleId, Kind, NanosecondClock, ObservedEvent, Observer, Phase, monotonic_ns};

use crate::json::Json;
use crate::registry::loops;

/// How many tools want statistics.
static ENABLED: AtomicUsize = AtomicUsize::new(0);

/// Whether loops are to be observed.
pub fn is_enabled() -> bool {
    ENABLED.load(Relaxed) > 0
}

/// How many tools want the locations of slow callbacks.
static LOCATED: AtomicUsize = AtomicUsize::new(0);

/// Whether front ends are to know where the code of callbacks is.
pub fn is_located() -> bool {
    LOCATED.load(Relaxed) > 0
}

/// Wants the locations of slow callbacks, until the result is dropped. This costs more than statistics.
pub fn locate() -> Located {
    LOCATED.fetch_add(1, Relaxed);
    Located(())
}

/// Locations are wanted while this lives.
#[derive(Debug)]
pub struct Located(());

impl Drop for Located {
    fn drop(&mut self) {
        if LOCATED.fetch_sub(1, Relaxed) == 1 {
            loops().iter().for_each(|entry| entry.call_attention());
        }
    }
}

/// Wants statistics of all loops, until the result is dropped. Loops that are blocked are observed once they go on.
pub fn enable() -> Enabled {
    if ENABLED.fetch_add(1, Relaxed) == 0 {
        loops().iter().for_each(|entry| entry.call_attention());
    }
    Enabled(())
}

/// Statistics are wanted while this lives.
#[derive(Debug)]
pub struct Enabled(());

impl Drop for Enabled {
    fn drop(&mut self) {
        if ENABLED.fetch_sub(1, Relaxed) == 1 {
            loops().iter().for_each(|entry| entry.call_attention());
        }
    }
}

/// The time between two virtual probes.
const PROBE_NS: u64 = 10_000_000;

/// After a longer block, further probes are not counted one by one.
const MOST_PROBES: u32 = 100_000;

/// The kinds of events, in the order in which they are counted.
pub const EVENT_KINDS: [(EventKind, &str); 17] = [
    (EventKind::Timer, "timer"),
    (EventKind::Idle, "idle"),
    (EventKind::Prepare, "prepare"),
    (EventKind::Check, "check"),
    (EventKind::Async, "async"),
    (EventKind::Attention, "attention"),
    (EventKind::Datagram, "datagram"),
    (EventKind::Ready, "poll"),
    (EventKind::Exit, "exit"),
    (EventKind::FsEvent, "fs_event"),
    (EventKind::FsPoll, "fs_poll"),
    (EventKind::Signal, "signal"),
    (EventKind::Connection, "connection"),
    (EventKind::Hangup, "hangup"),
    (EventKind::Readable, "read"),
    (EventKind::Done, "request"),
    (EventKind::Closed, "close"),
];

fn event_at(kind: EventKind) -> usize {
    EVENT_KINDS.iter().position(|(other, _)| *other == kind).unwrap_or_default()
}

/// The kinds of handles, in the order of [`Snapshot::handles`].
pub const HANDLE_KINDS: [(Kind, &str); 14] = [
    (Kind::Async, "async"),
    (Kind::Check, "check"),
    (Kind::FsEvent, "fs_event"),
    (Kind::FsPoll, "fs_poll"),
    (Kind::Idle, "idle"),
    (Kind::Pipe, "pipe"),
    (Kind::Poll, "poll"),
    (Kind::Prepare, "prepare"),
    (Kind::Process, "process"),
    (Kind::Signal, "signal"),
    (Kind::Tcp, "tcp"),
    (Kind::Timer, "timer"),
    (Kind::Tty, "tty"),
    (Kind::Udp, "udp"),
];

fn handle_at(kind: Kind) -> usize {
    HANDLE_KINDS.iter().position(|(other, _)| *other == kind).unwrap_or_default()
}

/// The statistics of a loop. Its thread writes, all others read.
#[derive(Default)]
pub struct LoopStats {
    /// When the observation began, by the monotonic clock.
    began_ns: AtomicU64,
    turns: AtomicU64,
    /// Time blocked in the poll phase, without the current wait.
    idle_ns: AtomicU64,
    /// When the loop went to wait; 0 while it does not wait.
    idle_since_ns: AtomicU64,
    /// When it stopped waiting; 0 while it waits.
    busy_since_ns: AtomicU64,
    /// Time in callbacks by phase, in the order of [`Phase::ALL`].
    phase_ns: [AtomicU64; 7],
    /// The count and the time of callbacks, in the order of [`EVENT_KINDS`].
    callbacks: [(AtomicU64, AtomicU64); EVENT_KINDS.len()],
    /// The callback that runs: its kind + 1, and when it began. 0 if there is none.
    current_kind: AtomicU64,
    current_ns: AtomicU64,
    /// Open handles, in the order of [`HANDLE_KINDS`].
    handles: [AtomicI64; HANDLE_KINDS.len()],
    delays: Histogram,
    slow: Mutex<Vec<SlowCallback>>,
}

impl fmt::Debug for LoopStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoopStats").field("turns", &self.turns).finish_non_exhaustive()
    }
}

/// A callback that took long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowCallback {
    /// When it ended, by the monotonic clock.
    pub ended_ns: u64,
    /// How long it took.
    pub took_ns: u64,
    /// What it was: the kind of its event, of [`EVENT_KINDS`].
    pub kind: &'static str,
    /// The function of the program, if it is known.
    pub location: String,
}

/// How many slow callbacks are kept.
const MOST_SLOW: usize = 10;

/// How long they are kept.
const SLOW_FOR_NS: u64 = 10_000_000_000;

/// Callbacks below are not slow.
const SLOW_NS: u64 = 1_000_000;

/// The statistics of a loop at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// When it was taken, by the monotonic clock.
    pub at_ns: u64,
    /// How long the loop has been observed.
    pub observed_ns: u64,
    /// Turns of the loop.
    pub turns: u64,
    /// Time blocked in the poll phase, including the current wait.
    pub idle_ns: u64,
    /// How long the loop has not polled for events; 0 while it waits.
    pub busy_ns: u64,
    /// Time in callbacks by phase, in the order of [`Phase::ALL`], including the one that runs.
    pub phase_ns: [u64; 7],
    /// The count and the time of callbacks, in the order of [`EVENT_KINDS`].
    pub callbacks: [(u64, u64); EVENT_KINDS.len()],
    /// The callback that runs, and for how long.
    pub current: Option<(&'static str, u64)>,
    /// Open handles, in the order of [`HANDLE_KINDS`].
    pub handles: [u64; HANDLE_KINDS.len()],
    /// The delays.
    pub delays: Delays,
    /// The slowest callbacks of the last seconds, the slowest first.
    pub slow: Vec<SlowCallback>,
}

/// Adds without a locked instruction: only one thread writes.
#[inline]
fn add(counter: &AtomicU64, more: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(more), Relaxed);
}

impl LoopStats {
    /// Since when the loop has not polled for events; `None` while it waits.
    pub(crate) fn busy_since_ns(&self) -> Option<u64> {
        Some(self.busy_since_ns.load(Relaxed)).filter(|since_ns| *since_ns != 0)
    }

    /// What was counted until now. The numbers are read one after the other while the loop runs.
    pub fn snapshot(&self) -> Snapshot {
        let at_ns = monotonic_ns();
        let since = |since: &AtomicU64| match since.load(Relaxed) {
            0 => 0,
            since_ns => at_ns.saturating_sub(since_ns),
        };
        let load = |counter: &AtomicU64| counter.load(Relaxed);
        let current_kind = load(&self.current_kind).checked_sub(1).and_then(|kind| EVENT_KINDS.get(kind as usize));
        let horizon_ns = at_ns.saturating_sub(SLOW_FOR_NS);
        let slow = lock(&self.slow).iter().filter(|slow| slow.ended_ns >= horizon_ns).cloned().collect();
        Snapshot {
            at_ns,
            observed_ns: since(&self.began_ns),
            turns: load(&self.turns),
            idle_ns: load(&self.idle_ns) + since(&self.idle_since_ns),
            busy_ns: since(&self.busy_since_ns),
            phase_ns: self.phase_ns.each_ref().map(load),
            callbacks: self.callbacks.each_ref().map(|(count, ns)| (load(count), load(ns))),
            current: current_kind.map(|(_, name)| (*name, since(&self.current_ns))),
            handles: self.handles.each_ref().map(|count| count.load(Relaxed).max(0) as u64),
            delays: self.delays.read(),
            slow,
        }
    }

    #[cold]
    fn add_slow(&self, callback: SlowCallback) {
        let mut slow = lock(&self.slow);
        let horizon_ns = callback.ended_ns.saturating_sub(SLOW_FOR_NS);
        slow.retain(|other| other.ended_ns >= horizon_ns);
        // One callback of each function: the longest.
        let is_same = |other: &SlowCallback| !other.location.is_empty() && other.location == callback.location;
        if let Some(at) = slow.iter().position(is_same) {
            if slow[at].took_ns >= callback.took_ns {
                return;
            }
            slow.remove(at);
        }
        let at = slow.partition_point(|other| other.took_ns >= callback.took_ns);
        slow.insert(at, callback);
        slow.truncate(MOST_SLOW);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says which function of the program the callback ran that has just ended, or that runs now.
pub type Locate = Box<dyn Fn() -> String>;

/// Counts what a loop does.
pub struct StatsObserver {
    stats: Arc<LoopStats>,
    clock: NanosecondClock,
    /// The last time that was read.
    now_ns: u64,
    next_probe_ns: u64,
    /// The callback that runs: its place in [`EVENT_KINDS`], its phase, when it began.
    current: Option<(usize, Phase, u64)>,
    is_waiting: bool,
    locate: Option<Locate>,
}

impl fmt::Debug for StatsObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StatsObserver")
    }
}

impl StatsObserver {
    /// An observer that adds to these statistics. `handles` are those that the loop has now.
    pub fn new(stats: Arc<LoopStats>, handles: &[(Kind, bool)]) -> StatsObserver {
        let mut clock = NanosecondClock::new();
        let now_ns = clock.now_ns();
        stats.began_ns.store(now_ns, Relaxed);
        stats.busy_since_ns.store(now_ns, Relaxed);
        for counter in &stats.handles {
            counter.store(0, Relaxed);
        }
        for (kind, _) in handles {
            stats.handles[handle_at(*kind)].fetch_add(1, Relaxed);
        }
        let next_probe_ns = now_ns + PROBE_NS;
        StatsObserver { stats, clock, now_ns, next_probe_ns, current: None, is_waiting: false, locate: None }
    }

    /// Asks `locate` for the function of slow callbacks.
    #[must_use]
    pub fn with_locations(mut self, locate: Option<Locate>) -> StatsObserver {
        self.locate = locate;
        self
    }

    /// Records the delays of the probes that became ready since the last poll.
    fn end_busy(&mut self) {
        for _ in 0..MOST_PROBES {
            if self.next_probe_ns > self.now_ns {
                return;
            }
            self.stats.delays.add(self.now_ns - self.next_probe_ns, 1);
            self.next_probe_ns += PROBE_NS;
        }
        self.next_probe_ns = self.now_ns + PROBE_NS;
    }
}

impl Observer for StatsObserver {
    fn turn_begin(&mut self, _turn: u64) {
        add(&self.stats.turns, 1);
    }

    fn poll_begin(&mut self, timeout_ms: Option<u64>) {
        self.is_waiting = timeout_ms != Some(0);
        if self.is_waiting {
            self.now_ns = self.clock.now_ns();
        }
        self.end_busy();
        if self.is_waiting {
            self.stats.busy_since_ns.store(0, Relaxed);
            self.stats.idle_since_ns.store(self.now_ns, Relaxed);
        }
    }

    fn poll_end(&mut self, _ready: usize) {
        if std::mem::take(&mut self.is_waiting) {
            self.clock.invalidate();
            let began_ns = self.now_ns;
            self.now_ns = self.clock.now_ns();
            self.stats.idle_since_ns.store(0, Relaxed);
            add(&self.stats.idle_ns, self.now_ns.saturating_sub(began_ns));
            // Probes that became ready during the wait had no delay.
            if let Some(passed_ns) = self.now_ns.checked_sub(self.next_probe_ns) {
                let probes = passed_ns / PROBE_NS + 1;
                self.stats.delays.add(0, probes);
                self.next_probe_ns += probes * PROBE_NS;
            }
        }
        self.stats.busy_since_ns.store(self.now_ns, Relaxed);
    }

    fn callback_begin(&mut self, callback: ObservedEvent) {
        self.now_ns = self.clock.now_ns();
        let kind = event_at(callback.kind);
        self.current = Some((kind, callback.phase, self.now_ns));
        self.stats.current_ns.store(self.now_ns, Relaxed);
        self.stats.current_kind.store(kind as u64 + 1, Relaxed);
    }

    fn callback_end(&mut self) {
        let Some((kind, phase, began_ns)) = self.current.take() else { return };
        self.now_ns = self.clock.now_ns();
        let took_ns = self.now_ns.saturating_sub(began_ns);
        let stats = &self.stats;
        stats.current_kind.store(0, Relaxed);
        add(&stats.phase_ns[phase as usize], took_ns);
        add(&stats.callbacks[kind].0, 1);
        add(&stats.callbacks[kind].1, took_ns);
        // What tools ask for is not the program's.
        if took_ns >= SLOW_NS && EVENT_KINDS[kind].0 != EventKind::Attention {
            let location = self.locate.as_ref().map(|locate| locate()).unwrap_or_default();
            stats.add_slow(SlowCallback { ended_ns: self.now_ns, took_ns, kind: EVENT_KINDS[kind].1, location });
        }
    }

    fn handle_opened(&mut self, _handle: HandleId, kind: Kind) {
        self.stats.handles[handle_at(kind)].fetch_add(1, Relaxed);
    }

    fn handle_closing(&mut self, _handle: HandleId, kind: Kind) {
        self.stats.handles[handle_at(kind)].fetch_sub(1, Relaxed);
    }
}

impl Drop for StatsObserver {
    fn drop(&mut self) {
        self.stats.busy_since_ns.store(0, Relaxed);
        self.stats.idle_since_ns.store(0, Relaxed);
        self.stats.current_kind.store(0, Relaxed);
    }
}

/// Buckets for a factor of two: a bucket is at most an eighth wide.
const STEPS: usize = 8;

/// The number of buckets: below 8 us one for each microsecond, then up to 2^40 us.
const BUCKETS: usize = STEPS * 38;

/// A histogram of durations from 1 us on.
struct Histogram {
    counts: [AtomicU64; BUCKETS],
    count: AtomicU64,
    sum_ns: AtomicU64,
    /// The sum of the squares, in us^2.
    squares: AtomicU64,
    most_ns: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            counts: [const { AtomicU64::new(0) }; BUCKETS],
            count: AtomicU64::new(0),
            sum_ns: AtomicU64::new(0),
            squares: AtomicU64::new(0),
            most_ns: AtomicU64::new(0),
        }
    }
}

/// The bucket of a duration.
fn bucket_of(ns: u64) -> usize {
    let us = ns / 1000;
    if us < STEPS as u64 {
        return us as usize;
    }
    let shift = us.ilog2() - STEPS.ilog2();
    let at = (shift as usize + 1) * STEPS + ((us >> shift) as usize - STEPS);
    at.min(BUCKETS - 1)
}

/// The upper bound of a bucket.
fn bucket_end_ns(bucket: usize) -> u64 {
    let us = match bucket.checked_sub(STEPS) {
        None => bucket as u64 + 1,
        Some(above) => ((above % STEPS + STEPS + 1) as u64) << (above / STEPS),
    };
    us * 1000
}

impl Histogram {
    fn add(&self, ns: u64, times: u64) {
        add(&self.counts[bucket_of(ns)], times);
        add(&self.count, times);
        add(&self.sum_ns, ns.saturating_mul(times));
        add(&self.squares, (ns / 1000).saturating_mul(ns / 1000).saturating_mul(times));
        if ns > self.most_ns.load(Relaxed) {
            self.most_ns.store(ns, Relaxed);
        }
    }

    fn read(&self) -> Delays {
        Delays {
            counts: self.counts.iter().map(|count| count.load(Relaxed)).collect(),
            sum_ns: self.sum_ns.load(Relaxed),
            squares: self.squares.load(Relaxed),
            most_ns: self.most_ns.load(Relaxed),
        }
    }
}

/// Delays that were counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// Empty if there are none.
    counts: Vec<u64>,
    sum_ns: u64,
    squares: u64,
    most_ns: u64,
}

impl Delays {
    /// Those that were counted since an earlier reading.
    #[must_use]
    pub fn since(&self, earlier: &Delays) -> Delays {
        let before = |bucket: usize| earlier.counts.get(bucket).copied().unwrap_or_default();
        let counts: Vec<u64> =
            self.counts.iter().enumerate().map(|(bucket, count)| count.saturating_sub(before(bucket))).collect();
        let last = counts.iter().rposition(|count| *count > 0);
        Delays {
            sum_ns: self.sum_ns.saturating_sub(earlier.sum_ns),
            squares: self.squares.saturating_sub(earlier.squares),
            // The exact maximum is known only of all delays together.
            most_ns: last.filter(|last| *last > 0).map_or(0, |last| bucket_end_ns(last).min(self.most_ns)),
            counts,
        }
    }

    /// As pairs of a bucket and its count, after the sum, the sum of squares and the maximum.
    pub(crate) fn to_json(&self) -> Json {
        let counts = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let counts = counts.map(|(bucket, count)| Json::List(vec![(bucket as u64).into(), (*count).into()]));
        Json::object([
            ("sum", self.sum_ns.into()),
            ("squares", self.squares.into()),
            ("most", self.most_ns.into()),
            ("counts", Json::List(counts.collect())),
        ])
    }

    /// The delays of an answer to `{"ask":"stats"}`.
    pub fn from_json(json: &Json) -> Delays {
        let mut counts = vec![0; BUCKETS];
        for pair in json.get("counts").map(Json::items).unwrap_or_default() {
            if let [bucket, count] = pair.items()
                && let Some(place) = bucket.as_u64().and_then(|bucket| counts.get_mut(bucket as usize))
            {
                *place = count.as_u64().unwrap_or_default();
            }
        }
        let number = |name| json.number(name) as u64;
        Delays { counts, sum_ns: number("sum"), squares: number("squares"), most_ns: number("most") }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Their sum.
    pub fn sum_ns(&self) -> u64 {
        self.sum_ns
    }

    /// The delay that this share of all does not exceed, at most an eighth too large. 0 if there are none.
    pub fn quantile_ns(&self, share: f64) -> u64 {
        let rank = (self.count() as f64 * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                // The first bucket has the probes that did not wait at all.
                return if bucket == 0 { 0 } else { bucket_end_ns(bucket).min(self.most_ns) };
            }
        }
        0
    }

    /// The smallest delay, exact to an eighth.
    pub fn least_ns(&self) -> u64 {
        self.quantile_ns(0.0)
    }

    /// The greatest delay; exact to an eighth for a result of [`Delays::since`].
    pub fn most_ns(&self) -> u64 {
        self.most_ns
    }

    /// The mean, in ns.
    pub fn mean_ns(&self) -> f64 {
        self.sum_ns as f64 / self.count().max(1) as f64
    }

    /// The standard deviation, in ns.
    pub fn deviation_ns(&self) -> f64 {
        let mean_us = self.mean_ns() / 1000.0;
        (self.squares as f64 / self.count().max(1) as f64 - mean_us * mean_us).max(0.0).sqrt() * 1000.0
    }

    /// How many delays do not exceed this one, exact to an eighth.
    pub fn count_to(&self, ns: u64) -> u64 {
        self.counts.iter().enumerate().filter(|(bucket, _)| bucket_end_ns(*bucket) <= ns).map(|(_, count)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use phasor_core::{Face, Loop, RunMode, Sim};

    use super::*;

    #[test]
    fn buckets_have_no_gaps_and_are_an_eighth_wide() {
        for bucket in 0..BUCKETS {
            let end_ns = bucket_end_ns(bucket);
            assert_eq!(bucket_of(end_ns - 1), bucket);
            if bucket + 1 < BUCKETS {
                assert_eq!(bucket_of(end_ns), bucket + 1);
                assert!(bucket < STEPS || (bucket_end_ns(bucket + 1) - end_ns) as f64 / end_ns as f64 <= 0.126);
            }
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_those_of_the_delays() {
        let histogram = Histogram::default();
        for ms in 1..=100 {
            histogram.add(ms * 1_000_000, 1);
        }
        let all = histogram.read();
        assert_eq!((all.count(), all.most_ns()), (100, 100_000_000));
        for (share, ms) in [(0.5, 50.0), (0.9, 90.0), (0.99, 99.0)] {
            let found_ms = all.quantile_ns(share) as f64 / 1e6;
            assert!((ms..ms * 1.13).contains(&found_ms), "{share}: {found_ms}");
        }
        assert!((all.mean_ns() - 50.5e6).abs() < 1.0 && (all.deviation_ns() - 28.866e6).abs() < 1e4);
        histogram.add(0, 10);
        let later = histogram.read().since(&all);
        assert_eq!((later.count(), later.most_ns(), later.quantile_ns(0.99)), (10, 0, 0));
    }

    struct Plain;

    impl Face for Plain {
        type Handle = ();
        type Request = ();
        type Bytes = Vec<u8>;
    }

    #[test]
    fn an_observer_counts_turns_callbacks_and_handles() {
        let stats = Arc::new(LoopStats::default());
        let mut core = Loop::<Plain>::on(Sim::new());
        let early = core.timer_open(());
        core.timer_start(early, 0, 0).unwrap();
        core.add_observer(Box::new(StatsObserver::new(Arc::clone(&stats), &[(Kind::Timer, true)])));
        let late = core.timer_open(());
        core.timer_start(late, 5, 0).unwrap();
        let check = core.check_open(());
        while let Some(event) = core.next(RunMode::Default) {
            if event.handle() == Some(late) {
                assert_eq!(stats.snapshot().current.map(|(kind, _)| kind), Some("timer"));
                core.close(check).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        }
        let snapshot = stats.snapshot();
        assert_eq!(snapshot.turns, core.metrics().turns);
        assert_eq!((snapshot.callbacks[event_at(EventKind::Timer)].0, snapshot.current), (2, None));
        assert_eq!((snapshot.handles[handle_at(Kind::Timer)], snapshot.handles[handle_at(Kind::Check)]), (2, 0));
        assert!(snapshot.phase_ns[Phase::Timers as usize] >= 2_000_000);
        assert!(snapshot.slow.len() == 1 && snapshot.slow[0].kind == "timer");
    }
}
