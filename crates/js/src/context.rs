//! Async context propagation, and the async ids of `async_hooks`, for natives of `phasor-node`.
//!
//! The ids, the stack of executions and the hooks are JavaScript: `internal/async_hooks` in `phasor-builtins`. A native that calls a callback
//! keeps a [`Tracked`], which has the record that JavaScript makes for the callback.

use std::cell::RefCell;

use phasor_engine::{Fallible, Function, Global, IntoJs, Local, Object, Scope, Value, define_natives};

use crate::builtins::Natives;
use crate::state::{State, state};

/// The functions of `internal/async_hooks` that natives call, set when it loads.
#[derive(Debug, Default)]
pub(crate) struct Tracking {
    hooks: [RefCell<Option<Global<Function>>>; TrackingHook::COUNT],
}

/// The functions of `internal/async_hooks`.
#[derive(Clone, Copy)]
enum TrackingHook {
    /// `(type, resource, trigger)`: creates the tracking record of a resource and returns it, for `Before`, `After` and `Destroy`.
    /// A negative `trigger` stands for the default trigger id.
    Init,
    /// `(record)`: enters the scope of a callback.
    Before,
    /// `(record)`: leaves it.
    After,
    /// `(record)`: no more callbacks follow.
    Destroy,
    /// `(id)`: sets the default trigger id and returns the one before.
    SetTrigger,
    /// `()`: runs the queued `destroy` hooks.
    RunDestroyHooks,
}

impl TrackingHook {
    const COUNT: usize = 6;
    const NAMES: [&'static str; TrackingHook::COUNT] =
        ["init", "before", "after", "destroy", "setTrigger", "runDestroyHooks"];
}

impl Tracking {
    pub(crate) fn clear(&self) {
        for hook in &self.hooks {
            drop(hook.take());
        }
    }
}

impl State {
    fn call_tracking<'s>(
        &self,
        scope: Scope<'s>,
        hook: TrackingHook,
        args: &[Local<'_, Value>],
    ) -> Fallible<Local<'s, Value>> {
        let function = self.tracking.hooks[hook as usize].borrow().as_ref().map(|function| function.get(scope));
        match function {
            Some(function) => function.call(scope, scope.undefined(), args),
            None => Ok(scope.undefined()),
        }
    }

    /// Runs the queued `destroy` hooks.
    pub(crate) fn run_destroy_hooks(&self, scope: Scope<'_>) {
        // A hook that throws ends the process; what is left is a termination, which the next call reports.
        scope.nested(|scope| drop(self.call_tracking(scope, TrackingHook::RunDestroyHooks, &[])));
    }
}

/// The native functions of `internal/async_hooks`.
pub const ASYNC_CONTEXT: Natives = Natives { name: "async_context", make: natives };

fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let object = Object::new(scope);
    define_natives!(scope, object,
        "setHooks" => |scope: Scope<'_>, hooks: Local<'_, Object>| -> Fallible<()> {
            for (name, place) in TrackingHook::NAMES.into_iter().zip(&state(scope).tracking.hooks) {
                place.replace(Some(Global::new(scope, hooks.get_as(scope, name)?)));
            }
            Ok(())
        },
        "propagateContext" => |scope: Scope<'_>, holder: Local<'_, Object>| scope.propagate_context(holder, "context"),
        "setPromiseHooks" => |scope: Scope<'_>, hooks: Local<'_, Object>| scope.set_promise_hooks(hooks),
        "watchPromises" => |scope: Scope<'_>, is_on: bool| scope.watch_promises(is_on),
        "enqueueMicrotask" => |scope: Scope<'_>, function: Local<'_, Function>| scope.enqueue_microtask(function),
    );
    Ok(object)
}

/// The async id and context of a handle or request. Created only if `async_hooks` is in use.
#[derive(Debug)]
pub struct Tracked {
    id: f64,
    record: Global<Object>,
}

impl Tracked {
    /// Tracks an object as a resource of the given `async_hooks` type. The trigger id is the current execution's, unless one is given.
    pub fn new(scope: Scope<'_>, kind: &str, resource: Local<'_, Object>, trigger: Option<f64>) -> Option<Tracked> {
        let state = state(scope);
        if !state.is_tracking(scope) {
            return None;
        }
        scope.nested(|scope| {
            let kind = kind.into_js(scope).ok()?;
            let arguments = [kind, resource.as_value(), scope.number(trigger.unwrap_or(-1.0))];
            // A hook that throws ends the process.
            let record = state.call_tracking(scope, TrackingHook::Init, &arguments).ok()?.cast::<Object>()?;
            let id = record.get_as(scope, "id").ok()?;
            Some(Tracked { id, record: Global::new(scope, record) })
        })
    }

    /// The async id.
    pub fn id(&self) -> f64 {
        self.id
    }

    /// Calls a function in this resource's async scope. If it throws, the scope is left after the exception was reported.
    ///
    /// # Errors
    ///
    /// The errors of the function.
    pub fn call<T>(
        &self,
        scope: Scope<'_>,
        _resource: Local<'_, Object>,
        call: impl FnOnce() -> Fallible<T>,
    ) -> Fallible<T> {
        let state = state(scope);
        let record = self.record.get(scope).as_value();
        state.call_tracking(scope, TrackingHook::Before, &[record])?;
        let result = call()?;
        state.call_tracking(scope, TrackingHook::After, &[record])?;
        Ok(result)
    }

    /// Calls a function that creates resources triggered by this one, without entering its scope.
    pub fn triggering<T>(&self, scope: Scope<'_>, call: impl FnOnce() -> T) -> T {
        let state = state(scope);
        // The function throws nothing.
        let before = state.call_tracking(scope, TrackingHook::SetTrigger, &[scope.number(self.id)]);
        let result = call();
        if let Ok(before) = before {
            drop(state.call_tracking(scope, TrackingHook::SetTrigger, &[before]));
        }
        result
    }

    /// No more callbacks follow: queues the `destroy` hook.
    pub fn end(&self, scope: Scope<'_>) {
        let record = self.record.get(scope).as_value();
        // The function throws nothing.
        drop(state(scope).call_tracking(scope, TrackingHook::Destroy, &[record]));
    }
}

/// Calls a function, in the async scope of `tracked` if there is one.
///
/// # Errors
///
/// The errors of the function.
pub fn call_tracked<T>(
    scope: Scope<'_>,
    tracked: Option<&Tracked>,
    resource: Local<'_, Object>,
    call: impl FnOnce() -> Fallible<T>,
) -> Fallible<T> {
    match tracked {
        Some(tracked) => tracked.call(scope, resource, call),
        None => call(),
    }
}
