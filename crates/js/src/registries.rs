//! `FinalizationRegistry` with tokens that it does not hold.
//!
//! The engine's registry holds the token by which an entry can be taken back. Most programs give the object itself for it
//! (`registry.register(object, held, object)`), which then would never be gone. Here the engine gets an object that stands
//! in for the token, and that a `WeakMap` has for as long as the token lives.
//!
//! # Safety
//! Raw values as in `raw`: arguments live as long as the call, results are new references that go to the engine.
#![allow(unsafe_code)]

use std::os::raw::c_int;
use std::rc::Rc;

use rquickjs::{Constructor, Ctx, Object, Result, Value, qjs};

use crate::raw::{self, Held, Raw, RawCtx};
use crate::state::{State, current};

/// What the engine has for registries, from before a script could replace it.
pub(crate) struct Registries {
    register: Held,
    unregister: Held,
    /// Tokens, and what stands in for them.
    stand_ins: Held,
    /// That map's methods.
    get: Held,
    set: Held,
}

/// Puts these functions into the place of the engine's. Before any code runs.
pub(crate) fn install(ctx: &Ctx<'_>, state: &State) -> Result<()> {
    let prototype_of = |name: &str| ctx.globals().get::<_, Object<'_>>(name)?.get::<_, Object<'_>>("prototype");
    let registry = prototype_of("FinalizationRegistry")?;
    let map = prototype_of("WeakMap")?;
    let held = |object: &Object<'_>, name: &str| object.get(name).map(|value: Value<'_>| Held::of(state, &value));
    let constructor: Constructor<'_> = ctx.globals().get("WeakMap")?;
    let kept = Registries {
        register: held(&registry, "register")?,
        unregister: held(&registry, "unregister")?,
        stand_ins: Held::of(state, &constructor.construct(())?),
        get: held(&map, "get")?,
        set: held(&map, "set")?,
    };
    *state.registries.borrow_mut() = Some(Rc::new(kept));
    equip(ctx)
}

/// The same for the registries of a realm: of the first, or of a later one.
pub(crate) fn equip(ctx: &Ctx<'_>) -> Result<()> {
    let registry: Object<'_> = ctx.globals().get::<_, Object<'_>>("FinalizationRegistry")?.get("prototype")?;
    raw::define_hidden(ctx, &registry, c"register", 2, register)?;
    raw::define_hidden(ctx, &registry, c"unregister", 1, unregister)
}

impl Registries {
    /// What stands in for a token, if anything does: a new reference, or the mark of an exception.
    fn known(&self, ctx: RawCtx, token: Raw) -> Raw {
        raw::call(ctx, self.get.raw(), self.stand_ins.raw(), &mut [token])
    }

    /// The same, and made if there is none.
    fn stand_in(&self, ctx: RawCtx, token: Raw) -> Raw {
        let known = self.known(ctx, token);
        if !is_undefined(known) {
            return known;
        }
        // SAFETY: the context is alive; the new reference is the caller's.
        let made = unsafe { qjs::JS_NewObject(ctx) };
        if raw::is_exception(made) {
            return made;
        }
        let set = raw::call(ctx, self.set.raw(), self.stand_ins.raw(), &mut [token, made]);
        if raw::is_exception(set) {
            raw::free(ctx, made);
            return set;
        }
        raw::free(ctx, set);
        made
    }
}

/// This thread's, if it has not ended.
fn kept() -> Option<Rc<Registries>> {
    // SAFETY: called by the engine of this thread's host.
    unsafe { current() }.registries.borrow().clone()
}

fn is_object(value: Raw) -> bool {
    // SAFETY: looks at the tag alone.
    unsafe { qjs::JS_IsObject(value) }
}

fn is_undefined(value: Raw) -> bool {
    // SAFETY: looks at the tag alone.
    unsafe { qjs::JS_IsUndefined(value) }
}

/// `register(target, held, token)`.
unsafe extern "C" fn register(ctx: RawCtx, this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called by the engine, with its arguments.
    let given = unsafe { raw::arguments(argc, argv) };
    let Some(kept) = kept() else { return qjs::JS_UNDEFINED };
    let mut args = [qjs::JS_UNDEFINED; 3];
    for (arg, &value) in args.iter_mut().zip(given) {
        *arg = value;
    }
    let token = args[2];
    if !is_object(token) {
        return raw::call(ctx, kept.register.raw(), this, &mut args);
    }
    args[2] = kept.stand_in(ctx, token);
    if raw::is_exception(args[2]) {
        return args[2];
    }
    let result = raw::call(ctx, kept.register.raw(), this, &mut args);
    raw::free(ctx, args[2]);
    result
}

/// `unregister(token)`.
unsafe extern "C" fn unregister(ctx: RawCtx, this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called by the engine, with its arguments.
    let token = unsafe { raw::arguments(argc, argv) }.first().copied().unwrap_or(qjs::JS_UNDEFINED);
    let Some(kept) = kept() else { return qjs::JS_FALSE };
    let known = if is_object(token) { kept.known(ctx, token) } else { qjs::JS_UNDEFINED };
    if raw::is_exception(known) {
        return known;
    }
    // Nothing stands in for it: the engine knows no entry by the token itself, and judges what it is called on.
    let by = if is_undefined(known) { token } else { known };
    let result = raw::call(ctx, kept.unregister.raw(), this, &mut [by]);
    raw::free(ctx, known);
    result
}
