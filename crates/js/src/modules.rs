//! The native functions of `internal/modules/engine`: ES modules.
//!
//! Resolution and loading are JavaScript in `phasor-builtins` (`src/module/esm.js`). It holds the modules of the engine in its records, and registers two hooks:
//!
//! - `dynamic(referrer, specifier, type, promise)` is called by each `import()`, before that returns its promise. It settles the promise
//!   later.
//! - `meta(referrer, meta)` fills the `import.meta` of a module.

use std::cell::RefCell;

use phasor_engine::{
    Fallible, Function, Global, IntoJs, JsString, Local, Module, ModuleStatus, Object, PromiseState, RequestKind,
    Runtime, Scope, Source, Value, define_natives,
};

use crate::builtins::Natives;
use crate::state::state;

/// The native functions of `internal/modules/engine`: ES modules.
pub const MODULES: Natives = Natives { name: "modules", make: natives };

/// The hooks in JavaScript.
#[derive(Debug, Default)]
pub(crate) struct ModuleHooks {
    dynamic: RefCell<Option<Global<Function>>>,
    meta: RefCell<Option<Global<Function>>>,
}

impl ModuleHooks {
    /// Makes the engine call the hooks of the thread that runs.
    pub(crate) fn install(runtime: &Runtime) {
        runtime.on_import(|scope, call| {
            let hook = state(scope).modules.dynamic.borrow().as_ref().map(|hook| hook.get(scope));
            let Some(hook) = hook else { return Err(scope.throw_type("import() is not supported here")) };
            let referrer = match call.referrer {
                Some(referrer) => referrer,
                None => call.file.as_deref().map(evaluating_file).into_js(scope)?,
            };
            let kind = kind_of(scope, call.kind)?;
            hook.call_with(scope, (), (referrer, call.specifier, kind, call.promise)).map(drop)
        });
        runtime.on_import_meta(|scope, module, meta| {
            let hook = state(scope).modules.meta.borrow().as_ref().map(|hook| hook.get(scope));
            let Some(hook) = hook else { return Ok(()) };
            hook.call_with(scope, (), (module.referrer(scope)?, meta)).map(drop)
        });
    }

    pub(crate) fn clear(&self) {
        drop(self.dynamic.take());
        drop(self.meta.take());
    }
}

/// The file whose code called `eval` or `Function`: the engine's name for such code is `file line 1 > eval`.
fn evaluating_file(mut file: &str) -> &str {
    while let Some((before, kind)) = file.rsplit_once(" > ")
        && matches!(kind, "eval" | "Function" | "AsyncFunction" | "GeneratorFunction" | "AsyncGenerator")
        && let Some((outer, line)) = before.rsplit_once(" line ")
        && line.bytes().all(|byte| byte.is_ascii_digit())
    {
        file = outer;
    }
    file
}

/// The import attribute `type` for JavaScript: `undefined`, `'json'`, or null for a value that the engine does not know.
fn kind_of<'s>(scope: Scope<'s>, kind: RequestKind) -> Fallible<Local<'s, Value>> {
    match kind {
        RequestKind::None => Ok(scope.undefined()),
        RequestKind::Json => "json".into_js(scope),
        RequestKind::Other => Ok(scope.null()),
    }
}

fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives,
        "setHooks" => |scope: Scope<'_>, dynamic: Local<'_, Function>, meta: Local<'_, Function>| {
            let hooks = &state(scope).modules;
            hooks.dynamic.replace(Some(Global::new(scope, dynamic)));
            hooks.meta.replace(Some(Global::new(scope, meta)));
        },
        "compileModule" => compile_module,
        "requests" => requests,
        "makeSynthetic" => make_synthetic,
        "setImports" => |scope: Scope<'_>, module: Local<'_, Module>, imports: Vec<Local<'_, Module>>| {
            module.set_imports(scope, &imports)
        },
        "instantiate" => |scope: Scope<'_>, module: Local<'_, Module>| module.instantiate(scope),
        "evaluate" => evaluate,
        "status" => status,
        "namespace" => namespace,
        "errorOf" => error_of,
        "setExport" => |scope: Scope<'_>, module: Local<'_, Module>, name: String, value: Local<'_, Value>| {
            module.set_export(scope, &name, value)
        },
        "settled" => settled,
        "markHandled" => |scope: Scope<'_>, promise: Local<'_, Object>| promise.mark_handled(scope),
        "fulfil" => |scope: Scope<'_>, promise: Local<'_, Object>, value: Local<'_, Value>| {
            promise.resolve_promise(scope, value)
        },
        "reject" => |scope: Scope<'_>, promise: Local<'_, Object>, reason: Local<'_, Value>| {
            promise.reject_promise(scope, reason)
        },
    );
    Ok(natives)
}

