//! Native function of `navigator`: the number of processors. The properties are in `navigator.js`.

use phasor_engine::{Fallible, Local, Object, Scope, define_natives};

/// Creates the object of native functions.
pub(crate) fn natives<'s>(scope: Scope<'s>) -> Fallible<Local<'s, Object>> {
    let natives = Object::new(scope);
    define_natives!(scope, natives, "cores" => cores);
    Ok(natives)
}

/// `navigator.hardwareConcurrency`: how many threads can run in parallel.
fn cores(_: Scope<'_>) -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}
