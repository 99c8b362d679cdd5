//! The values that this crate attaches to loop handles and requests: Rust objects that know which JavaScript to call.

use std::rc::Rc;

use phasor_core::{Event, Face, HandleId, Outcome};
use phasor_engine::{Fallible, Scope};

use crate::why::About;

/// The front end for JavaScript: what the loop stores with each handle and request.
#[derive(Debug)]
pub struct JsFace;

impl Face for JsFace {
    type Handle = Rc<dyn OnEvent>;
    type Request = Request;
    type Bytes = Vec<u8>;

    // A child's last message and its 'disconnect' come before its 'exit'.
    const EOF_IN_SAME_TURN: bool = true;
}

/// The object attached to a request.
pub type Request = Box<dyn OnDone>;

/// The object attached to a request.
pub trait OnDone {
    /// Called when the request completes. It may call JavaScript; a drain follows. An error is an uncaught exception.
    ///
    /// # Errors
    ///
    /// The exception that the JavaScript threw.
    fn on_done(self: Box<Self>, scope: Scope<'_>, outcome: Outcome<JsFace>) -> Fallible<()>;

    /// The JavaScript object of the request, for a report of what keeps the loop alive. The loop is borrowed during the
    /// call, so the function may only root existing values.
    fn describe<'s>(&self, _scope: Scope<'s>, _about: &mut About<'s>) {}
}

/// A request of which a report knows only what the loop knows.
struct Undescribed<C>(C);

impl<C: for<'s> FnOnce(Scope<'s>, Outcome<JsFace>) -> Fallible<()>> OnDone for Undescribed<C> {
    fn on_done(self: Box<Self>, scope: Scope<'_>, outcome: Outcome<JsFace>) -> Fallible<()> {
        (self.0)(scope, outcome)
    }
}

/// A request that calls a closure when it completes.
pub fn request(call: impl for<'s> FnOnce(Scope<'s>, Outcome<JsFace>) -> Fallible<()> + 'static) -> Request {
    Box::new(Undescribed(call))
}

/// The object attached to a handle.
pub trait OnEvent {
    /// Called for an event of the handle. It may call JavaScript; a drain follows. An error is an uncaught exception.
    ///
    /// # Errors
    ///
    /// The exception that the JavaScript threw.
    fn on_event(&self, scope: Scope<'_>, id: HandleId, event: Event<JsFace>) -> Fallible<()>;

    /// The JavaScript object of the handle, for a report of what keeps the loop alive. Calls no JavaScript.
    fn describe<'s>(&self, _scope: Scope<'s>, _about: &mut About<'s>) {}

    /// Called when the handle is closed and its slot freed.
    ///
    /// # Errors
    ///
    /// The exception that the JavaScript threw.
    fn on_closed(&self, _scope: Scope<'_>) -> Fallible<()> {
        Ok(())
    }
}
