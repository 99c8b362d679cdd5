//! The memory of SharedArrayBuffers: refcounted blocks that all threads may share, and the engine's allocation hooks.
//!
//! # Safety
//! A block is a `Head` followed by its bytes. The engine and [`SharedBytes`] only hold addresses of the bytes of blocks
//! that `allocate` created, each with a reference of its own. So the head lies right before the bytes and lives until
//! the last reference is released. That holds for every shared buffer of a runtime with these hooks: no code may create
//! one on foreign memory (do not use `ArrayBuffer::from_source_shared`). Threads may race on the bytes as ECMA-262
//! allows; this module never reads them.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use rquickjs::{Ctx, Error, Result, Value, qjs};

/// The header before the bytes of a block.
#[repr(C, align(16))]
struct Head {
    count: AtomicUsize,
    /// The number of bytes after the head.
    size: usize,
}

const HEAD_BYTES: usize = size_of::<Head>();

thread_local! {
    /// The runtime of this thread that uses the hooks.
    static HOOKED: Cell<*mut qjs::JSRuntime> = const { Cell::new(std::ptr::null_mut()) };
}

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEAD_BYTES)?, align_of::<Head>()).ok()
}

/// The head of a block.
///
/// # Safety
/// `bytes` is the address of the bytes of a live block.
unsafe fn head<'a>(bytes: *mut u8) -> &'a Head {
    // SAFETY: the head lies right before the bytes and is aligned as the block is.
    unsafe { &*bytes.sub(HEAD_BYTES).cast::<Head>() }
}

unsafe extern "C" fn allocate(_opaque: *mut c_void, size: qjs::size_t) -> *mut c_void {
    let size = size as usize;
    let Some(layout) = layout(size) else { return std::ptr::null_mut() };
    // SAFETY: the layout is not empty; the head is written before the block is shared.
    unsafe {
        let block = alloc(layout);
        if block.is_null() {
            return std::ptr::null_mut();
        }
        block.cast::<Head>().write(Head { count: AtomicUsize::new(1), size });
        block.add(HEAD_BYTES).cast()
    }
}

unsafe extern "C" fn add_count(_opaque: *mut c_void, bytes: *mut c_void) {
    // SAFETY: the caller holds a reference.
    unsafe { head(bytes.cast()) }.count.fetch_add(1, Ordering::Relaxed);
}

unsafe extern "C" fn release(_opaque: *mut c_void, bytes: *mut c_void) {
    // SAFETY: the caller releases its reference; releasing the last one frees the block.
    unsafe {
        let head = head(bytes.cast());
        if head.count.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        fence(Ordering::Acquire);
        if let Some(layout) = layout(head.size) {
            dealloc(bytes.cast::<u8>().sub(HEAD_BYTES), layout);
        }
    }
}

/// Installs the hooks in the engine. Call it before any shared buffer is created.
pub(crate) fn install(ctx: &Ctx<'_>) {
    let hooks = qjs::JSSharedArrayBufferFunctions {
        sab_alloc: Some(allocate),
        sab_free: Some(release),
        sab_dup: Some(add_count),
        sab_opaque: std::ptr::null_mut(),
    };
    // SAFETY: the engine copies the table.
    unsafe {
        let runtime = qjs::JS_GetRuntime(ctx.as_raw().as_ptr());
        qjs::JS_SetSharedArrayBufferFunctions(runtime, &hooks);
        HOOKED.set(runtime);
    }
}

/// A reference to the memory of a SharedArrayBuffer.
#[derive(Debug)]
pub struct SharedBytes {
    bytes: NonNull<u8>,
    length: usize,
    /// `maxByteLength` of a growable buffer; 0 if it cannot grow.
    max_length: usize,
}

// SAFETY: the refcount is atomic, and this module never accesses the bytes.
unsafe impl Send for SharedBytes {}
// SAFETY: as above.
unsafe impl Sync for SharedBytes {}

impl SharedBytes {
    /// The memory of a SharedArrayBuffer. `None` for another value, or if its engine does not have the hooks.
    pub fn of(value: &Value<'_>, max_length: usize) -> Option<SharedBytes> {
        let ctx = value.ctx().as_raw().as_ptr();
        let mut length = 0;
        // SAFETY: with the hooks installed, the memory of a shared buffer is one of our blocks, and the buffer holds a
        // reference.
        unsafe {
            if qjs::JS_GetRuntime(ctx) != HOOKED.get() || qjs::JS_IsArrayBuffer(value.as_raw()) {
                return None;
            }
            let bytes = NonNull::new(qjs::JS_GetArrayBuffer(ctx, &mut length, value.as_raw()))?;
            add_count(std::ptr::null_mut(), bytes.as_ptr().cast());
            Some(SharedBytes { bytes, length: length as usize, max_length })
        }
    }

    /// A new SharedArrayBuffer on the same memory.
    pub fn to_buffer<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        let raw = ctx.as_raw().as_ptr();
        // SAFETY: an engine with the hooks takes a reference, which its buffer releases when it is finalized. An engine
        // without them would treat the memory as its own, so this fails.
        unsafe {
            if qjs::JS_GetRuntime(raw) != HOOKED.get() {
                return Err(Error::Unknown);
            }
            let (length, max_length) = (self.length as qjs::size_t, self.max_length as qjs::size_t);
            let buffer =
                qjs::JS_NewArrayBuffer(raw, self.bytes.as_ptr(), length, max_length, None, std::ptr::null_mut(), true);
            if qjs::JS_IsException(buffer) {
                return Err(Error::Exception);
            }
            Ok(Value::from_raw(ctx.clone(), buffer))
        }
    }
}

impl Clone for SharedBytes {
    fn clone(&self) -> SharedBytes {
        // SAFETY: `self` holds a reference.
        unsafe { add_count(std::ptr::null_mut(), self.bytes.as_ptr().cast()) };
        SharedBytes { bytes: self.bytes, length: self.length, max_length: self.max_length }
    }
}

impl Drop for SharedBytes {
    fn drop(&mut self) {
        // SAFETY: releases the reference of `self`, once.
        unsafe { release(std::ptr::null_mut(), self.bytes.as_ptr().cast()) };
    }
}

#[cfg(test)]
mod tests {
    use rquickjs::{Context, Runtime};

    use super::*;

    #[test]
    fn buffers_share_one_block() {
        let runtime = Runtime::new().unwrap();
        let context = Context::full(&runtime).unwrap();
        context.with(|ctx| {
            install(&ctx);
            let first: Value<'_> = ctx.eval("globalThis.a = new SharedArrayBuffer(4)").unwrap();
            let bytes = SharedBytes::of(&first, 0).unwrap();
            drop(first);
            ctx.globals().set("b", bytes.clone().to_buffer(&ctx).unwrap()).unwrap();
            drop(bytes);
            let seen: i32 = ctx.eval("new Uint8Array(a)[2] = 7; a = null; new Uint8Array(b)[2]").unwrap();
            assert_eq!(seen, 7);
            let plain: Value<'_> = ctx.eval("new ArrayBuffer(4)").unwrap();
            assert!(SharedBytes::of(&plain, 0).is_none());
        });
    }
}
