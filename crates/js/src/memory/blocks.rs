//! Blocks of the standard allocator, which can be handed from one engine to another: the memory of array buffers moves between
//! threads by its address.
//!
//! An engine frees the memory of a buffer that is detached. So whoever wants the memory says so just before, and the engine's
//! allocator, or the function that frees an adopted block, leaves it to them. Only large blocks are known here: small ones are
//! copied in less time than it would take to look them up, and the engine cuts those out of pages.
//!
//! The engine does not count what its buffers have adopted, so it would not look for garbage though that held a gigabyte. That is
//! counted here, for the limit as well, and the engine asked to look.
//!
//! # Safety
//! A block is memory of the standard allocator, aligned to 16, whose first word is the number of bytes that follow; its address
//! is that of the bytes. The engine puts a word of its own before what it uses of one. The addresses in [`LARGE`] are of living
//! blocks that an engine of this thread will free by [`Memory`](super::Memory) or [`reallocate`], both of which [`forget`] the
//! block and then ask [`is_left_alone`].
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ops::Deref;
use std::ptr::{NonNull, null_mut};

use rquickjs::{ArrayBuffer, Ctx, Error, Result, Value, qjs};

/// The word before a block.
pub(super) const WORD_BYTES: usize = size_of::<usize>();

/// What is large.
const LEAST_BYTES: usize = 16 << 10;

thread_local! {
    /// The large blocks that engines of this thread have.
    static LARGE: RefCell<BTreeSet<*mut u8>> = RefCell::default();
    /// The one that is not to be freed, as somebody wants it.
    static WANTED: Cell<*mut u8> = const { Cell::new(null_mut()) };
    static ADOPTED: Cell<Adopted> = const { Cell::new(Adopted { bytes: 0, most_bytes: LEAST_GARBAGE_BYTES }) };
}

/// So much may be adopted before anybody looks whether it is garbage.
const LEAST_GARBAGE_BYTES: usize = 8 << 20;

/// What buffers of this thread have adopted.
#[derive(Clone, Copy)]
struct Adopted {
    bytes: usize,
    /// When garbage is looked for: when it is half as much again as it was at some time since the last look, as the engine does.
    most_bytes: usize,
}

impl Adopted {
    fn with_half_again(self) -> usize {
        self.bytes.saturating_add(self.bytes / 2).max(LEAST_GARBAGE_BYTES)
    }
}

/// How many bytes buffers of this thread have adopted.
pub(super) fn adopted_bytes() -> usize {
    ADOPTED.get().bytes
}

/// A buffer has adopted so many bytes.
///
/// # Safety
/// The runtime is alive.
unsafe fn count(runtime: *mut qjs::JSRuntime, bytes: usize) {
    let mut adopted = ADOPTED.get();
    adopted.bytes = adopted.bytes.saturating_add(bytes);
    if adopted.bytes > adopted.most_bytes {
        adopted.most_bytes = adopted.with_half_again();
        // The next object that is made is then one too many. The engine sets another threshold when it is through.
        // SAFETY: as the caller says.
        unsafe { qjs::JS_SetGCThreshold(runtime, 0) };
    }
    ADOPTED.set(adopted);
}

/// So many bytes are a buffer's no more.
fn discount(bytes: usize) {
    let mut adopted = ADOPTED.get();
    adopted.bytes = adopted.bytes.saturating_sub(bytes);
    adopted.most_bytes = adopted.most_bytes.min(adopted.with_half_again());
    ADOPTED.set(adopted);
}

pub(super) fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(WORD_BYTES)?, 16).ok()
}

/// Writes the word before a block that the standard allocator gave, and steps over it.
///
/// # Safety
/// Null, or so many bytes and a word.
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

/// How many bytes a block has.
///
/// # Safety
/// The address of one.
pub(super) unsafe fn size(block: *mut u8) -> usize {
    // SAFETY: the word before it.
    unsafe { block.sub(WORD_BYTES).cast::<usize>().read() }
}

/// An engine of this thread has a block from now on.
pub(super) fn note(block: *mut u8, bytes: usize) {
    if bytes >= LEAST_BYTES && !block.is_null() {
        // A thread that is almost gone moves nothing any more.
        let _ = LARGE.try_with(|large| large.borrow_mut().insert(block));
    }
}

/// The engine that has a block frees it, or has moved it elsewhere.
pub(super) fn forget(block: *mut u8, bytes: usize) {
    if bytes >= LEAST_BYTES {
        let _ = LARGE.try_with(|large| large.borrow_mut().remove(&block));
    }
}

