//! Builtin modules: JavaScript that is part of the program, compiled when it is first required.
//!
//! A source is the body of `(exports, require, module, native)`. `require` resolves builtin ids only, without `node:`.
//! `native` is the object with the Rust functions of the source's folder. `Object`, `Promise` and the other ECMAScript
//! globals are the originals there, even if a script has replaced them, and so are their functions in `primordials`. Which modules users may require, and modules in
//! files, are up to the module system in `phasor-node`.

use std::cell::RefCell;
use std::collections::HashMap;

use rquickjs::function::Args;
use rquickjs::object::Property;
use rquickjs::{
    Array, CatchResultExt, Context, Ctx, Error, Exception, Function, IntoJs, Object, Persistent, Result, Runtime, Value,
};

use crate::intrinsics;
use crate::primordials;
use crate::script;
use crate::state::state;

/// A module that is part of the program.
#[derive(Clone, Copy)]
pub struct Builtin {
    /// Its name, without `node:`; ids of internal modules begin with `internal/`.
    pub id: &'static str,
    /// Whether users may require it.
    pub public: bool,
    /// The body of its function.
    ///
    /// This and `bytecode` are functions, so that the texts do not lie between the ids, which each start iterates over.
    pub source: fn() -> &'static str,
    /// The bytecode of [`compile_builtin`] for it, if there is any.
    pub bytecode: Option<fn() -> &'static [u8]>,
    /// Its native functions.
    pub natives: Option<&'static Natives>,
}

impl Builtin {
    /// A builtin that consists of native functions only, for use by other builtins.
    pub(crate) const fn of_natives(id: &'static str, natives: &'static Natives) -> Builtin {
        Builtin {
            id,
            public: false,
            source: || "'use strict'; module.exports = native;",
            bytecode: None,
            natives: Some(natives),
        }
    }
}

/// The native functions of a folder of builtins, created once per context.
pub struct Natives {
    /// The folder's name.
    pub name: &'static str,
    /// Creates the object.
    pub make: for<'js> fn(&Ctx<'js>) -> Result<Object<'js>>,
}

/// The table of builtins, and the loaded ones.
pub(crate) struct Registry {
    table: HashMap<&'static str, &'static Builtin>,
    /// The `module` objects by id.
    modules: RefCell<HashMap<&'static str, Persistent<Object<'static>>>>,
    /// The ids of the loaded builtins, in the order of loading.
    loaded: RefCell<Vec<&'static str>>,
    /// The objects of native functions, by folder.
    natives: RefCell<HashMap<&'static str, Persistent<Object<'static>>>>,
    /// The `require` function of builtins.
    require: RefCell<Option<Persistent<Function<'static>>>>,
    /// The original values of [`LANGUAGE`], saved before any script ran.
    language: RefCell<Vec<Persistent<Value<'static>>>>,
    /// The captured functions, in the order of the tables of `primordials`.
    primordials: RefCell<Option<Persistent<Array<'static>>>>,
}

impl Registry {
    pub(crate) fn new(builtins: &'static [Builtin]) -> Registry {
        Registry {
            table: builtins.iter().map(|builtin| (builtin.id, builtin)).collect(),
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
        let shown = self.table.values().filter(|builtin| builtin.public || exposed);
        let mut ids: Vec<_> = shown.map(|builtin| builtin.id).collect();
        ids.sort_unstable();
        ids
    }

    /// The ids of the loaded builtins, in the order of loading.
    pub(crate) fn loaded_ids(&self) -> Vec<&'static str> {
        self.loaded.borrow().clone()
    }

