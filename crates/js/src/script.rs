//! Running a text as a script, with the line it begins at.
//!
//! # Safety
//! The text ends with a nul, as the engine asks for, and it and the file's name live until the call is over.
#![allow(unsafe_code)]

use std::ffi::CString;

use rquickjs::{Ctx, Error, Exception, Result, Value, qjs};

/// Runs a script in the global scope, in sloppy mode unless it says otherwise, and gives its value.
pub(crate) fn eval<'js>(ctx: &Ctx<'js>, text: String, file: &str, line: i32) -> Result<Value<'js>> {
    eval_with(ctx, text, file, line, qjs::JS_EVAL_TYPE_GLOBAL)
}

/// Runs a script as `eval` does; one that `awaits` at its top gives a promise of `{ value }`.
pub fn run_script<'js>(ctx: &Ctx<'js>, text: &str, file: &str, awaits: bool) -> Result<Value<'js>> {
    let flags = if awaits { qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_ASYNC } else { qjs::JS_EVAL_TYPE_GLOBAL };
    // The engine's columns are right from the second line on.
    eval_with(ctx, format!("\n\n{text}"), file, -1, flags)
}

/// A script as bytecode, with its lines and without its text.
pub(crate) fn compile(ctx: &Ctx<'_>, text: String, file: &str, line: i32) -> Result<Vec<u8>> {
    let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    let function = eval_with(ctx, text, file, line, flags)?;
    bytecode_of(ctx, &function, qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE)
}

/// What the engine has compiled, as bytes.
pub(crate) fn bytecode_of<'js>(ctx: &Ctx<'js>, function: &Value<'js>, flags: u32) -> Result<Vec<u8>> {
    let (raw, mut length) = (ctx.as_raw().as_ptr(), 0);
    // SAFETY: the engine hands out memory of its own, which is copied and given back.
    unsafe {
        let bytes = qjs::JS_WriteObject(raw, &mut length, function.as_raw(), flags as _);
        if bytes.is_null() {
            return Err(Error::Exception);
        }
        let copy = std::slice::from_raw_parts(bytes, length as usize).to_vec();
        qjs::js_free(raw, bytes.cast());
        Ok(copy)
    }
}

/// Runs bytecode of [`compile`]; nothing if the engine does not take it, or it threw.
pub(crate) fn load<'js>(ctx: &Ctx<'js>, bytes: &'static [u8]) -> Option<Value<'js>> {
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: the bytes were written by this engine when the program was built: it trusts them, and so must we.
    // `JS_EvalFunction` takes the function; the result is a new reference or the exception mark.
    unsafe {
        let function = qjs::JS_ReadObject(raw, bytes.as_ptr(), bytes.len() as _, qjs::JS_READ_OBJ_BYTECODE as _);
        let value = match crate::raw::is_exception(function) {
            true => function,
            false => qjs::JS_EvalFunction(raw, function),
        };
        if crate::raw::is_exception(value) {
            crate::raw::free(raw, qjs::JS_GetException(raw));
            return None;
        }
        Some(Value::from_raw(ctx.clone(), value))
    }
}

/// Has the engine do with a text what the flags say.
pub(crate) fn eval_with<'js>(
    ctx: &Ctx<'js>,
    mut text: String,
    file: &str,
    line: i32,
    flags: u32,
) -> Result<Value<'js>> {
    let Ok(file) = CString::new(file) else {
        return Err(Exception::throw_type(ctx, "a file's name cannot have a null in it"));
    };
    let length = text.len();
    text.push('\0');
    let mut options = qjs::JSEvalOptions {
        version: qjs::JS_EVAL_OPTIONS_VERSION as _,
        eval_flags: flags as _,
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
