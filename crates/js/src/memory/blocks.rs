//! Blocks of the standard allocator that can move from one engine to another: transferring an array buffer to another
//! thread moves its memory by address.
//!
//! The engine frees the memory of a detached buffer. So [`Block::take`] marks the block as wanted just before it
//! detaches the buffer, and the engine's allocator, or the free function of an adopted block, then skips freeing it.
//! Only large blocks are tracked: copying a small one is faster than looking it up, and the engine cuts those out of
//! pages.
//!
//! The engine does not count memory that its buffers have adopted, so a gigabyte of it would not start a garbage
//! collection. It is counted here, for the heap limit too, and starts a collection.
//!
//! # Safety
//! A block is memory of the standard allocator, aligned to 16, whose first word is the number of bytes that follow; its
//! address is that of the bytes. The engine puts a word of its own before the part that it uses. The addresses in
//! [`LARGE`] are of live blocks that an engine of this thread will free by [`Memory`](super::Memory) or [`reallocate`],
//! both of which [`untrack`] the block and then check [`is_wanted`].
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ops::Deref;
use std::ptr::{NonNull, null_mut};

use rquickjs::{ArrayBuffer, Ctx, Error, Result, Value, qjs};

/// The size of the word before a block.
pub(super) const WORD_BYTES: usize = size_of::<usize>();

/// The minimum size of a large block.
const LEAST_BYTES: usize = 16 << 10;

thread_local! {
    /// The large blocks of this thread's engines.
    static LARGE: RefCell<BTreeSet<*mut u8>> = RefCell::default();
    /// The block that must not be freed, because its memory is being moved.
    static WANTED: Cell<*mut u8> = const { Cell::new(null_mut()) };
    static ADOPTED: Cell<Adopted> = const { Cell::new(Adopted { bytes: 0, most_bytes: LEAST_GARBAGE_BYTES }) };
}

/// Less than this may be adopted without a garbage collection.
const LEAST_GARBAGE_BYTES: usize = 8 << 20;

/// The memory adopted by buffers of this thread.
#[derive(Clone, Copy)]
struct Adopted {
    bytes: usize,
    /// The size at which a garbage collection starts: 1.5 times the smallest size since the last one, as in the engine.
    most_bytes: usize,
}

impl Adopted {
    fn with_half_again(self) -> usize {
        self.bytes.saturating_add(self.bytes / 2).max(LEAST_GARBAGE_BYTES)
    }
}

/// The number of bytes that buffers of this thread have adopted.
pub(super) fn adopted_bytes() -> usize {
    ADOPTED.get().bytes
}

/// Counts adopted bytes.
///
/// # Safety
/// The runtime is alive.
unsafe fn count(runtime: *mut qjs::JSRuntime, bytes: usize) {
    let mut adopted = ADOPTED.get();
    adopted.bytes = adopted.bytes.saturating_add(bytes);
    if adopted.bytes > adopted.most_bytes {
        adopted.most_bytes = adopted.with_half_again();
        // Creating the next object then starts a garbage collection, after which the engine sets a new threshold.
        // SAFETY: as the caller guarantees.
        unsafe { qjs::JS_SetGCThreshold(runtime, 0) };
    }
    ADOPTED.set(adopted);
}

/// Uncounts adopted bytes.
fn discount(bytes: usize) {
    let mut adopted = ADOPTED.get();
    adopted.bytes = adopted.bytes.saturating_sub(bytes);
    adopted.most_bytes = adopted.most_bytes.min(adopted.with_half_again());
    ADOPTED.set(adopted);
}

pub(super) fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(WORD_BYTES)?, 16).ok()
}

/// Writes the size word of an allocation, and returns the address after it.
///
/// # Safety
/// `block` is null, or has room for the word and that many bytes.
pub(super) unsafe fn begin(block: *mut u8, bytes: usize) -> *mut u8 {
    if block.is_null() {
        return null_mut();
    }
    // SAFETY: the word fits.
    unsafe {
        block.cast::<usize>().write(bytes);
        block.add(WORD_BYTES)
    }
}

/// The size of a block.
///
/// # Safety
/// `block` is the address of a block.
pub(super) unsafe fn size(block: *mut u8) -> usize {
    // SAFETY: reads the word before the block.
    unsafe { block.sub(WORD_BYTES).cast::<usize>().read() }
}

/// Records a block that an engine of this thread has allocated.
pub(super) fn track(block: *mut u8, bytes: usize) {
    if bytes >= LEAST_BYTES && !block.is_null() {
        // Fails only while the thread exits, when no more memory is moved.
        let _ = LARGE.try_with(|large| large.borrow_mut().insert(block));
    }
}

/// Removes a block that its engine frees or has moved.
pub(super) fn untrack(block: *mut u8, bytes: usize) {
    if bytes >= LEAST_BYTES {
        let _ = LARGE.try_with(|large| large.borrow_mut().remove(&block));
    }
}

