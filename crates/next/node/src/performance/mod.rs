//! Native functions of `performance`.

use phasor_engine::{Fallible, Local, Object, Scope};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    Ok(Object::new(scope))
}

/// Records the time at which the process started. Called first in `main`.
pub fn start() {}
