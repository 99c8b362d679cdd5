//! Running a text as a script, with the line it begins at.
//!
//! # Safety
//! The text ends with a nul, as the engine asks for, and it and the file's name live until the call is over.
#![allow(unsafe_code)]

use std::ffi::CString;

use rquickjs::{Ctx, Error, Exception, Result, Value, qjs};

/// Runs a script in the global scope, in sloppy mode unless it says otherwise, and gives its value.
pub(crate) fn eval<'js>(ctx: &Ctx<'js>, mut text: String, file: &str, line: i32) -> Result<Value<'js>> {
    let Ok(file) = CString::new(file) else {
        return Err(Exception::throw_type(ctx, "a file's name cannot have a null in it"));
    };
    let length = text.len();
    text.push('\0');
    let mut options = qjs::JSEvalOptions {
        version: qjs::JS_EVAL_OPTIONS_VERSION as _,
        eval_flags: qjs::JS_EVAL_TYPE_GLOBAL as _,
        filename: file.as_ptr(),
        line_num: line,
    };
    // SAFETY: see the head of the file; the result is a new reference, or the exception mark.
    let value = unsafe { qjs::JS_Eval2(ctx.as_raw().as_ptr(), text.as_ptr().cast(), length as _, &mut options) };
    if crate::raw::is_exception(value) {
        return Err(Error::Exception);
    }
    // SAFETY: the new reference goes to the value.
    Ok(unsafe { Value::from_raw(ctx.clone(), value) })
}
