//! Realms whose global object stands for an object of the program, the *sandbox* of `node:vm`.
//!
//! Such a realm has three global objects:
//!
//! - The engine's own global object, which has no properties but `undefined`, `NaN` and `Infinity`. Code that
//!   `Function` or an indirect `eval` compiles looks up names in it, and then in its prototype, the outer global
//!   object.
//! - The *outer* global object, which programs see as `globalThis`: a proxy of the two objects that follow. Scripts are compiled to look
//!   names up in it, and to put their `var` and `function` declarations there.
//! - The *inner* global object: an ordinary object with the builtins, and with a copy of each global that code of the realm defines.
//!
//! Property accesses follow `src/node_contextify.cc` of Node. A lookup tries the sandbox, then the inner global object.
//! Setting or defining a property changes both. A `var` without a value is defined on the inner global object alone.
//!
//! # Safety
//!
//! The engine calls the traps with a running context and rooted handles. Values that the traps read from the slots of
//! the proxy are rooted before the next call. The proxy's private value is the sandbox, its first slot the inner global
//! object; both are set when it is made. Slot 0 of the engine's global object is the outer global object, once that
//! exists.

use std::ptr;
use std::sync::OnceLock;

use mozjs::glue::{self, ProxyTraps};
use mozjs::jsapi;
use mozjs::rooted;

use crate::exception::{Fallible, Thrown};
use crate::local::Local;
use crate::object::{IdList, Object};
use crate::raw::{self, RawContext, RawObject, RawValue};
use crate::scope::Scope;

type ObjectHandle = jsapi::Handle<*mut RawObject>;
type IdHandle = jsapi::Handle<jsapi::jsid>;
type ValueHandle = jsapi::Handle<RawValue>;
type OpResult = *mut jsapi::ObjectOpResult;

/// The slot of the engine's global object that holds the outer global object.
const OUTER_SLOT: u32 = 0;

/// The slot of the outer global object that holds the inner global object.
const INNER_SLOT: u32 = 0;

static GLOBAL_OPS: jsapi::JSClassOps = jsapi::JSClassOps {
    addProperty: Some(on_add),
    delProperty: None,
    enumerate: Some(jsapi::JS_EnumerateStandardClasses),
    newEnumerate: None,
    resolve: Some(jsapi::JS_ResolveStandardClass),
    mayResolve: Some(jsapi::JS_MayResolveStandardClass),
    finalize: None,
    call: None,
    construct: None,
    trace: Some(jsapi::JS_GlobalObjectTraceHook),
};

/// The class of global objects of realms that may get a sandbox.
pub(crate) static GLOBAL: jsapi::JSClass =
    jsapi::JSClass { name: c"Object".as_ptr(), cOps: &raw const GLOBAL_OPS, ..mozjs::rust::SIMPLE_GLOBAL_CLASS };

/// The class of outer global objects, which the engine knows as that of `WindowProxy` objects. Its compiled code looks properties of such an
/// object up in the global object, without the handler, if the private value of the proxy is that global object; here it is the sandbox.
pub(crate) static OUTER: jsapi::JSClass = jsapi::JSClass {
    name: c"Object".as_ptr(),
    flags: jsapi::JSClass_NON_NATIVE
        | jsapi::JSCLASS_IS_PROXY
        | jsapi::JSCLASS_DELAY_METADATA_BUILDER
        | (1 << jsapi::JSCLASS_RESERVED_SLOTS_SHIFT),
    cOps: &raw const jsapi::ProxyClassOps,
    spec: ptr::null(),
    ext: &raw const jsapi::ProxyClassExtension,
    oOps: &raw const jsapi::ProxyObjectOps,
};

