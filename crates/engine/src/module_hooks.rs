//! The engine's hooks for `import()`, static imports and `import.meta`, which call the embedder.
//!
//! # Safety
//!
//! The engine calls the hooks with a running context and rooted handles.

use std::cell::RefCell;
use std::ffi::CStr;
use std::rc::Rc;

use mozjs::jsapi;
use mozjs::rooted;

use crate::array::Array;
use crate::exception::{ErrorKind, Fallible, Thrown};
use crate::function::{Function, guarded};
use crate::local::Local;
use crate::module::{Module, Request, RequestKind, holder_of, property};
use crate::object::Object;
use crate::raw::{self, RawContext, RawObject};
use crate::runtime::{Runtime, state_of};
use crate::scope::Scope;
use crate::string::JsString;
use crate::value::Value;

/// An `import()` call that the embedder has to answer.
#[derive(Debug)]
pub struct ImportCall<'s> {
    /// The referrer with which the calling code was compiled.
    pub referrer: Option<Local<'s, Value>>,
    /// The name of the file of the calling code.
    pub file: Option<String>,
    /// The module specifier.
    pub specifier: Local<'s, JsString>,
    /// The import attribute `type`.
    pub kind: RequestKind,
    /// The promise that `import()` returned. The embedder settles it.
    pub promise: Local<'s, Object>,
}

type ImportHandler = Rc<dyn for<'s> Fn(Scope<'s>, ImportCall<'s>) -> Fallible<()>>;
type MetaHandler = Rc<dyn for<'s> Fn(Scope<'s>, Local<'s, Module>, Local<'s, Object>) -> Fallible<()>>;

/// The data that the engine's module hooks use.
#[derive(Default)]
pub(crate) struct ModuleHooks {
    import: RefCell<Option<ImportHandler>>,
    meta: RefCell<Option<MetaHandler>>,
    /// The requests of the module whose requests are being listed.
    pub(crate) listed: RefCell<Option<Vec<Request>>>,
}

impl ModuleHooks {
    /// # Safety
    ///
    /// The context is alive.
    pub(crate) unsafe fn install(cx: *mut RawContext) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let runtime = jsapi::JS_GetRuntime(cx);
            jsapi::SetModuleLoadHook(runtime, Some(on_load));
            jsapi::SetModuleMetadataHook(runtime, Some(on_meta));
        }
    }

    pub(crate) fn clear(&self) {
        drop(self.import.take());
        drop(self.meta.take());
    }
}

impl Runtime {
    /// Sets the function that is called for each `import()`. The function settles the promise of the call now or later;
    /// an exception that it throws rejects the promise.
    pub fn on_import(&self, handler: impl for<'s> Fn(Scope<'s>, ImportCall<'s>) -> Fallible<()> + 'static) {
        self.state().modules.import.replace(Some(Rc::new(handler)));
    }

    /// Sets the function that fills the object `import.meta` when a module first uses it.
    pub fn on_import_meta(
        &self,
        handler: impl for<'s> Fn(Scope<'s>, Local<'s, Module>, Local<'s, Object>) -> Fallible<()> + 'static,
    ) {
        self.state().modules.meta.replace(Some(Rc::new(handler)));
    }
}

fn kind_of(kind: jsapi::ModuleType) -> RequestKind {
    match kind {
        jsapi::ModuleType::JavaScript => RequestKind::None,
        jsapi::ModuleType::JSON => RequestKind::Json,
        _ => RequestKind::Other,
    }
}

/// The engine's hook for static imports and for `import()`.
unsafe extern "C" fn on_load(
    cx: *mut RawContext,
    referrer: jsapi::Handle<*mut jsapi::JSScript>,
    request: jsapi::HandleObject,
    _host_defined: jsapi::HandleValue,
    payload: jsapi::HandleValue,
    line: u32,
    column: jsapi::ColumnNumberOneOrigin,
) -> bool {
    // SAFETY: the engine calls this with a running context and rooted handles. A request is an internal object of the
    // engine.
    unsafe {
        let state = state_of(cx);
        let done = guarded(state, |scope| {
            let specifier = jsapi::GetModuleRequestSpecifier(cx, request);
            let specifier: Local<'_, JsString> = scope.root(raw::string(specifier));
            let kind = kind_of(jsapi::GetModuleRequestType(cx, request));
            rooted!(in(cx) let target = payload.get().to_object());
            if jsapi::IsPromiseObject(target.handle().into()) {
                let promise = scope.root(raw::object(target.get()));
                return import_dynamically(scope, referrer, specifier, kind, promise);
            }
            let specifier = specifier.to_text(scope)?;
            if let Some(listed) = state.modules.listed.borrow_mut().as_mut() {
                listed.push(Request { specifier, kind, line, column: column._base });
                return Ok(());
            }
            rooted!(in(cx) let module = import_of(scope, referrer, &specifier, kind)?.raw().to_object());
            let module = module.handle().into();
            Thrown::check(scope, jsapi::FinishLoadingImportedModule(cx, referrer, request, payload, module, false))
        });
        if done.is_none() && !jsapi::JS_IsExceptionPending(cx) {
            // The engine would reject a promise instead of ending the running JavaScript; an interrupt ends it.
            rooted!(in(cx) let nothing = raw::undefined());
            let stack = jsapi::ExceptionStackBehavior::DoNotCapture;
            jsapi::JS_SetPendingException(cx, nothing.handle().into(), stack);
            state.interrupter().interrupt();
        }
        done.is_some()
    }
}

