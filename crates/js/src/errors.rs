//! What happens when an error is made: its message gets V8's words, and where it came from is kept for whoever asks.
//!
//! The engine calls one function for each error, before anybody can see it. What the words *are* is in `phasor-node`.
//!
//! # Safety
//! The engine calls `made` with living values: the error and the list of call sites. It may do so on the last bytes of the
//! stack: functions with data are called without looking at its limit, and nothing here calls JavaScript unless the
//! message is one of the engine's own.
#![allow(unsafe_code)]

use std::os::raw::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::OnceLock;

use rquickjs::{Ctx, Error, Function, Object, Result, Value, qjs};

use crate::engine::engine_patch;
use crate::eval_sources::is_evaluated;
use crate::raw::{self, Held, Raw, RawCtx};
use crate::state::current_or_none;

/// The two values that an error is about, if the engine has named them.
pub type Operands<'js> = Option<[Value<'js>; 2]>;

/// The words of another engine.
#[derive(Clone, Copy)]
pub struct Words {
    /// Whether a message may be one of this engine's own.
    pub knows: fn(&str) -> bool,
    /// Other words for it, with the call sites of the error.
    pub other: for<'js> fn(&Ctx<'js>, &str, &Object<'js>, Operands<'js>) -> Option<String>,
}

static WORDS: OnceLock<Words> = OnceLock::new();

/// From now on errors have these words, and their stack is the list of call sites. What is thrown and is no error is put
/// into the object that is given back, as `value`, with the `sites` where it was thrown.
pub fn watch<'js>(ctx: &Ctx<'js>, words: Words) -> Result<Object<'js>> {
    // There is one set of words in a program, whoever comes first.
    let _ = WORDS.set(words);
    let thrown = Object::new(ctx.clone())?;
    watch_with(ctx, &thrown)?;
    Ok(thrown)
}

/// The same in another realm, for the same object.
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
        // SAFETY: the context lives.
        unsafe { (added.keep_stack)(ctx.as_raw().as_ptr()) };
        // As V8: each error has its own.
        class.get::<_, Object<'js>>("prototype")?.remove("stack")?;
    }
    // The engine has kept the function. The name is the user's, as in V8.
    class.remove("prepareStackTrace")
}

/// Puts the call sites of the functions that wait for a promise behind those of a list; `settler` is one of the two functions that
/// its executor was given.
pub fn add_waiting<'js>(ctx: &Ctx<'js>, sites: &Object<'js>, settler: &Function<'js>) {
    if let Some(added) = engine_patch() {
        let (sites, settler) = (sites.as_value().as_raw(), settler.as_value().as_raw());
        // SAFETY: both are alive.
        unsafe { (added.async_sites)(ctx.as_raw().as_ptr(), &sites, &settler) };
    }
}

/// Where an error was thrown last, by a script: the file, the line and the column. Nothing if that is not known.
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

/// The engine is about to throw an error about these operands. They are held until it is made: it may be much later, or never, if what
/// it was thrown by is left for another reason. Without operands, a program makes an error by itself, and what is still held is not for that.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_regards(left: *const Raw, right: *const Raw) {
    // SAFETY: on the thread of the engine's host, with two of its values; build scripts have an engine without one.
    unsafe {
        if let Some(state) = current_or_none() {
            let both = left.as_ref().zip(right.as_ref());
            let held = |&value: &Raw| Held::new(state.ctx, raw::dup(state.ctx, value));
            state.regarded.set(both.map(|(left, right)| [held(left), held(right)]));
        }
    }
}

unsafe extern "C" fn made(ctx: RawCtx, _this: Raw, argc: c_int, argv: *mut Raw, _magic: c_int, data: *mut Raw) -> Raw {
    // SAFETY: the engine passes the error and the sites.
    let arguments = unsafe { raw::arguments(argc, argv) };
    let &[error, sites, ..] = arguments else { return qjs::JS_UNDEFINED };
    // SAFETY: looks at the value; the object is the function's data, and takes references of its own.
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
    // A panic must not reach the engine; the error then keeps the engine's words.
    let _ = catch_unwind(AssertUnwindSafe(|| reword(ctx, error, sites)));
    raw::dup(ctx, sites)
}

