//! Native verbs of `events`: emitting and removing in the common case.

use phasor_js::emit::{emit_function, take_function};
use phasor_js::proto_guard::keep;
use rquickjs::function::Func;
use rquickjs::{Ctx, Function, Object, Result, Value};

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    verbs.set("makeEmit", Func::from(make_emit))?;
    verbs.set("take", take_function(ctx, "listener")?)?;
    verbs.set("keepLayer", Func::from(|layer: Object<'js>| keep(&layer)))?;
    Ok(verbs)
}

/// `emit`, out of the function for all other cases, the one that looks after promises, and the symbol that asks for it.
fn make_emit<'js>(ctx: Ctx<'js>, slow: Function<'js>, watch: Function<'js>, capture: Value<'js>) -> Result<Value<'js>> {
    emit_function(&ctx, &slow, &watch, &capture)
}
