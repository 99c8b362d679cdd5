//! The sampling timer of `monitorEventLoopDelay`: an unreferenced core timer that records the delta between its calls without running
//! JavaScript.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use phasor_core::{Event, HandleId};
use phasor_js::{JsFace, OnEvent, State, state};
use rquickjs::{Ctx, Object, Result};

use super::histogram::{Shared, find, lock};

thread_local! {
    /// The timers of this thread, by histogram number.
    static TIMERS: RefCell<HashMap<u32, HandleId>> = RefCell::default();
}

struct Sampler {
    histogram: Shared,
}

impl OnEvent for Sampler {
    fn on_event(&self, ctx: &Ctx<'_>, _id: HandleId, _event: Event<JsFace>) -> Result<()> {
        lock(&self.histogram).record_delta();
        // Node's sampler runs no JavaScript (`src/histogram.cc: IntervalHistogram::TimerCB`), so no ticks are drained after it.
        state(ctx).skip_drain();
        Ok(())
    }
}

/// Defines the native functions.
pub(super) fn define<'js>(ctx: &Ctx<'js>, natives: &Object<'js>) -> Result<()> {
    define_natives!(ctx, natives, "delayStart" => start, "delayStop" => stop, "delayClose" => close);
    Ok(())
}

fn start(ctx: Ctx<'_>, number: u32, resolution_ms: f64) -> Result<()> {
    let histogram = find(&ctx, number)?;
    let state = state(&ctx);
    let known = TIMERS.with_borrow(|timers| timers.get(&number).copied());
    let id = known.unwrap_or_else(|| open(&state, histogram));
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

fn stop(ctx: Ctx<'_>, number: u32) {
    if let Some(id) = TIMERS.with_borrow(|timers| timers.get(&number).copied()) {
        // Stop the timer instead of closing it: a closing handle keeps the loop alive for one iteration.
        let _ = state(&ctx).core().timer_stop(id);
    }
}

/// Closes the timer of a monitor that was garbage-collected.
fn close(ctx: Ctx<'_>, number: u32) {
    let id = TIMERS.with_borrow_mut(|timers| timers.remove(&number));
    if let (Some(id), Some(mut core)) = (id, state(&ctx).try_core()) {
        let _ = core.close(id);
    }
}
