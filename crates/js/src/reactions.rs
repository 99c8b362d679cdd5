//! Promises in the async context: a reaction runs in the context in which its `then` or `await` was called, a
//! thenable's `then` in the context in which the promise was created. Also reports both to the hooks of `async_hooks`.
//!
//! The engine calls [`phasor_then`] when handlers are added to a promise, [`phasor_reacts`] before it runs a reaction,
//! [`phasor_settles`] when a promise is rejected, and [`phasor_awaits`] when `await` creates a promise;
//! `engine/phasor_engine.h` says how. While `async_hooks` is not in use, these calls do nothing.
//!
//! Each promise stores the context in which it was created. So the reaction of a `then` finds its context in the
//! promise that `then` returned. An `await` has no such promise; the context takes the place of its capability. Only if
//! `then` created a promise of a subclass, each handler is replaced by a *carrier*, a function that enters the context
//! and calls the handler. The context that a reaction entered is left at the end of the job.
//!
//! # Safety
//! As `raw`. The engine passes pointers to values that outlive the call. Carriers, and a capability created here, are
//! kept until the next ones are created: the engine takes references of its own before it returns.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::os::raw::{c_int, c_void};

use rquickjs::qjs;

use crate::raw::{self, Raw, RawCtx};
use crate::state::{State, current, current_or_none};

/// An event in the life of a promise.
#[derive(Clone, Copy)]
pub(crate) enum PromiseEvent {
    /// It was created.
    Init,
    /// Its reaction starts, or the job that calls a thenable's `then`.
    Before,
    /// The reaction or job has ended.
    After,
    /// It is fulfilled or rejected.
    Resolve,
}

/// The promise state of a thread.
pub(crate) struct Reactions {
    /// Whether hooks are called for promises.
    watched: Cell<bool>,
    /// The atom of the symbol under which a promise stores its context.
    creation_context: Cell<qjs::JSAtom>,
    /// The class id of the resolving functions of a promise.
    settler: Cell<qjs::JSClassID>,
    /// The carriers that the engine was last given.
    carriers: [Cell<Raw>; 2],
    /// The resolving functions of the last promise that was created for an `await`. No code but the hooks can reach
    /// that promise.
    await_settlers: [Cell<Raw>; 2],
    /// The parent of the promise that is being created, if the engine does not report it.
    parent: Cell<Raw>,
    /// The promise that the reaction of the current job settles.
    settles: Cell<Raw>,
    /// While `await` creates a promise: points to the resolving function of the async function's promise, or null.
    awaiting: Cell<*const Raw>,
    /// Whether the awaited value is not a thenable: then its promise needs no context.
    is_plain: Cell<bool>,
    /// A promise with a stored context. It keeps the shape alive, so that the engine does not rebuild it for each
    /// promise.
    shape: Cell<Raw>,
}

impl Default for Reactions {
    fn default() -> Reactions {
        let nothing = || Cell::new(qjs::JS_UNDEFINED);
        Reactions {
            watched: Cell::new(false),
            creation_context: Cell::new(qjs::JS_ATOM_NULL),
            settler: Cell::new(0),
            carriers: [nothing(), nothing()],
            await_settlers: [nothing(), nothing()],
            parent: nothing(),
            settles: nothing(),
            awaiting: Cell::new(std::ptr::null()),
            is_plain: Cell::new(false),
            shape: nothing(),
        }
    }
}

fn is_undefined(value: Raw) -> bool {
    // SAFETY: reads the tag.
    unsafe { qjs::JS_IsUndefined(value) }
}

