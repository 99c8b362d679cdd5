//! [`Module`]: ES modules.
//!
//! The engine compiles, links and evaluates modules. The embedder decides which module an import means: it reads the
//! [`requests`](Local::requests) of a module, gives a module for each to [`set_imports`](Local::set_imports), and calls
//! [`instantiate`](Local::instantiate) and [`evaluate`](Local::evaluate) on the root of a complete graph. `import()` and `import.meta` call
//! handlers of the embedder ([`Runtime::on_import`], [`Runtime::on_import_meta`]).
//!
//! A synthetic module has exports that the embedder sets. The engine's own have a default export only, so it is a module of generated source
//! text: a variable for each export, which is written through the module's environment, and `import.meta` as its only statement, whose
//! hook calls the embedder.
//!
//! # Safety
//!
//! The hooks are called by the engine with a context that runs. The private value of a module is the holder that `keep_record` made, whose
//! payload is a `Record`. The slot of a module with its script is `undefined` once its code has run to its end (`ModuleObject.h: ModuleSlot`,
//! `ModuleObject::onTopLevelEvaluationFinished`); the tests of this crate fail if a new engine lays modules out differently.

use std::cell::{Cell, RefCell};
use std::ffi::CStr;
use std::rc::Rc;

use mozjs::jsapi;
use mozjs::rooted;

use crate::array::Array;
use crate::compile::{CompileOptions, Source, Text};
use crate::exception::{ErrorKind, Fallible, Thrown};
use crate::function::{Function, guarded};
use crate::inspect::PromiseState;
use crate::local::{Kind, Local, sealed};
use crate::object::Object;
use crate::payload;
use crate::raw::{self, RawContext, RawObject};
use crate::runtime::{Runtime, state_of};
use crate::scope::Scope;
use crate::string::JsString;
use crate::value::Value;

/// An ES module: a record of the engine, which programs must not see.
#[derive(Debug)]
pub enum Module {}

impl sealed::Sealed for Module {}

impl Kind for Module {
    fn matches(value: sealed::Raw) -> bool {
        // SAFETY: the object is alive; its class and the class's name live as long as the process. No other class has this name.
        value.0.is_object()
            && unsafe { CStr::from_ptr((*mozjs::rust::get_object_class(value.0.to_object())).name) } == c"Module"
    }
}

/// The slot of a module's script.
const SCRIPT_SLOT: u32 = 0;

/// An import of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is imported.
    pub specifier: String,
    /// The import attribute `type`.
    pub kind: RequestKind,
    /// The line of the import.
    pub line: u32,
    /// The column of the import, from 1 on.
    pub column: u32,
}

/// The import attribute `type` of an import. The engine knows no other attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// No such attribute.
    None,
    /// `json`
    Json,
    /// A value that the engine does not know.
    Other,
}

/// The state of a module, as ECMA-262 has it in `[[Status]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleStatus {
    /// Compiled.
    Unlinked,
    /// Its imports are bound.
    Linked,
    /// Its code, or that of its imports, is running.
    Evaluating,
    /// Its code has run, or waits for a promise.
    Evaluated,
    /// Its code has thrown, or that of an import.
    Errored,
}

/// An `import()` to be answered.
#[derive(Debug)]
pub struct ImportCall<'s> {
    /// The value that the calling code was compiled with.
    pub referrer: Option<Local<'s, Value>>,
    /// The name of the file of the calling code.
    pub file: Option<String>,
    /// What is imported.
    pub specifier: Local<'s, JsString>,
    /// The import attribute `type`.
    pub kind: RequestKind,
    /// The promise that `import()` returned, which is to be settled.
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
    listed: RefCell<Option<Vec<Request>>>,
}

