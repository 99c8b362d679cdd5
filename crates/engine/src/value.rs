//! The kinds of values that have no file of their own: [`Value`], [`Symbol`], [`BigInt`].

use mozjs::jsapi;

use crate::exception::{Fallible, Thrown};
use crate::local::{Kind, Local, sealed};
use crate::raw;
use crate::scope::Scope;
use crate::string::JsString;

/// Any value of JavaScript.
#[derive(Debug)]
pub enum Value {}

/// A symbol.
#[derive(Debug)]
pub enum Symbol {}

/// A BigInt: an integer of any size.
#[derive(Debug)]
pub enum BigInt {}

impl sealed::Sealed for Value {}
impl sealed::Sealed for Symbol {}
impl sealed::Sealed for BigInt {}

impl Kind for Value {
    fn matches(_: sealed::Raw) -> bool {
        true
    }
}

impl Kind for Symbol {
    fn matches(value: sealed::Raw) -> bool {
        value.0.is_symbol()
    }
}

impl Kind for BigInt {
    fn matches(value: sealed::Raw) -> bool {
        value.0.is_bigint()
    }
}

impl BigInt {
    /// Makes a BigInt from an unsigned integer.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn from_u64<'s>(scope: Scope<'s>, number: u64) -> Fallible<Local<'s, BigInt>> {
        // SAFETY: the context is alive.
        from_engine(scope, unsafe { mozjs_sys::jsapi::JS::detail::BigIntFromUint64(scope.cx(), number) })
    }

    /// Makes a BigInt from a signed integer.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn from_i64<'s>(scope: Scope<'s>, number: i64) -> Fallible<Local<'s, BigInt>> {
        // SAFETY: the context is alive.
        from_engine(scope, unsafe { mozjs_sys::jsapi::JS::detail::BigIntFromInt64(scope.cx(), number) })
    }
}

impl Local<'_, BigInt> {
    /// The value modulo 2^64, as `BigInt.asIntN(64, value)`.
    pub fn to_i64_wrapping(self) -> i64 {
        // SAFETY: the value is a BigInt, and is not collected during the call.
        unsafe { jsapi::JS::ToBigInt64(self.raw().to_bigint()) }
    }

    /// The value modulo 2^64, as `BigInt.asUintN(64, value)`.
    pub fn to_u64_wrapping(self) -> u64 {
        // SAFETY: the value is a BigInt, and is not collected during the call.
        unsafe { jsapi::JS::ToBigUint64(self.raw().to_bigint()) }
    }
}

fn from_engine<'s>(scope: Scope<'s>, integer: *mut jsapi::JS::BigInt) -> Fallible<Local<'s, BigInt>> {
    if integer.is_null() {
        return Err(Thrown::pending(scope));
    }
    // SAFETY: the engine has just made the integer.
    Ok(unsafe { scope.root(mozjs::jsval::BigIntValue(&*integer)) })
}

impl<'s> Local<'s, Value> {
    /// The type as `typeof` returns it, except that null gives `null` and functions give `object`.
    pub fn type_name(self) -> &'static str {
        let value = self.raw();
        match () {
            () if value.is_undefined() => "undefined",
            () if value.is_null() => "null",
            () if value.is_boolean() => "boolean",
            () if value.is_number() => "number",
            () if value.is_string() => "string",
            () if value.is_symbol() => "symbol",
            () if value.is_bigint() => "bigint",
            () => "object",
        }
    }

    /// Whether the value is `undefined`.
    pub fn is_undefined(self) -> bool {
        self.raw().is_undefined()
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.raw().is_null()
    }

    /// Whether the value is `undefined` or `null`.
    pub fn is_nullish(self) -> bool {
        self.raw().is_null_or_undefined()
    }

    /// The value of a boolean; none for other types.
    pub fn to_bool(self) -> Option<bool> {
        let value = self.raw();
        value.is_boolean().then(|| value.to_boolean())
    }

    /// The value of a number; none for other types.
    pub fn to_f64(self) -> Option<f64> {
        let value = self.raw();
        value.is_number().then(|| value.to_number())
    }

    /// The value of a number that is a 32-bit integer; none for other values.
    pub fn to_int32(self) -> Option<i32> {
        let number = self.to_f64()?;
        let integer = number as i32;
        (f64::from(integer) == number).then_some(integer)
    }

    /// Whether the value is truthy (ECMA-262 section 7.1.2).
    pub fn is_truthy(self) -> bool {
        // SAFETY: the handle is a slot; the function neither runs JavaScript nor collects.
        unsafe { mozjs::rust::ToBoolean(mozjs::rust::Handle::from_raw(raw::handle(self.slot()))) }
    }

    /// Converts the value to a string like `String(value)`, but throws for symbols (ECMA-262 section 7.1.17). May run
    /// JavaScript.
    ///
    /// # Errors
    ///
    /// The exception that the called JavaScript throws; a TypeError for a symbol.
    pub fn to_js_string(self, scope: Scope<'s>) -> Fallible<Local<'s, JsString>> {
        let value = self.raw();
        if value.is_string() {
            // SAFETY: the value was just read and is a string.
            return Ok(unsafe { scope.root(value) });
        }
        // SAFETY: the handle is a slot.
        let string = unsafe { jsapi::ToStringSlow(scope.cx(), raw::handle(self.slot())) };
        if string.is_null() {
            return Err(Thrown::pending(scope));
        }
        // SAFETY: the engine has just made the string.
        Ok(unsafe { scope.root(raw::string(string)) })
    }

    /// Converts the value like [`to_js_string`](Local::to_js_string), and copies the string into Rust. A lone surrogate
    /// becomes U+FFFD.
    ///
    /// # Errors
    ///
    /// The errors of [`to_js_string`](Local::to_js_string).
    pub fn to_text(self, scope: Scope<'s>) -> Fallible<String> {
        scope.nested(|inner| {
            // The nested scope frees the slot of the converted string.
            let value = inner.value(self.raw());
            let string = value.to_js_string(inner)?;
            string.to_text(inner)
        })
    }
}
