//! `cargo xtask conformance`: builds phasor, runs the conformance scripts, and prints how many pass and which fail.
//!
//! How a script is run and judged is in `conformance/runner`, which the tests of `crates/cli` use as well.

use std::sync::Mutex;

use anyhow::{Result, bail};
use clap::ValueEnum;
use phasor_conformance::{Runtime, Verdict, default_threads, judge_all};

use crate::runtimes;

/// The arguments of this command.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the scripts that have one of these texts in `FOLDER/FILE`
    #[arg(value_name = "TEXT")]
    patterns: Vec<String>,
    /// Compare with the output of this runtime instead of the recorded output
    #[arg(long)]
    against: Option<Reference>,
    /// Use the release build of phasor
    #[arg(long)]
    release: bool,
}

/// A runtime to compare with.
#[derive(Clone, Copy, ValueEnum)]
enum Reference {
    /// Node 22: the one on PATH, or one that npm installs into `target/node22`
    Node,
}

/// Runs the scripts; an error if one fails.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut scripts = phasor_conformance::scripts()?;
    scripts.retain(|script| args.patterns.is_empty() || args.patterns.iter().any(|text| script.name.contains(text)));
    if scripts.is_empty() {
        bail!("no script has one of {:?} in its name", args.patterns);
    }
    let program = runtimes::phasor(args.release)?;
    let reference = args.against.map(|Reference::Node| runtimes::node()).transpose()?;
    if let Some(node) = &reference {
        println!("against {} {}", node.display(), runtimes::version(node)?);
    }
    let runtime = Runtime { program, reference };
    let (flaky, failed) = (Mutex::new(0), Mutex::new(0));
    judge_all(&scripts, &runtime, default_threads(), |script, verdict| match verdict {
        Verdict::Passed => {}
        Verdict::Flaky(fault) => {
            println!("flaky  {}: {fault}", script.name);
            *flaky.lock().expect("no thread panicked") += 1;
        }
        Verdict::Failed(fault) => {
            println!("FAILED {}: {fault}", script.name);
            *failed.lock().expect("no thread panicked") += 1;
        }
    })?;
    let (flaky, failed) = (flaky.into_inner()?, failed.into_inner()?);
    println!("{} of {} scripts pass, {flaky} of them at a second run", scripts.len() - failed, scripts.len());
    if failed > 0 {
        bail!("{failed} scripts fail");
    }
    Ok(())
}