    /// The source text of a builtin.
    pub(crate) fn source(&self, id: &str) -> Option<&'static str> {
        self.table.get(id).map(|builtin| (builtin.source)())
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
pub fn require<'js>(ctx: &Ctx<'js>, id: &str) -> Result<Value<'js>> {
    let state = state(ctx);
    let registry = &state.builtins;
    let known = registry.modules.borrow().get(id).cloned();
    if let Some(module) = known {
        return module.restore(ctx)?.get("exports");
    }
    let Some(builtin) = registry.table.get(id).copied() else {
        let error = Exception::from_message(ctx.clone(), &format!("No such built-in module: {id}"))?;
        error.as_object().set("code", "ERR_UNKNOWN_BUILTIN_MODULE")?;
        return Err(error.throw());
    };
    match load(ctx, builtin) {
        // A script may have monkey-patched something that the builtin uses while it loads: retry with the original
        // intrinsics.
        Err(Error::Exception) => {
            let thrown = ctx.catch();
            let Some(undo) = intrinsics::with_intrinsics(ctx)? else { return Err(ctx.throw(thrown)) };
            let loaded = load(ctx, builtin);
            undo.call::<_, ()>(())?;
            loaded
        }
        loaded => loaded,
    }
}

/// Runs a builtin's function and returns its exports.
fn load<'js>(ctx: &Ctx<'js>, builtin: &'static Builtin) -> Result<Value<'js>> {
    let registry = &state(ctx).builtins;
    let module = Object::new(ctx.clone())?;
    let exports = Object::new(ctx.clone())?;
    module.set("id", builtin.id)?;
    // Define, do not assign: a program may have put a setter or a getter named `exports` on `Object.prototype`.
    module.prop("exports", Property::from(exports.clone()).writable().enumerable().configurable())?;
    let require = require_function(ctx)?;
    let native = natives_of(ctx, builtin)?;
    let function = match builtin.bytecode.and_then(|bytecode| script::load(ctx, bytecode())) {
        Some(function) => Function::from_value(function)?,
        None => {
            let (text, line) = wrapped_builtin((builtin.source)());
            Function::from_value(script::eval(ctx, text, &format!("node:{}", builtin.id), line)?)?
        }
    };
    let function: Function<'js> = function.call_arg(language(ctx)?)?;
    registry.modules.borrow_mut().insert(builtin.id, Persistent::save(ctx, module.clone()));
    registry.loaded.borrow_mut().push(builtin.id);
    let loaded: Result<()> = function.call((exports, require, module.clone(), native));
    if let Err(error) = loaded {
        let failed = registry.modules.borrow_mut().remove(builtin.id);
        registry.loaded.borrow_mut().retain(|id| *id != builtin.id);
        drop(failed);
        return Err(error);
    }
    module.get("exports")
}

fn require_function<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>> {
    let state = state(ctx);
    let known = state.builtins.require.borrow().clone();
    if let Some(function) = known {
        return function.restore(ctx);
    }
    let function = Function::new(ctx.clone(), |ctx: Ctx<'js>, id: String| require(&ctx, &id))?.with_name("require")?;
    *state.builtins.require.borrow_mut() = Some(Persistent::save(ctx, function.clone()));
    Ok(function)
}

fn natives_of<'js>(ctx: &Ctx<'js>, builtin: &Builtin) -> Result<Value<'js>> {
    let Some(natives) = builtin.natives else { return Ok(Value::new_undefined(ctx.clone())) };
    let state = state(ctx);
    let known = state.builtins.natives.borrow().get(natives.name).cloned();
    if let Some(object) = known {
        return object.restore(ctx)?.into_js(ctx);
    }
    let object = (natives.make)(ctx)?;
    state.builtins.natives.borrow_mut().insert(natives.name, Persistent::save(ctx, object.clone()));
    object.into_js(ctx)
}

/// The parameters of the function around a builtin's source.
const PARAMETERS: [&str; 4] = ["exports", "require", "module", "native"];

/// The ECMAScript globals that builtins use and scripts may replace: parameters of an outer function around that.
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

/// The original values of [`LANGUAGE`], with their names.
pub(crate) fn originals<'js>(ctx: &Ctx<'js>) -> Result<Vec<(&'static str, Value<'js>)>> {
    let values = state(ctx).builtins.language.borrow().clone();
    LANGUAGE.into_iter().zip(values).map(|(name, value)| Ok((name, value.restore(ctx)?))).collect()
}

