//! The memory that locals point to: each scope has a [`Frame`] of slots at fixed addresses, which the collector traces
//! and updates.
//!
//! # Safety
//!
//! A slot is written once when it is added (or by the engine, through the handle of an out parameter, before any local to it exists), and
//! read through [`Local`](crate::Local)s until its frame ends. The collector reads and writes slots while no Rust code of this crate runs.
//! So a slot is only ever accessed by copying a whole value; no reference to one exists.
//!
//! Frames are a list in the order of nesting. Each has slots of its own, so that a scope may be used while a scope inside of it exists.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use crate::raw::{self, RawTracer, RawValue};

/// The number of slots inside of a frame. Most native functions need fewer.
const INLINE: usize = 16;

/// The number of slots of each further chunk: 4 KiB.
const CHUNK: usize = 512;

type Chunk = UnsafeCell<[MaybeUninit<RawValue>; CHUNK]>;

/// The slots of one scope. A frame must not move while it is in the list.
pub(crate) struct Frame {
    /// The address of the next free slot. `end` is the end of its chunk.
    next: Cell<*mut RawValue>,
    end: Cell<*mut RawValue>,
    inline: UnsafeCell<[MaybeUninit<RawValue>; INLINE]>,
    chunks: RefCell<Vec<Box<Chunk>>>,
    /// The frame around this one.
    outer: *const Frame,
}

impl Frame {
    /// Makes a frame without memory: see [`FrameList::enter`].
    fn new(outer: *const Frame) -> Frame {
        Frame {
            next: Cell::new(std::ptr::null_mut()),
            end: Cell::new(std::ptr::null_mut()),
            inline: UnsafeCell::new([const { MaybeUninit::uninit() }; INLINE]),
            chunks: RefCell::new(Vec::new()),
            outer,
        }
    }

    /// Adds a slot with a value. The slot is valid until the frame ends.
    #[inline]
    pub(crate) fn push(&self, value: RawValue) -> NonNull<RawValue> {
        if self.next.get() == self.end.get() {
            self.grow();
        }
        let slot = self.next.get();
        // SAFETY: `slot` is below the end of its chunk, which lives as long as this frame.
        unsafe {
            slot.write(value);
            self.next.set(slot.add(1));
            NonNull::new_unchecked(slot)
        }
    }

    #[cold]
    fn grow(&self) {
        let chunk = Box::new(UnsafeCell::new([const { MaybeUninit::uninit() }; CHUNK]));
        let start = chunk.get().cast::<RawValue>();
        self.chunks.borrow_mut().push(chunk);
        self.next.set(start);
        // SAFETY: the address is one past the last slot of the chunk.
        self.end.set(unsafe { start.add(CHUNK) });
    }

    /// # Safety
    ///
    /// The requirements of [`FrameList::trace`].
    unsafe fn trace(&self, tracer: RawTracer) {
        let chunks = self.chunks.borrow();
        let inline = (self.inline.get().cast::<RawValue>(), INLINE);
        let pieces = std::iter::once(inline).chain(chunks.iter().map(|chunk| (chunk.get().cast::<RawValue>(), CHUNK)));
        for (piece, (start, length)) in pieces.enumerate() {
            // The last chunk is used up to `next`, the earlier chunks are full.
            let is_last = piece == chunks.len();
            // SAFETY: `next` is in the last chunk; all slots below it are initialised, and nothing else accesses them
            // during a collection.
            unsafe {
                let used = if is_last { self.next.get().offset_from(start) as usize } else { length };
                for slot in 0..used {
                    raw::trace_value(tracer, start.add(slot));
                }
            }
        }
    }
}

/// The frames of a runtime.
#[derive(Default)]
pub(crate) struct FrameList {
    innermost: Cell<Option<NonNull<Frame>>>,
}

impl FrameList {
    /// Whether no scope exists.
    pub(crate) fn is_empty(&self) -> bool {
        self.innermost.get().is_none()
    }

    /// Calls `body` with a new frame.
    #[inline]
    pub(crate) fn enter<R>(&self, body: impl FnOnce(&Frame) -> R) -> R {
        /// Removes the innermost frame, also when `body` panics.
        struct Leave<'a>(&'a FrameList, Option<NonNull<Frame>>);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                self.0.innermost.set(self.1);
            }
        }
        let outer = self.innermost.get();
        let frame = Frame::new(outer.map_or(std::ptr::null(), |frame| frame.as_ptr()));
        // From here on the frame does not move.
        let start = frame.inline.get().cast::<RawValue>();
        frame.next.set(start);
        // SAFETY: the address is one past the last slot.
        frame.end.set(unsafe { start.add(INLINE) });
        let _leave = Leave(self, outer);
        self.innermost.set(Some(NonNull::from(&frame)));
        body(&frame)
    }

    /// Traces the values in the slots. The collector may move the objects that they refer to.
    ///
    /// # Safety
    ///
    /// `tracer` is the tracer of a collection that runs now, on this thread.
    pub(crate) unsafe fn trace(&self, tracer: RawTracer) {
        let mut next = self.innermost.get().map_or(std::ptr::null(), |frame| frame.as_ptr().cast_const());
        // SAFETY: a frame is removed from the list before it ends.
        while let Some(frame) = unsafe { next.as_ref() } {
            // SAFETY: guaranteed by the caller.
            unsafe { frame.trace(tracer) };
            next = frame.outer;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_keep_their_addresses_over_chunks() {
        let list = FrameList::default();
        list.enter(|frame| {
            let slots: Vec<_> = (0..3 * CHUNK as i32).map(|value| frame.push(raw::int32(value))).collect();
            // An inner frame does not disturb the outer frames, and the outer frame can be used meanwhile.
            let late = list.enter(|inner| {
                inner.push(raw::int32(-1));
                frame.push(raw::int32(-2))
            });
            for (slot, value) in slots.iter().zip(0..) {
                // SAFETY: the frame exists.
                assert_eq!(unsafe { slot.read() }.to_int32(), value);
            }
            // SAFETY: the frame exists.
            assert_eq!(unsafe { late.read() }.to_int32(), -2);
        });
        assert!(list.innermost.get().is_none());
    }
}
