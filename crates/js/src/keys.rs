//! Properties by keys that are known beforehand. A native that looks at many properties for each call does so by these:
//! no text is made into a key each time, and what is only looked at is not counted.
//!
//! # Safety
//! A key is an atom that is never given up, so it means the same for the life of its runtime; with an object of another
//! runtime it is refused. Values that the engine hands out owned go to a `Value`, or are given up here.
#![allow(unsafe_code)]

use std::ops::Deref;
use std::os::raw::c_uint;

use rquickjs::{Ctx, Error, Object, Result, Value, qjs};

use crate::engine::engine_patch;
use crate::raw::{self, Raw, RawCtx};
use crate::state::host_number;

/// The name of a property.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    atom: qjs::JSAtom,
    runtime: *mut qjs::JSRuntime,
    host: u64,
}

/// What a property is, as far as that can be said without a reference to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    /// Not there, or undefined.
    Undefined,
    /// Null.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text,
    /// An object, by where it is.
    Object(Place),
    /// Something else.
    Other,
}

/// Where an object is: no other is there while it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(usize);

impl Place {
    /// Where this one is.
    pub fn of(object: &Object<'_>) -> Place {
        Place(raw::object_address(object.as_value().as_raw()))
    }
}

impl Look {
    #[inline]
    pub(crate) fn at(value: Raw) -> Look {
        // SAFETY: looks at the tag, and at what goes with it.
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

/// A value that is no reference.
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
        // Zero has a sign that no integer has.
        let is_whole = f64::from(whole).to_bits() == number.to_bits();
        if is_whole { Plain::from(whole) } else { Plain(qjs::JS_NewFloat64(number)) }
    }
}

/// A value that is known to be an object. Asked for one, a [`Value`] would find out first which of many kinds it is of.
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
    /// The key that a string or a symbol is.
    pub fn new<'js>(ctx: &Ctx<'js>, name: &Value<'js>) -> Result<Key> {
        let raw = ctx.as_raw().as_ptr();
        // SAFETY: a living value of this context; the atom is kept for good.
        let (atom, runtime) = unsafe { (qjs::JS_ValueToAtom(raw, name.as_raw()), qjs::JS_GetRuntime(raw)) };
        if atom == qjs::JS_ATOM_NULL {
            return Err(Error::Exception);
        }
        Ok(Key { atom, runtime, host: host_number() })
    }

    /// Whether it is one of this host's runtime.
    #[inline]
    pub(crate) fn is_of_runtime(self, runtime: *mut qjs::JSRuntime) -> bool {
        self.runtime == runtime && self.host == host_number()
    }

    /// Whether it is one of this context's runtime.
    #[inline]
    pub fn is_of(self, ctx: &Ctx<'_>) -> bool {
        // SAFETY: a living context.
        self.is_of_runtime(unsafe { qjs::JS_GetRuntime(ctx.as_raw().as_ptr()) })
    }

    /// The string or the symbol that the key is.
    pub fn value<'js>(self, ctx: &Ctx<'js>) -> Value<'js> {
        assert!(self.is_of(ctx), "a key of another runtime");
        // SAFETY: the atom is of this runtime; the reference goes to the value.
        unsafe { Value::from_raw(ctx.clone(), qjs::JS_AtomToValue(ctx.as_raw().as_ptr(), self.atom)) }
    }

    /// The engine's name of it.
    pub(crate) fn atom(self) -> qjs::JSAtom {
        self.atom
    }

    /// The engine's context of an object that the key may be used with.
    #[inline]
    fn ctx_of(self, object: &Object<'_>) -> RawCtx {
        assert!(self.is_of(object.ctx()), "a key of another runtime");
        object.ctx().as_raw().as_ptr()
    }

    /// Has the property looked at where it is, if it is a plain one or none.
    #[inline]
    fn peek<R>(self, object: &Object<'_>, look: impl FnOnce(Raw) -> R) -> Option<R> {
        self.ctx_of(object);
        // SAFETY: the object is held by the caller, and the atom is of its runtime; nothing runs while the value is looked at.
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

    /// The property, with a reference, by the engine's own way: a getter may run.
    fn ask(self, object: &Object<'_>) -> Result<Raw> {
        let ctx = self.ctx_of(object);
        // SAFETY: the object is held by the caller, and the atom is of its runtime.
        let value = unsafe { qjs::JS_GetProperty(ctx, object.as_value().as_raw(), self.atom) };
        if raw::is_exception(value) { Err(Error::Exception) } else { Ok(value) }
    }

    /// The property.
    pub fn get<'js>(self, object: &Object<'js>) -> Result<Value<'js>> {
        let value = self.raw(object)?;
        // SAFETY: the reference goes to the value.
        Ok(unsafe { Value::from_raw(object.ctx().clone(), value) })
    }

    /// The property, if it is an object.
    pub fn object<'js>(self, object: &Object<'js>) -> Result<Option<KnownObject<'js>>> {
        let value = self.get(object)?;
        Ok(value.is_object().then_some(KnownObject(value)))
    }

    /// Looks at the property.
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

    /// The same, to a value that is no reference.
    pub fn put(self, object: &Object<'_>, value: impl Into<Plain>) -> Result<()> {
        self.set_raw(object, value.into().0)
    }

    fn set_raw(self, object: &Object<'_>, value: Raw) -> Result<()> {
        let ctx = object.ctx().as_raw().as_ptr();
        let object = object.as_value().as_raw();
        let runtime = if self.host == host_number() { self.runtime } else { std::ptr::null_mut() };
        // SAFETY: as in `raw`, but that the engine compares the runtimes; a reference that it takes is made for it.
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

    /// Makes it a property of the object's own, of a new object.
    pub fn define<'js>(self, object: &Object<'js>, value: Value<'js>) -> Result<()> {
        self.define_as(object, value, qjs::JS_PROP_C_W_E)
    }

    /// As [`define`](Key::define), and who lists the properties does not see it.
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

