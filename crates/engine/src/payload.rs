//! Objects of JavaScript that own a value of Rust.
//!
//! # Safety
//!
//! The class `HOLDER` has one reserved slot, which points to the header of a `Payload<T>` for any `T`. The payload is
//! set when the object is made, never replaced, and dropped by the object's finalizer. So a reference to it is valid as
//! long as the object is rooted.

use std::any::TypeId;
use std::ffi::c_void;

use mozjs::jsapi;
use mozjs::jsval::PrivateValue;

use crate::exception::{Fallible, Thrown};
use crate::local::Local;
use crate::object::Object;
use crate::raw::{self, RawObject, RawValue};
use crate::runtime::contain_panic;
use crate::scope::Scope;

/// The reserved slot with the pointer to the payload.
const PAYLOAD_SLOT: u32 = 0;

static OPS: jsapi::JSClassOps = jsapi::JSClassOps {
    addProperty: None,
    delProperty: None,
    enumerate: None,
    newEnumerate: None,
    resolve: None,
    mayResolve: None,
    finalize: Some(finalize),
    call: None,
    construct: None,
    trace: None,
};

/// The class of all objects with a payload. There is one class for all types `T`, because the address of a class per
/// type would differ between parts of a program.
static HOLDER: jsapi::JSClass = jsapi::JSClass {
    name: c"Object".as_ptr(),
    flags: (1 << jsapi::JSCLASS_RESERVED_SLOTS_SHIFT) | jsapi::JSCLASS_FOREGROUND_FINALIZE,
    cOps: &raw const OPS,
    spec: std::ptr::null(),
    ext: std::ptr::null(),
    oOps: std::ptr::null(),
};

/// The header of every payload.
#[repr(C)]
struct Header {
    kind: TypeId,
    drop: unsafe fn(*mut Header),
}

#[repr(C)]
struct Payload<T> {
    header: Header,
    value: T,
}

/// Makes an object that owns `value`.
pub(crate) fn new_holder<'s, T: 'static>(scope: Scope<'s>, value: T) -> Fallible<Local<'s, Object>> {
    // SAFETY: the class lives as long as the process; the slot is set before anything can collect the object.
    unsafe {
        let object = jsapi::JS_NewObject(scope.cx(), &raw const HOLDER);
        if object.is_null() {
            return Err(Thrown::pending(scope));
        }
        let header = Header { kind: TypeId::of::<T>(), drop: drop_payload::<T> };
        let payload = Box::into_raw(Box::new(Payload { header, value }));
        jsapi::JS_SetReservedSlot(object, PAYLOAD_SLOT, &PrivateValue(payload.cast::<c_void>()));
        Ok(scope.root(raw::object(object)))
    }
}

/// The header of an object's payload; null if the object has none.
///
/// # Safety
///
/// `object` is an object that is alive.
unsafe fn header_of(object: *mut RawObject) -> *mut Header {
    // SAFETY: guaranteed by the caller; an object of the class has the slot.
    unsafe {
        if !std::ptr::eq(mozjs::rust::get_object_class(object), &raw const HOLDER) {
            return std::ptr::null_mut();
        }
        let mut slot = raw::undefined();
        mozjs::glue::JS_GetReservedSlot(object, PAYLOAD_SLOT, &raw mut slot);
        if slot.is_undefined() { std::ptr::null_mut() } else { slot.to_private().cast_mut().cast::<Header>() }
    }
}

/// Calls `body` with the payload of a holder.
///
/// # Safety
///
/// `holder` was just read, and its payload is of type `T`.
pub(crate) unsafe fn with_holder<'s, T: 'static, R>(
    scope: Scope<'s>,
    holder: RawValue,
    body: impl FnOnce(&T, Scope<'s>) -> R,
) -> R {
    // SAFETY: guaranteed by the caller. The local keeps the object alive for all of `'s`, and so the payload.
    unsafe {
        let _rooted: Local<'s, Object> = scope.root(holder);
        let payload = header_of(holder.to_object()).cast::<Payload<T>>();
        debug_assert_eq!((*payload).header.kind, TypeId::of::<T>());
        body(&(*payload).value, scope)
    }
}

impl Object {
    /// Makes an object that owns `value`, with a given prototype. None: the prototype is `Object.prototype`.
    ///
    /// The value is dropped when the object is collected, on the thread of its runtime.
    ///
    /// # Errors
    ///
    /// When there is no memory for it, or the prototype is refused.
    pub fn with_payload<'s, T: 'static>(
        scope: Scope<'s>,
        prototype: Option<Local<'_, Object>>,
        value: T,
    ) -> Fallible<Local<'s, Object>> {
        let object = new_holder(scope, value)?;
        if prototype.is_some() {
            object.set_prototype(scope, prototype)?;
        }
        Ok(object)
    }
}

impl<'s> Local<'s, Object> {
    /// The payload of the object, if it owns one of type `T`.
    pub fn payload<T: 'static>(self) -> Option<&'s T> {
        // SAFETY: the slot of the local keeps the object alive for `'s`, and the payload is dropped only with the
        // object.
        unsafe {
            let header = header_of(self.raw().to_object());
            if header.is_null() || (*header).kind != TypeId::of::<T>() {
                return None;
            }
            Some(&(*header.cast::<Payload<T>>()).value)
        }
    }
}

/// # Safety
///
/// `header` belongs to a `Payload<T>` that `new_holder` leaked, and is not used afterwards.
unsafe fn drop_payload<T>(header: *mut Header) {
    // SAFETY: guaranteed by the caller.
    drop(unsafe { Box::from_raw(header.cast::<Payload<T>>()) });
}

unsafe extern "C" fn finalize(_: *mut jsapi::GCContext, object: *mut RawObject) {
    // SAFETY: the engine calls this once, before it frees the object.
    unsafe {
        let header = header_of(object);
        if !header.is_null() {
            contain_panic(|| ((*header).drop)(header));
        }
    }
}
