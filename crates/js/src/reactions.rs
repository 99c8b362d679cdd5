//! Promises in the asynchronous context: a reaction runs in the one that its `then` or `await` was called in, a thenable's
//! `then` in the one that the promise was made in; and `async_hooks` hears of both.
//!
//! The engine calls [`phasor_then`] where handlers are hung on a promise, [`phasor_reacts`] before it calls one of them,
//! [`phasor_settles`] where a promise is rejected, and [`phasor_awaits`] where `await` makes one: `engine/phasor_engine.h` says
//! how. While nobody asks, that is all that happens.
//! Else the context is where the reaction finds it: a promise keeps the one that it was made in, so a `then` has it in the promise
//! that it returned; an `await` has no such promise, and in its place the context itself. Only where `then` made a promise of
//! another kind each handler is *carried* by a function that has the context. What a reaction entered is left when the job is over.
//!
//! # Safety
//! As `raw`. The engine hands out places of values that outlive the call. Carriers and a capability that was made here are kept
//! until the next ones are: the engine takes references of its own before it returns.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::os::raw::{c_int, c_void};

use rquickjs::qjs;

use crate::raw::{self, Raw, RawCtx};
use crate::state::{State, current, current_or_none};

/// What happens to a promise.
#[derive(Clone, Copy)]
pub(crate) enum Moment {
    /// It is new.
    Init,
    /// Its reaction, or the job that calls a thenable's `then`, begins.
    Before,
    /// And is over.
    After,
    /// It is fulfilled or rejected.
    Resolve,
}

/// What is kept for promises on one thread.
pub(crate) struct Reactions {
    /// Whether `async_hooks` hears of promises.
    watched: Cell<bool>,
    /// The name under which a promise keeps the context that it was made in.
    made_in: Cell<qjs::JSAtom>,
    /// The class of the functions that settle a promise.
    settler: Cell<qjs::JSClassID>,
    /// The carriers that the engine was given last.
    carriers: [Cell<Raw>; 2],
    /// What settles the promise that `await` throws away, and nobody but a hook could see.
    thrown_away: [Cell<Raw>; 2],
    /// The promise that the one being made comes from, where the engine does not know.
    parent: Cell<Raw>,
    /// The promise that the reaction of this job settles.
    settles: Cell<Raw>,
    /// While `await` makes a promise of a value: where that is which settles the promise of the function, or null.
    awaiting: Cell<*const Raw>,
    /// And whether the value is a plain one: then nobody asks what its promise was made in.
    is_plain: Cell<bool>,
    /// A promise that was made in a context: while there is one, the engine need not make their shape again for each.
    shape: Cell<Raw>,
}

impl Default for Reactions {
    fn default() -> Reactions {
        let nothing = || Cell::new(qjs::JS_UNDEFINED);
        Reactions {
            watched: Cell::new(false),
            made_in: Cell::new(qjs::JS_ATOM_NULL),
            settler: Cell::new(0),
            carriers: [nothing(), nothing()],
            thrown_away: [nothing(), nothing()],
            parent: nothing(),
            settles: nothing(),
            awaiting: Cell::new(std::ptr::null()),
            is_plain: Cell::new(false),
            shape: nothing(),
        }
    }
}

fn is_undefined(value: Raw) -> bool {
    // SAFETY: looks at the tag.
    unsafe { qjs::JS_IsUndefined(value) }
}

impl State {
    /// From now on promises are looked at.
    pub(crate) fn track_promises(&self) {
        let reactions = &self.reactions;
        if reactions.settler.get() != 0 {
            return;
        }
        let mut settlers = [qjs::JS_UNDEFINED; 2];
        // SAFETY: the engine's context is alive; each new value is given up.
        unsafe {
            let name = qjs::JS_NewSymbol(self.ctx, c"made in".as_ptr(), false);
            reactions.made_in.set(qjs::JS_ValueToAtom(self.ctx, name));
            let promise = qjs::JS_NewPromiseCapability(self.ctx, settlers.as_mut_ptr());
            reactions.settler.set(qjs::JS_GetClassID(settlers[0]));
            for value in [name, promise, settlers[0], settlers[1]] {
                raw::free(self.ctx, value);
            }
            qjs::JS_SetPromiseHook(self.runtime, Some(promise_hook), std::ptr::null_mut());
        }
        reactions.shape.set(self.sample_promise(true));
    }

