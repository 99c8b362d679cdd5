//! Modules that need no I/O: each script of these folders prints what Node 22 printed when its `.out` was recorded.

use std::path::Path;
use std::process::Command;

#[test]
fn assert_prints_what_node_prints() {
    check("assert");
}

#[test]
fn events_print_what_node_prints() {
    check("events");
}

#[test]
fn messages_print_what_node_prints() {
    check("messaging");
}

/// Runs every script of a folder under `conformance/`.
fn check(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance").join(folder);
    let mut scripts: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "js"))
        .collect();
    scripts.sort();
    assert!(!scripts.is_empty());
    let failures: Vec<_> = scripts.iter().filter_map(|script| difference(script)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs a script; gives the first line that is not as recorded.
fn difference(script: &Path) -> Option<String> {
    let run = Command::new(env!("CARGO_BIN_EXE_phasor")).arg(script).env_remove("FORCE_COLOR").output().unwrap();
    let printed = String::from_utf8_lossy(&run.stdout).into_owned();
    let recorded = std::fs::read_to_string(script.with_extension("out")).unwrap();
    if printed == recorded && run.status.success() {
        return None;
    }
    let at = printed.lines().zip(recorded.lines()).position(|(a, b)| a != b);
    let at = at.unwrap_or_else(|| printed.lines().count().min(recorded.lines().count()));
    Some(format!(
        "{} line {}:\n  node:   {:?}\n  phasor: {:?}\n{}",
        script.display(),
        at + 1,
        recorded.lines().nth(at),
        printed.lines().nth(at),
        String::from_utf8_lossy(&run.stderr),
    ))
}
