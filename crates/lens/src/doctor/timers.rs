//! Timers that fire late because other code runs, and intervals that are longer than they were set.

use std::collections::HashMap;

use super::blocked::is_block;
use super::{Case, Detector, Diagnosis, Severity, count, own_location, place, sum, time};
use crate::definition::Location;
use crate::record::{CallbackKind, ResourceId};
use crate::trace::{Callback, TimerFire};

/// A timer that is later than this is noticed, as a blocked loop is.
const LATE_NS: u64 = 100_000_000;

/// Callbacks ran for this share of the delay. In the rest, the loop waited: a busy machine has woken it late.
const EXPLAINED_SHARE: f64 = 0.6;

/// An interval that drifts by less than a quarter is what people expect of timers.
const DRIFT_SHARE: f64 = 0.25;

/// A shorter delay of each call is the resolution of timers and the work of calling them.
const DRIFT_EACH_NS: u64 = 5_000_000;

/// Fewer calls are no rhythm.
const DRIFT_CALLS: usize = 10;

/// The time of callbacks between two times: all, and the longest one.
struct Busy<'a> {
    total_ns: u64,
    callbacks: usize,
    longest: Option<(u32, &'a Callback, u64)>,
}

impl<'a> Case<'a> {
    fn busy_between(&self, begin_ns: u64, end_ns: u64) -> Busy<'a> {
        let mut busy = Busy { total_ns: 0, callbacks: 0, longest: None };
        for (index, callback) in self.between(begin_ns, end_ns) {
            let ns = callback.end_ns.min(end_ns).saturating_sub(callback.begin_ns.max(begin_ns));
            busy.total_ns = ns.saturating_add(busy.total_ns);
            busy.callbacks += 1;
            if busy.longest.is_none_or(|(_, _, longest_ns)| ns > longest_ns) {
                busy.longest = Some((*index, callback, ns));
            }
        }
        busy
    }

    /// The code that started the timer of a callback, and the function that it called.
    fn timer_places(&self, callback: &Callback) -> (Option<&'a Location>, Option<&'a Location>) {
        let started = callback.cause.and_then(|cause| own_location(self.trace, cause.stack));
        let created = || own_location(self.trace, self.thread.resource(callback.resource)?.stack);
        let called = self.trace.location(callback.location).filter(|location| !location.is_internal());
        (started.or_else(created), called)
    }
}

/// A timer that was late, and why.
struct Late<'a> {
    fire: &'a TimerFire,
    callback: &'a Callback,
    /// What delayed it most.
    culprit: Option<&'a Location>,
    by: String,
    busy: Busy<'a>,
}

pub(super) fn find_late(case: &Case<'_>, found: &mut Vec<Diagnosis>) {
    // Timers that the main script has made late, by its line. The others are one group: the loop had too much to do.
    let mut groups: HashMap<Option<String>, Vec<Late<'_>>> = HashMap::new();
    for fire in case.thread.timer_fires.iter().filter(|fire| fire.late_ns >= LATE_NS) {
        let Some(callback) = case.thread.callbacks.get(fire.callback as usize) else { continue };
        let busy = case.busy_between(fire.due_ns, callback.begin_ns);
        if (busy.total_ns as f64) < EXPLAINED_SHARE * fire.late_ns as f64 {
            continue;
        }
        let Some((index, longest, longest_ns)) = busy.longest else { continue };
        let is_one = longest_ns >= busy.total_ns / 2;
        // The block itself is reported, with the timers that waited for it.
        if is_one && is_block(case, index, longest) {
            continue;
        }
        let (culprit, by) = if is_one {
            let culprit = case.location_of(index, longest);
            let what = if longest.kind == Some(CallbackKind::Script) { "the main script" } else { "a callback" };
            (culprit, culprit.map_or_else(|| what.to_owned(), |at| format!("{what}, at {}", place(at))))
        } else {
            let culprit = largest_function(case, fire.due_ns, callback.begin_ns);
            (culprit, culprit.map_or_else(|| "many callbacks".to_owned(), |at| format!("calls of {}", place(at))))
        };
        let is_script = is_one && longest.kind == Some(CallbackKind::Script);
        groups.entry(is_script.then(|| by.clone())).or_default().push(Late { fire, callback, culprit, by, busy });
    }
    for lates in groups.into_values() {
        let Some(worst) = lates.iter().max_by_key(|late| late.fire.late_ns) else { continue };
        let first_ns = lates.iter().map(|late| late.fire.due_ns).min().unwrap_or_default();
        let (started, called) = case.timer_places(worst.callback);
        let timer = match started.or(called) {
            Some(at) => format!("The timer of {} ms that {} starts", worst.fire.delay_ms, place(at)),
            None => format!("A timer of {} ms", worst.fire.delay_ms),
        };
        let mut evidence = vec![format!(
            "It was due {} after the start, and {} ran in the {} until it was called.",
            time(worst.fire.due_ns),
            count(worst.busy.callbacks, "callback"),
            time(worst.fire.late_ns)
        )];
        if let Some((_, _, longest_ns)) = worst.busy.longest {
            evidence.push(format!("The longest of them took {} of that time.", time(longest_ns)));
        }
        if lates.len() > 1 {
            evidence.push(format!("{} were late in this way.", count(lates.len(), "timer call")));
        }
        found.push(Diagnosis {
            detector: Detector::LateTimers,
            severity: Severity::Problem,
            title: format!("{timer} fired {} late, because of {}.", time(worst.fire.late_ns), worst.by),
            location: worst.culprit.cloned(),
            evidence,
            remedy: "A timer fires when the code that runs has returned. Do the work in smaller pieces, in a worker thread, or before the timer \
                     is started."
                .to_owned(),
            at_ns: first_ns,
            thread: case.name(),
        });
    }
}

