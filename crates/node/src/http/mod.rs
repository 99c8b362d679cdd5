//! Native functions of `http`: the parser of HTTP/1.

mod binding;
pub mod parser;
#[allow(dead_code, reason = "JavaScript checks tokens and values itself here")]
pub mod tables;

use phasor_engine::{Fallible, Local, Object, Scope};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    binding::define(scope, natives)?;
    natives.set(scope, "METHODS", tables::METHODS)?;
    natives.set(scope, "ALL_METHODS", tables::all_methods().collect::<Vec<_>>())?;
    Ok(natives)
}
