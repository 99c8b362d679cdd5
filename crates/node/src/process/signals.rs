//! Signal handling on the loop: one unreferenced core handle per signal with a listener.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use phasor_core::{Event, HandleId};
use phasor_js::{JsFace, OnEvent, state};
use rquickjs::{Ctx, Function, Object, Persistent, Result};

/// The handle of each signal with a listener.
type Handles = Rc<RefCell<HashMap<i32, HandleId>>>;

/// The user data of a signal handle.
struct OnSignal {
    /// Called with the signal number.
    callback: Persistent<Function<'static>>,
}

impl OnEvent for OnSignal {
    fn on_event(&self, ctx: &Ctx<'_>, _id: HandleId, event: Event<JsFace>) -> Result<()> {
        match event {
            Event::Signal(_, number) => self.callback.clone().restore(ctx)?.call((number,)),
            _ => Ok(()),
        }
    }
}

/// Defines `signalStart(number, callback)` and `signalStop(number)`, which return 0 or a negative error number.
pub(super) fn define<'js>(ctx: &Ctx<'js>, natives: &Object<'js>) -> Result<()> {
    let handles = Handles::default();
    let started = handles.clone();
    let start = move |ctx: Ctx<'js>, number: i32, callback: Function<'js>| start(&ctx, &started, number, callback);
    natives.set("signalStart", Function::new(ctx.clone(), start)?)?;
    let stop = move |ctx: Ctx<'js>, number: i32| stop(&ctx, &handles, number);
    natives.set("signalStop", Function::new(ctx.clone(), stop)?)?;
    Ok(())
}

fn start<'js>(ctx: &Ctx<'js>, handles: &Handles, number: i32, callback: Function<'js>) -> i32 {
    let on_signal = OnSignal { callback: Persistent::save(ctx, callback) };
    let state = state(ctx);
    let mut core = state.core();
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

fn stop(ctx: &Ctx<'_>, handles: &Handles, number: i32) -> i32 {
    let Some(id) = handles.borrow_mut().remove(&number) else { return 0 };
    // The callback is dropped when the handle is closed.
    match state(ctx).core().close(id) {
        Ok(()) => 0,
        Err(errno) => -errno.raw(),
    }
}
