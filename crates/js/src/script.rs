//! Compiles and runs source text as a script, with a given first line number.
//!
//! # Safety
//! The text ends with a nul, as the engine requires, and the text and the file name live until the call returns.
#![allow(unsafe_code)]

use std::ffi::CString;

use rquickjs::{Ctx, Error, Exception, Result, Value, qjs};

/// Runs a script in the global scope, in sloppy mode unless it has a 'use strict' directive, and returns its value.
pub(crate) fn eval<'js>(ctx: &Ctx<'js>, text: String, file: &str, line: i32) -> Result<Value<'js>> {
    eval_with(ctx, text, file, line, qjs::JS_EVAL_TYPE_GLOBAL)
}

/// Runs a script as `eval` does. With `awaits`, allows top-level `await` and returns a promise of `{ value }`.
pub fn run_script<'js>(ctx: &Ctx<'js>, text: &str, file: &str, awaits: bool) -> Result<Value<'js>> {
    let flags = if awaits { qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_ASYNC } else { qjs::JS_EVAL_TYPE_GLOBAL };
    // The engine's columns in the first line of a text are one too small, so the script begins in a later line.
    eval_with(ctx, format!("\n\n{text}"), file, -1, flags)
}

/// Compiles a script to bytecode, with line numbers and without its source text.
pub(crate) fn compile(ctx: &Ctx<'_>, text: String, file: &str, line: i32) -> Result<Vec<u8>> {
    let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    let function = eval_with(ctx, text, file, line, flags)?;
    bytecode_of(ctx, &function, qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE)
}

/// Serializes a compiled function to bytecode.
pub(crate) fn bytecode_of<'js>(ctx: &Ctx<'js>, function: &Value<'js>, flags: u32) -> Result<Vec<u8>> {
    let (raw, mut length) = (ctx.as_raw().as_ptr(), 0);
    // SAFETY: the engine allocates the bytes, which are copied and freed.
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

/// Runs bytecode of [`compile`]. `None` if the engine rejects it or it threw.
pub(crate) fn load<'js>(ctx: &Ctx<'js>, bytes: &'static [u8]) -> Option<Value<'js>> {
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: this engine wrote the bytes when the program was built, so they can be trusted. `JS_EvalFunction` takes
    // over the function; the result is a new reference or `JS_EXCEPTION`.
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

/// Compiles or runs a text, as the flags say.
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
    // SAFETY: see the head of the file; the result is a new reference or `JS_EXCEPTION`.
    let value = unsafe { qjs::JS_Eval2(ctx.as_raw().as_ptr(), text.as_ptr().cast(), length as _, &mut options) };
    if crate::raw::is_exception(value) {
        return Err(Error::Exception);
    }
    // SAFETY: the new reference goes to the value.
    Ok(unsafe { Value::from_raw(ctx.clone(), value) })
}
