//! The hooks of `async_hooks` that are enabled, and what they hear.
//!
//! As Node: a hook that is enabled or disabled while hooks are called is so from when they are through. A hook that throws ends
//! the process, which JavaScript does (`fatal`); and JavaScript waits for promises that are collected (`destroyWhenGone`).
//!
//! # Safety
//! As `raw`. Every value here is counted by its [`Held`]; none is given up under a borrow.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Result, Symbol, Value, qjs};

use super::{Track, number};
use crate::raw::{self, Held, Raw};
use crate::reactions::Moment;
use crate::state::{State, current, state};

/// What a hook hears of, by the places of its functions.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Heard {
    /// `(id, type, trigger, resource)`
    Init,
    /// `(id)`
    Before,
    After,
    Destroy,
    PromiseResolve,
}

/// The functions of a hook by their names, in the order of [`Heard`].
const NAMES: [&str; 5] = ["init", "before", "after", "destroy", "promiseResolve"];

/// A hook that is enabled.
#[derive(Clone)]
struct Hook {
    /// What `createHook` returned: the functions' `this`.
    itself: Held,
    functions: [Option<Held>; NAMES.len()],
}

type List = Rc<Vec<Hook>>;

/// What one thread knows of its hooks.
#[derive(Default)]
pub(crate) struct Hooks {
    enabled: RefCell<List>,
    /// A bit for each of [`Heard`] that one of them hears of.
    hears: Cell<u32>,
    /// How deep in calls of hooks this is, and what is enabled after them, if that is something else.
    calling: Cell<u32>,
    changed: RefCell<Option<List>>,
    /// `(error)`: ends the process.
    fatal: RefCell<Option<Held>>,
    /// `(object, id)`: has `destroy` told when it is collected.
    destroy_when_gone: RefCell<Option<Held>>,
    /// `(moment, promise, parent)`: hears of promises alone, for `v8.promiseHooks`.
    of_promises: RefCell<Option<Held>>,
    /// The names under which an object keeps its id, and that of what triggered it.
    names: Cell<[qjs::JSAtom; 2]>,
    /// Promises that have them: while there is one, the engine need not make their shape again for each.
    shapes: RefCell<Vec<Held>>,
}

impl Hooks {
    /// Gives up everything of the engine's.
    pub(super) fn clear(&self, state: &State) {
        self.hears.set(0);
        drop(self.enabled.take());
        drop(self.changed.take());
        drop(self.fatal.take());
        drop(self.destroy_when_gone.take());
        drop(self.of_promises.take());
        drop(self.shapes.take());
        for name in self.names.take() {
            // SAFETY: each name is given up once; null is none.
            unsafe { qjs::JS_FreeAtom(state.ctx, name) };
        }
    }

    /// The hooks as they are, or will be after the call of one that is under way.
    fn newest(&self) -> List {
        self.changed.borrow().clone().unwrap_or_else(|| self.enabled.borrow().clone())
    }
}

impl State {
    /// Whether a hook hears of something.
    #[inline]
    pub(super) fn is_heard(&self, what: Heard) -> bool {
        self.async_hooks.hears.get() & (1 << what as u32) != 0
    }

    fn set_hooks(&self, hooks: List) {
        let mine = &self.async_hooks;
        if mine.calling.get() > 0 {
            drop(mine.changed.replace(Some(hooks)));
            return;
        }
        let heard = |at: &usize| hooks.iter().any(|hook| hook.functions[*at].is_some());
        mine.hears.set((0..NAMES.len()).filter(heard).fold(0, |bits, at| bits | 1 << at));
        drop(mine.enabled.replace(hooks));
        self.watch_promises_for_hooks();
    }

    /// Hears of promises while somebody asks.
    fn watch_promises_for_hooks(&self) {
        let mine = &self.async_hooks;
        self.watch_promises(!mine.enabled.borrow().is_empty() || mine.of_promises.borrow().is_some());
    }

