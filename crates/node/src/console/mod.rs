//! Native functions of `console`: write text directly to a descriptor until `process.stdout` and `process.stderr` are created.

use std::io::IsTerminal;

use phasor_engine::{Fallible, Local, Object, Scope, define_natives};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives, "write" => write, "isTerminal" => is_terminal);
    Ok(natives)
}

/// Writes to standard output (1) or standard error (2). In a worker the text goes to the parent thread.
fn write(scope: Scope<'_>, fd: i32, text: String) -> i32 {
    if crate::worker_threads::write_through_parent(fd, &text) {
        return 0;
    }
    crate::process::stdio::write_shown(scope, fd, text.as_bytes())
}

/// True if standard output (1) or standard error (2) is a terminal. Always false in a worker.
fn is_terminal(_: Scope<'_>, fd: i32) -> bool {
    match fd {
        _ if crate::worker_threads::is_worker() => false,
        1 => std::io::stdout().is_terminal(),
        _ => std::io::stderr().is_terminal(),
    }
}
