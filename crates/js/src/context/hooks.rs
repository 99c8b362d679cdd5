//! The enabled hooks of `async_hooks`, and calls to them.
//!
//! As `lib/internal/async_hooks.js: emitHook, getHookArrays`: enabling or disabling a hook while hooks are running
//! takes effect when they are done. A hook that throws ends the process, which JavaScript does (`fatal`). JavaScript
//! also watches for promises that are garbage collected (`destroyWhenGone`).
//!
//! # Safety
//! As `raw`. Every value here is counted by its [`Held`]; none is freed under a borrow.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Result, Symbol, Value, qjs};

use super::{Track, number};
use crate::raw::{self, Held, Raw};
use crate::reactions::PromiseEvent;
use crate::state::{State, current, state};

/// The events of hooks, by the indices of [`NAMES`].
#[derive(Clone, Copy, PartialEq)]
pub(super) enum HookEvent {
    /// `(id, type, trigger, resource)`
    Init,
    /// `(id)`
    Before,
    After,
    Destroy,
    PromiseResolve,
}

/// The names of a hook's functions, in the order of [`HookEvent`].
const NAMES: [&str; 5] = ["init", "before", "after", "destroy", "promiseResolve"];

/// An enabled hook.
#[derive(Clone)]
struct Hook {
    /// The object that `createHook` returned, which is `this` for its functions.
    itself: Held,
    functions: [Option<Held>; NAMES.len()],
}

type List = Rc<Vec<Hook>>;

/// The hooks of a thread.
#[derive(Default)]
pub(crate) struct Hooks {
    enabled: RefCell<List>,
    /// A bit for each [`HookEvent`] that an enabled hook has a function for.
    events: Cell<u32>,
    /// The depth of nested hook calls, and the list that replaces `enabled` after them, if it was changed meanwhile.
    calling: Cell<u32>,
    changed: RefCell<Option<List>>,
    /// `(error)`: ends the process.
    fatal: RefCell<Option<Held>>,
    /// `(object, id)`: queues the `destroy` hook of `id` when the object is garbage collected.
    destroy_when_gone: RefCell<Option<Held>>,
    /// `(event, promise, parent)`: the hook of `v8.promiseHooks`, which gets the events of promises only.
    of_promises: RefCell<Option<Held>>,
    /// The atoms of the symbols under which an object keeps its async id and its trigger id.
    names: Cell<[qjs::JSAtom; 2]>,
    /// One promise of each shape with ids. They keep the shapes alive, so that the engine does not rebuild them for
    /// each promise.
    shapes: RefCell<Vec<Held>>,
}

impl Hooks {
    /// Releases all engine values.
    pub(super) fn clear(&self, state: &State) {
        self.events.set(0);
        drop(self.enabled.take());
        drop(self.changed.take());
        drop(self.fatal.take());
        drop(self.destroy_when_gone.take());
        drop(self.of_promises.take());
        drop(self.shapes.take());
        for name in self.names.take() {
            // SAFETY: each atom is freed once; freeing `JS_ATOM_NULL` does nothing.
            unsafe { qjs::JS_FreeAtom(state.ctx, name) };
        }
    }

    /// The enabled hooks, including a change that waits for running hooks.
    fn newest(&self) -> List {
        self.changed.borrow().clone().unwrap_or_else(|| self.enabled.borrow().clone())
    }
}

impl State {
    /// Whether an enabled hook has a function for an event.
    #[inline]
    pub(super) fn has_hook(&self, what: HookEvent) -> bool {
        self.async_hooks.events.get() & (1 << what as u32) != 0
    }

    fn set_hooks(&self, hooks: List) {
        let mine = &self.async_hooks;
        if mine.calling.get() > 0 {
            drop(mine.changed.replace(Some(hooks)));
            return;
        }
        let heard = |at: &usize| hooks.iter().any(|hook| hook.functions[*at].is_some());
        mine.events.set((0..NAMES.len()).filter(heard).fold(0, |bits, at| bits | 1 << at));
        drop(mine.enabled.replace(hooks));
        self.watch_promises_for_hooks();
    }

    /// Enables the engine's promise hooks while a hook needs them.
    fn watch_promises_for_hooks(&self) {
        let mine = &self.async_hooks;
        self.watch_promises(!mine.enabled.borrow().is_empty() || mine.of_promises.borrow().is_some());
    }

