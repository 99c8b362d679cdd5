//! Runs the benchmark program with a hundredth of the work: every side must still run.

use std::process::{Command, Output};

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_phasor-benches")).args(args).output().unwrap()
}

#[test]
fn every_benchmark_runs_and_has_a_row() {
    let listed = String::from_utf8(bench(&["--list"]).stdout).unwrap();
    let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() >= 20, "{listed}");

    // Not pinned, because tests that run in parallel would share one CPU.
    let output = bench(&["--smoke", "--rounds", "1", "--unpinned"]);
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{table}{}", String::from_utf8_lossy(&output.stderr));
    for name in names {
        let line = table.lines().find(|line| line.split_whitespace().next() == Some(name));
        let libuv =
            line.and_then(|line| line.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit())));
        assert!(libuv.is_some(), "{name} has no figure in\n{table}");
    }
}

#[test]
fn an_unknown_name_is_an_error() {
    let output = bench(&["--only", "no_such"]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no benchmark is called no_such"));
}
