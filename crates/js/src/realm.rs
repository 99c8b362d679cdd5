//! Realms for `vm` contexts: further global objects with their own builtins, on the same engine.
//!
//! The global object of such a realm forwards to two others: the *sandbox*, which is the user's object, and the *inner*
//! global, which the engine created and which has the builtins. As in `src/node_contextify.cc`: lookups try the sandbox
//! first; setting or defining a property does so on both, so a name deleted from the sandbox is still defined in the
//! realm. Only `var` declarations go to the inner global alone. The global object's class has exotic methods, through
//! which the engine calls this module; the engine itself puts declarations on the inner global
//! (`engine/phasor_engine.h`).
//!
//! # Safety
//! A handle holds one reference to its context and marks it for the garbage collector: a context is collected like an
//! object, and its address is that of its GC header. The global object holds the inner global and the sandbox. The
//! engine calls the exotic methods with live values and takes new references.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::os::raw::c_int;
use std::ptr::NonNull;

use rquickjs::{Ctx, Error, Exception, Result, Value, qjs};

use crate::class::new_class;
use crate::engine::engine_patch;
use crate::raw::{self, Raw, RawCtx};
use crate::state::{State, current_or_none, state};

/// The classes of this module, registered with the first realm.
#[derive(Default)]
pub(crate) struct Realms {
    handle: Cell<qjs::JSClassID>,
    global: Cell<qjs::JSClassID>,
}

/// The two objects behind a global object. The engine reads the first.
#[repr(C)]
struct Targets {
    inner: Raw,
    sandbox: Raw,
}

static EXOTIC: qjs::JSClassExoticMethods = qjs::JSClassExoticMethods {
    get_own_property: Some(get_own_property),
    get_own_property_names: Some(get_own_property_names),
    delete_property: Some(delete_property),
    define_own_property: Some(define_own_property),
    has_property: Some(has_property),
    get_property: Some(get_property),
    set_property: Some(set_property),
};

impl State {
    fn register_realms(&self) {
        if self.realms.handle.get() != 0 {
            return;
        }
        self.realms.handle.set(new_class(self, c"Realm", free_handle, mark_handle));
        let mut id = 0;
        let definition = qjs::JSClassDef {
            class_name: c"Object".as_ptr(),
            finalizer: Some(free_global),
            gc_mark: Some(mark_global),
            call: None,
            exotic: (&raw const EXOTIC).cast_mut(),
        };
        // SAFETY: the definition is read before the call returns; the name and the methods are static.
        unsafe {
            qjs::JS_NewClassID(self.runtime, &mut id);
            qjs::JS_NewClass(self.runtime, id, &definition);
        }
        self.realms.global.set(id);
    }
}

/// Creates a realm. Returns its handle and its global object.
pub(crate) fn make<'js>(ctx: Ctx<'js>) -> Result<Vec<Value<'js>>> {
    let Some(added) = engine_patch() else { return Err(Exception::throw_message(&ctx, "This engine has one realm")) };
    let state = state(&ctx);
    state.register_realms();
    // SAFETY: the handle owns the context as soon as it exists; new references go to the values.
    unsafe {
        let fresh = qjs::JS_NewContext(state.runtime);
        if fresh.is_null() {
            return Err(Error::Allocation);
        }
        (added.share_seed)(fresh, state.ctx);
        let handle = qjs::JS_NewObjectProtoClass(state.ctx, qjs::JS_NULL, state.realms.handle.get());
        if raw::is_exception(handle) {
            qjs::JS_FreeContext(fresh);
            return Err(Error::Exception);
        }
        qjs::JS_SetOpaque(handle, fresh.cast());
        let handle = Value::from_raw(ctx.clone(), handle);
        let realm = of(&ctx, &handle)?;
        crate::atomics::install(&realm)?;
        crate::registries::equip(&realm)?;
        let global = Value::from_raw(ctx, qjs::JS_GetGlobalObject(fresh));
        Ok(vec![handle, global])
    }
}