/// The engine's handler of the proxies. It is never freed.
fn handler() -> *const std::ffi::c_void {
    static HANDLER: OnceLock<usize> = OnceLock::new();
    let traps = ProxyTraps {
        getOwnPropertyDescriptor: Some(get_own),
        defineProperty: Some(define),
        ownPropertyKeys: Some(own_keys),
        delete_: Some(delete),
        getPrototypeIfOrdinary: Some(prototype_if_ordinary),
        getPrototype: Some(get_prototype),
        setPrototype: Some(set_prototype),
        preventExtensions: Some(prevent_extensions),
        isExtensible: Some(is_extensible),
        has: Some(has),
        get: Some(get),
        set: Some(set),
        // SAFETY: the struct is a table of optional functions; all zeros means that none is set.
        ..unsafe { std::mem::zeroed() }
    };
    // SAFETY: the handler copies the traps.
    *HANDLER.get_or_init(|| unsafe { glue::CreateProxyHandler(&raw const traps, ptr::null()) } as usize) as *const _
}

impl<'s> Scope<'s> {
    /// Makes `sandbox` the object that the global object of a realm stands for, and returns the realm's new
    /// `globalThis`. `global` was made by [`Scope::new_realm`] and its configurable properties were moved to `inner`.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    ///
    /// # Panics
    ///
    /// If `global` was not made by [`Scope::new_realm`], or has a sandbox.
    pub fn attach_sandbox(
        self,
        global: Local<'_, Object>,
        sandbox: Local<'_, Object>,
        inner: Local<'_, Object>,
    ) -> Fallible<Local<'s, Object>> {
        // SAFETY: the objects are alive. The engine does not check the class.
        let is_bare = unsafe {
            let global = global.raw().to_object();
            ptr::eq(mozjs::rust::get_object_class(global), &raw const GLOBAL) && outer_of(global).is_null()
        };
        assert!(is_bare, "not a global object for a sandbox, or it has one");
        self.in_realm_of(global, |scope| {
            let cx = scope.cx();
            rooted!(in(cx) let global = global.raw().to_object());
            // SAFETY: all handles are rooted, and hold objects of one compartment.
            unsafe {
                rooted!(in(cx) let outer = glue::NewProxyObject(
                    cx, handler(), raw::handle(sandbox.slot()), ptr::null_mut(), &raw const OUTER, true,
                ));
                if outer.get().is_null() {
                    return Err(Thrown::pending(scope));
                }
                glue::SetProxyReservedSlot(outer.get(), INNER_SLOT, &inner.raw());
                // Set now, because the engine refuses this prototype once the proxy stands for the global object.
                let ok = jsapi::JS_SetPrototype(cx, global.handle().into(), outer.handle().into());
                Thrown::check(scope, ok)?;
                // The outer global object becomes `this` of sloppy functions and of scripts.
                jsapi::SetWindowProxy(cx, global.handle().into(), outer.handle().into());
                jsapi::JS_SetReservedSlot(global.get(), OUTER_SLOT, &raw::object(outer.get()));
                Ok(scope.root(raw::object(outer.get())))
            }
        })
    }
}

/// The outer global object of a realm with a sandbox; null for other realms.
///
/// # Safety
///
/// `global` is a global object that is alive.
pub(crate) unsafe fn outer_of(global: *mut RawObject) -> *mut RawObject {
    // SAFETY: guaranteed by the caller; global objects of the class have the slot.
    unsafe {
        if !ptr::eq(mozjs::rust::get_object_class(global), &raw const GLOBAL) {
            return ptr::null_mut();
        }
        let mut slot = raw::undefined();
        glue::JS_GetReservedSlot(global, OUTER_SLOT, &raw mut slot);
        if slot.is_object() { slot.to_object() } else { ptr::null_mut() }
    }
}

/// # Safety
///
/// `outer` is an outer global object.
unsafe fn sandbox_of(outer: ObjectHandle) -> *mut RawObject {
    let mut value = raw::undefined();
    // SAFETY: guaranteed by the caller.
    unsafe { glue::GetProxyPrivate(outer.get(), &raw mut value) };
    value.to_object()
}

/// # Safety
///
/// The requirements of [`sandbox_of`].
unsafe fn inner_of(outer: ObjectHandle) -> *mut RawObject {
    let mut value = raw::undefined();
    // SAFETY: guaranteed by the caller.
    unsafe { glue::GetProxyReservedSlot(outer.get(), INNER_SLOT, &raw mut value) };
    value.to_object()
}

