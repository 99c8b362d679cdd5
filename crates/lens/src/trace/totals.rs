//! Sums over a trace: by phase, by callback, by file; the longest callbacks, the latest timers, the queue of the pool.

use std::collections::HashMap;

use phasor_core::Phase;

use super::{Callback, CallbackRef, LocationId, PoolTask, TimerFire, Trace};
use crate::record::CallbackKind;

/// The time in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseTotal {
    /// Which.
    pub phase: Phase,
    /// In how many turns a callback ran in it.
    pub count: u64,
    /// The time between the begin of the first callback of a phase and its end.
    pub total_ns: u64,
    /// The longest time in one turn.
    pub longest_ns: u64,
}

/// The time in a function that was called back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocationTotal {
    /// The function; 0 if it is not known.
    pub location: LocationId,
    /// Why it ran.
    pub kind: Option<CallbackKind>,
    /// How often.
    pub count: u64,
    /// Its time, with the callbacks within it.
    pub total_ns: u64,
    /// Its time without the callbacks within it.
    pub self_ns: u64,
    /// The longest time of one call, with the callbacks within it.
    pub longest_ns: u64,
    /// The call that took longest.
    pub longest: CallbackRef,
}

/// The time in the callbacks of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTotal {
    /// The file; empty if it is not known.
    pub file: String,
    /// How many callbacks ran.
    pub count: u64,
    /// Their time without the callbacks within them.
    pub self_ns: u64,
}

/// The work of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolTotal {
    /// How many threads have run a task.
    pub threads: u32,
    /// How many tasks have run.
    pub tasks: u64,
    /// Their time.
    pub busy_ns: u64,
    /// The time that they waited in the queue.
    pub wait_ns: u64,
    /// The longest time that a task waited.
    pub longest_wait_ns: u64,
    /// The most tasks that waited at a time.
    pub longest_queue: u64,
    /// When that was.
    pub longest_queue_at_ns: u64,
}

impl Trace {
    /// The time in each phase, in the order of the phases. Of one thread, or of all.
    pub fn phase_totals(&self, thread: Option<u32>) -> [PhaseTotal; 7] {
        let mut totals = Phase::ALL.map(|phase| PhaseTotal { phase, count: 0, total_ns: 0, longest_ns: 0 });
        for span in self.threads_of(thread).flat_map(|(_, thread)| &thread.phases) {
            let total = &mut totals[span.phase as usize];
            total.count += 1;
            total.total_ns = total.total_ns.saturating_add(span.duration_ns());
            total.longest_ns = total.longest_ns.max(span.duration_ns());
        }
        totals
    }

    /// The time in each function that was called back, the largest own time first. Of one thread, or of all.
    pub fn location_totals(&self, thread: Option<u32>) -> Vec<LocationTotal> {
        let mut totals: HashMap<(LocationId, Option<CallbackKind>), LocationTotal> = HashMap::new();
        for (callback, at) in self.callbacks_of(thread) {
            let key = (callback.location, callback.kind);
            let total = totals.entry(key).or_insert(LocationTotal {
                location: callback.location,
                kind: callback.kind,
                count: 0,
                total_ns: 0,
                self_ns: 0,
                longest_ns: 0,
                longest: at,
            });
            total.count += 1;
            total.total_ns = total.total_ns.saturating_add(callback.duration_ns());
            total.self_ns = total.self_ns.saturating_add(callback.self_ns());
            if callback.duration_ns() > total.longest_ns {
                total.longest_ns = callback.duration_ns();
                total.longest = at;
            }
        }
        let mut totals: Vec<LocationTotal> = totals.into_values().collect();
        totals.sort_by_key(|total| (std::cmp::Reverse(total.self_ns), total.location, total.kind));
        totals
    }

    /// The time in the callbacks of each file, the largest first. Of one thread, or of all.
    pub fn file_totals(&self, thread: Option<u32>) -> Vec<FileTotal> {
        let mut totals: HashMap<&str, FileTotal> = HashMap::new();
        for total in self.location_totals(thread) {
            let file = self.location(total.location).map_or("", |location| &location.file);
            let sum = totals.entry(file).or_insert_with(|| FileTotal { file: file.to_owned(), count: 0, self_ns: 0 });
            sum.count += total.count;
            sum.self_ns = sum.self_ns.saturating_add(total.self_ns);
        }
        let mut totals: Vec<FileTotal> = totals.into_values().collect();
        totals.sort_by(|a, b| b.self_ns.cmp(&a.self_ns).then_with(|| a.file.cmp(&b.file)));
        totals
    }

