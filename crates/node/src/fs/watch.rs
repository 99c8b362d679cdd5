//! Watchers: objects of JavaScript around the core's two kinds of file watching handles.

use phasor_core::{Errno, Event, HandleId, Loop};
use phasor_js::{JsFace, OnEvent, state};
use rquickjs::{Ctx, Function, Object, Persistent, Result, Value};

use super::{failure, name_value, path_of, stat_value};

/// Hung on a handle: whom to tell.
struct Watch {
    told: Persistent<Function<'static>>,
    /// Names as bytes; for a polled file, numbers as big integers.
    exact: bool,
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
                let previous = stat_value(ctx, &change.previous, self.exact)?;
                match &change.current {
                    Ok(current) => told.call((stat_value(ctx, current, self.exact)?, previous)),
                    Err(errno) => told.call((failure(ctx, *errno), previous)),
                }
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
    let watch = std::rc::Rc::new(Watch { told: Persistent::save(&ctx, told), exact });
    let id = state(&ctx).core().fs_event_open(watch);
    let started = state(&ctx).core().fs_event_start(id, &path);
    handle(&ctx, id, started, persistent)
}

/// Looks at a path every so often: `told(now or number of an error, before)` when it is not as it was.
pub(super) fn watch_file<'js>(
    ctx: Ctx<'js>,
    path: Value<'js>,
    exact: bool,
    persistent: bool,
    interval_ms: f64,
    told: Function<'js>,
) -> Result<Value<'js>> {
    let path = path_of(&ctx, &path)?;
    let watch = std::rc::Rc::new(Watch { told: Persistent::save(&ctx, told), exact });
    let id = state(&ctx).core().fs_poll_open(watch);
    let started = state(&ctx).core().fs_poll_start(id, &path, interval_ms as u64);
    handle(&ctx, id, started, persistent)
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
