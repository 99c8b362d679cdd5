//! Fuzzes the order of callbacks with small JavaScript programs, on a host in virtual time and on a model of Node's rules: any
//! difference is a crash.
//!
//! `cargo +nightly fuzz run order`. A crash prints the smallest program that still differs, as JavaScript.
#![no_main]
#![forbid(unsafe_code)]

use libfuzzer_sys::Corpus;
use phasor_programs::{Bytes, Program, generate, play, show, shrink};

#[path = "../../crates/cli/tests/simulated/mod.rs"]
mod simulated;

use simulated::{UNIT_MS, said};

/// A program whose order the model leaves open does not differ.
fn differs(program: &Program) -> bool {
    play(program, UNIT_MS).is_ok_and(|model| said(&[program]).first() != Some(&model))
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| -> Corpus {
    let program = generate(&mut Bytes(bytes));
    if play(&program, UNIT_MS).is_err() {
        return Corpus::Reject;
    }
    if differs(&program) {
        let small = shrink(&program, &mut { differs });
        panic!("{}\nthe model: {:?}\n   phasor: {:?}", show(&small), play(&small, UNIT_MS), said(&[&small]));
    }
    Corpus::Keep
});
