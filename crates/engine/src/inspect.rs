//! Facts about an object that `util.inspect` and `util.types` need and that JavaScript cannot find out: its class, the
//! target and handler of a proxy, the state of a promise, the position of an iterator, the entries of a weak
//! collection.
//!
//! Nothing in this file runs JavaScript of the program: no trap of a proxy, no getter.
//!
//! # Safety
//!
//! The engine has no function for three of these facts, so they are read from its objects: the slots of a scripted proxy
//! (`ScriptedProxyHandler.h`), those of an iterator of a Map or Set (`OrderedHashTableObject.h: TableIteratorObject::Slots`), and the flags of a
//! function's script (`JSScript.h: BaseScript`). The class of the object is checked first. The tests of this file fail if a new engine
//! lays them out differently.

use std::ffi::{CStr, c_void};

use mozjs::jsapi;
use mozjs::rooted;

use crate::array::Array;
use crate::bytes::BufferView;
use crate::convert::FromJs;
use crate::exception::{Fallible, Thrown};
use crate::function::{Arguments, Function};
use crate::local::Local;
use crate::object::{Attributes, IdList, Object};
use crate::raw::{self, RawObject, RawValue};
use crate::scope::Scope;
use crate::string::JsString;
use crate::value::Value;

/// How a function was defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// `function`, an arrow function, a method, a class, or a native function.
    Plain,
    /// `function*`
    Generator,
    /// `async function`
    Async,
    /// `async function*`
    AsyncGenerator,
}

/// The state of a promise.
#[derive(Clone, Copy, Debug)]
pub enum PromiseState<'s> {
    /// Neither fulfilled nor rejected.
    Pending,
    /// Fulfilled with a value.
    Fulfilled(Local<'s, Value>),
    /// Rejected for a reason.
    Rejected(Local<'s, Value>),
}

/// Whether an iterator of a Map or Set returns keys, values or entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IteratorItems {
    /// Keys.
    Keys,
    /// Values.
    Values,
    /// Arrays of a key and a value.
    Entries,
}

/// The classes of builtin objects, distinguished by their internal slots as in ECMA-262.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinClass {
    /// An object of no other class, such as `{}` or an instance of a class without a builtin base class.
    Plain,
    /// An array.
    Array,
    /// `Number`, `String`, `Boolean` and `BigInt` objects.
    Boxed,
    /// An error made by a constructor of errors.
    Error,
    /// A `Date`.
    Date,
    /// A regular expression.
    RegExp,
    /// A `Map`.
    Map,
    /// A `Set`.
    Set,
    /// An `ArrayBuffer`.
    ArrayBuffer,
    /// A `SharedArrayBuffer`.
    SharedArrayBuffer,
    /// A typed array or `DataView`.
    View,
    /// A proxy of any target.
    Proxy,
    /// Functions, promises, iterators, weak collections and all others.
    Other,
}

/// The position of an iterator of a Map or Set.
#[derive(Clone, Copy, Debug)]
pub struct IteratorPosition<'s> {
    /// The Map or Set; none if the iterator has ended.
    pub target: Option<Local<'s, Object>>,
    /// Whether the iterator returns keys, values or entries.
    pub items: IteratorItems,
    /// How many of the entries that are in the collection now the iterator has passed.
    pub passed: u32,
}

/// The slots of an iterator of a Map or Set.
mod iterator_slot {
    pub(super) const TARGET: u32 = 0;
    pub(super) const KIND: u32 = 1;
    pub(super) const COUNT: u32 = 3;
}

/// The bits of a function's flags (`FunctionFlags.h`) and of a script's flags (`StencilEnums.h: ImmutableScriptFlagsEnum`).
mod flag {
    pub(super) const SELF_HOSTED: u32 = 1 << 4;
    pub(super) const BASE_SCRIPT: u32 = 1 << 5;
    pub(super) const SELF_HOSTED_LAZY: u32 = 1 << 6;
    pub(super) const IS_ASYNC: u32 = 1 << 14;
    pub(super) const IS_GENERATOR: u32 = 1 << 15;
}

/// The position of a script in its source (`SharedStencil.h: SourceExtent`).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScriptExtent {
    source: [u32; 4],
    line: u32,
    column: u32,
}

