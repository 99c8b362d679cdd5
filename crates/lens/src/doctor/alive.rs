//! Listeners that keep a process alive which has nothing else to do.

use super::{Detector, Diagnosis, Severity, place};
use crate::why::{LoopActivity, WhyEntry, WhyLoop, WhyReport};

/// A process that has done nothing for this long waits for something.
const IDLE_MS: f64 = 1500.0;

/// What a program has open because it listens to it, and which it may have forgotten. Servers, connections, timers and children are there to
/// wait for.
fn is_listener(entry: &WhyEntry) -> bool {
    let is_input = entry.kind == "terminal" || entry.kind == "standard input" || entry.what.contains("stdin");
    entry.has_ref && (entry.kind == "message port" || entry.kind == "ipc channel" || is_input)
}

/// A worker lives as long as something keeps its own loop alive.
fn is_worker(entry: &WhyEntry) -> bool {
    entry.kind == "worker" || entry.what.starts_with("of the worker")
}

/// What listeners keep an idle process alive, if nothing else does.
pub fn diagnose_alive(report: &WhyReport) -> Vec<Diagnosis> {
    let mut found = Vec::new();
    let is_idle = |of: &WhyLoop| matches!(of.activity, LoopActivity::Idle { for_ms } if for_ms >= IDLE_MS);
    let waits = |of: &WhyLoop| is_idle(of) && of.entries.iter().all(|entry| is_listener(entry) || is_worker(entry));
    if !report.loops.iter().all(waits) {
        return found;
    }
    for of in &report.loops {
        let LoopActivity::Idle { for_ms } = of.activity else { continue };
        for entry in of.entries.iter().filter(|entry| !is_worker(entry)) {
            let name = match entry.what.as_str() {
                "" => entry.kind.clone(),
                what => format!("{} ({what})", entry.kind),
            };
            let listener = entry.callback.as_ref().filter(|location| !location.is_internal());
            let created = entry.creation_line();
            let mut evidence = vec![format!(
                "The loop has been idle for {:.1} s: there is no timer, server, connection or request that it could wait for.",
                for_ms / 1000.0
            )];
            if let Some(created) = created.filter(|_| listener.is_some()) {
                evidence.push(format!("The {} was made at {}.", entry.kind, place(created)));
            }
            let unref = if entry.remedy.contains("unref") {
                ""
            } else {
                " To let the process end although it listens, call unref()."
            };
            found.push(Diagnosis {
                detector: Detector::KeepsAlive,
                severity: Severity::Problem,
                title: match listener.or(created) {
                    Some(at) => format!("Only the listener of a {name} keeps the process alive: {}.", place(at)),
                    None => format!("Only the listener of a {name} keeps the process alive."),
                },
                location: listener.or(created).cloned(),
                evidence,
                remedy: match entry.remedy.as_str() {
                    "" => "Remove the listener when it is no longer needed, or call unref() on the object.".to_owned(),
                    remedy => format!("If nothing more is to come, end it: {remedy}.{unref}"),
                },
                at_ns: 0,
                thread: of.thread.clone(),
            });
        }
    }
    found
}
