//! [`Global`]: a value that is rooted until Rust drops the `Global`.
//!
//! # Safety
//!
//! A global is the index of an entry in a table that the collector traces, just as it traces the slots. An entry is
//! read by copying the value into a slot of a scope. When the runtime ends, its table is closed. No scope of the
//! runtime exists then, so no entry can be read.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use crate::local::{Kind, Local};
use crate::raw::{self, RawTracer, RawValue};
use crate::scope::Scope;
use crate::value::Value;

/// A value of JavaScript of kind `T` that stays alive as long as this `Global` exists.
///
/// A global in an object of Rust that the value itself keeps alive is a cycle that is never freed. Keep such values in JavaScript
/// objects instead.
pub struct Global<T = Value> {
    table: Rc<RootTable>,
    index: usize,
    kind: PhantomData<fn() -> T>,
}

/// The values of the globals of one runtime.
#[derive(Default)]
pub(crate) struct RootTable {
    entries: RefCell<Vec<Entry>>,
    /// The first free entry. Each free entry holds the index of the next one.
    free: Cell<Option<usize>>,
}

enum Entry {
    Used(RawValue),
    Free(Option<usize>),
}

impl<T: Kind> Global<T> {
    /// Makes a global with the value of a local.
    pub fn new(scope: Scope<'_>, local: Local<'_, T>) -> Global<T> {
        let table = Rc::clone(&scope.state().roots);
        let index = table.add(local.raw());
        Global { table, index, kind: PhantomData }
    }

    /// The value, as a local of `scope`.
    ///
    /// # Panics
    ///
    /// If the global is of another runtime.
    pub fn get<'s>(&self, scope: Scope<'s>) -> Local<'s, T> {
        assert!(Rc::ptr_eq(&self.table, &scope.state().roots), "a global of another runtime");
        let value = self.table.get(self.index);
        // SAFETY: the value was just read, and its kind was `T` when it was stored.
        unsafe { scope.root(value) }
    }
}

impl<T> Global<T> {
    /// # Safety
    ///
    /// The value is of kind `T`, belongs to the runtime of the table, and was read after the last collection. The table
    /// is not being traced.
    pub(crate) unsafe fn of_raw(table: &Rc<RootTable>, value: RawValue) -> Global<T> {
        Global { table: Rc::clone(table), index: table.add(value), kind: PhantomData }
    }

    pub(crate) fn is_of(&self, table: &Rc<RootTable>) -> bool {
        Rc::ptr_eq(&self.table, table)
    }

    /// Reads the value. A copy of it may be out of date after the next call into the engine, because the collector
    /// moves objects.
    pub(crate) fn raw(&self) -> RawValue {
        self.table.get(self.index)
    }
}

impl<T> Drop for Global<T> {
    fn drop(&mut self) {
        self.table.remove(self.index);
    }
}

impl<T> std::fmt::Debug for Global<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Global").field(&self.index).finish()
    }
}

impl RootTable {
    fn add(&self, value: RawValue) -> usize {
        let mut entries = self.entries.borrow_mut();
        match self.free.get() {
            Some(index) => {
                let Entry::Free(next) = entries[index] else { unreachable!("the free list has free entries") };
                self.free.set(next);
                entries[index] = Entry::Used(value);
                index
            }
            None => {
                entries.push(Entry::Used(value));
                entries.len() - 1
            }
        }
    }

    fn get(&self, index: usize) -> RawValue {
        match self.entries.borrow()[index] {
            Entry::Used(value) => value,
            Entry::Free(_) => unreachable!("a global keeps its entry"),
        }
    }

    fn remove(&self, index: usize) {
        self.entries.borrow_mut()[index] = Entry::Free(self.free.replace(Some(index)));
    }

    /// Clears all values, because the runtime ends. Globals that still exist keep their entries.
    pub(crate) fn close(&self) {
        for entry in self.entries.borrow_mut().iter_mut() {
            if let Entry::Used(value) = entry {
                *value = raw::undefined();
            }
        }
    }

    /// Traces the values that the globals refer to. The collector may move them.
    ///
    /// # Safety
    ///
    /// `tracer` is the tracer of a collection that runs now, on this thread.
    pub(crate) unsafe fn trace(&self, tracer: RawTracer) {
        for entry in self.entries.borrow_mut().iter_mut() {
            if let Entry::Used(value) = entry {
                // SAFETY: the value is initialised; the borrow shows that nothing else accesses it.
                unsafe { raw::trace_value(tracer, &raw mut *value) };
            }
        }
    }
}
