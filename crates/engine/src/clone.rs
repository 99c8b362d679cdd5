//! [`Serialized`]: values that are sent to another runtime of this process (the structured clone algorithm of the HTML
//! standard).
//!
//! # Safety
//!
//! The engine's serialized form contains pointers: to the memory of transferred and of shared buffers, and to the characters of strings. The
//! engine trusts these when it reads, so the form is never made of bytes from elsewhere: [`Scope::serialize`] alone makes a [`Serialized`],
//! and no code outside of it can read or change its content. It owns what it points to, and frees that once, on whatever thread it is dropped. A value with
//! transferred buffers can be read only once, which [`Scope::deserialize`] enforces.

use std::ptr::NonNull;

use mozjs::glue::{
    DeleteJSAutoStructuredCloneBuffer, GetLengthOfJSStructuredCloneData, NewJSAutoStructuredCloneBuffer,
};
use mozjs::jsapi::{
    self, CloneDataPolicy, JSAutoStructuredCloneBuffer, JSStructuredCloneCallbacks, StructuredCloneScope,
};

use crate::array::Array;
use crate::bytes::{ArrayBuffer, Bytes};
use crate::exception::{ErrorKind, Fallible, Thrown};
use crate::local::Local;
use crate::raw;
use crate::scope::Scope;
use crate::value::Value;

/// No callbacks: objects that the engine does not know are refused.
static CALLBACKS: JSStructuredCloneCallbacks = JSStructuredCloneCallbacks {
    read: None,
    write: None,
    reportError: None,
    readTransfer: None,
    writeTransfer: None,
    freeTransfer: None,
    canTransfer: None,
    sabCloned: None,
};

/// The policy for runtimes of one process: they share memory.
static POLICY: CloneDataPolicy =
    CloneDataPolicy { allowIntraClusterClonableSharedObjects_: true, allowSharedMemoryObjects_: true };

/// A value outside of any runtime, which may be read in any other of this process.
#[derive(Debug)]
pub struct Serialized {
    buffer: NonNull<JSAutoStructuredCloneBuffer>,
    transfer: Transfer,
    /// The bytes of the transferred buffers.
    transferred_bytes: usize,
}

/// Whether buffers were transferred with a value, and whether it was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Transfer {
    /// No buffers were transferred: the value can be read many times.
    None,
    /// Buffers were transferred: the value can be read once.
    Unread,
    /// The value was read, and its buffers are gone.
    Read,
}

// SAFETY: see the module documentation. Memory of buffers is plain; shared memory and the characters of strings have
// atomic refcounts.
unsafe impl Send for Serialized {}

impl Serialized {
    /// The memory that the value takes, in bytes, transferred buffers included.
    pub fn len_bytes(&self) -> usize {
        // SAFETY: the buffer is alive.
        let bytes = unsafe { GetLengthOfJSStructuredCloneData(&raw mut (*self.buffer.as_ptr()).data_) };
        bytes + self.transferred_bytes
    }
}

impl Drop for Serialized {
    fn drop(&mut self) {
        // SAFETY: `NewJSAutoStructuredCloneBuffer` made it.
        unsafe { DeleteJSAutoStructuredCloneBuffer(self.buffer.as_ptr()) };
    }
}

impl<'s> Scope<'s> {
    /// Serializes a value: plain objects, arrays, Map, Set, Date, RegExp, errors, boxed values, buffers and views. May run JavaScript: getters.
    ///
    /// The buffers of `transfer` are moved and detached, even if the value does not contain them. Shared buffers share
    /// their memory with the value that is read.
    ///
    /// # Errors
    ///
    /// The exception that a getter throws; an error for a value that cannot be cloned, or a buffer that is detached or
    /// listed twice. In these cases no buffer was detached, unless the engine runs out of memory in between.
    pub fn serialize(self, value: Local<'_, Value>, transfer: &[Local<'_, ArrayBuffer>]) -> Fallible<Serialized> {
        let transferred_bytes = transfer.iter().filter_map(|buffer| Bytes::of(*buffer)).map(Bytes::len).sum();
        let list = if transfer.is_empty() {
            self.undefined()
        } else {
            let buffers: Vec<_> = transfer.iter().map(|buffer| buffer.as_value()).collect();
            Array::new(self, &buffers)?.as_value()
        };
        // SAFETY: the callbacks live as long as the process.
        let buffer = unsafe { NewJSAutoStructuredCloneBuffer(StructuredCloneScope::SameProcess, &raw const CALLBACKS) };
        let buffer = NonNull::new(buffer).expect("no memory for a message");
        let transfer = if transfer.is_empty() { Transfer::None } else { Transfer::Unread };
        let serialized = Serialized { buffer, transfer, transferred_bytes };
        // SAFETY: all handles are slots; the buffer is new and outlives the call.
        let ok = unsafe {
            jsapi::JS_WriteStructuredClone(
                self.cx(),
                raw::handle(value.slot()),
                &raw mut (*buffer.as_ptr()).data_,
                StructuredCloneScope::SameProcess,
                &raw const POLICY,
                &raw const CALLBACKS,
                std::ptr::null_mut(),
                raw::handle(list.slot()),
            )
        };
        Thrown::check(self, ok)?;
        Ok(serialized)
    }

    /// Makes a value from its serialized form, in the current realm. Runs no JavaScript of the program.
    ///
    /// # Errors
    ///
    /// If there is no memory for the value, or if buffers were transferred with it and it was read before.
    pub fn deserialize(self, serialized: &mut Serialized) -> Fallible<Local<'s, Value>> {
        match serialized.transfer {
            Transfer::None => {}
            Transfer::Unread => serialized.transfer = Transfer::Read,
            Transfer::Read => {
                return Err(self.throw_error(ErrorKind::Error, "a message with transferred buffers was read before"));
            }
        }
        let value = self.out();
        // SAFETY: the handle is a slot; `serialize` wrote the buffer, with the same callbacks and policy.
        let ok = unsafe {
            jsapi::JS_ReadStructuredClone(
                self.cx(),
                &raw const (*serialized.buffer.as_ptr()).data_,
                jsapi::JS_STRUCTURED_CLONE_VERSION,
                StructuredCloneScope::SameProcess,
                raw::handle_mut(value.slot().cast_mut()),
                &raw const POLICY,
                &raw const CALLBACKS,
                std::ptr::null_mut(),
            )
        };
        Thrown::check(self, ok)?;
        Ok(value)
    }
}
