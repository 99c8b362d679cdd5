//! `fs.watch` and `fs.watchFile`: JavaScript objects around the core's fs-event and fs-poll handles.

use std::rc::Rc;

use phasor_core::file::Stat;
use phasor_core::{Errno, Event, HandleId, Loop};
use phasor_engine::{Fallible, Function, Global, Local, Native, Object, Scope, Value, native_fn};
use phasor_js::{About, JsFace, OnEvent, state};

use super::{Shared, failure, name_value, path_of};

/// The user data of a handle: the listener.
struct Watch {
    listener: Global<Function>,
    /// For `watch`: pass file names as bytes. For `watchFile`: pass numbers as BigInts.
    exact: bool,
    /// `Some` for `watchFile`: the arrays for the fields of the `Stats`.
    shared: Option<Rc<Shared>>,
}

impl OnEvent for Watch {
    fn describe<'s>(&self, scope: Scope<'s>, about: &mut About<'s>) {
        about.callback = Some(self.listener.get(scope));
    }

    fn on_event(&self, scope: Scope<'_>, _id: HandleId, event: Event<JsFace>) -> Fallible<()> {
        let listener = self.listener.get(scope);
        match event {
            Event::FsEvent(_, change) => {
                let name = match &change.name {
                    Some(name) => name_value(scope, name, self.exact)?,
                    None => scope.null(),
                };
                listener.call_with(scope, (), (change.kind, name))?;
            }
            Event::FsPoll(_, change) => {
                let Some(shared) = &self.shared else { return Ok(()) };
                // As `src/node_stat_watcher.cc: StatWatcher::Callback`: the stats of a missing file are all zeros.
                let missing = Stat::default();
                let current = change.current.as_ref().unwrap_or(&missing);
                let numbers = shared.stats.write(scope, &[current, &change.previous], self.exact)?;
                listener.call_with(scope, (), (change.current.is_err(), numbers))?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Watches a path and calls `listener(kind, name)` for each change. Returns an object with a `close` method, or libuv's error number.
pub(super) fn watch<'s>(
    scope: Scope<'s>,
    path: Local<'s, Value>,
    exact: bool,
    persistent: bool,
    listener: Local<'s, Function>,
) -> Fallible<Local<'s, Value>> {
    let path = path_of(scope, path)?;
    let watch = Rc::new(Watch { listener: Global::new(scope, listener), exact, shared: None });
    let id = state(scope).core().fs_event_open(watch);
    let started = state(scope).core().fs_event_start(id, &path);
    handle(scope, id, started, persistent)
}

/// Creates a function that polls a path and calls `listener(is missing, array)` after each change. The array has the fields of the current and
/// the previous `Stats`.
pub(super) fn watch_file(shared: Rc<Shared>) -> impl Native {
    native_fn!(|scope,
                path: Local<'_, Value>,
                exact: bool,
                persistent: bool,
                interval_ms: f64,
                listener: Local<'_, Function>| {
        let path = path_of(scope, path)?;
        let watch = Watch { listener: Global::new(scope, listener), exact, shared: Some(shared.clone()) };
        let id = state(scope).core().fs_poll_open(Rc::new(watch));
        let started = state(scope).core().fs_poll_start(id, &path, interval_ms as u64);
        handle(scope, id, started, persistent)
    })
}

fn handle<'s>(
    scope: Scope<'s>,
    id: HandleId,
    started: Result<(), Errno>,
    persistent: bool,
) -> Fallible<Local<'s, Value>> {
    if let Err(errno) = started {
        with(scope, |core| core.close(id));
        return Ok(failure(scope, errno));
    }
    if !persistent {
        with(scope, |core| core.set_ref(id, false));
    }
    let object = Object::new(scope);
    object.define_function(
        scope,
        "setRef",
        1,
        native_fn!(|scope, keeps: bool| with(scope, |core| core.set_ref(id, keeps))),
    )?;
    object.define_function(scope, "hasRef", 0, native_fn!(|scope| state(scope).core().has_ref(id)))?;
    object.define_function(scope, "close", 0, native_fn!(|scope| with(scope, |core| core.close(id))))?;
    Ok(object.as_value())
}

/// Calls a method of a handle that may be closed already. Errors are ignored.
fn with<R>(scope: Scope<'_>, call: impl FnOnce(&mut Loop<JsFace>) -> R) {
    call(&mut state(scope).core());
}