impl ModuleHooks {
    /// # Safety
    ///
    /// The context is alive.
    pub(crate) unsafe fn install(cx: *mut RawContext) {
        // SAFETY: the caller's.
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

/// Data of a module in addition to the engine's module record.
struct Record {
    requests: Vec<Request>,
    /// The exports of a synthetic module.
    exports: Option<Vec<String>>,
    /// Whether an evaluation that included the module has begun and not failed.
    is_started: Cell<bool>,
}

/// The properties of the object that holds a [`Record`].
mod property {
    /// The referrer of the module's source.
    pub(super) const REFERRER: &str = "referrer";
    /// The modules of the requests, as an array.
    pub(super) const IMPORTS: &str = "imports";
    /// The function that sets the exports of a synthetic module.
    pub(super) const EVALUATE: &str = "evaluate";
}

impl Module {
    /// Compiles a module. `referrer` of the source is also what [`Local::referrer`] returns.
    ///
    /// # Errors
    ///
    /// A SyntaxError, also for an import attribute other than `type`.
    pub fn compile<'s>(scope: Scope<'s>, source: Source<'_>) -> Fallible<Local<'s, Module>> {
        let text = Text::of(scope, source.text)?;
        let options = CompileOptions::new(scope, source.file, source.line, source.column);
        let module = compile(scope, &text, &options)?;
        let requests = list_requests(scope, module)?;
        let record = Record { requests, exports: None, is_started: Cell::new(false) };
        keep_record(scope, module, record, source.referrer, None)?;
        Ok(module)
    }

    /// A module with the given exports. They are `undefined` until [`set_export`](Local::set_export) sets them; `evaluate` is called
    /// without arguments to do so when the module is evaluated.
    ///
    /// # Errors
    ///
    /// A SyntaxError for a name twice, or one that is no well-formed text.
    pub fn synthetic<'s>(
        scope: Scope<'s>,
        file: &str,
        exports: Vec<String>,
        referrer: Option<Local<'_, Value>>,
        evaluate: Local<'_, Function>,
    ) -> Fallible<Local<'s, Module>> {
        let options = CompileOptions::new(scope, file, 1, 1);
        let module = compile(scope, &Text::Utf8(synthetic_source(&exports)), &options)?;
        let record = Record { requests: Vec::new(), exports: Some(exports), is_started: Cell::new(false) };
        keep_record(scope, module, record, referrer, Some(evaluate))?;
        Ok(module)
    }
}

/// The source text of a synthetic module: `var e0,e1;export{e0 as"name",e1 as"default"};import.meta`.
fn synthetic_source(exports: &[String]) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for index in 0..exports.len() {
        let _ = write!(text, "{}e{index}", if index == 0 { "var " } else { "," });
    }
    text.push_str(";export{");
    for (index, name) in exports.iter().enumerate() {
        let _ = write!(text, "e{index} as\"");
        for letter in name.chars() {
            match letter {
                '"' | '\\' => text.extend(['\\', letter]),
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                    let _ = write!(text, "\\u{{{:x}}}", u32::from(letter));
                }
                _ => text.push(letter),
            }
        }
        text.push_str("\",");
    }
    text.push_str("};import.meta");
    text
}

fn compile<'s>(scope: Scope<'s>, text: &Text, options: &CompileOptions) -> Fallible<Local<'s, Module>> {
    let cx = scope.cx();
    // SAFETY: text and options live during the call; the module is rooted at once.
    unsafe {
        let module = match text {
            Text::Utf8(text) => {
                let mut text = mozjs::rust::transform_str_to_source_text(text);
                jsapi::CompileModule1(cx, options.as_ptr(), &raw mut text)
            }
            Text::Utf16(text) => {
                let mut text = mozjs::rust::transform_u16_to_source_text(text);
                jsapi::CompileModule(cx, options.as_ptr(), &raw mut text)
            }
        };
        if module.is_null() {
            return Err(Thrown::pending(scope));
        }
        Ok(scope.root(raw::object(module)))
    }
}

/// Attaches a record to a module.
fn keep_record(
    scope: Scope<'_>,
    module: Local<'_, Module>,
    record: Record,
    referrer: Option<Local<'_, Value>>,
    evaluate: Option<Local<'_, Function>>,
) -> Fallible<()> {
    let holder = payload::new_holder(scope, record)?;
    holder.set_prototype(scope, None)?;
    if let Some(referrer) = referrer {
        holder.set(scope, property::REFERRER, referrer)?;
    }
    if let Some(evaluate) = evaluate {
        holder.set(scope, property::EVALUATE, evaluate)?;
    }
    // SAFETY: both values are read from their slots.
    unsafe { jsapi::SetModulePrivate(module.raw().to_object(), &holder.raw()) };
    Ok(())
}

/// Asks the engine to load the imports of a module, and notes what it asks for in turn. The loading is never finished.
fn list_requests(scope: Scope<'_>, module: Local<'_, Module>) -> Fallible<Vec<Request>> {
    let listed = &scope.state().modules.listed;
    listed.replace(Some(Vec::new()));
    let result = load_requested(scope, module);
    let requests = listed.take().unwrap_or_default();
    result.map(|()| requests)
}

