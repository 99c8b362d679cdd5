//! `cargo xtask test`: the steps a change must pass, in the order that fails soonest.
//!
//! The everyday steps take a few minutes. `--full` adds steps that need a nightly compiler or download programs. `--changed` checks
//! only what the changed files can break. The run stops at the first failing step. This file holds no checks: each step is a
//! tool's command or another module of xtask.

mod changed;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::crate_rules::target_folder;
use crate::{abi, compat, crate_rules, npm, outside_build, programs, tidy, trace_page, uv_differential, uv_suite};

/// One thing to check.
struct Step {
    /// The name for `--only`, `--from` and the summary.
    name: String,
    action: Action,
}

/// The action of a step.
enum Action {
    /// `cargo` with these arguments and extra environment variables.
    Cargo {
        /// Arguments of a command that builds what `args` needs, with cargo's progress. Empty: `args` shows progress itself.
        build: Vec<String>,
        args: Vec<String>,
        env: &'static [(&'static str, &'static str)],
    },
    /// An xtask task: `args` as typed after `cargo xtask`, and its function.
    Task { args: &'static str, run: fn() -> Result<()> },
}

/// The steps of every change.
fn everyday_steps() -> Vec<Step> {
    // The target kinds are named to leave doc tests out: they are a separate step.
    let targets = "--lib --bins --tests --examples";
    vec![
        cargo_step("format", "", "fmt --all --check"),
        task_step("crate-rules", "crate-rules", crate_rules::run),
        task_step("tidy", "tidy", tidy::run),
        cargo_step("lints", "", "clippy --workspace --all-targets -- -D warnings"),
        cargo_step(
            "tests",
            &format!("build --workspace {targets}"),
            &format!("test --workspace {targets} --quiet --no-fail-fast"),
        ),
        // RUSTFLAGS changes invalidate every artifact: use a separate target directory, so that other steps keep theirs.
        with_env(
            cargo_step(
                "schedules",
                "build -p phasor-core -p phasor-js --lib --tests --target-dir target/shuttle",
                "test -p phasor-core -p phasor-js --lib --target-dir target/shuttle --quiet -- shuttle",
            ),
            &[("RUSTFLAGS", "--cfg shuttle")],
        ),
        cargo_step("doc-tests", "", "test --workspace --doc --quiet"),
        with_env(cargo_step("docs", "", "doc --workspace --no-deps"), &[("RUSTDOCFLAGS", "-D warnings")]),
        task_step("uv-differential", "uv-differential", uv_differential::run_all),
        // Results of real libuv depend on the kernel only: reuse the last results of this machine.
        task_step("uv-suite", "uv-suite --cached", uv_suite::run_all),
    ]
}

/// The steps that `--full` adds. They need tools that are not on every machine.
fn full_steps() -> Vec<Step> {
    vec![
        task_step("uv-memory", "uv-suite --asan", uv_suite::run_all_with_asan),
        task_step("outside-build", "outside-build", outside_build::run),
        task_step("abi", "abi", abi::run),
        task_step("trace-page", "trace-page", trace_page::run_all),
        task_step("programs", "programs", programs::run_all),
        task_step("npm", "npm", npm::run_all),
        task_step("compat", "compat --check", compat::check),
    ]
}

fn cargo_step(name: &str, build: &str, args: &str) -> Step {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    Step { name: name.to_owned(), action: Action::Cargo { build: words(build), args: words(args), env: &[] } }
}

fn task_step(name: &str, args: &'static str, run: fn() -> Result<()>) -> Step {
    Step { name: name.to_owned(), action: Action::Task { args, run } }
}

fn with_env(mut step: Step, variables: &'static [(&'static str, &'static str)]) -> Step {
    if let Action::Cargo { env, .. } = &mut step.action {
        *env = variables;
    }
    step
}

/// The arguments of this command.
#[derive(Parser)]
pub(crate) struct Args {
    /// Add the slow steps: libuv's tests with the address sanitizer (which needs a nightly compiler), a comparison with Debian's
    /// uv.h, a build outside of the workspace, Debian's node, neovim and uvloop on our libuv.so.1 (apt installs them), npm packages, and docs/node-compat.md
    #[arg(long)]
    full: bool,
    /// Run only this step; may be given several times. `--list` prints the names
    #[arg(long, value_name = "STEP", conflicts_with = "from")]
    only: Vec<String>,
    /// Run this step and those after it
    #[arg(long, value_name = "STEP")]
    from: Option<String>,
    /// Check what the files can break that differ from this revision; without one, the files that are not committed, or else those of
    /// the last commit
    #[arg(long, value_name = "REVISION", num_args = 0..=1, require_equals = true, conflicts_with_all = ["only", "from", "full"])]
    changed: Option<Option<String>>,
    /// Print the steps and run none
    #[arg(long)]
    list: bool,
}

/// Runs the steps, prints each one's name and time, and stops at the first that fails.
pub(crate) fn run(args: &Args) -> Result<()> {
    let steps = match &args.changed {
        Some(revision) => changed::steps(revision.as_deref())?,
        None => chosen(args)?,
    };
    if args.list {
        steps.iter().for_each(|step| println!("{:<16} {}", step.name, step.describe()));
        return Ok(());
    }
    let style = Style::of_terminal();
    let (mut done, mut failure): (Vec<(&str, Duration)>, _) = (Vec::new(), None);
    for (step, number) in steps.iter().zip(1..) {
        let title = format!("[{number}/{}] {}", steps.len(), step.name);
        println!("{}: {}", style.bold(&title), step.describe());
        let began = Instant::now();
        let outcome = step.run();
        let took = began.elapsed();
        if let Err(error) = outcome {
            failure = Some((step, took, error));
            break;
        }
        done.push((&step.name, took));
    }
    println!("\nsummary:");
    for (name, took) in &done {
        println!("  {} {name:<16} {:>7.1} s", style.green("passed"), took.as_secs_f64());
    }
    let flaky = FLAKY.lock().unwrap_or_else(PoisonError::into_inner);
    if !flaky.is_empty() {
        println!("  {} passed only when run again:", style.yellow(&format!("{} flaky:", flaky.len())));
        flaky.iter().for_each(|name| println!("    {name}"));
    }
    if let Some((step, took, error)) = failure {
        println!("  {} {:<16} {:>7.1} s", style.red("FAILED"), step.name, took.as_secs_f64());
        bail!("step `{0}` failed: {error:#}\nrun it alone: ./x test --only {0}", step.name);
    }
    println!("{}", style.bold(&format!("all {} steps passed", done.len())));
    Ok(())
}

/// The steps that `--full`, `--only` and `--from` ask for.
fn chosen(args: &Args) -> Result<Vec<Step>> {
    let mut steps = everyday_steps();
    let everyday = steps.len();
    steps.extend(full_steps());
    let position = |wanted: &String| {
        let names = || steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>().join(", ");
        steps
            .iter()
            .position(|step| step.name == *wanted)
            .with_context(|| format!("no step {wanted}; there are {}", names()))
    };
    if !args.only.is_empty() {
        let wanted = args.only.iter().map(position).collect::<Result<Vec<_>>>()?;
        let steps = steps.into_iter().enumerate().filter(|(index, _)| wanted.contains(index));
        return Ok(steps.map(|(_, step)| step).collect());
    }
    let first = args.from.as_ref().map(position).transpose()?.unwrap_or(0);
    let end = if args.full || first >= everyday { steps.len() } else { everyday };
    steps.truncate(end);
    Ok(steps.split_off(first))
}

impl Step {
    /// The step as a person would type it.
    fn describe(&self) -> String {
        match &self.action {
            Action::Task { args, .. } => format!("cargo xtask {args}"),
            Action::Cargo { args, env, .. } => {
                let env: String = env.iter().map(|(key, value)| format!("{key}={value:?} ")).collect();
                format!("{env}cargo {}", args.join(" "))
            }
        }
    }

