//! The descriptors that a worker has opened: they are closed when its thread ends. The main thread's end with the process.
//!
//! None is closed while the pool may be at work on it: its number could be another file's by then.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use phasor_core::{Fd, FsOp};
use phasor_js::{clone, require_builtin};
use rquickjs::{Ctx, FromJs, Function, Object};

thread_local! {
    /// What is open; nothing where nobody keeps a list.
    static OPEN: RefCell<Option<HashSet<i32>>> = const { RefCell::new(None) };
    /// How many operations of this thread are in the pool.
    static IN_POOL: Cell<usize> = const { Cell::new(0) };
}

/// An operation in the pool, from its start until its answer was heard or thrown away.
pub(super) struct InPool(());

impl InPool {
    pub(super) fn new() -> InPool {
        IN_POOL.set(IN_POOL.get() + 1);
        InPool(())
    }
}

impl Drop for InPool {
    fn drop(&mut self) {
        IN_POOL.set(IN_POOL.get() - 1);
    }
}

/// Whether what is open can be closed, or nothing is.
pub(crate) fn can_close() -> bool {
    IN_POOL.get() == 0 || OPEN.with_borrow(|open| open.as_ref().is_none_or(HashSet::is_empty))
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
    let process = require_builtin(ctx, "process").and_then(|process| Object::from_js(ctx, process));
    let emit = process.and_then(|process| process.get("emitWarning"));
    // A script that has taken the function away hears nothing.
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

/// A descriptor goes to another thread in the message that is being written: it is closed if that never arrives.
pub(super) fn close_if_lost(fd: i32) {
    clone::if_lost(move || drop(Fd::adopt(fd)));
}

/// A descriptor goes to another thread, or has come from one.
pub(super) fn moved(fd: i32, is_here: bool) {
    OPEN.with_borrow_mut(|open| match (open, is_here) {
        (Some(open), true) => drop(open.insert(fd)),
        (Some(open), false) => drop(open.remove(&fd)),
        (None, _) => {}
    });
}