fn succeed(result: OpResult) -> bool {
    // SAFETY: `result` is the engine's out parameter, which is written before it is read.
    unsafe { (*result).code_ = jsapi::ObjectOpResult_SpecialCodes::OkCode as usize };
    true
}

/// Reports to the engine that the operation is refused, which is an error in strict code.
fn refuse(result: OpResult, error: jsapi::JSErrNum) -> bool {
    // SAFETY: `result` is the engine's out parameter, which is written before it is read.
    unsafe { (*result).code_ = error as usize };
    true
}

/// Whether an operation on the sandbox or the inner global object failed without an exception.
fn is_refused(result: &jsapi::ObjectOpResult) -> bool {
    result.code_ != jsapi::ObjectOpResult_SpecialCodes::OkCode as usize
}

// The state that the constructor of `JS::ObjectOpResult` sets. Its code does not fit into 32 bits; Phasor supports
// 64-bit systems only.
#[allow(clippy::enum_clike_unportable_variant, clippy::cast_enum_truncation)]
fn new_result() -> jsapi::ObjectOpResult {
    jsapi::ObjectOpResult { code_: jsapi::ObjectOpResult_SpecialCodes::Uninitialized as usize }
}

/// A property that was found.
#[derive(Clone, Copy)]
struct Found {
    is_accessor: bool,
    is_writable: bool,
    is_configurable: bool,
    is_own: bool,
}

impl Found {
    fn is_read_only(found: Option<Found>) -> bool {
        found.is_some_and(|found| !found.is_accessor && !found.is_writable)
    }
}

/// Looks a property up on an object and its prototypes. `Err` means that an exception is pending.
unsafe fn find(cx: *mut RawContext, object: ObjectHandle, id: IdHandle) -> Result<Option<Found>, ()> {
    rooted!(in(cx) let mut descriptor = jsapi::PropertyDescriptor::default());
    rooted!(in(cx) let mut holder = ptr::null_mut::<RawObject>());
    let mut is_none = true;
    // SAFETY: all handles are rooted.
    let ok = unsafe {
        let (out, holder) = (descriptor.handle_mut().into(), holder.handle_mut().into());
        jsapi::glue::JS_GetPropertyDescriptorById(cx, object, id, out, holder, &raw mut is_none)
    };
    if !ok {
        return Err(());
    }
    let is_own = ptr::eq(holder.get(), object.get());
    Ok((!is_none).then(|| Found {
        is_accessor: descriptor.hasGetter_() || descriptor.hasSetter_(),
        is_writable: descriptor.writable_(),
        is_configurable: descriptor.configurable_(),
        is_own,
    }))
}

/// Whether an object was made by `new Proxy`. A sandbox that is a proxy may have any property.
unsafe fn is_scripted_proxy(object: *mut RawObject) -> bool {
    // SAFETY: the object is alive.
    let class = unsafe { std::ffi::CStr::from_ptr((*mozjs::rust::get_object_class(object)).name) };
    class == c"Proxy"
}

/// Whether a sandbox is a proxy with a `get` trap. V8 calls the trap for each name, and takes its result as the value
/// of a variable.
unsafe fn has_get_trap(cx: *mut RawContext, sandbox: *mut RawObject) -> Result<bool, ()> {
    // SAFETY: the object is alive. The handler of a scripted proxy is its first slot, null once the proxy is revoked.
    unsafe {
        if !is_scripted_proxy(sandbox) {
            return Ok(false);
        }
        let mut slot = raw::undefined();
        glue::GetProxyReservedSlot(sandbox, 0, &raw mut slot);
        if !slot.is_object() {
            return Ok(false);
        }
        rooted!(in(cx) let handler = slot.to_object());
        rooted!(in(cx) let mut trap = raw::undefined());
        let ok = jsapi::JS_GetProperty(cx, handler.handle().into(), c"get".as_ptr(), trap.handle_mut().into());
        if ok { Ok(trap.get().is_object()) } else { Err(()) }
    }
}

