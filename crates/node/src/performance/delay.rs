//! The sampling timer of `monitorEventLoopDelay`: an unreferenced core timer that records the delta between its calls without running
//! JavaScript.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use phasor_core::{Event, HandleId};
use phasor_engine::{Fallible, Local, Object, Scope, define_natives};
use phasor_js::{JsFace, OnEvent, State, state};

use super::histogram::{Shared, find, lock};

thread_local! {
    /// The timers of this thread, by histogram number.
    static TIMERS: RefCell<HashMap<u32, HandleId>> = RefCell::default();
}

struct Sampler {
    histogram: Shared,
}

impl OnEvent for Sampler {
    fn on_event(&self, scope: Scope<'_>, _id: HandleId, _event: Event<JsFace>) -> Fallible<()> {
        lock(&self.histogram).record_delta();
        // Node's sampler runs no JavaScript (`src/histogram.cc: IntervalHistogram::TimerCB`), so no ticks are drained after it.
        state(scope).skip_drain();
        Ok(())
    }
}

/// Defines the native functions.
pub(super) fn define<'s>(scope: Scope<'s>, natives: Local<'s, Object>) -> Fallible<()> {
    define_natives!(scope, natives, "delayStart" => start, "delayStop" => stop, "delayClose" => close);
    Ok(())
}

fn start(scope: Scope<'_>, number: u32, resolution_ms: f64) -> Fallible<()> {
    let histogram = find(scope, number)?;
    let state = state(scope);
    let existing = TIMERS.with_borrow(|timers| timers.get(&number).copied());
    let id = existing.unwrap_or_else(|| open(state, histogram));
    TIMERS.with_borrow_mut(|timers| timers.insert(number, id));
    // Cannot fail: the timer is open. As `IntervalHistogram::OnStart`, which calls `uv_timer_start`, the interval begins at the loop's
    // cached time.
    let _ = state.core().timer_start(id, resolution_ms as u64, resolution_ms as u64);
    Ok(())
}

fn open(state: &State, histogram: Shared) -> HandleId {
    let mut core = state.core();
    let id = core.timer_open(Rc::new(Sampler { histogram }));
    let _ = core.set_ref(id, false);
    id
}

fn stop(scope: Scope<'_>, number: u32) {
    if let Some(id) = TIMERS.with_borrow(|timers| timers.get(&number).copied()) {
        // Stop the timer instead of closing it: a closing handle keeps the loop alive for one iteration.
        let _ = state(scope).core().timer_stop(id);
    }
}

/// Closes the timer of a monitor that was garbage-collected.
fn close(scope: Scope<'_>, number: u32) {
    let id = TIMERS.with_borrow_mut(|timers| timers.remove(&number));
    if let (Some(id), Some(mut core)) = (id, state(scope).try_core()) {
        let _ = core.close(id);
    }
}
