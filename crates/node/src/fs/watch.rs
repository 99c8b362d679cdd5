//! Watchers: objects of JavaScript around the core's two kinds of file watching handles.

use std::rc::Rc;

use phasor_core::file::Stat;
use phasor_core::{Errno, Event, HandleId, Loop};
use phasor_js::{JsFace, OnEvent, state};
use rquickjs::{Ctx, Function, Object, Persistent, Result, Value};

use super::stats::Kinds;
use super::{failure, name_value, path_of};

/// Hung on a handle: whom to tell.
struct Watch {
    told: Persistent<Function<'static>>,
    /// Names as bytes; for a polled file, numbers as big integers.
    exact: bool,
    stats: Option<Rc<Kinds>>,
}

impl OnEvent for Watch {
    fn on_event(&self, ctx: &Ctx<'_>, _id: HandleId, event: Event<JsFace>) -> Result<()> {
        let told = self.told.clone().restore(ctx)?;
        match event {
            Event::FsEvent(_, change) => {
                let name = match &change.name {
                    Some(name) => name_value(ctx, name, self.exact)?,
                    None => Value::new_null(ctx.clone()),
                };
                told.call((change.kind, name))
            }
            Event::FsPoll(_, change) => {
                let Some(stats) = &self.stats else { return Ok(()) };
                let previous = stats.make(ctx, &change.previous, self.exact)?;
                // As Node: all that is known of a file that is gone is zeros.
                let current = stats.make(ctx, change.current.as_ref().unwrap_or(&Stat::default()), self.exact)?;
                told.call((change.current.is_err(), current, previous))
            }
            _ => Ok(()),
        }
    }
}

/// Watches a path: `told(kind, name)` for each change. An object that can stop it, or libuv's number of the error.
pub(super) fn watch<'js>(
    ctx: Ctx<'js>,
    path: Value<'js>,
    exact: bool,
    persistent: bool,
    told: Function<'js>,
) -> Result<Value<'js>> {
    let path = path_of(&ctx, &path)?;
    let watch = Rc::new(Watch { told: Persistent::save(&ctx, told), exact, stats: None });
    let id = state(&ctx).core().fs_event_open(watch);
    let started = state(&ctx).core().fs_event_start(id, &path);
    handle(&ctx, id, started, persistent)
}

/// The function that looks at a path every so often: `told(whether it is gone, now, before)` when it is not as it was.
pub(super) fn watch_file<'js>(ctx: &Ctx<'js>, stats: Rc<Kinds>) -> Result<Function<'js>> {
    let watch = move |ctx: Ctx<'js>, path: Value<'js>, exact, persistent, interval_ms: f64, told: Function<'js>| {
        let path = path_of(&ctx, &path)?;
        let told = Persistent::save(&ctx, told);
        let id = state(&ctx).core().fs_poll_open(Rc::new(Watch { told, exact, stats: Some(stats.clone()) }));
        let started = state(&ctx).core().fs_poll_start(id, &path, interval_ms as u64);
        handle(&ctx, id, started, persistent)
    };
    Function::new(ctx.clone(), watch)
}

fn handle<'js>(
    ctx: &Ctx<'js>,
    id: HandleId,
    started: std::result::Result<(), Errno>,
    persistent: bool,
) -> Result<Value<'js>> {
    if let Err(errno) = started {
        with(ctx, |core| core.close(id));
        return Ok(failure(ctx, errno));
    }
    if !persistent {
        with(ctx, |core| core.set_ref(id, false));
    }
    let object = Object::new(ctx.clone())?;
    let keep = move |ctx: Ctx<'js>, keeps: bool| with(&ctx, |core| core.set_ref(id, keeps));
    object.set("setRef", Function::new(ctx.clone(), keep)?)?;
    object.set("hasRef", Function::new(ctx.clone(), move |ctx: Ctx<'js>| state(&ctx).core().has_ref(id))?)?;
    object.set("close", Function::new(ctx.clone(), move |ctx: Ctx<'js>| with(&ctx, |core| core.close(id)))?)?;
    Ok(object.into_value())
}

/// A call on a handle that may be closed already, which is no matter.
fn with<R>(ctx: &Ctx<'_>, call: impl FnOnce(&mut Loop<JsFace>) -> R) {
    call(&mut state(ctx).core());
}
