//! `cargo xtask test`: the steps a change must pass, in the order that fails soonest.
//!
//! The everyday steps take a few minutes. `--full` adds steps that need a nightly compiler or download programs. The run stops at
//! the first failing step. This file holds no checks: each step is a tool's command or another module of xtask.

use std::ffi::OsString;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::{abi, crate_rules, npm, outside_build, programs, tidy, uv_differential, uv_suite};

/// What a step runs.
enum Step {
    /// `cargo` with these arguments and extra environment variables.
    Cargo { args: &'static [&'static str], env: &'static [(&'static str, &'static str)] },
    /// An xtask task: `args` as typed after `cargo xtask`, and its function.
    Task { args: &'static str, run: fn() -> Result<()> },
}

/// The everyday steps, by the names that the summary shows.
const STEPS: &[(&str, Step)] = &[
    ("format", Step::Cargo { args: &["fmt", "--all", "--check"], env: &[] }),
    ("crate rules", Step::Task { args: "crate-rules", run: crate_rules::run }),
    ("tidy", Step::Task { args: "tidy", run: tidy::run }),
    (
        "lints",
        Step::Cargo { args: &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], env: &[] },
    ),
    // Name the target kinds, to leave doc tests out: they are a separate step.
    (
        "tests",
        Step::Cargo { args: &["test", "--workspace", "--lib", "--bins", "--tests", "--examples", "--quiet"], env: &[] },
    ),
    // Built alone, the crate has the engine's assertions enabled: a leaked JavaScript object aborts.
    ("engine", Step::Cargo { args: &["test", "-p", "phasor-js", "--tests", "--quiet"], env: &[] }),
    // RUSTFLAGS changes invalidate every artifact: use a separate target directory, so that other steps keep theirs.
    (
        "schedules",
        Step::Cargo {
            args: &[
                "test",
                "-p",
                "phasor-core",
                "-p",
                "phasor-js",
                "--lib",
                "--target-dir",
                "target/shuttle",
                "--quiet",
                "--",
                "shuttle",
            ],
            env: &[("RUSTFLAGS", "--cfg shuttle")],
        },
    ),
    ("doc tests", Step::Cargo { args: &["test", "--workspace", "--doc", "--quiet"], env: &[] }),
    (
        "docs",
        Step::Cargo { args: &["doc", "--workspace", "--no-deps", "--quiet"], env: &[("RUSTDOCFLAGS", "-D warnings")] },
    ),
    ("uv differential", Step::Task { args: "uv-differential", run: uv_differential::run_all }),
    // Results of real libuv depend on the kernel only: reuse the last results of this machine.
    ("uv suite", Step::Task { args: "uv-suite --cached", run: uv_suite::run_all }),
];

/// The steps that `--full` adds. They need tools that are not on every machine.
const FULL_STEPS: &[(&str, Step)] = &[
    ("uv memory", Step::Task { args: "uv-suite --asan", run: uv_suite::run_watchfully }),
    ("outside build", Step::Task { args: "outside-build", run: outside_build::run }),
    ("abi", Step::Task { args: "abi", run: abi::run }),
    ("programs", Step::Task { args: "programs", run: programs::run_all }),
    ("npm", Step::Task { args: "npm", run: npm::run_all }),
];

/// The arguments of this command.
#[derive(Parser)]
pub(crate) struct Args {
    /// Also run libuv's tests with the address sanitizer (which needs a nightly compiler), compare with Debian's uv.h, and run
    /// Debian's node, neovim and uvloop on our libuv.so.1 (apt brings them), and packages of npm on phasor
    #[arg(long)]
    full: bool,
}

/// Runs the steps, prints each one's name and time, and stops at the first that fails.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut done: Vec<(&str, Duration)> = Vec::new();
    for (name, step) in STEPS.iter().chain(if args.full { FULL_STEPS } else { &[] }) {
        println!("== {name}: {}", step.describe());
        let began = Instant::now();
        let outcome = step.run();
        let took = began.elapsed();
        if let Err(error) = outcome {
            println!("\n{}", summary(&done));
            println!("  FAILED {name:<10} {:>7.1} s", took.as_secs_f64());
            bail!("step `{name}` failed: {error:#}");
        }
        println!("   {name} passed in {:.1} s", took.as_secs_f64());
        done.push((name, took));
    }
    println!("\n{}\nall {} steps passed", summary(&done), done.len());
    Ok(())
}

impl Step {
    /// The step as a person would type it.
    fn describe(&self) -> String {
        match self {
            Step::Task { args, .. } => format!("cargo xtask {args}"),
            Step::Cargo { args, env } => {
                let env: String = env.iter().map(|(key, value)| format!("{key}={value:?} ")).collect();
                format!("{env}cargo {}", args.join(" "))
            }
        }
    }

    fn run(&self) -> Result<()> {
        match self {
            Step::Task { run, .. } => run(),
            Step::Cargo { args, env } => {
                let mut command = cargo();
                command.args(*args).envs(env.iter().copied());
                succeed(&mut command)
            }
        }
    }
}

/// A command for the cargo that started us, at the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(crate_rules::workspace_root());
    command
}

/// Runs `command` to its end; an exit status other than zero is an error that names the command.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(())
}

fn summary(done: &[(&str, Duration)]) -> String {
    let mut text = String::from("summary:");
    for (name, took) in done {
        text += &format!("\n  passed {name:<10} {:>7.1} s", took.as_secs_f64());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_an_error_that_names_it() {
        let error = succeed(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert!(error.to_string().contains("exit 3"), "{error}");
        succeed(Command::new("sh").args(["-c", "exit 0"])).unwrap();
        assert!(succeed(&mut Command::new("/no/such/program")).is_err());
    }

    #[test]
    fn a_step_describes_itself_as_it_is_typed() {
        let (_, docs) = STEPS.iter().find(|(name, _)| *name == "docs").unwrap();
        assert_eq!(docs.describe(), "RUSTDOCFLAGS=\"-D warnings\" cargo doc --workspace --no-deps --quiet");
    }
}