impl ScriptExtent {
    /// The line, from 1 on.
    pub(crate) fn line(self) -> u32 {
        self.line
    }

    /// The column, from 1 on.
    pub(crate) fn column(self) -> u32 {
        self.column
    }
}

/// Reads the position of a script in its source.
pub(crate) fn script_extent(script: *const ScriptHead) -> ScriptExtent {
    // SAFETY: callers pass a script of a function that is alive.
    unsafe { (*script).extent }
}

/// A script of the engine (`JSScript.h: BaseScript`).
#[repr(C)]
pub(crate) struct ScriptHead {
    header: usize,
    warm_up_data: usize,
    function: usize,
    source: usize,
    extent: ScriptExtent,
    immutable_flags: u32,
    mutable_flags: u32,
    data: usize,
    pub(crate) shared_data: *const c_void,
}

/// The first fields of a function of the engine: its shape, the two words of every native object, and its slots
/// (`shadow/Function.h`).
#[repr(C)]
struct FunctionHead {
    shape: usize,
    slots: usize,
    elements: usize,
    flags_and_arg_count: RawValue,
    environment: RawValue,
    script: RawValue,
}

/// The script of a function; none for functions of the engine.
///
/// The object is a function.
pub(crate) fn script_of(function: *mut RawObject) -> Option<*const ScriptHead> {
    // SAFETY: the object of a function begins with the fields of `FunctionHead`, and a function with the flag `BASE_SCRIPT` has a script.
    unsafe {
        let head = function.cast::<FunctionHead>();
        let flags = (*head).flags_and_arg_count.asBits_ as u32;
        if flags & flag::BASE_SCRIPT == 0 || flags & flag::SELF_HOSTED != 0 {
            return None;
        }
        let script = (*head).script.to_private().cast::<ScriptHead>();
        (!script.is_null()).then_some(script)
    }
}

/// Whether a function is native code. The object is a function.
pub(crate) fn is_native(function: *mut RawObject) -> bool {
    // SAFETY: the object of a function begins with the fields of `FunctionHead`.
    let flags = unsafe { (*function.cast::<FunctionHead>()).flags_and_arg_count.asBits_ as u32 };
    flags & (flag::BASE_SCRIPT | flag::SELF_HOSTED_LAZY) == 0
}

/// Reads a slot of a proxy that belongs to the proxy's handler.
fn proxy_slot(object: *mut RawObject, index: u32) -> RawValue {
    let mut value = raw::undefined();
    // SAFETY: callers pass a proxy; every proxy has two handler slots.
    unsafe { mozjs::glue::GetProxyReservedSlot(object, index, &raw mut value) };
    value
}

/// The private value of a proxy: its target.
fn proxy_private(object: *mut RawObject) -> RawValue {
    let mut value = raw::undefined();
    // SAFETY: callers pass a proxy.
    unsafe { mozjs::glue::GetProxyPrivate(object, &raw mut value) };
    value
}

/// A reserved slot of an object whose class has more than `index` of them.
fn reserved_slot(object: *mut RawObject, index: u32) -> RawValue {
    let mut value = raw::undefined();
    // SAFETY: callers have checked the class.
    unsafe { mozjs::glue::JS_GetReservedSlot(object, index, &raw mut value) };
    value
}

/// The name of an object's class in the engine.
pub(crate) fn engine_class(object: *mut RawObject) -> &'static str {
    // SAFETY: the object is alive; its class and the class's name live as long as the process.
    let name = unsafe { CStr::from_ptr((*mozjs::rust::get_object_class(object)).name) };
    name.to_str().unwrap_or("Object")
}

/// The type of an object of the engine's class `Proxy`.
enum ProxyKind {
    /// Made by `new Proxy`.
    Scripted,
    /// The namespace object of a module, which is a proxy of the module.
    Namespace,
}

fn proxy_kind(object: *mut RawObject) -> ProxyKind {
    // The handler of a scripted proxy is an object, or null once the proxy is revoked; for a module namespace the slot
    // contains a pointer.
    if proxy_slot(object, 0).is_object_or_null() { ProxyKind::Scripted } else { ProxyKind::Namespace }
}

