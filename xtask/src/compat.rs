//! `cargo xtask compat`: writes `docs/node-compat.md`, a table of what phasor has of Node's modules, globals and flags.
//!
//! Both runtimes run `compat/inventory.js`, and `compat/report.js` compares what they print. This file only runs them.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::crate_rules::{target_folder, workspace_root};
use crate::runtimes;

/// The page.
const PAGE: &str = "docs/node-compat.md";

/// The arguments of this command.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if the page is not what would be written
    #[arg(long)]
    check: bool,
}

/// The check alone, as `cargo xtask test` runs it.
pub(crate) fn check() -> Result<()> {
    run(&Args { check: true })
}

/// Compares the two runtimes and writes the page.
pub(crate) fn run(args: &Args) -> Result<()> {
    let (node, phasor) = (runtimes::node()?, runtimes::phasor(false)?);
    let scripts = workspace_root().join("xtask/src/compat");
    let folder = target_folder()?.join("compat");
    fs::create_dir_all(&folder).context("cannot create target/compat")?;
    let mut files = Vec::new();
    for (flag, kind) in [(None, "inventory"), (Some("--help"), "help")] {
        for (runtime, name) in [(&node, "node"), (&phasor, "phasor")] {
            let file = folder.join(format!("{name}.{kind}"));
            let mut command = Command::new(runtime);
            match flag {
                Some(flag) => command.arg(flag),
                None => command.arg(scripts.join("inventory.js")),
            };
            fs::write(&file, output(&mut command)?).with_context(|| format!("cannot write {}", file.display()))?;
            files.push(file);
        }
    }
    let page = output(Command::new(&phasor).arg(scripts.join("report.js")).args(&files))?;
    let path = workspace_root().join(PAGE);
    if args.check {
        return compare(&path, &page);
    }
    fs::write(&path, page).with_context(|| format!("cannot write {PAGE}"))?;
    println!("   wrote {PAGE}");
    Ok(())
}

fn compare(path: &Path, page: &str) -> Result<()> {
    let written = fs::read_to_string(path).unwrap_or_default();
    if written != page {
        bail!(
            "{PAGE} is out of date; run `cargo xtask compat`\n{}",
            phasor_conformance::difference("written", &written, page)
        );
    }
    println!("   {PAGE} is up to date");
    Ok(())
}

/// The standard output of a command, in an environment that changes neither flags nor text.
fn output(command: &mut Command) -> Result<String> {
    for name in ["NODE_OPTIONS", "FORCE_COLOR"] {
        command.env_remove(name);
    }
    let ran = command.env("LC_ALL", "C.UTF-8").env("TZ", "UTC").output();
    let ran = ran.with_context(|| format!("cannot start {command:?}"))?;
    if !ran.status.success() {
        bail!("{command:?} ended with {}: {}", ran.status, String::from_utf8_lossy(&ran.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}
