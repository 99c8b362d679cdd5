//! Promises that the embedder settles.
//!
//! # Safety
//!
//! The engine settles the promise of an async function itself, and keeps other things in its slots than in those of a promise that has
//! functions `resolve` and `reject`. The flags in its first slot tell (`PromiseObject.h`).

use mozjs::jsapi;
use mozjs::rooted;

use crate::exception::{Fallible, Thrown};
use crate::local::Local;
use crate::object::Object;
use crate::raw::{self, RawContext};
use crate::scope::Scope;
use crate::value::Value;

impl Local<'_, Object> {
    /// Marks the rejection of a promise as handled.
    ///
    /// # Errors
    ///
    /// If there is no memory for it; a TypeError if the object is not a promise.
    pub fn mark_handled(self, scope: Scope<'_>) -> Fallible<()> {
        self.with_promise(scope, |cx, promise| {
            // SAFETY: the handle is rooted and is that of a promise.
            unsafe {
                match jsapi::GetPromiseState(promise) {
                    jsapi::PromiseState::Pending => jsapi::SetAnyPromiseIsHandled(cx, promise),
                    _ => jsapi::SetSettledPromiseIsHandled(cx, promise),
                }
            }
        })
    }

    /// Resolves a promise, as its `resolve` function would.
    ///
    /// # Errors
    ///
    /// If there is no memory for it; a TypeError if the object is not a promise, or is the promise of an async function.
    pub fn resolve_promise(self, scope: Scope<'_>, value: Local<'_, Value>) -> Fallible<()> {
        self.settle_promise(scope, |cx, promise| {
            // SAFETY: the handles are rooted.
            unsafe { jsapi::ResolvePromise(cx, promise, raw::handle(value.slot())) }
        })
    }

    /// Rejects a promise, as its `reject` function would.
    ///
    /// # Errors
    ///
    /// The errors of [`resolve_promise`](Local::resolve_promise).
    pub fn reject_promise(self, scope: Scope<'_>, reason: Local<'_, Value>) -> Fallible<()> {
        self.settle_promise(scope, |cx, promise| {
            // SAFETY: the handles are rooted.
            unsafe { jsapi::RejectPromise(cx, promise, raw::handle(reason.slot())) }
        })
    }

    fn settle_promise(
        self,
        scope: Scope<'_>,
        body: impl FnOnce(*mut RawContext, jsapi::HandleObject) -> bool,
    ) -> Fallible<()> {
        /// `PROMISE_FLAG_ASYNC`
        const IS_ASYNC: i32 = 0x20;
        let mut is_async = false;
        self.with_promise(scope, |cx, promise| {
            let mut flags = raw::undefined();
            // SAFETY: a promise has the slot.
            unsafe { mozjs::glue::JS_GetReservedSlot(promise.get(), 0, &raw mut flags) };
            is_async = flags.is_int32() && flags.to_int32() & IS_ASYNC != 0;
            is_async || body(cx, promise)
        })?;
        if is_async { Err(scope.throw_type("the promise of an async function")) } else { Ok(()) }
    }

    fn with_promise(
        self,
        scope: Scope<'_>,
        body: impl FnOnce(*mut RawContext, jsapi::HandleObject) -> bool,
    ) -> Fallible<()> {
        let cx = scope.cx();
        rooted!(in(cx) let promise = self.raw().to_object());
        // SAFETY: the handle is rooted.
        if !unsafe { jsapi::IsPromiseObject(promise.handle().into()) } {
            return Err(scope.throw_type("not a promise"));
        }
        Thrown::check(scope, body(cx, promise.handle().into()))
    }
}