/// The context of a handle.
pub(crate) fn of<'js>(ctx: &Ctx<'js>, handle: &Value<'js>) -> Result<Ctx<'js>> {
    // SAFETY: the handle's opaque pointer is its context, which lives as long as the handle.
    let found = unsafe { qjs::JS_GetOpaque(handle.as_raw(), state(ctx).realms.handle.get()) };
    match NonNull::new(found.cast::<qjs::JSContext>()) {
        // SAFETY: as above; this takes a reference of its own.
        Some(realm) => Ok(unsafe { Ctx::from_raw(realm) }),
        None => Err(Exception::throw_type(ctx, "no handle of a realm")),
    }
}

/// As [`of`], for any value: `None` unless it is a handle.
pub(crate) fn raw_of(handle: Raw) -> Option<RawCtx> {
    // SAFETY: null for a value of another class.
    let found = unsafe { qjs::JS_GetOpaque(handle, current_or_none()?.realms.handle.get()) };
    (!found.is_null()).then_some(found.cast())
}

/// Connects a sandbox to a realm. Returns the realm's new global object.
pub(crate) fn attach<'js>(ctx: Ctx<'js>, handle: Value<'js>, sandbox: Value<'js>) -> Result<Value<'js>> {
    let realm = of(&ctx, &handle)?;
    let raw_realm = realm.as_raw().as_ptr();
    let class = state(&ctx).realms.global.get();
    // SAFETY: each new reference is released or goes to its owner.
    unsafe {
        // As in V8, an object between the global object and `Object.prototype`.
        let prototype = qjs::JS_NewObject(raw_realm);
        let global = qjs::JS_NewObjectProtoClass(raw_realm, prototype, class);
        raw::free(raw_realm, prototype);
        if raw::is_exception(global) {
            return Err(Error::Exception);
        }
        let inner = qjs::JS_GetGlobalObject(raw_realm);
        let targets = Targets { inner: raw::dup(raw_realm, inner), sandbox: raw::dup(raw_realm, sandbox.as_raw()) };
        qjs::JS_SetOpaque(global, Box::into_raw(Box::new(targets)).cast());
        let flags = (qjs::JS_PROP_WRITABLE | qjs::JS_PROP_CONFIGURABLE) as c_int;
        qjs::JS_DefinePropertyValueStr(raw_realm, inner, c"globalThis".as_ptr(), raw::dup(raw_realm, global), flags);
        if let Some(added) = engine_patch() {
            (added.set_global)(raw_realm, &global);
        }
        raw::free(raw_realm, inner);
        Ok(Value::from_raw(ctx, global))
    }
}

unsafe extern "C" fn free_handle(_runtime: *mut qjs::JSRuntime, handle: Raw) {
    // SAFETY: the handle's only reference; null if creating the context failed.
    unsafe {
        let Some(state) = current_or_none() else { return };
        let ctx = qjs::JS_GetOpaque(handle, state.realms.handle.get()).cast::<qjs::JSContext>();
        if !ctx.is_null() {
            qjs::JS_FreeContext(ctx);
        }
    }
}

unsafe extern "C" fn mark_handle(runtime: *mut qjs::JSRuntime, handle: Raw, mark: qjs::JS_MarkFunc) {
    // SAFETY: as `free_handle`; a context begins with its GC header.
    unsafe {
        let Some(state) = current_or_none() else { return };
        let ctx = qjs::JS_GetOpaque(handle, state.realms.handle.get());
        if let (Some(mark), false) = (mark, ctx.is_null()) {
            mark(runtime, ctx.cast());
        }
    }
}

/// The objects behind a global object.
unsafe fn targets<'a>(global: Raw) -> Option<&'a Targets> {
    // SAFETY: null for a value of another class.
    unsafe {
        let class = current_or_none()?.realms.global.get();
        qjs::JS_GetOpaque(global, class).cast::<Targets>().as_ref()
    }
}

unsafe extern "C" fn free_global(runtime: *mut qjs::JSRuntime, global: Raw) {
    // SAFETY: the box was created in `attach`, and no one uses it after finalization.
    unsafe {
        if let Some(state) = current_or_none()
            && let Some(targets) = NonNull::new(qjs::JS_GetOpaque(global, state.realms.global.get()).cast::<Targets>())
        {
            let targets = Box::from_raw(targets.as_ptr());
            raw::free_late(runtime, targets.inner);
            raw::free_late(runtime, targets.sandbox);
        }
    }
}