/// Whether a block that an engine is about to free is being moved instead. If so, clears the mark: the new owner frees
/// it.
pub(super) fn is_wanted(block: *mut u8, bytes: usize) -> bool {
    bytes >= LEAST_BYTES
        && WANTED.try_with(|wanted| wanted.get() == block && !wanted.replace(null_mut()).is_null()) == Ok(true)
}

/// The large block of this thread that contains the bytes, if there is one.
fn block_of(bytes: &[u8]) -> Option<NonNull<u8>> {
    let first = bytes.as_ptr().cast_mut();
    let block = LARGE.with_borrow(|large| large.range(..=first).next_back().copied())?;
    // SAFETY: the block is alive.
    let end = block.addr() + unsafe { size(block) };
    NonNull::new(block).filter(|_| first.addr() + bytes.len() <= end)
}

/// Bytes that belong to no engine.
#[derive(Debug)]
pub(crate) struct Block {
    address: NonNull<u8>,
    /// The position of the bytes in the block.
    from: usize,
    length: usize,
}

// SAFETY: it owns the memory alone.
unsafe impl Send for Block {}
// SAFETY: shared references only allow reading.
unsafe impl Sync for Block {}

impl Block {
    /// A copy of bytes.
    pub(crate) fn copy_of(bytes: &[u8]) -> Block {
        let Some(layout) = layout(bytes.len()) else { unreachable!("what is there fits into memory") };
        // SAFETY: the layout is not empty; both ranges have that many bytes.
        unsafe {
            let Some(address) = NonNull::new(begin(alloc(layout), bytes.len())) else { handle_alloc_error(layout) };
            address.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Block { address, from: 0, length: bytes.len() }
        }
    }

    /// Detaches a buffer and returns its bytes: its memory itself if possible, else a copy.
    pub(crate) fn take(mut buffer: ArrayBuffer<'_>) -> Block {
        // SAFETY: no JavaScript runs before the bytes are copied or the buffer is detached.
        let bytes = unsafe { buffer.as_bytes() }.unwrap_or_default();
        let Some(address) = block_of(bytes) else {
            let copy = Block::copy_of(bytes);
            buffer.detach();
            return copy;
        };
        let block = Block { address, from: bytes.as_ptr().addr() - address.addr().get(), length: bytes.len() };
        WANTED.set(address.as_ptr());
        buffer.detach();
        if WANTED.replace(null_mut()).is_null() {
            return block;
        }
        // The engine did not free it: some buffers cannot be detached.
        let copy = Block::copy_of(&block);
        std::mem::forget(block);
        copy
    }

    /// A buffer on this memory, resizable up to `max_length`, or of fixed length if that is 0.
    pub(crate) fn into_buffer<'js>(self, ctx: &Ctx<'js>, max_length: usize) -> Result<Value<'js>> {
        let raw = ctx.as_raw().as_ptr();
        let block = self.address.as_ptr();
        // SAFETY: the buffer owns the memory and frees it by `reallocate`; if creating it failed, the memory stays
        // ours. The opaque pointer is an integer.
        unsafe {
            let (bytes, from) = (block.add(self.from), std::ptr::without_provenance_mut(self.from));
            let (length, max_length) = (self.length as _, max_length as _);
            let buffer = qjs::JS_NewArrayBuffer(raw, bytes, length, max_length, Some(reallocate), from, false);
            if qjs::JS_IsException(buffer) {
                return Err(Error::Exception);
            }
            track(block, size(block));
            count(qjs::JS_GetRuntime(raw), size(block));
            std::mem::forget(self);
            Ok(Value::from_raw(ctx.clone(), buffer))
        }
    }
}

impl Default for Block {
    fn default() -> Block {
        Block::copy_of(&[])
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the block has that many bytes, and no one writes to them.
        unsafe { std::slice::from_raw_parts(self.address.as_ptr().add(self.from), self.length) }
    }
}

impl Clone for Block {
    fn clone(&self) -> Block {
        Block::copy_of(self)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: this owns the memory, and frees it once.
        unsafe { release(self.address.as_ptr()) };
    }
}

/// Frees a block.
///
/// # Safety
/// The caller owns the block and does not use it again.
unsafe fn release(block: *mut u8) {
    // SAFETY: it was allocated with this layout.
    unsafe {
        if let Some(layout) = layout(size(block)) {
            dealloc(block.sub(WORD_BYTES), layout);
        }
    }
}

