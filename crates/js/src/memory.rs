//! The limit of the engine's memory on a thread that is a whole process: reaching it is the end, as with Node.
//!
//! A script cannot go on from there: the engine's own limit makes an exception that a script may catch, or that is lost
//! because there is no memory for it. Workers and embedded hosts have that one, because their process has to live on.
//!
//! # Safety
//! Every call goes on to the standard allocator's, with the pointer that came from it; only sizes are counted here.
#![allow(unsafe_code)]

use rquickjs::allocator::{Allocator, RustAllocator};

/// As Node, which aborts: 128 and the signal.
const EXIT_CODE: i32 = 134;

/// Counts what the engine takes, and ends the process when that is too much.
pub(crate) struct Limited {
    pub(crate) limit_bytes: usize,
    pub(crate) used_bytes: usize,
}

impl Limited {
    fn take(&mut self, bytes: usize) {
        self.used_bytes = self.used_bytes.saturating_add(bytes);
        if self.used_bytes > self.limit_bytes {
            end();
        }
    }
}

#[cold]
fn end() -> ! {
    eprintln!("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory");
    phasor_core::tty_reset_mode_at_exit();
    std::process::exit(EXIT_CODE)
}

// SAFETY: as the standard allocator, see the head of the file.
unsafe impl Allocator for Limited {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        self.take(size);
        RustAllocator.alloc(size)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        self.take(count.saturating_mul(size));
        RustAllocator.calloc(count, size)
    }

    unsafe fn dealloc(&mut self, pointer: *mut u8) {
        // SAFETY: the pointer is one that the engine got from here.
        unsafe {
            self.used_bytes = self.used_bytes.saturating_sub(RustAllocator::usable_size(pointer));
            RustAllocator.dealloc(pointer);
        }
    }

    unsafe fn realloc(&mut self, pointer: *mut u8, size: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe {
            self.used_bytes = self.used_bytes.saturating_sub(RustAllocator::usable_size(pointer));
            self.take(size);
            RustAllocator.realloc(pointer, size)
        }
    }

    unsafe fn usable_size(pointer: *mut u8) -> usize {
        // SAFETY: as above.
        unsafe { RustAllocator::usable_size(pointer) }
    }
}