/// Makes an object with the prototype and the properties of a model, in their order, with other values. Nothing if the model is not a
/// plain object with as many values.
pub fn make_like<'js, const N: usize>(
    model: &Object<'js>,
    values: [&Value<'js>; N],
) -> Result<Option<KnownObject<'js>>> {
    let Some(added) = engine_patch() else { return Ok(None) };
    let ctx = model.ctx();
    let values = values.map(Value::as_raw);
    let mut made = qjs::JS_UNDEFINED;
    // SAFETY: the caller holds the model and the values, as many as are told of; the new reference goes to the value.
    let made = unsafe {
        let model = model.as_value().as_raw();
        (added.make_like)(ctx.as_raw().as_ptr(), &model, N as c_uint, values.as_ptr(), &mut made);
        Value::from_raw(ctx.clone(), made)
    };
    if made.is_exception() { Err(Error::Exception) } else { Ok(made.is_object().then_some(KnownObject(made))) }
}

/// Declares a struct of keys: `struct Name; field: "name", …`. Its `new(ctx, symbols)` takes for each name the symbol that an
/// object has under it, or else the name itself.
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
    fn a_key_looks_sets_and_defines() {
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
    fn a_getter_is_called_and_a_proxy_asked() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let key = Key::new(&ctx, &ctx.eval::<Value<'_>, _>("'a'").unwrap()).unwrap();
            let look = |code: &str| key.look(&ctx.eval::<Object<'_>, _>(code).unwrap());
            assert_eq!(look("({ __proto__: { get a() { return this.b; } }, b: 2 })").unwrap(), Look::Number(2.0));
            assert_eq!(look("({ __proto__: new Proxy({}, { get: (_, name) => name }) })").unwrap(), Look::Text);
            assert!(look("({ get a() { throw 1; } })").is_err());
        });
    }

    #[test]
    fn one_is_made_like_another() {
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
