//! `cargo xtask`: development tasks. Each task is a subcommand and has its own file.
//!
//! This file holds only the command line. No Phasor crate may depend on this package at run time.
#![forbid(unsafe_code)]

mod abi;
mod bench;
mod bench_js;
mod bench_uv;
mod compat;
mod conformance;
mod crate_rules;
mod engine_archive;
mod fuzz_order;
mod install;
mod libuv;
mod npm;
mod outside_build;
mod programs;
mod runtimes;
mod sandbox;
mod test;
mod tidy;
mod trace_page;
mod uv_differential;
mod uv_suite;
mod verdicts;

use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// Reports a panic, as the standard library's default does.
type PanicHook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send>;

/// The development tasks of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Tasks {
    /// The task to run. Without one, the tasks are listed.
    #[command(subcommand)]
    task: Option<Task>,
}

/// One task. `cargo xtask` without arguments prints the first line and the example of each.
#[derive(Subcommand)]
enum Task {
    /// What a change must pass: format, lints, crate rules, tests, docs, libuv's suite; `--full`: its memory and real programs too
    #[command(after_help = "Example: cargo xtask test, cargo xtask test --full")]
    Test(test::Args),
    /// Check the dependencies between crates, and where unsafe code is
    #[command(after_help = "Example: cargo xtask crate-rules")]
    CrateRules,
    /// Build a crate outside of the workspace that embeds the runtime, and run it
    #[command(after_help = "Example: cargo xtask outside-build")]
    OutsideBuild,
    /// Check commit subjects, head comments, phrases, links and the index of the documents
    #[command(after_help = "Example: cargo xtask tidy")]
    Tidy,
    /// Compare the C API with real libuv: sizes, offsets, constants, symbols
    #[command(after_help = "Example: cargo xtask abi")]
    Abi,
    /// Run the conformance scripts on phasor and list those that differ from Node 22
    #[command(after_help = "Example: cargo xtask conformance order/ http/ --against node")]
    Conformance(conformance::Args),
    /// Write docs/node-compat.md: the modules, globals and flags of Node 22 that phasor has
    #[command(after_help = "Example: cargo xtask compat, cargo xtask compat --check")]
    Compat(compat::Args),
    /// Run random small programs on phasor, and on Node, and compare the order with a model of the rules
    #[command(after_help = "Example: cargo xtask fuzz-order --against node --count 2000 --seed 7")]
    FuzzOrder(fuzz_order::Args),
    /// Run libuv's own tests on real libuv and on our libuv.so.1, and list the differences
    #[command(after_help = "Example: cargo xtask uv-suite, cargo xtask uv-suite --only ours 'tcp_*' timer, \
                            cargo xtask uv-suite --asan")]
    UvSuite(uv_suite::Args),
    /// Run C programs that call libuv in unusual ways on real libuv and on ours, and compare their output
    #[command(after_help = "Example: cargo xtask uv-differential, cargo xtask uv-differential threads")]
    UvDifferential(uv_differential::Args),
    /// Build libuv.so.1 in release and install it, its links and its pkg-config file under a prefix
    #[command(
        after_help = "Example: cargo xtask install --prefix ~/.local, cargo xtask install --program --prefix ~/.local"
    )]
    Install(install::Args),
    /// Run Debian's node, neovim and uvloop on Debian's libuv and on ours, and compare their output
    #[command(after_help = "Example: cargo xtask programs, cargo xtask programs node/http nvim")]
    Programs(programs::Args),
    /// Run programs that use packages of npm on phasor, and compare with the output of Node 22
    #[command(after_help = "Example: cargo xtask npm, cargo xtask npm express ws, cargo xtask npm --record koa")]
    Npm(npm::Args),
    /// Open the page of a trace in Chromium: zoom, click, search, measure a million callbacks
    #[command(after_help = "Example: cargo xtask trace-page, cargo xtask trace-page --callbacks 3000000")]
    TracePage(trace_page::Args),
    /// Run libuv and Phasor side by side; `bench js`: phasor, Node, Bun and Deno; `bench uv`: libuv.so.1
    #[command(
        after_help = "Example: cargo xtask bench --only million_timers --rounds 3, cargo xtask bench js --only timers, \
                            cargo xtask bench uv ping_pongs"
    )]
    Bench {
        /// `js` or `uv` and its arguments, or arguments of the benchmark program. `bench js -- --help` lists them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
        args: Vec<String>,
    },
}