impl<'s> Local<'s, Object> {
    /// The name of the engine's class of the object, such as `"Map Iterator"`, which prototypes and `Symbol.toStringTag` do not change.
    ///
    /// `"Proxy"` for a proxy, whatever it stands for; `"Module"` for a namespace object; `"Error"` for errors of all classes; `"Function"`
    /// for functions of all kinds (see [`function_kind`](Local::function_kind)).
    pub fn class_name(self, scope: Scope<'_>) -> &'static str {
        let object = self.raw().to_object();
        match engine_class(object) {
            "Proxy" => match proxy_kind(object) {
                ProxyKind::Scripted => "Proxy",
                ProxyKind::Namespace => "Module",
            },
            "BoundFunctionObject" => "Function",
            name if name.ends_with("Error") => {
                if self.is_native_error(scope) {
                    "Error"
                } else {
                    "Object"
                }
            }
            // The global object and prototypes of builtin classes. For example, `Map.prototype` has a class of this
            // name.
            "Global" | "global" => "Object",
            name if name.ends_with(".prototype") => "Object",
            name => name,
        }
    }

    /// The builtin class of the object, which prototypes and `Symbol.toStringTag` do not change.
    pub fn builtin_class(self, scope: Scope<'_>) -> BuiltinClass {
        use jsapi::ESClass;
        let cx = scope.cx();
        rooted!(in(cx) let object = self.raw().to_object());
        let mut class = ESClass::Other;
        // SAFETY: the handle is rooted. The call fails only for a proxy of too many nested proxies, which has no
        // builtin class.
        if !unsafe { jsapi::GetBuiltinClass(cx, object.handle().into(), &raw mut class) } {
            let _ = Thrown::pending(scope);
            return BuiltinClass::Other;
        }
        match class {
            ESClass::Object => BuiltinClass::Plain,
            ESClass::Array => BuiltinClass::Array,
            ESClass::Number | ESClass::String | ESClass::Boolean | ESClass::BigInt => BuiltinClass::Boxed,
            ESClass::Error => BuiltinClass::Error,
            ESClass::Date => BuiltinClass::Date,
            ESClass::RegExp => BuiltinClass::RegExp,
            ESClass::Map => BuiltinClass::Map,
            ESClass::Set => BuiltinClass::Set,
            ESClass::ArrayBuffer => BuiltinClass::ArrayBuffer,
            ESClass::SharedArrayBuffer => BuiltinClass::SharedArrayBuffer,
            ESClass::Other if self.is::<BufferView>() => BuiltinClass::View,
            ESClass::Other => match engine_class(object.get()) {
                "Proxy" => BuiltinClass::Proxy,
                // Ordinary objects in ECMA-262.
                "Math" | "JSON" | "Atomics" | "Reflect" | "Intl" | "WebAssembly" => BuiltinClass::Plain,
                name if name.ends_with(".prototype") => BuiltinClass::Plain,
                _ => BuiltinClass::Other,
            },
            _ => BuiltinClass::Other,
        }
    }

    /// Whether a constructor of errors has made the object. `Error.prototype` is not an error.
    fn is_native_error(self, scope: Scope<'_>) -> bool {
        let cx = scope.cx();
        rooted!(in(cx) let object = self.raw().to_object());
        let mut class = jsapi::ESClass::Other;
        // SAFETY: the handle is rooted; the call fails only for proxies, and callers have checked that the object is
        // not a proxy.
        unsafe { jsapi::GetBuiltinClass(cx, object.handle().into(), &raw mut class) && class == jsapi::ESClass::Error }
    }

    /// The target and handler of a proxy: `Some(None)` if the proxy is revoked, `None` if the object is not a proxy.
    #[allow(clippy::type_complexity)]
    pub fn proxy_parts<'t>(self, scope: Scope<'t>) -> Option<Option<(Local<'t, Object>, Local<'t, Object>)>> {
        let object = self.raw().to_object();
        if engine_class(object) != "Proxy" || matches!(proxy_kind(object), ProxyKind::Namespace) {
            return None;
        }
        let (target, handler) = (proxy_private(object), proxy_slot(object, 0));
        if !target.is_object() || !handler.is_object() {
            return Some(None);
        }
        // SAFETY: both values were just read and are objects.
        Some(Some(unsafe { (scope.root(target), scope.root(handler)) }))
    }

