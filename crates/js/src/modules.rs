//! The engine's part of ES modules: compiling, linking and evaluating module records by name.
//!
//! Resolution, loading and CommonJS exports are JavaScript in `phasor-node`. The builtin `internal/modules/engine` exposes these native
//! functions to it, and it registers three hooks:
//!
//! - `resolve(base, specifier, attributes)` is called for each `import` while a source is compiled. It returns the name of a record that
//!   already exists: compiled or synthetic.
//! - `dynamic(base, specifier, attributes, fulfil, reject)` is called for each `import()`, in a job. It settles the promise later.
//! - `evaluate(name)` is called to evaluate a synthetic record; it sets the exports.
//!
//! # Ground rules
//! - `resolve` must not throw during compilation: the engine would free the incomplete record although records of a cycle may refer to
//!   it. JavaScript returns the name of an empty record instead, and throws when the graph is complete.
//! - A record that is being evaluated must not be evaluated again: the engine asserts that.
//!
//! # Safety
//! As `raw`: every record in the table is a counted reference, released in `clear_modules`. Names and sources live for the call that they
//! are passed to.
#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};

use rquickjs::{Ctx, Error, Exception, Function, Object, Result, Value, qjs};

use crate::builtins::{Builtin, Natives};
use crate::bytes::Utf8;
use crate::inspect;
use crate::raw::{self, Raw, RawCtx};
use crate::state::{State, current, state};

/// The module records, and the hooks.
#[derive(Default)]
pub(crate) struct Modules {
    /// The records by name.
    records: RefCell<HashMap<CString, Raw>>,
    resolve: Cell<Option<Raw>>,
    evaluate: Cell<Option<Raw>>,
    dynamic: Cell<Option<Raw>>,
}

/// The builtin with the engine's native functions for modules.
pub const MODULES: Builtin =
    Builtin::of_natives("internal/modules/engine", &Natives { name: "modules", make: natives });

fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    native!(object, "setHooks", set_hooks);
    native!(object, "compile", compile);
    native!(object, "synthetic", synthetic);
    native!(object, "setExport", set_export);
    native!(object, "meta", meta);
    native!(object, "namespace", namespace);
    native!(object, "evaluate", evaluate);
    native!(object, "settled", settled);
    native!(object, "markHandled", mark_handled);
    native!(object, "origin", |ctx: Ctx<'js>, Utf8(file): Utf8| state(&ctx).evaluated_origin(&file));
    Ok(object)
}

impl State {
    pub(crate) fn clear_modules(&self) {
        let records = self.modules.records.take();
        for (_, record) in records {
            raw::free(self.ctx, record);
        }
        let Modules { resolve, evaluate, dynamic, .. } = &self.modules;
        for hook in [resolve, evaluate, dynamic].into_iter().filter_map(Cell::take) {
            raw::free(self.ctx, hook);
        }
    }

    /// Finds a record by name. The table keeps the reference.
    fn record(&self, name: &CStr) -> Option<Raw> {
        self.modules.records.borrow().get(name).copied()
    }

    fn keep_record(&self, name: CString, record: Raw) {
        let old = self.modules.records.borrow_mut().insert(name, record);
        if let Some(old) = old {
            raw::free(self.ctx, old);
        }
    }
}

fn set_hooks<'js>(ctx: Ctx<'js>, resolve: Function<'js>, evaluate: Function<'js>, dynamic: Function<'js>) {
    let state = state(&ctx);
    let modules = &state.modules;
    for (cell, function) in [(&modules.resolve, resolve), (&modules.evaluate, evaluate), (&modules.dynamic, dynamic)] {
        let old = cell.replace(Some(raw::dup(state.ctx, function.as_value().as_raw())));
        if let Some(old) = old {
            raw::free(state.ctx, old);
        }
    }
    // SAFETY: the functions have the engine's signatures and use nothing but the thread's state.
    unsafe {
        qjs::JS_SetModuleLoaderFunc2(state.runtime, None, Some(on_load), None, std::ptr::null_mut());
        qjs::JS_SetModuleNormalizeFunc2(state.runtime, Some(on_resolve));
    }
}

fn c_name(ctx: &Ctx<'_>, name: &str) -> Result<CString> {
    CString::new(name).map_err(|_| Exception::throw_type(ctx, "a module's name cannot have a null in it"))
}

fn known(ctx: &Ctx<'_>, name: &str) -> Result<Raw> {
    let name = c_name(ctx, name)?;
    match state(ctx).record(&name) {
        Some(record) => Ok(record),
        None => {
            Err(Exception::throw_reference(ctx, &format!("there is no module of the name {}", name.to_string_lossy())))
        }
    }
}

