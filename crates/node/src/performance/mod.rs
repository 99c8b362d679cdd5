//! Native functions of `performance`: the monotonic clock since process start, startup milestones and event loop metrics. Histograms are in
//! `histogram`, `monitorEventLoopDelay` in `delay`.

mod delay;
mod histogram;

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use phasor_engine::{Fallible, Local, Object, Scope, define_natives};
use phasor_js::state;
use phasor_sys::clock::monotonic_ns;

/// The start time of this process.
static START: OnceLock<Start> = OnceLock::new();

/// The same moment on the monotonic clock and on the wall clock.
struct Start {
    at_ns: u64,
    /// `performance.nodeTiming.nodeStart`, which is later than the time origin.
    node_start_ns: u64,
    at: SystemTime,
}

/// Records the process start. `main` calls it first; without that call the first host does.
pub fn start() {
    process_start();
}

fn process_start() -> &'static Start {
    START.get_or_init(|| {
        let at_ns = monotonic_ns();
        let at = SystemTime::now();
        let node_start_ns = monotonic_ns().max(at_ns + 1);
        Start { at_ns, node_start_ns, at }
    })
}

/// Converts a time of the monotonic clock to milliseconds since 1970.
fn since_1970_ms(at_ns: u64) -> f64 {
    let start = process_start();
    // The wall clock may be set before 1970: treat it as 1970.
    let start_ms = start.at.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_micros() as f64 / 1e3);
    start_ms + (at_ns as f64 - start.at_ns as f64) / 1e6
}

/// Creates the object of native functions.
pub fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    natives.set(scope, "timeOrigin", since_1970_ms(process_start().at_ns))?;
    define_natives!(
        scope, natives,
        "now" => |_| monotonic_ns().saturating_sub(process_start().at_ns) as f64 / 1e6,
        "milestone" => |scope: Scope<'_>, name: String| milestone_ms(scope, &name),
        "idleTime" => |scope: Scope<'_>| state(scope).core().metrics().idle_ns as f64 / 1e6,
        "metrics" => metrics,
    );
    histogram::define(scope, natives)?;
    delay::define(scope, natives)?;
    Ok(natives)
}

/// The time of a milestone in milliseconds since the time origin; -1 if it has not happened.
fn milestone_ms(scope: Scope<'_>, name: &str) -> f64 {
    let start = process_start();
    let origin_ns = start.at_ns;
    let times = state(scope).times();
    let at_ns = match name {
        "timeOrigin" => origin_ns,
        "nodeStart" => start.node_start_ns,
        "v8Start" => times.made_ns().max(start.node_start_ns),
        "environment" => times.ready_ns(),
        "bootstrapComplete" => times.bootstrapped_ns(),
        "loopStart" => times.loop_started_ns(),
        "loopExit" => times.loop_ended_ns(),
        _ => 0,
    };
    match at_ns {
        0 => -1.0,
        at_ns => (at_ns as f64 - origin_ns as f64) / 1e6,
    }
}

/// `[iterations, events, events that were waiting]`. The loop counts the third only after the first call, because it needs a non-blocking
/// poll in every iteration.
fn metrics(scope: Scope<'_>) -> [f64; 3] {
    let mut core = state(scope).core();
    core.measure(true);
    let metrics = core.metrics();
    [metrics.turns as f64, metrics.events as f64, metrics.events_waiting as f64]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_is_the_same_moment_on_both_clocks() {
        start();
        let first = process_start();
        assert!(first.node_start_ns > first.at_ns && first.at_ns <= monotonic_ns());
        let later_ms = since_1970_ms(first.at_ns + 5_000_000);
        assert!(later_ms > 1.7e12 && (later_ms - since_1970_ms(first.at_ns) - 5.0).abs() < 0.01);
    }
}
