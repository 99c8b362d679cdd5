//! Runs programs on a host in a simulated world. The everyday test and the fuzzer both include this file.

use std::cell::RefCell;

use phasor_core::{Loop, Sim};
use phasor_js::rquickjs::{Function, Object};
use phasor_js::{AtExit, Host, Options};
use phasor_node::BUILTINS;
use phasor_programs::{Program, orders, script};

/// How long a unit of the programs' time is. Time is virtual, so this is about the rules that speak of one millisecond.
pub(crate) const UNIT_MS: u64 = 10;

thread_local! {
    /// What the programs of this thread's host told.
    static TOLD: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What each program prints; shorter than `programs` if the script did not come to its end.
pub(crate) fn said(programs: &[&Program]) -> Vec<Vec<String>> {
    TOLD.take();
    let sim = Sim::new();
    let host = Host::on(
        Loop::on(sim.clone()),
        Options {
            builtins: BUILTINS,
            at_exit: AtExit::Return,
            exec_path: "phasor".to_owned(),
            argv0: "phasor".to_owned(),
            exec_argv: Vec::new(),
            args: Vec::new(),
            eval: Some(script(programs, UNIT_MS)),
            eval_file: "[eval]",
            print: false,
            flags: Vec::new(),
            thread_control: None,
            thread_id: 0,
            heap_limit_bytes: None,
            stack_bytes: None,
        },
    );
    let host = host.expect("this thread has no other host");
    host.with(|ctx| {
        let world = Object::new(ctx.clone())?;
        world.set("advance", Function::new(ctx.clone(), move |ms: f64| sim.advance_ms(ms as u64))?)?;
        let tell = |line: String| TOLD.with_borrow_mut(|told| *told += &format!("{line}\n"));
        world.set("tell", Function::new(ctx.clone(), tell)?)?;
        ctx.globals().set("world", world)
    })
    .expect("the host has an engine")
    .expect("a new engine has room for an object");
    host.run();
    drop(host);
    orders(&TOLD.take())
}
