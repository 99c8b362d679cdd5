//! The async context as a value, an immutable map from storage to store, and the native methods of `AsyncLocalStorage`.
//!
//! A frame never changes: setting a store creates a new frame. So capturing the context only takes a reference. A
//! storage is identified by an integer, its *key*, which its object has under a symbol. The lowest bit of the key is
//! the storage's `enabled` flag. `disable`, in JavaScript, assigns a new key with the flag cleared, and no frame has a
//! store for that key.
//!
//! # Safety
//! As `raw`: a frame holds a counted reference to each of its stores, released when the engine finalizes its object.
//! The opaque pointer of an object of the class points to such a frame or is null.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::os::raw::c_int;

use rquickjs::{Ctx, Object, Result, Value, qjs};

use crate::class::{Kind, new_class};
use crate::raw::{self, Raw, RawCtx};
use crate::state::{State, current};

/// The storages of a thread.
#[derive(Default)]
pub(crate) struct Storages {
    kind: Cell<Kind>,
    /// The atoms of the key symbol, and of `enabled`.
    key: Cell<qjs::JSAtom>,
    enabled: Cell<qjs::JSAtom>,
    newest: Cell<i32>,
}

/// The bit of a key that is set while the storage is enabled.
const ENABLED: i32 = 1;

/// Stores by key. Most programs use one storage.
struct Frame {
    first: (i32, Raw),
    rest: Vec<(i32, Raw)>,
}

impl Frame {
    fn entries(&self) -> impl Iterator<Item = (i32, Raw)> + '_ {
        std::iter::once(self.first).chain(self.rest.iter().copied())
    }

    /// The entries of all other keys. Allocates nothing if there are none.
    fn without(&self, key: i32) -> Vec<(i32, Raw)> {
        if self.rest.is_empty() && self.first.0 == key {
            return Vec::new();
        }
        self.entries().filter(|(other, _)| *other != key).collect()
    }
}

impl State {
    fn frame(&self, context: Raw) -> Option<&Frame> {
        // SAFETY: null for a value of another class; the context is alive, and so is its frame.
        unsafe { self.storages.kind.get().opaque(context).cast::<Frame>().as_ref() }
    }

    /// Whether a value is a frame. False for `undefined`, the context without stores.
    pub(crate) fn is_frame(&self, value: Raw) -> bool {
        self.frame(value).is_some()
    }

    /// The store for a key. The frame keeps the reference.
    fn store(&self, context: Raw, key: i32) -> Option<Raw> {
        self.frame(context)?.entries().find_map(|(other, store)| (other == key).then_some(store))
    }

    /// A copy of a context in which a key has the given store, or none. Returns a new reference, or `JS_EXCEPTION`.
    fn context_with(&self, context: Raw, key: i32, store: Option<Raw>) -> Raw {
        let mut rest = self.frame(context).map_or_else(Vec::new, |frame| frame.without(key));
        let Some(first) = store.map(|store| (key, store)).or_else(|| rest.pop()) else { return qjs::JS_UNDEFINED };
        let frame = Frame { first, rest };
        // SAFETY: the class is registered; the frame takes references of its own, and the object owns the frame.
        unsafe {
            let object = self.storages.kind.get().make(self.ctx);
            if !raw::is_exception(object) {
                for (_, store) in frame.entries() {
                    raw::dup(self.ctx, store);
                }
                qjs::JS_SetOpaque(object, Box::into_raw(Box::new(frame)).cast());
            }
            object
        }
    }

    /// The key of a storage. `None`, with a pending exception, if the object is not a storage.
    fn key_of(&self, storage: Raw) -> Option<i32> {
        // SAFETY: the storage is alive. Its key is an integer, which needs no reference.
        unsafe {
            let key = qjs::JS_GetProperty(self.ctx, storage, self.storages.key.get());
            if qjs::JS_VALUE_GET_TAG(key) == qjs::JS_TAG_INT {
                return Some(qjs::JS_VALUE_GET_INT(key));
            }
            if !raw::is_exception(key) {
                raw::free(self.ctx, key);
                qjs::JS_ThrowTypeError(self.ctx, c"Receiver is not an AsyncLocalStorage".as_ptr());
            }
            None
        }
    }

