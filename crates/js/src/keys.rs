//! Precomputed property keys. A native that reads many properties per call uses these: no string is converted to a key
//! each time, and reading takes no reference.
//!
//! # Safety
//! A key is an atom that is never freed, so it stays valid for the life of its runtime; it is rejected for objects of
//! another runtime. Owned values that the engine returns go to a `Value` or are released here.
#![allow(unsafe_code)]

use std::ops::Deref;
use std::os::raw::c_uint;

use rquickjs::{Ctx, Error, Object, Result, Value, qjs};

use crate::engine::engine_patch;
use crate::raw::{self, Raw, RawCtx};
use crate::state::host_number;

/// A property key: a string or a symbol.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    atom: qjs::JSAtom,
    runtime: *mut qjs::JSRuntime,
    host: u64,
}

/// The value of a property, without a reference to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    /// Missing or undefined.
    Undefined,
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text,
    /// An object, by its address.
    Object(Place),
    /// A value of another type.
    Other,
}

/// The address of an object. It is unique while the object lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(usize);

impl Place {
    /// The address of an object.
    pub fn of(object: &Object<'_>) -> Place {
        Place(raw::object_address(object.as_value().as_raw()))
    }
}

impl Look {
    #[inline]
    pub(crate) fn at(value: Raw) -> Look {
        // SAFETY: reads the tag, and the value that belongs to it.
        unsafe {
            match qjs::JS_VALUE_GET_NORM_TAG(value) {
                qjs::JS_TAG_UNDEFINED => Look::Undefined,
                qjs::JS_TAG_NULL => Look::Null,
                qjs::JS_TAG_BOOL => Look::Bool(qjs::JS_VALUE_GET_BOOL(value)),
                qjs::JS_TAG_INT => Look::Number(f64::from(qjs::JS_VALUE_GET_INT(value))),
                qjs::JS_TAG_FLOAT64 => Look::Number(qjs::JS_VALUE_GET_FLOAT64(value)),
                qjs::JS_TAG_STRING | qjs::JS_TAG_STRING_ROPE => Look::Text,
                qjs::JS_TAG_OBJECT => Look::Object(Place(raw::object_address(value))),
                _ => Look::Other,
            }
        }
    }
}

/// A primitive value that needs no reference.
#[derive(Clone, Copy)]
pub struct Plain(pub(crate) Raw);

impl Plain {
    /// Undefined.
    pub const UNDEFINED: Plain = Plain(qjs::JS_UNDEFINED);
    /// Null.
    pub const NULL: Plain = Plain(qjs::JS_NULL);
}

impl From<bool> for Plain {
    #[inline]
    fn from(is_so: bool) -> Plain {
        Plain(if is_so { qjs::JS_TRUE } else { qjs::JS_FALSE })
    }
}

impl From<i32> for Plain {
    #[inline]
    fn from(number: i32) -> Plain {
        Plain(qjs::JS_MKVAL(qjs::JS_TAG_INT, number))
    }
}

impl From<f64> for Plain {
    #[inline]
    fn from(number: f64) -> Plain {
        let whole = number as i32;
        // Compare bits: negative zero has no integer representation.
        let is_whole = f64::from(whole).to_bits() == number.to_bits();
        if is_whole { Plain::from(whole) } else { Plain(qjs::JS_NewFloat64(number)) }
    }
}

/// A value known to be an object. Converting a [`Value`] to one costs a check of its type each time.
#[derive(Clone, Debug)]
pub struct KnownObject<'js>(Value<'js>);

impl<'js> Deref for KnownObject<'js> {
    type Target = Object<'js>;

    fn deref(&self) -> &Object<'js> {
        // SAFETY: it is an object.
        unsafe { self.0.ref_object() }
    }
}

