//! [`Function`]: functions of JavaScript, and native functions in Rust.
//!
//! # Safety
//!
//! The engine calls a native function through `call_native`, which makes a scope: the scope that led to the call is borrowed by the
//! call into the engine. The arguments stay on the engine's stack, which the collector traces, for the length of the call.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use mozjs::jsapi;
use mozjs::rooted;

use crate::exception::{Fallible, Thrown};
use crate::local::{Kind, Local, sealed};
use crate::object::{IsObject, Object};
use crate::payload;
use crate::raw::{self, RawContext, RawObject, RawValue};
use crate::runtime::{State, state_of};
use crate::scope::Scope;
use crate::value::Value;

/// A function, or another object that can be called.
#[derive(Debug)]
pub enum Function {}

impl sealed::Sealed for Function {}

impl Kind for Function {
    fn matches(value: sealed::Raw) -> bool {
        // SAFETY: the value is an object.
        value.0.is_object() && unsafe { jsapi::IsCallable(value.0.to_object()) }
    }
}

impl IsObject for Function {}

/// A function of Rust that JavaScript can call.
///
/// Implemented for functions and closures of this signature. A function without captured variables costs no allocation.
pub trait Native: for<'s> Fn(Scope<'s>, Arguments<'s>) -> Fallible<Local<'s, Value>> + 'static {}

impl<F> Native for F where F: for<'s> Fn(Scope<'s>, Arguments<'s>) -> Fallible<Local<'s, Value>> + 'static {}

/// The arguments of a call of a native function.
#[derive(Clone, Copy)]
pub struct Arguments<'s> {
    /// The engine's array: the callee, `this`, the arguments, and for a construction `new.target`.
    frame: NonNull<RawValue>,
    count: u32,
    scope: PhantomData<&'s ()>,
}

impl<'s> Arguments<'s> {
    /// How many arguments were given.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(self) -> usize {
        self.count as usize
    }

    /// The argument at `index`, if it was passed.
    #[inline]
    pub fn given(self, index: usize) -> Option<Local<'s, Value>> {
        // SAFETY: the engine keeps the arguments rooted for the length of the call, which is `'s`.
        (index < self.len()).then(|| unsafe { Local::from_slot(self.frame.add(2 + index)) })
    }

    /// The argument at `index`; `undefined` if it was not passed.
    #[inline]
    pub fn get(self, scope: Scope<'s>, index: usize) -> Local<'s, Value> {
        self.given(index).unwrap_or_else(|| scope.undefined())
    }

    /// `this` as the caller passed it: it may be a primitive value.
    ///
    /// # Panics
    ///
    /// If the call is a construction: see [`is_construction`](Arguments::is_construction).
    pub fn this(self) -> Local<'s, Value> {
        // In a construction the engine stores a marker in this slot, which is not a value.
        assert!(!self.is_construction(), "`this` of a construction");
        // SAFETY: as in `given`.
        unsafe { Local::from_slot(self.frame.add(1)) }
    }

    /// Whether the function was called by `new`.
    pub fn is_construction(self) -> bool {
        // SAFETY: every frame has the slot of `this`.
        unsafe { self.frame.add(1).read() }.is_magic()
    }
}

impl std::fmt::Debug for Arguments<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries((0..self.len()).filter_map(|index| self.given(index))).finish()
    }
}

impl Function {
    /// Makes a function of JavaScript that calls `native`. `arity` is the `length` of the function.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn new<'s, F: Native>(scope: Scope<'s>, name: &str, arity: u32, native: F) -> Fallible<Local<'s, Function>> {
        let cx = scope.cx();
        let holder = if has_holder::<F>() {
            Some(payload::new_holder(scope, native)?)
        } else {
            // The type `F` has size 0, so `call_native` can make its value again; its destructor must not run.
            std::mem::forget(native);
            None
        };
        let name = std::ffi::CString::new(name).unwrap_or_default();
        // SAFETY: the name is copied.
        let function = unsafe { jsapi::NewFunctionWithReserved(cx, Some(call_native::<F>), arity, 0, name.as_ptr()) };
        if function.is_null() {
            return Err(Thrown::pending(scope));
        }
        // SAFETY: the function has just been made, and has two reserved slots; the holder is read from its slot.
        unsafe {
            let object = jsapi::JS_GetFunctionObject(function);
            if let Some(holder) = holder {
                jsapi::SetFunctionNativeReserved(object, 0, &holder.raw());
            }
            Ok(scope.root(raw::object(object)))
        }
    }
}

