//! `cargo xtask trace-page`: opens the page of a trace in Chromium and checks what it shows and how fast.
//!
//! The pages are made from synthetic recordings by an example of the crate `lens`. The scripts in `trace_page/` drive Chromium over
//! its own protocol, without packages of npm. Screenshots are left in `target/trace-page/`: look at them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::crate_rules::{target_folder, workspace_root};
use crate::runtimes::version;
use crate::test::{cargo, succeed};

/// Which pages are made.
#[derive(Parser)]
pub(crate) struct Args {
    /// How many callbacks the large page has
    #[arg(long, default_value_t = 1_000_000)]
    callbacks: u32,
}

/// The callbacks of the small page: enough for a report, which is made each 400 ms.
const SMALL: u32 = 12_000;

/// The names of Chromium's program.
const CHROMIUM: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// The task with its default arguments.
pub(crate) fn run_all() -> Result<()> {
    run(&Args::parse_from(["trace-page"]))
}

/// Makes the pages and drives them.
pub(crate) fn run(args: &Args) -> Result<()> {
    let chromium = chromium()?;
    let node = node()?;
    let folder = target_folder()?.join("trace-page");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut build = cargo();
    build.args(["build", "--quiet", "--package", "phasor-lens", "--example", "synthetic"]);
    succeed(&mut build)?;
    let synthetic = target_folder()?.join("debug/examples/synthetic");
    let (small, big) = (SMALL.to_string(), args.callbacks.to_string());
    let pages = [
        (small.as_str(), "small.html"),
        (small.as_str(), "small.json"),
        ("odd", "odd.html"),
        ("empty", "empty.html"),
        (big.as_str(), "big.html"),
    ];
    for (content, name) in pages {
        succeed(Command::new(&synthetic).arg(content).arg(folder.join(name)))?;
    }
    let script = workspace_root().join("xtask/src/trace_page/drive.js");
    succeed(Command::new(&node).arg(script).arg(&chromium).arg(&folder))?;
    println!("   screenshots: {}", folder.display());
    Ok(())
}

fn chromium() -> Result<PathBuf> {
    let found = CHROMIUM.iter().find(|name| version(Path::new(name)).is_ok());
    match found {
        Some(name) => Ok(PathBuf::from(name)),
        None => bail!("chromium is missing. Install it (Debian and Ubuntu: apt install chromium)"),
    }
}

/// Node of any version from 18 on.
fn node() -> Result<PathBuf> {
    let node = PathBuf::from("node");
    let major =
        version(&node).ok().and_then(|text| text.trim_start_matches('v').split('.').next()?.parse::<u32>().ok());
    if major.is_none_or(|major| major < 18) {
        bail!("node 18 or later is missing. Install it (Debian and Ubuntu: apt install nodejs)");
    }
    Ok(node)
}