impl State {
    /// Installs the engine's promise hook.
    pub(crate) fn track_promises(&self) {
        let reactions = &self.reactions;
        if reactions.settler.get() != 0 {
            return;
        }
        let mut settlers = [qjs::JS_UNDEFINED; 2];
        // SAFETY: the engine's context is alive; each new value is released.
        unsafe {
            let name = qjs::JS_NewSymbol(self.ctx, c"made in".as_ptr(), false);
            reactions.creation_context.set(qjs::JS_ValueToAtom(self.ctx, name));
            let promise = qjs::JS_NewPromiseCapability(self.ctx, settlers.as_mut_ptr());
            reactions.settler.set(qjs::JS_GetClassID(settlers[0]));
            for value in [name, promise, settlers[0], settlers[1]] {
                raw::free(self.ctx, value);
            }
            qjs::JS_SetPromiseHook(self.runtime, Some(promise_hook), std::ptr::null_mut());
        }
        reactions.shape.set(self.sample_promise(true));
    }

    /// A promise with the shape of those created in a context, or outside. No hook is called for it.
    pub(crate) fn sample_promise(&self, is_inside: bool) -> Raw {
        let watched = self.reactions.watched.replace(false);
        // SAFETY: a new promise; its resolving functions are released.
        let promise = unsafe {
            let mut settlers = [qjs::JS_UNDEFINED; 2];
            let outer = self.reactions.is_plain.replace(true);
            let promise = qjs::JS_NewPromiseCapability(self.ctx, settlers.as_mut_ptr());
            self.reactions.is_plain.set(outer);
            settlers.into_iter().for_each(|settler| raw::free(self.ctx, settler));
            promise
        };
        if is_inside {
            self.store_creation_context(promise, qjs::JS_NULL);
        }
        self.reactions.watched.set(watched);
        promise
    }

    /// Stores the context in which a promise is created.
    fn store_creation_context(&self, promise: Raw, context: Raw) {
        // SAFETY: the engine takes the new reference. Cannot fail: the promise is new.
        unsafe {
            let name = self.reactions.creation_context.get();
            qjs::JS_DefinePropertyValue(self.ctx, promise, name, raw::dup(self.ctx, context), 0);
        }
    }

    /// Starts or stops calling hooks for promises.
    pub(crate) fn watch_promises(&self, watched: bool) {
        self.reactions.watched.set(watched);
    }

    /// The context in which a promise was created, with a reference of its own.
    pub(crate) fn creation_context(&self, promise: Raw) -> Raw {
        let name = self.reactions.creation_context.get();
        if name == qjs::JS_ATOM_NULL {
            return qjs::JS_UNDEFINED;
        }
        let nothing = qjs::JS_UNDEFINED;
        let mut found = qjs::JSPropertyDescriptor { flags: 0, value: nothing, getter: nothing, setter: nothing };
        // Read the own property: a prototype may be a proxy.
        // SAFETY: the caller holds the promise; the descriptor holds new references.
        unsafe { qjs::JS_GetOwnProperty(self.ctx, &mut found, promise, name) };
        // A script that found the symbol may have defined an accessor.
        raw::free(self.ctx, found.getter);
        raw::free(self.ctx, found.setter);
        found.value
    }

    /// The promise that a resolving function settles, without a reference.
    fn settled_by(&self, settler: Raw) -> Option<Raw> {
        // SAFETY: null for a value of another class; the data of this class begins with the promise.
        unsafe { qjs::JS_GetOpaque(settler, self.reactions.settler.get()).cast::<Raw>().as_ref().copied() }
    }

    /// The parent of the promise that is being created by an `await`, which the engine does not report.
    fn parent(&self) -> Raw {
        // Clear it: other promises that are created meanwhile do not belong to the function.
        let function = self.reactions.awaiting.replace(std::ptr::null());
        // SAFETY: it points into the async function, which is running.
        let parent = unsafe { function.as_ref() }.and_then(|settler| self.settled_by(*settler));
        parent.unwrap_or(self.reactions.parent.get())
    }