impl<'s> Local<'s, Function> {
    /// Calls the function.
    ///
    /// # Errors
    ///
    /// The exception that the function throws.
    pub fn call<'t, T>(
        self,
        scope: Scope<'t>,
        this: Local<'_, T>,
        arguments: &[Local<'_, Value>],
    ) -> Fallible<Local<'t, Value>> {
        let cx = scope.cx();
        rooted!(in(cx) let mut result = raw::undefined());
        let ok = with_array(
            arguments,
            |array| {
                // SAFETY: all handles are rooted. The array copies values from rooted slots, and is itself rooted.
                unsafe {
                    jsapi::Call(
                        cx,
                        raw::handle(this.slot()),
                        raw::handle(self.slot()),
                        array,
                        result.handle_mut().into(),
                    )
                }
            },
            scope,
        );
        // SAFETY: the result was just read.
        unsafe { scope.root_if(ok, result.get()) }
    }

    /// Calls the function by `new`.
    ///
    /// # Errors
    ///
    /// The exception that the constructor throws; a TypeError if the function is not a constructor.
    pub fn construct<'t>(self, scope: Scope<'t>, arguments: &[Local<'_, Value>]) -> Fallible<Local<'t, Object>> {
        let cx = scope.cx();
        rooted!(in(cx) let mut result = std::ptr::null_mut::<RawObject>());
        let ok = with_array(
            arguments,
            |array| {
                // SAFETY: as in `call`.
                unsafe { jsapi::Construct1(cx, raw::handle(self.slot()), array, result.handle_mut().into()) }
            },
            scope,
        );
        Thrown::check(scope, ok)?;
        // SAFETY: the object was just read.
        Ok(unsafe { scope.root(raw::object(result.get())) })
    }
}

/// Calls `body` with the engine's form of an argument list.
fn with_array<R>(
    arguments: &[Local<'_, Value>],
    body: impl FnOnce(*const jsapi::HandleValueArray) -> R,
    scope: Scope<'_>,
) -> R {
    /// The number of arguments that fit into an array on the stack; longer lists are copied to the heap. Most calls
    /// have few arguments.
    const INLINE: usize = 12;
    let cx = scope.cx();
    if arguments.len() <= INLINE {
        let mut values = [raw::undefined(); INLINE];
        values.iter_mut().zip(arguments).for_each(|(value, local)| *value = local.raw());
        rooted!(in(cx) let values = mozjs_sys::jsgc::ValueArray::new(values));
        return body(&jsapi::HandleValueArray { length_: arguments.len(), elements_: values.get_ptr() });
    }
    rooted!(in(cx) let values = arguments.iter().map(|local| local.raw()).collect::<Vec<_>>());
    body(&jsapi::HandleValueArray { length_: values.len(), elements_: (*values).as_ptr() })
}

/// Calls `body` with a new scope. A panic is stored and goes on in the Rust code that called JavaScript. None: `body`
/// failed, and its exception is pending in the engine.
pub(crate) fn guarded<R>(state: &State, body: impl for<'t> FnOnce(Scope<'t>) -> Fallible<R>) -> Option<R> {
    // After a panic, the panic payload is the only value used of those that the closure has borrowed.
    match catch_unwind(AssertUnwindSafe(|| Scope::run(state, body))) {
        Ok(Ok(result)) => Some(result),
        Ok(Err(thrown)) => {
            thrown.return_to_engine(state);
            None
        }
        Err(payload) => {
            state.keep_panic(payload);
            // Ends the running JavaScript without `catch` and `finally`. SAFETY: the context is alive.
            unsafe { jsapi::ReportUncatchableException(state.cx) };
            None
        }
    }
}

/// Whether a function `F` is stored in a holder object. A function without captured variables needs no memory.
const fn has_holder<F>() -> bool {
    size_of::<F>() > 0 || std::mem::needs_drop::<F>()
}

/// The `JSNative` of a native function `F`.
unsafe extern "C" fn call_native<F: Native>(cx: *mut RawContext, count: u32, frame: *mut RawValue) -> bool {
    // SAFETY: the engine calls this with a running context and a frame of `count` arguments.
    unsafe {
        let state = state_of(cx);
        let frame = NonNull::new_unchecked(frame);
        let result = guarded(state, |scope| {
            let arguments = Arguments { frame, count, scope: PhantomData };
            let callee = frame.read().to_object();
            let value = if has_holder::<F>() {
                let holder = *jsapi::GetFunctionNativeReserved(callee, 0);
                payload::with_holder(scope, holder, |native: &F, scope| native(scope, arguments))
            } else {
                // A type of size 0 has one value, which needs no memory.
                let native = NonNull::<F>::dangling();
                native.as_ref()(scope, arguments)
            }?;
            if state.sites.wants_native_end() {
                state.sites.native_ended(scope);
            }
            Ok(value.raw())
        });
        match result {
            Some(value) => {
                frame.write(value);
                true
            }
            None => false,
        }
    }
}
