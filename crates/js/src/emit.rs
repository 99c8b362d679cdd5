//! Native `EventEmitter.prototype.emit` for the common case, without an array for the arguments, and removal of a listener.
//!
//! The JavaScript in `phasor-node` defines the semantics and handles every other case: 'error', an emitter without listeners, and
//! `captureRejections`.
//!
//! # Safety
//! The engine calls `emit` with live values: `this`, the arguments, and the function's data, indexed by `Part`. Owned
//! values that the engine returns are released once on each path.
#![allow(unsafe_code)]

use std::os::raw::c_int;

use rquickjs::{Ctx, Error, Function, Result, Value, qjs};

use crate::engine::engine_patch;
use crate::fast_paths;
use crate::raw::{self, Raw, RawCtx};

/// The maximum number of listeners called here, because the list is copied first.
const MOST_LISTENERS: i64 = 1 << 20;

/// Indices into the function's data.
enum Part {
    /// `(type, ...args)` with the emitter as `this`: the slow path.
    Slow,
    /// `(emitter, result, type, args)`: handles the promise that a listener returned.
    Watch,
    /// Atoms, as integers: `_events`, `error`, and the symbol of the `captureRejections` property.
    Events,
    Error,
    Capture,
}

/// Creates the `emit` function.
pub fn emit_function<'js>(
    ctx: &Ctx<'js>,
    slow: &Function<'js>,
    watch: &Function<'js>,
    capture: &Value<'js>,
) -> Result<Value<'js>> {
    if !fast_paths::are_enabled() {
        return Ok(slow.as_value().clone());
    }
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: the engine takes references of its own to the data; the atoms stay for the life of the runtime.
    unsafe {
        let atom = |atom: qjs::JSAtom| qjs::JS_MKVAL(qjs::JS_TAG_INT, atom as i32);
        let mut data = [
            slow.as_value().as_raw(),
            watch.as_value().as_raw(),
            atom(qjs::JS_NewAtom(raw, c"_events".as_ptr())),
            atom(qjs::JS_NewAtom(raw, c"error".as_ptr())),
            atom(qjs::JS_ValueToAtom(raw, capture.as_raw())),
        ];
        let function = qjs::JS_NewCFunctionData(raw, Some(emit), 1, 0, data.len() as c_int, data.as_mut_ptr());
        if raw::is_exception(function) {
            return Err(Error::Exception);
        }
        Ok(Value::from_raw(ctx.clone(), function))
    }
}

/// Creates `(list, listener)`, which removes a listener from an array as `removeListener` does. An element matches if
/// it is the listener, or if its property `name` is (a `once` wrapper). Returns whether one was removed, or undefined
/// if JavaScript must search the list.
pub fn take_function<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Value<'js>> {
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: the text is copied; the atom stays for the life of the runtime; the new reference goes to the value.
    unsafe {
        let atom = qjs::JS_NewAtomLen(raw, name.as_ptr().cast(), name.len() as _);
        let mut data = [qjs::JS_MKVAL(qjs::JS_TAG_INT, atom as i32)];
        let run = if fast_paths::are_enabled() { take } else { decline };
        let function = qjs::JS_NewCFunctionData(raw, Some(run), 2, 0, 1, data.as_mut_ptr());
        if raw::is_exception(function) {
            return Err(Error::Exception);
        }
        Ok(Value::from_raw(ctx.clone(), function))
    }
}

/// Stands in for `take` if fast paths are off: undefined makes the JavaScript search the list.
unsafe extern "C" fn decline(_: RawCtx, _: Raw, _: c_int, _: *mut Raw, _: c_int, _: *mut Raw) -> Raw {
    qjs::JS_UNDEFINED
}

unsafe extern "C" fn take(ctx: RawCtx, _this: Raw, argc: c_int, argv: *mut Raw, _magic: c_int, data: *mut Raw) -> Raw {
    // SAFETY: the engine passes its arguments and the function's data.
    unsafe {
        let (Some(added), &[list, listener, ..]) = (engine_patch(), raw::arguments(argc, argv)) else {
            return qjs::JS_UNDEFINED;
        };
        if !qjs::JS_IsObject(listener) {
            return qjs::JS_UNDEFINED;
        }
        match (added.take_listener)(ctx, &list, &listener, qjs::JS_VALUE_GET_INT(*data) as qjs::JSAtom) {
            0 => qjs::JS_FALSE,
            1 => qjs::JS_TRUE,
            _ => qjs::JS_UNDEFINED,
        }
    }
}

/// An atom in the function's data.
///
/// # Safety
/// `data` is the data of a function that [`emit_function`] created.
unsafe fn atom(data: *mut Raw, part: Part) -> qjs::JSAtom {
    // SAFETY: atoms are kept as integers.
    unsafe { qjs::JS_VALUE_GET_INT(*data.add(part as usize)) as qjs::JSAtom }
}

unsafe extern "C" fn emit(ctx: RawCtx, this: Raw, argc: c_int, argv: *mut Raw, _magic: c_int, data: *mut Raw) -> Raw {
    // SAFETY: see the head of the file.
    unsafe {
        let slow = || qjs::JS_Call(ctx, *data.add(Part::Slow as usize), this, argc, argv);
        if argc == 0 || !qjs::JS_IsObject(this) {
            return slow();
        }
        let kind = qjs::JS_ValueToAtom(ctx, *argv);
        if kind == qjs::JS_ATOM_NULL {
            return qjs::JS_EXCEPTION;
        }
        let handler = if kind == atom(data, Part::Error) { None } else { handler(ctx, this, kind, data) };
        qjs::JS_FreeAtom(ctx, kind);
        let Some(handler) = handler else { return slow() };
        if qjs::JS_IsUndefined(handler) {
            return qjs::JS_FALSE;
        }
        if raw::is_exception(handler) {
            return handler;
        }
        if raw::is_function(ctx, handler) {
            let result = call(ctx, handler, this, argc, argv, data);
            raw::free(ctx, handler);
            return result;
        }
        let result = call_all(ctx, handler, this, argc, argv, data);
        raw::free(ctx, handler);
        result
    }
}

