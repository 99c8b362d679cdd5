//! Aliases for the engine's types, and operations on values that all files of this crate need.
//!
//! Nothing here is public: see the ground rules in `lib.rs`.

pub(crate) use mozjs::jsapi::{
    JSContext as RawContext, JSObject as RawObject, JSString as RawString, JSTracer, Value as RawValue,
};
use mozjs::jsval;

/// A pointer to the tracer of a collection.
pub(crate) type RawTracer = *mut JSTracer;

pub(crate) fn undefined() -> RawValue {
    jsval::UndefinedValue()
}

pub(crate) fn null() -> RawValue {
    jsval::NullValue()
}

pub(crate) fn boolean(value: bool) -> RawValue {
    jsval::BooleanValue(value)
}

pub(crate) fn int32(value: i32) -> RawValue {
    jsval::Int32Value(value)
}

/// Makes a number value. An integral number is stored as an integer, because the engine's compiled code is faster with
/// integers. `-0` stays a double.
pub(crate) fn number(value: f64) -> RawValue {
    let integer = value as i32;
    if f64::from(integer).to_bits() == value.to_bits() { int32(integer) } else { jsval::DoubleValue(value) }
}

pub(crate) fn object(object: *mut RawObject) -> RawValue {
    jsval::ObjectValue(object)
}

/// # Safety
///
/// `string` points to a string that is alive.
pub(crate) unsafe fn string(string: *mut RawString) -> RawValue {
    // SAFETY: guaranteed by the caller; the reference does not outlive the call.
    jsval::StringValue(unsafe { &*string })
}

/// Traces a value. The collector may move the object that the value refers to.
///
/// # Safety
///
/// `tracer` is the tracer of a collection that runs now, and `value` points to an initialised value.
pub(crate) unsafe fn trace_value(tracer: RawTracer, value: *mut RawValue) {
    // SAFETY: guaranteed by the caller.
    unsafe { mozjs::glue::CallValueRootTracer(tracer, value, c"phasor".as_ptr()) }
}

/// A handle to a rooted value.
///
/// # Safety
///
/// The collector traces `slot` as long as the handle is used.
pub(crate) unsafe fn handle<T>(slot: *const T) -> mozjs::jsapi::Handle<T> {
    // SAFETY: guaranteed by the caller.
    unsafe { mozjs::jsapi::Handle::from_marked_location(slot) }
}

/// A handle through which the engine writes a rooted value.
///
/// # Safety
///
/// The requirements of [`handle`]; nothing else reads or writes the value meanwhile.
pub(crate) unsafe fn handle_mut<T>(slot: *mut T) -> mozjs::jsapi::MutableHandle<T> {
    // SAFETY: guaranteed by the caller.
    unsafe { mozjs::jsapi::MutableHandle::from_marked_location(slot) }
}
