//! Connections that wait because immediates keep each turn of the loop long, while a turn accepts one connection of a server
//! (nodejs/node#57364).

use std::collections::HashMap;

use super::{Case, Detector, Diagnosis, Severity, count, place, sum, time};
use crate::definition::Location;
use crate::record::{CallbackKind, ResourceId};
use crate::trace::{Callback, Poll};

/// Fewer connections in a row are no queue.
const CONNECTIONS: usize = 8;

/// A shorter time between two connections is the work of accepting them, also on a busy machine.
const GAP_NS: u64 = 5_000_000;

/// The connections of one row have waited this long together: less is not noticed.
const TOTAL_NS: u64 = 100_000_000;

/// Connections that were accepted one after another without a pause.
#[derive(Default)]
struct Row<'a> {
    begin_ns: u64,
    end_ns: u64,
    connections: usize,
    immediate_ns: u64,
    by_function: HashMap<Option<&'a Location>, u64>,
}

pub(super) fn find(case: &Case<'_>, found: &mut Vec<Diagnosis>) {
    let mut last: HashMap<ResourceId, (&Callback, Row<'_>)> = HashMap::new();
    let mut longest: Option<Row<'_>> = None;
    let mut keep = |row: Row<'_>| {
        // Rows belong to the trace alone, so that the longest of all servers can be kept.
        let is_starved = row.connections >= CONNECTIONS && row.end_ns - row.begin_ns >= TOTAL_NS;
        if is_starved && longest.as_ref().is_none_or(|other| other.connections < row.connections) {
            longest = Some(rebuild(case, &row));
        }
    };
    for (_, callback) in case.outermost.iter().filter(|(_, at)| at.kind == Some(CallbackKind::Connection)) {
        let fresh = || Row { begin_ns: callback.begin_ns, end_ns: callback.end_ns, connections: 1, ..Row::default() };
        match last.remove(&callback.resource) {
            None => drop(last.insert(callback.resource, (callback, fresh()))),
            Some((before, mut row)) => {
                if is_starved(case, before, callback) {
                    row.end_ns = callback.end_ns;
                    row.connections += 1;
                } else {
                    keep(std::mem::replace(&mut row, fresh()));
                }
                last.insert(callback.resource, (callback, row));
            }
        }
    }
    last.into_values().for_each(|(_, row)| keep(row));
    let Some(row) = longest else { return };
    let duration_ns = row.end_ns - row.begin_ns;
    let worst = row.by_function.iter().max_by_key(|(_, ns)| **ns).and_then(|(location, _)| *location);
    let by =
        worst.map_or_else(|| "setImmediate() callbacks".to_owned(), |at| format!("the immediates of {}", place(at)));
    let share = row.immediate_ns.saturating_mul(100) / duration_ns.max(1);
    found.push(Diagnosis {
        detector: Detector::AcceptStarvation,
        severity: Severity::Problem,
        title: format!("{} waited to be accepted, because {by} kept the loop busy.", count(row.connections, "connection")),
        location: worst.cloned(),
        evidence: vec![
            format!(
                "They were accepted one by one over {}, {} apart, {} after the start: a turn of the loop accepts one connection.",
                time(duration_ns),
                time(duration_ns / (row.connections as u64 - 1)),
                time(row.begin_ns)
            ),
            format!("Immediates took {share} % of that time."),
        ],
        remedy: "Let the loop wait for I/O between two pieces of this work: use setTimeout() in place of setImmediate(), make the pieces \
                 shorter, or move the work to a worker thread."
            .to_owned(),
        at_ns: row.begin_ns,
        thread: case.name(),
    });
}

/// Whether a connection has waited while immediates ran: the loop did not sleep since the one before.
fn is_starved(case: &Case<'_>, before: &Callback, callback: &Callback) -> bool {
    let gap_ns = callback.begin_ns.saturating_sub(before.end_ns);
    if gap_ns < GAP_NS {
        return false;
    }
    let polls = &case.thread.polls;
    let first = polls.partition_point(|poll| poll.end_ns <= before.end_ns);
    let within = polls[first..].iter().take_while(|poll| poll.begin_ns < callback.begin_ns);
    let slept_ns = sum(within.filter(|poll| poll.blocks()).map(Poll::duration_ns));
    let immediates = case.between(before.end_ns, callback.begin_ns).iter().filter(|(_, at)| is_immediate(at));
    let immediate_ns = sum(immediates.map(|(_, at)| at.duration_ns()));
    slept_ns <= gap_ns / 10 && immediate_ns >= gap_ns / 2
}

/// Immediates, and what C programs use in their place.
fn is_immediate(callback: &Callback) -> bool {
    matches!(callback.kind, Some(CallbackKind::Immediate | CallbackKind::Check | CallbackKind::Idle))
}

/// Adds the time of immediates to a row.
fn rebuild<'a>(case: &Case<'a>, row: &Row<'_>) -> Row<'a> {
    let mut full = Row { begin_ns: row.begin_ns, end_ns: row.end_ns, connections: row.connections, ..Row::default() };
    for (_, callback) in case.between(row.begin_ns, row.end_ns).iter().filter(|(_, at)| is_immediate(at)) {
        full.immediate_ns += callback.duration_ns();
        *full.by_function.entry(case.trace.location(callback.location)).or_default() += callback.duration_ns();
    }
    full
}