/// The function whose callbacks took most of the time between two times.
fn largest_function<'a>(case: &Case<'a>, begin_ns: u64, end_ns: u64) -> Option<&'a Location> {
    let mut sums: HashMap<Option<&Location>, u64> = HashMap::new();
    for (index, callback) in case.between(begin_ns, end_ns) {
        let of = sums.entry(case.location_of(*index, callback)).or_default();
        *of = callback.duration_ns().saturating_add(*of);
    }
    sums.into_iter().max_by_key(|(_, ns)| *ns).and_then(|(location, _)| location)
}

pub(super) fn find_drift(case: &Case<'_>, found: &mut Vec<Diagnosis>) {
    let mut intervals: HashMap<ResourceId, Vec<(&TimerFire, &Callback)>> = HashMap::new();
    for fire in case.thread.timer_fires.iter().filter(|fire| fire.repeats && fire.delay_ms > 0) {
        if let Some(callback) = case.thread.callbacks.get(fire.callback as usize) {
            intervals.entry(callback.resource).or_default().push((fire, callback));
        }
    }
    for calls in intervals.values().filter(|calls| calls.len() >= DRIFT_CALLS) {
        let Some((first_fire, first)) = calls.first() else { continue };
        let number = calls.len() as u64;
        let interval_ns = u64::from(first_fire.delay_ms) * 1_000_000;
        let late_ns = sum(calls.iter().map(|(fire, _)| fire.late_ns));
        let each_ns = late_ns / number;
        if each_ns < DRIFT_EACH_NS || (each_ns as f64) < DRIFT_SHARE * interval_ns as f64 || late_ns < LATE_NS {
            continue;
        }
        let busy = calls.iter().map(|(fire, callback)| case.busy_between(fire.due_ns, callback.begin_ns).total_ns);
        if (sum(busy) as f64) < EXPLAINED_SHARE * late_ns as f64 {
            continue;
        }
        let own_ns = sum(calls.iter().map(|(_, callback)| callback.duration_ns()));
        // Blocks are reported with the timers that waited for them.
        let blocks =
            calls.iter().filter_map(|(fire, callback)| case.busy_between(fire.due_ns, callback.begin_ns).longest);
        let own_callback = |other: &Callback| other.resource == first.resource;
        let blocked =
            sum(blocks.filter(|(index, at, _)| !own_callback(at) && is_block(case, *index, at)).map(|at| at.2));
        if blocked >= late_ns / 2 {
            continue;
        }
        let (started, called) = case.timer_places(first);
        let is_own = own_ns / number >= interval_ns.saturating_add(each_ns) / 2;
        let culprit = if is_own {
            called.or(started)
        } else {
            largest_function(case, first.begin_ns, calls[calls.len() - 1].1.begin_ns)
        };
        let at = started.or(called).map(|at| format!(" of {}", place(at))).unwrap_or_default();
        let because = match culprit {
            Some(at) if is_own => format!("each call of {} takes {}", place(at), time(own_ns / number)),
            Some(at) => format!("{} keeps the loop busy", place(at)),
            None => "other callbacks keep the loop busy".to_owned(),
        };
        found.push(Diagnosis {
            detector: Detector::IntervalDrift,
            severity: Severity::Problem,
            title: format!(
                "The interval of {} ms{at} runs every {}, because {because}.",
                first_fire.delay_ms,
                time(interval_ns.saturating_add(each_ns))
            ),
            location: culprit.or(started).cloned(),
            evidence: vec![
                format!("{} were {} late on average.", count(calls.len(), "call"), time(each_ns)),
                format!("A call of its function took {} on average.", time(own_ns / number)),
            ],
            remedy: if is_own {
                "Use a longer interval, do less in each call, or start the next setTimeout() at the end of the function.".to_owned()
            } else {
                "Do the other work in smaller pieces or in a worker thread.".to_owned()
            },
            at_ns: first.begin_ns,
            thread: case.name(),
        });
    }
}
