//! Native functions of `events`: fast paths of `emit` and `removeListener`. The engine's crate implements them (`phasor_js::emit`).

use phasor_js::emit::{emit_function, take_function};
use phasor_js::proto_guard::keep;
use rquickjs::function::Func;
use rquickjs::{Ctx, Function, Object, Result, Value};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("makeEmit", Func::from(make_emit))?;
    natives.set("take", take_function(ctx, "listener")?)?;
    natives.set("keepLayer", Func::from(|layer: Object<'js>| keep(&layer)))?;
    Ok(natives)
}

/// Creates `emit` from its slow path, the function that watches returned promises, and the `captureRejections` symbol that enables
/// watching.
fn make_emit<'js>(ctx: Ctx<'js>, slow: Function<'js>, watch: Function<'js>, capture: Value<'js>) -> Result<Value<'js>> {
    emit_function(&ctx, &slow, &watch, &capture)
}
