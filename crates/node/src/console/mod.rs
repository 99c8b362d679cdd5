//! Native verbs of `console`: writing texts past the streams, for as long as there are none.

use std::io::IsTerminal;

use phasor_js::bytes::Utf8;
use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    verbs.set("write", Func::from(write))?;
    verbs.set("isTerminal", Func::from(is_terminal))?;
    Ok(verbs)
}

/// Writes to standard output (1) or error (2). A worker's go through its parent.
fn write(fd: i32, Utf8(text): Utf8) -> i32 {
    if crate::worker_threads::write_through_parent(fd, &text) {
        return 0;
    }
    crate::process::stdio::write_all(fd, text.as_bytes())
}

/// Whether standard output (1) or error (2) is a terminal.
fn is_terminal(fd: i32) -> bool {
    match fd {
        _ if crate::worker_threads::is_worker() => false,
        1 => std::io::stdout().is_terminal(),
        _ => std::io::stderr().is_terminal(),
    }
}
