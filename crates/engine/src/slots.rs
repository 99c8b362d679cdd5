//! The memory that locals point to: a stack of values in chunks, which never move, traced and updated by the collector.
//!
//! # Safety
//!
//! A slot is written once, by [`SlotStack::push`], and read through [`Local`](crate::Local)s until [`SlotStack::reset`] frees it. The
//! collector reads and writes slots while no Rust code of this crate runs. So a slot is only ever accessed by copying a whole
//! value; no reference to one exists.

use std::cell::{Cell, RefCell};
use std::ptr::{self, NonNull};

use crate::raw::{self, RawTracer, RawValue};

/// How many values a chunk holds: 8 KiB.
const CHUNK: usize = 1024;

/// A stack of values at fixed addresses.
pub(crate) struct SlotStack {
    /// The address of the next free slot, and the end of its chunk.
    next: Cell<*mut RawValue>,
    end: Cell<*mut RawValue>,
    /// The number of the chunk that `next` points into. Chunks above it are kept for later.
    current: Cell<usize>,
    chunks: RefCell<Vec<NonNull<RawValue>>>,
}

/// A height of the stack.
#[derive(Clone, Copy)]
pub(crate) struct Height {
    next: *mut RawValue,
    end: *mut RawValue,
    current: usize,
}

impl SlotStack {
    pub(crate) fn new() -> SlotStack {
        let first = new_chunk();
        SlotStack {
            next: Cell::new(first.as_ptr()),
            end: Cell::new(end_of(first)),
            current: Cell::new(0),
            chunks: RefCell::new(vec![first]),
        }
    }

    /// Puts a value onto the stack. The slot is valid until the stack is reset to a height below it.
    #[inline]
    pub(crate) fn push(&self, value: RawValue) -> NonNull<RawValue> {
        if self.next.get() == self.end.get() {
            self.grow();
        }
        let slot = self.next.get();
        // SAFETY: `slot` is below the end of its chunk, which is allocated as long as this stack.
        unsafe {
            slot.write(value);
            self.next.set(slot.add(1));
            NonNull::new_unchecked(slot)
        }
    }

    #[cold]
    fn grow(&self) {
        let current = self.current.get() + 1;
        let mut chunks = self.chunks.borrow_mut();
        if chunks.len() == current {
            chunks.push(new_chunk());
        }
        let chunk = chunks[current];
        self.current.set(current);
        self.next.set(chunk.as_ptr());
        self.end.set(end_of(chunk));
    }

    #[inline]
    pub(crate) fn height(&self) -> Height {
        Height { next: self.next.get(), end: self.end.get(), current: self.current.get() }
    }

    /// Frees every slot that was pushed since `height` was taken.
    ///
    /// # Safety
    ///
    /// No local that points to one of these slots may be used afterwards.
    #[inline]
    pub(crate) unsafe fn reset(&self, height: Height) {
        self.next.set(height.next);
        self.end.set(height.end);
        self.current.set(height.current);
    }

    /// Lets the collector see, and move, what the slots refer to.
    ///
    /// # Safety
    ///
    /// `tracer` is that of a collection that runs now, on this thread.
    pub(crate) unsafe fn trace(&self, tracer: RawTracer) {
        let chunks = self.chunks.borrow();
        for (chunk, number) in chunks.iter().zip(0..=self.current.get()) {
            let end = if number == self.current.get() { self.next.get() } else { end_of(*chunk) };
            let mut slot = chunk.as_ptr();
            while slot != end {
                // SAFETY: all slots up to `end` are initialised, and nothing else accesses them during a collection.
                unsafe {
                    raw::trace_value(tracer, slot);
                    slot = slot.add(1);
                }
            }
        }
    }
}

impl Drop for SlotStack {
    fn drop(&mut self) {
        for chunk in self.chunks.get_mut() {
            let slice = ptr::slice_from_raw_parts_mut(chunk.as_ptr(), CHUNK);
            // SAFETY: `new_chunk` made it as a boxed slice of this length.
            drop(unsafe { Box::from_raw(slice) });
        }
    }
}

fn new_chunk() -> NonNull<RawValue> {
    let chunk = vec![raw::undefined(); CHUNK].into_boxed_slice();
    NonNull::from(Box::leak(chunk)).cast()
}

fn end_of(chunk: NonNull<RawValue>) -> *mut RawValue {
    // SAFETY: a chunk has this length.
    unsafe { chunk.as_ptr().add(CHUNK) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: i32) -> RawValue {
        raw::int32(value)
    }

    #[test]
    fn slots_keep_their_addresses_over_chunks() {
        let stack = SlotStack::new();
        let slots: Vec<_> = (0..3 * CHUNK as i32).map(|value| stack.push(number(value))).collect();
        for (slot, value) in slots.iter().zip(0..) {
            // SAFETY: the stack was not reset.
            assert_eq!(unsafe { slot.read() }.to_int32(), value);
        }
    }

    #[test]
    fn a_reset_frees_the_slots_above_a_height() {
        let stack = SlotStack::new();
        stack.push(number(1));
        let height = stack.height();
        let first = stack.push(number(2));
        for value in 0..2 * CHUNK as i32 {
            stack.push(number(value));
        }
        // SAFETY: no local exists.
        unsafe { stack.reset(height) };
        assert_eq!(stack.push(number(3)), first);
        assert_eq!(stack.chunks.borrow().len(), 3, "chunks are kept");
    }
}
