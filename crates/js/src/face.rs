//! The values that this crate attaches to loop handles and requests: Rust objects that know which JavaScript to call.

use std::rc::Rc;

use phasor_core::{Event, Face, HandleId, Outcome};
use rquickjs::{Ctx, Result};

/// The front end for JavaScript: what the loop stores with each handle and request.
pub struct JsFace;

impl Face for JsFace {
    type Handle = Rc<dyn OnEvent>;
    type Request = Request;
    type Bytes = Vec<u8>;

    // A child's last message and its 'disconnect' come before its 'exit'.
    const EOF_IN_SAME_TURN: bool = true;
}

/// Called when a request completes. It may call JavaScript; a drain follows. An error is an uncaught exception.
pub type Request = Box<dyn for<'js> FnOnce(&Ctx<'js>, Outcome<JsFace>) -> Result<()>>;

/// The object attached to a handle.
pub trait OnEvent {
    /// Called for an event of the handle. It may call JavaScript; a drain follows. An error is an uncaught exception.
    fn on_event(&self, ctx: &Ctx<'_>, id: HandleId, event: Event<JsFace>) -> Result<()>;

    /// Called when the handle is closed and its slot freed.
    fn on_closed(&self, _ctx: &Ctx<'_>) -> Result<()> {
        Ok(())
    }
}
