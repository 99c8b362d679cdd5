//! Handles and intervals that one line makes again and again, and that nothing closes.

use std::collections::{HashMap, HashSet};

use super::{Case, Detector, Diagnosis, Severity, any_location, place, time};
use crate::definition::Location;
use crate::record::{ResourceId, ResourceKind};
use crate::trace::Resource;

/// Fewer open handles of one line are a pool of connections, or a cluster of watchers.
const OPEN: usize = 50;

/// They are made over time: in this many callbacks of the loop. A program that opens all it needs at once does so in one or a few.
const CALLBACKS: usize = 20;

/// A line that closes a tenth of what it makes does close them: those that are open are in use.
const CLOSED_SHARE: f64 = 0.1;

/// This share of the open handles has done nothing in the second half of its life.
const IDLE_SHARE: f64 = 0.8;

pub(super) fn find(case: &Case<'_>, found: &mut Vec<Diagnosis>) {
    let mut last_use: HashMap<ResourceId, u64> = HashMap::new();
    for callback in case.thread.callbacks.iter().filter(|callback| callback.resource.is_some()) {
        last_use.insert(callback.resource, callback.begin_ns);
    }
    for request in case.thread.requests.iter().filter(|request| request.handle.is_some()) {
        let used = last_use.entry(request.handle).or_default();
        *used = request.begin_ns.max(*used);
    }
    let mut groups: HashMap<(&Location, ResourceKind), Vec<&Resource>> = HashMap::new();
    for resource in case.thread.resources.iter().filter(|resource| can_leak(resource)) {
        if let (Some(location), Some(kind)) = (any_location(case.trace, resource.stack), resource.kind) {
            groups.entry((location, kind)).or_default().push(resource);
        }
    }
    for ((location, kind), made) in groups {
        let open: Vec<&&Resource> = made.iter().filter(|resource| resource.closed_ns.is_none()).collect();
        let closed = made.len() - open.len();
        if open.len() < OPEN || closed as f64 > CLOSED_SHARE * made.len() as f64 {
            continue;
        }
        let makers: HashSet<u32> =
            made.iter().filter_map(|resource| Some(case.thread.outermost_callback(resource.created_by?))).collect();
        if makers.len() < CALLBACKS {
            continue;
        }
        let is_idle = |resource: &&&&Resource| {
            let (created_ns, end_ns) = (resource.created_ns.unwrap_or(0), case.thread.end_ns);
            let used_ns = last_use.get(&resource.id).copied().unwrap_or(created_ns);
            used_ns.saturating_sub(created_ns) <= end_ns.saturating_sub(created_ns) / 2
        };
        let idle = open.iter().filter(is_idle).count();
        // An interval is never idle.
        if kind != ResourceKind::Timeout && (idle as f64) < IDLE_SHARE * open.len() as f64 {
            continue;
        }
        let first_ns = made.iter().filter_map(|resource| resource.created_ns).min().unwrap_or(0);
        let last_ns = made.iter().filter_map(|resource| resource.created_ns).max().unwrap_or(0);
        let (what, mut remedy) = words(kind);
        if case.is_libuv() {
            remedy = "Call uv_close() on each of them.";
        }
        let mut evidence = vec![format!(
            "{} were made in {}, and {} of them closed.",
            made.len(),
            time(last_ns - first_ns),
            if closed == 0 { "none".to_owned() } else { closed.to_string() }
        )];
        if kind != ResourceKind::Timeout {
            evidence.push(format!("{idle} of those that are open did nothing in the second half of their life."));
        }
        found.push(Diagnosis {
            detector: Detector::HandleLeak,
            severity: Severity::Problem,
            title: format!("{} {what} are open and never closed: {} makes them.", open.len(), place(location)),
            location: Some(location.clone()),
            evidence,
            remedy: remedy.to_owned(),
            at_ns: first_ns,
            thread: case.name(),
        });
    }
}

fn can_leak(resource: &Resource) -> bool {
    match resource.kind {
        Some(ResourceKind::Timeout) => resource.repeat_ms > 0,
        Some(
            ResourceKind::Tcp
            | ResourceKind::Udp
            | ResourceKind::Pipe
            | ResourceKind::Tty
            | ResourceKind::Process
            | ResourceKind::Poll
            | ResourceKind::FsEvent
            | ResourceKind::FsPoll
            | ResourceKind::Timer,
        ) => resource.created_ns.is_some(),
        _ => false,
    }
}

/// The plural of a kind, and what to do.
fn words(kind: ResourceKind) -> (&'static str, &'static str) {
    match kind {
        ResourceKind::Timeout => ("intervals", "Call clearInterval() when what the interval belongs to ends."),
        ResourceKind::Tcp => {
            ("TCP sockets", "Call end() or destroy() on each of them, also after errors and timeouts.")
        }
        ResourceKind::Udp => ("UDP sockets", "Call close() on each of them, or use one socket for all."),
        ResourceKind::Pipe => ("pipes", "Call end() or destroy() on each of them, also after errors and timeouts."),
        ResourceKind::Process => ("child processes", "End them, or wait for them before others are started."),
        ResourceKind::FsEvent | ResourceKind::FsPoll => {
            ("file watchers", "Call close() on each of them, or unwatchFile() for the listener of watchFile().")
        }
        ResourceKind::Timer => ("timers", "Close each of them."),
        _ => ("handles", "Close each of them."),
    }
}
