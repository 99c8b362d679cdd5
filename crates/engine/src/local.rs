//! [`Local`]: a value of JavaScript that is rooted as long as its scope.
//!
//! # Safety
//!
//! `Local<'s, T>` is the address of a slot that the collector traces, and that is freed when the scope `'s` ends. Only
//! [`Local::from_slot`] makes a local; its callers are scopes and argument lists. `T` says what kind of value is in the
//! slot; a slot is never written again, so the kind stays true.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::raw::RawValue;
use crate::value::Value;

/// A value of JavaScript of kind `T`, rooted until the scope `'s` ends.
///
/// A local has the size of a pointer and is `Copy`. [`Scope::nested`](crate::Scope::nested) bounds the lifetime of many
/// locals in a loop. [`Global`](crate::Global) keeps a value beyond a scope.
pub struct Local<'s, T = Value> {
    slot: NonNull<RawValue>,
    scope: PhantomData<&'s ()>,
    kind: PhantomData<fn() -> T>,
}

/// A kind of value: a marker type such as [`Object`](crate::Object), and a test for values of the kind.
///
/// This trait is sealed.
pub trait Kind: sealed::Sealed + Sized {
    /// Whether a value is of this kind.
    #[doc(hidden)]
    fn matches(value: sealed::Raw) -> bool;
}

pub(crate) mod sealed {
    use crate::raw::RawValue;

    /// A value for [`Kind::matches`](super::Kind::matches), opaque outside of this crate.
    #[derive(Clone, Copy)]
    pub struct Raw(pub(crate) RawValue);

    impl std::fmt::Debug for Raw {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Raw")
        }
    }

    /// Keeps other crates from adding kinds.
    pub trait Sealed {}
}

impl<'s, T> Local<'s, T> {
    /// # Safety
    ///
    /// The collector traces `slot` for all of `'s`, nothing writes the slot meanwhile, and the slot holds a value of
    /// kind `T`.
    pub(crate) unsafe fn from_slot(slot: NonNull<RawValue>) -> Local<'s, T> {
        Local { slot, scope: PhantomData, kind: PhantomData }
    }

    /// Reads the value. A copy of it may be out of date after the next call into the engine, because the collector
    /// moves objects.
    pub(crate) fn raw(self) -> RawValue {
        // SAFETY: the slot is valid for `'s`, and only the collector writes it, which does not run now.
        unsafe { self.slot.read() }
    }

    /// The address of the slot. The engine takes this address as a handle.
    pub(crate) fn slot(self) -> *const RawValue {
        self.slot.as_ptr()
    }

    /// The same value, with the kind [`Value`].
    pub fn as_value(self) -> Local<'s, Value> {
        Local { slot: self.slot, scope: PhantomData, kind: PhantomData }
    }

    /// The same value as a value of kind `U`, if it is one.
    pub fn cast<U: Kind>(self) -> Option<Local<'s, U>> {
        U::matches(sealed::Raw(self.raw())).then_some(Local { slot: self.slot, scope: PhantomData, kind: PhantomData })
    }

    /// Whether the value is of kind `U`.
    pub fn is<U: Kind>(self) -> bool {
        U::matches(sealed::Raw(self.raw()))
    }

    /// Whether two locals hold the same object, or primitive values with the same bits. Equal strings may differ: see
    /// [`Scope::strict_equals`](crate::Scope::strict_equals).
    pub fn is_same<U>(self, other: Local<'_, U>) -> bool {
        self.raw().asBits_ == other.raw().asBits_
    }
}

impl<T> Clone for Local<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Local<'_, T> {}

impl<T> fmt::Debug for Local<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Local").field(&self.as_value().type_name()).finish()
    }
}
