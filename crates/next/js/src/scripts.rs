//! The native functions of `internal/vm/engine`: scripts and realms of `vm`.

use phasor_engine::{Fallible, Local, Object, Scope};

use crate::builtins::Natives;

/// The native functions of `internal/vm/engine`: scripts and realms of `vm`.
pub const SCRIPTS: Natives = Natives { name: "scripts", make: natives };

fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    Ok(Object::new(scope))
}