unsafe extern "C" fn mark_global(runtime: *mut qjs::JSRuntime, global: Raw, mark: qjs::JS_MarkFunc) {
    // SAFETY: the values are held.
    unsafe {
        if let Some(targets) = targets(global) {
            qjs::JS_MarkValue(runtime, targets.inner, mark);
            qjs::JS_MarkValue(runtime, targets.sandbox, mark);
        }
    }
}

/// An empty property descriptor.
fn nothing() -> qjs::JSPropertyDescriptor {
    let undefined = qjs::JS_UNDEFINED;
    qjs::JSPropertyDescriptor { flags: 0, value: undefined, getter: undefined, setter: undefined }
}

/// The flags of a property found on an object or its prototype chain; `None` if there is no such property, `Err` for an
/// exception.
unsafe fn attributes(ctx: RawCtx, object: Raw, name: qjs::JSAtom) -> std::result::Result<Option<u32>, ()> {
    // SAFETY: each new reference is released.
    unsafe {
        let mut at = raw::dup(ctx, object);
        while qjs::JS_IsObject(at) {
            let mut found = nothing();
            let has = qjs::JS_GetOwnProperty(ctx, &mut found, at, name);
            if has != 0 {
                raw::free(ctx, at);
                if has < 0 {
                    return Err(());
                }
                for value in [found.value, found.getter, found.setter] {
                    raw::free(ctx, value);
                }
                return Ok(Some(found.flags as u32));
            }
            let next = qjs::JS_GetPrototype(ctx, at);
            raw::free(ctx, at);
            at = next;
        }
        match raw::is_exception(at) {
            true => Err(()),
            false => Ok(None),
        }
    }
}

fn is_accessor(flags: u32) -> bool {
    flags & qjs::JS_PROP_GETSET != 0
}

fn is_read_only(flags: Option<u32>) -> bool {
    flags.is_some_and(|flags| !is_accessor(flags) && flags & qjs::JS_PROP_WRITABLE == 0)
}

/// Whether a sandbox is a proxy with a `get` trap, which may return a value for every name.
unsafe fn has_get_trap(ctx: RawCtx, sandbox: Raw) -> bool {
    // SAFETY: each new reference is released.
    unsafe {
        if !qjs::JS_IsProxy(sandbox) {
            return false;
        }
        let handler = qjs::JS_GetProxyHandler(ctx, sandbox);
        let trap = qjs::JS_GetPropertyStr(ctx, handler, c"get".as_ptr());
        let answers = raw::is_function(ctx, trap);
        raw::free(ctx, trap);
        raw::free(ctx, handler);
        answers
    }
}

/// Reads from the prototype of a global object, if it has one: scripts may have replaced it.
unsafe fn in_prototype<R>(ctx: RawCtx, global: Raw, look: impl FnOnce(Raw) -> R) -> Option<R> {
    // SAFETY: the new reference is released.
    unsafe {
        let prototype = qjs::JS_GetPrototype(ctx, global);
        let found = qjs::JS_IsObject(prototype).then(|| look(prototype));
        raw::free(ctx, prototype);
        found
    }
}

unsafe extern "C" fn get_property(ctx: RawCtx, global: Raw, name: qjs::JSAtom, _receiver: Raw) -> Raw {
    // SAFETY: see the head of the file.
    unsafe {
        let Some(targets) = targets(global) else { return qjs::JS_UNDEFINED };
        let in_sandbox = match has_get_trap(ctx, targets.sandbox) {
            true => 1,
            false => qjs::JS_HasProperty(ctx, targets.sandbox, name),
        };
        match in_sandbox {
            0 => match qjs::JS_HasProperty(ctx, targets.inner, name) {
                0 => in_prototype(ctx, global, |prototype| qjs::JS_GetProperty(ctx, prototype, name))
                    .unwrap_or(qjs::JS_UNDEFINED),
                has if has < 0 => qjs::JS_EXCEPTION,
                _ => qjs::JS_GetProperty(ctx, targets.inner, name),
            },
            has if has < 0 => qjs::JS_EXCEPTION,
            _ => {
                let value = qjs::JS_GetProperty(ctx, targets.sandbox, name);
                if !qjs::JS_IsObject(value) || !raw::is_same_object(value, targets.sandbox) {
                    return value;
                }
                raw::free(ctx, value);
                raw::dup(ctx, global)
            }
        }
    }
}