    /// As [`key_of`](State::key_of), but enables the storage first.
    fn enabled_key_of(&self, storage: Raw) -> Option<i32> {
        let key = self.key_of(storage)?;
        if key & ENABLED != 0 {
            return Some(key);
        }
        let key = key | ENABLED;
        // SAFETY: the storage is alive; neither value needs a reference.
        let set = unsafe {
            qjs::JS_SetProperty(self.ctx, storage, self.storages.key.get(), qjs::JS_MKVAL(qjs::JS_TAG_INT, key)) >= 0
                && qjs::JS_SetProperty(self.ctx, storage, self.storages.enabled.get(), qjs::JS_TRUE) >= 0
        };
        set.then_some(key)
    }

    /// Calls `args[0]` with the rest, in a context whose reference is taken over. Then restores the previous store of
    /// the key; stores of other keys stay as the call left them.
    fn call_in(&self, context: Raw, key: i32, args: &[Raw]) -> Raw {
        if raw::is_exception(context) {
            return context;
        }
        let here = raw::dup(self.ctx, context);
        let before = self.replace_async_context(context);
        let result = call_first(self.ctx, args);
        if raw::is_same_object(self.async_context(), here) {
            self.set_async_context(before);
        } else {
            let outer = self.frame(before).and_then(|frame| frame.entries().find(|(other, _)| *other == key));
            let merged = self.context_with(self.async_context(), key, outer.map(|(_, store)| store));
            self.set_async_context(if raw::is_exception(merged) { qjs::JS_UNDEFINED } else { merged });
            raw::free(self.ctx, before);
        }
        raw::free(self.ctx, here);
        result
    }
}

/// Calls the first value with the rest as arguments and `null` as `this`.
fn call_first(ctx: RawCtx, args: &[Raw]) -> Raw {
    let (function, args) = match args {
        [] => (qjs::JS_UNDEFINED, &[][..]),
        [function, args @ ..] => (*function, args),
    };
    // SAFETY: the caller holds all values for the call; the engine copies the arguments.
    unsafe { qjs::JS_Call(ctx, function, qjs::JS_NULL, args.len() as c_int, args.as_ptr().cast_mut()) }
}

/// Defines `methods` for the prototype of storages, the symbol `key`, and the functions `newKey` and `storeIn`.
pub(super) fn define<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Result<()> {
    // SAFETY: on the host's thread.
    let state = unsafe { current() };
    let storages = &state.storages;
    let class = new_class(state, c"AsyncContextFrame", finalize, mark);
    storages.kind.set(Kind::new(class, object)?);
    // SAFETY: new atoms, freed in `clear`; the new reference goes to the value.
    let key = unsafe {
        let key = Value::from_raw(ctx.clone(), qjs::JS_NewSymbol(state.ctx, c"key".as_ptr(), false));
        storages.key.set(qjs::JS_ValueToAtom(state.ctx, key.as_raw()));
        storages.enabled.set(qjs::JS_NewAtom(state.ctx, c"enabled".as_ptr()));
        key
    };
    object.set("key", key)?;
    raw::define(ctx, object, c"newKey", 0, new_key)?;
    raw::define(ctx, object, c"storeIn", 2, store_in)?;
    let methods = Object::new(ctx.clone())?;
    raw::define_hidden(ctx, &methods, c"enterWith", 1, enter_with)?;
    raw::define_hidden(ctx, &methods, c"run", 2, run)?;
    raw::define_hidden(ctx, &methods, c"exit", 1, exit)?;
    raw::define_hidden(ctx, &methods, c"getStore", 0, get_store)?;
    object.set("methods", methods)
}

impl Storages {
    /// Frees the atoms.
    pub(super) fn clear(&self, ctx: RawCtx) {
        for name in [&self.key, &self.enabled] {
            // SAFETY: each atom is freed once; freeing `JS_ATOM_NULL` does nothing.
            unsafe { qjs::JS_FreeAtom(ctx, name.replace(qjs::JS_ATOM_NULL)) };
        }
    }
}

