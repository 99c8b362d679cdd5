//! Exceptions: [`Thrown`] says that an exception was thrown, and [`Scope::try_catch`] returns the exception.
//!
//! The engine's functions must not be called while an exception is pending in the engine. So the exception is taken out of the engine as
//! soon as a call fails, and kept in the runtime's `thrown` cell; a native function that returns `Err` puts it back.

use std::cell::Cell;

use mozjs::jsapi;
use mozjs::rooted;

use crate::convert::IntoJs;
use crate::function::Function;
use crate::local::Local;
use crate::object::Object;
use crate::raw::{self, RawObject, RawTracer, RawValue};
use crate::runtime::State;
use crate::scope::Scope;
use crate::value::Value;

/// An exception was thrown, or JavaScript is ending without one (see [`Runtime::on_interrupt`](crate::Runtime::on_interrupt)).
///
/// A native function returns `Thrown` to throw the exception on. [`Scope::try_catch`] turns it into the value that was
/// thrown. Dropping a `Thrown` ignores the exception.
#[derive(Debug)]
#[must_use = "an exception was thrown: return the error, or take the exception with `Scope::try_catch`"]
pub struct Thrown(());

/// The result of an operation that may throw.
pub type Fallible<T> = Result<T, Thrown>;

/// The exception behind a [`Thrown`].
#[derive(Clone, Copy)]
pub(crate) enum Pending {
    /// No value was thrown: JavaScript is ending, and no handler can catch that.
    Uncatchable,
    Exception(RawValue),
}

/// Where the exception that last left JavaScript was thrown.
#[derive(Default)]
pub(crate) struct LastThrow(Cell<Option<(RawValue, RawValue)>>);

impl LastThrow {
    /// Remembers an exception. `stack` is null if the exception has passed a native function, or if the engine has
    /// captured the most stacks that it captures.
    fn note(&self, exception: RawValue, stack: *mut RawObject) {
        if !stack.is_null() {
            self.0.set(Some((exception, raw::object(stack))));
        }
    }

    /// # Safety
    ///
    /// `tracer` is the tracer of a collection that runs now, on this thread.
    pub(crate) unsafe fn trace(&self, tracer: RawTracer) {
        if let Some((mut exception, mut stack)) = self.0.get() {
            // SAFETY: guaranteed by the caller. The collector may move the values, so the new ones are stored.
            unsafe {
                raw::trace_value(tracer, &raw mut exception);
                raw::trace_value(tracer, &raw mut stack);
            }
            self.0.set(Some((exception, stack)));
        }
    }
}

impl Thrown {
    /// Takes the pending exception out of the engine, after an engine function reported failure.
    #[cold]
    pub(crate) fn pending(scope: Scope<'_>) -> Thrown {
        let state = scope.state();
        let cx = scope.cx();
        let slot = scope.out();
        // SAFETY: the context is alive; the slot is rooted, and written before any other code reads it.
        unsafe {
            let mut pending = std::mem::zeroed::<jsapi::ExceptionStack>();
            let is_pending = jsapi::JS_IsExceptionPending(cx) && jsapi::GetPendingExceptionStack(cx, &raw mut pending);
            if is_pending {
                // Nothing was called since the engine filled in the value and the stack, so no collection has moved
                // them.
                *slot.slot().cast_mut() = pending.exception_.data;
                state.last_throw.note(pending.exception_.data, pending.stack_.data);
            }
            jsapi::JS_ClearPendingException(cx);
            state.thrown.set(if is_pending { Pending::Exception(slot.raw()) } else { Pending::Uncatchable });
        }
        state.resume_panic();
        Thrown(())
    }

    /// Returns an error if `ok` is false: an engine function reported failure.
    #[inline]
    pub(crate) fn check(scope: Scope<'_>, ok: bool) -> Fallible<()> {
        if ok { Ok(()) } else { Err(Thrown::pending(scope)) }
    }

    /// Makes the exception pending in the engine again, before a native function reports failure.
    pub(crate) fn return_to_engine(self, state: &State) {
        match state.thrown.replace(Pending::Uncatchable) {
            // SAFETY: the context is alive.
            Pending::Uncatchable => unsafe { jsapi::ReportUncatchableException(state.cx) },
            Pending::Exception(value) => Scope::run(state, |scope| {
                let local = scope.value(value);
                // SAFETY: the handle is a slot. If the value is an error, the engine keeps the stack that the error has.
                unsafe {
                    jsapi::JS_SetPendingException(
                        state.cx,
                        raw::handle(local.slot()),
                        jsapi::ExceptionStackBehavior::DoNotCapture,
                    );
                }
            }),
        }
    }
}