    /// Prepares a reaction so that it finds its context. Returns whether the engine must call the carriers in place of
    /// the handlers.
    fn prepare_reaction(&self, promise: Raw, handlers: &[Raw; 2], capability: &mut [Raw; 2]) -> bool {
        if is_undefined(capability[0]) {
            if self.reactions.watched.get() {
                self.create_await_promise(promise, capability);
            } else {
                // The reaction of an `await` settles no promise: the engine keeps the context in place of the
                // capability, and `phasor_reacts` takes it out.
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

    /// Creates the carriers of the handlers.
    #[cold]
    fn carry(&self, handlers: &[Raw; 2]) {
        for (which, (handler, place)) in handlers.iter().zip(&self.reactions.carriers).enumerate() {
            let mut carried = [*handler, self.async_context()];
            let count = carried.len() as c_int;
            // SAFETY: the engine takes references of its own to the data.
            let carrier = unsafe {
                qjs::JS_NewCFunctionData(self.ctx, Some(carrier), 1, which as c_int, count, carried.as_mut_ptr())
            };
            raw::free(self.ctx, place.replace(carrier));
        }
    }

    /// Enters the context of a reaction. The job's first argument is the resolving function of its promise, or the
    /// context of an `await`.
    fn begin_reaction(&self, args: &mut [Raw; 5]) {
        let settler = args[0];
        if let Some(promise) = self.settled_by(settler) {
            self.set_async_context(self.creation_context(promise));
            raw::free(self.ctx, self.reactions.settles.replace(raw::dup(self.ctx, promise)));
            if self.reactions.watched.get() {
                self.emit_promise_event(PromiseEvent::Before, promise, qjs::JS_UNDEFINED);
            }
        } else if is_undefined(settler) || self.is_frame(settler) {
            self.set_async_context(raw::dup(self.ctx, settler));
            args[0] = qjs::JS_UNDEFINED;
        }
    }

    /// Enters the context of the promise that a resolving function settles. It is left at the end of the job.
    pub(crate) fn enter_context_of(&self, settler: Raw) {
        if self.tracks()
            && let Some(promise) = self.settled_by(settler)
        {
            self.set_async_context(self.creation_context(promise));
        }
    }

    /// Creates the promise of an `await`, so that hooks are called for it.
    fn create_await_promise(&self, parent: Raw, capability: &mut [Raw; 2]) {
        self.reactions.parent.set(parent);
        // SAFETY: the array is the caller's, and holds no references.
        let made = unsafe { qjs::JS_NewPromiseCapability(self.ctx, capability.as_mut_ptr()) };
        self.reactions.parent.set(qjs::JS_UNDEFINED);
        if raw::is_exception(made) {
            self.drop_exception();
            *capability = [qjs::JS_UNDEFINED; 2];
            return;
        }
        raw::free(self.ctx, made);
        for (place, settler) in self.reactions.await_settlers.iter().zip(capability) {
            raw::free(self.ctx, place.replace(*settler));
        }
    }

    /// Ends a job: leaves what it entered, and restores the context in which all jobs start.
    pub(crate) fn end_job(&self, context: Raw) {
        let settles = self.reactions.settles.replace(qjs::JS_UNDEFINED);
        if !is_undefined(settles) {
            // As in Node, even if a hook was enabled by the reaction itself.
            if self.reactions.watched.get() {
                self.emit_promise_event(PromiseEvent::After, settles, qjs::JS_UNDEFINED);
            }
            raw::free(self.ctx, settles);
        }
        self.set_async_context(raw::dup(self.ctx, context));
    }

    /// Releases all engine values.
    pub(crate) fn clear_reactions(&self) {
        let Reactions { carriers, await_settlers, settles, shape, .. } = &self.reactions;
        for place in carriers.iter().chain(await_settlers).chain([settles, shape]) {
            raw::free(self.ctx, place.replace(qjs::JS_UNDEFINED));
        }
        // SAFETY: no hook is called from now on; freeing `JS_ATOM_NULL` does nothing.
        unsafe {
            qjs::JS_SetPromiseHook(self.runtime, None, std::ptr::null_mut());
            qjs::JS_FreeAtom(self.ctx, self.reactions.creation_context.replace(qjs::JS_ATOM_NULL));
        }
        self.watch_promises(false);
    }
}

/// The engine adds handlers to a promise, for `then` or `await`. Returns the handlers to add instead, or null.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_then(
    _ctx: RawCtx,
    promise: *const Raw,
    handlers: *const [Raw; 2],
    capability: *mut [Raw; 2],
) -> *const Raw {
    // SAFETY: on the thread of the engine's host; the engine of a build script has no host. The pointers are to two
    // values each. Only for an `await` the capability is empty, and then it is a local variable of the engine's caller.
    unsafe {
        match current_or_none().filter(|state| state.tracks()) {
            Some(state) if state.prepare_reaction(*promise, &*handlers, &mut *capability) => {
                state.reactions.carriers.as_ptr().cast()
            }
            _ => handlers.cast(),
        }
    }
}

/// The engine is about to run a reaction. The arguments of its job are used by this job only.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_reacts(_ctx: RawCtx, args: *mut [Raw; 5]) {
    // SAFETY: as `phasor_then`; the engine keeps its references to the values.
    unsafe {
        if let Some(state) = current_or_none().filter(|state| state.tracks()) {
            state.begin_reaction(&mut *args);
        }
    }
}

/// The engine calls this before and after `await` creates a promise. `function` points to the resolving function of the
/// async function's promise, or is null; `is_plain` means that the value is not a thenable. Returns true if no hook
/// needs the promise.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_awaits(function: *const Raw, is_plain: bool) -> bool {
    // SAFETY: as `phasor_then`.
    let Some(state) = unsafe { current_or_none() }.filter(|state| state.tracks()) else { return true };
    state.reactions.awaiting.set(function);
    state.reactions.is_plain.set(is_plain);
    !state.reactions.watched.get()
}

