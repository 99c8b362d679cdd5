//! `fs.watch` and `fs.watchFile`: JavaScript objects around the core's fs-event and fs-poll handles.

use std::rc::Rc;

use phasor_core::file::Stat;
use phasor_core::{Errno, Event, HandleId, Loop};
use phasor_js::{JsFace, OnEvent, state};
use rquickjs::{Ctx, Function, Object, Persistent, Result, Value};

use super::stats::Kinds;
use super::{failure, name_value, path_of};

/// The user data of a handle: the listener.
struct Watch {
    listener: Persistent<Function<'static>>,
    /// Pass names as bytes; for `watchFile`, create `BigIntStats`.
    exact: bool,
    /// `Some` for `watchFile`, which creates stats objects.
    stats: Option<Rc<Kinds>>,
}

impl OnEvent for Watch {
    fn on_event(&self, ctx: &Ctx<'_>, _id: HandleId, event: Event<JsFace>) -> Result<()> {
        let listener = self.listener.clone().restore(ctx)?;
        match event {
            Event::FsEvent(_, change) => {
                let name = match &change.name {
                    Some(name) => name_value(ctx, name, self.exact)?,
                    None => Value::new_null(ctx.clone()),
                };
                listener.call((change.kind, name))
            }
            Event::FsPoll(_, change) => {
                let Some(stats) = &self.stats else { return Ok(()) };
                let previous = stats.make(ctx, &change.previous, self.exact)?;
                // As `src/node_stat_watcher.cc: StatWatcher::Callback`: the stats of a missing file are all zeros.
                let current = stats.make(ctx, change.current.as_ref().unwrap_or(&Stat::default()), self.exact)?;
                listener.call((change.current.is_err(), current, previous))
            }
            _ => Ok(()),
        }
    }
}

/// Watches a path and calls `listener(kind, name)` for each change. Returns an object with a `close` method, or libuv's error number.
pub(super) fn watch<'js>(
    ctx: Ctx<'js>,
    path: Value<'js>,
    exact: bool,
    persistent: bool,
    listener: Function<'js>,
) -> Result<Value<'js>> {
    let path = path_of(&ctx, &path)?;
    let watch = Rc::new(Watch { listener: Persistent::save(&ctx, listener), exact, stats: None });
    let id = state(&ctx).core().fs_event_open(watch);
    let started = state(&ctx).core().fs_event_start(id, &path);
    handle(&ctx, id, started, persistent)
}

/// Creates the function that polls a path and calls `listener(is missing, current, previous)` when the stats have changed.
pub(super) fn watch_file<'js>(ctx: &Ctx<'js>, stats: Rc<Kinds>) -> Result<Function<'js>> {
    let watch = move |ctx: Ctx<'js>, path: Value<'js>, exact, persistent, interval_ms: f64, listener: Function<'js>| {
        let path = path_of(&ctx, &path)?;
        let listener = Persistent::save(&ctx, listener);
        let id = state(&ctx).core().fs_poll_open(Rc::new(Watch { listener, exact, stats: Some(stats.clone()) }));
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

/// Calls a method of a handle that may be closed already. Errors are ignored.
fn with<R>(ctx: &Ctx<'_>, call: impl FnOnce(&mut Loop<JsFace>) -> R) {
    call(&mut state(ctx).core());
}