/// Whether a value that was thrown before comes by one of the runtime's own `finally`, which throws it again.
///
/// # Safety
/// All values are alive.
unsafe fn is_passed_on(ctx: RawCtx, thrown: Raw, value: Raw, sites: Raw) -> bool {
    // SAFETY: new references are given up.
    unsafe {
        let before = qjs::JS_GetPropertyStr(ctx, thrown, c"value".as_ptr());
        let same = qjs::JS_IsSameValue(ctx, before, value);
        raw::free(ctx, before);
        same && ask_first(ctx, sites, c"getFileName").is_some_and(|file| file.starts_with("node:"))
    }
}

/// What the first of the sites answers, if that is a text.
///
/// # Safety
/// The list is alive.
unsafe fn ask_first(ctx: RawCtx, sites: Raw, question: &std::ffi::CStr) -> Option<String> {
    // SAFETY: new references are given up; the methods are the engine's own.
    unsafe {
        let first = qjs::JS_GetPropertyUint32(ctx, sites, 0);
        let function = qjs::JS_GetPropertyStr(ctx, first, question.as_ptr());
        let answer = raw::call(ctx, function, first, &mut []);
        let text = text(ctx, answer);
        for value in [first, function, answer] {
            raw::free(ctx, value);
        }
        text
    }
}

/// A text of the engine.
fn text(ctx: RawCtx, value: Raw) -> Option<String> {
    let mut length = 0;
    // SAFETY: the value is a living string, so that nothing is called; the bytes are copied and given back.
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

/// A property that is a text.
fn property(ctx: RawCtx, object: Raw, name: &std::ffi::CStr) -> Option<String> {
    // SAFETY: the new reference is given up; what a getter throws is forgotten, as by V8.
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
    // SAFETY: the engine copies the text and takes the new value.
    unsafe {
        let value = qjs::JS_NewStringLen(ctx, value.as_ptr().cast(), value.len() as _);
        let flags = (qjs::JS_PROP_WRITABLE | qjs::JS_PROP_CONFIGURABLE) as c_int;
        qjs::JS_DefinePropertyValueStr(ctx, object, name.as_ptr(), value, flags);
    }
}

fn reword(ctx: RawCtx, error: Raw, sites: Raw) {
    // SAFETY: on the thread of the engine's host.
    let regarded = unsafe { current_or_none() }.and_then(|state| state.regarded.take());
    let (Some(words), Some(context)) = (WORDS.get(), NonNull::new(ctx)) else { return };
    let Some(message) = property(ctx, error, c"message") else { return };
    if !(words.knows)(&message) || !(regarded.is_some() || is_engines(ctx, sites)) {
        return;
    }
    // SAFETY: the engine is running on this thread, and its values live until this call is over.
    let other = unsafe {
        let context = Ctx::from_raw(context);
        let value = |raw| Value::from_raw(context.clone(), raw::dup(ctx, raw));
        let list = value(sites);
        list.as_object().and_then(|list| {
            (words.other)(&context, &message, list, regarded.map(|both| both.map(|one| value(one.raw()))))
        })
    };
    if let Some(other) = other {
        set(ctx, error, c"message", &other);
    }
}

/// Whether the engine made the error by itself. A constructor is a native function that is running now, and whose frame is
/// left out of the sites; a native that throws is their first. `Reflect.construct` is below a constructor.
fn is_engines(ctx: RawCtx, sites: Raw) -> bool {
    // SAFETY: looks at the frames; new references are given up.
    unsafe {
        let file = qjs::JS_GetScriptOrModuleName(ctx, 1);
        if file != qjs::JS_ATOM_NULL {
            qjs::JS_FreeAtom(ctx, file);
            return true;
        }
        // Natives have no file. A text that is compiled by a native is no file either.
        let file = ask_first(ctx, sites, c"getFileName");
        file.is_none_or(|file| is_evaluated(&file))
            && ask_first(ctx, sites, c"getFunctionName").is_none_or(|name| name != "construct")
    }
}

/// Has `explain(error, given, parsing)` called for what `JSON.parse` and `JSON.stringify` throw, before anybody sees it:
/// the words need what they were given.
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
    // SAFETY: the engine's function and the explaining one are the function's data; the exception is taken, and thrown
    // again unless the explaining one was left by an error of its own, which then counts.
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
