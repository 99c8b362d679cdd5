//! The rules of order: every script of `conformance/order` prints what Node 22 printed.
//!
//! How scripts are run and judged is in `conformance/runner`. `CONFORMANCE=text` runs only the scripts with that in their
//! name; `cargo xtask conformance` can do the same, and compare with a Node at hand.

use std::path::Path;

use phasor_conformance::{Runtimes, run, run_many_times};

/// How often a script with several legal outputs runs.
const TIMES: usize = 20;

#[test]
fn scripts_print_what_node_prints() {
    let pattern = std::env::var("CONFORMANCE").unwrap_or_default();
    let runtimes = Runtimes { program: Path::new(env!("CARGO_BIN_EXE_phasor")), against: None };
    let report = run(runtimes, &pattern).unwrap();
    println!("{} of {} scripts pass", report.passed(), report.total);
    assert!(report.wrong.is_empty(), "\n{}", report.wrong.join("\n"));
}

#[test]
fn scripts_with_a_choice_print_only_what_is_legal() {
    let legal = run_many_times(Path::new(env!("CARGO_BIN_EXE_phasor")), TIMES).unwrap();
    println!("{} scripts, {TIMES} times each", legal.scripts);
    assert!(legal.wrong.is_empty(), "\n{}", legal.wrong.join("\n"));
}
