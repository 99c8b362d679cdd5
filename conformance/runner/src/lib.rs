//! The rules of order as data: runs the scripts of `conformance/order` on a runtime and says which do not do what Node 22
//! did when they were recorded, or what a Node at hand does now.
//!
//! `NAME.out` is the exact output, `NAME.any` lists the legal ones, `NAME.code` has the exit code and what standard error
//! must hold. `conformance/waiting.txt` lists the scripts that do not pass yet, each with its reason; one that passes must
//! be taken out of the list, so the list can only shrink. The test of `crates/cli` and `cargo xtask conformance` both ask
//! here; how a runtime is built or found is theirs and must not live here.
#![forbid(unsafe_code)]

mod script;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub use script::{Ran, Script};

/// How many scripts run at a time: their tolerance for a busy machine has an end.
const AT_A_TIME: usize = 3;

/// How often a script that fails is tried again.
const MORE_CHANCES: usize = 3;

/// The runtimes of one run.
#[derive(Clone, Copy, Debug)]
pub struct Runtimes<'a> {
    /// The program on trial.
    pub program: &'a Path,
    /// A real Node whose word counts in place of what was recorded.
    pub against: Option<&'a Path>,
}

/// What a run of scripts came to.
#[derive(Debug)]
pub struct Report {
    /// How many scripts ran.
    pub total: usize,
    /// Why a script failed, by its name.
    pub faults: BTreeMap<String, String>,
    /// What must be mended, a sentence each: faults that are not waited for, and lines of `waiting.txt` that are stale.
    pub wrong: Vec<String>,
}

impl Report {
    /// How many scripts do what they should.
    pub fn passed(&self) -> usize {
        self.total - self.faults.len()
    }
}

/// The folder with the recorded scripts.
pub fn folder() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Runs the scripts that have `pattern` in their name.
///
/// # Errors
///
/// When the scripts cannot be read, or a runtime cannot be started.
pub fn run(runtimes: Runtimes<'_>, pattern: &str) -> io::Result<Report> {
    let (scripts, waiting) = scripts(pattern)?;
    let scratch = scratch();
    let outcome = faults(&scripts, runtimes, &waiting, &scratch);
    let _ = fs::remove_dir_all(&scratch);
    let faults = outcome?;
    let mut wrong = Vec::new();
    for Script { name, .. } in &scripts {
        match (faults.get(name), waiting.get(name)) {
            (Some(fault), None) => wrong.push(format!("{name}: {fault}")),
            (None, Some(_)) => wrong.push(format!("{name}: passes, take it out of waiting.txt")),
            _ => {}
        }
    }
    let unknown = |name: &&String| pattern.is_empty() && !scripts.iter().any(|script| script.name == **name);
    wrong.extend(waiting.keys().filter(unknown).map(|name| format!("{name}: there is no such script")));
    Ok(Report { total: scripts.len(), faults, wrong })
}

/// What a run of the scripts with several legal outputs came to.
#[derive(Debug)]
pub struct Legal {
    /// How many scripts ran.
    pub scripts: usize,
    /// The runs that did something else, a sentence each.
    pub wrong: Vec<String>,
}

/// Runs every script with several legal outputs, and that is not waited for, so many times on `program`: whatever the
/// clock and the threads decide, only a legal output may come.
///
/// # Errors
///
/// When the scripts cannot be read, or the program cannot be started.
pub fn run_many_times(program: &Path, times: usize) -> io::Result<Legal> {
    let (mut scripts, waiting) = scripts("")?;
    scripts.retain(|script| script.has_choice() && !waiting.contains_key(&script.name));
    let scratch = scratch();
    let runs = (0..times).flat_map(|time| scripts.iter().map(move |script| (script, time)));
    let runtimes = Runtimes { program, against: None };
    let outcome = runs
        .filter_map(|(script, time)| {
            let fault = script.fault(runtimes, &scratch.join(time.to_string())).transpose()?;
            Some(fault.map(|fault| format!("{}, run {time}: {fault}", script.name)))
        })
        .collect::<io::Result<Vec<_>>>();
    let _ = fs::remove_dir_all(&scratch);
    Ok(Legal { scripts: scripts.len(), wrong: outcome? })
}

/// The scripts that have `pattern` in their name, and the list of those that do not pass yet.
fn scripts(pattern: &str) -> io::Result<(Vec<Script>, BTreeMap<String, String>)> {
    let mut scripts = Vec::new();
    for entry in fs::read_dir(folder().join("order"))? {
        scripts.extend(Script::read(&entry?.path().canonicalize()?)?);
    }
    scripts.retain(|script| script.name.contains(pattern));
    scripts.sort_by(|one, other| one.name.cmp(&other.name));
    Ok((scripts, waiting(&fs::read_to_string(folder().join("waiting.txt"))?)))
}

/// A folder for one run. It is not made yet.
fn scratch() -> PathBuf {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("phasor-conformance-{}-{run}", std::process::id()))
}

/// Runs every script, a few at a time; gives the faults by name.
fn faults(
    scripts: &[Script],
    runtimes: Runtimes<'_>,
    waiting: &BTreeMap<String, String>,
    scratch: &Path,
) -> io::Result<BTreeMap<String, String>> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(script) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(fault) = script.fault(runtimes, &scratch.join("0")).transpose() {
                        let line = fault.map(|fault| (script.name.clone(), fault));
                        found.lock().unwrap_or_else(PoisonError::into_inner).push(line);
                    }
                }
            });
        }
    });
    let found: io::Result<BTreeMap<_, _>> =
        found.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
    let mut found = found?;
    // A busy machine may upset a script that measures: it gets other chances, when no script runs beside it.
    for script in scripts.iter().filter(|script| !waiting.contains_key(&script.name)) {
        for chance in 1..=MORE_CHANCES {
            if found.contains_key(&script.name) && script.fault(runtimes, &scratch.join(chance.to_string()))?.is_none()
            {
                found.remove(&script.name);
            }
        }
    }
    Ok(found)
}

/// The scripts that do not pass yet, with their reasons. A line without a reason is a script of that whole name, which
/// does not exist, and so is found.
fn waiting(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(": ").unwrap_or((line, ""))).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_waits_has_a_name_and_a_reason() {
        let list = waiting("# words\n\n1.js: needs: much\n2.js\n");
        assert_eq!(list.len(), 2);
        assert_eq!(list["1.js"], "needs: much");
        assert_eq!(list["2.js"], "");
    }

    #[test]
    fn a_run_that_prints_nothing_is_not_legal() {
        let legal = run_many_times(Path::new("true"), 2).unwrap();
        assert!(legal.scripts > 0);
        assert_eq!(legal.wrong.len(), 2 * legal.scripts);
    }

    #[test]
    fn a_program_that_prints_nothing_fails_and_one_that_is_missing_is_an_error() {
        let pattern = "001-seed-cjs";
        let report = run(Runtimes { program: Path::new("true"), against: None }, pattern).unwrap();
        assert_eq!((report.total, report.passed(), report.wrong.len()), (1, 0, 1));
        let same = Runtimes { program: Path::new("true"), against: Some(Path::new("true")) };
        assert_eq!(run(same, pattern).unwrap().passed(), 1);
        let other = Runtimes { program: Path::new("true"), against: Some(Path::new("false")) };
        assert_eq!(run(other, pattern).unwrap().passed(), 0);
        let missing = Runtimes { program: Path::new("/no/such/program"), against: None };
        assert!(run(missing, pattern).is_err());
    }
}