unsafe extern "C" fn has_property(ctx: RawCtx, global: Raw, name: qjs::JSAtom) -> c_int {
    // SAFETY: as `get_property`.
    unsafe {
        let Some(targets) = targets(global) else { return 0 };
        for object in [targets.sandbox, targets.inner] {
            let has = qjs::JS_HasProperty(ctx, object, name);
            if has != 0 {
                return has;
            }
        }
        in_prototype(ctx, global, |prototype| qjs::JS_HasProperty(ctx, prototype, name)).unwrap_or(0)
    }
}

unsafe extern "C" fn get_own_property(
    ctx: RawCtx,
    found: *mut qjs::JSPropertyDescriptor,
    global: Raw,
    name: qjs::JSAtom,
) -> c_int {
    // SAFETY: as `get_property`; `found` is the engine's descriptor, or null.
    unsafe {
        let Some(targets) = targets(global) else { return 0 };
        match qjs::JS_GetOwnProperty(ctx, found, targets.sandbox, name) {
            0 => qjs::JS_GetOwnProperty(ctx, found, targets.inner, name),
            has => has,
        }
    }
}

/// Refuses to set a read-only property: in strict code throws V8's TypeError, whose message depends on whether the inner
/// global has the property or the sandbox alone.
unsafe fn refuse(ctx: RawCtx, name: qjs::JSAtom, flags: c_int, is_inner: bool) -> c_int {
    // SAFETY: the C string is freed.
    unsafe {
        let throws = flags & qjs::JS_PROP_THROW as c_int != 0
            || flags & qjs::JS_PROP_THROW_STRICT as c_int != 0
                && engine_patch().is_some_and(|added| (added.is_strict)(ctx));
        if !throws {
            return 0;
        }
        let text = qjs::JS_AtomToCStringLen(ctx, std::ptr::null_mut(), name);
        let message = match is_inner {
            true => c"Cannot assign to read only property '%s' of object '[object Object]'",
            false => c"Cannot redefine property: %s",
        };
        qjs::JS_ThrowTypeError(ctx, message.as_ptr(), text);
        qjs::JS_FreeCString(ctx, text);
        -1
    }
}

unsafe extern "C" fn set_property(
    ctx: RawCtx,
    global: Raw,
    name: qjs::JSAtom,
    value: Raw,
    receiver: Raw,
    flags: c_int,
) -> c_int {
    // SAFETY: as `get_property`.
    unsafe {
        let (Some(targets), Some(added)) = (targets(global), engine_patch()) else { return 0 };
        if !raw::is_same_object(global, receiver) {
            // The receiver is an object whose prototype is the global object: define the property on the receiver.
            let all = qjs::JS_PROP_C_W_E as c_int;
            return qjs::JS_DefinePropertyValue(ctx, receiver, name, raw::dup(ctx, value), all | flags);
        }
        let is_proxy = qjs::JS_IsProxy(targets.sandbox);
        let Ok(inner) = attributes(ctx, targets.inner, name) else { return -1 };
        let own = match is_proxy {
            true => Ok(None),
            false => attributes(ctx, targets.sandbox, name),
        };
        let Ok(own) = own else { return -1 };
        if is_read_only(inner) || is_read_only(own) {
            return refuse(ctx, name, flags, is_read_only(inner));
        }
        let is_declared = inner.is_some() || own.is_some() || is_proxy;
        if is_declared || !is_symbol(ctx, name) {
            if (added.set_property)(ctx, &targets.sandbox, name, &raw::dup(ctx, value)) < 0 {
                return -1;
            }
            if own.is_some() && is_own_accessor(ctx, targets.sandbox, name) {
                return 1;
            }
        }
        match (added.set_property)(ctx, &targets.inner, name, &raw::dup(ctx, value)) {
            failed if failed < 0 => -1,
            _ => 1,
        }
    }
}

