//! Hooks for the lifecycle of promises, for `async_hooks`: [`Scope::set_promise_hooks`].
//!
//! New and settled promises are reported by the engine's `Debugger`, a JavaScript object in a compartment of its own.
//! Reactions and their jobs are reported by the queue of microtasks. While the hooks are off, they do not slow promises
//! down.

use std::cell::Cell;

use mozjs::rooted;
use mozjs::{glue, jsapi};

use crate::exception::{Fallible, Thrown};
use crate::function::Function;
use crate::global::Global;
use crate::local::Local;
use crate::object::Object;
use crate::raw::RawValue;
use crate::realm::{Compartment, Realm};
use crate::scope::Scope;
use crate::script::Origin;
use crate::value::Value;

/// The script that runs in the debugger's realm. It calls the program's hook by
/// `Debugger.Object.prototype.call`, because the engine forbids a debugger hook to run the program's code directly.
const DEBUGGER: &str = "(function (global, event) {
  'use strict';
  const debug = new Debugger();
  const hook = debug.makeGlobalObjectReference(global).makeDebuggeeValue(event);
  debug.onNewPromise = (promise) => { hook.call(undefined, true, promise); };
  debug.onPromiseSettled = (promise) => { hook.call(undefined, false, promise); };
  return (isOn) => { if (isOn) debug.addDebuggee(global); else debug.removeDebuggee(global); };
})";

/// The functions that are called for events of promises.
pub(crate) struct PromiseHooks {
    is_on: Cell<bool>,
    /// `(isOn)`: starts or stops the debugger.
    watch: Global<Function>,
    of_reaction: Global<Function>,
    begin: Global<Function>,
    end: Global<Function>,
}

impl PromiseHooks {
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.get()
    }

    /// Returns the value that is stored with a new reaction: an object, or undefined.
    pub(crate) fn of_reaction(&self, scope: Scope<'_>) -> Fallible<RawValue> {
        Ok(self.of_reaction.get(scope).call(scope, scope.undefined(), &[])?.raw())
    }

    /// Called when a job begins. Returns the value that is passed to `end` when the job ends.
    pub(crate) fn begin<'s>(
        &self,
        scope: Scope<'s>,
        kept: Local<'_, Value>,
        promise: Local<'_, Value>,
    ) -> Fallible<Local<'s, Value>> {
        self.begin.get(scope).call(scope, scope.undefined(), &[kept, promise])
    }

    /// Called when a job ends. `job` is the value that [`begin`](PromiseHooks::begin) returned, or undefined.
    pub(crate) fn end(&self, scope: Scope<'_>, job: Local<'_, Value>, promise: Local<'_, Value>) -> Fallible<()> {
        self.end.get(scope).call(scope, scope.undefined(), &[job, promise]).map(|_| ())
    }
}

impl Scope<'_> {
    /// Sets the hooks for promises of the current realm, which are off at first. They are properties of `hooks`:
    ///
    /// - `event(isNew, promise)`: a promise was made, or is settled. A promise that its executor resolves is reported
    ///   as settled before it is reported as new.
    /// - `reaction()`: called when a reaction is added to a promise. The result, an object or undefined, is stored for
    ///   the job of the reaction in place of the context.
    /// - `begin(kept, promise)`: a job begins. `kept` is the result of `reaction`, and `promise` is the promise that
    ///   the job settles. `end(job, promise)`: the job ends. `job` is the result of `begin`, or undefined for the job
    ///   that has called `set_promise_hooks`. From now on `begin` and `end` are called for all jobs, because they must
    ///   set the context.
    ///
    /// [`propagate_context`](Scope::propagate_context) must have been called.
    ///
    /// # Errors
    ///
    /// If a function is missing, or there is no memory.
    pub fn set_promise_hooks(self, hooks: Local<'_, Object>) -> Fallible<()> {
        let global = |name| Ok(Global::new(self, hooks.get_as::<Local<'_, Function>>(self, name)?));
        let event = new_event_function(self, global("event")?)?;
        let hooks = PromiseHooks {
            is_on: Cell::new(false),
            watch: new_debugger(self, event)?,
            of_reaction: global("reaction")?,
            begin: global("begin")?,
            end: global("end")?,
        };
        self.state().contexts.promise_hooks.replace(Some(std::rc::Rc::new(hooks)));
        Ok(())
    }

    /// Turns the hooks on or off.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn watch_promises(self, is_on: bool) -> Fallible<()> {
        let hooks = self.state().contexts.promise_hooks.borrow().clone();
        if let Some(hooks) = hooks
            && hooks.is_on.replace(is_on) != is_on
        {
            let is_on = self.boolean(is_on);
            hooks.watch.get(self).call(self, self.undefined(), &[is_on])?;
        }
        Ok(())
    }
}

