//! Exceptions: [`Thrown`] says that one is pending, [`Scope::try_catch`] takes it.

use mozjs::jsapi;

use crate::local::Local;
use crate::raw;
use crate::runtime::State;
use crate::scope::Scope;
use crate::value::Value;

/// An exception is pending in the engine, or JavaScript is ending without one (see [`Runtime::on_interrupt`](crate::Runtime::on_interrupt)).
///
/// A native function returns it to throw the exception on. [`Scope::try_catch`] turns it into the value that was thrown.
#[derive(Debug)]
#[must_use = "an exception is pending: return the error, or take the exception with `Scope::try_catch`"]
pub struct Thrown(());

/// The result of what may throw.
pub type Fallible<T> = Result<T, Thrown>;

impl Thrown {
    /// For a function of the engine that reported failure.
    pub(crate) fn pending(state: &State) -> Thrown {
        resume_panic(state);
        Thrown(())
    }

    /// An error if a function of the engine reported failure.
    #[inline]
    pub(crate) fn check(state: &State, ok: bool) -> Fallible<()> {
        if ok { Ok(()) } else { Err(Thrown::pending(state)) }
    }
}

/// Goes on with a panic that a native function began, now that the JavaScript between has ended.
fn resume_panic(state: &State) {
    if let Some(payload) = state.panic.borrow_mut().take() {
        std::panic::resume_unwind(payload);
    }
}

impl<'s> Scope<'s> {
    /// Runs `body`; if it throws, takes the exception. `Err(None)` means that JavaScript is ending, which nothing can catch.
    ///
    /// # Errors
    ///
    /// The value that was thrown.
    pub fn try_catch<R>(
        &mut self,
        body: impl FnOnce(&mut Scope<'s>) -> Fallible<R>,
    ) -> Result<R, Option<Local<'s, Value>>> {
        body(self).map_err(|Thrown(())| self.take_exception())
    }

    /// Takes the pending exception, if there is one.
    pub(crate) fn take_exception(&mut self) -> Option<Local<'s, Value>> {
        let cx = self.cx();
        // SAFETY: the context is alive.
        if !unsafe { jsapi::JS_IsExceptionPending(cx) } {
            return None;
        }
        let local = self.undefined();
        // SAFETY: the slot is rooted; it is written before any other code has a local that points to it.
        unsafe {
            let ok = jsapi::JS_GetPendingException(cx, raw::handle_mut(local.slot().cast_mut()));
            jsapi::JS_ClearPendingException(cx);
            ok.then_some(local)
        }
    }

    /// Throws a value: `return Err(scope.throw(value))`.
    pub fn throw(&mut self, value: Local<'_, Value>) -> Thrown {
        // SAFETY: the handle is a slot.
        unsafe {
            jsapi::JS_SetPendingException(self.cx(), raw::handle(value.slot()), jsapi::ExceptionStackBehavior::Capture);
        }
        Thrown(())
    }
}
