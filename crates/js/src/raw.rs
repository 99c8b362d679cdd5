//! Raw engine values: the few engine calls that the queues need.
//!
//! # Safety
//! A [`Raw`] is a counted reference without a destructor. Each one in a queue was created by [`dup`] or returned by the
//! engine, and is released exactly once, by [`free`] or to the engine. The runtime outlives every queue: the host
//! empties them before it frees the runtime. Freeing or creating a value may run finalizers, which borrow the queues:
//! do neither under a borrow.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::os::raw::c_int;

use phasor_sys::memory::{PAGE_BYTES, REGION_BYTES, prefer_huge_pages};
use rquickjs::object::Property;
use rquickjs::{Ctx, Function, Object, Result, Value, qjs};

use crate::state::State;

/// A value of the engine.
pub(crate) type Raw = qjs::JSValue;
/// A context of the engine.
pub(crate) type RawCtx = *mut qjs::JSContext;
/// The signature of a `JSCFunction`.
pub(crate) type RawFunction = unsafe extern "C" fn(RawCtx, Raw, c_int, *mut Raw) -> Raw;

/// Arguments for a callback, each a counted reference. Most callbacks have none, so they take one word.
pub(crate) type Args = Option<Box<Box<[Raw]>>>;

/// An object of the engine in one word, or none. Its owner decides whether it holds a reference.
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

    /// The object of a value that is an object.
    #[inline]
    pub(crate) fn of(value: Raw) -> ObjPtr {
        // SAFETY: objects, including functions, carry a pointer, which is not dereferenced.
        ObjPtr(unsafe { qjs::JS_VALUE_GET_PTR(value) })
    }

    /// The object as a value; undefined if there is none.
    #[inline]
    pub(crate) fn raw(self) -> Raw {
        if self.0.is_null() { qjs::JS_UNDEFINED } else { qjs::JS_MKPTR(qjs::JS_TAG_OBJECT, self.0) }
    }

    /// Prefetches the object, and the memory that the allocator writes when it is freed.
    #[inline]
    pub(crate) fn fetch(self) {
        let object = self.0.cast::<u8>();
        // The refcount precedes the object.
        fetch(object.wrapping_sub(8));
        fetch(object.wrapping_add(56));
        fetch(page_of(object));
    }

    /// As [`fetch`](ObjPtr::fetch), for the object's properties. The object itself should be in the cache by now.
    #[inline]
    pub(crate) fn fetch_properties(self) {
        /// The position of the properties pointer in an object of the engine, in words. With a wrong value this would
        /// prefetch useless memory, nothing worse.
        const PROPERTIES_AT: usize = 4;
        if self.0.is_null() {
            return;
        }
        // SAFETY: the owner holds the object, which is larger than that; the pointer is not dereferenced.
        let properties = unsafe { self.0.cast::<*const u8>().add(PROPERTIES_AT).read() };
        fetch(properties.wrapping_sub(8));
        fetch(page_of(properties));
    }
}

/// A callback and its arguments, each a counted reference.
pub(crate) struct Work {
    pub(crate) callback: ObjPtr,
    pub(crate) args: Args,
}

impl Work {
    /// Takes the callback and the arguments out of their fields.
    #[inline]
    pub(crate) fn take(callback: &mut ObjPtr, args: &mut Args) -> Work {
        Work { callback: std::mem::take(callback), args: args.take() }
    }

    /// The references.
    #[inline]
    pub(crate) fn values(self) -> impl Iterator<Item = Raw> {
        std::iter::once(self.callback.raw()).chain(self.args.into_iter().flat_map(|args| *args))
    }

    /// Releases the references.
    #[inline]
    pub(crate) fn free(self, ctx: RawCtx) {
        self.values().for_each(|value| free(ctx, value));
    }

    /// As [`free`](Work::free), for finalizers.
    #[inline]
    pub(crate) fn free_late(self, runtime: *mut qjs::JSRuntime) {
        self.values().for_each(|value| free_late(runtime, value));
    }

    /// Marks the references that an object holds, for the garbage collector.
    ///
    /// # Safety
    /// The engine calls it to mark that object; the values are alive.
    pub(crate) unsafe fn mark(callback: ObjPtr, args: &Args, runtime: *mut qjs::JSRuntime, mark: qjs::JS_MarkFunc) {
        // SAFETY: as the caller guarantees; marking calls no code of ours.
        unsafe {
            qjs::JS_MarkValue(runtime, callback.raw(), mark);
            for arg in args.iter().flat_map(|args| args.iter()) {
                qjs::JS_MarkValue(runtime, *arg, mark);
            }
        }
    }
}

/// The page of an address. The allocator keeps its count of small blocks at the beginning of the page.
#[inline]
fn page_of(address: *const u8) -> *const u8 {
    address.map_addr(|address| address & !(PAGE_BYTES - 1))
}

