//! The engine's memory: pages for small blocks, the standard allocator for large ones, and the heap limit. Reaching the
//! limit ends the process, as in Node, or the worker.
//!
//! A script cannot continue after that: the engine's own limit throws an exception that a script may catch, or that is
//! lost because there is no memory for it. Embedded hosts use the engine's limit, because only the embedder knows what
//! must follow.
//!
//! # Safety
//! A block of nearly a page is a page of `pages`, aligned as such. Any other block comes from `blocks` and begins one
//! word after an address aligned to 16. So it never begins at a page boundary, and the address alone distinguishes the
//! two.
#![allow(unsafe_code)]

pub(crate) mod blocks;
mod pages;

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::io::Write;
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;

use phasor_sys::memory::PAGE_BYTES;
use rquickjs::allocator::Allocator;

use self::blocks::{WORD_BYTES, begin, layout};
use self::pages::Pages;
use crate::thread_control::ThreadControl;

/// The exit code of an aborted process, as Node's: 128 and the signal number.
const EXIT_CODE: i32 = 134;

/// The engine's allocator.
pub(crate) struct Memory {
    pages: Pages,
    /// The limit at which the process or the thread ends.
    limit_bytes: usize,
    /// The bytes allocated here. Memory adopted by buffers is counted in `blocks`, and added for the limit.
    used_bytes: usize,
    /// The thread to terminate at the limit; `None` ends the process.
    thread: Option<Arc<ThreadControl>>,
}

impl Memory {
    /// Creates the allocator. At the limit the process ends, or the given thread.
    pub(crate) fn new(limit_bytes: Option<usize>, thread: Option<Arc<ThreadControl>>) -> Memory {
        let limit_bytes = match limit_bytes {
            Some(bytes) => bytes,
            None => usize::MAX,
        };
        Memory { pages: Pages::new(), limit_bytes, used_bytes: 0, thread }
    }

    /// Counts an allocation. Returns whether it may be made.
    fn count(&mut self, bytes: usize) -> bool {
        if self.thread.as_ref().is_some_and(|thread| thread.ignores_termination()) {
            return false;
        }
        let used = self.used_bytes.saturating_add(bytes);
        let beyond = used.saturating_add(blocks::adopted_bytes()).saturating_sub(self.limit_bytes);
        if beyond > 0 && !self.exceed(beyond, bytes) {
            return false;
        }
        self.used_bytes = used;
        true
    }

    /// Uncounts an allocation that failed, and returns the block.
    fn given(&mut self, block: *mut u8, bytes: usize) -> *mut u8 {
        if block.is_null() {
            self.used_bytes = self.used_bytes.saturating_sub(bytes);
        }
        block
    }

    /// Allocates a block with `make`.
    #[inline]
    fn block(&mut self, bytes: usize, make: unsafe fn(Layout) -> *mut u8) -> *mut u8 {
        let Some(layout) = layout(bytes) else { return null_mut() };
        if !self.count(bytes) {
            return null_mut();
        }
        // SAFETY: the layout is not empty.
        let block = unsafe { begin(make(layout), bytes) };
        blocks::track(block, bytes);
        self.given(block, bytes)
    }

    /// Handles reaching the limit. A thread still gets memory, so that it can unwind, but only up to
    /// [`MOST_BEYOND_BYTES`].
    #[cold]
    fn exceed(&self, beyond: usize, bytes: usize) -> bool {
        let Some(thread) = &self.thread else { end() };
        thread.out_of_memory();
        bytes <= MOST_BEYOND_BYTES && beyond <= MOST_BEYOND_BYTES
    }
}

/// How far beyond its limit a thread may go while it unwinds.
const MOST_BEYOND_BYTES: usize = 16 << 20;

/// Ends a process that has reached its limit.
#[cold]
pub(crate) fn end() -> ! {
    // This runs inside an allocation and must not panic: ignore a closed standard error.
    let text = b"FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n";
    let _ = std::io::stderr().write_all(text);
    phasor_core::tty_reset_mode_at_exit();
    std::process::exit(EXIT_CODE)
}

/// Whether the engine asks for a page, which it divides into small blocks: it requests slightly less than a page.
fn is_page_size(bytes: usize) -> bool {
    (PAGE_BYTES / 4 * 3..=PAGE_BYTES).contains(&bytes)
}

