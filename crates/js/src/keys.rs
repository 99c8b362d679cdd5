//! Properties by keys that are known beforehand. A native that looks at many properties for each call does so by these:
//! no text is made into a key each time, and what is only looked at is not counted.
//!
//! # Safety
//! A key is an atom that is never given up, so it means the same for the life of its runtime; with an object of another
//! runtime it is refused. Values that the engine hands out owned go to a `Value`, or are given up here.
#![allow(unsafe_code)]

use rquickjs::{Ctx, Error, Object, Result, Value, qjs};

use crate::raw::{self, Raw};

/// The name of a property.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    atom: qjs::JSAtom,
    runtime: *mut qjs::JSRuntime,
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

impl Key {
    /// The key that a string or a symbol is.
    pub fn new<'js>(ctx: &Ctx<'js>, name: &Value<'js>) -> Result<Key> {
        let raw = ctx.as_raw().as_ptr();
        // SAFETY: a living value of this context; the atom is kept for good.
        let (atom, runtime) = unsafe { (qjs::JS_ValueToAtom(raw, name.as_raw()), qjs::JS_GetRuntime(raw)) };
        if atom == qjs::JS_ATOM_NULL {
            return Err(Error::Exception);
        }
        Ok(Key { atom, runtime })
    }

    /// The property, with a reference.
    fn raw(self, object: &Object<'_>) -> Result<Raw> {
        let ctx = object.ctx().as_raw().as_ptr();
        // SAFETY: the object is held by the caller, and the atom is of its runtime.
        unsafe {
            assert_eq!(self.runtime, qjs::JS_GetRuntime(ctx), "a key of another runtime");
            let value = qjs::JS_GetProperty(ctx, object.as_value().as_raw(), self.atom);
            if raw::is_exception(value) { Err(Error::Exception) } else { Ok(value) }
        }
    }

    /// The property.
    pub fn get<'js>(self, object: &Object<'js>) -> Result<Value<'js>> {
        let value = self.raw(object)?;
        // SAFETY: the reference goes to the value.
        Ok(unsafe { Value::from_raw(object.ctx().clone(), value) })
    }

    /// The property, if it is an object.
    pub fn object<'js>(self, object: &Object<'js>) -> Result<Option<Object<'js>>> {
        Ok(self.get(object)?.into_object())
    }

    /// Looks at the property.
    pub fn look(self, object: &Object<'_>) -> Result<Look> {
        let value = self.raw(object)?;
        // SAFETY: looks at the tag, and at what goes with it.
        let seen = unsafe {
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
        };
        raw::free(object.ctx().as_raw().as_ptr(), value);
        Ok(seen)
    }

    /// Sets the property, as an assignment does.
    pub fn set<'js>(self, object: &Object<'js>, value: Value<'js>) -> Result<()> {
        let ctx = object.ctx().as_raw().as_ptr();
        // SAFETY: as in `raw`; the engine takes the reference that is made for it.
        let done = unsafe {
            assert_eq!(self.runtime, qjs::JS_GetRuntime(ctx), "a key of another runtime");
            qjs::JS_SetProperty(ctx, object.as_value().as_raw(), self.atom, raw::dup(ctx, value.as_raw()))
        };
        if done < 0 { Err(Error::Exception) } else { Ok(()) }
    }

    /// Makes it a property of the object's own, of a new object.
    pub fn define<'js>(self, object: &Object<'js>, value: Value<'js>) -> Result<()> {
        let ctx = object.ctx().as_raw().as_ptr();
        // SAFETY: as in `set`.
        let done = unsafe {
            assert_eq!(self.runtime, qjs::JS_GetRuntime(ctx), "a key of another runtime");
            let value = raw::dup(ctx, value.as_raw());
            qjs::JS_DefinePropertyValue(ctx, object.as_value().as_raw(), self.atom, value, qjs::JS_PROP_C_W_E as _)
        };
        if done < 0 { Err(Error::Exception) } else { Ok(()) }
    }

    /// Sets it to a number.
    pub fn set_number(self, object: &Object<'_>, number: f64) -> Result<()> {
        self.set(object, Value::new_number(object.ctx().clone(), number))
    }
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
            key("a").set_number(&object, 2.0).unwrap();
            assert_eq!(key("b").look(&object).unwrap(), Look::Number(2.0), "as an assignment: the setter was called");
            key("a").define(&object, Value::new_bool(ctx.clone(), true)).unwrap();
            assert_eq!(key("a").look(&object).unwrap(), Look::Bool(true));
            key("e").set(&object, object.clone().into_value()).unwrap();
            assert_eq!(key("e").look(&object).unwrap(), Look::Object(Place::of(&object)));
            assert_eq!(key("f").look(&object).unwrap(), Look::Undefined);
            assert!(key("e").object(&object).unwrap().is_some());
            key("e").set_number(&object, 0.0).unwrap();
        });
    }
}
