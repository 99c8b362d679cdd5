//! Raw values of the engine: the few calls that the queues are made of.
//!
//! # Safety
//! A [`Raw`] is a counted reference without a destructor. Each one that a queue holds was made by [`dup`] or given by the
//! engine, and is given up exactly once, by [`free`] or to the engine. The runtime outlives every queue: the host empties
//! them before it frees the runtime. Freeing or making a value may run finalizers, which borrow the queues: neither is
//! done under a borrow.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::os::raw::c_int;

use phasor_sys::memory::{PAGE_BYTES, REGION_BYTES, prefer_huge_pages};
use rquickjs::object::Property;
use rquickjs::{Ctx, Function, Object, Result, Value, qjs};

use crate::state::State;

/// A value of the engine, by itself.
pub(crate) type Raw = qjs::JSValue;
/// The engine's context, by itself.
pub(crate) type RawCtx = *mut qjs::JSContext;
/// A function as the engine calls it.
pub(crate) type RawFunction = unsafe extern "C" fn(RawCtx, Raw, c_int, *mut Raw) -> Raw;

/// Arguments for a callback, each a counted reference. Most callbacks have none, so they take one word.
pub(crate) type Args = Option<Box<Box<[Raw]>>>;

/// An object of the engine in one word, or none; with or without a reference, as its owner says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ObjPtr(*mut std::ffi::c_void);

impl Default for ObjPtr {
    fn default() -> ObjPtr {
        ObjPtr::NONE
    }
}

impl ObjPtr {
    /// No object.
    pub(crate) const NONE: ObjPtr = ObjPtr(std::ptr::null_mut());

    /// The object of a value that is one.
    #[inline]
    pub(crate) fn of(value: Raw) -> ObjPtr {
        // SAFETY: objects, and functions among them, carry a pointer, which is not followed.
        ObjPtr(unsafe { qjs::JS_VALUE_GET_PTR(value) })
    }

    /// The object as a value; undefined if there is none.
    #[inline]
    pub(crate) fn raw(self) -> Raw {
        if self.0.is_null() { qjs::JS_UNDEFINED } else { qjs::JS_MKPTR(qjs::JS_TAG_OBJECT, self.0) }
    }

    /// Has the object on its way into the processor's cache, and what the allocator writes when it is freed.
    #[inline]
    pub(crate) fn fetch(self) {
        let object = self.0.cast::<u8>();
        // The reference count stands before the object.
        fetch(object.wrapping_sub(8));
        fetch(object.wrapping_add(56));
        fetch(page_of(object));
    }

    /// As [`fetch`](ObjPtr::fetch), for the memory of the object's properties. The object itself should be there by now.
    #[inline]
    pub(crate) fn fetch_properties(self) {
        /// Where an object of the engine has the pointer, in words. If it were another one, this would fetch in vain.
        const PROPERTIES_AT: usize = 4;
        if self.0.is_null() {
            return;
        }
        // SAFETY: whoever has this holds the object, which is larger; the word is not followed.
        let properties = unsafe { self.0.cast::<*const u8>().add(PROPERTIES_AT).read() };
        fetch(properties.wrapping_sub(8));
        fetch(page_of(properties));
    }
}

/// What a queue has called: a function and its arguments, each a counted reference.
pub(crate) struct Work {
    pub(crate) callback: ObjPtr,
    pub(crate) args: Args,
}

impl Work {
    /// What is left in the places of both.
    #[inline]
    pub(crate) fn take(callback: &mut ObjPtr, args: &mut Args) -> Work {
        Work { callback: std::mem::take(callback), args: args.take() }
    }

    /// The references.
    #[inline]
    pub(crate) fn values(self) -> impl Iterator<Item = Raw> {
        std::iter::once(self.callback.raw()).chain(self.args.into_iter().flat_map(|args| *args))
    }

    /// Gives them up.
    #[inline]
    pub(crate) fn free(self, ctx: RawCtx) {
        self.values().for_each(|value| free(ctx, value));
    }

