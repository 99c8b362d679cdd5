//! Native functions of `worker_threads`.

use phasor_engine::{Fallible, Local, Object, Scope};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    Ok(Object::new(scope))
}

/// Writes a worker's output through its parent thread. Returns false on the main thread.
pub(crate) fn write_through_parent(_fd: i32, _text: &str) -> bool {
    false
}

/// Whether this thread is a worker.
pub(crate) fn is_worker() -> bool {
    false
}