/// The engine's callback to free or resize the memory of an adopted buffer.
unsafe extern "C" fn reallocate(
    runtime: *mut qjs::JSRuntime,
    from: *mut c_void,
    bytes: *mut c_void,
    length: qjs::size_t,
) -> *mut c_void {
    let (from, length) = (from.addr(), length as usize);
    // SAFETY: the engine passes the pointer of `into_buffer`, or one that this returned for it, which is `from` bytes
    // into a block.
    unsafe {
        let block = bytes.cast::<u8>().sub(from);
        let before = size(block);
        if length == 0 {
            untrack(block, before);
            discount(before);
            if !is_wanted(block, before) {
                release(block);
            }
            return null_mut();
        }
        let after = length.saturating_add(from);
        let (Some(old), Some(new)) = (layout(before), layout(after)) else { return null_mut() };
        let moved = begin(realloc(block.sub(WORD_BYTES), old, new.size()), after);
        if moved.is_null() {
            return null_mut();
        }
        untrack(block, before);
        discount(before);
        track(moved, after);
        count(runtime, after);
        moved.add(from).cast()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rquickjs::{Context, Function, Runtime};

    use super::super::Memory;
    use super::*;
    use crate::thread_control::ThreadControl;

    fn with_context(test: impl FnOnce(Ctx)) {
        let runtime = Runtime::new_with_alloc(Memory::new(None, None)).unwrap();
        Context::full(&runtime).unwrap().with(test);
    }

    fn taken(ctx: &Ctx<'_>, text: &str) -> (*const u8, Block) {
        let buffer: ArrayBuffer<'_> = ctx.eval(text).unwrap();
        let at = buffer.as_raw().unwrap().cast::<u8>().as_ptr().cast_const();
        (at, Block::take(buffer))
    }

    #[test]
    fn large_memory_moves_from_engine_to_engine() {
        with_context(|ctx| {
            let (at, block) = taken(&ctx, "globalThis.a = new ArrayBuffer(100000); new Uint8Array(a)[99999] = 7; a");
            assert_eq!(block.as_ptr(), at);
            assert!(ctx.eval::<bool, _>("a.detached").unwrap());
            // The other engine adopts the memory, and passes it on in turn.
            let other = std::thread::spawn(move || {
                let mut given = None;
                with_context(|ctx| {
                    let buffer = block.into_buffer(&ctx, 0).unwrap();
                    ctx.globals().set("b", buffer).unwrap();
                    assert_eq!(ctx.eval::<i32, _>("new Uint8Array(b)[99999]++").unwrap(), 7);
                    given = Some(taken(&ctx, "b"));
                });
                let (at, block) = given.unwrap();
                (at as usize, block)
            });
            let (again, block) = other.join().unwrap();
            assert_eq!((again, block.as_ptr()), (at as usize, at));
            assert_eq!(block[99999], 8);
        });
    }

    #[test]
    fn small_memory_is_copied() {
        with_context(|ctx| {
            let (_, block) = taken(&ctx, "globalThis.a = new Uint8Array([1, 2, 3]).buffer; a");
            assert_eq!(block[..], [1, 2, 3]);
            assert!(ctx.eval::<bool, _>("a.detached").unwrap());
        });
    }

    #[test]
    fn adopted_memory_can_be_resized_and_freed() {
        with_context(|ctx| {
            let (_, block) = taken(&ctx, "new Uint8Array(20000).fill(5).buffer");
            ctx.globals().set("b", block.into_buffer(&ctx, 40000).unwrap()).unwrap();
            let seen: Vec<i32> = ctx
                .eval("b.resize(40000); const v = new Uint8Array(b); const seen = [v[19999], v[20000]]; b.resize(10); seen.push(v.length, v[9]); seen")
                .unwrap();
            assert_eq!(seen, [5, 0, 10, 5]);
            let (_, rest) = taken(&ctx, "b");
            assert_eq!(rest[..], [5; 10]);
            drop(ctx.eval::<Value<'_>, _>("b = new Uint8Array(50000).buffer; null").unwrap());
        });
    }

    #[test]
    fn adopted_memory_of_garbage_is_collected() {
        const BYTES: usize = 1 << 20;
        with_context(|ctx| {
            let take: Function<'_> = ctx.eval("(b) => { const o = { b }; o.self = o; }").unwrap();
            let mut most = 0;
            for _ in 0..100 {
                let buffer = Block::copy_of(&vec![1; BYTES]).into_buffer(&ctx, 0).unwrap();
                take.call::<_, ()>((buffer,)).unwrap();
                most = most.max(ADOPTED.get().bytes);
            }
            assert!(most <= LEAST_GARBAGE_BYTES + 2 * BYTES, "{most} bytes");
            ctx.run_gc();
            assert_eq!(ADOPTED.get().bytes, 0);
            assert_eq!(ADOPTED.get().most_bytes, LEAST_GARBAGE_BYTES);
        });
    }

    #[test]
    fn adopted_memory_counts_for_the_heap_limit() {
        let thread = Arc::new(ThreadControl::default());
        let runtime = Runtime::new_with_alloc(Memory::new(Some(32 << 20), Some(thread.clone()))).unwrap();
        Context::full(&runtime).unwrap().with(|ctx| {
            let keep: Function<'_> =
                ctx.eval("globalThis.kept = []; (b) => { kept.push(b, Array(1000).fill(0)); }").unwrap();
            let mut count = 0;
            while thread.ending().is_none() {
                assert!(count < 32, "{count} MB");
                count += 1;
                let buffer = Block::copy_of(&vec![1; 1 << 20]).into_buffer(&ctx, 0).unwrap();
                keep.call::<_, ()>((buffer,)).unwrap();
            }
            assert!(count > 16, "{count} MB");
        });
    }
}
