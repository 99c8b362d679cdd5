//! Node's modules: each script of `conformance/*/`, but for those on order and those that need packages (`cargo xtask npm`),
//! prints what Node 22 printed when its `.out` was recorded.

use std::path::{Path, PathBuf};
use std::process::Command;

/// How long a script may take, in seconds.
const LIMIT_S: &str = "60";

#[test]
fn scripts_print_what_node_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let is_ours = |path: &PathBuf| path.is_dir() && !path.ends_with("order") && !path.ends_with("npm");
    let folders = entries(&root).into_iter().filter(is_ours);
    let mut scripts: Vec<_> = folders
        .flat_map(|folder| entries(&folder))
        .filter(|path| {
            let is_script = path.extension().is_some_and(|ending| ["js", "mjs", "ts"].iter().any(|one| ending == *one));
            is_script && path.with_extension("out").exists()
        })
        .collect();
    scripts.sort();
    assert!(!scripts.is_empty());
    let failures: Vec<_> = scripts.iter().filter_map(|script| difference(script)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Runs a script; gives the first line that is not as recorded.
fn difference(script: &Path) -> Option<String> {
    // One that does not end is a failure, and no reason to wait for ever.
    let mut command = Command::new("timeout");
    command.args([LIMIT_S, env!("CARGO_BIN_EXE_phasor")]).arg(script).env_remove("FORCE_COLOR");
    command.env("TZ", "UTC").env("LC_ALL", "C.UTF-8");
    let run = command.output().unwrap();
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
