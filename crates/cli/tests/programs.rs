//! Random small programs on order, on a host in a simulated world, in virtual time: they print what the model of Node's
//! rules says.
//!
//! What a program is, and the model, are in `conformance/programs`. `cargo xtask fuzz-order` runs such programs on the real
//! clock, on a live Node as well; `fuzz/fuzz_targets/order.rs` looks for differences for as long as one likes.

mod simulated;

use phasor_programs::{Program, Root, clear_program, play, show, shrink};

use simulated::{UNIT_MS, said};

/// How many programs a run of the test makes.
const PROGRAMS: u64 = 400;

/// How many of them one host runs.
const IN_A_HOST: usize = 25;

/// Panics with a small program that differs.
fn fail(program: &Program) {
    let differs = |program: &Program| match play(program, UNIT_MS) {
        Ok(model) => said(&[program]).first() != Some(&model),
        Err(_) => false,
    };
    assert!(differs(program), "differs only after other programs:\n{}", show(program));
    let small = shrink(program, &mut { differs });
    let (model, seen) = (play(&small, UNIT_MS), said(&[&small]));
    panic!("{}\nthe model: {model:?}\n   phasor: {seen:?}", show(&small));
}

#[test]
fn programs_run_in_the_order_of_the_rules() {
    let programs: Vec<_> = (0..PROGRAMS).map(|seed| clear_program(seed, UNIT_MS)).collect();
    let (mains, others): (Vec<_>, Vec<_>) = programs.iter().partition(|(program, _)| program.root == Root::Main);
    let chunks = others.chunks(IN_A_HOST).map(<[_]>::to_vec);
    // Only one program of a host is its main script.
    for chunk in chunks.chain(mains.into_iter().map(|main| vec![main])) {
        let seen = said(&chunk.iter().map(|(program, _)| program).collect::<Vec<_>>());
        for (at, (program, model)) in chunk.iter().enumerate() {
            if seen.get(at) != Some(model) {
                fail(program);
            }
        }
    }
}
