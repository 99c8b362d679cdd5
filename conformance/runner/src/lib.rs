//! Conformance scripts: the programs in `conformance/` and the output that Node 22 printed for each.
//!
//! This crate lists the scripts, runs one on a runtime and compares its output with the recorded one, or with that of an installed
//! Node. The tests of `crates/cli` and `cargo xtask conformance` use it; they build the runtime and print the results.
#![forbid(unsafe_code)]

mod processes;
mod script;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

pub use processes::{Ended, Fate, run};
pub use script::{Script, Suite, difference};

/// How often a script that failed is run again, with no other script beside it.
const RETRIES: usize = 3;

/// How often a script with several legal outputs is run.
const RUNS_OF_A_CHOICE: usize = 20;

/// A first run takes this lock shared, a retry takes it alone, so that a retry has the machine to itself.
static MACHINE: RwLock<()> = RwLock::new(());

/// The runtime under test, and what its output is compared with.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// The program.
    pub program: PathBuf,
    /// A Node whose output counts instead of the recorded one.
    pub reference: Option<PathBuf>,
}

impl Runtime {
    /// `program`, compared with the recorded output.
    pub fn new(program: &Path) -> Runtime {
        Runtime { program: program.to_owned(), reference: None }
    }
}

/// The result of a script. A fault is a text of several lines that says how it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Output, exit code and standard error are as expected.
    Passed,
    /// It failed with this fault, and passed when it was run again.
    Flaky(String),
    /// It failed with this fault in all runs.
    Failed(String),
}

/// The folder `conformance/`.
pub fn folder() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// All scripts with a recorded output, sorted by name. Scripts that need packages (`conformance/npm`) are not among them.
///
/// # Errors
///
/// When a folder or a script cannot be read.
pub fn scripts() -> io::Result<Vec<Script>> {
    let mut scripts = Vec::new();
    for entry in std::fs::read_dir(folder())? {
        let path = entry?.path().canonicalize()?;
        let suite = match path.file_name().and_then(|name| name.to_str()) {
            Some("order") => Suite::Order,
            Some("npm" | "runner" | "programs") | None => continue,
            Some(_) => Suite::Modules,
        };
        if path.is_dir() {
            for entry in std::fs::read_dir(path)? {
                scripts.extend(Script::read(&entry?.path(), suite)?);
            }
        }
    }
    scripts.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(scripts)
}

/// Runs a script, and runs it again with no other script beside it if it fails: a script that measures time may fail on a busy machine.
/// A script with several legal outputs is run several times instead, and must pass each time.
///
/// # Errors
///
/// When the runtime cannot be started.
pub fn judge(script: &Script, runtime: &Runtime) -> io::Result<Verdict> {
    let runs = if script.has_choice() && runtime.reference.is_none() { RUNS_OF_A_CHOICE } else { 1 };
    for _ in 0..runs {
        let first = {
            let _shared = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
            script.fault(runtime)?
        };
        let Some(fault) = first else { continue };
        // An output that is not legal is a fault, however seldom it comes.
        if script.has_choice() {
            return Ok(Verdict::Failed(fault));
        }
        let _alone = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..RETRIES {
            if script.fault(runtime)?.is_none() {
                return Ok(Verdict::Flaky(fault));
            }
        }
        return Ok(Verdict::Failed(fault));
    }
    Ok(Verdict::Passed)
}

