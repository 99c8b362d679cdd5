//! Measures the heap and enforces its limit.
//!
//! The engine's own limit covers the cells of the heap only, not the memory that the cells own (elements of arrays,
//! characters of strings, buffers). When it is reached, the engine throws an exception that a script can catch, or
//! aborts the process if it is moving objects. So the engine's limit is set higher than the embedder's. After each
//! collection, the embedder's limit is compared with all memory of the heap.
//!
//! # Safety
//!
//! The callbacks receive a pointer to the state of the context. The state outlives the context.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::rc::Rc;

use mozjs::jsapi;

use crate::raw::RawContext;
use crate::runtime::{Runtime, State, contain_panic};
use crate::scope::Scope;

/// The limit of the heap.
#[derive(Default)]
pub(crate) struct HeapLimit {
    bytes: Cell<Option<u64>>,
    handler: RefCell<Option<Rc<dyn Fn()>>>,
}

/// The highest limit that the engine accepts; the engine treats it as no limit.
const MOST_BYTES: u64 = u32::MAX as u64;

impl HeapLimit {
    /// The engine's own limit: the embedder's limit, and room to end the process in an orderly way.
    pub(crate) fn of_engine(limit_bytes: Option<u64>) -> u32 {
        /// How far beyond its limit a small heap may grow between two collections.
        const LEAST_ROOM_BYTES: u64 = 128 << 20;
        let bytes = limit_bytes.map_or(MOST_BYTES, |limit| limit.saturating_add(limit.max(LEAST_ROOM_BYTES)));
        bytes.min(MOST_BYTES) as u32
    }

    /// # Safety
    ///
    /// `state` is the state of the context, and outlives it.
    pub(crate) unsafe fn install(cx: *mut RawContext, state: *const State, limit_bytes: Option<u64>) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            (*state).heap_limit.bytes.set(limit_bytes);
            let data = state.cast_mut().cast::<c_void>();
            jsapi::SetOutOfMemoryCallback(cx, Some(on_out_of_memory), data);
            jsapi::JS_SetGCCallback(cx, Some(on_collection), data);
        }
    }

    pub(crate) fn clear(&self) {
        self.handler.take();
    }

    fn is_beyond(&self, used_bytes: u64) {
        let handler = self.handler.borrow().clone();
        if let Some(handler) = handler.filter(|_| used_bytes > self.bytes.get().unwrap_or(MOST_BYTES)) {
            contain_panic(|| handler());
        }
    }
}

impl State {
    /// All memory of the heap in bytes: cells, and the `malloc` memory that they own.
    pub(crate) fn heap_bytes_used(&self) -> u64 {
        // SAFETY: the context is alive.
        let cells = unsafe { jsapi::JS_GetGCParameter(self.cx, jsapi::JSGCParamKey::JSGC_BYTES) };
        u64::from(cells) + self.heap_bytes_owned()
    }

    /// The `malloc` memory that the cells of the heap own, in bytes.
    fn heap_bytes_owned(&self) -> u64 {
        let Ok(first) = self.first_realm.try_borrow() else { return 0 };
        // All realms share a compartment, and so a zone.
        first.as_ref().map_or(0, |global| {
            let global = global.raw();
            if !global.is_object() {
                return 0;
            }
            // SAFETY: the global object is alive.
            let bytes = unsafe {
                jsapi::js::GetMallocHeapSizeForZone(jsapi::js::GetObjectZoneFromAnyThread(global.to_object()))
            };
            bytes as u64
        })
    }
}

unsafe extern "C" fn on_collection(
    _cx: *mut RawContext,
    status: jsapi::JSGCStatus,
    _reason: jsapi::GCReason,
    state: *mut c_void,
) {
    if status == jsapi::JSGCStatus::JSGC_END {
        // SAFETY: see the module documentation.
        let state = unsafe { &*state.cast::<State>() };
        state.sites.collected();
        if state.heap_limit.bytes.get().is_some() {
            state.heap_limit.is_beyond(state.heap_bytes_used());
        }
    }
}

/// Called when an allocation fails. The allocation may be larger than any memory.
unsafe extern "C" fn on_out_of_memory(_cx: *mut RawContext, state: *mut c_void) {
    // SAFETY: see the module documentation.
    let state = unsafe { &*state.cast::<State>() };
    // When the engine's own limit is reached, a part of the heap is still free. A heap without an embedder's limit ends
    // at the engine's limit.
    let used = state.heap_bytes_used();
    let limit = state.heap_limit.bytes.get().unwrap_or(MOST_BYTES);
    state.heap_limit.is_beyond(if used >= limit / 8 * 7 { u64::MAX } else { 0 });
}

impl Runtime {
    /// Sets the function that is called when the heap is larger than its limit. The function must not call the engine.
    /// It ends the process, or interrupts the runtime. Allocations still succeed for a while.
    pub fn on_heap_limit(&self, handler: impl Fn() + 'static) {
        self.state().heap_limit.handler.replace(Some(Rc::new(handler)));
    }
}

impl Scope<'_> {
    /// The size of the heap and its used part, in bytes. Both include memory outside of the heap that belongs to its objects.
    pub fn heap_bytes(self) -> [u64; 2] {
        /// The size of a chunk of the heap.
        const CHUNK_BYTES: u64 = 1 << 20;
        // SAFETY: the context is alive.
        let chunks = unsafe { jsapi::JS_GetGCParameter(self.cx(), jsapi::JSGCParamKey::JSGC_TOTAL_CHUNKS) };
        let owned = self.state().heap_bytes_owned();
        [u64::from(chunks) * CHUNK_BYTES + owned, self.state().heap_bytes_used()]
    }
}
