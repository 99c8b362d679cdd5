//! What the front end has noticed: events before their listener, ignored backpressure, a top-level await that never settles.

use std::collections::{HashMap, HashSet};

use super::{Case, Detector, Diagnosis, Severity, own_location, place, time, times};
use crate::definition::Location;
use crate::record::FindingKind;
use crate::trace::Finding;

pub(super) fn find(case: &Case<'_>, found: &mut Vec<Diagnosis>) {
    find_missed_events(case, found);
    find_queues(case, found);
    for finding in of_kind(case, FindingKind::UnsettledAwait) {
        let location = own_location(case.trace, finding.stack);
        found.push(Diagnosis {
            detector: Detector::UnsettledAwait,
            severity: Severity::Problem,
            title: match location {
                Some(at) => format!("The program ended while the top-level await at {} was waiting.", place(at)),
                None => "The program ended while a top-level await was waiting.".to_owned(),
            },
            location: location.cloned(),
            evidence: vec![format!(
                "After {} nothing was left that could settle its promise: no timer, no open handle, no request. The exit code is 13.",
                time(finding.at_ns)
            )],
            remedy: "Settle the promise, or keep what settles it alive: look for an unref(), a closed stream or a listener whose event never \
                     comes."
                .to_owned(),
            at_ns: finding.at_ns,
            thread: case.name(),
        });
    }
}

fn of_kind<'a>(case: &Case<'a>, kind: FindingKind) -> impl Iterator<Item = &'a Finding> + use<'a> {
    case.thread.findings.iter().filter(move |finding| finding.kind == kind)
}

/// The code of the program that has added a listener: it called `on`, `once` or a function of `events`. `None` if other code of the runtime or
/// a package has called them.
fn listener_location<'a>(case: &Case<'a>, finding: &Finding) -> Option<&'a Location> {
    let is_of_events = |location: &&Location| {
        ["node:events", "node:internal/events", "node:internal/scheduler/findings"]
            .iter()
            .any(|file| location.file.starts_with(file))
    };
    let caller = case.trace.stack(finding.stack).find(|location| !is_of_events(location))?;
    (!caller.is_internal() && !super::is_of_package(caller)).then_some(caller)
}

/// Listeners that were added after their event, which was not emitted again.
fn find_missed_events(case: &Case<'_>, found: &mut Vec<Diagnosis>) {
    let heard: HashSet<u64> = of_kind(case, FindingKind::EventHeard).map(|finding| finding.subject).collect();
    let emitted: HashMap<u64, &Finding> =
        of_kind(case, FindingKind::EventUnheard).map(|finding| (finding.subject, finding)).collect();
    let mut groups: HashMap<(&str, &Location), Vec<&Finding>> = HashMap::new();
    for finding in of_kind(case, FindingKind::EventBeforeListener).filter(|each| !heard.contains(&each.subject)) {
        if let Some(location) = listener_location(case, finding) {
            groups.entry((case.trace.label(finding.label), location)).or_default().push(finding);
        }
    }
    for ((event, location), missed) in groups {
        let Some(first) = missed.first() else { continue };
        let mut evidence = Vec::new();
        if let Some(emission) = emitted.get(&first.subject) {
            let at =
                own_location(case.trace, emission.stack).map(|at| format!(" at {}", place(at))).unwrap_or_default();
            let before_ns = first.at_ns.saturating_sub(emission.at_ns);
            evidence.push(format!(
                "The event was emitted{at}, {} before the listener was added, and never again.",
                time(before_ns)
            ));
        }
        if missed.len() > 1 {
            evidence.push(format!("It happened {}.", times(missed.len(), first.at_ns)));
        }
        found.push(Diagnosis {
            detector: Detector::EventBeforeListener,
            severity: Severity::Problem,
            title: format!("The listener for {event} was added too late, at {}.", place(location)),
            location: Some(location.clone()),
            evidence,
            remedy: "Add the listener in the same callback in which the object is made, before any await.".to_owned(),
            at_ns: first.at_ns,
            thread: case.name(),
        });
    }
}

/// Streams whose queue grows, because the program does not wait for 'drain'.
fn find_queues(case: &Case<'_>, found: &mut Vec<Diagnosis>) {
    let mut groups: HashMap<Option<&Location>, Vec<&Finding>> = HashMap::new();
    for finding in of_kind(case, FindingKind::BackpressureIgnored) {
        groups.entry(own_location(case.trace, finding.stack)).or_default().push(finding);
    }
    for (location, findings) in groups {
        let Some(largest) = findings.iter().max_by_key(|finding| finding.number) else { continue };
        let streams: HashSet<u64> = findings.iter().map(|finding| finding.subject).collect();
        let megabytes = largest.number.div_ceil(1024);
        let name = case.trace.label(largest.label);
        let stream = if name.is_empty() { "stream" } else { name };
        let at = location.map(|at| format!(" by {}", place(at))).unwrap_or_default();
        let first_ns = findings.iter().map(|finding| finding.at_ns).min().unwrap_or_default();
        found.push(Diagnosis {
            detector: Detector::UnboundedQueue,
            severity: Severity::Problem,
            title: format!("At least {megabytes} MB wait in memory to be written to a {stream}{at}."),
            location: location.cloned(),
            evidence: vec![
                "write() returned false, and the program went on writing without waiting for 'drain'.".to_owned(),
                format!(
                    "It happened with {}.",
                    match streams.len() {
                        1 => format!("one stream, {} after the start", time(first_ns)),
                        number => format!("{number} streams, first {} after the start", time(first_ns)),
                    }
                ),
            ],
            remedy: "Stop writing when write() returns false, and go on at 'drain'; pipeline() of node:stream does it."
                .to_owned(),
            at_ns: first_ns,
            thread: case.name(),
        });
    }
}
