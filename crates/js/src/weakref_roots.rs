//! Keeps the target of a `WeakRef` alive until microtasks have run, after the `WeakRef` was created or dereferenced
//! (ECMA-262 `AddToKeptObjects`). The engine reports both, in `engine/phasor_weak.h`.
//!
//! # Safety
//! As `raw`: each value is a counted reference, released once.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::collections::BTreeMap;

use rquickjs::qjs;

use crate::raw::{self, Raw};
use crate::state::{State, current_or_none};

/// The targets by address: a loop may dereference the same `WeakRef` a million times.
#[derive(Default)]
pub(crate) struct WeakRefRoots(RefCell<BTreeMap<usize, Raw>>);

impl State {
    /// Whether no target is kept.
    #[inline]
    pub(crate) fn has_no_weakref_roots(&self) -> bool {
        self.weakref_roots.0.borrow().is_empty()
    }

    /// Releases the targets. That may free objects of a `FinalizationRegistry`, whose callbacks are queued as
    /// microtasks then.
    pub(crate) fn release_weakref_roots(&self) {
        for value in self.weakref_roots.0.take().into_values() {
            raw::free(self.ctx, value);
        }
    }
}

/// The engine calls this with the target, an object or a symbol.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_keeps(value: *const Raw) {
    // SAFETY: called by the engine of this thread's host, if it has one, with a live value; the address is not
    // dereferenced.
    unsafe {
        let Some(state) = current_or_none() else { return };
        let address = qjs::JS_VALUE_GET_PTR(*value).addr();
        state.weakref_roots.0.borrow_mut().entry(address).or_insert_with(|| raw::dup(state.ctx, *value));
    }
}