    /// A promise as it looks inside of a context, or outside; no hook hears of it.
    pub(crate) fn sample_promise(&self, is_inside: bool) -> Raw {
        let watched = self.reactions.watched.replace(false);
        // SAFETY: a new promise, and what settles it, which nobody wants.
        let promise = unsafe {
            let mut settlers = [qjs::JS_UNDEFINED; 2];
            let outer = self.reactions.is_plain.replace(true);
            let promise = qjs::JS_NewPromiseCapability(self.ctx, settlers.as_mut_ptr());
            self.reactions.is_plain.set(outer);
            settlers.into_iter().for_each(|settler| raw::free(self.ctx, settler));
            promise
        };
        if is_inside {
            self.set_made_in(promise, qjs::JS_NULL);
        }
        self.reactions.watched.set(watched);
        promise
    }

    /// Has a new promise keep the context that it is made in.
    fn set_made_in(&self, promise: Raw, context: Raw) {
        // SAFETY: the engine takes the new reference. A promise is new, so nothing refuses it.
        unsafe {
            let name = self.reactions.made_in.get();
            qjs::JS_DefinePropertyValue(self.ctx, promise, name, raw::dup(self.ctx, context), 0);
        }
    }

    /// Starts or stops telling `async_hooks` of promises.
    pub(crate) fn watch_promises(&self, watched: bool) {
        self.reactions.watched.set(watched);
    }

    /// The context that a promise was made in, with a reference of its own.
    pub(crate) fn made_in(&self, promise: Raw) -> Raw {
        let name = self.reactions.made_in.get();
        if name == qjs::JS_ATOM_NULL {
            return qjs::JS_UNDEFINED;
        }
        let nothing = qjs::JS_UNDEFINED;
        let mut found = qjs::JSPropertyDescriptor { flags: 0, value: nothing, getter: nothing, setter: nothing };
        // Its own, and not what a prototype that is a proxy might say.
        // SAFETY: the promise is alive, as the caller holds it; what is found are new references.
        unsafe { qjs::JS_GetOwnProperty(self.ctx, &mut found, promise, name) };
        // Who lists a promise's symbols may have defined an accessor elsewhere.
        raw::free(self.ctx, found.getter);
        raw::free(self.ctx, found.setter);
        found.value
    }

    /// The promise that a function of the engine's settles, without a reference.
    fn settled_by(&self, settler: Raw) -> Option<Raw> {
        // SAFETY: null for whatever is of another class; what is there begins with the promise.
        unsafe { qjs::JS_GetOpaque(settler, self.reactions.settler.get()).cast::<Raw>().as_ref().copied() }
    }

    /// The promise that the one being made comes from, where the engine does not know: of an `await`.
    fn parent(&self) -> Raw {
        // Once: what else is made meanwhile is not the function's.
        let function = self.reactions.awaiting.replace(std::ptr::null());
        // SAFETY: the place is in the function, which runs.
        let parent = unsafe { function.as_ref() }.and_then(|settler| self.settled_by(*settler));
        parent.unwrap_or(self.reactions.parent.get())
    }

    /// Sees to it that a reaction finds its context. Whether the carriers are to be called instead of the handlers.
    fn hang(&self, promise: Raw, handlers: &[Raw; 2], capability: &mut [Raw; 2]) -> bool {
        if is_undefined(capability[0]) {
            if self.reactions.watched.get() {
                self.throw_away(promise, capability);
            } else {
                // Nothing is settled by an `await`: the engine keeps the context in that place, and `phasor_reacts` takes it out.
                capability[0] = self.async_context();
            }
            return false;
        }
        let is_foreign = self.settled_by(capability[0]).is_none();
        if is_foreign {
            self.carry(handlers);
        }
        is_foreign
    }