impl Key {
    /// The key for a string or a symbol.
    pub fn new<'js>(ctx: &Ctx<'js>, name: &Value<'js>) -> Result<Key> {
        let raw = ctx.as_raw().as_ptr();
        // SAFETY: a live value of this context; the atom is never freed.
        let (atom, runtime) = unsafe { (qjs::JS_ValueToAtom(raw, name.as_raw()), qjs::JS_GetRuntime(raw)) };
        if atom == qjs::JS_ATOM_NULL {
            return Err(Error::Exception);
        }
        Ok(Key { atom, runtime, host: host_number() })
    }

    /// Whether the key belongs to this host and the given runtime.
    #[inline]
    pub(crate) fn is_of_runtime(self, runtime: *mut qjs::JSRuntime) -> bool {
        self.runtime == runtime && self.host == host_number()
    }

    /// Whether the key belongs to the runtime of a context.
    #[inline]
    pub fn is_of(self, ctx: &Ctx<'_>) -> bool {
        // SAFETY: a live context.
        self.is_of_runtime(unsafe { qjs::JS_GetRuntime(ctx.as_raw().as_ptr()) })
    }

    /// The string or symbol of the key.
    pub fn value<'js>(self, ctx: &Ctx<'js>) -> Value<'js> {
        assert!(self.is_of(ctx), "a key of another runtime");
        // SAFETY: the atom is of this runtime; the reference goes to the value.
        unsafe { Value::from_raw(ctx.clone(), qjs::JS_AtomToValue(ctx.as_raw().as_ptr(), self.atom)) }
    }

    /// The engine's atom.
    pub(crate) fn atom(self) -> qjs::JSAtom {
        self.atom
    }

    /// The context of an object, which must be of the key's runtime.
    #[inline]
    fn ctx_of(self, object: &Object<'_>) -> RawCtx {
        assert!(self.is_of(object.ctx()), "a key of another runtime");
        object.ctx().as_raw().as_ptr()
    }

    /// Reads the property in place. `None` if it is an accessor or the engine's full lookup is needed.
    #[inline]
    fn peek<R>(self, object: &Object<'_>, look: impl FnOnce(Raw) -> R) -> Option<R> {
        self.ctx_of(object);
        // SAFETY: the caller holds the object, and the atom is of its runtime; no code runs while the value is read.
        unsafe { (engine_patch()?.look)(&object.as_value().as_raw(), self.atom).as_ref() }.map(|value| look(*value))
    }

    /// The property, with a reference.
    fn raw(self, object: &Object<'_>) -> Result<Raw> {
        let ctx = self.ctx_of(object);
        match self.peek(object, |value| raw::dup(ctx, value)) {
            Some(value) => Ok(value),
            None => self.ask(object),
        }
    }

    /// The property, with a reference, by the engine's full lookup: a getter or a proxy trap may run.
    fn ask(self, object: &Object<'_>) -> Result<Raw> {
        let ctx = self.ctx_of(object);
        // SAFETY: the caller holds the object, and the atom is of its runtime.
        let value = unsafe { qjs::JS_GetProperty(ctx, object.as_value().as_raw(), self.atom) };
        if raw::is_exception(value) { Err(Error::Exception) } else { Ok(value) }
    }

    /// Gets the property.
    pub fn get<'js>(self, object: &Object<'js>) -> Result<Value<'js>> {
        let value = self.raw(object)?;
        // SAFETY: the reference goes to the value.
        Ok(unsafe { Value::from_raw(object.ctx().clone(), value) })
    }

    /// Gets the property, if it is an object.
    pub fn object<'js>(self, object: &Object<'js>) -> Result<Option<KnownObject<'js>>> {
        let value = self.get(object)?;
        Ok(value.is_object().then_some(KnownObject(value)))
    }

    /// Reads the property without taking a reference.
    pub fn look(self, object: &Object<'_>) -> Result<Look> {
        if let Some(seen) = self.peek(object, Look::at) {
            return Ok(seen);
        }
        let value = self.ask(object)?;
        let seen = Look::at(value);
        raw::free(object.ctx().as_raw().as_ptr(), value);
        Ok(seen)
    }

    /// Sets the property, as an assignment does.
    pub fn set<'js>(self, object: &Object<'js>, value: &Value<'js>) -> Result<()> {
        self.set_raw(object, value.as_raw())
    }

    /// As [`set`](Key::set), to a primitive value.
    pub fn put(self, object: &Object<'_>, value: impl Into<Plain>) -> Result<()> {
        self.set_raw(object, value.into().0)
    }

    fn set_raw(self, object: &Object<'_>, value: Raw) -> Result<()> {
        let ctx = object.ctx().as_raw().as_ptr();
        let object = object.as_value().as_raw();
        let runtime = if self.host == host_number() { self.runtime } else { std::ptr::null_mut() };
        // SAFETY: as in `raw`, except that the engine compares the runtimes; it takes a reference of its own.
        let done = unsafe {
            match engine_patch() {
                Some(added) => (added.put)(ctx, runtime, &object, self.atom, &value),
                None if qjs::JS_GetRuntime(ctx) == runtime => {
                    qjs::JS_SetProperty(ctx, object, self.atom, raw::dup(ctx, value))
                }
                None => -2,
            }
        };
        assert!(done >= -1, "a key of another runtime");
        if done < 0 { Err(Error::Exception) } else { Ok(()) }
    }

    /// Calls the method.
    pub fn call<'js, const N: usize>(self, object: &Object<'js>, args: [&Value<'js>; N]) -> Result<Value<'js>> {
        let ctx = self.ctx_of(object);
        let method = self.get(object)?;
        let result = raw::call(ctx, method.as_raw(), object.as_value().as_raw(), &mut args.map(Value::as_raw));
        if raw::is_exception(result) {
            return Err(Error::Exception);
        }
        // SAFETY: the reference goes to the value.
        Ok(unsafe { Value::from_raw(object.ctx().clone(), result) })
    }

    /// Defines an enumerable own property on a new object.
    pub fn define<'js>(self, object: &Object<'js>, value: Value<'js>) -> Result<()> {
        self.define_as(object, value, qjs::JS_PROP_C_W_E)
    }

    /// As [`define`](Key::define), but not enumerable.
    pub fn hide<'js>(self, object: &Object<'js>, value: Value<'js>) -> Result<()> {
        self.define_as(object, value, qjs::JS_PROP_CONFIGURABLE | qjs::JS_PROP_WRITABLE)
    }

    fn define_as<'js>(self, object: &Object<'js>, value: Value<'js>, flags: u32) -> Result<()> {
        let ctx = self.ctx_of(object);
        // SAFETY: as in `set`.
        let done = unsafe {
            let value = raw::dup(ctx, value.as_raw());
            qjs::JS_DefinePropertyValue(ctx, object.as_value().as_raw(), self.atom, value, flags as _)
        };
        if done < 0 { Err(Error::Exception) } else { Ok(()) }
    }
}

