//! Runs programs on a host in a simulated world. The everyday test and the fuzzer both include this file.

use std::cell::RefCell;

use phasor_core::{Loop, Sim};
use phasor_js::engine::{Object, Scope, define_natives};
use phasor_js::{Host, Options};
use phasor_programs::{Program, orders, script};

/// How long a unit of the programs' time is. Time is virtual, so this is about the rules that speak of one millisecond.
pub(crate) const UNIT_MS: u64 = 10;

thread_local! {
    /// The lines that the programs on this thread passed to `tell`.
    static TOLD: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What each program prints; shorter than `programs` if the script did not come to its end.
pub(crate) fn said(programs: &[&Program]) -> Vec<Vec<String>> {
    TOLD.take();
    let sim = Sim::new();
    let options = Options { eval: Some(script(programs, UNIT_MS)), ..Options::new(phasor_node::builtins()) };
    let host = Host::on(Loop::on(sim.clone()), options);
    host.with(move |scope| {
        let world = Object::new(scope);
        define_natives!(scope, world,
            "advance" => |_: Scope<'_>, ms: f64| sim.advance_ms(ms as u64),
            "tell" => |_: Scope<'_>, line: String| TOLD.with_borrow_mut(|told| *told += &format!("{line}\n")),
        );
        scope.global().set(scope, "world", world)
    })
    .expect("a new engine has room for an object");
    host.run();
    drop(host);
    orders(&TOLD.take())
}