/// Calls `on_load` for each import of a graph that has not been loaded.
fn load_requested(scope: Scope<'_>, module: Local<'_, Module>) -> Fallible<()> {
    unsafe extern "C" fn resolved(_: *mut RawContext, _: jsapi::HandleValue) -> bool {
        true
    }
    unsafe extern "C" fn rejected(cx: *mut RawContext, _: jsapi::HandleValue, error: jsapi::HandleValue) -> bool {
        // SAFETY: the engine's context and handle.
        unsafe { jsapi::JS_SetPendingException(cx, error, jsapi::ExceptionStackBehavior::DoNotCapture) };
        true
    }
    module.in_own_realm(scope, |scope| {
        let cx = scope.cx();
        rooted!(in(cx) let module = module.raw().to_object());
        rooted!(in(cx) let nothing = raw::undefined());
        // SAFETY: the handles are rooted, and the realm is that of the module's script.
        let ok = unsafe {
            let (module, nothing) = (module.handle().into(), nothing.handle().into());
            jsapi::LoadRequestedModules(cx, module, nothing, Some(resolved), Some(rejected))
                && !jsapi::JS_IsExceptionPending(cx)
        };
        Thrown::check(scope, ok)
    })
}

/// The [`Record`] attached to the engine's private value of a module, and its holder; none for a function or script.
fn holder_of<'s>(private: Local<'s, Value>) -> Option<(Local<'s, Object>, &'s Record)> {
    let holder = private.cast::<Object>()?;
    Some((holder, holder.payload::<Record>()?))
}

impl<'s> Local<'s, Module> {
    /// Runs `body` in the realm of the module: the engine ends the process if a module's script is used in another.
    fn in_own_realm<'t, R>(self, scope: Scope<'t>, body: impl FnOnce(Scope<'t>) -> R) -> R {
        let module: Local<'_, Object> = self.as_value().cast().expect("a module is an object");
        scope.in_realm_of(module, body)
    }

    fn is_in_realm_of(self, other: Local<'_, Module>) -> bool {
        // SAFETY: both objects are alive, and no wrappers.
        let realm = |module: Local<'_, Module>| unsafe { mozjs::rust::get_object_realm(module.raw().to_object()) };
        std::ptr::eq(realm(self), realm(other))
    }