/// Prefetches a cache line.
#[inline]
pub(crate) fn fetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, valid for any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Appends to a vector that may grow to millions of elements, which then needs huge pages.
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
        // Copying touches the pages, so ask for huge pages before it.
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

/// Vectors with at most this alignment are grown by `realloc`, which the kernel can do by moving pages (`mremap`).
const MOVABLE_ALIGN: usize = 16;

/// A counted reference that is released on drop. Do not drop it under a borrow: freeing may run finalizers.
pub(crate) struct Held {
    ctx: RawCtx,
    value: Raw,
}

impl Held {
    /// Takes over a reference.
    pub(crate) fn new(ctx: RawCtx, value: Raw) -> Held {
        Held { ctx, value }
    }

    /// Creates another reference to a value.
    pub(crate) fn of(state: &State, value: &Value<'_>) -> Held {
        Held::new(state.ctx, dup(state.ctx, value.as_raw()))
    }

    /// The value. This keeps the reference.
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

/// The number in a value, if it is one.
pub(crate) fn as_number(value: Raw) -> Option<f64> {
    // SAFETY: reads the tag first.
    unsafe {
        match qjs::JS_VALUE_GET_TAG(value) {
            qjs::JS_TAG_INT => Some(f64::from(qjs::JS_VALUE_GET_INT(value))),
            _ if qjs::JS_IsNumber(value) => Some(qjs::JS_VALUE_GET_FLOAT64(value)),
            _ => None,
        }
    }
}

/// Creates another reference to a value.
#[inline]
pub(crate) fn dup(ctx: RawCtx, value: Raw) -> Raw {
    // SAFETY: the value is alive, as the caller holds a reference.
    unsafe { qjs::JS_DupValue(ctx, value) }
}

/// Releases a reference.
#[inline]
pub(crate) fn free(ctx: RawCtx, value: Raw) {
    // SAFETY: the caller owns the reference and gives it up. Values like undefined, which most calls return, have no
    // refcount.
    unsafe {
        if qjs::JS_VALUE_HAS_REF_COUNT(value) {
            qjs::JS_FreeValue(ctx, value);
        }
    }
}

/// As [`free`], for finalizers: the last ones run after the context was freed.
pub(crate) fn free_late(runtime: *mut qjs::JSRuntime, value: Raw) {
    // SAFETY: the caller owns the reference and gives it up.
    unsafe { qjs::JS_FreeValueRT(runtime, value) }
}

/// Whether a value can be called.
#[inline]
pub(crate) fn is_function(ctx: RawCtx, value: Raw) -> bool {
    // SAFETY: only reads the value.
    unsafe { qjs::JS_IsFunction(ctx, value) }
}

/// Whether a call threw.
#[inline]
pub(crate) fn is_exception(value: Raw) -> bool {
    // SAFETY: only reads the tag.
    unsafe { qjs::JS_IsException(value) }
}

/// The address of an object. It is unique while the object lives.
#[inline]
pub(crate) fn object_address(value: Raw) -> usize {
    // SAFETY: objects carry a pointer, which is not dereferenced.
    unsafe { qjs::JS_VALUE_GET_PTR(value) as usize }
}

/// Whether two values are the same object, or neither is one.
#[inline]
pub(crate) fn is_same_object(one: Raw, other: Raw) -> bool {
    // SAFETY: reads the tags and compares pointers, which are not dereferenced.
    match unsafe { (qjs::JS_IsObject(one), qjs::JS_IsObject(other)) } {
        (true, true) => object_address(one) == object_address(other),
        (one, other) => one == other,
    }
}

/// Calls a function. The caller keeps the arguments; the result is a new reference or `JS_EXCEPTION`.
#[inline]
pub(crate) fn call(ctx: RawCtx, function: Raw, this: Raw, args: &mut [Raw]) -> Raw {
    // SAFETY: all values are alive for the call, as the caller holds them.
    unsafe { qjs::JS_Call(ctx, function, this, args.len() as c_int, args.as_mut_ptr()) }
}

/// The arguments of a raw function. The engine pads them with undefined up to the function's length, so that many may
/// be read through `argv` in any case.
///
/// # Safety
/// `argv` and `argc` are those passed by the engine.
#[inline]
pub(crate) unsafe fn arguments<'a>(argc: c_int, argv: *mut Raw) -> &'a [Raw] {
    if argc <= 0 {
        return &[];
    }
    // SAFETY: the engine passes `argc` values, which live as long as the call.
    unsafe { std::slice::from_raw_parts(argv, argc as usize) }
}

/// Defines a raw function on an object.
pub(crate) fn define<'js>(
    ctx: &Ctx<'js>,
    object: &Object<'js>,
    name: &CStr,
    length: c_int,
    function: RawFunction,
) -> Result<()> {
    object.set(name.to_string_lossy().as_ref(), made(ctx, name, length, function)?)
}

/// As [`define`], but not enumerable, like the builtin methods of ECMA-262.
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
