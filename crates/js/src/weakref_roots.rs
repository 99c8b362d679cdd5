//! What a `WeakRef` was made for or has given is there until the microtasks have run, also if nobody else holds it: a program that
//! looks twice in one go sees the same. The engine tells of both, in `engine/phasor_weak.h`.
//!
//! # Safety
//! As `raw`: each value is a counted reference, given up once.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::collections::BTreeMap;

use rquickjs::qjs;

use crate::raw::{self, Raw};
use crate::state::{State, current_or_none};

/// What is kept, by its address: a loop may ask for the same object a million times.
#[derive(Default)]
pub(crate) struct WeakRefRoots(RefCell<BTreeMap<usize, Raw>>);

impl State {
    /// Whether nothing is kept.
    #[inline]
    pub(crate) fn keeps_nothing(&self) -> bool {
        self.kept.0.borrow().is_empty()
    }

    /// Gives up what is kept. What goes with it may be what registries wait for: their callbacks are microtasks then.
    pub(crate) fn give_up_kept(&self) {
        for value in self.kept.0.take().into_values() {
            raw::free(self.ctx, value);
        }
    }
}

/// The engine calls this with an object or a symbol.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_keeps(value: *const Raw) {
    // SAFETY: called by the engine of this thread's host, if it has one, with a value that is alive; its address is not followed.
    unsafe {
        let Some(state) = current_or_none() else { return };
        let address = qjs::JS_VALUE_GET_PTR(*value).addr();
        state.kept.0.borrow_mut().entry(address).or_insert_with(|| raw::dup(state.ctx, *value));
    }
}