/// Replaces a captured function for builtins that load later, when the runtime itself has replaced the original.
pub(crate) fn recapture<'js>(ctx: &Ctx<'js>, name: &str, function: Value<'js>) -> Result<()> {
    let primordials = state(ctx).builtins.primordials.borrow().clone();
    match (primordials, primordials::index_of(name)) {
        (Some(primordials), Some(index)) => primordials.restore(ctx)?.set(index, function),
        _ => Ok(()),
    }
}

/// The captured functions and the values of [`LANGUAGE`] as arguments. They are read when the first builtin loads, before any script runs.
fn language<'js>(ctx: &Ctx<'js>) -> Result<Args<'js>> {
    let state = state(ctx);
    if state.builtins.language.borrow().is_empty() {
        let globals = ctx.globals();
        let values: Result<Vec<_>> =
            LANGUAGE.iter().map(|name| Ok(Persistent::save(ctx, globals.get::<_, Value<'js>>(*name)?))).collect();
        *state.builtins.language.borrow_mut() = values?;
        *state.builtins.primordials.borrow_mut() = Some(Persistent::save(ctx, primordials::read(ctx)?));
        if let Some(builtin) = state.builtins.table.get(primordials::CLASSES_ID).copied() {
            load(ctx, builtin)?;
        }
    }
    let values = state.builtins.language.borrow().clone();
    let mut args = Args::new(ctx.clone(), values.len() + 1);
    if let Some(primordials) = state.builtins.primordials.borrow().clone() {
        args.push_arg(primordials.restore(ctx)?)?;
    }
    for value in values {
        args.push_arg(value.restore(ctx)?)?;
    }
    Ok(args)
}

/// Compiles a builtin to bytecode for [`Builtin::bytecode`]; fails with the engine's error message. For build scripts:
/// creates an engine of its own.
pub fn compile_builtin(id: &str, source: &str) -> std::result::Result<Vec<u8>, String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let context = Context::full(&runtime).map_err(|error| error.to_string())?;
    context.with(|ctx| {
        let (text, line) = wrapped_builtin(source);
        script::compile(&ctx, text, &format!("node:{id}"), line).catch(&ctx).map_err(|error| error.to_string())
    })
}

/// Compiles a function from its body. Line and column numbers in errors are those of the body.
pub fn compile_function<'js>(ctx: &Ctx<'js>, body: &str, file: &str, parameters: &[&str]) -> Result<Function<'js>> {
    let (text, line) = wrapped(body, parameters);
    Function::from_value(script::eval(ctx, text, file, line)?)
}

/// As [`wrapped`], for a builtin: a function that takes the captured functions and the values of [`LANGUAGE`] and returns
/// the builtin's function.
fn wrapped_builtin(body: &str) -> (String, i32) {
    let (body, used) = primordials::capture(body);
    let (text, line) = wrapped(&body, &PARAMETERS);
    let place = |name: &String| primordials::index_of(name).expect("only what is in the tables is captured");
    let captured: String = used.iter().map(|name| format!("var {name} = primordials[{}]; ", place(name))).collect();
    (format!("(function (primordials, {}) {{ {captured}return {text} }})", LANGUAGE.join(", ")), line)
}

/// The source text of the function, and the number of its first line, so that the body begins at line 1.
fn wrapped(body: &str, parameters: &[&str]) -> (String, i32) {
    let parameters = parameters.join(", ");
    let mut text = String::with_capacity(body.len() + parameters.len() + 24);
    text.push_str("(function (");
    text.push_str(&parameters);
    // Two lines before the body, so that the number of the first line is -1: the engine treats 0 as unset.
    text.push_str(") {\n\n");
    text.push_str(body);
    text.push_str("\n})");
    (text, -1)
}
