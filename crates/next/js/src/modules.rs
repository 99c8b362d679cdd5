//! The native functions of `internal/modules/engine`: ES modules.

use phasor_engine::{Fallible, Local, Object, Scope, define_natives};

use crate::builtins::Natives;

/// The native functions of `internal/modules/engine`: ES modules.
pub const MODULES: Natives = Natives { name: "modules", make: natives };

fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives, "setHooks" => |_: Scope<'_>| {});
    Ok(natives)
}
