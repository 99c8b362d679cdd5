//! `cargo xtask conformance`: builds phasor, runs the scripts on order, prints how many pass and which do not.
//!
//! How a script is run and judged is in `conformance/runner`, which the test of `crates/cli` uses as well.

use anyhow::{Result, bail};
use clap::ValueEnum;
use phasor_conformance::Runtimes;

use crate::runtimes;

/// The arguments of this command.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the scripts with this in their name, and show why they fail.
    #[arg(default_value = "")]
    pattern: String,
    /// Compare with what this runtime prints now, and not with what was recorded.
    #[arg(long)]
    against: Option<Against>,
    /// Try the release build of phasor.
    #[arg(long)]
    release: bool,
}

/// Whom to compare with.
#[derive(Clone, Copy, ValueEnum)]
enum Against {
    /// Node 22: the one on PATH, or one that npm brings into `target/node22`.
    Node,
}

/// Runs the scripts; an error if one fails that is not listed in `conformance/waiting.txt`, or passes though it is.
pub(crate) fn run(args: &Args) -> Result<()> {
    let program = runtimes::phasor(args.release)?;
    let node = args.against.map(|Against::Node| runtimes::node()).transpose()?;
    if let Some(node) = &node {
        println!("against {} {}", node.display(), runtimes::version(node)?);
    }
    let report = phasor_conformance::run(Runtimes { program: &program, against: node.as_deref() }, &args.pattern)?;
    if report.total == 0 {
        bail!("no script has {:?} in its name", args.pattern);
    }
    for (name, fault) in &report.faults {
        match args.pattern.is_empty() {
            true => println!("fails  {name}"),
            false => println!("fails  {name}: {fault}"),
        }
    }
    println!("pass {} of {}", report.passed(), report.total);
    if !report.wrong.is_empty() {
        bail!("not as conformance/waiting.txt has it:\n{}", report.wrong.join("\n"));
    }
    Ok(())
}