unsafe extern "C" fn has(cx: *mut RawContext, outer: ObjectHandle, id: IdHandle, found: *mut bool) -> bool {
    // SAFETY: see the module documentation.
    unsafe {
        rooted!(in(cx) let sandbox = sandbox_of(outer));
        rooted!(in(cx) let inner = inner_of(outer));
        let Ok(has_all) = has_get_trap(cx, sandbox.get()) else { return false };
        if has_all {
            *found = true;
            return true;
        }
        jsapi::JS_HasPropertyById(cx, sandbox.handle().into(), id, found)
            && (*found || jsapi::JS_HasPropertyById(cx, inner.handle().into(), id, found))
    }
}

unsafe extern "C" fn get(
    cx: *mut RawContext,
    outer: ObjectHandle,
    _receiver: ValueHandle,
    id: IdHandle,
    value: jsapi::MutableHandle<RawValue>,
) -> bool {
    // SAFETY: see the module documentation.
    unsafe {
        rooted!(in(cx) let sandbox = sandbox_of(outer));
        let Ok(mut is_there) = has_get_trap(cx, sandbox.get()) else { return false };
        if !is_there && !jsapi::JS_HasPropertyById(cx, sandbox.handle().into(), id, &raw mut is_there) {
            return false;
        }
        if is_there {
            if !jsapi::JS_GetPropertyById(cx, sandbox.handle().into(), id, value) {
                return false;
            }
            // If the value is the sandbox itself, return the global object instead.
            if value.get().is_object() && ptr::eq(value.get().to_object(), sandbox.get()) {
                *value.ptr = raw::object(outer.get());
            }
            return true;
        }
        rooted!(in(cx) let inner = inner_of(outer));
        jsapi::JS_GetPropertyById(cx, inner.handle().into(), id, value)
    }
}

unsafe extern "C" fn set(
    cx: *mut RawContext,
    outer: ObjectHandle,
    id: IdHandle,
    value: ValueHandle,
    receiver: ValueHandle,
    result: OpResult,
) -> bool {
    // SAFETY: see the module documentation.
    unsafe {
        let is_global = |object: *mut RawObject| {
            ptr::eq(object, outer.get()) || ptr::eq(object, jsapi::GetNonCCWObjectGlobal(outer.get()))
        };
        if receiver.get().is_object() && !is_global(receiver.get().to_object()) {
            // `receiver` is another object, whose prototype chain contains the global object.
            rooted!(in(cx) let receiver = receiver.get().to_object());
            let attributes = u32::from(jsapi::JSPROP_ENUMERATE);
            return jsapi::JS_DefinePropertyById2(cx, receiver.handle().into(), id, value, attributes)
                && succeed(result);
        }
        set_global(cx, outer, id, value, result)
    }
}

/// Sets a property of the global object.
unsafe fn set_global(
    cx: *mut RawContext,
    outer: ObjectHandle,
    id: IdHandle,
    value: ValueHandle,
    result: OpResult,
) -> bool {
    // SAFETY: see the module documentation.
    unsafe {
        rooted!(in(cx) let sandbox = sandbox_of(outer));
        rooted!(in(cx) let inner = inner_of(outer));
        let is_proxy = is_scripted_proxy(sandbox.get());
        let Ok(defined) = find(cx, inner.handle().into(), id) else { return false };
        let own = if is_proxy { Ok(None) } else { find(cx, sandbox.handle().into(), id) };
        let Ok(own) = own else { return false };
        if Found::is_read_only(defined) {
            // Not `JSMSG_READ_ONLY`: V8 has another text for this error. The engine uses `JSMSG_CANT_SET_INTERPOSED`
            // nowhere else.
            return refuse(result, jsapi::JSErrNum::JSMSG_CANT_SET_INTERPOSED);
        }
        if Found::is_read_only(own) {
            return refuse(result, jsapi::JSErrNum::JSMSG_CANT_REDEFINE_PROP);
        }
        let is_declared = defined.is_some() || own.is_some() || is_proxy;
        if is_declared || !id.get().is_symbol() {
            if !jsapi::JS_SetPropertyById(cx, sandbox.handle().into(), id, value) {
                return false;
            }
            if own.is_some_and(|own| own.is_own && own.is_accessor) {
                return succeed(result);
            }
        }
        jsapi::JS_SetPropertyById(cx, inner.handle().into(), id, value) && succeed(result)
    }
}