/// Creates an object with the prototype and the properties of a model, in the same order, with other values. `None` if
/// the model is not a plain object with that number of properties.
pub fn make_like<'js, const N: usize>(
    model: &Object<'js>,
    values: [&Value<'js>; N],
) -> Result<Option<KnownObject<'js>>> {
    let Some(added) = engine_patch() else { return Ok(None) };
    let ctx = model.ctx();
    let values = values.map(Value::as_raw);
    let mut made = qjs::JS_UNDEFINED;
    // SAFETY: the caller holds the model and the values; the new reference goes to the value.
    let made = unsafe {
        let model = model.as_value().as_raw();
        (added.make_like)(ctx.as_raw().as_ptr(), &model, N as c_uint, values.as_ptr(), &mut made);
        Value::from_raw(ctx.clone(), made)
    };
    if made.is_exception() { Err(Error::Exception) } else { Ok(made.is_object().then_some(KnownObject(made))) }
}

/// Declares a struct of keys: `struct Name; field: "name", …`. Its `new(ctx, symbols)` uses, for each name, the symbol
/// that the object `symbols` has under it, or else the name itself.
#[macro_export]
macro_rules! keys {
    ($(#[$about:meta])* struct $keys:ident; $($field:ident: $name:literal,)*) => {
        $(#[$about])*
        struct $keys { $($field: $crate::keys::Key,)* }

        impl $keys {
            fn new<'js>(ctx: &rquickjs::Ctx<'js>, symbols: &rquickjs::Object<'js>) -> rquickjs::Result<$keys> {
                let key = |name: &str| {
                    let symbol: rquickjs::Value<'js> = symbols.get(name)?;
                    let text = || $crate::bytes::string_from_str(ctx, name);
                    $crate::keys::Key::new(ctx, &if symbol.is_symbol() { symbol } else { text()? })
                };
                Ok($keys { $($field: key($name)?,)* })
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use rquickjs::{Context, Runtime};

    use super::*;

    #[test]
    fn a_key_reads_sets_and_defines_properties() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let object: Object<'_> =
                ctx.eval("({ __proto__: { set a(value) { this.b = value; }, c: null }, d: 1.5 })").unwrap();
            let key = |name: &str| Key::new(&ctx, &ctx.eval::<Value<'_>, _>(format!("'{name}'")).unwrap()).unwrap();
            assert_eq!(key("c").look(&object).unwrap(), Look::Null);
            assert_eq!(key("d").look(&object).unwrap(), Look::Number(1.5));
            key("a").put(&object, 2.0).unwrap();
            assert_eq!(key("b").look(&object).unwrap(), Look::Number(2.0), "as an assignment: the setter was called");
            key("a").define(&object, Value::new_bool(ctx.clone(), true)).unwrap();
            assert_eq!(key("a").look(&object).unwrap(), Look::Bool(true));
            key("h").hide(&object, Value::new_int(ctx.clone(), 1)).unwrap();
            assert!(!object.keys::<String>().any(|name| name.unwrap() == "h"));
            let added =
                key("add").call(&ctx.eval("({ b: 1, add(a) { return a + this.b; } })").unwrap(), [object.as_value()]);
            assert_eq!(added.unwrap().as_string().unwrap().to_string().unwrap(), "[object Object]1");
            assert!(key("b").call(&object, []).is_err(), "it is no function");
            ctx.catch();
            let code = "Object.defineProperty(Object.defineProperty([1, 2, 3], 'r', { value: 0 }), 'g', { get() { return 0; } })";
            let array: Object<'_> = ctx.eval(code).unwrap();
            for refused in ["r", "g"] {
                assert!(key(refused).put(&array, 1.0).is_err(), "{refused}");
                ctx.catch();
            }
            key("length").put(&array, 1.0).unwrap();
            assert!(array.get::<_, Value<'_>>(1).unwrap().is_undefined());
            key("e").set(&object, object.as_value()).unwrap();
            assert_eq!(key("e").look(&object).unwrap(), Look::Object(Place::of(&object)));
            assert_eq!(key("f").look(&object).unwrap(), Look::Undefined);
            assert!(key("e").object(&object).unwrap().is_some());
            key("e").put(&object, 0.0).unwrap();
            assert!(key("e").object(&object).unwrap().is_none());
        });
    }

    #[test]
    fn getters_and_proxy_traps_run() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let key = Key::new(&ctx, &ctx.eval::<Value<'_>, _>("'a'").unwrap()).unwrap();
            let look = |code: &str| key.look(&ctx.eval::<Object<'_>, _>(code).unwrap());
            assert_eq!(look("({ __proto__: { get a() { return this.b; } }, b: 2 })").unwrap(), Look::Number(2.0));
            assert_eq!(look("({ __proto__: new Proxy({}, { get: (_, name) => name }) })").unwrap(), Look::Text);
            assert!(look("({ get a() { throw 1; } })").is_err());
        });
    }

    #[test]
    fn an_object_is_created_from_a_model() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let model = |code: &str| ctx.eval::<Object<'_>, _>(code).unwrap();
            let (one, two) = (Value::new_int(ctx.clone(), 1), ctx.eval("'two'").unwrap());
            let made = make_like(&model("Object.assign(Object.create({ c: 3 }), { a: null, b: null })"), [&one, &two])
                .unwrap()
                .unwrap();
            ctx.globals().set("made", made.as_value().clone()).unwrap();
            made.set("d", 4).unwrap();
            let told: String = ctx.eval("JSON.stringify(made) + made.c").unwrap();
            assert_eq!(told, r#"{"a":1,"b":"two","d":4}3"#);
            for no_model in
                ["[]", "({ a: 1 })", "({ a: 1, get b() {} })", "({ a: 1, b: 2, c: 3 })", "new Proxy({}, {})"]
            {
                assert!(make_like(&model(no_model), [&one, &two]).unwrap().is_none(), "{no_model}");
            }
        });
    }
}