    /// As [`free`](Work::free), for finalizers.
    #[inline]
    pub(crate) fn free_late(self, runtime: *mut qjs::JSRuntime) {
        self.values().for_each(|value| free_late(runtime, value));
    }

    /// Tells the engine of those that an object holds.
    ///
    /// # Safety
    /// Called by the engine to mark that object; the values are alive.
    pub(crate) unsafe fn mark(callback: ObjPtr, args: &Args, runtime: *mut qjs::JSRuntime, mark: qjs::JS_MarkFunc) {
        // SAFETY: as the caller says; marking calls nothing of ours.
        unsafe {
            qjs::JS_MarkValue(runtime, callback.raw(), mark);
            for arg in args.iter().flat_map(|args| args.iter()) {
                qjs::JS_MarkValue(runtime, *arg, mark);
            }
        }
    }
}

/// Where the page of an address begins: small blocks are counted there.
#[inline]
fn page_of(address: *const u8) -> *const u8 {
    address.map_addr(|address| address & !(PAGE_BYTES - 1))
}

/// Has a line of memory on its way into the processor's cache.
#[inline]
pub(crate) fn fetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which any address may be given to.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Adds to a list that may grow to millions: then it wants huge pages.
#[inline]
pub(crate) fn push<T>(list: &mut Vec<T>, value: T) {
    if list.len() == list.capacity() {
        grow(list);
    }
    list.push(value);
}

#[cold]
fn grow<T>(list: &mut Vec<T>) {
    let count = (2 * list.len()).max(64);
    let bytes = count * size_of::<T>();
    let is_large = bytes >= 2 * REGION_BYTES;
    if is_large && align_of::<T>() > MOVABLE_ALIGN {
        // Copying makes the pages: huge ones have to be wished for before.
        let mut larger = Vec::<T>::with_capacity(count);
        prefer_huge_pages(larger.as_ptr().cast(), bytes);
        larger.append(list);
        *list = larger;
        return;
    }
    list.reserve_exact(count - list.len());
    if is_large {
        prefer_huge_pages(list.as_ptr().cast(), bytes);
    }
}

/// What is aligned no stricter can be moved by the kernel, page by page, when the allocator needs more room.
const MOVABLE_ALIGN: usize = 16;

/// A reference that is given up when this is dropped: under no borrow, as freeing may run finalizers.
pub(crate) struct Held {
    ctx: RawCtx,
    value: Raw,
}

impl Held {
    /// Takes the reference.
    pub(crate) fn new(ctx: RawCtx, value: Raw) -> Held {
        Held { ctx, value }
    }

    /// Another reference to a value.
    pub(crate) fn of(state: &State, value: &Value<'_>) -> Held {
        Held::new(state.ctx, dup(state.ctx, value.as_raw()))
    }

    /// The value, which stays this one's.
    pub(crate) fn raw(&self) -> Raw {
        self.value
    }
}

impl Clone for Held {
    fn clone(&self) -> Held {
        Held::new(self.ctx, dup(self.ctx, self.value))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        free(self.ctx, self.value);
    }
}

/// The number that a value is.
pub(crate) fn as_number(value: Raw) -> Option<f64> {
    // SAFETY: looks at the tag first.
    unsafe {
        match qjs::JS_VALUE_GET_TAG(value) {
            qjs::JS_TAG_INT => Some(f64::from(qjs::JS_VALUE_GET_INT(value))),
            _ if qjs::JS_IsNumber(value) => Some(qjs::JS_VALUE_GET_FLOAT64(value)),
            _ => None,
        }
    }
}

/// Another reference to a value.
#[inline]
pub(crate) fn dup(ctx: RawCtx, value: Raw) -> Raw {
    // SAFETY: the value is alive, as whoever passes it holds a reference.
    unsafe { qjs::JS_DupValue(ctx, value) }
}

