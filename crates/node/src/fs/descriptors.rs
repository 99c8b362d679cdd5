//! The descriptors that a worker has opened: they are closed when its thread ends. The main thread's end with the process.

use std::cell::RefCell;
use std::collections::HashSet;

use phasor_core::FsOp;
use rquickjs::{Ctx, Function, Object};

thread_local! {
    /// What is open; nothing where nobody keeps a list.
    static OPEN: RefCell<Option<HashSet<i32>>> = const { RefCell::new(None) };
}

/// Keeps a list for this thread from now on.
pub(crate) fn keep_list() {
    OPEN.set(Some(HashSet::new()));
}

/// Closes what is open on this thread's list.
pub(crate) fn close_all() {
    for fd in OPEN.take().unwrap_or_default() {
        // It may be gone by other ways; nobody is left to tell.
        let _ = FsOp::<Vec<u8>>::Close { fd }.run();
    }
}

/// As Node, in the same words: somebody has closed or opened a descriptor behind this thread's back.
fn warn(ctx: &Ctx<'_>, text: String) {
    let emit = ctx.globals().get::<_, Object<'_>>("process").and_then(|process| process.get("emitWarning"));
    // A script that has taken `process` away hears nothing.
    let _: Option<()> = emit.and_then(|emit: Function<'_>| emit.call((text,))).ok();
}

/// A descriptor was opened.
pub(super) fn opened(ctx: &Ctx<'_>, fd: i32) {
    let is_new = OPEN.with_borrow_mut(|open| open.as_mut().is_none_or(|open| open.insert(fd)));
    if !is_new {
        warn(ctx, format!("File descriptor {fd} opened in unmanaged mode twice"));
    }
}

/// A descriptor is about to be closed.
pub(super) fn closing(ctx: &Ctx<'_>, fd: i32) {
    let was_there = OPEN.with_borrow_mut(|open| open.as_mut().is_none_or(|open| open.remove(&fd)));
    if !was_there {
        warn(ctx, format!("File descriptor {fd} closed but not opened in unmanaged mode"));
    }
}

/// A descriptor goes to another thread, or has come from one.
pub(super) fn moved(fd: i32, is_here: bool) {
    OPEN.with_borrow_mut(|open| match (open, is_here) {
        (Some(open), true) => drop(open.insert(fd)),
        (Some(open), false) => drop(open.remove(&fd)),
        (None, _) => {}
    });
}
