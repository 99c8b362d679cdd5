//! `String.prototype.localeCompare` as a raw `JSCFunction`, because sorting calls it often. The collation itself is in `phasor-node`.
//!
//! # Safety
//! The engine calls `compared` with live values; each borrowed C string is freed.
#![allow(unsafe_code)]

use std::cmp::Ordering;
use std::os::raw::c_int;
use std::panic::catch_unwind;
use std::sync::OnceLock;

use rquickjs::{Ctx, Error, Function, Result, Value, qjs};

use crate::raw::{self, Raw, RawCtx};

/// Compares two strings in the order of a locale, or of the default locale. `None` if it cannot decide by the strings
/// alone. Lone surrogates are passed as they are (WTF-8).
pub type Order = fn(&[u8], &[u8], Option<&[u8]>) -> Option<Ordering>;

static ORDER: OnceLock<Order> = OnceLock::new();

/// Creates the method. `otherwise(this, that, locales, options)` handles the calls that `order` cannot decide.
pub fn locale_compare<'js>(ctx: &Ctx<'js>, order: Order, otherwise: &Function<'js>) -> Result<Value<'js>> {
    // The first order set is used by the whole process.
    let _ = ORDER.set(order);
    let mut data = [otherwise.as_value().as_raw()];
    // SAFETY: the engine takes a reference of its own to the data; the new reference goes to the value.
    unsafe {
        let name = c"localeCompare".as_ptr();
        let raw = ctx.as_raw().as_ptr();
        let function = qjs::JS_NewCFunctionData2(raw, Some(compared), name, 1, 0, 1, data.as_mut_ptr());
        if raw::is_exception(function) {
            return Err(Error::Exception);
        }
        Ok(Value::from_raw(ctx.clone(), function))
    }
}

/// A C string borrowed from the engine, freed on drop.
struct Lent {
    ctx: RawCtx,
    start: *const std::os::raw::c_char,
    bytes: usize,
}

impl Lent {
    /// `None` if there is no memory for it.
    fn new(ctx: RawCtx, text: Raw) -> Option<Lent> {
        let mut bytes = 0;
        // SAFETY: the value is a live string.
        let start = unsafe { qjs::JS_ToCStringLen2(ctx, &mut bytes, text, false) };
        (!start.is_null()).then_some(Lent { ctx, start, bytes: bytes as usize })
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the engine returned this range and keeps it until `drop`.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.bytes) }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // SAFETY: returned by the engine, and freed once.
        unsafe { qjs::JS_FreeCString(self.ctx, self.start) };
    }
}

unsafe extern "C" fn compared(
    ctx: RawCtx,
    this: Raw,
    argc: c_int,
    argv: *mut Raw,
    _magic: c_int,
    data: *mut Raw,
) -> Raw {
    // SAFETY: the engine passes `argc` arguments, and the function's data.
    unsafe {
        let given = raw::arguments(argc, argv);
        let [that, locales, options] = [0, 1, 2].map(|at| given.get(at).copied().unwrap_or(qjs::JS_UNDEFINED));
        let is_plain = qjs::JS_IsUndefined(options) && (qjs::JS_IsUndefined(locales) || qjs::JS_IsString(locales));
        if is_plain && qjs::JS_IsString(this) && qjs::JS_IsString(that) {
            let (Some(left), Some(right)) = (Lent::new(ctx, this), Lent::new(ctx, that)) else {
                return qjs::JS_EXCEPTION;
            };
            let locale = qjs::JS_IsString(locales).then(|| Lent::new(ctx, locales));
            if matches!(locale, Some(None)) {
                return qjs::JS_EXCEPTION;
            }
            if let Some(order) = ordered(&left, &right, locale.flatten().as_ref()) {
                return qjs::JS_MKVAL(qjs::JS_TAG_INT, order as c_int);
            }
        }
        raw::call(ctx, *data, qjs::JS_UNDEFINED, &mut [this, that, locales, options])
    }
}

/// Compares the strings. A panic must not reach the engine: it is caught, and the slow path decides.
fn ordered(left: &Lent, right: &Lent, locale: Option<&Lent>) -> Option<Ordering> {
    let order = ORDER.get()?;
    let (left, right, locale) = (left.bytes(), right.bytes(), locale.map(Lent::bytes));
    catch_unwind(|| order(left, right, locale)).ok().flatten()
}
