//! Native verbs of `navigator`.

use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

/// Makes the object of native verbs.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let verbs = Object::new(ctx.clone())?;
    verbs.set("cores", Func::from(cores))?;
    Ok(verbs)
}

/// How many threads can run at once here.
fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}
