//! The values that this crate attaches to loop handles and requests: Rust objects that know which JavaScript to call.

use std::rc::Rc;

use phasor_core::{Event, Face, HandleId, Outcome};
use rquickjs::{Ctx, Result};

/// The JavaScript face.
pub struct JsFace;

impl Face for JsFace {
    type Handle = Rc<dyn OnEvent>;
    type Request = Request;
    type Bytes = Vec<u8>;

    // The last message of a child and its disconnect come before its exit.
    const EOF_IN_SAME_TURN: bool = true;
}

/// What is to be done when a request is finished. It may call JavaScript; the drain follows. An error is an uncaught
/// exception.
pub type Request = Box<dyn for<'js> FnOnce(&Ctx<'js>, Outcome<JsFace>) -> Result<()>>;

/// What hangs on a handle.
pub trait OnEvent {
    /// Something happened to the handle. It may call JavaScript; the drain follows. An error is an uncaught exception.
    fn on_event(&self, ctx: &Ctx<'_>, id: HandleId, event: Event<JsFace>) -> Result<()>;

    /// The handle is closed and forgotten.
    fn on_closed(&self, _ctx: &Ctx<'_>) -> Result<()> {
        Ok(())
    }
}
