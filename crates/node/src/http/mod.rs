//! Native functions of `http`: parsers, message heads, and a whole response in one write.

pub(crate) mod binding;
mod fast;
pub mod head;
pub mod parser;
mod respond;
pub mod tables;

pub(crate) use self::fast::PendingWrites;

use phasor_js::bytes::Text;
use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    respond::define(&natives)?;
    fast::define(&natives)?;
    binding::define(&natives)?;
    natives.set("METHODS", tables::METHODS.to_vec())?;
    natives.set("ALL_METHODS", tables::all_methods().collect::<Vec<_>>())?;
    natives.set("isToken", Func::from(|text: Text<'_>| tables::is_token_text(text.as_wtf8())))?;
    natives.set("isValue", Func::from(|text: Text<'_>| tables::is_value_text(text.as_wtf8())))?;
    Ok(natives)
}

/// Flags of a head, as bits for JavaScript.
mod flag {
    pub(super) const KEEP_ALIVE: u32 = 1;
    pub(super) const UPGRADE: u32 = 2;
    pub(super) const COMPLETE: u32 = 4;
    pub(super) const HOST: u32 = 8;
    pub(super) const EXPECT: u32 = 16;
    pub(super) const MINOR_SHIFT: u32 = 8;
    pub(super) const MAJOR_SHIFT: u32 = 12;
}
