//! Native `subarray` for byte arrays, as a raw `JSCFunction`: protocol parsers call it once per field.
//!
//! # Safety
//! The engine calls `part` with live values, and with the two values of the function's data.
#![allow(unsafe_code)]

use std::os::raw::c_int;

use rquickjs::{Ctx, Error, Function, Object, Result, Value, qjs};

use crate::engine::engine_patch;
use crate::fast_paths;
use crate::raw::{self, Raw, RawCtx};

/// Creates the method. Its results have the given prototype, such as `Buffer.prototype`. `otherwise` handles calls
/// where `this` is not a `Uint8Array` or an argument is not a number. If fast paths are off, `otherwise` is the method.
pub fn subarray<'js>(ctx: &Ctx<'js>, prototype: &Object<'js>, otherwise: &Function<'js>) -> Result<Value<'js>> {
    if !fast_paths::are_enabled() {
        return Ok(otherwise.as_value().clone());
    }
    let mut data = [prototype.as_value().as_raw(), otherwise.as_value().as_raw()];
    let count = data.len() as c_int;
    // SAFETY: the engine takes references of its own to the data; the new reference goes to the value.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        let function = qjs::JS_NewCFunctionData2(raw, Some(part), c"subarray".as_ptr(), 2, 0, count, data.as_mut_ptr());
        if raw::is_exception(function) {
            return Err(Error::Exception);
        }
        Ok(Value::from_raw(ctx.clone(), function))
    }
}

unsafe extern "C" fn part(ctx: RawCtx, this: Raw, argc: c_int, argv: *mut Raw, _magic: c_int, data: *mut Raw) -> Raw {
    // SAFETY: the engine passes `argc` arguments, and the prototype and the function as data.
    unsafe {
        let given = raw::arguments(argc, argv);
        let [start, end] = [0, 1].map(|at| given.get(at).copied().unwrap_or(qjs::JS_UNDEFINED));
        if let (Some(added), Some(from), Some(to)) = (engine_patch(), place(start, 0), place(end, i64::MAX)) {
            let mut made = qjs::JS_UNDEFINED;
            (added.make_part)(ctx, data, &this, from, to, &mut made);
            if !qjs::JS_IsUndefined(made) {
                return made;
            }
        }
        raw::call(ctx, *data.add(1), this, &mut [start, end])
    }
}

/// The position that an argument gives: a number, or `not_given` if it is undefined. `None` for any other value.
fn place(argument: Raw, not_given: i64) -> Option<i64> {
    // SAFETY: only reads the tag, and the number if it is one.
    unsafe {
        match qjs::JS_VALUE_GET_TAG(argument) {
            qjs::JS_TAG_INT => Some(i64::from(qjs::JS_VALUE_GET_INT(argument))),
            qjs::JS_TAG_UNDEFINED => Some(not_given),
            _ => None,
        }
    }
}