    /// The longest outermost callbacks: each is a time in which the loop did nothing else. The longest first.
    pub fn longest_callbacks(&self, count: usize) -> Vec<CallbackRef> {
        let outermost = self.callbacks_of(None).filter(|(callback, _)| callback.depth == 0);
        largest(outermost.map(|(callback, at)| (callback.duration_ns(), at)), count)
    }

    /// The callback within this one, or itself, that explains its duration: follows the inner callback that takes more than
    /// half of the time, as long as there is one.
    pub fn dominant_callback(&self, callback: CallbackRef) -> CallbackRef {
        let Some(thread) = self.threads.get(callback.thread as usize) else { return callback };
        let mut at = callback;
        // A chain of callbacks this deep is damage, and each step scans the inner ones.
        for _ in 0..32 {
            let Some(outer) = thread.callbacks.get(at.index as usize) else { break };
            let inner = thread.inner_callbacks(at.index);
            let longest = inner.iter().enumerate().filter(|(_, inner)| inner.parent == Some(at.index));
            match longest.max_by_key(|(_, inner)| inner.duration_ns()) {
                Some((offset, inner)) if inner.duration_ns() > outer.duration_ns() / 2 => {
                    at.index += 1 + offset as u32;
                }
                _ => break,
            }
        }
        at
    }

    /// The timers that fired latest, with their callbacks. The latest first.
    pub fn latest_timers(&self, count: usize) -> Vec<(CallbackRef, TimerFire)> {
        let fires = self.threads.iter().zip(0..).flat_map(|(thread, number)| {
            let fires = thread.timer_fires.iter().enumerate();
            fires.map(move |(index, fire)| (fire.late_ns, CallbackRef { thread: number, index: index as u32 }))
        });
        let latest = largest(fires, count).into_iter();
        let found = latest.filter_map(|at| {
            let fire = *self.threads.get(at.thread as usize)?.timer_fires.get(at.index as usize)?;
            Some((CallbackRef { thread: at.thread, index: fire.callback }, fire))
        });
        found.collect()
    }

    /// The work of the pool of a process.
    pub fn pool_total(&self, process: u32) -> PoolTotal {
        let Some(process) = self.processes.get(process as usize) else { return PoolTotal::default() };
        let mut total = PoolTotal { threads: process.pool.len() as u32, ..PoolTotal::default() };
        let mut changes = Vec::new();
        for task in process.pool.iter().flat_map(|thread| &thread.tasks) {
            total.tasks += 1;
            total.busy_ns = total.busy_ns.saturating_add(task.duration_ns());
            total.wait_ns = total.wait_ns.saturating_add(task.wait_ns());
            total.longest_wait_ns = total.longest_wait_ns.max(task.wait_ns());
            changes.extend([(task.queued_ns, 1), (task.begin_ns, -1)]);
        }
        changes.sort_unstable();
        let mut queued = 0_i64;
        for (at_ns, change) in changes {
            queued += change;
            if queued > total.longest_queue as i64 {
                total.longest_queue = queued as u64;
                total.longest_queue_at_ns = at_ns;
            }
        }
        total
    }

    /// The tasks of a process that waited longest for a thread of the pool.
    pub fn longest_pool_waits(&self, process: u32, count: usize) -> Vec<PoolTask> {
        let tasks = self.processes.get(process as usize).into_iter().flat_map(|process| &process.pool);
        let mut tasks: Vec<PoolTask> = tasks.flat_map(|thread| thread.tasks.iter().copied()).collect();
        tasks.sort_by_key(|task| std::cmp::Reverse(task.wait_ns()));
        tasks.truncate(count);
        tasks
    }

    fn threads_of(&self, thread: Option<u32>) -> impl Iterator<Item = (u32, &super::Thread)> {
        let all = self.threads.iter().zip(0..).map(|(thread, number)| (number, thread));
        all.filter(move |(number, _)| thread.is_none_or(|thread| thread == *number))
    }

    fn callbacks_of(&self, thread: Option<u32>) -> impl Iterator<Item = (&Callback, CallbackRef)> {
        self.threads_of(thread).flat_map(|(number, thread)| {
            let callbacks = thread.callbacks.iter().zip(0..);
            callbacks.map(move |(callback, index)| (callback, CallbackRef { thread: number, index }))
        })
    }
}

/// The largest of many, the largest first; of equals the first.
fn largest(all: impl Iterator<Item = (u64, CallbackRef)>, count: usize) -> Vec<CallbackRef> {
    let mut found: Vec<(u64, CallbackRef)> = Vec::new();
    for (size, at) in all {
        if found.len() < count || found.last().is_some_and(|(least, _)| size > *least) {
            let place = found.partition_point(|(other, _)| *other >= size);
            found.insert(place, (size, at));
            found.truncate(count);
        }
    }
    found.into_iter().map(|(_, at)| at).collect()
}
