//! [`Scope`]: owns locals, and gives access to the engine.
//!
//! # Safety
//!
//! A scope is the address of a frame of slots, which exists while the closure that got the scope runs. `'s` is
//! invariant and chosen by the callee (`for<'s>`), so neither the scope nor a local of it can leave that closure. A
//! scope can be copied, and used while a nested scope exists, because each frame has slots of its own.
//!
//! The engine may collect during any call that takes a scope. Code that holds a reference into the engine's memory is a closure that is
//! `Send` (see `bytes.rs`), which no scope, local or global is, so it cannot make such a call.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use mozjs::jsapi;

use crate::exception::{Fallible, Thrown};
use crate::local::Local;
use crate::raw::{self, RawContext, RawValue};
use crate::runtime::State;
use crate::slots::Frame;
use crate::value::Value;

/// The access to the engine, and the owner of the locals that are made through it. `Copy`.
///
/// The locals of a scope are freed when the scope ends, so none may leave it:
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
/// A scope stays on its thread:
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
/// The scopes of two runtimes never have the same type, so they cannot be mixed up:
///
/// ```compile_fail
/// # use phasor_engine::{Options, Runtime, Scope};
/// # fn same<'s>(_: Scope<'s>, _: Scope<'s>) {}
/// # let (mut one, mut other) = (Runtime::new(Options::default()), Runtime::new(Options::default()));
/// # let (realm, other_realm) = (one.new_realm(), other.new_realm());
/// one.enter(&realm, |scope| other.enter(&other_realm, |inner| same(scope, inner)));
/// ```
#[derive(Clone, Copy)]
pub struct Scope<'s> {
    state: &'s State,
    frame: NonNull<Frame>,
    /// Makes `'s` invariant.
    brand: PhantomData<Cell<&'s ()>>,
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").finish_non_exhaustive()
    }
}

impl<'s> Scope<'s> {
    /// Runs `body` with a new scope and frees its locals.
    #[inline]
    pub(crate) fn run<R>(state: &State, body: impl for<'t> FnOnce(Scope<'t>) -> R) -> R {
        state.frames.enter(|frame| body(Scope { state, frame: NonNull::from(frame), brand: PhantomData }))
    }

    /// Runs `body` with a scope of its own, whose locals are freed when it returns. For loops that make many locals.
    pub fn nested<R>(self, body: impl for<'t> FnOnce(Scope<'t>) -> R) -> R {
        Scope::run(self.state, body)
    }

    /// Runs `body` like [`nested`](Scope::nested), and keeps the local that `body` returns.
    pub fn escape<T>(self, body: impl for<'t> FnOnce(Scope<'t>) -> Local<'t, T>) -> Local<'s, T> {
        let value = self.nested(|scope| Escaped(body(scope).raw()));
        // Nothing was called since the value was read, so no collection has moved it. SAFETY: `T` is the kind of the
        // local.
        unsafe { self.root(value.0) }
    }

    /// Does what [`escape`](Scope::escape) does, for a body that may throw.
    ///
    /// # Errors
    ///
    /// The error that the body returns.
    pub fn try_escape<T>(
        self,
        body: impl for<'t> FnOnce(Scope<'t>) -> Fallible<Local<'t, T>>,
    ) -> Fallible<Local<'s, T>> {
        let value = self.nested(|scope| body(scope).map(|local| Escaped(local.raw())))?;
        // SAFETY: as in `escape`.
        Ok(unsafe { self.root(value.0) })
    }

    pub(crate) fn state(self) -> &'s State {
        self.state
    }

    #[inline]
    pub(crate) fn cx(self) -> *mut RawContext {
        self.state.cx
    }

    /// Puts a value into a slot of this scope.
    ///
    /// # Safety
    ///
    /// The value is of kind `T`, and was read after the last collection.
    #[inline]
    pub(crate) unsafe fn root<T>(self, value: RawValue) -> Local<'s, T> {
        // SAFETY: the frame exists for all of `'s`, and so does the slot.
        unsafe { Local::from_slot(self.frame.as_ref().push(value)) }
    }

    /// Roots a value like [`root`](Scope::root) if the engine reported success. Otherwise returns the exception of the
    /// engine.
    ///
    /// # Safety
    ///
    /// The requirements of [`root`](Scope::root).
    #[inline]
    pub(crate) unsafe fn root_if<T>(self, ok: bool, value: RawValue) -> Fallible<Local<'s, T>> {
        Thrown::check(self, ok)?;
        // SAFETY: guaranteed by the caller.
        Ok(unsafe { self.root(value) })
    }

    /// A slot for an out parameter of the engine. It holds `undefined` until the engine writes it. No other local may
    /// be made from the slot before that.
    #[inline]
    pub(crate) fn out(self) -> Local<'s, Value> {
        self.value(raw::undefined())
    }

    /// Puts a value into a new slot: a primitive value, or an object that is rooted elsewhere.
    #[inline]
    pub(crate) fn value(self, value: RawValue) -> Local<'s, Value> {
        // SAFETY: every value is of kind `Value`; callers pass values that they have just read.
        unsafe { self.root(value) }
    }

    /// `undefined`.
    #[inline]
    pub fn undefined(self) -> Local<'s, Value> {
        self.value(raw::undefined())
    }

    /// `null`.
    pub fn null(self) -> Local<'s, Value> {
        self.value(raw::null())
    }

    /// `true` or `false`.
    pub fn boolean(self, value: bool) -> Local<'s, Value> {
        self.value(raw::boolean(value))
    }

    /// A number.
    #[inline]
    pub fn number(self, value: impl Into<f64>) -> Local<'s, Value> {
        self.value(raw::number(value.into()))
    }

    /// Whether `one === other`.
    ///
    /// # Errors
    ///
    /// When there is no memory to flatten a string.
    pub fn strict_equals<T, U>(self, one: Local<'_, T>, other: Local<'_, U>) -> Fallible<bool> {
        let mut equal = false;
        // SAFETY: both handles are slots; the context is alive.
        let ok = unsafe {
            jsapi::StrictlyEqual(self.cx(), raw::handle(one.slot()), raw::handle(other.slot()), &raw mut equal)
        };
        Thrown::check(self, ok)?;
        Ok(equal)
    }

    /// Collects garbage now.
    pub fn collect_garbage(self) {
        // SAFETY: the context is alive. No pointer into the heap is in use: closures that have one cannot hold a scope.
        unsafe { jsapi::JS_GC(self.cx(), jsapi::GCReason::API) };
    }

    /// The value that the embedder attached to the runtime with [`Runtime::set_host`](crate::Runtime::set_host).
    ///
    /// # Panics
    ///
    /// If there is none, or it is of another type.
    #[inline]
    pub fn host<T: 'static>(self) -> &'s T {
        self.try_host().expect("the runtime has no host of this type")
    }

    /// The value that [`host`](Scope::host) returns. None if there is no value, or it is of another type.
    #[inline]
    pub fn try_host<T: 'static>(self) -> Option<&'s T> {
        self.state.host.get()?.downcast_ref()
    }
}

/// A value that is moved from one scope to another. Nothing may collect meanwhile.
struct Escaped(RawValue);