/// Judges the scripts on several threads and calls `report` with each verdict, in the order in which they come.
///
/// # Errors
///
/// When a runtime cannot be started.
pub fn judge_all(
    scripts: &[Script],
    runtime: &Runtime,
    threads: usize,
    report: impl Fn(&Script, Verdict) + Sync,
) -> io::Result<()> {
    let (next, error) = (AtomicUsize::new(0), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(script) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match judge(script, runtime) {
                        Ok(verdict) => report(script, verdict),
                        Err(failed) => {
                            *error.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed);
                            next.store(scripts.len(), Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// How many scripts to run at a time: one more than there are processors, because most scripts wait at times.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(2, |processors| processors.get() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(name: &str) -> Script {
        scripts().unwrap().into_iter().find(|script| script.name.starts_with(name)).unwrap()
    }

    #[test]
    fn both_suites_are_listed_and_packages_are_not() {
        let scripts = scripts().unwrap();
        for folder in ["order/", "fs/", "http/"] {
            assert!(scripts.iter().any(|script| script.name.starts_with(folder)), "{folder}");
        }
        assert!(!scripts.iter().any(|script| script.name.starts_with("npm/")));
    }

    /// A script without a recorded output would not run, and a record without a script would check nothing.
    #[test]
    fn every_script_has_a_record_and_every_record_has_a_script() {
        let folders = scripts().unwrap().into_iter().map(|script| script.name.split_once('/').unwrap().0.to_owned());
        let folders: std::collections::BTreeSet<_> = folders.collect();
        let has = |path: &Path, endings: &[&str]| endings.iter().any(|ending| path.with_extension(ending).exists());
        let mut lonely = Vec::new();
        for entry in folders.iter().flat_map(|name| std::fs::read_dir(folder().join(name)).unwrap()) {
            let path = entry.unwrap().path();
            let is_whole = match path.extension().and_then(|ending| ending.to_str()) {
                Some("js" | "mjs" | "ts") => has(&path, &["out", "any"]),
                Some("out" | "any" | "code") => has(&path, &["js", "mjs", "ts"]),
                _ => true,
            };
            if !is_whole {
                lonely.push(path);
            }
        }
        assert!(lonely.is_empty(), "{lonely:#?}");
    }

    #[test]
    fn a_program_that_prints_nothing_fails() {
        let silent = Runtime::new(Path::new("true"));
        for name in ["order/001-", "order/004-", "path/"] {
            assert!(matches!(judge(&only(name), &silent).unwrap(), Verdict::Failed(_)), "{name}");
        }
        let found = Mutex::new(0);
        let order: Vec<_> =
            scripts().unwrap().into_iter().filter(|script| script.name.starts_with("order/00")).collect();
        judge_all(&order, &silent, 2, |_, verdict| {
            assert!(matches!(verdict, Verdict::Failed(_)));
            *found.lock().unwrap() += 1;
        })
        .unwrap();
        assert_eq!(found.into_inner().unwrap(), order.len());
    }

    #[test]
    fn a_reference_counts_instead_of_the_record() {
        let compared = |reference: &str| {
            let reference = Some(PathBuf::from(reference));
            judge(&only("order/001-"), &Runtime { reference, ..Runtime::new(Path::new("true")) }).unwrap()
        };
        assert_eq!(compared("true"), Verdict::Passed);
        assert!(matches!(compared("false"), Verdict::Failed(_)));
    }

    #[test]
    fn a_script_that_passes_at_the_second_run_is_flaky() {
        let script = only("order/001-");
        let folder = std::env::temp_dir().join(format!("phasor-flaky-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (program, mark) = (folder.join("runtime"), folder.join("ran"));
        let legal = folder.join("legal");
        std::fs::write(&legal, script.legal_output()).unwrap();
        let text = format!("#!/bin/sh\n[ -e {0} ] && exec cat {1}\ntouch {0}\n", mark.display(), legal.display());
        std::fs::write(&program, text).unwrap();
        std::process::Command::new("chmod").arg("+x").arg(&program).status().unwrap();
        let verdict = judge(&script, &Runtime::new(&program)).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        assert!(matches!(verdict, Verdict::Flaky(_)), "{verdict:?}");
    }

    #[test]
    fn a_program_that_is_missing_is_an_error() {
        let missing = Runtime::new(Path::new("/no/such/program"));
        assert!(judge(&only("order/001-"), &missing).is_err());
        assert!(judge_all(&[only("order/001-")], &missing, 2, |_, _| ()).is_err());
    }
}