unsafe fn is_symbol(ctx: RawCtx, name: qjs::JSAtom) -> bool {
    // SAFETY: the new reference is released.
    unsafe {
        let value = qjs::JS_AtomToValue(ctx, name);
        let is_symbol = qjs::JS_IsSymbol(value);
        raw::free(ctx, value);
        is_symbol
    }
}

unsafe fn is_own_accessor(ctx: RawCtx, object: Raw, name: qjs::JSAtom) -> bool {
    // SAFETY: new references are released.
    unsafe {
        let mut found = nothing();
        let has = qjs::JS_GetOwnProperty(ctx, &mut found, object, name);
        for value in [found.value, found.getter, found.setter] {
            raw::free(ctx, value);
        }
        has > 0 && is_accessor(found.flags as u32)
    }
}

unsafe extern "C" fn define_own_property(
    ctx: RawCtx,
    global: Raw,
    name: qjs::JSAtom,
    value: Raw,
    getter: Raw,
    setter: Raw,
    flags: c_int,
) -> c_int {
    // SAFETY: as `get_property`.
    unsafe {
        let Some(targets) = targets(global) else { return 0 };
        let Ok(inner) = attributes(ctx, targets.inner, name) else { return -1 };
        let is_fixed = |flags: u32| !is_accessor(flags) && flags & (qjs::JS_PROP_C_W_E & !qjs::JS_PROP_ENUMERABLE) == 0;
        if !inner.is_some_and(is_fixed) {
            let quietly = flags & !(qjs::JS_PROP_THROW as c_int) & !(qjs::JS_PROP_THROW_STRICT as c_int);
            match qjs::JS_DefineProperty(ctx, targets.sandbox, name, value, getter, setter, quietly) {
                failed if failed < 0 => return -1,
                0 if qjs::JS_GetOwnProperty(ctx, std::ptr::null_mut(), targets.sandbox, name) > 0 => {
                    return refuse(ctx, name, flags, false);
                }
                _ => {}
            }
        }
        qjs::JS_DefineProperty(ctx, targets.inner, name, value, getter, setter, flags)
    }
}

unsafe extern "C" fn delete_property(ctx: RawCtx, global: Raw, name: qjs::JSAtom) -> c_int {
    // SAFETY: as `get_property`.
    unsafe {
        let Some(targets) = targets(global) else { return 1 };
        match qjs::JS_DeleteProperty(ctx, targets.sandbox, name, 0) {
            deleted if deleted <= 0 => deleted,
            _ => qjs::JS_DeleteProperty(ctx, targets.inner, name, 0),
        }
    }
}

unsafe extern "C" fn get_own_property_names(
    ctx: RawCtx,
    names: *mut *mut qjs::JSPropertyEnum,
    count: *mut u32,
    global: Raw,
) -> c_int {
    // SAFETY: as `get_property`. The engine allocates the lists, with a reference to each name; the new list takes
    // references of its own.
    unsafe {
        let Some(targets) = targets(global) else { return -1 };
        let mut all: Vec<qjs::JSPropertyEnum> = Vec::new();
        let flags = (qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_SYMBOL_MASK) as c_int;
        for object in [targets.inner, targets.sandbox] {
            let (mut list, mut length) = (std::ptr::null_mut(), 0);
            if qjs::JS_GetOwnPropertyNames(ctx, &mut list, &mut length, object, flags) < 0 {
                all.iter().for_each(|one| qjs::JS_FreeAtom(ctx, one.atom));
                return -1;
            }
            for at in 0..length as usize {
                let atom = (*list.add(at)).atom;
                if !all.iter().any(|one| one.atom == atom) {
                    all.push(qjs::JSPropertyEnum { is_enumerable: false, atom: qjs::JS_DupAtom(ctx, atom) });
                }
            }
            qjs::JS_FreePropertyEnum(ctx, list, length);
        }
        let bytes = all.len().max(1) * size_of::<qjs::JSPropertyEnum>();
        let place = qjs::js_malloc(ctx, bytes as _).cast::<qjs::JSPropertyEnum>();
        if place.is_null() {
            all.iter().for_each(|one| qjs::JS_FreeAtom(ctx, one.atom));
            return -1;
        }
        std::ptr::copy_nonoverlapping(all.as_ptr(), place, all.len());
        *names = place;
        *count = all.len() as u32;
        0
    }
}