unsafe extern "C" fn get_own(
    cx: *mut RawContext,
    outer: ObjectHandle,
    id: IdHandle,
    descriptor: jsapi::MutableHandle<jsapi::PropertyDescriptor>,
    is_none: *mut bool,
) -> bool {
    // SAFETY: see the module documentation.
    unsafe {
        rooted!(in(cx) let sandbox = sandbox_of(outer));
        rooted!(in(cx) let inner = inner_of(outer));
        let read = jsapi::glue::JS_GetOwnPropertyDescriptorById;
        read(cx, sandbox.handle().into(), id, descriptor, is_none)
            && (!*is_none || read(cx, inner.handle().into(), id, descriptor, is_none))
    }
}

/// Whether a descriptor is that of a `var` or `function` declaration of a script.
fn is_declaration(descriptor: &jsapi::PropertyDescriptor) -> bool {
    descriptor.hasValue_()
        && descriptor.writable_()
        && descriptor.enumerable_()
        && descriptor.hasConfigurable_()
        && !descriptor.configurable_()
}

unsafe extern "C" fn define(
    cx: *mut RawContext,
    outer: ObjectHandle,
    id: IdHandle,
    descriptor: jsapi::Handle<jsapi::PropertyDescriptor>,
    result: OpResult,
) -> bool {
    // SAFETY: see the module documentation.
    unsafe {
        rooted!(in(cx) let sandbox = sandbox_of(outer));
        rooted!(in(cx) let inner = inner_of(outer));
        let (sandbox, inner) = (sandbox.handle().into(), inner.handle().into());
        if is_declaration(&descriptor) {
            rooted!(in(cx) let value = descriptor.value_);
            let is_set =
                value.get().is_undefined() || jsapi::JS_SetPropertyById(cx, sandbox, id, value.handle().into());
            return is_set && jsapi::JS_DefinePropertyById(cx, inner, id, descriptor, result);
        }
        let Ok(defined) = find(cx, inner, id) else { return false };
        let is_fixed =
            |found: Found| found.is_own && !found.is_accessor && !found.is_writable && !found.is_configurable;
        if !defined.is_some_and(is_fixed) {
            let mut done = new_result();
            if !jsapi::JS_DefinePropertyById(cx, sandbox, id, descriptor, &raw mut done) {
                return false;
            }
            let mut is_own = false;
            if is_refused(&done) && !jsapi::JS_HasOwnPropertyById(cx, sandbox, id, &raw mut is_own) {
                return false;
            }
            if is_own {
                return refuse(result, jsapi::JSErrNum::JSMSG_CANT_REDEFINE_PROP);
            }
        }
        jsapi::JS_DefinePropertyById(cx, inner, id, descriptor, result)
    }
}

unsafe extern "C" fn delete(cx: *mut RawContext, outer: ObjectHandle, id: IdHandle, result: OpResult) -> bool {
    // SAFETY: see the module documentation.
    unsafe {
        rooted!(in(cx) let sandbox = sandbox_of(outer));
        rooted!(in(cx) let inner = inner_of(outer));
        if !jsapi::JS_DeletePropertyById(cx, sandbox.handle().into(), id, result) {
            return false;
        }
        is_refused(&*result) || jsapi::JS_DeletePropertyById(cx, inner.handle().into(), id, result)
    }
}

