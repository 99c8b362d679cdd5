//! The table of functions that `engine/phasor_engine.h` and the headers it includes add to QuickJS.
//!
//! The engine registers the table at program load through `phasor_adds`. The functions are not linked by name, so that
//! a program built with an unpatched QuickJS still links; [`engine_patch`] returns `None` there.
//!
//! # Safety
//! The table in the header has the same order and types as [`EnginePatch`], and lives as long as the program.
#![allow(unsafe_code)]

use std::os::raw::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use rquickjs::qjs;

use crate::ascii::Line;
use crate::guards::Step;
use crate::proto_guard::{Count, Kept};
use crate::raw::{Raw, RawCtx};

/// The added functions.
#[repr(C)]
pub(crate) struct EnginePatch {
    /// Appends the call sites of waiting async functions to an array of call sites: those that wait for the running
    /// function, or, if the third value is not null, for the promise that it settles.
    pub(crate) async_sites: unsafe extern "C" fn(RawCtx, *const Raw, *const Raw),
    /// Makes an object the global object of a context.
    pub(crate) set_global: unsafe extern "C" fn(RawCtx, *const Raw),
    /// Makes a context use another context's hash seed, so that its `Map` methods work on maps of that context.
    pub(crate) share_seed: unsafe extern "C" fn(RawCtx, RawCtx),
    /// Whether the running code is strict.
    pub(crate) is_strict: unsafe extern "C" fn(RawCtx) -> bool,
    /// Sets a property; ignores a property that cannot be set. Takes over the reference to the value.
    pub(crate) set_property: unsafe extern "C" fn(RawCtx, *const Raw, qjs::JSAtom, *const Raw) -> c_int,
    /// Removes the last element that is the listener, or whose property of the given name is, from an array. Returns
    /// whether one was removed; -1 if only JavaScript can decide.
    pub(crate) take_listener: unsafe extern "C" fn(RawCtx, *const Raw, *const Raw, qjs::JSAtom) -> c_int,
    /// Whether a value is a FinalizationRegistry.
    pub(crate) is_registry: unsafe extern "C" fn(*const Raw) -> bool,
    /// The newest entry of a registry, if its token is the given one, else null.
    pub(crate) new_entry: unsafe extern "C" fn(*const Raw, *const Raw) -> *mut c_void,
    /// Removes an entry from its registry.
    pub(crate) drop_entry: unsafe extern "C" fn(RawCtx, *mut c_void),
    /// Makes `Date()` return the result of a function, in the realm of the given `Date` class; -1 on failure.
    pub(crate) keep_date_text: unsafe extern "C" fn(RawCtx, *const Raw, *const Raw) -> c_int,
    /// A pointer to the value of a property, or to undefined if there is none; null if only the engine's full lookup
    /// can decide. Runs no script.
    pub(crate) look: unsafe extern "C" fn(*const Raw, qjs::JSAtom) -> *const Raw,
    /// Runs the guards of a list: a number of steps, input values and output values. Returns whether all passed; then
    /// the outputs hold references. Runs no script.
    pub(crate) find:
        unsafe extern "C" fn(RawCtx, *const qjs::JSRuntime, *const Step, c_uint, c_uint, c_uint, *mut Raw) -> bool,
    /// Sets a property as an assignment in strict code; takes a new reference to the value. Returns -1 if that throws,
    /// -2 if the context is of another runtime.
    pub(crate) put: unsafe extern "C" fn(RawCtx, *const qjs::JSRuntime, *const Raw, qjs::JSAtom, *const Raw) -> c_int,
    /// Creates an object with the prototype and property names of a model and the given values, of which it takes new
    /// references. Returns undefined if the model is not a plain object with that many properties.
    pub(crate) make_like: unsafe extern "C" fn(RawCtx, *const Raw, c_uint, *const Raw, *mut Raw),
    /// Creates a `Uint8Array` with another prototype, from a copy of bytes.
    pub(crate) make_bytes: unsafe extern "C" fn(RawCtx, *const Raw, *const u8, usize, *mut Raw),
    /// Creates a `Uint8Array` with another prototype on a whole `ArrayBuffer`.
    pub(crate) make_view: unsafe extern "C" fn(RawCtx, *const Raw, *const Raw, *mut Raw),
    /// Creates a `Uint8Array` with another prototype on a range of another one; negative positions count from the end.
    /// Returns undefined if the source is not a `Uint8Array` of fixed length.
    pub(crate) make_part: unsafe extern "C" fn(RawCtx, *const Raw, *const Raw, i64, i64, *mut Raw),
    /// Creates an object with the prototype of a class, in a shape without room for properties. Later objects of the
    /// class share the shape.
    pub(crate) make_bare: unsafe extern "C" fn(RawCtx, qjs::JSClassID, *mut Raw),
    /// Whether an object has a refcount of 1, no weak references and no own properties: it may be recycled.
    pub(crate) is_recyclable: unsafe extern "C" fn(RawCtx, *const Raw, qjs::JSClassID) -> bool,
    /// Makes the errors of a realm keep the current `stack` accessors of `Error.prototype`.
    pub(crate) keep_stack: unsafe extern "C" fn(RawCtx),
    /// The line where an error was last thrown, its file and its column; 0 if that is not known, and then nothing else
    /// is set.
    pub(crate) thrown_at: unsafe extern "C" fn(RawCtx, *const Raw, *mut Raw, *mut c_int) -> c_int,
    /// The source text of a function, as `Function.prototype.toString` returns it; runs no script. An exception if
    /// there is no memory.
    pub(crate) function_text: unsafe extern "C" fn(RawCtx, *const Raw, *mut Raw),
    /// The property slots of an object, two words each, and their number.
    pub(crate) slots: unsafe extern "C" fn(*const Raw, *mut c_uint) -> *const [u64; 2],
    /// The slot index of an own property; -1 if there is none.
    pub(crate) slot_of: unsafe extern "C" fn(*const Raw, qjs::JSAtom) -> c_int,
    /// The address of an object's prototype; null if it has none.
    pub(crate) above: unsafe extern "C" fn(*const Raw) -> usize,
    /// Whether each of the objects of a prototype guard still has the same prototype and number of properties.
    pub(crate) are_as_many: unsafe extern "C" fn(*const Count, c_uint) -> bool,
    /// Whether each property slot of a prototype guard is unchanged.
    pub(crate) are_kept: unsafe extern "C" fn(*const Kept, c_uint) -> bool,
    /// Whether the properties of an object from a given slot on are plain ones with other names than those given, and
    /// not on its prototype chain.
    pub(crate) is_added_alone: unsafe extern "C" fn(*const Raw, c_uint, *const qjs::JSAtom, c_uint) -> bool,
    /// Whether an object has the shape of a given one, or has none of the given names on the chain below the first of
    /// the given prototypes.
    pub(crate) is_bare:
        unsafe extern "C" fn(*const Raw, usize, *const qjs::JSAtom, c_uint, *const usize, c_uint) -> bool,
    /// The bytes of a `Uint8Array` on a buffer of fixed length, and their number; null for any other value.
    pub(crate) bytes: unsafe extern "C" fn(*const Raw, *mut usize) -> *mut u8,
    /// The characters of an ASCII string stored in one piece, and their number; null for any other value.
    pub(crate) ascii: unsafe extern "C" fn(*const Raw, *mut usize) -> *const u8,
    /// Fills an array with the header lines of the object in which `setHeader` keeps them. Returns their number; -1 if
    /// a line is not two ASCII strings, or there are too many.
    pub(crate) lines: unsafe extern "C" fn(*const Raw, *mut Line, c_int) -> c_int,
    /// Creates a string of Latin-1 characters.
    pub(crate) make_latin1: unsafe extern "C" fn(RawCtx, *const u8, usize, *mut Raw),
    /// Whether the stack has room for a call; if not, the exception is thrown.
    pub(crate) has_stack: unsafe extern "C" fn(RawCtx) -> bool,
}

static ENGINE_PATCH: AtomicPtr<EnginePatch> = AtomicPtr::new(std::ptr::null_mut());

/// The functions of the patch; `None` if the engine is unpatched.
#[inline]
pub(crate) fn engine_patch() -> Option<&'static EnginePatch> {
    // SAFETY: null, or a constant of the header, set before any thread was started.
    unsafe { ENGINE_PATCH.load(Ordering::Relaxed).as_ref() }
}

/// The engine calls this from a constructor function, before `main`.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_adds(functions: *const EnginePatch, size: usize) {
    // The table has another layout than this crate's. No error can be reported yet.
    if size != size_of::<EnginePatch>() {
        std::process::abort();
    }
    ENGINE_PATCH.store(functions.cast_mut(), Ordering::Relaxed);
}
