//! [`Scope`]: where locals live, and the access to the engine.
//!
//! # Safety
//!
//! Exactly one scope of a runtime is usable at a time: each is made by a closure call under the one around it, which `&mut` makes
//! unusable meanwhile, or by a native function, under a call into the engine that took `&mut Scope`. So resetting the slot stack at the
//! end of a scope frees the slots of that scope alone. `'s` is invariant and chosen by the callee (`for<'s>`), so no local of a
//! scope can leave it.

use std::cell::Cell;
use std::marker::PhantomData;

use mozjs::jsapi;

use crate::exception::{Fallible, Thrown};
use crate::local::Local;
use crate::raw::{self, RawContext, RawValue};
use crate::runtime::State;
use crate::value::Value;

/// The access to the engine, and the owner of the locals that are made through it.
///
/// What runs JavaScript or may collect garbage takes `&mut Scope`. The locals of a scope are freed when it ends, so none may leave it:
///
/// ```compile_fail
/// # use phasor_engine::{Local, Object, Options, Runtime};
/// # let mut runtime = Runtime::new(Options::default());
/// # let realm = runtime.new_realm();
/// runtime.enter(&realm, |scope| {
///     let escaped: Local<'_, Object> = scope.nested(|scope| Object::new(scope));
/// });
/// ```
///
/// ```compile_fail
/// # use phasor_engine::{Local, Object, Options, Runtime};
/// # let mut runtime = Runtime::new(Options::default());
/// # let realm = runtime.new_realm();
/// let escaped: Local<'_, Object> = runtime.enter(&realm, |scope| Object::new(scope));
/// ```
///
/// The scope around a nested one cannot be used meanwhile, and a scope stays on its thread:
///
/// ```compile_fail
/// # use phasor_engine::{Object, Options, Runtime};
/// # let mut runtime = Runtime::new(Options::default());
/// # let realm = runtime.new_realm();
/// runtime.enter(&realm, |scope| scope.nested(|_inner| drop(Object::new(scope))));
/// ```
///
/// ```compile_fail
/// # use phasor_engine::{Object, Options, Runtime};
/// # let mut runtime = Runtime::new(Options::default());
/// # let realm = runtime.new_realm();
/// runtime.enter(&realm, |scope| {
///     std::thread::scope(|threads| drop(threads.spawn(|| drop(Object::new(scope)))));
/// });
/// ```
///
/// Two scopes are never of one type, so they cannot be swapped:
///
/// ```compile_fail
/// # use phasor_engine::{Options, Runtime};
/// # let (mut one, mut other) = (Runtime::new(Options::default()), Runtime::new(Options::default()));
/// # let (realm, other_realm) = (one.new_realm(), other.new_realm());
/// one.enter(&realm, |scope| other.enter(&other_realm, |inner| std::mem::swap(scope, inner)));
/// ```
#[derive(Debug)]
pub struct Scope<'s> {
    state: &'s State,
    /// Makes `'s` invariant.
    brand: PhantomData<Cell<&'s ()>>,
}

impl<'s> Scope<'s> {
    /// Runs `body` with a new scope and frees its locals.
    ///
    /// # Safety
    ///
    /// No scope of the runtime is usable during the call.
    pub(crate) unsafe fn run<R>(state: &State, body: impl for<'t> FnOnce(&mut Scope<'t>) -> R) -> R {
        struct Reset<'a>(&'a State, crate::slots::Height);
        impl Drop for Reset<'_> {
            fn drop(&mut self) {
                // SAFETY: the locals above this height are those of the scope that has ended.
                unsafe { self.0.slots.reset(self.1) };
            }
        }
        let _reset = Reset(state, state.slots.height());
        body(&mut Scope { state, brand: PhantomData })
    }

    /// Runs `body` with a scope of its own, whose locals are freed when it returns. For loops that make many locals.
    pub fn nested<R>(&mut self, body: impl for<'t> FnOnce(&mut Scope<'t>) -> R) -> R {
        // SAFETY: `self` is borrowed during the call.
        unsafe { Scope::run(self.state, body) }
    }

    /// As [`nested`](Scope::nested), and keeps the local that `body` returns.
    pub fn escape<T>(&mut self, body: impl for<'t> FnOnce(&mut Scope<'t>) -> Local<'t, T>) -> Local<'s, T> {
        let value = self.nested(|scope| {
            let local = body(scope);
            Escaped(local.raw())
        });
        // Nothing was called since the value was read, so no collection has moved it.
        // SAFETY: the kind is that of the local.
        unsafe { self.root(value.0) }
    }

    /// As [`escape`](Scope::escape), for a body that may throw.
    ///
    /// # Errors
    ///
    /// That of the body.
    pub fn try_escape<T>(
        &mut self,
        body: impl for<'t> FnOnce(&mut Scope<'t>) -> Fallible<Local<'t, T>>,
    ) -> Fallible<Local<'s, T>> {
        let value = self.nested(|scope| body(scope).map(|local| Escaped(local.raw())))?;
        // SAFETY: as in `escape`.
        Ok(unsafe { self.root(value.0) })
    }

    pub(crate) fn state(&self) -> &'s State {
        self.state
    }

    pub(crate) fn cx(&self) -> *mut RawContext {
        self.state.cx
    }

    /// Puts a value into a slot of this scope.
    ///
    /// # Safety
    ///
    /// The value is of kind `T`, and was read after the last collection.
    #[inline]
    pub(crate) unsafe fn root<T>(&mut self, value: RawValue) -> Local<'s, T> {
        // SAFETY: the slot is freed when this scope ends, at the end of `'s`.
        unsafe { Local::from_slot(self.state.slots.push(value)) }
    }

    /// Puts a value into a slot if the engine's function that made it reported success.
    ///
    /// # Safety
    ///
    /// As for [`root`](Scope::root) if `ok`; an exception is pending, or JavaScript is ending, if not.
    #[inline]
    pub(crate) unsafe fn root_if<T>(&mut self, ok: bool, value: RawValue) -> Fallible<Local<'s, T>> {
        if ok {
            // SAFETY: the caller's.
            Ok(unsafe { self.root(value) })
        } else {
            Err(Thrown::pending(self.state))
        }
    }

    /// A primitive value or one that is rooted elsewhere, in a new slot.
    pub(crate) fn value(&mut self, value: RawValue) -> Local<'s, Value> {
        // SAFETY: every value is of this kind; callers pass values that they have just read.
        unsafe { self.root(value) }
    }

    /// `undefined`.
    pub fn undefined(&mut self) -> Local<'s, Value> {
        self.value(raw::undefined())
    }

    /// `null`.
    pub fn null(&mut self) -> Local<'s, Value> {
        self.value(raw::null())
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, value: bool) -> Local<'s, Value> {
        self.value(raw::boolean(value))
    }

    /// A number.
    pub fn number(&mut self, value: impl Into<f64>) -> Local<'s, Value> {
        self.value(raw::number(value.into()))
    }

    /// Whether two values are equal as by `===`.
    ///
    /// # Errors
    ///
    /// When there is no memory to flatten a string.
    pub fn strict_equals<T, U>(&mut self, one: Local<'_, T>, other: Local<'_, U>) -> Fallible<bool> {
        let mut equal = false;
        // SAFETY: both handles are slots; the context is alive.
        let ok = unsafe {
            jsapi::StrictlyEqual(self.cx(), raw::handle(one.slot()), raw::handle(other.slot()), &raw mut equal)
        };
        Thrown::check(self.state, ok)?;
        Ok(equal)
    }
}

/// A value between two scopes, where nothing may collect.
struct Escaped(RawValue);
