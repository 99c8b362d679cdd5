//! The compiled JavaScript engine that cargo links, instead of compiling it for a quarter of an hour.
//!
//! `./x env` finds, downloads or compiles it, and prints the variable by which the crate `mozjs_sys` takes it. A task that builds the
//! runtime starts again with that variable, so that all commands that it runs have it.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::crate_rules::workspace_root;

/// The variables of `mozjs_sys` for a compiled engine, and for compiling it.
const VARIABLES: [&str; 2] = ["MOZJS_ARCHIVE", "MOZJS_FROM_SOURCE"];

/// Starts this program again with the compiled engine, unless it has it.
pub(crate) fn ensure() -> Result<()> {
    if VARIABLES.iter().any(|name| env::var_os(name).is_some()) {
        return Ok(());
    }
    let ran = Command::new(workspace_root().join("x")).arg("env").stderr(Stdio::inherit()).output();
    let ran = ran.context("cannot start ./x")?;
    let printed = String::from_utf8_lossy(&ran.stdout);
    let archive = printed.trim().strip_prefix("export MOZJS_ARCHIVE='").and_then(|rest| rest.strip_suffix('\''));
    let Some(archive) = archive.filter(|_| ran.status.success()) else {
        bail!("./x env found no engine: {}", ran.status)
    };
    let error = Command::new(env::current_exe()?).args(env::args_os().skip(1)).env(VARIABLES[0], archive).exec();
    Err(error).context("cannot start xtask again")
}
