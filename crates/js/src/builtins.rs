//! Builtin modules: JavaScript that is part of the program, compiled when it is first required.
//!
//! A source is the body of `(exports, require, module, native)`. `require` resolves builtin ids only, without `node:`.
//! `native` is the object with the Rust functions of the source's folder. `Object`, `Promise` and the other ECMAScript
//! globals are the originals there, even if a script has replaced them, and so are their functions in `primordials`. Which modules users may
//! require, and modules in files, are up to the module system, which is JavaScript in `phasor-builtins` (`src/module`).

use std::cell::RefCell;
use std::collections::HashMap;

use phasor_engine::{
    Array, Attributes, CompiledScript, Fallible, Function, Global, Local, Object, Origin, Runtime, Scope,
    SelfHostedCode, Value, native_fn,
};

use crate::primordials;
use crate::state::state;

/// A module that is part of the program.
#[derive(Clone, Copy)]
pub struct Builtin {
    /// The name of the module, without `node:`; ids of internal modules begin with `internal/`.
    pub id: &'static str,
    /// Whether users may require it.
    pub public: bool,
    /// The body of its function.
    ///
    /// Returns the source text. This is a function, so that the texts do not lie between the ids, which each start
    /// iterates over.
    pub source: fn() -> &'static str,
    /// The name of its native functions in [`BuiltinSet::natives`].
    pub natives: Option<&'static str>,
}

/// The modules that a host is made with.
#[derive(Clone, Copy)]
pub struct BuiltinSet {
    /// The builtin with an id.
    pub find: fn(&str) -> Option<&'static Builtin>,
    /// All builtins, sorted by id.
    pub all: fn() -> Vec<&'static Builtin>,
    /// The native functions of builtins; those of this crate need not be listed.
    pub natives: &'static [Natives],
    /// The compiled code of the builtins. None: the sources are compiled when a builtin is loaded.
    pub compiled: Option<Compiled>,
    /// Formats for the engine's messages.
    pub error_formats: &'static [phasor_engine::ErrorFormat],
}

impl std::fmt::Debug for BuiltinSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BuiltinSet").finish_non_exhaustive()
    }
}

/// The native functions of this crate.
const OWN_NATIVES: [Natives; 4] = [crate::ASYNC_CONTEXT, crate::MODULES, crate::SCHEDULER, crate::SCRIPTS];

/// The builtins and the engine's own JavaScript, compiled when the program was built.
#[derive(Clone, Copy, Debug)]
pub struct Compiled {
    /// The code of a builtin, by its id.
    pub code: fn(&str) -> Option<CompiledScript>,
    /// The engine's own JavaScript.
    pub self_hosted: SelfHostedCode,
}

/// The native functions of a folder of builtins, created once per context.
pub struct Natives {
    /// The folder's name.
    pub name: &'static str,
    /// Creates the object.
    pub make: for<'s> fn(Scope<'s>) -> Fallible<Local<'s, Object>>,
}

/// The table of builtins, and the loaded ones.
pub(crate) struct Registry {
    set: BuiltinSet,
    /// The `module` objects by id.
    modules: RefCell<HashMap<&'static str, Global<Object>>>,
    /// The ids of the loaded builtins, in the order of loading.
    loaded: RefCell<Vec<&'static str>>,
    /// The objects of native functions, by folder.
    natives: RefCell<HashMap<&'static str, Global<Object>>>,
    /// The `require` function of builtins.
    require: RefCell<Option<Global<Function>>>,
    /// The original values of [`LANGUAGE`], saved before any script ran.
    language: RefCell<Vec<Global<Value>>>,
    /// The captured functions, in the order of the tables of `primordials`.
    primordials: RefCell<Option<Global<Array>>>,
}

impl Registry {
    pub(crate) fn new(set: BuiltinSet) -> Registry {
        Registry {
            set,
            modules: RefCell::default(),
            loaded: RefCell::default(),
            natives: RefCell::default(),
            require: RefCell::default(),
            language: RefCell::default(),
            primordials: RefCell::default(),
        }
    }

    /// The ids that users may require, sorted; with `exposed`, internal ones too.
    pub(crate) fn public_ids(&self, exposed: bool) -> Vec<&'static str> {
        (self.set.all)().into_iter().filter(|builtin| builtin.public || exposed).map(|builtin| builtin.id).collect()
    }

    /// The ids of the loaded builtins, in the order of loading.
    pub(crate) fn loaded_ids(&self) -> Vec<&'static str> {
        self.loaded.borrow().clone()
    }

    /// The source text of a builtin.
    pub(crate) fn source(&self, id: &str) -> Option<&'static str> {
        (self.set.find)(id).map(|builtin| (builtin.source)())
    }

    pub(crate) fn clear(&self) {
        // Drop each after its borrow has ended: freeing may run finalizers.
        drop(self.modules.take());
        drop(self.natives.take());
        drop(self.require.take());
        drop(self.language.take());
        drop(self.primordials.take());
    }
}