unsafe extern "C" fn new_key(_ctx: RawCtx, _this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    // SAFETY: on the host's thread.
    let newest = unsafe { &current().storages.newest };
    newest.set(newest.get().wrapping_add(ENABLED + 1));
    qjs::JS_MKVAL(qjs::JS_TAG_INT, newest.get())
}

/// `(store)`
unsafe extern "C" fn enter_with(_ctx: RawCtx, this: Raw, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called with one argument at least, as its length is 1, and on its host's thread.
    let (state, store) = unsafe { (current(), *argv) };
    let Some(key) = state.enabled_key_of(this) else { return qjs::JS_EXCEPTION };
    let context = state.context_with(state.async_context(), key, Some(store));
    if raw::is_exception(context) {
        return context;
    }
    state.set_async_context(context);
    qjs::JS_UNDEFINED
}

/// `(store, callback, ...args)`
unsafe extern "C" fn run(ctx: RawCtx, this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called with two arguments at least, as its length is 2, and on its host's thread.
    let (state, store, rest) = unsafe { (current(), *argv, raw::arguments(argc - 1, argv.add(1))) };
    let Some(key) = state.enabled_key_of(this) else { return qjs::JS_EXCEPTION };
    // SAFETY: both are alive.
    if unsafe { qjs::JS_IsSameValue(ctx, store, state.store(state.async_context(), key).unwrap_or(qjs::JS_UNDEFINED)) }
    {
        return call_first(ctx, rest);
    }
    state.call_in(state.context_with(state.async_context(), key, Some(store)), key, rest)
}

/// `(callback, ...args)`
unsafe extern "C" fn exit(ctx: RawCtx, this: Raw, argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: as passed by the engine, on its host's thread.
    let (state, args) = unsafe { (current(), raw::arguments(argc, argv)) };
    match state.key_of(this) {
        None => qjs::JS_EXCEPTION,
        Some(key) if key & ENABLED == 0 => call_first(ctx, args),
        Some(key) => state.call_in(state.context_with(state.async_context(), key, None), key, args),
    }
}

unsafe extern "C" fn get_store(ctx: RawCtx, this: Raw, _argc: c_int, _argv: *mut Raw) -> Raw {
    // SAFETY: on the host's thread.
    let state = unsafe { current() };
    match state.key_of(this) {
        None => qjs::JS_EXCEPTION,
        Some(key) => raw::dup(ctx, state.store(state.async_context(), key).unwrap_or(qjs::JS_UNDEFINED)),
    }
}

/// `(storage, context)`: the store in a given context, for the context captured with a rejection.
unsafe extern "C" fn store_in(ctx: RawCtx, _this: Raw, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: called with two arguments at least, as its length is 2, and on its host's thread.
    let (state, storage, context) = unsafe { (current(), *argv, *argv.add(1)) };
    match state.key_of(storage) {
        None => qjs::JS_EXCEPTION,
        Some(key) => raw::dup(ctx, state.store(context, key).unwrap_or(qjs::JS_UNDEFINED)),
    }
}

/// The frame of an object of the class.
///
/// # Safety
/// Call it only from the finalizer or the mark function of the class.
unsafe fn frame_of(object: Raw) -> *mut Frame {
    let mut class = 0;
    // SAFETY: reads the opaque pointer of the object; the engine writes its class id to `class`.
    unsafe { qjs::JS_GetAnyOpaque(object, &mut class).cast() }
}

unsafe extern "C" fn finalize(runtime: *mut qjs::JSRuntime, object: Raw) {
    // SAFETY: the object, which is being freed, owns the frame.
    unsafe {
        let frame = frame_of(object);
        if !frame.is_null() {
            for (_, store) in Box::from_raw(frame).entries() {
                raw::free_late(runtime, store);
            }
        }
    }
}

unsafe extern "C" fn mark(runtime: *mut qjs::JSRuntime, object: Raw, mark: qjs::JS_MarkFunc) {
    // SAFETY: the object owns the frame; the engine's mark function is called with its values.
    unsafe {
        if let Some(frame) = frame_of(object).as_ref() {
            for (_, store) in frame.entries() {
                qjs::JS_MarkValue(runtime, store, mark);
            }
        }
    }
}