    fn holder<'t>(self, scope: Scope<'t>) -> (Local<'t, Object>, &'t Record) {
        let private = scope.out();
        // SAFETY: the module is read from its slot; the slot of `private` is rooted.
        unsafe {
            let module = self.raw().to_object();
            mozjs::glue::JS_GetModulePrivate(module, raw::handle_mut(private.slot().cast_mut()));
        }
        holder_of(private).expect("the modules of this crate have a record")
    }

    /// The value that the module was compiled with.
    ///
    /// # Errors
    ///
    /// When there is no memory to look it up.
    pub fn referrer<'t>(self, scope: Scope<'t>) -> Fallible<Local<'t, Value>> {
        self.holder(scope).0.get(scope, property::REFERRER)
    }

    /// The imports of the module in source order, each pair of specifier and type once.
    pub fn requests<'t>(self, scope: Scope<'t>) -> &'t [Request] {
        &self.holder(scope).1.requests
    }

    /// Whether the embedder sets the exports.
    pub fn is_synthetic(self, scope: Scope<'_>) -> bool {
        scope.nested(|scope| self.holder(scope).1.exports.is_some())
    }

    /// Sets the modules that the requests mean, in their order.
    ///
    /// # Errors
    ///
    /// A TypeError if there are more or less modules than requests, or one is of another realm.
    pub fn set_imports(self, scope: Scope<'_>, modules: &[Local<'_, Module>]) -> Fallible<()> {
        scope.nested(|scope| {
            let (holder, record) = self.holder(scope);
            if modules.len() != record.requests.len() {
                return Err(scope.throw_type("a module must be given for each request"));
            }
            if !modules.iter().all(|module| module.is_in_realm_of(self)) {
                return Err(scope.throw_type("a module of another realm"));
            }
            let modules: Vec<_> = modules.iter().map(|module| module.as_value()).collect();
            holder.set(scope, property::IMPORTS, Array::new(scope, &modules)?)
        })
    }

    /// The modules that were given to [`set_imports`](Local::set_imports). None if it was not called.
    ///
    /// # Errors
    ///
    /// When there is no memory for the list.
    pub fn imports<'t>(self, scope: Scope<'t>) -> Fallible<Option<Vec<Local<'t, Module>>>> {
        let Some(list) = self.holder(scope).0.get(scope, property::IMPORTS)?.cast::<Array>() else { return Ok(None) };
        let length = list.len(scope) as u32;
        let module = |index| list.get(scope, index)?.cast().ok_or_else(|| scope.throw_type("not a module"));
        (0..length).map(module).collect::<Fallible<_>>().map(Some)
    }

    fn is_bound(self) -> bool {
        // SAFETY: the module is read from its slot.
        unsafe { jsapi::ModuleIsLinked(self.raw().to_object()) }
    }

    /// Whether the code of the module has run to its end.
    fn is_run(self) -> bool {
        let mut script = raw::undefined();
        // SAFETY: the module is read from its slot, and has this slot.
        unsafe { mozjs::glue::JS_GetReservedSlot(self.raw().to_object(), SCRIPT_SLOT, &raw mut script) };
        script.is_undefined()
    }

    /// Links the module and those that it imports.
    ///
    /// # Errors
    ///
    /// A SyntaxError if an import has no such export; an Error if a module of the graph has no imports set.
    pub fn instantiate(self, scope: Scope<'_>) -> Fallible<()> {
        if self.is_bound() {
            return Ok(());
        }
        load_requested(scope, self)?;
        self.link(scope)
    }

    fn link(self, scope: Scope<'_>) -> Fallible<()> {
        self.in_own_realm(scope, |scope| {
            let cx = scope.cx();
            rooted!(in(cx) let module = self.raw().to_object());
            // SAFETY: the handle is rooted.
            let ok = unsafe { jsapi::ModuleLink(cx, module.handle().into()) };
            Thrown::check(scope, ok)
        })
    }

    /// Runs the code of the module and of those that it imports, unless that was done before. Returns a promise, which is settled already
    /// if none of them awaits anything.
    ///
    /// # Errors
    ///
    /// An Error if the module is not linked, or is being evaluated. What the code throws rejects the promise.
    pub fn evaluate<'t>(self, scope: Scope<'t>) -> Fallible<Local<'t, Object>> {
        let begun = if self.is_run() { Vec::new() } else { self.unfinished(scope)? };
        let promise = self.run(scope)?;
        match promise.promise_state(scope) {
            // The modules after the one that has thrown are as before.
            Some(PromiseState::Rejected(_)) => drop(self.mark_failed(scope, &mut Vec::new())?),
            _ => begun.iter().for_each(|module| module.mark_started(scope)),
        }
        Ok(promise)
    }

    fn mark_started(self, scope: Scope<'_>) {
        scope.nested(|scope| self.holder(scope).1.is_started.set(true));
    }

    /// Follows an evaluation that has failed up to the module that has thrown, and marks those that wait for it. True if this is one.
    fn mark_failed<'t>(self, scope: Scope<'t>, seen: &mut Vec<Local<'t, Module>>) -> Fallible<bool> {
        if self.is_run() {
            return Ok(self.error(scope)?.is_some());
        }
        if seen.iter().any(|one| one.is_same(self)) {
            return Ok(false);
        }
        // SAFETY: the value is read from its slot.
        seen.push(unsafe { scope.root(self.raw()) });
        for module in self.imports(scope)?.unwrap_or_default() {
            if module.mark_failed(scope, seen)? {
                self.mark_started(scope);
                return Ok(true);
            }
        }
        // It waits for a promise.
        self.mark_started(scope);
        Ok(false)
    }

    fn run<'t>(self, scope: Scope<'t>) -> Fallible<Local<'t, Object>> {
        self.in_own_realm(scope, |scope| {
            let cx = scope.cx();
            rooted!(in(cx) let module = self.raw().to_object());
            rooted!(in(cx) let mut result = raw::undefined());
            // SAFETY: the handles are rooted.
            let ok = unsafe { jsapi::ModuleEvaluate(cx, module.handle().into(), result.handle_mut().into()) };
            // A panic in a native function of the graph has rejected the promise.
            let is_panicking = scope.state().panic.borrow().is_some();
            Thrown::check(scope, ok && !is_panicking)?;
            // SAFETY: the result is a promise, which was just read.
            Ok(unsafe { scope.root(result.get()) })
        })
    }

    /// The modules of the graph whose code has not run to its end.
    fn unfinished<'t>(self, scope: Scope<'t>) -> Fallible<Vec<Local<'t, Module>>> {
        let mut found: Vec<Local<'t, Module>> = Vec::new();
        // SAFETY: the value is read from its slot.
        let mut waiting = vec![unsafe { scope.root::<Module>(self.raw()) }];
        while let Some(module) = waiting.pop() {
            let is_known = found.iter().any(|one| one.is_same(module)) || module.is_run();
            if is_known || scope.nested(|scope| module.holder(scope).1.is_started.get()) {
                continue;
            }
            found.push(module);
            waiting.extend(module.imports(scope)?.unwrap_or_default());
        }
        Ok(found)
    }

    /// The state of the module.
    ///
    /// # Errors
    ///
    /// When there is no memory to tell it.
    pub fn status(self, scope: Scope<'_>) -> Fallible<ModuleStatus> {
        if !self.is_bound() {
            return Ok(ModuleStatus::Unlinked);
        }
        scope.nested(|scope| {
            // Linking a linked module has no effect; the engine refuses one that is being evaluated.
            if let Err(thrown) = self.link(scope) {
                return match scope.caught(thrown) {
                    Some(_) => Ok(ModuleStatus::Evaluating),
                    None => Err(scope.terminate()),
                };
            }
            if !self.is_run() && !self.holder(scope).1.is_started.get() {
                return Ok(ModuleStatus::Linked);
            }
            Ok(if self.error(scope)?.is_some() { ModuleStatus::Errored } else { ModuleStatus::Evaluated })
        })
    }

    /// The exception of the module's evaluation, thrown by its code or by an import. None if the module was not evaluated.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn error<'t>(self, scope: Scope<'t>) -> Fallible<Option<Local<'t, Value>>> {
        if !self.is_run() && !self.holder(scope).1.is_started.get() {
            return Ok(None);
        }
        // Nothing runs: the engine returns the promise of the first evaluation, or a new one that is settled like it.
        let promise = self.run(scope)?;
        match promise.promise_state(scope) {
            Some(PromiseState::Rejected(reason)) => {
                promise.mark_handled(scope)?;
                Ok(Some(reason))
            }
            _ => Ok(None),
        }
    }

    /// The namespace object, as `import * as namespace` gives it.
    ///
    /// # Errors
    ///
    /// An Error if the module is not linked.
    pub fn namespace<'t>(self, scope: Scope<'t>) -> Fallible<Local<'t, Object>> {
        if !self.is_bound() {
            return Err(scope.throw_error(ErrorKind::Error, "the module is not linked"));
        }
        self.in_own_realm(scope, |scope| {
            let cx = scope.cx();
            rooted!(in(cx) let module = self.raw().to_object());
            // SAFETY: the handle is rooted; the module is linked.
            let namespace = unsafe { jsapi::GetModuleNamespace(cx, module.handle().into()) };
            if namespace.is_null() {
                return Err(Thrown::pending(scope));
            }
            // SAFETY: the object was just read.
            Ok(unsafe { scope.root(raw::object(namespace)) })
        })
    }

    /// Sets an export of a synthetic module that is linked; at once visible to all importers. False if there is no such export.
    ///
    /// # Errors
    ///
    /// An Error if the module is not linked.
    pub fn set_export(self, scope: Scope<'_>, name: &str, value: Local<'_, Value>) -> Fallible<bool> {
        scope.nested(|scope| {
            let exports = self.holder(scope).1.exports.as_deref().unwrap_or_default();
            let Some(index) = exports.iter().position(|export| export == name) else { return Ok(false) };
            let cx = scope.cx();
            rooted!(in(cx) let module = self.raw().to_object());
            // SAFETY: the handle is rooted.
            rooted!(in(cx) let environment = unsafe { jsapi::GetModuleEnvironment(cx, module.handle().into()) });
            if environment.get().is_null() {
                return Err(scope.throw_error(ErrorKind::Error, "the module is not linked"));
            }
            let variable = std::ffi::CString::new(format!("e{index}")).unwrap_or_default();
            // SAFETY: all handles are rooted. The variable is an ordinary property of the environment.
            let ok = unsafe {
                jsapi::JS_SetProperty(cx, environment.handle().into(), variable.as_ptr(), raw::handle(value.slot()))
            };
            Thrown::check(scope, ok)?;
            Ok(true)
        })
    }
}