    /// Calls what hears of something, with these arguments.
    pub(super) fn tell(&self, what: Heard, args: &mut [Raw]) {
        if !self.is_heard(what) || self.is_leaving() {
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

    /// A hook has thrown: that is the end of the process, or of the thread.
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

    /// Tells of something new.
    pub(super) fn tell_init(&self, id: f64, kind: &str, trigger: f64, resource: Raw) {
        // SAFETY: a new string, given up below.
        let kind = unsafe { qjs::JS_NewStringLen(self.ctx, kind.as_ptr().cast(), kind.len() as _) };
        self.tell(Heard::Init, &mut [number(id), kind, number(trigger), resource]);
        raw::free(self.ctx, kind);
    }

    /// Tells of a promise, and of the one it comes from if it is new.
    pub(crate) fn tell_of_promise(&self, moment: Moment, promise: Raw, parent: Raw) {
        if self.is_leaving() {
            return;
        }
        let (id, trigger, is_new) = self.identify(promise, parent);
        if is_new || !matches!(moment, Moment::Init) {
            self.tell_promise_hook(moment, promise, parent);
        }
        match moment {
            Moment::Init if is_new => {
                if self.is_heard(Heard::Init) {
                    self.tell_init(id, "PROMISE", trigger, promise);
                }
                if self.is_heard(Heard::Destroy) {
                    self.tell_when_gone(promise, id);
                }
            }
            Moment::Init => {}
            Moment::Before => self.enter(Track { id, trigger, context: self.context() }, promise),
            Moment::After if self.running_id() == id => self.leave_to(self.depth().saturating_sub(1)),
            Moment::After => self.tell(Heard::After, &mut [number(id)]),
            Moment::Resolve => self.tell(Heard::PromiseResolve, &mut [number(id)]),
        }
    }

    /// Calls what hears of promises alone. It throws nothing.
    fn tell_promise_hook(&self, moment: Moment, promise: Raw, parent: Raw) {
        let hook = self.async_hooks.of_promises.borrow().clone();
        if let Some(hook) = hook {
            let moment = qjs::JS_MKVAL(qjs::JS_TAG_INT, moment as i32);
            let result = raw::call(self.ctx, hook.raw(), qjs::JS_UNDEFINED, &mut [moment, promise, parent]);
            if raw::is_exception(result) {
                self.drop_exception();
            } else {
                raw::free(self.ctx, result);
            }
        }
    }

    #[cold]
    fn tell_when_gone(&self, promise: Raw, id: f64) {
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

    /// The ids of a promise, which gets them if it has none yet, and whether it had none.
    fn identify(&self, promise: Raw, parent: Raw) -> (f64, f64, bool) {
        let names = self.async_hooks.names.get();
        // SAFETY: both are alive. Who knows the names may have put anything there: what is no number is none.
        unsafe {
            if let (Some(id), Some(trigger)) = (self.id_at(promise, names[0]), self.id_at(promise, names[1])) {
                return (id, trigger, false);
            }
            // The parent's first, so that it is the lower one.
            let trigger = match qjs::JS_IsObject(parent) {
                true => self.identify(parent, qjs::JS_UNDEFINED).0,
                false => self.trigger(),
            };
            let id = self.new_id();
            self.set_ids(promise, [id, trigger]);
            (id, trigger, true)
        }
    }

    /// Gives a promise its id, and that of what triggered it.
    fn set_ids(&self, promise: Raw, ids: [f64; 2]) {
        for (name, id) in self.async_hooks.names.get().into_iter().zip(ids) {
            // SAFETY: the promise is alive, and numbers have no reference.
            unsafe { qjs::JS_DefinePropertyValue(self.ctx, promise, name, number(id), qjs::JS_PROP_C_W_E as i32) };
        }
    }

    /// # Safety
    /// The object is alive.
    unsafe fn id_at(&self, object: Raw, name: qjs::JSAtom) -> Option<f64> {
        // SAFETY: as the caller says.
        let value = unsafe { qjs::JS_GetProperty(self.ctx, object, name) };
        let id = raw::as_number(value);
        if raw::is_exception(value) {
            self.drop_exception();
        } else {
            raw::free(self.ctx, value);
        }
        id
    }

    /// Keeps what promises with ids look like, inside of a context and outside.
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

/// Enables a hook, whose functions are on an object.
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

/// `fatal` and `destroyWhenGone`.
pub(super) fn set_callbacks<'js>(ctx: Ctx<'js>, fatal: Function<'js>, destroy_when_gone: Function<'js>) {
    let state = state(&ctx);
    drop(state.async_hooks.fatal.replace(Some(Held::of(&state, fatal.as_value()))));
    drop(state.async_hooks.destroy_when_gone.replace(Some(Held::of(&state, destroy_when_gone.as_value()))));
}

/// Has a function hear of promises, or nobody.
pub(super) fn set_promise_hook<'js>(ctx: Ctx<'js>, hook: Value<'js>) {
    let state = state(&ctx);
    let held = hook.is_function().then(|| Held::of(&state, &hook));
    drop(state.async_hooks.of_promises.replace(held));
    state.watch_promises_for_hooks();
}

/// Whether a hook hears of what is at a place of `NAMES`.
pub(super) fn hears(ctx: Ctx<'_>, what: u32) -> bool {
    state(&ctx).async_hooks.hears.get() & 1_u32.checked_shl(what).unwrap_or(0) != 0
}

/// Puts the symbols on an object under which others keep their ids.
pub(super) fn define<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Result<()> {
    // SAFETY: on the host's thread.
    let state = unsafe { current() };
    let mut names = [qjs::JS_ATOM_NULL; 2];
    let told = [("kId", c"async_id_symbol"), ("kTrigger", c"trigger_async_id_symbol")];
    for (name, (key, description)) in names.iter_mut().zip(told) {
        // SAFETY: the new references go to the value and to the list of names.
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
