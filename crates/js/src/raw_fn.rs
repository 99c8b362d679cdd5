//! Raw `JSCFunction`s: arguments are borrowed and not converted. For hot paths only.
//!
//! Other natives are rquickjs closures, which count and convert every argument.
//!
//! # Safety
//! The engine calls `enter` with live values, padded with undefined up to the function's length. The caller keeps their
//! references: the borrowed copies passed to natives are never dropped.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::os::raw::c_int;
use std::ptr::{self, NonNull};

use rquickjs::{Ctx, Error, Exception, Object, Result, Value, qjs};

use crate::guards::Lent;
use crate::keys::Plain;
use crate::raw::{self, Raw, RawCtx};

/// The return value of a raw function.
pub struct Ret(Raw);

impl<P: Into<Plain>> From<P> for Ret {
    #[inline]
    fn from(plain: P) -> Ret {
        Ret(plain.into().0)
    }
}

impl Ret {
    /// Returns a value, with a new reference for the caller.
    pub fn of(value: &Value<'_>) -> Ret {
        Ret(raw::dup(value.ctx().as_raw().as_ptr(), value.as_raw()))
    }
}

/// The arguments of a raw function.
pub struct Args<'a, 'js, const N: usize> {
    ctx: &'a Ctx<'js>,
    values: &'a [Raw; N],
}

impl<'a, 'js, const N: usize> Args<'a, 'js, N> {
    /// The context.
    #[inline]
    pub fn ctx(&self) -> &'a Ctx<'js> {
        self.ctx
    }

    /// One of the arguments.
    #[inline]
    pub fn value(&self, at: usize) -> Lent<'a, 'js, Value<'js>> {
        // SAFETY: the context and the value live as long as the call; the copies are never dropped.
        let value = unsafe { Value::from_raw(ptr::read(self.ctx), self.values[at]) };
        Lent(ManuallyDrop::new(value), PhantomData)
    }

    /// One of the arguments, if it is an object.
    #[inline]
    pub fn object(&self, at: usize) -> Option<Lent<'a, 'js, Object<'js>>> {
        let value = self.value(at);
        value.is_object().then_some(Lent(value.0, PhantomData))
    }
}

/// A raw function with `N` parameters.
pub trait RawFn<const N: usize> {
    /// The implementation.
    fn call<'js>(given: &Args<'_, 'js, N>) -> Result<Ret>;
}

/// Defines the function as a property of an object.
pub fn define<V: RawFn<N>, const N: usize>(object: &Object<'_>, name: &str) -> Result<()> {
    let ctx = object.ctx();
    // SAFETY: the function has the engine's signature; the new reference goes to the value.
    let function = unsafe {
        let kind = qjs::JSCFunctionEnum_JS_CFUNC_generic;
        let made = qjs::JS_NewCFunction2(ctx.as_raw().as_ptr(), Some(enter::<V, N>), c"".as_ptr(), N as c_int, kind, 0);
        Value::from_raw(ctx.clone(), made)
    };
    object.set(name, function)
}

/// The `JSCFunction` of a raw function.
unsafe extern "C" fn enter<V: RawFn<N>, const N: usize>(raw: RawCtx, _this: Raw, _argc: c_int, argv: *mut Raw) -> Raw {
    // SAFETY: see the head of the file.
    let (ctx, values) = unsafe { (Ctx::from_raw(NonNull::new_unchecked(raw)), &*argv.cast::<[Raw; N]>()) };
    match V::call(&Args { ctx: &ctx, values }) {
        Ok(Ret(value)) => value,
        Err(Error::Exception) => qjs::JS_EXCEPTION,
        Err(error) => {
            Exception::throw_message(&ctx, &error.to_string());
            qjs::JS_EXCEPTION
        }
    }
}

#[cfg(test)]
mod tests {
    use rquickjs::{Context, Runtime};

    use super::*;

    struct Second;

    impl RawFn<2> for Second {
        fn call<'js>(given: &Args<'_, 'js, 2>) -> Result<Ret> {
            match given.object(0) {
                Some(object) if object.get::<_, bool>("fails")? => Err(Error::new_from_js("it", "this")),
                Some(_) => Ok(Ret::of(&given.value(1))),
                None => Ok(Ret::from(1.5)),
            }
        }
    }

    #[test]
    fn missing_arguments_are_undefined() {
        Context::full(&Runtime::new().unwrap()).unwrap().with(|ctx| {
            define::<Second, 2>(&ctx.globals(), "second").unwrap();
            let is_so = |code: &str| ctx.eval::<bool, _>(code).unwrap();
            assert!(is_so("second() === 1.5 && second.length === 2"));
            assert!(is_so("second({ fails: false }) === undefined"));
            assert!(is_so("const given = {}; second({ fails: false }, given, 3) === given"));
            assert!(is_so("try { second({ fails: true }), false } catch (error) { error instanceof Error }"));
            assert!(is_so("try { second({ get fails() { throw 1; } }), false } catch (error) { error === 1 }"));
        });
    }
}