/// `(file, text, referrer, realm, lines)`: compiles a module, in another realm if one is given. The hooks get the referrer. `lines` is the
/// number of lines before the text in its file: positions count from there.
fn compile_module<'s>(
    scope: Scope<'s>,
    file: String,
    text: Local<'s, JsString>,
    referrer: Local<'s, Value>,
    realm: Option<Local<'s, Object>>,
    lines: Option<i32>,
) -> Fallible<Local<'s, Module>> {
    let line = u32::try_from(lines.unwrap_or(0).saturating_add(1)).unwrap_or(0);
    let source = Source { referrer: Some(referrer), line, ..Source::new(text, &file) };
    match realm {
        Some(realm) => scope.in_realm_of(realm, |scope| Module::compile(scope, source)),
        None => Module::compile(scope, source),
    }
}

/// The imports of a module, as lists of specifier, type, line and column.
fn requests<'s>(scope: Scope<'s>, module: Local<'s, Module>) -> Fallible<Vec<Local<'s, Value>>> {
    let row = |request: &phasor_engine::Request| {
        let kind = kind_of(scope, request.kind)?;
        let place = [scope.number(request.line), scope.number(request.column)];
        [request.specifier.as_str().into_js(scope)?, kind, place[0], place[1]].into_js(scope)
    };
    module.requests(scope).iter().map(row).collect()
}

/// `(file, names, run, realm)`: a module with these exports, which `run` sets, in another realm if one is given.
fn make_synthetic<'s>(
    scope: Scope<'s>,
    file: String,
    names: Vec<String>,
    run: Local<'s, Function>,
    realm: Option<Local<'s, Object>>,
) -> Fallible<Local<'s, Module>> {
    match realm {
        Some(realm) => scope.in_realm_of(realm, |scope| Module::synthetic(scope, &file, names, None, run)),
        None => Module::synthetic(scope, &file, names, None, run),
    }
}

/// The promise of the evaluation, which is begun unless it was before.
fn evaluate<'s>(scope: Scope<'s>, module: Local<'s, Module>) -> Fallible<Local<'s, Object>> {
    let promise = module.evaluate(scope)?;
    // If the module's code is terminated, the engine rejects the promise with `undefined` and goes on.
    if state(scope).is_leaving() { Err(scope.terminate()) } else { Ok(promise) }
}

/// The state of a module in the words of ECMA-262.
fn status(scope: Scope<'_>, module: Local<'_, Module>) -> Fallible<&'static str> {
    Ok(match module.status(scope)? {
        ModuleStatus::Unlinked => "unlinked",
        ModuleStatus::Linked => "linked",
        ModuleStatus::Evaluating => "evaluating",
        ModuleStatus::Evaluated => "evaluated",
        ModuleStatus::Errored => "errored",
    })
}

/// The namespace object of a linked module.
fn namespace<'s>(scope: Scope<'s>, module: Local<'s, Module>) -> Fallible<Local<'s, Object>> {
    module.namespace(scope)
}

/// The error of a module whose evaluation failed.
fn error_of<'s>(scope: Scope<'s>, module: Local<'s, Module>) -> Fallible<Option<Local<'s, Value>>> {
    module.error(scope)
}

/// Whether a promise is pending (0), fulfilled (1) or rejected (2), and its value.
fn settled<'s>(scope: Scope<'s>, promise: Local<'s, Object>) -> Fallible<Local<'s, Value>> {
    let (state, value) = match promise.promise_state(scope) {
        Some(PromiseState::Pending) => (0, scope.undefined()),
        Some(PromiseState::Fulfilled(value)) => (1, value),
        Some(PromiseState::Rejected(reason)) => (2, reason),
        None => return Err(scope.throw_type("not a promise")),
    };
    [scope.number(state), value].into_js(scope)
}

#[cfg(test)]
mod tests {
    use super::evaluating_file;

    #[test]
    fn the_file_of_evaluated_code_is_that_of_its_caller() {
        let names = [
            ("/a b.js", "/a b.js"),
            ("/a.js line 3 > eval", "/a.js"),
            ("/a.js line 3 > eval line 1 > Function", "/a.js"),
            ("/a > eval", "/a > eval"),
        ];
        for (name, file) in names {
            assert_eq!(evaluating_file(name), file);
        }
    }
}