    fn run(&self) -> Result<()> {
        match &self.action {
            Action::Task { run, .. } => run(),
            Action::Cargo { build, args, env } => {
                if !build.is_empty() {
                    succeed(cargo().args(build).envs(env.iter().copied()))?;
                }
                let scripts = target_folder()?.join("tmp/flaky-scripts.txt");
                let _ = std::fs::remove_file(&scripts);
                let outcome = succeed(cargo().args(args).envs(env.iter().copied()));
                read_flaky(&scripts);
                outcome
            }
        }
    }
}

/// The tests of this run that passed only when they were run again.
static FLAKY: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Counts a test as flaky in the summary.
pub(crate) fn note_flaky(name: String) {
    FLAKY.lock().unwrap_or_else(PoisonError::into_inner).push(name);
}

/// Counts the scripts that `crates/cli/tests/scripts.rs` listed as flaky.
fn read_flaky(file: &Path) {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().for_each(|name| note_flaky(name.to_owned()));
}

/// Colours for a terminal; plain text elsewhere, and with `NO_COLOR`.
struct Style {
    is_coloured: bool,
}

impl Style {
    fn of_terminal() -> Style {
        Style {
            is_coloured: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.is_coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    fn green(&self, text: &str) -> String {
        self.paint("32", text)
    }

    fn yellow(&self, text: &str) -> String {
        self.paint("33", text)
    }

    fn red(&self, text: &str) -> String {
        self.paint("1;31", text)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> Result<Vec<String>> {
        let args = Args::try_parse_from(format!("test {line}").split_whitespace())?;
        Ok(chosen(&args)?.into_iter().map(|step| step.name).collect())
    }

    #[test]
    fn a_command_that_fails_is_an_error_that_names_it() {
        let error = succeed(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert!(error.to_string().contains("exit 3"), "{error}");
        succeed(Command::new("sh").args(["-c", "exit 0"])).unwrap();
        assert!(succeed(&mut Command::new("/no/such/program")).is_err());
    }

    #[test]
    fn a_step_describes_itself_as_it_is_typed() {
        let steps = everyday_steps();
        let docs = steps.iter().find(|step| step.name == "docs").unwrap();
        assert_eq!(docs.describe(), "RUSTDOCFLAGS=\"-D warnings\" cargo doc --workspace --no-deps");
    }

    #[test]
    fn steps_are_chosen_by_name() {
        let all = names("--full").unwrap();
        assert_eq!(names("").unwrap(), all[..everyday_steps().len()]);
        assert_eq!(names("--only npm --only format").unwrap(), ["format", "npm"]);
        assert_eq!(names("--from docs").unwrap(), ["docs", "uv-differential", "uv-suite"]);
        assert_eq!(names("--from programs").unwrap(), ["programs", "npm", "compat"]);
        assert_eq!(names("--full --from docs").unwrap().last().unwrap(), "compat");
        assert!(names("--only nothing").unwrap_err().to_string().contains("there are format, crate-rules"));
        assert!(names("--only docs --from docs").is_err());
    }
}
