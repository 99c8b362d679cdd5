//! Native functions of streams: fast paths of the operations that run for every chunk. `phasor_js::streams` implements them.

use phasor_js::streams::{know, step_function};
use rquickjs::function::Func;
use rquickjs::{Ctx, Function, Object, Result, Value};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("initFastPath", Func::from(init))?;
    natives.set("step", Func::from(step))?;
    Ok(natives)
}

/// `(symbols, process, prototype, noCallback)`: the objects that the fast paths compare with.
fn init<'js>(symbols: Object<'js>, process: Object<'js>, bytes: Object<'js>, none: Object<'js>) -> Result<()> {
    know(&symbols, &process, &bytes, &none)
}

/// `(name, functions)`: creates the fast path of an operation from its slow paths.
fn step<'js>(ctx: Ctx<'js>, name: String, with: Vec<Function<'js>>) -> Result<Option<Value<'js>>> {
    step_function(&ctx, &name, &with)
}

#[cfg(test)]
mod tests {
    use phasor_js::streams::{READABLE_BITS, WRITABLE_BITS};

    #[test]
    fn bits_match_the_javascript_constants() {
        let flags = include_str!("flags.js");
        for (bits, own) in
            [(READABLE_BITS, include_str!("readable_state.js")), (WRITABLE_BITS, include_str!("writable_state.js"))]
        {
            for (name, bit) in bits {
                let line = format!("const {name} = 1 << {};", bit.trailing_zeros());
                assert!(flags.contains(&line) || own.contains(&line), "{line}");
            }
        }
    }
}
