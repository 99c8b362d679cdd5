//! Signal handling on the loop: one unreferenced core handle per signal with a listener.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use phasor_core::{Event, HandleId};
use phasor_engine::{Fallible, Function, Global, Local, Object, Scope, native_fn};
use phasor_js::{JsFace, OnEvent, state};

/// The handle of each signal with a listener.
type Handles = Rc<RefCell<HashMap<i32, HandleId>>>;

/// The user data of a signal handle.
struct OnSignal {
    /// Called with the signal number.
    callback: Global<Function>,
}

impl OnEvent for OnSignal {
    fn on_event(&self, scope: Scope<'_>, _id: HandleId, event: Event<JsFace>) -> Fallible<()> {
        if let Event::Signal(_, number) = event {
            self.callback.get(scope).call_with(scope, (), (number,))?;
        }
        Ok(())
    }
}

/// Defines `signalStart(number, callback)` and `signalStop(number)`, which return 0 or a negative error number.
pub(super) fn define(scope: Scope<'_>, natives: Local<'_, Object>) -> Fallible<()> {
    let handles = Handles::default();
    let started = handles.clone();
    let start =
        move |scope: Scope<'_>, number: i32, callback: Local<'_, Function>| start(scope, &started, number, callback);
    natives.define_function(scope, "signalStart", 2, native_fn!(&start))?;
    let stop = move |scope: Scope<'_>, number: i32| stop(scope, &handles, number);
    natives.define_function(scope, "signalStop", 1, native_fn!(&stop))
}

fn start(scope: Scope<'_>, handles: &Handles, number: i32, callback: Local<'_, Function>) -> i32 {
    let on_signal = OnSignal { callback: Global::new(scope, callback) };
    let mut core = state(scope).core();
    let id = core.signal_open(Rc::new(on_signal));
    let result = core.set_ref(id, false).and_then(|()| core.signal_start(id, number));
    match result {
        Ok(()) => {
            handles.borrow_mut().insert(number, id);
            0
        }
        Err(errno) => {
            let _ = core.close(id);
            -errno.raw()
        }
    }
}

fn stop(scope: Scope<'_>, handles: &Handles, number: i32) -> i32 {
    let Some(id) = handles.borrow_mut().remove(&number) else { return 0 };
    // The callback is dropped when the handle is closed.
    match state(scope).core().close(id) {
        Ok(()) => 0,
        Err(errno) => -errno.raw(),
    }
}