/// The function that the debugger calls.
fn new_event_function<'s>(scope: Scope<'s>, event: Global<Function>) -> Fallible<Local<'s, Function>> {
    Function::new(scope, "event", 2, move |scope, arguments| {
        let state = scope.state();
        state.contexts.begin_interruption();
        let (is_new, promise) = (arguments.get(scope, 0), arguments.get(scope, 1));
        let result = event.get(scope).call(scope, scope.undefined(), &[is_new, promise]);
        if let Err(thrown) = result
            && scope.caught(thrown).is_none()
        {
            // JavaScript is ending. The debugger would ignore the failure, so it is repeated as an interrupt.
            state.interrupter().interrupt();
        }
        Ok(scope.undefined())
    })
}

/// Ignores an exception of the debugger's own code. The only possible exception is a stack overflow, and the program's
/// next call throws that too. Exceptions of hooks are handled elsewhere. Without such a callback the engine calls a
/// null pointer (`js::Debugger::reportUncaughtException`).
unsafe extern "C" fn ignore_exception(
    _global: jsapi::HandleObject,
    _closure: *mut jsapi::ScriptEnvironmentPreparer_Closure,
) {
}

/// Makes the debugger and returns the function that turns it on and off.
fn new_debugger(scope: Scope<'_>, event: Local<'_, Function>) -> Fallible<Global<Function>> {
    // SAFETY: the context is alive, and the function does not unwind.
    unsafe { glue::RegisterScriptEnvironmentPreparer(scope.cx(), Some(ignore_exception)) };
    let program = scope.global();
    let realm = Realm::new_in(scope.state(), Compartment::Own);
    let watch = realm.run_in(scope, |scope| {
        rooted!(in(scope.cx()) let global = realm.global(scope).raw().to_object());
        // SAFETY: the realm of the global object is entered, and the handle is rooted.
        let ok = unsafe { jsapi::JS_DefineDebuggerObject(scope.cx(), global.handle().into()) };
        Thrown::check(scope, ok)?;
        let start = scope.eval(DEBUGGER, Origin::new("phasor:promises"))?;
        let start = start.cast::<Function>().ok_or_else(|| scope.terminate())?;
        let arguments = [wrap(scope, program.as_value())?, wrap(scope, event.as_value())?];
        start.call(scope, scope.undefined(), &arguments)
    })?;
    let watch = wrap(scope, watch)?.cast::<Function>().ok_or_else(|| scope.terminate())?;
    Ok(Global::new(scope, watch))
}

/// Wraps a value of another compartment for use in the current compartment.
fn wrap<'s>(scope: Scope<'s>, value: Local<'_, Value>) -> Fallible<Local<'s, Value>> {
    rooted!(in(scope.cx()) let mut wrapped = value.raw());
    // SAFETY: the handle is rooted.
    let ok = unsafe { jsapi::JS_WrapValue(scope.cx(), wrapped.handle_mut().into()) };
    // SAFETY: the value was just read.
    unsafe { scope.root_if(ok, wrapped.get()) }
}
