//! Native functions of `http`: the binding of the parser of HTTP/1.

mod binding;

use phasor_engine::{Fallible, Local, Object, Scope};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    binding::define(scope, natives)?;
    natives.set(scope, "METHODS", phasor_http1::METHODS)?;
    natives.set(scope, "ALL_METHODS", phasor_http1::all_methods().collect::<Vec<_>>())?;
    Ok(natives)
}
