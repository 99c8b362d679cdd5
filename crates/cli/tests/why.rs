//! `whyAlive()` of `phasor:loop`: random programs with timers, immediates, servers, sockets, files, workers, children and requests. The list is
//! compared with what the program knows of its resources; then what is listed is closed or unref'd, and the process has to end by itself.
#![forbid(unsafe_code)]

use std::process::{Command, Output, Stdio};

/// How many random programs run, each with and without captured stacks.
const PROGRAMS: u32 = 8;

fn run(script: &str, arguments: &[&str], captures: bool) -> Output {
    let mut command = Command::new("timeout");
    command.args(["120", env!("CARGO_BIN_EXE_phasor"), script]).args(arguments).env_remove("NODE_OPTIONS");
    command.env("PHASOR_WHY", if captures { "1" } else { "0" }).stdin(Stdio::null());
    command.output().expect("phasor starts")
}

#[test]
fn random_programs_end_when_what_is_listed_is_closed_or_unreferenced() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/why/random.js");
    for seed in 1..=PROGRAMS {
        for captures in [false, true] {
            let output = run(script, &[&seed.to_string()], captures);
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.ends_with("ended\n"), "seed {seed}, {captures}: {output:?}");
        }
    }
}

#[test]
fn entries_have_what_a_person_looks_for() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/why/entries.js");
    for captures in [false, true] {
        let output = run(script, &[], captures);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "checked\n", "{output:?}");
    }
}
