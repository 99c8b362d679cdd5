//! Hooks for the creation of errors: gives the engine's messages V8's wording, and records where each error was thrown.
//!
//! The engine calls one function for each new error, before any script can see it. The wording itself is in
//! `phasor-node`.
//!
//! # Safety
//! The engine calls `made` with live values: the error and the array of call sites. The stack may be almost full:
//! functions with data are called without a check of its limit, and nothing here calls JavaScript unless the message is
//! one of the engine's own.
#![allow(unsafe_code)]

use std::os::raw::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::OnceLock;

use rquickjs::{Ctx, Error, Function, Object, Result, Value, qjs};

use crate::engine::engine_patch;
use crate::eval_sources::is_evaluated;
use crate::raw::{self, Held, Raw, RawCtx};
use crate::state::{current_or_none, state};

/// The two operands that an error is about, if the engine reported them.
pub type Operands<'js> = Option<[Value<'js>; 2]>;

/// Translates the engine's messages to those of another engine.
#[derive(Clone, Copy)]
pub struct Translator {
    /// Whether a message may be one of this engine's own.
    pub is_known: fn(&str) -> bool,
    /// The translation of a message, given the call sites of the error.
    pub translate: for<'js> fn(&Ctx<'js>, &str, &Object<'js>, Operands<'js>) -> Option<String>,
}

static TRANSLATOR: OnceLock<Translator> = OnceLock::new();

/// Installs the translation and makes `stack` the array of call sites. Returns an object that describes the last thrown
/// value that is not an error: `value`, and the `sites` where it was thrown.
pub fn watch<'js>(ctx: &Ctx<'js>, translator: Translator) -> Result<Object<'js>> {
    // The first translation set is used by the whole process.
    let _ = TRANSLATOR.set(translator);
    let thrown = Object::new(ctx.clone())?;
    watch_with(ctx, &thrown)?;
    Ok(thrown)
}

/// As [`watch`] for another realm, with the same object.
pub(crate) fn watch_with<'js>(ctx: &Ctx<'js>, thrown: &Object<'js>) -> Result<()> {
    let mut data = [thrown.as_value().as_raw()];
    // SAFETY: the engine takes a reference of its own to the data; the new reference goes to the value.
    let hook = unsafe {
        let function = qjs::JS_NewCFunctionData(ctx.as_raw().as_ptr(), Some(made), 2, 0, 1, data.as_mut_ptr());
        if raw::is_exception(function) {
            return Err(Error::Exception);
        }
        Value::from_raw(ctx.clone(), function)
    };
    let class: Object<'js> = ctx.globals().get("Error")?;
    class.set("prepareStackTrace", hook)?;
    if let Some(added) = engine_patch() {
        // SAFETY: the context is alive.
        unsafe { (added.keep_stack)(ctx.as_raw().as_ptr()) };
        // As in V8, each error has its own `stack` property.
        class.get::<_, Object<'js>>("prototype")?.remove("stack")?;
    }
    // The engine has read the function. Delete the property: in V8, `prepareStackTrace` is undefined until a program
    // sets it.
    class.remove("prepareStackTrace")
}

/// Appends the call sites of the async functions that wait for a promise to an array of call sites. `settler` is one of
/// the two functions passed to the promise's executor.
pub fn add_waiting<'js>(ctx: &Ctx<'js>, sites: &Object<'js>, settler: &Function<'js>) {
    if let Some(added) = engine_patch() {
        let (sites, settler) = (sites.as_value().as_raw(), settler.as_value().as_raw());
        // SAFETY: both values are alive.
        unsafe { (added.async_sites)(ctx.as_raw().as_ptr(), &sites, &settler) };
    }
}

/// Where a script last threw an error: file, line and column. `None` if that is not known.
pub fn thrown_at<'js>(ctx: &Ctx<'js>, error: &Value<'js>) -> Option<(String, i32, i32)> {
    let (mut file, mut column) = (qjs::JS_UNDEFINED, 0);
    // SAFETY: the value is alive; the new reference goes to the value.
    unsafe {
        let line = (engine_patch()?.thrown_at)(ctx.as_raw().as_ptr(), &error.as_raw(), &mut file, &mut column);
        let file = Value::from_raw(ctx.clone(), file);
        let file = file.as_string().filter(|_| line > 0)?;
        Some((file.to_string().ok()?, line, column))
    }
}

