//! The native functions of `internal/modules/engine`: ES modules.

use phasor_engine::{Fallible, Local, Object, Scope};

use crate::builtins::Natives;

/// The native functions of `internal/modules/engine`: ES modules.
pub const MODULES: Natives = Natives { name: "modules", make: natives };

fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    Ok(Object::new(scope))
}
