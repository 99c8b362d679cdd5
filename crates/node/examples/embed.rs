//! Embeds the runtime: a script of Node's kind calls a function of this program.
//!
//! The script has all of Node's modules, timers and promises. `run` returns when the loop has nothing left to do. The documentation of the
//! crate shows the manifest and the build script of such a program.

use phasor_node::engine::{Fallible, Scope, define_natives};
use phasor_node::{Host, Options};

const SCRIPT: &str = "
const { setTimeout: sleep } = require('timers/promises');
(async () => {
  await sleep(10);
  console.log('the area is', area(6, 7));
  for (const wrong of [() => area('six', 7), () => undefined.x]) {
    try { wrong(); } catch (error) { console.log(error.name + ': ' + error.message); }
  }
})();
";

/// A function that converts its arguments: a call with a text throws a TypeError.
fn area(_: Scope<'_>, width: f64, height: f64) -> f64 {
    width * height
}

fn add_functions(scope: Scope<'_>) -> Fallible<()> {
    let global = scope.global();
    define_natives!(scope, global, "area" => area);
    Ok(())
}

fn main() {
    let options = Options { eval: Some(SCRIPT.to_owned()), ..Options::new(phasor_node::builtins()) };
    let host = Host::new(options).expect("the system has descriptors for a loop");
    host.with(add_functions).expect("there is memory for a function");
    std::process::exit(host.run());
}
