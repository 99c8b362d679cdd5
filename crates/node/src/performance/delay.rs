//! The sampling timer of `monitorEventLoopDelay`: a timer of the core that records when it is called. No JavaScript runs
//! for it, and it never keeps the loop.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use phasor_core::{Event, HandleId};
use phasor_js::{JsFace, OnEvent, State, state};
use rquickjs::{Ctx, Object, Result};

use super::histogram::{Shared, find, lock};

thread_local! {
    /// The timers of this thread, by the number of their histogram.
    static TIMERS: RefCell<HashMap<u32, HandleId>> = RefCell::default();
}

struct Sampler {
    histogram: Shared,
}

impl OnEvent for Sampler {
    fn on_event(&self, ctx: &Ctx<'_>, _id: HandleId, _event: Event<JsFace>) -> Result<()> {
        lock(&self.histogram).record_delta();
        // Node's sampler calls no JavaScript, so nothing is drained after it.
        state(ctx).skip_drain();
        Ok(())
    }
}

/// Puts the verbs on an object.
pub(super) fn define<'js>(ctx: &Ctx<'js>, verbs: &Object<'js>) -> Result<()> {
    verbs!(ctx, verbs, "delayStart" => start, "delayStop" => stop, "delayClose" => close);
    Ok(())
}

fn start(ctx: Ctx<'_>, number: u32, resolution_ms: f64) -> Result<()> {
    let histogram = find(&ctx, number)?;
    let state = state(&ctx);
    let known = TIMERS.with_borrow(|timers| timers.get(&number).copied());
    let id = known.unwrap_or_else(|| open(&state, histogram));
    TIMERS.with_borrow_mut(|timers| timers.insert(number, id));
    // It is open, so this cannot fail. As `uv_timer_start` in Node's `OnStart`, from the loop's own time.
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
        // Stopped, not closed: a handle that is closing would keep the loop for a turn.
        let _ = state(&ctx).core().timer_stop(id);
    }
}

/// The monitor is gone.
fn close(ctx: Ctx<'_>, number: u32) {
    let id = TIMERS.with_borrow_mut(|timers| timers.remove(&number));
    if let (Some(id), Some(mut core)) = (id, state(&ctx).try_core()) {
        let _ = core.close(id);
    }
}
