//! The table of functions that `engine/phasor_engine.h` and the headers it includes add to QuickJS.
//!
//! The engine registers the table at program load through `phasor_adds`. The functions are not linked by name, so that a program built
//! with an unpatched QuickJS still links; [`engine_patch`] returns `None` there.
//!
//! # Safety
//! The header gives the functions in the order and with the types that stand here; they stay for the life of the program.
#![allow(unsafe_code)]

use std::os::raw::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use rquickjs::qjs;

use crate::ascii::Line;
use crate::guards::Step;
use crate::proto_guard::{Count, Kept};
use crate::raw::{Raw, RawCtx};

/// The functions.
#[repr(C)]
pub(crate) struct EnginePatch {
    /// Puts the call sites of the functions that wait behind those of a list: for the one that runs, or, if there is one, for the
    /// promise that the third settles.
    pub(crate) async_sites: unsafe extern "C" fn(RawCtx, *const Raw, *const Raw),
    /// Makes an object the global one of a context.
    pub(crate) set_global: unsafe extern "C" fn(RawCtx, *const Raw),
    /// Has a context find in maps what another has put there.
    pub(crate) share_seed: unsafe extern "C" fn(RawCtx, RawCtx),
    /// Whether the code that runs is strict.
    pub(crate) is_strict: unsafe extern "C" fn(RawCtx) -> bool,
    /// Sets a property; what cannot be set is left. The value's reference goes to the engine.
    pub(crate) set_property: unsafe extern "C" fn(RawCtx, *const Raw, qjs::JSAtom, *const Raw) -> c_int,
    /// Takes the last of a list that is a listener, or whose property of a name is one, out of the list. Whether there was
    /// one; -1 where only JavaScript can tell.
    pub(crate) take_listener: unsafe extern "C" fn(RawCtx, *const Raw, *const Raw, qjs::JSAtom) -> c_int,
    /// Whether a value is a FinalizationRegistry.
    pub(crate) is_registry: unsafe extern "C" fn(*const Raw) -> bool,
    /// The newest entry of a registry, if its token is this one; or null.
    pub(crate) new_entry: unsafe extern "C" fn(*const Raw, *const Raw) -> *mut c_void,
    /// Takes an entry back.
    pub(crate) drop_entry: unsafe extern "C" fn(RawCtx, *mut c_void),
    /// Has `Date()` give what a function gives for a date, in the realm of a class `Date`; -1 if that fails.
    pub(crate) keep_date_text: unsafe extern "C" fn(RawCtx, *const Raw, *const Raw) -> c_int,
    /// Where the value of an object's property is, or an undefined one if there is none; null where only the engine's own way can
    /// tell. No script runs.
    pub(crate) look: unsafe extern "C" fn(*const Raw, qjs::JSAtom) -> *const Raw,
    /// Makes so many looks in a context of a runtime, with so many values given and so many found. Whether all is as it should be:
    /// then what was found has references. No script runs.
    pub(crate) find:
        unsafe extern "C" fn(RawCtx, *const qjs::JSRuntime, *const Step, c_uint, c_uint, c_uint, *mut Raw) -> bool,
    /// Sets a property of an object as an assignment in strict code does; it takes a reference to the value. -1 if that throws, -2 if the
    /// context is not of the runtime.
    pub(crate) put: unsafe extern "C" fn(RawCtx, *const qjs::JSRuntime, *const Raw, qjs::JSAtom, *const Raw) -> c_int,
    /// Makes an object with the prototype and the properties of a model, so many, to whose values it takes references. Undefined if it
    /// is no model for that.
    pub(crate) make_like: unsafe extern "C" fn(RawCtx, *const Raw, c_uint, *const Raw, *mut Raw),
    /// Makes a `Uint8Array` with another prototype, of a copy of bytes.
    pub(crate) make_bytes: unsafe extern "C" fn(RawCtx, *const Raw, *const u8, usize, *mut Raw),
    /// Makes a `Uint8Array` with another prototype on the whole of an `ArrayBuffer`.
    pub(crate) make_view: unsafe extern "C" fn(RawCtx, *const Raw, *const Raw, *mut Raw),
    /// Makes a `Uint8Array` with another prototype on a part of one: from and up to which byte, counted from the end if below zero.
    /// Undefined if it is none, or may change its length.
    pub(crate) make_part: unsafe extern "C" fn(RawCtx, *const Raw, *const Raw, i64, i64, *mut Raw),
    /// Makes the first object with the prototype of a class, in a shape without room for properties, that the next ones have as well.
    pub(crate) make_bare: unsafe extern "C" fn(RawCtx, qjs::JSClassID, *mut Raw),
    /// Whether nobody but the one who asks can tell an object from a new one of its class: there is no other reference, not even a weak
    /// one, and it was given nothing.
    pub(crate) is_alone: unsafe extern "C" fn(RawCtx, *const Raw, qjs::JSClassID) -> bool,
    /// Has the errors of a realm keep the accessors for `stack` that `Error.prototype` has now.
    pub(crate) keep_stack: unsafe extern "C" fn(RawCtx),
    /// The line where an error was thrown last, its file and its column; 0 if that is not known, and then nothing else is given.
    pub(crate) thrown_at: unsafe extern "C" fn(RawCtx, *const Raw, *mut Raw, *mut c_int) -> c_int,
    /// The text of a function, as `Function.prototype.toString` gives it; no script runs. An exception if there is no memory.
    pub(crate) function_text: unsafe extern "C" fn(RawCtx, *const Raw, *mut Raw),
    /// Where the values and accessors of an object are, two words each, and how many there are.
    pub(crate) slots: unsafe extern "C" fn(*const Raw, *mut c_uint) -> *const [u64; 2],
    /// Which of them is an object's own property of a name; -1 if it has none.
    pub(crate) slot_of: unsafe extern "C" fn(*const Raw, qjs::JSAtom) -> c_int,
    /// Where what an object inherits from is; null if that is nothing.
    pub(crate) above: unsafe extern "C" fn(*const Raw) -> usize,
    /// Whether so many layers have as many properties as they had, and inherit from what they did.
    pub(crate) are_as_many: unsafe extern "C" fn(*const Count, c_uint) -> bool,
    /// Whether the properties of so many layers are what they were.
    pub(crate) are_kept: unsafe extern "C" fn(*const Kept, c_uint) -> bool,
    /// Whether the properties of an object from a place on are plain ones that nothing above has, and have none of so many names.
    pub(crate) is_added_alone: unsafe extern "C" fn(*const Raw, c_uint, *const qjs::JSAtom, c_uint) -> bool,
    /// Whether an object has the shape of another, if there is one, or none of so many names before the first of the layers that it
    /// inherits from.
    pub(crate) is_bare:
        unsafe extern "C" fn(*const Raw, usize, *const qjs::JSAtom, c_uint, *const usize, c_uint) -> bool,
    /// The bytes of a `Uint8Array` on a buffer that has its length for good, and how many there are; null if it is none.
    pub(crate) bytes: unsafe extern "C" fn(*const Raw, *mut usize) -> *mut u8,
    /// The characters of a string of ASCII, and how many there are; null if it is none, or not in one piece.
    pub(crate) ascii: unsafe extern "C" fn(*const Raw, *mut usize) -> *const u8,
    /// The lines of a head, where so many have room, from the object that `setHeader` keeps them in: how many there are; -1 if one is
    /// anything else than two strings of ASCII.
    pub(crate) lines: unsafe extern "C" fn(*const Raw, *mut Line, c_int) -> c_int,
    /// Makes a string whose characters are bytes.
    pub(crate) make_latin1: unsafe extern "C" fn(RawCtx, *const u8, usize, *mut Raw),
    /// Whether there is room on the stack for a call; if there is not, that is thrown.
    pub(crate) has_stack: unsafe extern "C" fn(RawCtx) -> bool,
}

static ENGINE_PATCH: AtomicPtr<EnginePatch> = AtomicPtr::new(std::ptr::null_mut());

/// What the header adds, in a program that has it.
#[inline]
pub(crate) fn engine_patch() -> Option<&'static EnginePatch> {
    // SAFETY: null, or a constant of the header: it was there before any thread was.
    unsafe { ENGINE_PATCH.load(Ordering::Relaxed).as_ref() }
}

/// The engine calls this before the program begins.
#[unsafe(no_mangle)]
unsafe extern "C" fn phasor_adds(functions: *const EnginePatch, size: usize) {
    // Nothing can be said yet, and nothing would be right with a header that is not this one's.
    if size != size_of::<EnginePatch>() {
        std::process::abort();
    }
    ENGINE_PATCH.store(functions.cast_mut(), Ordering::Relaxed);
}