fn definition(record: Raw) -> *mut qjs::JSModuleDef {
    // SAFETY: records are module values, whose pointer is their definition.
    unsafe { qjs::JS_VALUE_GET_PTR(record).cast() }
}

/// Wraps a returned value, or returns the pending exception as an error.
fn taken<'js>(ctx: &Ctx<'js>, value: Raw) -> Result<Value<'js>> {
    if raw::is_exception(value) {
        return Err(Error::Exception);
    }
    // SAFETY: the new reference goes to the value.
    Ok(unsafe { Value::from_raw(ctx.clone(), value) })
}

/// Compiles a source and everything that it imports, under a name. `import.meta` is still empty.
fn compile(ctx: Ctx<'_>, Utf8(name): Utf8, Utf8(mut text): Utf8) -> Result<()> {
    let name = c_name(&ctx, &name)?;
    // Prepend two lines: the engine's columns in a first line are one too small, and 0 is not a valid line number.
    text.insert_str(0, "\n\n");
    let length = text.len();
    text.push('\0');
    let flags = qjs::JS_EVAL_TYPE_MODULE | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    let mut options = qjs::JSEvalOptions {
        version: qjs::JS_EVAL_OPTIONS_VERSION as _,
        eval_flags: flags as _,
        filename: name.as_ptr(),
        line_num: -1,
    };
    // SAFETY: the text ends with a nul, and text and name live until the call returns.
    let record = unsafe { qjs::JS_Eval2(ctx.as_raw().as_ptr(), text.as_ptr().cast(), length as _, &mut options) };
    if raw::is_exception(record) {
        return Err(Error::Exception);
    }
    state(&ctx).keep_record(name, record);
    Ok(())
}

/// Creates a synthetic record with these export names.
fn synthetic(ctx: Ctx<'_>, Utf8(name): Utf8, exports: Vec<Utf8>) -> Result<()> {
    let name = c_name(&ctx, &name)?;
    let raw_ctx = ctx.as_raw().as_ptr();
    let mut names = Vec::with_capacity(exports.len());
    for Utf8(export) in &exports {
        names.push(c_name(&ctx, export)?);
    }
    // SAFETY: the names live for the calls. The context owns the new record; the table takes another reference.
    let record = unsafe {
        let module = qjs::JS_NewCModule(raw_ctx, name.as_ptr(), Some(on_evaluate));
        if module.is_null() {
            return Err(Error::Exception);
        }
        for name in &names {
            if qjs::JS_AddModuleExport(raw_ctx, module, name.as_ptr()) < 0 {
                return Err(Error::Exception);
            }
        }
        raw::dup(raw_ctx, qjs::JS_MKPTR(qjs::JS_TAG_MODULE, module.cast()))
    };
    state(&ctx).keep_record(name, record);
    Ok(())
}

/// Sets an export of a synthetic record.
fn set_export<'js>(ctx: Ctx<'js>, Utf8(name): Utf8, Utf8(export): Utf8, value: Value<'js>) -> Result<()> {
    let record = known(&ctx, &name)?;
    let export = c_name(&ctx, &export)?;
    let raw_ctx = ctx.as_raw().as_ptr();
    // SAFETY: the record is alive; the engine takes the new reference to the value.
    let failed = unsafe {
        let value = raw::dup(raw_ctx, value.as_raw());
        qjs::JS_SetModuleExport(raw_ctx, definition(record), export.as_ptr(), value) < 0
    };
    if failed {
        return Err(Exception::throw_reference(&ctx, "no such export"));
    }
    Ok(())
}

/// The `import.meta` of a record.
fn meta<'js>(ctx: Ctx<'js>, Utf8(name): Utf8) -> Result<Value<'js>> {
    let record = known(&ctx, &name)?;
    // SAFETY: the record is alive; the result is a new reference or `JS_EXCEPTION`.
    taken(&ctx, unsafe { qjs::JS_GetImportMeta(ctx.as_raw().as_ptr(), definition(record)) })
}

/// The namespace object of a record.
fn namespace<'js>(ctx: Ctx<'js>, Utf8(name): Utf8) -> Result<Value<'js>> {
    let record = known(&ctx, &name)?;
    // SAFETY: as in `meta`.
    taken(&ctx, unsafe { qjs::JS_GetModuleNamespace(ctx.as_raw().as_ptr(), definition(record)) })
}

