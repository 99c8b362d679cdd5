//! Tasks that wait because all threads of the pool are busy.

use std::collections::HashMap;

use super::{Detector, Diagnosis, Severity, any_location, count, place, sum, time};
use crate::definition::Location;
use crate::record::ResourceKind;
use crate::trace::{PoolTask, Process, Trace};

/// A task that waits longer for a thread is noticed, as a blocked loop is.
const WAIT_NS: u64 = 100_000_000;

/// Tasks that wait for others of their own kind are a batch, which has to take its time. From here on it is a queue that grows.
const OWN_WAIT_NS: u64 = 1_000_000_000;

/// A batch of shorter tasks is served as fast as the disk allows: more threads would not help.
const LONG_TASK_NS: u64 = 20_000_000;

/// The threads were busy for this share of the wait. In the rest, a busy machine did not run them.
const BUSY_SHARE: f64 = 0.6;

/// How many of the tasks that waited are examined at most: each is compared with those that ran meanwhile.
const EXAMINED: usize = 500;

/// What begins tasks: a line and a kind of operation.
type Source<'a> = (Option<&'a Location>, Option<ResourceKind>);

pub(super) fn find(trace: &Trace, process: &Process, found: &mut Vec<Diagnosis>) {
    let mut tasks: Vec<&PoolTask> = process.pool.iter().flat_map(|thread| &thread.tasks).collect();
    tasks.sort_by_key(|task| task.begin_ns);
    // For each pair of a source that fills the pool and one that waits: the longest wait, and when the first one began.
    let mut pairs: HashMap<(Source<'_>, Source<'_>), (u64, u64)> = HashMap::new();
    let waiting: Vec<&PoolTask> = tasks.iter().copied().filter(|task| task.wait_ns() >= WAIT_NS).collect();
    let mut waited: HashMap<Source<'_>, usize> = HashMap::new();
    for task in &waiting {
        *waited.entry(source(trace, task)).or_default() += 1;
    }
    for task in waiting.iter().step_by(waiting.len().div_ceil(EXAMINED).max(1)) {
        let mut busy_ns: u64 = 0;
        let mut fillers: HashMap<Source<'_>, (u64, u64, u64)> = HashMap::new();
        for other in tasks.iter().take_while(|other| other.begin_ns < task.begin_ns) {
            let overlap_ns = other.end_ns.min(task.begin_ns).saturating_sub(other.begin_ns.max(task.queued_ns));
            if overlap_ns > 0 {
                busy_ns = overlap_ns.saturating_add(busy_ns);
                let of = fillers.entry(source(trace, other)).or_default();
                *of = (of.0.saturating_add(overlap_ns), of.1 + 1, of.2.saturating_add(other.duration_ns()));
            }
        }
        let threads = process.pool.len().max(1) as f64;
        if (busy_ns as f64) < BUSY_SHARE * threads * task.wait_ns() as f64 {
            continue;
        }
        let Some((filler, (_, number, total_ns))) = fillers.into_iter().max_by_key(|(_, sum)| sum.0) else { continue };
        let waiter = source(trace, task);
        let is_own = filler == waiter;
        if is_own && (task.wait_ns() < OWN_WAIT_NS || total_ns / number < LONG_TASK_NS) {
            continue;
        }
        let pair = pairs.entry((filler, waiter)).or_insert((0, task.queued_ns));
        *pair = (pair.0.max(task.wait_ns()), pair.1.min(task.queued_ns));
    }
    // One finding for each source that fills the pool, with all that waited for it.
    let mut fillers: HashMap<Source<'_>, Vec<(Source<'_>, u64, u64)>> = HashMap::new();
    for ((filler, waiter), (wait_ns, at_ns)) in pairs {
        fillers.entry(filler).or_default().push((waiter, wait_ns, at_ns));
    }
    for (filler, mut waiters) in fillers {
        waiters.sort_by_key(|(_, wait_ns, _)| std::cmp::Reverse(*wait_ns));
        let Some((_, wait_ns, _)) = waiters.first() else { continue };
        let own: Vec<&&PoolTask> = tasks.iter().filter(|task| source(trace, task) == filler).collect();
        let total_ns = sum(own.iter().map(|task| task.duration_ns()));
        let mut evidence = vec![format!(
            "{} of {} took {} on average; the pool has {}.",
            count(own.len(), "task"),
            name(filler),
            time(total_ns / own.len().max(1) as u64),
            count(process.pool.len(), "thread")
        )];
        for (waiter, wait_ns, _) in waiters.iter().take(4) {
            let number = waited.get(waiter).copied().unwrap_or(1);
            evidence.push(format!(
                "{} of {} waited, for up to {}.",
                count(number, "task"),
                name(*waiter),
                time(*wait_ns)
            ));
        }
        found.push(Diagnosis {
            detector: Detector::PoolSaturation,
            severity: Severity::Problem,
            title: format!("The thread pool was full for up to {}, because of {}.", time(*wait_ns), name(filler)),
            location: filler.0.cloned(),
            evidence,
            remedy: "Run fewer of these tasks at a time, or give the pool more threads: UV_THREADPOOL_SIZE=8."
                .to_owned(),
            at_ns: waiters.iter().map(|waiter| waiter.2).min().unwrap_or_default(),
            thread: process
                .threads
                .first()
                .map_or_else(String::new, |at| super::thread_name(trace, &trace.threads[*at as usize])),
        });
    }
}

fn source<'a>(trace: &'a Trace, task: &PoolTask) -> Source<'a> {
    let thread = trace.threads.get(task.thread as usize);
    let request = thread.and_then(|thread| thread.requests.get(task.request? as usize));
    let location = request.and_then(|request| {
        // A request that continues another one is begun by the runtime: its callback may be the program's.
        let callback = || thread?.callbacks.get(request.begun_by? as usize);
        let called = || trace.location(callback()?.location).filter(|at| !at.is_internal());
        any_location(trace, request.stack).or_else(called)
    });
    (location, request.and_then(|request| request.kind))
}

fn name((location, kind): Source<'_>) -> String {
    let kind = match kind {
        Some(ResourceKind::Fs) => "file operations",
        Some(ResourceKind::Getaddrinfo | ResourceKind::Getnameinfo) => "name resolutions",
        Some(ResourceKind::Random) => "random bytes",
        _ => "work",
    };
    location.map_or_else(|| kind.to_owned(), |location| format!("{kind} of {}", place(location)))
}