unsafe extern "C" fn own_keys(cx: *mut RawContext, outer: ObjectHandle, keys: jsapi::MutableHandleIdVector) -> bool {
    const FLAGS: u32 = jsapi::JSITER_OWNONLY | jsapi::JSITER_HIDDEN | jsapi::JSITER_SYMBOLS;
    // SAFETY: see the module documentation. The list is rooted until it is dropped; each key is rooted as soon as it is
    // read.
    unsafe {
        rooted!(in(cx) let sandbox = sandbox_of(outer));
        rooted!(in(cx) let inner = inner_of(outer));
        for (object, other) in [(&inner, None), (&sandbox, Some(&inner))] {
            let ids = IdList(glue::CreateRootedIdVector(cx));
            assert!(!ids.0.is_null(), "no memory for a list of keys");
            let list = jsapi::MutableHandleIdVector { ptr: glue::GetIdVectorAddress(ids.0).cast() };
            if !jsapi::GetPropertyKeys(cx, object.handle().into(), FLAGS, list) {
                return false;
            }
            let mut length = 0;
            glue::SliceRootedIdVector(ids.0, &raw mut length);
            for index in 0..length {
                // The collector may move the list, so its address is read again for each key.
                let mut count = 0;
                rooted!(in(cx) let id = *glue::SliceRootedIdVector(ids.0, &raw mut count).add(index));
                let mut is_listed = false;
                if let Some(other) = other
                    && !jsapi::JS_HasOwnPropertyById(cx, other.handle().into(), id.handle().into(), &raw mut is_listed)
                {
                    return false;
                }
                if !is_listed && !glue::AppendToIdVector(keys, id.handle().into()) {
                    return false;
                }
            }
        }
        true
    }
}

unsafe extern "C" fn prototype_if_ordinary(
    _cx: *mut RawContext,
    _outer: ObjectHandle,
    is_ordinary: *mut bool,
    _prototype: jsapi::MutableHandle<*mut RawObject>,
) -> bool {
    // SAFETY: `is_ordinary` is the engine's out parameter.
    unsafe { *is_ordinary = false };
    true
}

unsafe extern "C" fn get_prototype(
    cx: *mut RawContext,
    outer: ObjectHandle,
    prototype: jsapi::MutableHandle<*mut RawObject>,
) -> bool {
    // SAFETY: see the module documentation.
    unsafe {
        rooted!(in(cx) let inner = inner_of(outer));
        jsapi::JS_GetPrototype(cx, inner.handle().into(), prototype)
    }
}

unsafe extern "C" fn set_prototype(
    cx: *mut RawContext,
    outer: ObjectHandle,
    prototype: ObjectHandle,
    result: OpResult,
) -> bool {
    // SAFETY: see the module documentation.
    unsafe {
        rooted!(in(cx) let inner = inner_of(outer));
        jsapi::JS_SetPrototype(cx, inner.handle().into(), prototype) && succeed(result)
    }
}

unsafe extern "C" fn prevent_extensions(_cx: *mut RawContext, _outer: ObjectHandle, result: OpResult) -> bool {
    refuse(result, jsapi::JSErrNum::JSMSG_CANT_CHANGE_EXTENSIBILITY)
}

unsafe extern "C" fn is_extensible(_cx: *mut RawContext, _outer: ObjectHandle, extensible: *mut bool) -> bool {
    // SAFETY: `extensible` is the engine's out parameter.
    unsafe { *extensible = true };
    true
}

/// Called when a property was added to the engine's global object: by an assignment to a name that is not declared, or by a declaration
/// in an indirect `eval`. Moves the property to the outer global object.
unsafe extern "C" fn on_add(cx: *mut RawContext, global: ObjectHandle, id: IdHandle, value: ValueHandle) -> bool {
    // SAFETY: see the module documentation.
    unsafe {
        rooted!(in(cx) let outer = outer_of(global.get()));
        if outer.get().is_null() {
            return true;
        }
        let mut done = new_result();
        set_global(cx, outer.handle().into(), id, value, &raw mut done) && jsapi::JS_DeletePropertyById1(cx, global, id)
    }
}