/// The engine calls this before it throws an error about these operands, and with null before a program creates an
/// error. The operands are kept until the next error is created: it may be for a later error, or never, if the throwing
/// operation is abandoned.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_regards(left: *const Raw, right: *const Raw) {
    // SAFETY: on the thread of the engine's host, with two of its values; the engine of a build script has no host.
    unsafe {
        if let Some(state) = current_or_none() {
            let both = left.as_ref().zip(right.as_ref());
            let held = |&value: &Raw| Held::new(state.ctx, raw::dup(state.ctx, value));
            state.error_operands.set(both.map(|(left, right)| [held(left), held(right)]));
        }
    }
}

unsafe extern "C" fn made(ctx: RawCtx, _this: Raw, argc: c_int, argv: *mut Raw, _magic: c_int, data: *mut Raw) -> Raw {
    // SAFETY: the engine passes the error and the call sites.
    let arguments = unsafe { raw::arguments(argc, argv) };
    let &[error, sites, ..] = arguments else { return qjs::JS_UNDEFINED };
    // SAFETY: reads the value; the object is the function's data, and takes references of its own.
    unsafe {
        if let Some(added) = engine_patch() {
            (added.async_sites)(ctx, &sites, std::ptr::null());
        }
        if !qjs::JS_IsError(error) {
            if is_passed_on(ctx, *data, error, sites) {
                return raw::dup(ctx, sites);
            }
            for (name, value) in [(c"value", error), (c"sites", sites)] {
                qjs::JS_SetPropertyStr(ctx, *data, name.as_ptr(), raw::dup(ctx, value));
            }
            return raw::dup(ctx, sites);
        }
    }
    // A panic must not reach the engine: the error then keeps the engine's message.
    let _ = catch_unwind(AssertUnwindSafe(|| translate_message(ctx, error, sites)));
    raw::dup(ctx, sites)
}

/// Whether a thrown value is the previous one, thrown again by a `finally` block of the runtime itself.
///
/// # Safety
/// All values are alive.
unsafe fn is_passed_on(ctx: RawCtx, thrown: Raw, value: Raw, sites: Raw) -> bool {
    // SAFETY: new references are released.
    unsafe {
        let before = qjs::JS_GetPropertyStr(ctx, thrown, c"value".as_ptr());
        let same = qjs::JS_IsSameValue(ctx, before, value);
        raw::free(ctx, before);
        same && call_first_site(ctx, sites, c"getFileName").is_some_and(|file| file.starts_with("node:"))
    }
}

/// Calls a method of the first call site. `None` unless it returns a string.
///
/// # Safety
/// The array is alive.
unsafe fn call_first_site(ctx: RawCtx, sites: Raw, method: &std::ffi::CStr) -> Option<String> {
    // SAFETY: new references are released; the methods are the engine's own.
    unsafe {
        let first = qjs::JS_GetPropertyUint32(ctx, sites, 0);
        let function = qjs::JS_GetPropertyStr(ctx, first, method.as_ptr());
        let answer = raw::call(ctx, function, first, &mut []);
        let text = text(ctx, answer);
        for value in [first, function, answer] {
            raw::free(ctx, value);
        }
        text
    }
}

/// A string of the engine.
fn text(ctx: RawCtx, value: Raw) -> Option<String> {
    let mut length = 0;
    // SAFETY: the value is a live string, so converting it calls nothing; the bytes are copied and freed.
    unsafe {
        if !qjs::JS_IsString(value) {
            return None;
        }
        let start = qjs::JS_ToCStringLen(ctx, &mut length, value);
        if start.is_null() {
            raw::free(ctx, qjs::JS_GetException(ctx));
            return None;
        }
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length);
        let copy = String::from_utf8_lossy(bytes).into_owned();
        qjs::JS_FreeCString(ctx, start);
        Some(copy)
    }
}

/// A property that is a string.
fn property(ctx: RawCtx, object: Raw, name: &std::ffi::CStr) -> Option<String> {
    // SAFETY: the new reference is released. An exception from a getter is dropped, as V8 does.
    unsafe {
        let value = qjs::JS_GetPropertyStr(ctx, object, name.as_ptr());
        if raw::is_exception(value) {
            raw::free(ctx, qjs::JS_GetException(ctx));
            return None;
        }
        let text = text(ctx, value);
        raw::free(ctx, value);
        text
    }
}

fn set(ctx: RawCtx, object: Raw, name: &std::ffi::CStr, value: &str) {
    // SAFETY: the engine copies the text and takes over the new value.
    unsafe {
        let value = qjs::JS_NewStringLen(ctx, value.as_ptr().cast(), value.len() as _);
        let flags = (qjs::JS_PROP_WRITABLE | qjs::JS_PROP_CONFIGURABLE) as c_int;
        qjs::JS_DefinePropertyValueStr(ctx, object, name.as_ptr(), value, flags);
    }
}

