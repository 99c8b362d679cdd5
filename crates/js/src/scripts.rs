//! Scripts for `vm`: compiled once, run any number of times, with a timeout or until SIGINT.
//!
//! A compiled script is a function: called without arguments, it runs the script in the global scope and returns its
//! value. The builtin `internal/vm/engine` exposes these natives to the `vm` module of `phasor-node`, which defines the
//! semantics.
//!
//! # Safety
//! A script's bytecode is data of its function, which holds the only reference. Bytecode from outside must have been
//! written by this engine: the caller has compared a checksum, as V8 does for `cachedData`.
#![allow(unsafe_code)]

use std::os::raw::c_int;

use phasor_sys::signal::Receiver;
use rquickjs::function::Opt;
use rquickjs::{Array, Ctx, Error, Exception, Function, Object, Result, Value, qjs};

use crate::builtins::{Builtin, Natives};
use crate::bytes::{Bytes, Utf8};
use crate::errors;
use crate::limits::Stopped;
use crate::raw::{self, Raw, RawCtx};
use crate::realm;
use crate::script;
use crate::state::{current, state};

/// The builtin with the engine's native functions for scripts.
pub const SCRIPTS: Builtin = Builtin::of_natives("internal/vm/engine", &Natives { name: "scripts", make: natives });

fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    native!(object, "compile", |ctx: Ctx<'js>,
                                Utf8(text): Utf8,
                                Utf8(file): Utf8,
                                offset: i32,
                                realm: Opt<Value<'js>>| {
        let realm = realm.0.filter(Value::is_object);
        let within = realm.as_ref().map_or_else(|| Ok(ctx.clone()), |handle| realm::of(&ctx, handle))?;
        runner(&ctx, &compile(&within, text, &file, offset)?, realm)
    });
    native!(object, "makeRealm", realm::make);
    native!(object, "attachSandbox", realm::attach);
    native!(object, "equipErrors", |ctx: Ctx<'js>, handle: Value<'js>, thrown: Object<'js>, explain: Function<'js>| {
        let realm = realm::of(&ctx, &handle)?;
        errors::watch_with(&realm, &thrown)?;
        errors::explain_json(&realm, &explain)
    });
    native!(object, "bytecode", |ctx: Ctx<'js>,
                                 Utf8(text): Utf8,
                                 Utf8(file): Utf8,
                                 offset: i32|
     -> Result<Value<'js>> {
        let bytes = script::bytecode_of(&ctx, &compile(&ctx, text, &file, offset)?, qjs::JS_WRITE_OBJ_BYTECODE)?;
        Ok(rquickjs::ArrayBuffer::new(ctx, bytes)?.into_value())
    });
    native!(object, "revive", |ctx: Ctx<'js>, bytes: Bytes<'js>| runner(&ctx, &revive(&ctx, &bytes)?, None));
    native!(object, "limited", limited);
    Ok(object)
}

/// Compiles a script with the given line offset.
fn compile<'js>(ctx: &Ctx<'js>, text: String, file: &str, offset: i32) -> Result<Value<'js>> {
    // Prepend two or three lines: the engine's columns in a first line are one too small, and 0 is not a valid line
    // number.
    let (head, line) = if offset == 1 { ("\n\n\n", -1) } else { ("\n\n", offset.saturating_sub(1)) };
    let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    script::eval_with(ctx, format!("{head}{text}"), file, line, flags)
}

/// A script from bytecode.
fn revive<'js>(ctx: &Ctx<'js>, bytes: &Bytes<'js>) -> Result<Value<'js>> {
    let copy = bytes.read(<[u8]>::to_vec);
    let raw_ctx = ctx.as_raw().as_ptr();
    // SAFETY: see the head of the file; the bytes live for the call. The new reference goes to the value.
    unsafe {
        let code = qjs::JS_ReadObject(raw_ctx, copy.as_ptr(), copy.len() as _, qjs::JS_READ_OBJ_BYTECODE as _);
        if raw::is_exception(code) {
            return Err(Error::Exception);
        }
        let code = Value::from_raw(ctx.clone(), code);
        match qjs::JS_VALUE_GET_TAG(code.as_raw()) == qjs::JS_TAG_FUNCTION_BYTECODE {
            true => Ok(code),
            false => Err(Exception::throw_type(ctx, "no bytecode of a script")),
        }
    }
}

/// The function that runs a script, in the given realm or the main one.
fn runner<'js>(ctx: &Ctx<'js>, code: &Value<'js>, realm: Option<Value<'js>>) -> Result<Value<'js>> {
    let mut data = [code.as_raw(), realm.as_ref().map_or(qjs::JS_UNDEFINED, Value::as_raw)];
    // SAFETY: the engine takes a reference of its own to the data; the new reference goes to the value.
    unsafe {
        let raw_ctx = ctx.as_raw().as_ptr();
        // Stack traces recognize the runtime's own frame by this name.
        let function = qjs::JS_NewCFunctionData2(raw_ctx, Some(run), c"<script>".as_ptr(), 0, 0, 2, data.as_mut_ptr());
        if raw::is_exception(function) {
            return Err(Error::Exception);
        }
        Ok(Value::from_raw(ctx.clone(), function))
    }
}

unsafe extern "C" fn run(
    _ctx: RawCtx,
    _this: Raw,
    _argc: c_int,
    _argv: *mut Raw,
    _magic: c_int,
    data: *mut Raw,
) -> Raw {
    // SAFETY: on the thread of the engine's host. The engine takes the new reference to the bytecode.
    unsafe {
        let ctx = realm::raw_of(*data.add(1)).unwrap_or(current().ctx);
        qjs::JS_EvalFunction(ctx, raw::dup(ctx, *data))
    }
}

/// Calls a function within limits: returns `[value]`, `[undefined, true]` after a timeout, or `[undefined, false]`
/// after SIGINT.
fn limited<'js>(ctx: Ctx<'js>, function: Value<'js>, timeout_ms: f64, on_signal: bool) -> Result<Array<'js>> {
    /// The number of SIGINT, which Ctrl-C sends.
    const INTERRUPT: i32 = 2;
    let state = state(&ctx);
    let signals = on_signal.then(|| -> phasor_core::Result<Receiver> {
        let mut receiver = Receiver::new()?;
        receiver.watch(INTERRUPT, false)?;
        Ok(receiver)
    });
    let signals = match signals.transpose() {
        Ok(signals) => signals,
        Err(errno) => return Err(Exception::throw_message(&ctx, &format!("SIGINT cannot be heard: {errno:?}"))),
    };
    let timeout_ms = (timeout_ms > 0.0).then_some(timeout_ms as u32);
    let raw_ctx = ctx.as_raw().as_ptr();
    let outcome =
        state.run_limited(timeout_ms, signals, || raw::call(raw_ctx, function.as_raw(), qjs::JS_UNDEFINED, &mut []));
    let result = Array::new(ctx.clone())?;
    match outcome {
        Ok(value) if raw::is_exception(value) => return Err(Error::Exception),
        // SAFETY: the new reference goes to the value.
        Ok(value) => result.set(0, unsafe { Value::from_raw(ctx, value) })?,
        Err(stopped) => result.set(1, stopped == Stopped::TimedOut)?,
    }
    Ok(result)
}