/// Returns the exports of a builtin. Loads it first if necessary.
///
/// # Errors
///
/// The exception that the builtin throws while it loads; an error for an unknown id.
pub fn require<'s>(scope: Scope<'s>, id: &str) -> Fallible<Local<'s, Value>> {
    let registry = &state(scope).builtins;
    let known = registry.modules.borrow().get(id).map(|module| module.get(scope));
    if let Some(module) = known {
        return module.get(scope, "exports");
    }
    match (registry.set.find)(id) {
        Some(builtin) => scope.try_escape(|scope| load(scope, builtin)),
        None => {
            let error = scope.new_error(phasor_engine::ErrorKind::Error, &format!("No such built-in module: {id}"))?;
            error.set(scope, "code", "ERR_UNKNOWN_BUILTIN_MODULE")?;
            Err(scope.throw(error))
        }
    }
}

/// Runs a builtin's function and returns its exports.
fn load<'s>(scope: Scope<'s>, builtin: &'static Builtin) -> Fallible<Local<'s, Value>> {
    let registry = &state(scope).builtins;
    let module = Object::new(scope);
    let exports = Object::new(scope);
    module.set(scope, "id", builtin.id)?;
    // Define, do not assign: a program may have put a setter or a getter named `exports` on `Object.prototype`.
    module.define(scope, "exports", exports, Attributes::ALL)?;
    let require = require_function(scope)?;
    let native = natives_of(scope, builtin)?;
    let function = outer_function(scope, builtin)?.cast::<Function>().expect("the text is a function");
    let function = function.call(scope, scope.undefined(), &language(scope)?)?;
    let function = function.cast::<Function>().expect("the text returns a function");
    registry.modules.borrow_mut().insert(builtin.id, Global::new(scope, module));
    registry.loaded.borrow_mut().push(builtin.id);
    let arguments = [exports.as_value(), require.as_value(), module.as_value(), native];
    let Err(error) = scope.try_catch(|| function.call(scope, scope.undefined(), &arguments)) else {
        return module.get(scope, "exports");
    };
    let failed = registry.modules.borrow_mut().remove(builtin.id);
    registry.loaded.borrow_mut().retain(|id| *id != builtin.id);
    drop(failed);
    match error {
        Some(error) if !RETRY_IDS.contains(&builtin.id) => retry_load(scope, builtin, error),
        Some(error) => Err(scope.throw(error)),
        // The error is a termination, which is passed on.
        None => Err(scope.terminate()),
    }
}

/// The builtin that repeats a call with the original builtins of ECMAScript, and those that it loads itself.
const RETRY_IDS: [&str; 3] = ["internal/original_builtins", "internal/primordials", "internal/vm/engine"];

/// Loads a builtin that has thrown `error`, if the program has replaced or deleted builtins of the language.
fn retry_load<'s>(scope: Scope<'s>, builtin: &'static Builtin, error: Local<'s, Value>) -> Fallible<Local<'s, Value>> {
    let original: Local<'s, Object> = require(scope, RETRY_IDS[0])?.cast().expect("it exports an object");
    let retry: Local<'s, Function> = original.get_as(scope, "retry")?;
    let load = Function::new(scope, "", 0, native_fn!(|scope| load(scope, builtin)))?;
    retry.call(scope, scope.undefined(), &[error, load.as_value()])
}

/// The function around a builtin's source that takes the captured functions and the values of [`LANGUAGE`].
fn outer_function<'s>(scope: Scope<'s>, builtin: &Builtin) -> Fallible<Local<'s, Value>> {
    let compiled = state(scope).builtins.set.compiled.and_then(|compiled| (compiled.code)(builtin.id));
    if let Some(script) = compiled
        && let Some(function) = scope.run_compiled(script)?
    {
        return Ok(function);
    }
    scope.eval(&wrapped_builtin((builtin.source)()), origin(&file_of(builtin.id)))
}

/// The name of a builtin's file, as stacks show it.
fn file_of(id: &str) -> String {
    format!("node:{id}")
}

/// The line before the body has the number 0.
fn origin(file: &str) -> Origin<'_> {
    Origin { file, line: 0 }
}

