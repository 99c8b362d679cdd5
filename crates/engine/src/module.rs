//! [`Module`]: ES modules.
//!
//! The engine compiles, links and evaluates modules. The embedder decides which module an import refers to. It reads
//! the [`requests`](Local::requests) of a module, passes a module for each request to
//! [`set_imports`](Local::set_imports), and calls [`instantiate`](Local::instantiate) and [`evaluate`](Local::evaluate)
//! on the root of a complete graph. `import()` and `import.meta` call handlers of the embedder: see `module_hooks.rs`.
//!
//! A synthetic module has exports that the embedder sets. The engine's own synthetic modules have a default export
//! only. So here a synthetic module is compiled from generated source text: a variable for each export, written through
//! the module's environment, and the statement `import.meta`, whose hook calls the embedder.
//!
//! # Safety
//!
//! The private value of a module is the holder that `keep_record` made, whose payload is a `Record`. The slot that
//! holds the module's script is `undefined` once the code has run to its end (`ModuleObject.h: ModuleSlot`,
//! `ModuleObject::onTopLevelEvaluationFinished`); the tests of this crate fail if a new engine lays modules out
//! differently.

use std::cell::Cell;
use std::ffi::CStr;

use mozjs::jsapi;
use mozjs::rooted;

use crate::array::Array;
use crate::compile::{CompileOptions, Source, Text};
use crate::exception::{ErrorKind, Fallible, Thrown};
use crate::function::Function;
use crate::inspect::PromiseState;
use crate::local::{Kind, Local, sealed};
use crate::object::Object;
use crate::payload;
use crate::raw::{self, RawContext};
use crate::scope::Scope;
use crate::value::Value;

/// An ES module: a record of the engine. Programs must not get a reference to it.
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

/// The reserved slot with a module's script.
const SCRIPT_SLOT: u32 = 0;

/// An import of a module: `[[RequestedModules]]` of ECMA-262.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The module specifier.
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
    /// The import has no attribute `type`.
    None,
    /// `json`
    Json,
    /// A value that this crate does not know.
    Other,
}

/// The state of a module: `[[Status]]` of ECMA-262.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleStatus {
    /// Compiled.
    Unlinked,
    /// Its imports are bound.
    Linked,
    /// Its code, or the code of one of its imports, is running.
    Evaluating,
    /// Its code has run to its end, or waits for a promise (top-level `await`).
    Evaluated,
    /// Its code, or the code of one of its imports, has thrown.
    Errored,
}

/// Data of a module in addition to the engine's module record.
pub(crate) struct Record {
    pub(crate) requests: Vec<Request>,
    /// The exports of a synthetic module.
    exports: Option<Vec<String>>,
    /// Whether an evaluation that included the module has begun and not failed.
    is_started: Cell<bool>,
}

/// The names of the properties of the object that holds a [`Record`].
pub(crate) mod property {
    /// The referrer of the module's source.
    pub(crate) const REFERRER: &str = "referrer";
    /// The modules that were set for the requests, as an array.
    pub(crate) const IMPORTS: &str = "imports";
    /// The function that sets the exports of a synthetic module.
    pub(crate) const EVALUATE: &str = "evaluate";
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
    /// A SyntaxError for a duplicate export name, or a name with lone surrogates.
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

/// Lists the requests of a module. Asks the engine to load the imports, and the hook `on_load` records each request.
/// The loading is never finished.
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

/// The [`Record`] attached to the engine's private value of a module, and its holder; None if the private value belongs
/// to a function or script.
pub(crate) fn holder_of<'s>(private: Local<'s, Value>) -> Option<(Local<'s, Object>, &'s Record)> {
    let holder = private.cast::<Object>()?;
    Some((holder, holder.payload::<Record>()?))
}

impl<'s> Local<'s, Module> {
    /// Runs `body` in the realm of the module: the engine ends the process if a module's script is used in another
    /// realm.
    fn in_own_realm<'t, R>(self, scope: Scope<'t>, body: impl FnOnce(Scope<'t>) -> R) -> R {
        let module: Local<'_, Object> = self.as_value().cast().expect("a module is an object");
        scope.in_realm_of(module, body)
    }

    fn is_in_realm_of(self, other: Local<'_, Module>) -> bool {
        // SAFETY: both objects are alive, and no wrappers.
        let realm = |module: Local<'_, Module>| unsafe { mozjs::rust::get_object_realm(module.raw().to_object()) };
        std::ptr::eq(realm(self), realm(other))
    }

