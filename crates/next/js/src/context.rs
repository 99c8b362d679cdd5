//! Async context propagation, and the async ids of `async_hooks`, for natives of `phasor-node`.

use phasor_engine::{Fallible, Local, Object, Scope};

use crate::builtins::Natives;

/// The native functions of `internal/async_hooks`.
pub const ASYNC_CONTEXT: Natives = Natives { name: "async_context", make: natives };

fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    Ok(Object::new(scope))
}

/// The async id and context of a handle or request. Created only if `async_hooks` is in use.
#[derive(Debug)]
pub struct Tracked {
    id: f64,
}

impl Tracked {
    /// Tracks an object as a resource of the given `async_hooks` type. The trigger id is the current execution's, unless one is given.
    pub fn new(_scope: Scope<'_>, _kind: &str, _resource: Local<'_, Object>, _trigger: Option<f64>) -> Option<Tracked> {
        None
    }

    /// The async id.
    pub fn id(&self) -> f64 {
        self.id
    }

    /// Calls a function in this resource's async scope. If it throws, `dispatch` leaves the scope, after the exception was reported.
    ///
    /// # Errors
    ///
    /// Those of the function.
    pub fn call<T>(
        &self,
        _scope: Scope<'_>,
        _resource: Local<'_, Object>,
        call: impl FnOnce() -> Fallible<T>,
    ) -> Fallible<T> {
        call()
    }

    /// Calls a function that creates resources triggered by this one, without entering its scope.
    pub fn triggering<T>(&self, _scope: Scope<'_>, call: impl FnOnce() -> T) -> T {
        call()
    }

    /// No more callbacks follow: queues the `destroy` hook.
    pub fn end(&self, _scope: Scope<'_>) {}
}

/// Calls a function, in the async scope of `tracked` if there is one.
///
/// # Errors
///
/// Those of the function.
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