    /// Makes the carriers of handlers.
    #[cold]
    fn carry(&self, handlers: &[Raw; 2]) {
        for (which, (handler, place)) in handlers.iter().zip(&self.reactions.carriers).enumerate() {
            let mut carried = [*handler, self.async_context()];
            let count = carried.len() as c_int;
            // SAFETY: the engine takes references of its own to what is carried.
            let carrier = unsafe {
                qjs::JS_NewCFunctionData(self.ctx, Some(carrier), 1, which as c_int, count, carried.as_mut_ptr())
            };
            raw::free(self.ctx, place.replace(carrier));
        }
    }

    /// A reaction begins, whose job has these arguments: what settles its promise comes first.
    fn begin_reaction(&self, args: &mut [Raw; 5]) {
        let settler = args[0];
        if let Some(promise) = self.settled_by(settler) {
            self.set_async_context(self.made_in(promise));
            raw::free(self.ctx, self.reactions.settles.replace(raw::dup(self.ctx, promise)));
            if self.reactions.watched.get() {
                self.tell_of_promise(Moment::Before, promise, qjs::JS_UNDEFINED);
            }
        } else if is_undefined(settler) || self.is_frame(settler) {
            self.set_async_context(raw::dup(self.ctx, settler));
            args[0] = qjs::JS_UNDEFINED;
        }
    }

    /// Enters the context that the promise was made in which a function settles. It is left when the job is over.
    pub(crate) fn enter_context_of(&self, settler: Raw) {
        if self.tracks()
            && let Some(promise) = self.settled_by(settler)
        {
            self.set_async_context(self.made_in(promise));
        }
    }

    /// Makes the promise that `await` throws away, which hooks hear of.
    fn throw_away(&self, parent: Raw, capability: &mut [Raw; 2]) {
        self.reactions.parent.set(parent);
        // SAFETY: the places are the caller's, and hold nothing.
        let made = unsafe { qjs::JS_NewPromiseCapability(self.ctx, capability.as_mut_ptr()) };
        self.reactions.parent.set(qjs::JS_UNDEFINED);
        if raw::is_exception(made) {
            self.drop_exception();
            *capability = [qjs::JS_UNDEFINED; 2];
            return;
        }
        raw::free(self.ctx, made);
        for (place, settler) in self.reactions.thrown_away.iter().zip(capability) {
            raw::free(self.ctx, place.replace(*settler));
        }
    }

    /// A job is over: what it entered is left, and the context is again the one that all of them began in.
    pub(crate) fn end_job(&self, context: Raw) {
        let settles = self.reactions.settles.replace(qjs::JS_UNDEFINED);
        if !is_undefined(settles) {
            // Also if it was only the reaction that set a hook, as Node.
            if self.reactions.watched.get() {
                self.tell_of_promise(Moment::After, settles, qjs::JS_UNDEFINED);
            }
            raw::free(self.ctx, settles);
        }
        self.set_async_context(raw::dup(self.ctx, context));
    }

    /// Gives up everything of the engine's that is kept here.
    pub(crate) fn clear_reactions(&self) {
        let Reactions { carriers, thrown_away, settles, shape, .. } = &self.reactions;
        for place in carriers.iter().chain(thrown_away).chain([settles, shape]) {
            raw::free(self.ctx, place.replace(qjs::JS_UNDEFINED));
        }
        // SAFETY: no hook is called from now on; null is no name.
        unsafe {
            qjs::JS_SetPromiseHook(self.runtime, None, std::ptr::null_mut());
            qjs::JS_FreeAtom(self.ctx, self.reactions.made_in.replace(qjs::JS_ATOM_NULL));
        }
        self.watch_promises(false);
    }
}