/// The page at an address, if it is one.
fn as_page(pointer: *mut u8) -> Option<NonNull<u8>> {
    NonNull::new(pointer).filter(|pointer| pointer.addr().get().is_multiple_of(PAGE_BYTES))
}

// SAFETY: see the head of the file.
unsafe impl Allocator for Memory {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if is_page_size(size) {
            if !self.count(PAGE_BYTES) {
                return null_mut();
            }
            let page = self.pages.take().map_or(null_mut(), NonNull::as_ptr);
            return self.given(page, PAGE_BYTES);
        }
        self.block(size, alloc)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let Some(bytes) = count.checked_mul(size) else { return null_mut() };
        self.block(bytes, alloc_zeroed)
    }

    unsafe fn dealloc(&mut self, pointer: *mut u8) {
        // SAFETY: the engine got the pointer from here.
        unsafe {
            let bytes = Memory::usable_size(pointer);
            self.used_bytes = self.used_bytes.saturating_sub(bytes);
            if let Some(page) = as_page(pointer) {
                return self.pages.give(page);
            }
            blocks::untrack(pointer, bytes);
            if !blocks::is_wanted(pointer, bytes)
                && let Some(layout) = layout(bytes)
            {
                dealloc(pointer.sub(WORD_BYTES), layout);
            }
        }
    }

    unsafe fn realloc(&mut self, pointer: *mut u8, size: usize) -> *mut u8 {
        // SAFETY: as above; the copied range is within both blocks.
        unsafe {
            let before = Memory::usable_size(pointer);
            if as_page(pointer).is_some() {
                let new = self.alloc(size);
                if !new.is_null() {
                    pointer.copy_to_nonoverlapping(new, before.min(size));
                    self.dealloc(pointer);
                }
                return new;
            }
            let (Some(old), Some(new)) = (layout(before), layout(size)) else { return null_mut() };
            self.used_bytes = self.used_bytes.saturating_sub(before);
            if !self.count(size) {
                self.used_bytes = self.used_bytes.saturating_add(before);
                return null_mut();
            }
            let block = begin(realloc(pointer.sub(WORD_BYTES), old, new.size()), size);
            if block.is_null() {
                self.used_bytes = self.used_bytes.saturating_sub(size).saturating_add(before);
            } else {
                blocks::untrack(pointer, before);
                blocks::track(block, size);
            }
            block
        }
    }

    unsafe fn usable_size(pointer: *mut u8) -> usize {
        match as_page(pointer) {
            Some(_) => PAGE_BYTES,
            // SAFETY: a pointer that is not a page is a block.
            None => unsafe { blocks::size(pointer) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_all_sizes_keep_their_bytes() {
        let mut memory = Memory::new(None, None);
        // SAFETY: each block is used within its size and freed once.
        unsafe {
            let mut block = memory.calloc(10, 10);
            assert!((0..100).all(|at| block.add(at).read() == 0));
            block.write_bytes(9, 100);
            for size in [3000, 3500, 4096, 4097, 1 << 20, 4000, 200] {
                block = memory.realloc(block, size);
                assert!(Memory::usable_size(block) >= size, "{size}");
                assert!(block.addr().is_multiple_of(WORD_BYTES));
                assert!((0..100).all(|at| block.add(at).read() == 9), "{size}");
            }
            let page = memory.alloc(4000);
            assert_eq!((page.addr() % PAGE_BYTES, Memory::usable_size(page)), (0, PAGE_BYTES));
            let page_to_block = memory.realloc(page, 5000);
            assert_eq!(Memory::usable_size(page_to_block), 5000);
            memory.dealloc(page_to_block);
            memory.dealloc(block);
        }
        assert_eq!(memory.used_bytes, 0);
        assert!(memory.calloc(usize::MAX, 2).is_null());
        assert!(memory.alloc(usize::MAX - 8).is_null());
        // Larger than any address space: the system refuses, and nothing is counted.
        assert!(memory.alloc(1 << 62).is_null() && memory.calloc(1 << 31, 1 << 31).is_null());
        assert_eq!(memory.used_bytes, 0);
    }
}