/// Compiles the sources of builtins, given with their ids, to bytes for [`CompiledScript`].
///
/// # Errors
///
/// A text that names the builtin with a syntax error.
pub fn compile_builtins(sources: &[(&str, &str)]) -> Result<Vec<Vec<u8>>, String> {
    let runtime = Runtime::new(phasor_engine::Options::default());
    let realm = runtime.new_realm();
    let compile = |(id, source): &(&str, &str)| {
        runtime.enter(&realm, |scope| {
            let file = file_of(id);
            let compiled = scope.try_catch(|| scope.compile_ahead(&wrapped_builtin(source), origin(&file)));
            compiled.map_err(|error| {
                let text = error.and_then(|error| error.to_text(scope).ok()).unwrap_or_default();
                format!("builtin {id}: {text}")
            })
        })
    };
    sources.iter().map(compile).collect()
}

fn require_function<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Function>> {
    let registry = &state(scope).builtins;
    if let Some(function) = registry.require.borrow().as_ref() {
        return Ok(function.get(scope));
    }
    let function = Function::new(scope, "require", 1, native_fn!(|scope, id: String| require(scope, &id)))?;
    registry.require.replace(Some(Global::new(scope, function)));
    Ok(function)
}

fn natives_of<'s>(scope: Scope<'s>, builtin: &Builtin) -> Fallible<Local<'s, Value>> {
    let Some(name) = builtin.natives else { return Ok(scope.undefined()) };
    let registry = &state(scope).builtins;
    if let Some(object) = registry.natives.borrow().get(name) {
        return Ok(object.get(scope).as_value());
    }
    let natives = OWN_NATIVES.iter().chain(registry.set.natives).find(|natives| natives.name == name);
    let natives = natives.unwrap_or_else(|| panic!("the native functions {name} of {} are not listed", builtin.id));
    let object = (natives.make)(scope)?;
    registry.natives.borrow_mut().insert(natives.name, Global::new(scope, object));
    Ok(object.as_value())
}

/// The parameters of the function around a builtin's source.
const PARAMETERS: [&str; 4] = ["exports", "require", "module", "native"];

/// The ECMAScript globals that builtins use and scripts may replace: parameters of an outer function around the
/// builtin's function.
const LANGUAGE: [&str; 37] = [
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "Atomics",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Boolean",
    "DataView",
    "Date",
    "Error",
    "FinalizationRegistry",
    "Float32Array",
    "Float64Array",
    "Function",
    "JSON",
    "Map",
    "Math",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Set",
    "SharedArrayBuffer",
    "String",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "URIError",
    "Uint8Array",
    "WeakMap",
    "WeakRef",
    "WeakSet",
];

/// The captured functions and the values of [`LANGUAGE`] as arguments. They are read when the first builtin loads, before any script runs.
fn language<'s>(scope: Scope<'s>) -> Fallible<Vec<Local<'s, Value>>> {
    let registry = &state(scope).builtins;
    if registry.language.borrow().is_empty() {
        let globals = scope.global();
        let values: Fallible<Vec<_>> =
            LANGUAGE.iter().map(|name| Ok(Global::new(scope, globals.get(scope, *name)?))).collect();
        registry.language.replace(values?);
        registry.primordials.replace(Some(Global::new(scope, primordials::read(scope)?)));
        if let Some(builtin) = (registry.set.find)(primordials::CLASSES_ID) {
            load(scope, builtin)?;
        }
    }
    let primordials = registry.primordials.borrow().as_ref().map(|list| list.get(scope).as_value());
    let values = registry.language.borrow();
    Ok(primordials.into_iter().chain(values.iter().map(|value| value.get(scope))).collect())
}

/// Compiles like [`wrapped`], for a builtin: a function that takes the captured functions and the values of
/// [`LANGUAGE`] and returns the builtin's function.
fn wrapped_builtin(body: &str) -> String {
    let (body, used) = primordials::capture(body);
    let text = wrapped(&body, &PARAMETERS);
    let place = |name: &String| primordials::index_of(name).expect("only what is in the tables is captured");
    let captured: String = used.iter().map(|name| format!("var {name} = primordials[{}]; ", place(name))).collect();
    format!("(function (primordials, {}) {{ {captured}return {text} }})", LANGUAGE.join(", "))
}

/// The source text of the function. The body begins at the second line, so the first has the number 0.
fn wrapped(body: &str, parameters: &[&str]) -> String {
    format!("(function ({}) {{\n{body}\n}})", parameters.join(", "))
}