/// The engine settles a promise. Reports rejections; the engine's hook reports fulfilled promises only.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_settles(_ctx: RawCtx, promise: *const Raw, is_reject: c_int) {
    // SAFETY: as `phasor_then`.
    unsafe {
        if is_reject != 0
            && let Some(state) = current_or_none().filter(|state| state.reactions.watched.get())
        {
            state.emit_promise_event(PromiseEvent::Resolve, *promise, qjs::JS_UNDEFINED);
        }
    }
}

/// A carrier: enters the context and calls the handler. If the handler is not a function, passes the value or the
/// rejection on.
unsafe extern "C" fn carrier(
    ctx: RawCtx,
    _this: Raw,
    argc: c_int,
    argv: *mut Raw,
    which: c_int,
    carried: *mut Raw,
) -> Raw {
    // SAFETY: created with two values, called with at least one argument, as its length is 1, and on its host's thread.
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

/// The engine's promise hook: a promise was created or fulfilled, or a job that calls a thenable's `then` starts or
/// ends.
unsafe extern "C" fn promise_hook(
    _ctx: RawCtx,
    what: qjs::JSPromiseHookType,
    promise: Raw,
    parent: Raw,
    _opaque: *mut c_void,
) {
    // SAFETY: the engine calls this on its host's thread.
    let state = unsafe { current() };
    let (event, parent) = match what {
        qjs::JSPromiseHookType_JS_PROMISE_HOOK_INIT => {
            let context = state.async_context();
            if !is_undefined(context) && !state.reactions.is_plain.get() {
                state.store_creation_context(promise, context);
            }
            (PromiseEvent::Init, if is_undefined(parent) { state.parent() } else { parent })
        }
        qjs::JSPromiseHookType_JS_PROMISE_HOOK_BEFORE => {
            state.set_async_context(state.creation_context(promise));
            (PromiseEvent::Before, parent)
        }
        qjs::JSPromiseHookType_JS_PROMISE_HOOK_AFTER => (PromiseEvent::After, parent),
        _ => (PromiseEvent::Resolve, parent),
    };
    if state.reactions.watched.get() {
        state.emit_promise_event(event, promise, parent);
    }
}
