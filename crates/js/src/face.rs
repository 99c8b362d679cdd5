//! The values that this crate attaches to loop handles and requests: Rust objects that know which JavaScript to call.

use std::rc::Rc;

use phasor_core::{Event, Face, HandleId, Outcome};
use phasor_engine::{Fallible, Scope};

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

/// Called when a request completes. It may call JavaScript; a drain follows. An error is an uncaught exception.
pub type Request = Box<dyn for<'s> FnOnce(Scope<'s>, Outcome<JsFace>) -> Fallible<()>>;

/// The object attached to a handle.
pub trait OnEvent {
    /// Called for an event of the handle. It may call JavaScript; a drain follows. An error is an uncaught exception.
    ///
    /// # Errors
    ///
    /// The exception that the JavaScript threw.
    fn on_event(&self, scope: Scope<'_>, id: HandleId, event: Event<JsFace>) -> Fallible<()>;

    /// Called when the handle is closed and its slot freed.
    ///
    /// # Errors
    ///
    /// The exception that the JavaScript threw.
    fn on_closed(&self, _scope: Scope<'_>) -> Fallible<()> {
        Ok(())
    }
}