/// Links and evaluates a record, unless that was done before. Throws if linking fails; otherwise returns a promise.
fn evaluate<'js>(ctx: Ctx<'js>, Utf8(name): Utf8) -> Result<Value<'js>> {
    let record = known(&ctx, &name)?;
    let raw_ctx = ctx.as_raw().as_ptr();
    // SAFETY: the engine takes the new reference.
    taken(&ctx, unsafe { qjs::JS_EvalFunction(raw_ctx, raw::dup(raw_ctx, record)) })
}

/// Whether a promise is pending (0), fulfilled (1) or rejected (2), and its value.
fn settled<'js>(ctx: Ctx<'js>, promise: Value<'js>) -> Result<Vec<Value<'js>>> {
    let Some((state, value)) = inspect::promise_parts(&ctx, &promise) else {
        return Err(Exception::throw_type(&ctx, "not a promise"));
    };
    Ok(vec![Value::new_int(ctx, state), value])
}

/// Marks a promise's rejection as handled.
fn mark_handled<'js>(ctx: Ctx<'js>, promise: Value<'js>) {
    // SAFETY: only sets a flag of the promise.
    unsafe { qjs::JS_PromiseMarkAsHandled(ctx.as_raw().as_ptr(), promise.as_raw()) };
    state(&ctx).forget_rejection(&promise);
}

/// The engine's resolve callback.
unsafe extern "C" fn on_resolve(
    ctx: RawCtx,
    base: *const c_char,
    specifier: *const c_char,
    attributes: Raw,
    _opaque: *mut c_void,
) -> *mut c_char {
    // SAFETY: called by the engine of this thread's host, with strings that live for the call; each new reference is
    // released once. The engine frees the returned name.
    unsafe {
        let Some(hook) = current().modules.resolve.get() else { return std::ptr::null_mut() };
        let text_of = |text: *const c_char| qjs::JS_NewStringLen(ctx, text, CStr::from_ptr(text).count_bytes() as _);
        let base = text_of(base);
        let specifier = text_of(specifier);
        let name = raw::call(ctx, hook, qjs::JS_UNDEFINED, &mut [base, specifier, attributes]);
        raw::free(ctx, base);
        raw::free(ctx, specifier);
        if raw::is_exception(name) {
            return std::ptr::null_mut();
        }
        let text = qjs::JS_ToCString(ctx, name);
        raw::free(ctx, name);
        if text.is_null() {
            return std::ptr::null_mut();
        }
        let copy = qjs::js_strdup(ctx, text);
        qjs::JS_FreeCString(ctx, text);
        copy
    }
}

/// The engine's load callback, for a record that was created with other attributes.
unsafe extern "C" fn on_load(
    ctx: RawCtx,
    name: *const c_char,
    _opaque: *mut c_void,
    _attributes: Raw,
) -> *mut qjs::JSModuleDef {
    // SAFETY: as `on_resolve`.
    unsafe {
        if let Some(record) = current().record(CStr::from_ptr(name)) {
            return definition(record);
        }
        qjs::JS_ThrowReferenceError(ctx, c"could not load module '%s'".as_ptr(), name);
        std::ptr::null_mut()
    }
}

/// The job of an `import()`. Arguments: the functions that fulfil and reject its promise, the name of the importing code, the specifier
/// and the attributes.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_imports(ctx: RawCtx, args: *const [Raw; 5]) {
    // SAFETY: as `on_resolve`; the engine keeps its references to the values.
    unsafe {
        let [fulfil, reject, base, specifier, attributes] = *args;
        let Some(hook) = current().modules.dynamic.get() else { return };
        current().enter_context_of(fulfil);
        let result = raw::call(ctx, hook, qjs::JS_UNDEFINED, &mut [base, specifier, attributes, fulfil, reject]);
        if raw::is_exception(result) {
            let error = qjs::JS_GetException(ctx);
            raw::free(ctx, raw::call(ctx, reject, qjs::JS_UNDEFINED, &mut [error]));
            raw::free(ctx, error);
        }
        raw::free(ctx, result);
    }
}

/// Evaluates a synthetic record.
unsafe extern "C" fn on_evaluate(ctx: RawCtx, module: *mut qjs::JSModuleDef) -> c_int {
    // SAFETY: as `on_resolve`.
    unsafe {
        let Some(hook) = current().modules.evaluate.get() else { return 0 };
        let atom = qjs::JS_GetModuleName(ctx, module);
        let name = qjs::JS_AtomToString(ctx, atom);
        qjs::JS_FreeAtom(ctx, atom);
        let result = raw::call(ctx, hook, qjs::JS_UNDEFINED, &mut [name]);
        raw::free(ctx, name);
        if raw::is_exception(result) {
            return -1;
        }
        raw::free(ctx, result);
        0
    }
}