/// The listeners of an emitter for an event: undefined if there are none, or `JS_EXCEPTION`. `None` if it has no
/// `_events` object.
///
/// # Safety
/// As [`emit`].
unsafe fn handler(ctx: RawCtx, this: Raw, kind: qjs::JSAtom, data: *mut Raw) -> Option<Raw> {
    // SAFETY: see the head of the file; a borrowed value is used before any code runs, and gets a reference before
    // that.
    unsafe {
        let events = atom(data, Part::Events);
        if let Some(added) = engine_patch()
            && let Some(events) = (added.look)(&this, events).as_ref()
            && qjs::JS_IsObject(*events)
            && let Some(handler) = (added.look)(events, kind).as_ref()
        {
            return Some(raw::dup(ctx, *handler));
        }
        let events = qjs::JS_GetProperty(ctx, this, events);
        if raw::is_exception(events) {
            return Some(events);
        }
        let handler = qjs::JS_IsObject(events).then(|| qjs::JS_GetProperty(ctx, events, kind));
        raw::free(ctx, events);
        handler
    }
}

/// Calls one listener. Returns true or `JS_EXCEPTION`.
///
/// # Safety
/// As [`emit`].
unsafe fn call(ctx: RawCtx, listener: Raw, this: Raw, argc: c_int, argv: *mut Raw, data: *mut Raw) -> Raw {
    // SAFETY: see the head of the file; the first argument, the event name, is not passed on.
    unsafe {
        let result = qjs::JS_Call(ctx, listener, this, argc - 1, argv.add(1));
        if qjs::JS_IsUndefined(result) || qjs::JS_IsNull(result) {
            return qjs::JS_TRUE;
        }
        if raw::is_exception(result) {
            return result;
        }
        let watched = if qjs::JS_IsObject(result) { is_watched(ctx, this, data) } else { 0 };
        let ended = if watched > 0 { watch(ctx, result, this, argc, argv, data) } else { qjs::JS_TRUE };
        raw::free(ctx, result);
        if watched < 0 { qjs::JS_EXCEPTION } else { ended }
    }
}

/// Whether the emitter has `captureRejections`: 1 or 0, or -1 if reading it threw.
///
/// # Safety
/// As [`emit`].
unsafe fn is_watched(ctx: RawCtx, this: Raw, data: *mut Raw) -> c_int {
    // SAFETY: see the head of the file.
    unsafe {
        let capture = qjs::JS_GetProperty(ctx, this, atom(data, Part::Capture));
        let watched = qjs::JS_ToBool(ctx, capture);
        raw::free(ctx, capture);
        watched
    }
}

/// Passes a promise that a listener returned to JavaScript.
///
/// # Safety
/// As [`emit`].
unsafe fn watch(ctx: RawCtx, result: Raw, this: Raw, argc: c_int, argv: *mut Raw, data: *mut Raw) -> Raw {
    // SAFETY: see the head of the file; setting an element takes over its reference.
    unsafe {
        let args = qjs::JS_NewArray(ctx);
        if raw::is_exception(args) {
            return args;
        }
        for at in 1..argc {
            qjs::JS_SetPropertyUint32(ctx, args, at as u32 - 1, raw::dup(ctx, *argv.add(at as usize)));
        }
        let ended =
            raw::call(ctx, *data.add(Part::Watch as usize), qjs::JS_UNDEFINED, &mut [this, result, *argv, args]);
        raw::free(ctx, args);
        if raw::is_exception(ended) {
            return ended;
        }
        raw::free(ctx, ended);
        qjs::JS_TRUE
    }
}

/// Calls every listener of a copy of the list: adding or removing a listener takes effect with the next emit.
///
/// # Safety
/// As [`emit`].
unsafe fn call_all(ctx: RawCtx, list: Raw, this: Raw, argc: c_int, argv: *mut Raw, data: *mut Raw) -> Raw {
    // SAFETY: see the head of the file; each element's reference is released once.
    unsafe {
        let mut length = 0;
        if qjs::JS_GetLength(ctx, list, &mut length) < 0 {
            return qjs::JS_EXCEPTION;
        }
        // A script may put any value into `_events`: leave values that `on` did not create to the slow path.
        if !qjs::JS_IsArray(list) || length > MOST_LISTENERS {
            return qjs::JS_Call(ctx, *data.add(Part::Slow as usize), this, argc, argv);
        }
        let mut few = [qjs::JS_UNDEFINED; 8];
        let mut many = Vec::new();
        let listeners = match usize::try_from(length).unwrap_or(0) {
            length @ 0..=8 => &mut few[..length],
            length => {
                many.resize(length, qjs::JS_UNDEFINED);
                &mut many[..]
            }
        };
        for (at, listener) in listeners.iter_mut().enumerate() {
            *listener = qjs::JS_GetPropertyUint32(ctx, list, at as u32);
        }
        let mut ended = qjs::JS_TRUE;
        for listener in listeners.iter() {
            if !raw::is_exception(ended) {
                ended = call(ctx, *listener, this, argc, argv, data);
            }
            raw::free(ctx, *listener);
        }
        ended
    }
}
