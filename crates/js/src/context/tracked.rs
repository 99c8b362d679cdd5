//! Async state of handles and requests whose JavaScript callbacks are called by natives of `phasor-node`.

use std::cell::RefCell;

use rquickjs::{Ctx, Object, Persistent, Result, Value, qjs};

use super::Track;
use crate::raw;
use crate::state::{State, state, value_of};

/// The async id and context of a handle or request. Created only if `async_hooks` is in use.
pub struct Tracked {
    id: f64,
    trigger: f64,
    context: RefCell<Persistent<Value<'static>>>,
}

impl Tracked {
    /// Tracks an object as a resource of the given `async_hooks` type. The trigger id is the current execution's,
    /// unless one is given.
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

    /// The async id.
    pub fn id(&self) -> f64 {
        self.id
    }

    /// Calls a function in this resource's async scope. If it throws, `dispatch` leaves the scope, after the exception
    /// was reported.
    pub fn call<'js, T>(&self, ctx: &Ctx<'js>, resource: &Object<'js>, call: impl FnOnce() -> Result<T>) -> Result<T> {
        let state = state(ctx);
        let depth = state.depth();
        let context = self.context.borrow().clone().restore(ctx)?;
        let context = raw::dup(state.ctx, context.as_raw());
        state.enter(Track { id: self.id, trigger: self.trigger, context }, resource.as_value().as_raw());
        let result = call()?;
        // In Node a store belongs to the resource, so `enterWith` in its callback lasts until the next one
        // (`lib/internal/async_local_storage/async_hooks.js: enterWith`).
        let context = value_of(ctx, state.async_context());
        let before = self.context.replace(Persistent::save(ctx, context));
        drop(before);
        state.leave_to(depth);
        Ok(result)
    }

    /// Calls a function that creates resources triggered by this one, without entering its scope.
    pub fn triggering<T>(&self, ctx: &Ctx<'_>, call: impl FnOnce() -> T) -> T {
        let state = state(ctx);
        let before = default_trigger(&state, Some(self.id));
        let result = call();
        state.tracking.default_trigger.set(before);
        result
    }

    /// No more callbacks follow: queues the `destroy` hook.
    pub fn end(&self, ctx: &Ctx<'_>) {
        state(ctx).queue_destroy(self.id);
    }
}

/// Sets the default trigger id, if one is given. Returns the previous one.
fn default_trigger(state: &State, trigger: Option<f64>) -> f64 {
    let before = state.tracking.default_trigger.get();
    if let Some(trigger) = trigger {
        state.tracking.default_trigger.set(trigger);
    }
    before
}

/// Calls a function, in the async scope of `tracked` if there is one.
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
