//! Native functions of `repl`.

use phasor_engine::{Fallible, Local, Object, Scope};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    Ok(Object::new(scope))
}

/// Set by Ctrl-C in the REPL: the running code is interrupted.
pub static INTERRUPT: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
