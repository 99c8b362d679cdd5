//! Native function of `navigator`: the number of processors. The properties are in `navigator.js`.

use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("cores", Func::from(cores))?;
    Ok(natives)
}

/// `navigator.hardwareConcurrency`: how many threads can run in parallel.
fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}
