//! `cargo xtask test`: the steps a change must pass, in the order that fails soonest.
//!
//! Every day's steps take a few minutes; `--full` adds those that need a nightly compiler or download programs. It stops at the
//! first step that fails: a later one seldom says more, and the fix is the same. No check is written here; each is a tool's
//! own command or a module of its own.

use std::ffi::OsString;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::{abi, npm, programs, rooms, uv_differential, uv_suite};

/// What one step does.
enum Step {
    /// Runs cargo with these words and these extra environment variables.
    Cargo { words: &'static [&'static str], env: &'static [(&'static str, &'static str)] },
    /// A chore of ours, as it is typed.
    Chore { words: &'static str, run: fn() -> Result<()> },
}

/// The steps, with the names that the summary shows.
const STEPS: &[(&str, Step)] = &[
    ("format", Step::Cargo { words: &["fmt", "--all", "--check"], env: &[] }),
    ("rooms", Step::Chore { words: "rooms", run: rooms::run }),
    (
        "lints",
        Step::Cargo { words: &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], env: &[] },
    ),
    // Doc tests are a step of their own, so that its name says what broke; hence the explicit kinds here.
    (
        "tests",
        Step::Cargo {
            words: &["test", "--workspace", "--lib", "--bins", "--tests", "--examples", "--quiet"],
            env: &[],
        },
    ),
    // Alone the crate has the engine's assertions: what a host leaves behind is an abort.
    ("engine", Step::Cargo { words: &["test", "-p", "phasor-js", "--tests", "--quiet"], env: &[] }),
    // The flag makes another build of everything, so it has a folder of its own: the steps around it keep theirs.
    (
        "schedules",
        Step::Cargo {
            words: &[
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
    ("doc tests", Step::Cargo { words: &["test", "--workspace", "--doc", "--quiet"], env: &[] }),
    (
        "docs",
        Step::Cargo { words: &["doc", "--workspace", "--no-deps", "--quiet"], env: &[("RUSTDOCFLAGS", "-D warnings")] },
    ),
    ("uv differential", Step::Chore { words: "uv-differential", run: uv_differential::run_all }),
    // Real libuv's own results change with the kernel alone, so the last ones on this machine do.
    ("uv suite", Step::Chore { words: "uv-suite --cached", run: uv_suite::run_all }),
];

/// What `--full` adds: what needs something that is not on every machine.
const FULL_STEPS: &[(&str, Step)] = &[
    ("uv memory", Step::Chore { words: "uv-suite --asan", run: uv_suite::run_watchfully }),
    ("abi", Step::Chore { words: "abi", run: abi::run }),
    ("programs", Step::Chore { words: "programs", run: programs::run_all }),
    ("npm", Step::Chore { words: "npm", run: npm::run_all }),
];

/// The words of this chore.
#[derive(Parser)]
pub(crate) struct Words {
    /// Also run libuv's tests with the address sanitizer (which needs a nightly compiler), compare with Debian's uv.h, and run
    /// Debian's node, neovim and uvloop on our libuv.so.1 (apt brings them), and packages of npm on phasor
    #[arg(long)]
    full: bool,
}

/// Runs the steps, prints each one's name and time, and stops at the first that fails.
pub(crate) fn run(words: &Words) -> Result<()> {
    let mut done: Vec<(&str, Duration)> = Vec::new();
    for (name, step) in STEPS.iter().chain(if words.full { FULL_STEPS } else { &[] }) {
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
            Step::Chore { words, .. } => format!("cargo xtask {words}"),
            Step::Cargo { words, env } => {
                let env: String = env.iter().map(|(key, value)| format!("{key}={value:?} ")).collect();
                format!("{env}cargo {}", words.join(" "))
            }
        }
    }

    fn run(&self) -> Result<()> {
        match self {
            Step::Chore { run, .. } => run(),
            Step::Cargo { words, env } => {
                let mut command = cargo();
                command.args(*words).envs(env.iter().copied());
                succeed(&mut command)
            }
        }
    }
}

/// A command for the cargo that started us, at the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(rooms::workspace_root());
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
