//! The file descriptors that a worker has opened, to close them when its thread ends. The main thread keeps no list: the process closes
//! them.
//!
//! No descriptor is closed while the pool may still use it, because its number could be reused for another file.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use phasor_core::{Fd, FsOp};
use phasor_engine::{Fallible, FromJs, Function, Local, Object, Scope};
use phasor_js::{clone, require_builtin};

thread_local! {
    /// The open descriptors; `None` on threads that keep no list.
    static OPEN: RefCell<Option<HashSet<i32>>> = const { RefCell::new(None) };
    /// The number of this thread's operations in the pool.
    static IN_POOL: Cell<usize> = const { Cell::new(0) };
}

/// Counts one operation in the pool, from its start until its result is handled or dropped.
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

/// True if no operation in the pool can be using a listed descriptor.
pub(crate) fn can_close() -> bool {
    IN_POOL.get() == 0 || OPEN.with_borrow(|open| open.as_ref().is_none_or(HashSet::is_empty))
}

/// Starts a list for this thread.
pub(crate) fn keep_list() {
    OPEN.set(Some(HashSet::new()));
}

/// Closes all listed descriptors.
pub(crate) fn close_all() {
    for fd in OPEN.take().unwrap_or_default() {
        // Native code may have closed it already, and the thread has ended: errors are ignored.
        let _ = FsOp::<Vec<u8>>::Close { fd }.run();
    }
}

/// Emits the warning of `src/env.cc: Environment::AddUnmanagedFd`: code outside `fs` opened or closed a descriptor.
fn warn(scope: Scope<'_>, text: &str) {
    let emit = || -> Fallible<()> {
        let process = Local::<Object>::from_js(scope, require_builtin(scope, "process")?)?;
        let emit: Local<'_, Function> = process.get_as(scope, "emitWarning")?;
        emit.call_with(scope, (), (text,))?;
        Ok(())
    };
    // A script may have removed `process.emitWarning`: errors are ignored.
    let _ = scope.try_catch(emit);
}

/// Adds a newly opened descriptor.
pub(super) fn opened(scope: Scope<'_>, fd: i32) {
    let is_new = OPEN.with_borrow_mut(|open| open.as_mut().is_none_or(|open| open.insert(fd)));
    if !is_new {
        warn(scope, &format!("File descriptor {fd} opened in unmanaged mode twice"));
    }
}

/// Removes a descriptor that is about to be closed.
pub(super) fn closing(scope: Scope<'_>, fd: i32) {
    let was_there = OPEN.with_borrow_mut(|open| open.as_mut().is_none_or(|open| open.remove(&fd)));
    if !was_there {
        warn(scope, &format!("File descriptor {fd} closed but not opened in unmanaged mode"));
    }
}

/// Closes a descriptor that is being transferred in a message if the message is never received.
pub(super) fn close_if_lost(fd: i32) {
    clone::if_lost(move || drop(Fd::adopt(fd)));
}

/// Removes a descriptor that is transferred to another thread, or adds one that was received.
pub(super) fn moved(fd: i32, is_here: bool) {
    OPEN.with_borrow_mut(|open| match (open, is_here) {
        (Some(open), true) => drop(open.insert(fd)),
        (Some(open), false) => drop(open.remove(&fd)),
        (None, _) => {}
    });
}