/// Gives a reference up.
#[inline]
pub(crate) fn free(ctx: RawCtx, value: Raw) {
    // SAFETY: the caller owns the reference and forgets it now. Values like undefined, which most calls return, have none.
    unsafe {
        if qjs::JS_VALUE_HAS_REF_COUNT(value) {
            qjs::JS_FreeValue(ctx, value);
        }
    }
}

/// As [`free`], for finalizers: the last ones run when the context is gone already.
pub(crate) fn free_late(runtime: *mut qjs::JSRuntime, value: Raw) {
    // SAFETY: the caller owns the reference and forgets it now.
    unsafe { qjs::JS_FreeValueRT(runtime, value) }
}

/// Whether a value can be called.
#[inline]
pub(crate) fn is_function(ctx: RawCtx, value: Raw) -> bool {
    // SAFETY: only looks at the value.
    unsafe { qjs::JS_IsFunction(ctx, value) }
}

/// Whether a call threw.
#[inline]
pub(crate) fn is_exception(value: Raw) -> bool {
    // SAFETY: only looks at the tag.
    unsafe { qjs::JS_IsException(value) }
}

/// Where an object is: no other has the same address while it lives.
#[inline]
pub(crate) fn object_address(value: Raw) -> usize {
    // SAFETY: objects carry a pointer, which is not followed.
    unsafe { qjs::JS_VALUE_GET_PTR(value) as usize }
}

/// Whether two values are the same object, or neither is one.
#[inline]
pub(crate) fn is_same_object(one: Raw, other: Raw) -> bool {
    // SAFETY: looks at the tags, and then at pointers, which are not followed.
    match unsafe { (qjs::JS_IsObject(one), qjs::JS_IsObject(other)) } {
        (true, true) => object_address(one) == object_address(other),
        (one, other) => one == other,
    }
}

/// Calls a function. The arguments stay the caller's; the result is a new reference or the exception mark.
#[inline]
pub(crate) fn call(ctx: RawCtx, function: Raw, this: Raw, args: &mut [Raw]) -> Raw {
    // SAFETY: all values are alive for the call, as the caller holds them.
    unsafe { qjs::JS_Call(ctx, function, this, args.len() as c_int, args.as_mut_ptr()) }
}

/// The arguments that a raw function was given. Behind them the engine puts undefined for those that are missing to the
/// function's length: so many may be read in any case.
///
/// # Safety
/// `argv` and `argc` are what the engine gave to the function.
#[inline]
pub(crate) unsafe fn arguments<'a>(argc: c_int, argv: *mut Raw) -> &'a [Raw] {
    if argc <= 0 {
        return &[];
    }
    // SAFETY: the engine passes as many values as it says, and they live as long as the call.
    unsafe { std::slice::from_raw_parts(argv, argc as usize) }
}

/// Puts a raw function on an object.
pub(crate) fn define<'js>(
    ctx: &Ctx<'js>,
    object: &Object<'js>,
    name: &CStr,
    length: c_int,
    function: RawFunction,
) -> Result<()> {
    object.set(name.to_string_lossy().as_ref(), made(ctx, name, length, function)?)
}

/// As [`define`], for a property that is not listed, as those of the language are.
pub(crate) fn define_hidden<'js>(
    ctx: &Ctx<'js>,
    object: &Object<'js>,
    name: &CStr,
    length: c_int,
    function: RawFunction,
) -> Result<()> {
    let function = Property::from(made(ctx, name, length, function)?).writable().configurable();
    object.prop(name.to_string_lossy().as_ref(), function)
}

fn made<'js>(ctx: &Ctx<'js>, name: &CStr, length: c_int, function: RawFunction) -> Result<Function<'js>> {
    let raw_ctx = ctx.as_raw().as_ptr();
    // SAFETY: the function has the engine's signature, and the new reference goes to `Value`.
    let value = unsafe {
        let raw = qjs::JS_NewCFunction2(
            raw_ctx,
            Some(function),
            name.as_ptr(),
            length,
            qjs::JSCFunctionEnum_JS_CFUNC_generic,
            0,
        );
        Value::from_raw(ctx.clone(), raw)
    };
    Function::from_value(value)
}
