//! The conformance scripts on the new engine: each prints what Node 22 printed when it was recorded.
//!
//! A script that does not pass yet is in `waiting.txt`, which may only shrink: a script in it that passes fails the test until its line is
//! removed. How a script is run and judged is in `conformance/runner`.
#![forbid(unsafe_code)]

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use phasor_conformance::{Runtime, Script, Verdict, default_threads, judge, scripts};

/// The scripts that do not pass yet.
const WAITING: &str = include_str!("waiting.txt");

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert_with(default_threads);
    arguments.quiet |= arguments.filter.is_none() && arguments.format.is_none();
    let waiting: HashSet<&str> = WAITING.lines().collect();
    let scripts = match scripts() {
        Ok(scripts) => scripts,
        Err(error) => {
            eprintln!("cannot read the scripts: {error}");
            return ExitCode::FAILURE;
        }
    };
    let runtime = Runtime::new(Path::new(env!("CARGO_BIN_EXE_phasor")));
    let trial = |script: Script| trial(Arc::new(script), &runtime, &waiting);
    libtest_mimic::run(&arguments, scripts.into_iter().map(trial).collect()).exit_code()
}

fn trial(script: Arc<Script>, runtime: &Runtime, waiting: &HashSet<&str>) -> Trial {
    let (runtime, is_waiting) = (runtime.clone(), waiting.contains(script.name.as_str()));
    Trial::test(script.name.clone(), move || match judge(&script, &runtime) {
        Ok(Verdict::Failed(_)) if is_waiting => Ok(()),
        Ok(Verdict::Failed(fault)) => Err(Failed::from(fault)),
        Ok(Verdict::Passed) if is_waiting => Err(Failed::from("it passes: remove it from waiting.txt")),
        Ok(_) => Ok(()),
        Err(error) => Err(Failed::from(format!("cannot run: {error}"))),
    })
}