fn translate_message(ctx: RawCtx, error: Raw, sites: Raw) {
    // SAFETY: on the thread of the engine's host.
    let error_operands = unsafe { current_or_none() }.and_then(|state| state.error_operands.take());
    let (Some(translator), Some(context)) = (TRANSLATOR.get(), NonNull::new(ctx)) else { return };
    let Some(message) = property(ctx, error, c"message") else { return };
    if !(translator.is_known)(&message) || !(error_operands.is_some() || is_engines(ctx, sites)) {
        return;
    }
    // SAFETY: the engine is running on this thread, and its values live until this call returns.
    let other = unsafe {
        let context = Ctx::from_raw(context);
        let value = |raw| Value::from_raw(context.clone(), raw::dup(ctx, raw));
        let list = value(sites);
        list.as_object().and_then(|list| {
            (translator.translate)(
                &context,
                &message,
                list,
                error_operands.map(|both| both.map(|one| value(one.raw()))),
            )
        })
    };
    if let Some(other) = other {
        set(ctx, error, c"message", &other);
    }
}

/// Whether the engine itself threw the error, not a program by `new Error`. An error constructor is a running native
/// whose frame is not among the call sites; any other native that throws is the first call site. `Reflect.construct` is
/// the frame below a constructor.
fn is_engines(ctx: RawCtx, sites: Raw) -> bool {
    // SAFETY: reads the frames; new references are released.
    unsafe {
        let file = qjs::JS_GetScriptOrModuleName(ctx, 1);
        if file != qjs::JS_ATOM_NULL {
            qjs::JS_FreeAtom(ctx, file);
            return true;
        }
        // Natives have no file. Nor has code that a native compiles, whose first call site is in that code.
        let file = call_first_site(ctx, sites, c"getFileName");
        file.is_none_or(|file| is_evaluated(&file))
            && call_first_site(ctx, sites, c"getFunctionName").is_none_or(|name| name != "construct")
    }
}

/// Wraps `JSON.parse` and `JSON.stringify`: `explain(error, argument, parsing)` is called for each error that they
/// throw, before a script sees it, because V8's message quotes the argument.
pub fn explain_json<'js>(ctx: &Ctx<'js>, explain: &Function<'js>) -> Result<()> {
    let json: Object<'js> = ctx.globals().get("JSON")?;
    for (name, length, parsing) in [(c"parse", 2, 1), (c"stringify", 3, 0)] {
        let key = name.to_string_lossy();
        let own: Value<'js> = json.get(key.as_ref())?;
        let mut data = [own.as_raw(), explain.as_value().as_raw()];
        // SAFETY: the engine takes references of its own to the data; the new reference goes to the value.
        let function = unsafe {
            let raw = ctx.as_raw().as_ptr();
            let function =
                qjs::JS_NewCFunctionData2(raw, Some(explained), name.as_ptr(), length, parsing, 2, data.as_mut_ptr());
            if raw::is_exception(function) {
                return Err(Error::Exception);
            }
            Value::from_raw(ctx.clone(), function)
        };
        // Other realms have their own `JSON`, which builtins do not use.
        if ctx.as_raw().as_ptr() == state(ctx).ctx {
            crate::builtins::recapture(ctx, &format!("JSON_{key}"), function.clone())?;
        }
        json.prop(key.as_ref(), rquickjs::object::Property::from(function).writable().configurable())?;
    }
    Ok(())
}

unsafe extern "C" fn explained(
    ctx: RawCtx,
    this: Raw,
    argc: c_int,
    argv: *mut Raw,
    parsing: c_int,
    data: *mut Raw,
) -> Raw {
    // SAFETY: the function's data are the engine's function and `explain`. The exception is taken, and thrown again
    // unless `explain` threw, whose exception then counts.
    unsafe {
        let result = qjs::JS_Call(ctx, *data, this, argc, argv);
        if !raw::is_exception(result) {
            return result;
        }
        let error = qjs::JS_GetException(ctx);
        if qjs::JS_IsError(error) {
            let given = raw::arguments(argc, argv).first().copied().unwrap_or(qjs::JS_UNDEFINED);
            let parsing = qjs::JS_MKVAL(qjs::JS_TAG_BOOL, parsing);
            let done = raw::call(ctx, *data.add(1), qjs::JS_UNDEFINED, &mut [error, given, parsing]);
            if raw::is_exception(done) {
                raw::free(ctx, error);
                return done;
            }
            raw::free(ctx, done);
        }
        qjs::JS_Throw(ctx, error)
    }
}