    pub(crate) fn holder<'t>(self, scope: Scope<'t>) -> (Local<'t, Object>, &'t Record) {
        let private = scope.out();
        // SAFETY: the module is read from its slot; the slot `private` is rooted.
        unsafe {
            let module = self.raw().to_object();
            mozjs::glue::JS_GetModulePrivate(module, raw::handle_mut(private.slot().cast_mut()));
        }
        holder_of(private).expect("the modules of this crate have a record")
    }

    /// The referrer with which the module was compiled.
    ///
    /// # Errors
    ///
    /// When there is no memory to look it up.
    pub fn referrer<'t>(self, scope: Scope<'t>) -> Fallible<Local<'t, Value>> {
        self.holder(scope).0.get(scope, property::REFERRER)
    }

    /// The imports of the module in source order. Each pair of specifier and type is listed once.
    pub fn requests<'t>(self, scope: Scope<'t>) -> &'t [Request] {
        &self.holder(scope).1.requests
    }

    /// Whether the module is synthetic: the embedder sets its exports.
    pub fn is_synthetic(self, scope: Scope<'_>) -> bool {
        scope.nested(|scope| self.holder(scope).1.exports.is_some())
    }

    /// Sets the modules that the requests refer to, in the order of the requests.
    ///
    /// # Errors
    ///
    /// A TypeError if the number of modules differs from the number of requests, or a module is of another realm.
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
        // SAFETY: the module is read from its slot, and every module has the slot `SCRIPT_SLOT`.
        unsafe { mozjs::glue::JS_GetReservedSlot(self.raw().to_object(), SCRIPT_SLOT, &raw mut script) };
        script.is_undefined()
    }

    /// Links the module and the modules that it imports.
    ///
    /// # Errors
    ///
    /// A SyntaxError if an imported module lacks the imported export. An Error if the imports of a module of the graph
    /// are not set.
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

    /// Runs the code of the module and of the modules that it imports, unless it has run before. Returns a promise,
    /// which is already settled if no module uses top-level `await`.
    ///
    /// # Errors
    ///
    /// An Error if the module is not linked, or is being evaluated. An exception of the code rejects the promise.
    pub fn evaluate<'t>(self, scope: Scope<'t>) -> Fallible<Local<'t, Object>> {
        let begun = if self.is_run() { Vec::new() } else { self.unfinished(scope)? };
        let promise = self.run(scope)?;
        match promise.promise_state(scope) {
            // The modules that would have run after the one that has thrown keep their state.
            Some(PromiseState::Rejected(_)) => drop(self.mark_failed(scope, &mut Vec::new())?),
            _ => begun.iter().for_each(|module| module.mark_started(scope)),
        }
        Ok(promise)
    }

    fn mark_started(self, scope: Scope<'_>) {
        scope.nested(|scope| self.holder(scope).1.is_started.set(true));
    }

    /// After a failed evaluation, follows the imports to the module that has thrown, and marks the modules that wait
    /// for it. Returns true if this module or one of its imports has thrown.
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
        // The module waits for a promise.
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
    /// If there is no memory to find it out.
    pub fn status(self, scope: Scope<'_>) -> Fallible<ModuleStatus> {
        if !self.is_bound() {
            return Ok(ModuleStatus::Unlinked);
        }
        scope.nested(|scope| {
            // To find out whether the module is linked, link it again: linking a linked module has no effect, and the
            // engine refuses to link a module that is being evaluated.
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

    /// The exception of the module's evaluation, thrown by its code or by an import. None if the module was not
    /// evaluated or has not thrown.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn error<'t>(self, scope: Scope<'t>) -> Fallible<Option<Local<'t, Value>>> {
        if !self.is_run() && !self.holder(scope).1.is_started.get() {
            return Ok(None);
        }
        // No code runs: the engine returns the promise of the first evaluation, or a new promise that is settled in the
        // same way.
        let promise = self.run(scope)?;
        match promise.promise_state(scope) {
            Some(PromiseState::Rejected(reason)) => {
                promise.mark_handled(scope)?;
                Ok(Some(reason))
            }
            _ => Ok(None),
        }
    }

    /// The namespace object, to which `import * as namespace` binds the name.
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

    /// Sets an export of a linked synthetic module. All importers see the new value at once. Returns false if there is
    /// no such export.
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
