//! `cargo xtask npm`: runs programs that use npm packages on phasor, and compares their output with that of Node 22.
//!
//! The programs, the recorded output and the lock file are in `conformance/npm`. The packages are installed into `target/npm`, once per
//! lock file and without running their scripts; the programs are copied beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;
use phasor_conformance::{Ended, Fate, difference};

use crate::crate_rules::{target_folder, workspace_root};
use crate::runtimes;
use crate::test::note_flaky;

/// Time limit for one program.
const LIMIT: Duration = Duration::from_secs(120);

/// How long a program that was ended may take for that, and its children for their output.
const GRACE: Duration = Duration::from_secs(5);

/// How many lines of a difference are printed.
const SHOWN_LINES: usize = 12;

/// The arguments of this command.
#[derive(Parser)]
pub(crate) struct Args {
    /// Run them on Node 22 instead, and record what they print
    #[arg(long)]
    record: bool,
    /// Only the programs with one of these in their name
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Runs every program: the step of `cargo xtask test`.
pub(crate) fn run_all() -> Result<()> {
    run(&Args { record: false, names: Vec::new() })
}

/// Runs the programs. The error names those whose output differs from the recorded one.
pub(crate) fn run(args: &Args) -> Result<()> {
    let programs = programs(&args.names)?;
    let folder = installed(&scripts(), "npm")?;
    copy(&scripts(), &folder)?;
    let runtime = if args.record { runtimes::node()? } else { runtimes::phasor(false)? };
    let mut faults = Vec::new();
    for program in &programs {
        let began = Instant::now();
        let fault = if args.record {
            record(&runtime, &folder, program)?
        } else {
            let first = compare(&runtime, &folder, program)?;
            if let Some(first) = &first {
                println!("   {program} differs, running it again:\n{first}");
            }
            let second = first.as_ref().map(|_| compare(&runtime, &folder, program)).transpose()?.flatten();
            if first.is_some() && second.is_none() {
                note_flaky(format!("npm/{program}"));
            }
            second
        };
        let word = match (&fault, args.record) {
            (Some(_), _) => "FAILED",
            (None, true) => "wrote",
            (None, false) => "same",
        };
        println!("   {word:<6} {program} {:.1} s", began.elapsed().as_secs_f64());
        if let Some(fault) = fault {
            println!("{fault}");
            faults.push(program.as_str());
        }
    }
    if !faults.is_empty() {
        bail!("{} of {} programs: {}", faults.len(), programs.len(), faults.join(" "));
    }
    let result = if args.record { "programs are recorded" } else { "programs print what Node 22 prints" };
    println!("   {} {result}", programs.len());
    Ok(())
}

/// The file names of the programs: all scripts directly in the folder. Scripts in subfolders are modules of these.
fn programs(names: &[String]) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(scripts()).context("cannot list conformance/npm")? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "js" || ending == "mjs") {
            all.extend(path.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    all.sort();
    if let Some(name) = names.iter().find(|name| !all.iter().any(|program| program.contains(*name))) {
        bail!("no program has {name:?} in its name; there are {}", all.join(" "));
    }
    all.retain(|program| names.is_empty() || names.iter().any(|name| program.contains(name)));
    Ok(all)
}

fn scripts() -> PathBuf {
    workspace_root().join("conformance/npm")
}

/// `target/NAME`, where the packages of a lock file in `from` are installed: now, if the lock file has changed.
pub(crate) fn installed(from: &Path, name: &str) -> Result<PathBuf> {
    let target = target_folder()?;
    let (finished, unfinished) = (target.join(name), target.join(format!("{name}.part")));
    let wanted = fs::read(from.join("package-lock.json")).context("cannot read the lock file")?;
    if fs::read(finished.join("package-lock.json")).is_ok_and(|lock| lock == wanted) {
        return Ok(finished);
    }
    for folder in [&unfinished, &finished] {
        let _ = fs::remove_dir_all(folder);
    }
    fs::create_dir_all(&unfinished).with_context(|| format!("cannot make {}", unfinished.display()))?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(from.join(file), unfinished.join(file)).with_context(|| format!("cannot copy {file}"))?;
    }
    println!("   npm ci");
    let mut npm = runtimes::npm()?;
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&unfinished);
    let ran = npm.output().context("cannot start npm")?;
    if !ran.status.success() {
        bail!("npm ci ended with {}: {}", ran.status, String::from_utf8_lossy(&ran.stderr).trim());
    }
    fs::rename(&unfinished, &finished).with_context(|| format!("cannot name {}", finished.display()))?;
    Ok(finished)
}

