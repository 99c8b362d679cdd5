//! JavaScript objects that own a Rust value as native data. The value is dropped with the object.
//!
//! # Safety
//! The value has no lifetime of the engine, and is never replaced as a whole.
#![allow(unsafe_code)]

use rquickjs::class::{JsClass, Readable, Trace, Tracer};
use rquickjs::function::Constructor;
use rquickjs::{Class, Ctx, JsLifetime, Object, Result};

/// A value owned by a JavaScript object.
pub struct NativeData<T>(T);

/// A JavaScript object that owns a value.
pub type NativeObject<'js, T> = Class<'js, NativeData<T>>;

impl<T> NativeData<T> {
    /// Creates an object that owns a value, with a given prototype.
    pub fn by<'js>(prototype: Object<'js>, value: T) -> Result<NativeObject<'js, T>>
    where
        T: 'static,
    {
        Class::instance_proto(NativeData(value), prototype)
    }
}

impl<T> std::ops::Deref for NativeData<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

// SAFETY: a `'static` type has no lifetime to change.
unsafe impl<'js, T: 'static> JsLifetime<'js> for NativeData<T> {
    type Changed<'to> = NativeData<T>;
}

impl<'js, T> Trace<'js> for NativeData<T> {
    fn trace<'a>(&self, _tracer: Tracer<'a, 'js>) {}
}

impl<'js, T: 'static> JsClass<'js> for NativeData<T> {
    const NAME: &'static str = "Object";

    type Mutable = Readable;

    fn constructor(_ctx: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use rquickjs::{Context, Runtime};

    use super::*;

    #[test]
    fn a_value_lives_as_long_as_its_object() {
        let value = Rc::new(7);
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            let prototype: Object<'_> = ctx.eval("({ name: 'a' })").unwrap();
            let object = NativeData::by(prototype.clone(), value.clone()).unwrap();
            assert_eq!(object.get::<_, String>("name").unwrap(), "a");
            let again: NativeObject<'_, Rc<i32>> = Class::from_object(&object).unwrap();
            assert_eq!((***again.borrow(), Rc::strong_count(&value)), (7, 2));
            assert!(NativeObject::<'_, Rc<i32>>::from_object(&prototype).is_none());
        });
        assert_eq!(Rc::strong_count(&value), 1);
    }
}
