//! `FinalizationRegistry` with unregister tokens held weakly, and indexed.
//!
//! QuickJS's registry holds the unregister token strongly. Most programs pass the object itself as the token
//! (`registry.register(object, held, object)`), which would then never be collected. And `unregister` searches all
//! entries. So the engine gets a [`TokenRole::Mark`] in place of the token, one per entry. A `WeakMap` maps each token
//! to a [`TokenRole::Token`], which lists the entries and lives as long as the token.
//!
//! # Safety
//! Raw values as in `raw`: arguments live as long as the call, results are new references that go to the engine. An
//! entry is listed as long as its mark lives, which the engine releases with the entry. Each object of the class owns a
//! `TokenRole` through its opaque pointer.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::os::raw::{c_int, c_void};
use std::rc::Rc;

use rquickjs::{Constructor, Ctx, Object, Result, Value, qjs};

use crate::class::new_class;
use crate::engine::engine_patch;
use crate::raw::{self, Held, Raw, RawCtx};
use crate::state::{State, current};

/// The engine's functions for registries, saved before a script could replace them.
pub(crate) struct Registries {
    register: Held,
    unregister: Held,
    /// A `WeakMap` from tokens to the objects that list their entries.
    tokens: Held,
    /// The methods of that map.
    get: Held,
    set: Held,
    /// The class of those objects; none until a token is first used.
    class: Cell<Option<qjs::JSClassID>>,
}

/// The entries of a token: the addresses of the registry and of the entry.
type Entries = Rc<RefCell<BTreeSet<(usize, usize)>>>;

/// The native data of an object of the class.
enum TokenRole {
    /// Stands for a token in the map.
    Token(Entries),
    /// Stands for the token in one entry.
    Mark { all: Entries, entry: Cell<(usize, usize)> },
}

unsafe extern "C" fn finalize(_runtime: *mut qjs::JSRuntime, object: Raw) {
    let mut class = 0;
    // SAFETY: called for each object of the class once; null if no data was set.
    let role = unsafe { qjs::JS_GetAnyOpaque(object, &mut class).cast::<TokenRole>() };
    if role.is_null() {
        return;
    }
    // SAFETY: as above; the pointer came from a box.
    if let TokenRole::Mark { all, entry } = *unsafe { Box::from_raw(role) } {
        all.borrow_mut().remove(&entry.get());
    }
}

/// The objects hold no engine values.
unsafe extern "C" fn mark(_runtime: *mut qjs::JSRuntime, _object: Raw, _mark: qjs::JS_MarkFunc) {}

/// Replaces the engine's functions in the main realm. Runs before any script.
pub(crate) fn install(ctx: &Ctx<'_>, state: &State) -> Result<()> {
    let prototype_of = |name: &str| ctx.globals().get::<_, Object<'_>>(name)?.get::<_, Object<'_>>("prototype");
    let registry = prototype_of("FinalizationRegistry")?;
    let map = prototype_of("WeakMap")?;
    let held = |object: &Object<'_>, name: &str| object.get(name).map(|value: Value<'_>| Held::of(state, &value));
    let constructor: Constructor<'_> = ctx.globals().get("WeakMap")?;
    let kept = Registries {
        register: held(&registry, "register")?,
        unregister: held(&registry, "unregister")?,
        tokens: Held::of(state, &constructor.construct(())?),
        get: held(&map, "get")?,
        set: held(&map, "set")?,
        class: Cell::new(None),
    };
    *state.registries.borrow_mut() = Some(Rc::new(kept));
    equip(ctx)
}

/// Replaces the functions in another realm.
pub(crate) fn equip(ctx: &Ctx<'_>) -> Result<()> {
    let registry: Object<'_> = ctx.globals().get::<_, Object<'_>>("FinalizationRegistry")?.get("prototype")?;
    raw::define_hidden(ctx, &registry, c"register", 2, register)?;
    raw::define_hidden(ctx, &registry, c"unregister", 1, unregister)
}

impl Registries {
    /// A new object with the given data, or `JS_EXCEPTION`.
    fn object(&self, ctx: RawCtx, role: TokenRole) -> Raw {
        // SAFETY: called by the engine of this thread's host.
        let class = self.class.get().unwrap_or_else(|| new_class(unsafe { current() }, c"Entries", finalize, mark));
        self.class.set(Some(class));
        // SAFETY: the context is alive; the new reference is the caller's; the object owns the data.
        unsafe {
            let object = qjs::JS_NewObjectClass(ctx, class);
            if !raw::is_exception(object) {
                qjs::JS_SetOpaque(object, Box::into_raw(Box::new(role)).cast::<c_void>());
            }
            object
        }
    }

    /// The object of a token, if there is one: a new reference, undefined, or `JS_EXCEPTION`.
    fn known(&self, ctx: RawCtx, token: Raw) -> Raw {
        raw::call(ctx, self.get.raw(), self.tokens.raw(), &mut [token])
    }

