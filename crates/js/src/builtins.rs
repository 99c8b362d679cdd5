//! Builtin modules: JavaScript that comes with the program, compiled when it is first required.
//!
//! A source is the body of `(exports, require, module, native)`. `require` knows builtin ids only, without `node:`;
//! `native` is the object of the Rust verbs that belong to the source's folder. `Object`, `Promise` and the language's other
//! globals are the engine's own in there, whatever a script has put in their place. What users may require, and files, are
//! the business of the module system in `phasor-node`.

use std::cell::RefCell;
use std::collections::HashMap;

use rquickjs::function::Args;
use rquickjs::object::Property;
use rquickjs::{
    CatchResultExt, Context, Ctx, Error, Exception, Function, IntoJs, Object, Persistent, Result, Runtime, Value,
};

use crate::intrinsics;
use crate::script;
use crate::state::state;

/// A module that comes with the program.
#[derive(Clone, Copy)]
pub struct Builtin {
    /// Its name, without `node:`; internal ones begin with `internal/`.
    pub id: &'static str,
    /// Whether users may require it.
    pub public: bool,
    /// The body of its function.
    ///
    /// A function, as the next is: neither text may lie among the ids, which every start walks over.
    pub source: fn() -> &'static str,
    /// The same as bytecode of [`compile_builtin`], if there is any.
    pub bytecode: Option<fn() -> &'static [u8]>,
    /// Its verbs in Rust.
    pub natives: Option<&'static Natives>,
}

impl Builtin {
    /// One that is nothing but verbs in Rust, for other builtins.
    pub(crate) const fn of_verbs(id: &'static str, natives: &'static Natives) -> Builtin {
        Builtin {
            id,
            public: false,
            source: || "'use strict'; module.exports = native;",
            bytecode: None,
            natives: Some(natives),
        }
    }
}

/// The verbs in Rust of a folder of builtins, made once per context.
pub struct Natives {
    /// The folder's name.
    pub name: &'static str,
    /// Makes the object.
    pub make: for<'js> fn(&Ctx<'js>) -> Result<Object<'js>>,
}

/// The table of builtins, and what of it is loaded.
pub(crate) struct Registry {
    table: HashMap<&'static str, &'static Builtin>,
    /// The `module` objects by id.
    modules: RefCell<HashMap<&'static str, Persistent<Object<'static>>>>,
    /// Their ids, as they were loaded.
    loaded: RefCell<Vec<&'static str>>,
    /// The objects of verbs by folder.
    natives: RefCell<HashMap<&'static str, Persistent<Object<'static>>>>,
    /// The `require` that builtins get.
    require: RefCell<Option<Persistent<Function<'static>>>>,
    /// The values of [`LANGUAGE`], from before a script could replace them.
    language: RefCell<Vec<Persistent<Value<'static>>>>,
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
        }
    }

    /// The ids that users may require, in order; with `exposed` those of the internals, too.
    pub(crate) fn public_ids(&self, exposed: bool) -> Vec<&'static str> {
        let shown = self.table.values().filter(|builtin| builtin.public || exposed);
        let mut ids: Vec<_> = shown.map(|builtin| builtin.id).collect();
        ids.sort_unstable();
        ids
    }

    /// The ids of those that are loaded, first ones first.
    pub(crate) fn loaded_ids(&self) -> Vec<&'static str> {
        self.loaded.borrow().clone()
    }

    /// The text of a builtin.
    pub(crate) fn source(&self, id: &str) -> Option<&'static str> {
        self.table.get(id).map(|builtin| (builtin.source)())
    }

    pub(crate) fn clear(&self) {
        // Each is dropped after its borrow: freeing may run finalizers.
        drop(self.modules.take());
        drop(self.natives.take());
        drop(self.require.take());
        drop(self.language.take());
    }
}

/// The exports of a builtin, which is loaded if it is not yet.
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
        // A script may have replaced what the builtin needs to begin with: then it begins again, with the language as it was.
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

/// Runs a builtin's text; its exports.
fn load<'js>(ctx: &Ctx<'js>, builtin: &'static Builtin) -> Result<Value<'js>> {
    let registry = &state(ctx).builtins;
    let module = Object::new(ctx.clone())?;
    let exports = Object::new(ctx.clone())?;
    module.set("id", builtin.id)?;
    // Defined, not assigned: a program may have put a setter or a getter named `exports` on `Object.prototype`.
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

/// What the function around a builtin's source takes.
const PARAMETERS: [&str; 4] = ["exports", "require", "module", "native"];

/// The globals of the language that builtins use, and scripts may replace: what the function around that one takes.
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

/// The globals of [`LANGUAGE`] as they were before anything ran, with their names.
pub(crate) fn originals<'js>(ctx: &Ctx<'js>) -> Result<Vec<(&'static str, Value<'js>)>> {
    let values = state(ctx).builtins.language.borrow().clone();
    LANGUAGE.into_iter().zip(values).map(|(name, value)| Ok((name, value.restore(ctx)?))).collect()
}

/// The values of [`LANGUAGE`] as arguments. They are looked up once, for the first builtin: nothing else has run then.
fn language<'js>(ctx: &Ctx<'js>) -> Result<Args<'js>> {
    let state = state(ctx);
    if state.builtins.language.borrow().is_empty() {
        let globals = ctx.globals();
        let values: Result<Vec<_>> =
            LANGUAGE.iter().map(|name| Ok(Persistent::save(ctx, globals.get::<_, Value<'js>>(*name)?))).collect();
        *state.builtins.language.borrow_mut() = values?;
    }
    let values = state.builtins.language.borrow().clone();
    let mut args = Args::new(ctx.clone(), values.len());
    for value in values {
        args.push_arg(value.restore(ctx)?)?;
    }
    Ok(args)
}

/// A builtin as bytecode, for [`Builtin::bytecode`]; or what the engine has against the source.
/// For build scripts: it makes an engine of its own.
pub fn compile_builtin(id: &str, source: &str) -> std::result::Result<Vec<u8>, String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let context = Context::full(&runtime).map_err(|error| error.to_string())?;
    context.with(|ctx| {
        let (text, line) = wrapped_builtin(source);
        script::compile(&ctx, text, &format!("node:{id}"), line).catch(&ctx).map_err(|error| error.to_string())
    })
}

/// Compiles a function's body. Its first line is line 1 of the file, its columns are the file's.
pub fn compile_function<'js>(ctx: &Ctx<'js>, body: &str, file: &str, parameters: &[&str]) -> Result<Function<'js>> {
    let (text, line) = wrapped(body, parameters);
    Function::from_value(script::eval(ctx, text, file, line)?)
}

/// As [`wrapped`], for a builtin: a function of the language's globals that gives the builtin's.
fn wrapped_builtin(body: &str) -> (String, i32) {
    let (text, line) = wrapped(body, &PARAMETERS);
    (format!("(function ({}) {{ return {text} }})", LANGUAGE.join(", ")), line)
}

/// The text of a function, and the line it begins at so that the body begins at line 1.
fn wrapped(body: &str, parameters: &[&str]) -> (String, i32) {
    let parameters = parameters.join(", ");
    let mut text = String::with_capacity(body.len() + parameters.len() + 24);
    text.push_str("(function (");
    text.push_str(&parameters);
    // Two lines before the body: 0 would mean "not given" to the engine, so the first one is line -1.
    text.push_str(") {\n\n");
    text.push_str(body);
    text.push_str("\n})");
    (text, -1)
}
