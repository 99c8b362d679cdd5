//! What is known of handles and requests whose objects of JavaScript are called by natives of `phasor-node`.

use std::cell::RefCell;

use rquickjs::{Ctx, Object, Persistent, Result, Value, qjs};

use super::Track;
use crate::raw;
use crate::state::{State, state, value_of};

/// What is known of a handle or a request whose object of JavaScript is called by natives. There is one only if somebody asks.
pub struct Tracked {
    id: f64,
    trigger: f64,
    context: RefCell<Persistent<Value<'static>>>,
}

impl Tracked {
    /// Tracks an object, by the name that Node's hooks know its kind by. What triggered it is what runs, unless an id is given.
    pub fn new<'js>(ctx: &Ctx<'js>, kind: &str, resource: &Object<'js>, trigger: Option<f64>) -> Option<Tracked> {
        let state = state(ctx);
        if !state.tracks() {
            return None;
        }
        let default = default_trigger(&state, trigger);
        let (track, _) = state.track(kind, resource.as_value().as_raw(), || qjs::JS_UNDEFINED);
        state.tracking.default_trigger.set(default);
        let context = value_of(ctx, track.context);
        raw::free(state.ctx, track.context);
        let context = RefCell::new(Persistent::save(ctx, context));
        Some(Tracked { id: track.id, trigger: track.trigger, context })
    }

    /// The id.
    pub fn id(&self) -> f64 {
        self.id
    }

    /// Makes a call as this. If it throws, its scope is left by the funnel, after whoever hears of the exception.
    pub fn call<'js, T>(&self, ctx: &Ctx<'js>, resource: &Object<'js>, call: impl FnOnce() -> Result<T>) -> Result<T> {
        let state = state(ctx);
        let depth = state.depth();
        let context = self.context.borrow().clone().restore(ctx)?;
        let context = raw::dup(state.ctx, context.as_raw());
        state.enter(Track { id: self.id, trigger: self.trigger, context }, resource.as_value().as_raw());
        let result = call()?;
        // As Node, where the store is the resource's: what was entered for good is there the next time.
        let context = value_of(ctx, state.async_context());
        let before = self.context.replace(Persistent::save(ctx, context));
        drop(before);
        state.leave_to(depth);
        Ok(result)
    }

    /// Makes a call that starts what this triggers, though this does not run.
    pub fn triggering<T>(&self, ctx: &Ctx<'_>, call: impl FnOnce() -> T) -> T {
        let state = state(ctx);
        let before = default_trigger(&state, Some(self.id));
        let result = call();
        state.tracking.default_trigger.set(before);
        result
    }

    /// Nothing is called any more.
    pub fn end(&self, ctx: &Ctx<'_>) {
        state(ctx).tell_end(self.id);
    }
}

/// Sets the trigger of what is started next, if one is given; the one before.
fn default_trigger(state: &State, trigger: Option<f64>) -> f64 {
    let before = state.tracking.default_trigger.get();
    if let Some(trigger) = trigger {
        state.tracking.default_trigger.set(trigger);
    }
    before
}

/// Makes a call as what is tracked, or just so.
pub fn call_tracked<'js, T>(
    ctx: &Ctx<'js>,
    tracked: Option<&Tracked>,
    resource: &Object<'js>,
    call: impl FnOnce() -> Result<T>,
) -> Result<T> {
    match tracked {
        Some(tracked) => tracked.call(ctx, resource, call),
        None => call(),
    }
}
