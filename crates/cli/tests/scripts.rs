//! The conformance scripts: each prints what Node 22 printed when it was recorded.
//!
//! Each script is a test of its own with its name (`http/upgrade.js`). Filters work as for any test: `cargo test -p phasor-cli --test scripts -- http/`. How a script is run and judged is in
//! `conformance/runner`. A script that passes only when it is run again counts as flaky: it does not fail the run, and is listed
//! at its end and in `target/tmp/flaky-scripts.txt`.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};
use phasor_conformance::{Runtime, Script, Verdict, default_threads, judge, scripts};

/// Where `cargo xtask test` reads the names of flaky scripts.
const FLAKY_FILE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/flaky-scripts.txt");

/// The scripts that failed first and passed later, each with its first fault.
static FLAKY: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert_with(default_threads);
    // Cargo passes its `--quiet` only to harnesses of the standard library. A line for each of all scripts is too much.
    arguments.quiet |= arguments.filter.is_none() && arguments.format.is_none();
    let scripts = match scripts() {
        Ok(scripts) => scripts,
        Err(error) => {
            eprintln!("cannot read the scripts: {error}");
            return ExitCode::FAILURE;
        }
    };
    let runtime = Runtime::new(Path::new(env!("CARGO_BIN_EXE_phasor")));
    let trials = scripts.into_iter().map(|script| trial(script, &runtime)).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        report_flaky();
    }
    conclusion.exit_code()
}

fn trial(script: Script, runtime: &Runtime) -> Trial {
    let (name, runtime) = (script.name.clone(), runtime.clone());
    Trial::test(name.clone(), move || match judge(&script, &runtime) {
        Ok(Verdict::Passed) => Ok(()),
        Ok(Verdict::Flaky(fault)) => {
            FLAKY.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{name}: {fault}"));
            Ok(())
        }
        Ok(Verdict::Failed(fault)) => Err(Failed::from(fault)),
        Err(error) => Err(Failed::from(format!("cannot run: {error}"))),
    })
}

fn report_flaky() {
    let flaky = FLAKY.lock().unwrap_or_else(PoisonError::into_inner);
    for script in flaky.iter() {
        println!("flaky, passed when run again: {script}");
    }
    let names: String =
        flaky.iter().map(|script| format!("{}\n", script.split(": ").next().unwrap_or(script))).collect();
    if let Err(error) = std::fs::write(FLAKY_FILE, names) {
        println!("cannot write {FLAKY_FILE}: {error}");
    }
}