/// Whether somebody else frees a block that an engine is about to. Then it is theirs.
pub(super) fn is_left_alone(block: *mut u8, bytes: usize) -> bool {
    bytes >= LEAST_BYTES
        && WANTED.try_with(|wanted| wanted.get() == block && !wanted.replace(null_mut()).is_null()) == Ok(true)
}

/// The block that bytes are in, if it is a large one of this thread's.
fn block_of(bytes: &[u8]) -> Option<NonNull<u8>> {
    let first = bytes.as_ptr().cast_mut();
    let block = LARGE.with_borrow(|large| large.range(..=first).next_back().copied())?;
    // SAFETY: the block is alive.
    let end = block.addr() + unsafe { size(block) };
    NonNull::new(block).filter(|_| first.addr() + bytes.len() <= end)
}

/// Bytes that belong to nobody's engine.
#[derive(Debug)]
pub(crate) struct Block {
    address: NonNull<u8>,
    /// What of the block they are.
    from: usize,
    length: usize,
}

// SAFETY: nobody else has the memory.
unsafe impl Send for Block {}
// SAFETY: through a reference it can only be read.
unsafe impl Sync for Block {}

impl Block {
    /// A copy of bytes.
    pub(crate) fn copy_of(bytes: &[u8]) -> Block {
        let Some(layout) = layout(bytes.len()) else { unreachable!("what is there fits into memory") };
        // SAFETY: the layout is not empty; so many bytes are there, in either place.
        unsafe {
            let Some(address) = NonNull::new(begin(alloc(layout), bytes.len())) else { handle_alloc_error(layout) };
            address.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Block { address, from: 0, length: bytes.len() }
        }
    }

    /// The bytes of a buffer, which is detached: its memory itself if that can be had, else a copy.
    pub(crate) fn take(mut buffer: ArrayBuffer<'_>) -> Block {
        // SAFETY: nothing of JavaScript runs before the bytes are copied, or the buffer is detached.
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
        // The engine has not freed it: there are buffers that cannot be detached.
        let copy = Block::copy_of(&block);
        std::mem::forget(block);
        copy
    }

    /// A buffer on this memory, that may be resized up to a length, or never if that is 0.
    pub(crate) fn into_buffer<'js>(self, ctx: &Ctx<'js>, max_length: usize) -> Result<Value<'js>> {
        let raw = ctx.as_raw().as_ptr();
        let block = self.address.as_ptr();
        // SAFETY: the memory is the buffer's from now on, which frees it by the function; if it was not made, it stays ours. What
        // the function needs besides is a number.
        unsafe {
            let (bytes, from) = (block.add(self.from), std::ptr::without_provenance_mut(self.from));
            let (length, max_length) = (self.length as _, max_length as _);
            let buffer = qjs::JS_NewArrayBuffer(raw, bytes, length, max_length, Some(reallocate), from, false);
            if qjs::JS_IsException(buffer) {
                return Err(Error::Exception);
            }
            note(block, size(block));
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
        // SAFETY: so many bytes are there, and nobody writes to them.
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
        // SAFETY: the memory is this one's, and given back once.
        unsafe { release(self.address.as_ptr()) };
    }
}

/// Gives the memory of a block back.
///
/// # Safety
/// The block is the caller's, who forgets it.
unsafe fn release(block: *mut u8) {
    // SAFETY: it was made with this layout.
    unsafe {
        if let Some(layout) = layout(size(block)) {
            dealloc(block.sub(WORD_BYTES), layout);
        }
    }
}

/// What an engine calls to free the memory of a buffer that was adopted, or to have it larger or smaller.
unsafe extern "C" fn reallocate(
    runtime: *mut qjs::JSRuntime,
    from: *mut c_void,
    bytes: *mut c_void,
    length: qjs::size_t,
) -> *mut c_void {
    let (from, length) = (from.addr(), length as usize);
    // SAFETY: the engine has the bytes of `into_buffer`, or what this gave for them, from so far into a block on.
    unsafe {
        let block = bytes.cast::<u8>().sub(from);
        let before = size(block);
        if length == 0 {
            forget(block, before);
            discount(before);
            if !is_left_alone(block, before) {
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
        forget(block, before);
        discount(before);
        note(moved, after);
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
            // The other engine's, which gives it on in turn.
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
    fn what_garbage_has_adopted_does_not_pile_up() {
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
    fn what_was_adopted_counts_for_the_limit() {
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
