//! `cargo xtask`: the chores of the house, each a subcommand with a file of its own.
//!
//! Only the command line lives here. Nothing that a crate of Phasor needs at run time may live in this package.
#![forbid(unsafe_code)]

mod abi;
mod bench;
mod bench_js;
mod bench_uv;
mod conformance;
mod fuzz_order;
mod install;
mod libuv;
mod npm;
mod programs;
mod rooms;
mod runtimes;
mod sandbox;
mod test;
mod uv_differential;
mod uv_suite;
mod verdicts;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// The chores of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Chores {
    /// What to do; without it the list is printed.
    #[command(subcommand)]
    chore: Option<Chore>,
}

/// One chore. The bare command's list shows the first line of each, and its example.
#[derive(Subcommand)]
enum Chore {
    /// What a change must pass: format, lints, rooms, tests, docs, libuv's suite; `--full`: its memory and real programs too
    #[command(after_help = "Example: cargo xtask test, cargo xtask test --full")]
    Test(test::Words),
    /// Check which crate may use which, and where unsafe may live
    #[command(after_help = "Example: cargo xtask rooms")]
    Rooms,
    /// Compare the C face with the real libuv: sizes, offsets, constants, symbols
    #[command(after_help = "Example: cargo xtask abi")]
    Abi,
    /// Run the scripts on order on phasor and say which differ from Node 22
    #[command(after_help = "Example: cargo xtask conformance timers --against node")]
    Conformance(conformance::Words),
    /// Run random small programs on phasor, and on Node, and compare the order with a model of the rules
    #[command(after_help = "Example: cargo xtask fuzz-order --against node --count 2000 --seed 7")]
    FuzzOrder(fuzz_order::Words),
    /// Run libuv's own tests on real libuv and on our libuv.so.1, and say what differs
    #[command(after_help = "Example: cargo xtask uv-suite, cargo xtask uv-suite --only ours 'tcp_*' timer, \
                            cargo xtask uv-suite --asan")]
    UvSuite(uv_suite::Words),
    /// Run C programs that call libuv in unusual ways on real libuv and on ours, and compare their output
    #[command(after_help = "Example: cargo xtask uv-differential, cargo xtask uv-differential threads")]
    UvDifferential(uv_differential::Words),
    /// Build libuv.so.1 in release and put it, its links and its pkg-config file under a prefix
    #[command(after_help = "Example: cargo xtask install --prefix ~/.local")]
    Install(install::Words),
    /// Run Debian's node, neovim and uvloop on Debian's libuv and on ours, and compare what they print
    #[command(after_help = "Example: cargo xtask programs, cargo xtask programs node/http nvim")]
    Programs(programs::Words),
    /// Run programs that use packages of npm on phasor, and compare with what Node 22 printed
    #[command(after_help = "Example: cargo xtask npm, cargo xtask npm express ws, cargo xtask npm --record koa")]
    Npm(npm::Words),
    /// Run libuv and Phasor side by side; `bench js`: phasor, Node, Bun and Deno; `bench uv`: libuv.so.1
    #[command(
        after_help = "Example: cargo xtask bench --only million_timers --rounds 3, cargo xtask bench js --only timers, \
                            cargo xtask bench uv ping_pongs"
    )]
    Bench {
        /// `js` or `uv` and its words, or words for the benchmark program; `bench js -- --help` and so on show them.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
        words: Vec<String>,
    },
}

fn main() -> ExitCode {
    // Not by returning the error: that would print a backtrace wherever one is asked for, and hide the message.
    match run(Chores::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chores: Chores) -> anyhow::Result<()> {
    match chores.chore {
        None => {
            list();
            Ok(())
        }
        Some(Chore::Test(words)) => test::run(&words),
        Some(Chore::Rooms) => rooms::run(),
        Some(Chore::Abi) => abi::run(),
        Some(Chore::Conformance(words)) => conformance::run(&words),
        Some(Chore::FuzzOrder(words)) => fuzz_order::run(&words),
        Some(Chore::UvSuite(words)) => uv_suite::run(&words),
        Some(Chore::UvDifferential(words)) => uv_differential::run(&words),
        Some(Chore::Install(words)) => install::run(&words),
        Some(Chore::Programs(words)) => programs::run(&words),
        Some(Chore::Npm(words)) => npm::run(&words),
        Some(Chore::Bench { words }) => bench::run(&words),
    }
}

/// Prints every chore with its line and its example, taken from the definitions above so that the list cannot go stale.
fn list() {
    println!("The chores of this workspace:\n");
    for chore in Chores::command().get_subcommands() {
        let about = chore.get_about().map(ToString::to_string).unwrap_or_default();
        println!("  {:<12} {about}", chore.get_name());
        if let Some(example) = chore.get_after_help() {
            println!("  {:<12} {example}", "");
        }
    }
    println!("\n`cargo xtask <chore> --help` says more.");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chore_has_a_line_and_an_example() {
        Chores::command().debug_assert();
        for chore in Chores::command().get_subcommands() {
            assert!(chore.get_about().is_some(), "{} has no line", chore.get_name());
            let example = chore.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(example.starts_with("Example: cargo xtask"), "{} has no example", chore.get_name());
        }
    }
}