    /// Calls the hooks' functions for an event.
    pub(super) fn emit_hook(&self, what: HookEvent, args: &mut [Raw]) {
        if !self.has_hook(what) || self.is_leaving() {
            return;
        }
        let mine = &self.async_hooks;
        let hooks = mine.enabled.borrow().clone();
        mine.calling.set(mine.calling.get() + 1);
        for hook in hooks.iter() {
            let Some(function) = &hook.functions[what as usize] else { continue };
            let result = raw::call(self.ctx, function.raw(), hook.itself.raw(), args);
            if raw::is_exception(result) {
                self.fail_in_hook();
                break;
            }
            raw::free(self.ctx, result);
        }
        mine.calling.set(mine.calling.get() - 1);
        if mine.calling.get() == 0 {
            let changed = mine.changed.take();
            if let Some(hooks) = changed {
                self.set_hooks(hooks);
            }
        }
    }

    /// Handles an exception thrown by a hook: ends the process, or the thread.
    #[cold]
    fn fail_in_hook(&self) {
        // SAFETY: the pending exception becomes ours.
        let exception = unsafe { qjs::JS_GetException(self.ctx) };
        let fatal = self.async_hooks.fatal.borrow().clone();
        if let Some(fatal) = fatal.filter(|_| !self.is_leaving()) {
            let result = raw::call(self.ctx, fatal.raw(), qjs::JS_UNDEFINED, &mut [exception]);
            if raw::is_exception(result) {
                self.drop_exception();
            } else {
                raw::free(self.ctx, result);
            }
        }
        raw::free(self.ctx, exception);
    }

    /// Calls the `init` hooks for a new resource.
    pub(super) fn emit_init(&self, id: f64, kind: &str, trigger: f64, resource: Raw) {
        // SAFETY: a new string, freed below.
        let kind = unsafe { qjs::JS_NewStringLen(self.ctx, kind.as_ptr().cast(), kind.len() as _) };
        self.emit_hook(HookEvent::Init, &mut [number(id), kind, number(trigger), resource]);
        raw::free(self.ctx, kind);
    }

    /// Calls the hooks for an event of a promise. Assigns ids to the promise if it has none.
    pub(crate) fn emit_promise_event(&self, event: PromiseEvent, promise: Raw, parent: Raw) {
        if self.is_leaving() {
            return;
        }
        let (id, trigger, is_new) = self.identify(promise, parent);
        if is_new || !matches!(event, PromiseEvent::Init) {
            self.call_promise_hook(event, promise, parent);
        }
        match event {
            PromiseEvent::Init if is_new => {
                if self.has_hook(HookEvent::Init) {
                    self.emit_init(id, "PROMISE", trigger, promise);
                }
                if self.has_hook(HookEvent::Destroy) {
                    self.watch_collection(promise, id);
                }
            }
            PromiseEvent::Init => {}
            PromiseEvent::Before => self.enter(Track { id, trigger, context: self.context() }, promise),
            PromiseEvent::After if self.running_id() == id => self.leave_to(self.depth().saturating_sub(1)),
            PromiseEvent::After => self.emit_hook(HookEvent::After, &mut [number(id)]),
            PromiseEvent::Resolve => self.emit_hook(HookEvent::PromiseResolve, &mut [number(id)]),
        }
    }

    /// Calls the hook of `v8.promiseHooks`. An exception from it is dropped.
    fn call_promise_hook(&self, event: PromiseEvent, promise: Raw, parent: Raw) {
        let hook = self.async_hooks.of_promises.borrow().clone();
        if let Some(hook) = hook {
            let event = qjs::JS_MKVAL(qjs::JS_TAG_INT, event as i32);
            let result = raw::call(self.ctx, hook.raw(), qjs::JS_UNDEFINED, &mut [event, promise, parent]);
            if raw::is_exception(result) {
                self.drop_exception();
            } else {
                raw::free(self.ctx, result);
            }
        }
    }

    #[cold]
    fn watch_collection(&self, promise: Raw, id: f64) {
        let wait = self.async_hooks.destroy_when_gone.borrow().clone();
        if let Some(wait) = wait {
            let result = raw::call(self.ctx, wait.raw(), qjs::JS_UNDEFINED, &mut [promise, number(id)]);
            if raw::is_exception(result) {
                self.drop_exception();
            } else {
                raw::free(self.ctx, result);
            }
        }
    }

    /// Returns the ids of a promise and whether they are new. Assigns them if it has none.
    fn identify(&self, promise: Raw, parent: Raw) -> (f64, f64, bool) {
        let names = self.async_hooks.names.get();
        // SAFETY: both values are alive. Scripts can reach the symbols and set other values: ignore values that are not
        // numbers.
        unsafe {
            if let (Some(id), Some(trigger)) = (self.id_at(promise, names[0]), self.id_at(promise, names[1])) {
                return (id, trigger, false);
            }
            // Identify the parent first, so that its id is lower.
            let trigger = match qjs::JS_IsObject(parent) {
                true => self.identify(parent, qjs::JS_UNDEFINED).0,
                false => self.trigger(),
            };
            let id = self.new_id();
            self.set_ids(promise, [id, trigger]);
            (id, trigger, true)
        }
    }