    /// The state of a promise; none for other objects.
    pub fn promise_state<'t>(self, scope: Scope<'t>) -> Option<PromiseState<'t>> {
        if engine_class(self.raw().to_object()) != "Promise" {
            return None;
        }
        let cx = scope.cx();
        rooted!(in(cx) let promise = self.raw().to_object());
        // SAFETY: the handle is rooted and is that of a promise.
        let state = unsafe { jsapi::GetPromiseState(promise.handle().into()) };
        if state == jsapi::PromiseState::Pending {
            return Some(PromiseState::Pending);
        }
        rooted!(in(cx) let mut result = raw::undefined());
        // SAFETY: both handles are rooted; the promise is settled.
        unsafe { mozjs::glue::JS_GetPromiseResult(promise.handle().into(), result.handle_mut().into()) };
        let result = scope.value(result.get());
        Some(if state == jsapi::PromiseState::Fulfilled {
            PromiseState::Fulfilled(result)
        } else {
            PromiseState::Rejected(result)
        })
    }

    /// Where an iterator of a Map or Set is; none for other objects.
    pub fn iterator_position<'t>(self, scope: Scope<'t>) -> Option<IteratorPosition<'t>> {
        let object = self.raw().to_object();
        if !matches!(engine_class(object), "Map Iterator" | "Set Iterator") {
            return None;
        }
        let target = reserved_slot(object, iterator_slot::TARGET);
        let kind = reserved_slot(object, iterator_slot::KIND);
        // The prototype object of the iterators has their class too, but its slots are undefined.
        if !kind.is_double() && !kind.is_int32() {
            return None;
        }
        // The engine stores the kind and the position as private numbers: the low 32 bits of the value.
        let items = match kind.asBits_ as u32 {
            0 => IteratorItems::Keys,
            1 => IteratorItems::Values,
            _ => IteratorItems::Entries,
        };
        let passed = reserved_slot(object, iterator_slot::COUNT).asBits_ as u32;
        // SAFETY: the value was just read and is an object.
        let target = target.is_object().then(|| unsafe { scope.root(target) });
        Some(IteratorPosition { target, items, passed })
    }

    /// The keys that a WeakMap or WeakSet holds now, in no particular order; none for other objects.
    ///
    /// # Errors
    ///
    /// When there is no memory for them.
    pub fn weak_keys<'t>(self, scope: Scope<'t>) -> Fallible<Option<Local<'t, Array>>> {
        let cx = scope.cx();
        let of_map = match engine_class(self.raw().to_object()) {
            "WeakMap" => true,
            "WeakSet" => false,
            _ => return Ok(None),
        };
        rooted!(in(cx) let collection = self.raw().to_object());
        rooted!(in(cx) let mut keys = std::ptr::null_mut::<RawObject>());
        let (collection, list) = (collection.handle().into(), keys.handle_mut().into());
        // SAFETY: both handles are rooted; the class was checked.
        let ok = unsafe {
            if of_map {
                jsapi::JS_NondeterministicGetWeakMapKeys(cx, collection, list)
            } else {
                jsapi::JS_NondeterministicGetWeakSetKeys(cx, collection, list)
            }
        };
        Thrown::check(scope, ok)?;
        // SAFETY: the array was just read.
        Ok((!keys.get().is_null()).then(|| unsafe { scope.root(raw::object(keys.get())) }))
    }

    /// The value of a key of a WeakMap; `undefined` if it has none.
    ///
    /// # Errors
    ///
    /// If the key cannot be a key of a WeakMap.
    ///
    /// # Panics
    ///
    /// If the object is not a WeakMap.
    pub fn weak_value<'t>(self, scope: Scope<'t>, key: Local<'_, Value>) -> Fallible<Local<'t, Value>> {
        let cx = scope.cx();
        assert_eq!(engine_class(self.raw().to_object()), "WeakMap");
        rooted!(in(cx) let map = self.raw().to_object());
        rooted!(in(cx) let mut value = raw::undefined());
        // SAFETY: all handles are rooted, and the object is a WeakMap.
        let ok = unsafe {
            jsapi::GetWeakMapEntry(cx, map.handle().into(), raw::handle(key.slot()), value.handle_mut().into())
        };
        // SAFETY: the value was just read.
        unsafe { scope.root_if(ok, value.get()) }
    }

    /// The entries of a Map, keys and values alternating, or the values of a Set, as they are now.
    ///
    /// # Errors
    ///
    /// If there is no memory for them. A TypeError for an object that is not a Map or Set.
    pub fn collection_entries<'t>(self, scope: Scope<'t>) -> Fallible<Local<'t, Array>> {
        let cx = scope.cx();
        let of_map = engine_class(self.raw().to_object()) == "Map";
        let list = Array::new(scope, &[])?;
        let visit = Function::new(scope, "", 2, append_entry)?;
        rooted!(in(cx) let collection = self.raw().to_object());
        // SAFETY: all handles are rooted. The engine's own `forEach` calls the function with the list as `this`.
        let ok = unsafe {
            let (visit, list) = (raw::handle(visit.slot()), raw::handle(list.slot()));
            if of_map {
                jsapi::MapForEach(cx, collection.handle().into(), visit, list)
            } else {
                jsapi::SetForEach(cx, collection.handle().into(), visit, list)
            }
        };
        Thrown::check(scope, ok)?;
        Ok(list)
    }

    /// The object's own keys that are strings and not array indices, in the order of `Reflect.ownKeys`.
    ///
    /// Array indices come first among the keys and are skipped without making strings of them.
    ///
    /// # Errors
    ///
    /// The exception that a proxy trap throws.
    pub fn non_index_keys<'t>(self, scope: Scope<'t>, enumerable_only: bool) -> Fallible<Vec<Local<'t, Value>>> {
        let cx = scope.cx();
        let flags = jsapi::JSITER_OWNONLY | if enumerable_only { 0 } else { jsapi::JSITER_HIDDEN };
        rooted!(in(cx) let object = self.raw().to_object());
        let mut keys = Vec::new();
        // SAFETY: the vector is rooted until it is dropped; each key is rooted as soon as it is read.
        unsafe {
            let ids = IdList(mozjs::glue::CreateRootedIdVector(cx));
            assert!(!ids.0.is_null(), "no memory for a list of keys");
            let list = jsapi::MutableHandleIdVector { ptr: mozjs::glue::GetIdVectorAddress(ids.0).cast() };
            Thrown::check(scope, jsapi::GetPropertyKeys(cx, object.handle().into(), flags, list))?;
            let mut length = 0;
            mozjs::glue::SliceRootedIdVector(ids.0, &raw mut length);
            for index in (0..length).rev() {
                // The collector may move the list, so its address is read again for each key.
                rooted!(in(cx) let id = *mozjs::glue::SliceRootedIdVector(ids.0, &raw mut length).add(index));
                let key = scope.out();
                let ok = jsapi::JS_IdToValue(cx, id.get(), raw::handle_mut(key.slot().cast_mut()));
                Thrown::check(scope, ok)?;
                if key.raw().is_number() || is_index(scope, key)? {
                    break;
                }
                keys.push(key);
            }
        }
        keys.reverse();
        Ok(keys)
    }

    /// How a function was defined; None for objects that are not functions.
    pub fn function_kind(self) -> Option<FunctionKind> {
        let object = self.raw().to_object();
        // SAFETY: the object is alive.
        if !unsafe { jsapi::JS_ObjectIsFunction(object) } {
            return (engine_class(object) == "BoundFunctionObject").then_some(FunctionKind::Plain);
        }
        let Some(script) = script_of(object) else { return Some(FunctionKind::Plain) };
        // SAFETY: the flags of a script never change.
        unsafe {
            let flags = (*script).immutable_flags;
            Some(match (flags & flag::IS_ASYNC != 0, flags & flag::IS_GENERATOR != 0) {
                (false, false) => FunctionKind::Plain,
                (false, true) => FunctionKind::Generator,
                (true, false) => FunctionKind::Async,
                (true, true) => FunctionKind::AsyncGenerator,
            })
        }
    }
}