/// The private value of a script.
///
/// # Safety
///
/// The handle holds a script or null.
unsafe fn private_of<'s>(scope: Scope<'s>, script: jsapi::Handle<*mut jsapi::JSScript>) -> Local<'s, Value> {
    let private = scope.out();
    // SAFETY: guaranteed by the caller; the slot is rooted.
    unsafe {
        if !script.get().is_null() {
            mozjs::glue::JS_GetScriptPrivate(script.get(), raw::handle_mut(private.slot().cast_mut()));
        }
    }
    private
}

/// Returns the module that was set for an import.
///
/// # Safety
///
/// The requirements of [`private_of`].
unsafe fn import_of<'s>(
    scope: Scope<'s>,
    referrer: jsapi::Handle<*mut jsapi::JSScript>,
    specifier: &str,
    kind: RequestKind,
) -> Fallible<Local<'s, Module>> {
    // SAFETY: guaranteed by the caller.
    let private = unsafe { private_of(scope, referrer) };
    if let Some((holder, record)) = holder_of(private)
        && let Some(index) = record.requests.iter().position(|one| one.specifier == specifier && one.kind == kind)
        && let Some(imports) = holder.get(scope, property::IMPORTS)?.cast::<Array>()
        && let Some(module) = imports.get(scope, index as u32)?.cast()
    {
        return Ok(module);
    }
    Err(scope.throw_error(ErrorKind::Error, &format!("request for '{specifier}' is not yet fulfilled")))
}

/// Calls the embedder's handler of `import()`.
///
/// # Safety
///
/// The requirements of [`private_of`].
unsafe fn import_dynamically<'s>(
    scope: Scope<'s>,
    script: jsapi::Handle<*mut jsapi::JSScript>,
    specifier: Local<'s, JsString>,
    kind: RequestKind,
    promise: Local<'s, Object>,
) -> Fallible<()> {
    let Some(handler) = scope.state().modules.import.borrow().clone() else {
        return Err(scope.throw_type("import() is not supported here"));
    };
    // SAFETY: guaranteed by the caller; the name of the file is copied.
    let (private, file) = unsafe {
        let file = if script.get().is_null() { std::ptr::null() } else { jsapi::JS_GetScriptFilename(script.get()) };
        let file = (!file.is_null()).then(|| CStr::from_ptr(file).to_string_lossy().into_owned());
        (private_of(scope, script), file)
    };
    let referrer = match holder_of(private) {
        Some((holder, _)) => holder.get(scope, property::REFERRER)?,
        None => private,
    };
    let referrer = Some(referrer).filter(|referrer| !referrer.is_undefined());
    handler(scope, ImportCall { referrer, file, specifier, kind, promise })
}

/// The engine's hook for `import.meta`.
unsafe extern "C" fn on_meta(cx: *mut RawContext, module: jsapi::HandleObject, meta: jsapi::HandleObject) -> bool {
    // SAFETY: the engine calls this with a running context, and with rooted handles of a module and an object.
    let state = unsafe { state_of(cx) };
    let done = guarded(state, |scope| {
        // SAFETY: the engine passes rooted handles of a module and an object.
        let (module, meta): (Local<'_, Module>, Local<'_, Object>) = unsafe {
            let root = |object: *mut RawObject| raw::object(object);
            (scope.root(root(module.get())), scope.root(root(meta.get())))
        };
        let evaluate = module.holder(scope).0.get(scope, property::EVALUATE)?;
        if let Some(evaluate) = evaluate.cast::<Function>() {
            return evaluate.call(scope, scope.undefined(), &[]).map(drop);
        }
        let handler = state.modules.meta.borrow().clone();
        handler.map_or(Ok(()), |handler| handler(scope, module, meta))
    });
    done.is_some()
}
