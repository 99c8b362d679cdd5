//! Native functions of `worker_threads`.

use phasor_engine::{Fallible, Local, Object, Scope};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    Ok(Object::new(scope))
}