/// The callback for `forEach` of a Map or Set. Appends the key, and for a Map the value, to the list that is `this`.
fn append_entry<'s>(scope: Scope<'s>, arguments: Arguments<'s>) -> Fallible<Local<'s, Value>> {
    let list: Local<'_, Array> = Local::from_js(scope, arguments.this())?;
    let (value, key, collection) = (arguments.get(scope, 0), arguments.get(scope, 1), arguments.get(scope, 2));
    let length = list.len(scope) as u32;
    let define = |index: u32, value: Local<'_, Value>| list.define(scope, index, value, Attributes::ALL);
    define(length, key)?;
    if collection.cast::<Object>().is_some_and(|object| engine_class(object.raw().to_object()) == "Map") {
        define(length + 1, value)?;
    }
    Ok(scope.undefined())
}

/// Whether a key is an array index: digits without a leading zero, below 2³² - 1.
fn is_index(scope: Scope<'_>, key: Local<'_, Value>) -> Fallible<bool> {
    /// The number of digits of the greatest array index.
    const MOST_DIGITS: usize = 10;
    let Some(key) = key.cast::<JsString>().filter(|key| (1..=MOST_DIGITS).contains(&key.len())) else {
        return Ok(false);
    };
    let text = key.to_text(scope)?;
    let is_plain = text == "0" || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
    Ok(is_plain && text.parse::<u64>().is_ok_and(|index| index < u64::from(u32::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Origin, Runtime};

    fn with(test: impl for<'s> FnOnce(Scope<'s>)) {
        let runtime = Runtime::new(Options::default());
        let realm = runtime.new_realm();
        runtime.enter(&realm, test);
    }

    fn object<'s>(scope: Scope<'s>, source: &str) -> Local<'s, Object> {
        scope.eval(source, Origin::new("test.js")).expect("it throws nothing").cast().expect("an object")
    }

    #[test]
    fn classes_are_named() {
        with(|scope| {
            for (source, name) in [
                ("({})", "Object"),
                ("[]", "Array"),
                ("new Map().keys()", "Map Iterator"),
                ("new Set().keys()", "Set Iterator"),
                ("(function*(){})()", "Generator"),
                ("(async function*(){})()", "AsyncGenerator"),
                ("new Proxy([], {})", "Proxy"),
                ("new Proxy(() => {}, {})", "Proxy"),
                ("Object.setPrototypeOf(new Date(), null)", "Date"),
                ("new RangeError()", "Error"),
                ("new AggregateError([])", "Error"),
                ("Error.prototype", "Object"),
                ("Map.prototype", "Object"),
                ("Array.prototype", "Array"),
                ("(function () { return arguments })()", "Arguments"),
                ("(function () { 'use strict'; return arguments })()", "Arguments"),
                ("new ArrayBuffer(1)", "ArrayBuffer"),
                ("new ArrayBuffer(1, { maxByteLength: 2 })", "ArrayBuffer"),
                ("new Float32Array(1)", "Float32Array"),
                ("new DataView(new ArrayBuffer(1))", "DataView"),
                ("Object(1n)", "BigInt"),
                ("Object(Symbol())", "Symbol"),
                ("Object('')", "String"),
                ("new WeakMap", "WeakMap"),
                ("new WeakSet", "WeakSet"),
                ("Promise.resolve()", "Promise"),
                ("/x/", "RegExp"),
                ("(() => {}).bind()", "Function"),
                ("globalThis", "Object"),
            ] {
                assert_eq!(object(scope, source).class_name(scope), name, "{source}");
            }
        });
    }

    #[test]
    fn kinds_of_functions_are_told() {
        with(|scope| {
            for (source, kind) in [
                ("(function () {})", FunctionKind::Plain),
                ("(() => {})", FunctionKind::Plain),
                ("(class {})", FunctionKind::Plain),
                ("(function* () {})", FunctionKind::Generator),
                ("(async function () {})", FunctionKind::Async),
                ("(async () => {})", FunctionKind::Async),
                ("({ async() {} }).async", FunctionKind::Plain),
                ("({ async *a() {} }).a", FunctionKind::AsyncGenerator),
                ("(async () => {}).bind()", FunctionKind::Plain),
                ("Array.fromAsync", FunctionKind::Plain),
                ("Array.prototype.map", FunctionKind::Plain),
                ("Math.max", FunctionKind::Plain),
                ("{ const f = async () => {}; f(); f }", FunctionKind::Async),
            ] {
                assert_eq!(object(scope, source).function_kind(), Some(kind), "{source}");
            }
            assert_eq!(object(scope, "({})").function_kind(), None);
        });
    }

    #[test]
    fn proxies_are_taken_apart() {
        with(|scope| {
            let proxy = object(scope, "globalThis.t = {}; globalThis.h = {}; new Proxy(t, h)");
            let (target, handler) = proxy.proxy_parts(scope).expect("a proxy").expect("not revoked");
            assert!(target.is_same(object(scope, "t")) && handler.is_same(object(scope, "h")));
            let revoked = object(scope, "const r = Proxy.revocable([], {}); r.revoke(); r.proxy");
            assert!(revoked.proxy_parts(scope).expect("a proxy").is_none());
            assert_eq!(revoked.class_name(scope), "Proxy");
            assert!(object(scope, "[]").proxy_parts(scope).is_none());
        });
    }

    #[test]
    fn promises_are_looked_into() {
        with(|scope| {
            assert!(matches!(object(scope, "new Promise(() => {})").promise_state(scope), Some(PromiseState::Pending)));
            let Some(PromiseState::Fulfilled(value)) = object(scope, "Promise.resolve(4)").promise_state(scope) else {
                panic!("not fulfilled")
            };
            assert_eq!(value.to_int32(), Some(4));
            let Some(PromiseState::Rejected(value)) = object(scope, "Promise.reject(5)").promise_state(scope) else {
                panic!("not rejected")
            };
            assert_eq!(value.to_int32(), Some(5));
            assert!(object(scope, "({ then() {} })").promise_state(scope).is_none());
        });
    }

    #[test]
    fn iterators_tell_where_they_are() {
        with(|scope| {
            let iterator = object(
                scope,
                "globalThis.m = new Map([[1, 'a'], [2, 'b'], [3, 'c']]); globalThis.i = m.entries(); i.next(); i.next(); i",
            );
            let position = iterator.iterator_position(scope).expect("an iterator");
            assert_eq!((position.items, position.passed), (IteratorItems::Entries, 2));
            assert!(position.target.expect("a map").is_same(object(scope, "m")));
            let _ = object(scope, "m.delete(1); i");
            assert_eq!(iterator.iterator_position(scope).expect("an iterator").passed, 1);
            let _ = object(scope, "[...i]; i");
            assert!(iterator.iterator_position(scope).expect("an iterator").target.is_none());
            let keys = object(scope, "new Set(['x']).keys()").iterator_position(scope).expect("an iterator");
            assert_eq!((keys.items, keys.passed), (IteratorItems::Values, 0));
            let keys = object(scope, "new Map([['x', 1]]).keys()").iterator_position(scope).expect("an iterator");
            assert_eq!((keys.items, keys.passed), (IteratorItems::Keys, 0));
            let prototype = object(scope, "Object.getPrototypeOf(new Map().keys())");
            assert!(prototype.iterator_position(scope).is_none());
        });
    }

    #[test]
    fn collections_are_listed() {
        with(|scope| {
            for (source, text) in [("new Map([[1, 'a'], [2, 'b']])", "1,a,2,b"), ("new Set([3, 4])", "3,4")] {
                let list = object(scope, source).collection_entries(scope).expect("it throws nothing");
                assert_eq!(list.as_value().to_text(scope).expect("it throws nothing"), text);
            }
        });
    }

    #[test]
    fn keys_that_are_no_indices_are_listed() {
        with(|scope| {
            let source = "Object.assign([1, 2], { 4294967294: 1, 4294967295: 2, b: 1, '01': 2, a: 3 })";
            let list = object(scope, source);
            let keys = list.non_index_keys(scope, true).expect("it throws nothing");
            let texts: Vec<_> = keys.iter().map(|key| key.to_text(scope).expect("it throws nothing")).collect();
            assert_eq!(texts, ["4294967295", "b", "01", "a"]);
            assert_eq!(list.non_index_keys(scope, false).expect("it throws nothing").len(), 5);
        });
    }

    #[test]
    fn weak_collections_tell_their_keys() {
        with(|scope| {
            let keys = object(scope, "globalThis.k = {}; new WeakMap([[k, 1]])").weak_keys(scope);
            let keys = keys.expect("it throws nothing").expect("a weak map");
            assert_eq!(keys.len(scope), 1);
            let keys =
                object(scope, "new WeakSet([k])").weak_keys(scope).expect("it throws nothing").expect("a weak set");
            assert!(keys.get(scope, 0).expect("it throws nothing").is_same(object(scope, "k")));
            assert!(object(scope, "[]").weak_keys(scope).expect("it throws nothing").is_none());
        });
    }
}
