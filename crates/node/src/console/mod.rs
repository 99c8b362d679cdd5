//! Native functions of `console`: write text directly to a descriptor until `process.stdout` and `process.stderr` are created.

use std::io::IsTerminal;

use phasor_js::bytes::Utf8;
use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("write", Func::from(write))?;
    natives.set("isTerminal", Func::from(is_terminal))?;
    Ok(natives)
}

/// Writes to standard output (1) or standard error (2). In a worker the text goes to the parent thread.
fn write(fd: i32, Utf8(text): Utf8) -> i32 {
    if crate::worker_threads::write_through_parent(fd, &text) {
        return 0;
    }
    crate::process::stdio::write_all(fd, text.as_bytes())
}

/// True if standard output (1) or standard error (2) is a terminal. Always false in a worker.
fn is_terminal(fd: i32) -> bool {
    match fd {
        _ if crate::worker_threads::is_worker() => false,
        1 => std::io::stdout().is_terminal(),
        _ => std::io::stderr().is_terminal(),
    }
}
