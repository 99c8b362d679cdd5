//! The result of `Date()` called as a function. QuickJS does not know time zone names, so `phasor-node` supplies the text.
//!
//! # Safety
//! The engine function reads live values, and takes references of its own.
#![allow(unsafe_code)]

use rquickjs::{Ctx, Error, Function, Result};

use crate::engine::engine_patch;

/// Makes `Date()` return what a function returns for the current date, in the realm of the given `Date` class, even if
/// a program replaces `Date.prototype.toString`.
pub fn keep_text<'js>(ctx: Ctx<'js>, class: Function<'js>, text: Function<'js>) -> Result<()> {
    let Some(added) = engine_patch() else { return Ok(()) };
    let (class, text) = (class.as_value().as_raw(), text.as_value().as_raw());
    // SAFETY: both are alive.
    match unsafe { (added.keep_date_text)(ctx.as_raw().as_ptr(), &class, &text) } {
        -1 => Err(Error::Exception),
        _ => Ok(()),
    }
}
