//! Signals as the loop hears them: a handle of the core per signal that has a listener. None of them keeps the loop alive.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use phasor_core::{Event, HandleId};
use phasor_js::{JsFace, OnEvent, state};
use rquickjs::{Ctx, Function, Object, Persistent, Result};

/// The handle of each signal that is listened to.
type Handles = Rc<RefCell<HashMap<i32, HandleId>>>;

/// Hung on a signal's handle.
struct OnSignal {
    /// Called with the signal's number.
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

/// Puts the verbs on an object: `signalStart(number, callback)` and `signalStop(number)` give 0 or a negative error number.
pub(super) fn define<'js>(ctx: &Ctx<'js>, verbs: &Object<'js>) -> Result<()> {
    let handles = Handles::default();
    let started = handles.clone();
    let start = move |ctx: Ctx<'js>, number: i32, callback: Function<'js>| start(&ctx, &started, number, callback);
    verbs.set("signalStart", Function::new(ctx.clone(), start)?)?;
    let stop = move |ctx: Ctx<'js>, number: i32| stop(&ctx, &handles, number);
    verbs.set("signalStop", Function::new(ctx.clone(), stop)?)?;
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
    // The callback goes when the core hands the handle back.
    match state(ctx).core().close(id) {
        Ok(()) => 0,
        Err(errno) => -errno.raw(),
    }
}