impl Task {
    /// Whether it builds the JavaScript runtime.
    fn builds_runtime(&self) -> bool {
        match self {
            Task::Test(_)
            | Task::OutsideBuild
            | Task::Conformance(_)
            | Task::Compat(_)
            | Task::FuzzOrder(_)
            | Task::Npm(_) => true,
            Task::Bench { args } => args.first().is_some_and(|first| first == "js"),
            Task::Install(args) => args.program,
            _ => false,
        }
    }
}

fn main() -> ExitCode {
    panic::set_hook(Box::new(quiet_on_closed_output(panic::take_hook())));
    // Print the error here: returning it from `main` prints it with `Debug`, and RUST_BACKTRACE adds a backtrace that hides it.
    match run(Tasks::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(tasks: Tasks) -> anyhow::Result<()> {
    if tasks.task.as_ref().is_some_and(Task::builds_runtime) {
        engine_archive::ensure()?;
    }
    match tasks.task {
        None => {
            list();
            Ok(())
        }
        Some(Task::Test(args)) => test::run(&args),
        Some(Task::CrateRules) => crate_rules::run(),
        Some(Task::OutsideBuild) => outside_build::run(),
        Some(Task::Tidy) => tidy::run(),
        Some(Task::Abi) => abi::run(),
        Some(Task::Conformance(args)) => conformance::run(&args),
        Some(Task::Compat(args)) => compat::run(&args),
        Some(Task::FuzzOrder(args)) => fuzz_order::run(&args),
        Some(Task::UvSuite(args)) => uv_suite::run(&args),
        Some(Task::UvDifferential(args)) => uv_differential::run(&args),
        Some(Task::Install(args)) => install::run(&args),
        Some(Task::Programs(args)) => programs::run(&args),
        Some(Task::Npm(args)) => npm::run(&args),
        Some(Task::TracePage(args)) => trace_page::run(&args),
        Some(Task::Bench { args }) => bench::run(&args),
    }
}

/// Says nothing of a panic because a reader such as `head` has closed the output. `println!` panics then, as Rust ignores SIGPIPE. The
/// stack still unwinds, so that temporary directories are removed.
fn quiet_on_closed_output(report: PanicHook) -> impl Fn(&PanicHookInfo<'_>) {
    move |info| {
        if !info.payload_as_str().is_some_and(is_closed_output) {
            report(info);
        }
    }
}

/// Whether this is the message of `println!` or `eprintln!` for an error EPIPE (std: `io::stdio::print_to`).
fn is_closed_output(message: &str) -> bool {
    message.starts_with("failed printing to std") && message.contains("Broken pipe")
}

/// Prints every task with its first line and its example, read from the clap definitions above.
fn list() {
    println!("Tasks:\n");
    for task in Tasks::command().get_subcommands() {
        let about = task.get_about().map(ToString::to_string).unwrap_or_default();
        println!("  {:<12} {about}", task.get_name());
        if let Some(example) = task.get_after_help() {
            println!("  {:<12} {example}", "");
        }
    }
    println!("\n`cargo xtask <task> --help` says more.");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_output_is_recognised() {
        use std::io::Write;
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let error = writer.write_all(b"text").expect_err("the reader is closed");
        assert!(is_closed_output(&format!("failed printing to stdout: {error}")));
        assert!(!is_closed_output(&format!("cannot write the results: {error}")));
        assert!(!is_closed_output("failed printing to stdout: No space left on device (os error 28)"));
    }

    #[test]
    fn every_task_has_a_line_and_an_example() {
        Tasks::command().debug_assert();
        for task in Tasks::command().get_subcommands() {
            assert!(task.get_about().is_some(), "{} has no line", task.get_name());
            let example = task.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(example.starts_with("Example: cargo xtask"), "{} has no example", task.get_name());
        }
    }
}