impl Local<'_, Object> {
    /// Treats the rejection of a promise as handled.
    ///
    /// # Errors
    ///
    /// When there is no memory to note it; a TypeError if the object is no promise.
    pub fn mark_handled(self, scope: Scope<'_>) -> Fallible<()> {
        self.with_promise(scope, |cx, promise| {
            // SAFETY: the handle is rooted and is that of a promise.
            unsafe {
                match jsapi::GetPromiseState(promise) {
                    jsapi::PromiseState::Pending => jsapi::SetAnyPromiseIsHandled(cx, promise),
                    _ => jsapi::SetSettledPromiseIsHandled(cx, promise),
                }
            }
        })
    }

    /// Resolves a promise, as its `resolve` function would.
    ///
    /// # Errors
    ///
    /// When there is no memory for it; a TypeError if the object is no promise.
    pub fn resolve_promise(self, scope: Scope<'_>, value: Local<'_, Value>) -> Fallible<()> {
        self.with_promise(scope, |cx, promise| {
            // SAFETY: the handles are rooted.
            unsafe { jsapi::ResolvePromise(cx, promise, raw::handle(value.slot())) }
        })
    }

    /// Rejects a promise, as its `reject` function would.
    ///
    /// # Errors
    ///
    /// As [`resolve_promise`](Local::resolve_promise).
    pub fn reject_promise(self, scope: Scope<'_>, reason: Local<'_, Value>) -> Fallible<()> {
        self.with_promise(scope, |cx, promise| {
            // SAFETY: the handles are rooted.
            unsafe { jsapi::RejectPromise(cx, promise, raw::handle(reason.slot())) }
        })
    }

    fn with_promise(
        self,
        scope: Scope<'_>,
        body: impl FnOnce(*mut RawContext, jsapi::HandleObject) -> bool,
    ) -> Fallible<()> {
        let cx = scope.cx();
        rooted!(in(cx) let promise = self.raw().to_object());
        // SAFETY: the handle is rooted.
        if !unsafe { jsapi::IsPromiseObject(promise.handle().into()) } {
            return Err(scope.throw_type("not a promise"));
        }
        Thrown::check(scope, body(cx, promise.handle().into()))
    }
}

