//! Promises that the embedder settles.

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
    /// If there is no memory for it; a TypeError if the object is not a promise.
    pub fn resolve_promise(self, scope: Scope<'_>, value: Local<'_, Value>) -> Fallible<()> {
        self.with_promise(scope, |cx, promise| {
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
        self.with_promise(scope, |cx, promise| {
            // SAFETY: the handles are rooted.
            unsafe { jsapi::RejectPromise(cx, promise, raw::handle(reason.slot())) }
        })
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