    /// Stores the id and the trigger id of a promise.
    fn set_ids(&self, promise: Raw, ids: [f64; 2]) {
        for (name, id) in self.async_hooks.names.get().into_iter().zip(ids) {
            // SAFETY: the promise is alive, and numbers need no reference.
            unsafe { qjs::JS_DefinePropertyValue(self.ctx, promise, name, number(id), qjs::JS_PROP_C_W_E as i32) };
        }
    }

    /// # Safety
    /// The object is alive.
    unsafe fn id_at(&self, object: Raw, name: qjs::JSAtom) -> Option<f64> {
        // SAFETY: as the caller guarantees.
        let value = unsafe { qjs::JS_GetProperty(self.ctx, object, name) };
        let id = raw::as_number(value);
        if raw::is_exception(value) {
            self.drop_exception();
        } else {
            raw::free(self.ctx, value);
        }
        id
    }

    /// Keeps the two shapes of promises with ids: with an async context and without.
    fn keep_shapes(&self) {
        if !self.async_hooks.shapes.borrow().is_empty() {
            return;
        }
        let shapes = [false, true].map(|is_inside| {
            let promise = self.sample_promise(is_inside);
            self.set_ids(promise, [0.0; 2]);
            Held::new(self.ctx, promise)
        });
        self.async_hooks.shapes.borrow_mut().extend(shapes);
    }
}

/// Enables a hook, given its functions.
pub(super) fn add<'js>(ctx: Ctx<'js>, hook: Object<'js>, functions: Object<'js>) -> Result<()> {
    let state = state(&ctx);
    let newest = state.async_hooks.newest();
    let itself = hook.as_value().as_raw();
    if newest.iter().any(|other| raw::is_same_object(other.itself.raw(), itself)) {
        return Ok(());
    }
    let mut places = [const { None }; NAMES.len()];
    for (place, name) in places.iter_mut().zip(NAMES) {
        let function = functions.get::<_, Option<Function<'js>>>(name)?;
        *place = function.map(|function| Held::of(&state, function.as_value()));
    }
    let mut hooks = newest.to_vec();
    hooks.push(Hook { itself: Held::of(&state, hook.as_value()), functions: places });
    state.keep_shapes();
    state.set_hooks(Rc::new(hooks));
    Ok(())
}

/// Disables a hook.
pub(super) fn remove<'js>(ctx: Ctx<'js>, hook: Object<'js>) {
    let state = state(&ctx);
    let newest = state.async_hooks.newest();
    let is_other = |other: &&Hook| !raw::is_same_object(other.itself.raw(), hook.as_value().as_raw());
    let hooks: Vec<_> = newest.iter().filter(is_other).cloned().collect();
    if hooks.len() < newest.len() {
        state.set_hooks(Rc::new(hooks));
    }
}

/// Sets `fatal` and `destroyWhenGone`.
pub(super) fn set_callbacks<'js>(ctx: Ctx<'js>, fatal: Function<'js>, destroy_when_gone: Function<'js>) {
    let state = state(&ctx);
    drop(state.async_hooks.fatal.replace(Some(Held::of(&state, fatal.as_value()))));
    drop(state.async_hooks.destroy_when_gone.replace(Some(Held::of(&state, destroy_when_gone.as_value()))));
}

/// Sets or clears the hook of `v8.promiseHooks`.
pub(super) fn set_promise_hook<'js>(ctx: Ctx<'js>, hook: Value<'js>) {
    let state = state(&ctx);
    let held = hook.is_function().then(|| Held::of(&state, &hook));
    drop(state.async_hooks.of_promises.replace(held));
    state.watch_promises_for_hooks();
}

/// Whether a hook has a function for the event at an index of [`NAMES`].
pub(super) fn has_hook_at(ctx: Ctx<'_>, what: u32) -> bool {
    state(&ctx).async_hooks.events.get() & 1_u32.checked_shl(what).unwrap_or(0) != 0
}

/// Defines the symbols under which JavaScript keeps async ids.
pub(super) fn define<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Result<()> {
    // SAFETY: on the host's thread.
    let state = unsafe { current() };
    let mut names = [qjs::JS_ATOM_NULL; 2];
    let symbols = [("kId", c"async_id_symbol"), ("kTrigger", c"trigger_async_id_symbol")];
    for (name, (key, description)) in names.iter_mut().zip(symbols) {
        // SAFETY: one new reference goes to the value, the other to the list of atoms.
        let symbol = unsafe {
            let symbol = qjs::JS_NewSymbol(state.ctx, description.as_ptr(), false);
            *name = qjs::JS_ValueToAtom(state.ctx, symbol);
            Symbol::from_value(Value::from_raw(ctx.clone(), symbol))?
        };
        object.set(key, symbol)?;
    }
    state.async_hooks.names.set(names);
    Ok(())
}