/// The classes of errors that the engine's own functions throw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// `Error`
    Error,
    /// `TypeError`
    TypeError,
    /// `RangeError`
    RangeError,
    /// `SyntaxError`
    SyntaxError,
}

impl ErrorKind {
    fn proto_key(self) -> jsapi::JSProtoKey {
        match self {
            ErrorKind::Error => jsapi::JSProtoKey::JSProto_Error,
            ErrorKind::TypeError => jsapi::JSProtoKey::JSProto_TypeError,
            ErrorKind::RangeError => jsapi::JSProtoKey::JSProto_RangeError,
            ErrorKind::SyntaxError => jsapi::JSProtoKey::JSProto_SyntaxError,
        }
    }

    /// The engine's number for the class.
    pub(crate) fn exception_type(self) -> jsapi::JSExnType {
        match self {
            ErrorKind::Error => jsapi::JSExnType::JSEXN_ERR,
            ErrorKind::TypeError => jsapi::JSExnType::JSEXN_TYPEERR,
            ErrorKind::RangeError => jsapi::JSExnType::JSEXN_RANGEERR,
            ErrorKind::SyntaxError => jsapi::JSExnType::JSEXN_SYNTAXERR,
        }
    }
}

impl<'s> Scope<'s> {
    /// Runs `body`; if it throws, takes the exception. `Err(None)` means that JavaScript is ending, which nothing can catch.
    ///
    /// # Errors
    ///
    /// The value that was thrown.
    pub fn try_catch<R>(self, body: impl FnOnce() -> Fallible<R>) -> Result<R, Option<Local<'s, Value>>> {
        body().map_err(|thrown| self.caught(thrown))
    }

    /// The value that was thrown. None: JavaScript is ending, which nothing can catch.
    pub fn caught(self, thrown: Thrown) -> Option<Local<'s, Value>> {
        let Thrown(()) = thrown;
        match self.state().thrown.replace(Pending::Uncatchable) {
            Pending::Exception(value) => Some(self.value(value)),
            Pending::Uncatchable => None,
        }
    }

    /// The stack of the statement that threw a value, if that value is the exception that last left JavaScript. The
    /// engine captures the stacks of the first 50 exceptions of a realm.
    pub fn throw_stack(self, exception: Local<'_, Value>) -> Option<Local<'s, Object>> {
        let (thrown, stack) = self.state().last_throw.0.get()?;
        // SAFETY: the stack was just read; it is an object.
        (thrown == exception.raw()).then(|| unsafe { self.root(stack) })
    }

    /// Throws a value: `return Err(scope.throw(value))`.
    pub fn throw<T>(self, value: Local<'_, T>) -> Thrown {
        self.state().thrown.set(Pending::Exception(value.raw()));
        Thrown(())
    }

    /// Ends the JavaScript that called this native function, without running `catch` and `finally`.
    pub fn terminate(self) -> Thrown {
        self.state().thrown.set(Pending::Uncatchable);
        Thrown(())
    }

    /// A new error of the current realm, as by `new TypeError(message)`.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn new_error(self, kind: ErrorKind, message: &str) -> Fallible<Local<'s, Object>> {
        rooted!(in(self.cx()) let mut object = std::ptr::null_mut::<RawObject>());
        // SAFETY: the handle is rooted.
        let ok = unsafe { jsapi::JS_GetClassObject(self.cx(), kind.proto_key(), object.handle_mut().into()) };
        Thrown::check(self, ok)?;
        // SAFETY: the object was just read; a class of errors is a function.
        let class: Local<'_, Function> = unsafe { self.root(raw::object(object.get())) };
        class.construct(self, &[message.into_js(self)?])
    }

    /// Throws a new error: `return Err(scope.throw_error(ErrorKind::TypeError, "..."))`.
    pub fn throw_error(self, kind: ErrorKind, message: &str) -> Thrown {
        match self.new_error(kind, message) {
            Ok(error) => self.throw(error),
            Err(thrown) => thrown,
        }
    }

    /// Throws a new `TypeError`.
    pub fn throw_type(self, message: &str) -> Thrown {
        self.throw_error(ErrorKind::TypeError, message)
    }
}