    /// As [`known`](Registries::known), but creates the object if there is none.
    fn stand_in(&self, ctx: RawCtx, token: Raw) -> Raw {
        let known = self.known(ctx, token);
        if !is_undefined(known) {
            return known;
        }
        let made = self.object(ctx, TokenRole::Token(Entries::default()));
        if raw::is_exception(made) {
            return made;
        }
        let set = raw::call(ctx, self.set.raw(), self.tokens.raw(), &mut [token, made]);
        if raw::is_exception(set) {
            raw::free(ctx, made);
            return set;
        }
        raw::free(ctx, set);
        made
    }

    /// The data of an object of the class. Use it only while the object lives.
    fn role<'a>(&self, object: Raw) -> Option<&'a TokenRole> {
        // SAFETY: the engine checks the class; the data lives as long as the object, and is only shared.
        unsafe { qjs::JS_GetOpaque(object, self.class.get()?).cast::<TokenRole>().as_ref() }
    }

    /// The entries listed by the object of a token.
    fn entries(&self, stand_in: Raw) -> Option<Entries> {
        match self.role(stand_in)? {
            TokenRole::Token(all) => Some(Rc::clone(all)),
            TokenRole::Mark { .. } => None,
        }
    }
}

/// This thread's registries, unless the host is being dropped.
fn kept() -> Option<Rc<Registries>> {
    // SAFETY: called by the engine of this thread's host.
    unsafe { current() }.registries.borrow().clone()
}

fn is_object(value: Raw) -> bool {
    // SAFETY: only reads the tag.
    unsafe { qjs::JS_IsObject(value) }
}

fn is_undefined(value: Raw) -> bool {
    // SAFETY: only reads the tag.
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
    let stand_in = kept.stand_in(ctx, token);
    if raw::is_exception(stand_in) {
        return stand_in;
    }
    let result = match (engine_patch(), kept.entries(stand_in)) {
        (Some(added), Some(all)) => {
            args[2] = kept.object(ctx, TokenRole::Mark { all: Rc::clone(&all), entry: Cell::default() });
            if raw::is_exception(args[2]) {
                args[2]
            } else {
                let result = raw::call(ctx, kept.register.raw(), this, &mut args);
                // SAFETY: both values are alive.
                let entry = unsafe { (added.new_entry)(&this, &args[2]) };
                if let (false, Some(TokenRole::Mark { entry: own, .. })) = (entry.is_null(), kept.role(args[2])) {
                    own.set((address(this), entry.expose_provenance()));
                    all.borrow_mut().insert(own.get());
                }
                raw::free(ctx, args[2]);
                result
            }
        }
        _ => {
            args[2] = stand_in;
            raw::call(ctx, kept.register.raw(), this, &mut args)
        }
    };
    raw::free(ctx, stand_in);
    result
}

/// `unregister(token)`.
unsafe extern "C" fn unregister(ctx: RawCtx, this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called by the engine, with its arguments.
    let token = unsafe { raw::arguments(argc, argv) }.first().copied().unwrap_or(qjs::JS_UNDEFINED);
    let Some(kept) = kept() else { return qjs::JS_FALSE };
    // SAFETY: reads the value.
    let added = engine_patch().filter(|added| unsafe { (added.is_registry)(&this) });
    if !is_object(token) {
        return raw::call(ctx, kept.unregister.raw(), this, &mut [token]);
    }
    let known = kept.known(ctx, token);
    if raw::is_exception(known) {
        return known;
    }
    let result = match added {
        Some(added) => {
            let all = kept.entries(known).unwrap_or_default();
            let mut was_there = false;
            // One by one: releasing an entry may free values that change the list.
            while let Some(entry) = first_of(&all, address(this)) {
                // SAFETY: the entry's mark lives, otherwise the entry would not be listed.
                unsafe { (added.drop_entry)(ctx, std::ptr::with_exposed_provenance_mut(entry)) };
                was_there = true;
            }
            qjs::JS_MKVAL(qjs::JS_TAG_BOOL, i32::from(was_there))
        }
        // Not in the map: the engine has no entry for the token itself, but it validates `this`.
        None => {
            let by = if is_undefined(known) { token } else { known };
            raw::call(ctx, kept.unregister.raw(), this, &mut [by])
        }
    };
    raw::free(ctx, known);
    result
}

/// Removes and returns the first entry of a registry from those of a token.
fn first_of(all: &Entries, registry: usize) -> Option<usize> {
    let mut all = all.borrow_mut();
    let first = *all.range((registry, 0)..=(registry, usize::MAX)).next()?;
    all.remove(&first);
    Some(first.1)
}

/// The address of an object.
fn address(object: Raw) -> usize {
    // SAFETY: objects carry a pointer, which is not dereferenced.
    unsafe { qjs::JS_VALUE_GET_PTR(object) }.addr()
}
