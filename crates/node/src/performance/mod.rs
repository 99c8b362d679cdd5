//! Native verbs of `performance`: the clock that starts with the process, for workers as well, the milestones of the thread
//! and what its loop has counted. Histograms are in `histogram`, the sampling of the loop's delay is in `delay`.

mod delay;
mod histogram;

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use phasor_js::state;
use phasor_sys::clock::monotonic_ns;
use rquickjs::{Ctx, Object, Result};

/// When this process started.
static START: OnceLock<Start> = OnceLock::new();

/// A moment by both clocks.
struct Start {
    at_ns: u64,
    /// Later than the start, as Node's milestone of that name is.
    node_start_ns: u64,
    at: SystemTime,
}

/// Takes down when the process started. The first thing that `main` does, else the first host counts.
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

/// A moment of the monotonic clock, in milliseconds since 1970.
fn since_1970_ms(at_ns: u64) -> f64 {
    let start = process_start();
    // A clock before 1970 is nonsense, but no reason to fall over.
    let start_ms = start.at.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_micros() as f64 / 1e3);
    start_ms + (at_ns as f64 - start.at_ns as f64) / 1e6
}

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    let origin_ns = process_start().at_ns;
    verbs.set("timeOrigin", since_1970_ms(origin_ns))?;
    verbs!(ctx, verbs,
        "now" => move || monotonic_ns().saturating_sub(origin_ns) as f64 / 1e6,
        "milestone" => move |ctx: Ctx<'js>, name: String| milestone_ms(&ctx, &name, origin_ns),
        "idleTime" => |ctx: Ctx<'js>| state(&ctx).core().metrics().idle_ns as f64 / 1e6,
        "metrics" => metrics,
    );
    histogram::define(ctx, &verbs)?;
    delay::define(ctx, &verbs)?;
    Ok(verbs)
}

/// When a milestone was, by the clock of this thread; -1 if it was not yet.
fn milestone_ms(ctx: &Ctx<'_>, name: &str, origin_ns: u64) -> f64 {
    let start = process_start();
    let state = state(ctx);
    let times = state.times();
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

/// Turns, events and events that had been waiting. These are told apart from the first time on that somebody asks: that
/// takes a look without sleeping in every turn.
fn metrics(ctx: Ctx<'_>) -> Vec<f64> {
    let state = state(&ctx);
    let mut core = state.core();
    core.measure(true);
    let metrics = core.metrics();
    vec![metrics.turns as f64, metrics.events as f64, metrics.events_waiting as f64]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_one_moment_of_both_clocks() {
        start();
        let first = process_start();
        assert!(first.node_start_ns > first.at_ns && first.at_ns <= monotonic_ns());
        let later_ms = since_1970_ms(first.at_ns + 5_000_000);
        assert!(later_ms > 1.7e12 && (later_ms - since_1970_ms(first.at_ns) - 5.0).abs() < 0.01);
    }
}