/// Copies a folder recursively, replacing existing files.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), &place).with_context(|| format!("cannot copy {}", entry.path().display()))?;
        }
    }
    Ok(())
}

/// Runs a program in the folder with the packages.
fn output(runtime: &Path, folder: &Path, program: &str) -> Result<Ended> {
    // A program that does not end has to fail. `timeout` ends it also if this process has been killed.
    let mut command = Command::new("timeout");
    command.arg(LIMIT.as_secs().to_string()).arg(runtime).arg(program).current_dir(folder).stdin(Stdio::null());
    for name in ["FORCE_COLOR", "NO_COLOR", "NODE_OPTIONS", "NODE_ENV", "DEBUG"] {
        command.env_remove(name);
    }
    command.env("TZ", "UTC").env("LC_ALL", "C.UTF-8").stdout(Stdio::piped()).stderr(Stdio::piped());
    phasor_conformance::run(&mut command, LIMIT + GRACE).with_context(|| format!("cannot run {program}"))
}

fn has_succeeded(ran: &Ended) -> bool {
    matches!(ran.fate, Fate::Ended(status) if status.success())
}

fn shown(fate: Fate) -> String {
    match fate {
        Fate::Ended(status) => status.to_string(),
        Fate::Late => "did not end".to_owned(),
        Fate::OutputHeld => "a child process held its output open".to_owned(),
    }
}

/// Runs a program and returns how its output differs from the recorded one.
fn compare(runtime: &Path, folder: &Path, program: &str) -> Result<Option<String>> {
    let recorded = scripts().join(program).with_extension("out");
    let recorded = fs::read_to_string(&recorded)
        .with_context(|| format!("{program} is not recorded: cargo xtask npm --record"))?;
    let ran = output(runtime, folder, program)?;
    let printed = String::from_utf8_lossy(&ran.stdout);
    let difference = (recorded != printed).then(|| difference("recorded", &recorded, &printed));
    if has_succeeded(&ran) && difference.is_none() {
        return Ok(None);
    }
    let errors = String::from_utf8_lossy(&ran.stderr);
    let errors: Vec<_> = errors.lines().take(SHOWN_LINES).collect();
    Ok(Some(format!("   {}\n{}{}", shown(ran.fate), difference.unwrap_or_default(), errors.join("\n"))))
}

/// Records the output of a program. Returns what is wrong if it fails, or if two runs differ.
fn record(runtime: &Path, folder: &Path, program: &str) -> Result<Option<String>> {
    let ran = output(runtime, folder, program)?;
    if !has_succeeded(&ran) {
        return Ok(Some(format!("   {}\n{}", shown(ran.fate), String::from_utf8_lossy(&ran.stderr))));
    }
    let again = output(runtime, folder, program)?;
    let [first, second] = [&ran, &again].map(|run| String::from_utf8_lossy(&run.stdout).into_owned());
    if first != second {
        return Ok(Some(format!("   two runs print different output\n{}", difference("first", &first, &second))));
    }
    let place = scripts().join(program).with_extension("out");
    fs::write(&place, &ran.stdout).with_context(|| format!("cannot write {}", place.display()))?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_recorded_and_the_lock_file_names_no_host() {
        let programs = programs(&[]).unwrap();
        assert!(!programs.is_empty());
        for program in &programs {
            assert!(scripts().join(program).with_extension("out").exists(), "{program} is not recorded");
        }
        assert!(super::programs(&["no such program".to_owned()]).is_err());
        let lock = fs::read_to_string(scripts().join("package-lock.json")).unwrap();
        assert!(!lock.contains("\"resolved\""), "a lock file without `resolved` installs from the configured registry");
    }
}