/// What is hung on a promise by a `then` or `await`: the handlers to hang on it instead.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_then(
    _ctx: RawCtx,
    promise: *const Raw,
    handlers: *const [Raw; 2],
    capability: *mut [Raw; 2],
) -> *const Raw {
    // SAFETY: on the thread of the engine's host; build scripts have an engine without one. The places are the engine's, for
    // two values each, and only an `await` has nothing in the last, which is a local of its own then.
    unsafe {
        match current_or_none().filter(|state| state.tracks()) {
            Some(state) if state.hang(*promise, &*handlers, &mut *capability) => {
                state.reactions.carriers.as_ptr().cast()
            }
            _ => handlers.cast(),
        }
    }
}

/// A reaction is about to be called, with these arguments of its job, which is the only one to see them.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_reacts(_ctx: RawCtx, args: *mut [Raw; 5]) {
    // SAFETY: as `phasor_then`; the values stay the engine's.
    unsafe {
        if let Some(state) = current_or_none().filter(|state| state.tracks()) {
            state.begin_reaction(&mut *args);
        }
    }
}

/// `await` makes a promise of a value, which is plain or not, in the function whose promise is settled by what is at a place, if
/// there is one; or has done so. Answers whether nobody would hear of the promise.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_awaits(function: *const Raw, is_plain: bool) -> bool {
    // SAFETY: as `phasor_then`.
    let Some(state) = unsafe { current_or_none() }.filter(|state| state.tracks()) else { return true };
    state.reactions.awaiting.set(function);
    state.reactions.is_plain.set(is_plain);
    !state.reactions.watched.get()
}

/// A promise is settled. The engine's hook hears of those that are fulfilled.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_settles(_ctx: RawCtx, promise: *const Raw, is_reject: c_int) {
    // SAFETY: as `phasor_then`.
    unsafe {
        if is_reject != 0
            && let Some(state) = current_or_none().filter(|state| state.reactions.watched.get())
        {
            state.tell_of_promise(Moment::Resolve, *promise, qjs::JS_UNDEFINED);
        }
    }
}

/// A carrier: enters the context and calls the handler. One that is no function passes on what it is given.
unsafe extern "C" fn carrier(
    ctx: RawCtx,
    _this: Raw,
    argc: c_int,
    argv: *mut Raw,
    which: c_int,
    carried: *mut Raw,
) -> Raw {
    // SAFETY: made with two values, called with one argument at least, as its length is 1, and on its host's thread.
    unsafe {
        let [handler, context] = *carried.cast::<[Raw; 2]>();
        current().set_async_context(raw::dup(ctx, context));
        match which {
            _ if raw::is_function(ctx, handler) => qjs::JS_Call(ctx, handler, qjs::JS_UNDEFINED, argc, argv),
            0 => raw::dup(ctx, *argv),
            _ => qjs::JS_Throw(ctx, raw::dup(ctx, *argv)),
        }
    }
}

/// The engine's own hook: a new promise, the job that calls a thenable's `then`, or a promise that is fulfilled.
unsafe extern "C" fn promise_hook(
    _ctx: RawCtx,
    what: qjs::JSPromiseHookType,
    promise: Raw,
    parent: Raw,
    _opaque: *mut c_void,
) {
    // SAFETY: the engine calls this on its host's thread.
    let state = unsafe { current() };
    let (moment, parent) = match what {
        qjs::JSPromiseHookType_JS_PROMISE_HOOK_INIT => {
            let context = state.async_context();
            if !is_undefined(context) && !state.reactions.is_plain.get() {
                state.set_made_in(promise, context);
            }
            (Moment::Init, if is_undefined(parent) { state.parent() } else { parent })
        }
        qjs::JSPromiseHookType_JS_PROMISE_HOOK_BEFORE => {
            state.set_async_context(state.made_in(promise));
            (Moment::Before, parent)
        }
        qjs::JSPromiseHookType_JS_PROMISE_HOOK_AFTER => (Moment::After, parent),
        _ => (Moment::Resolve, parent),
    };
    if state.reactions.watched.get() {
        state.tell_of_promise(moment, promise, parent);
    }
}