impl Runtime {
    /// Sets the function that is called for each `import()`. It settles the promise of the call now or later; what it throws rejects it.
    pub fn on_import(&self, handler: impl for<'s> Fn(Scope<'s>, ImportCall<'s>) -> Fallible<()> + 'static) {
        self.state().modules.import.replace(Some(Rc::new(handler)));
    }

    /// Sets the function that fills the object `import.meta` when a module uses it first.
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
    // SAFETY: the engine calls this with a context that runs, and with handles. A request is an object of the engine's own.
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
            // The engine rejects a promise in place of ending the JavaScript that runs, which an interrupt does.
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
/// The handle is that of a script or null.
unsafe fn private_of<'s>(scope: Scope<'s>, script: jsapi::Handle<*mut jsapi::JSScript>) -> Local<'s, Value> {
    let private = scope.out();
    // SAFETY: the caller's; the slot is rooted.
    unsafe {
        if !script.get().is_null() {
            mozjs::glue::JS_GetScriptPrivate(script.get(), raw::handle_mut(private.slot().cast_mut()));
        }
    }
    private
}

/// The module that was set for an import.
///
/// # Safety
///
/// As for [`private_of`].
unsafe fn import_of<'s>(
    scope: Scope<'s>,
    referrer: jsapi::Handle<*mut jsapi::JSScript>,
    specifier: &str,
    kind: RequestKind,
) -> Fallible<Local<'s, Module>> {
    // SAFETY: the caller's.
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

/// Calls the handler of `import()`.
///
/// # Safety
///
/// As for [`private_of`].
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
    // SAFETY: the caller's; the name of the file is copied.
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
    // SAFETY: the engine calls this with a context that runs, and with handles of a module and an object.
    let state = unsafe { state_of(cx) };
    let done = guarded(state, |scope| {
        // SAFETY: as above.
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
