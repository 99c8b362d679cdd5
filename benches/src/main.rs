//! The benchmarks: libuv and Phasor side by side in one run, with libuv's names where libuv has the benchmark.
//!
//! This file has the command line. `registry` defines the benchmarks, `runner` runs each side in its own process, `report` prints the
//! results; `libuv` and `phasor` contain the workloads.

mod libuv;
mod measure;
mod phasor;
mod registry;
mod report;
mod runner;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use registry::Side;

/// Runs libuv and Phasor side by side and prints the ratios.
#[derive(Parser)]
#[command(name = "bench", bin_name = "cargo xtask bench")]
struct Args {
    /// Only the benchmark with this name, or those whose name contains it; may be given more than once
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// How many times each side runs, alternately; the best of each counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Do a hundredth of the work: checks that everything runs, measures nothing
    #[arg(long)]
    smoke: bool,
    /// Let the scheduler choose the CPU; the default is one CPU for all, which is far less noisy
    #[arg(long)]
    unpinned: bool,
    /// Also write every sample to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print the names and descriptions
    #[arg(long)]
    list: bool,
    /// The workload to run in this process; for internal use
    #[arg(long, hide = true, requires = "side")]
    child: Option<String>,
    /// The side of the workload
    #[arg(long, hide = true, value_enum)]
    side: Option<Side>,
    /// Connect idle clients to this port, as many as standard input says; for internal use
    #[arg(long, hide = true)]
    hold_clients: Option<u16>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let outcome = if let Some(port) = args.hold_clients {
        measure::hold_clients(port).map_err(|error| format!("cannot hold clients: {error}"))
    } else if let (Some(name), Some(side)) = (&args.child, args.side) {
        runner::run_child(name, side, &args.conditions())
    } else if args.list {
        report::list();
        Ok(())
    } else {
        compare(&args)
    };
    if let Err(message) = outcome {
        eprintln!("error: {message}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

impl Args {
    fn conditions(&self) -> runner::Conditions {
        runner::Conditions { smoke: self.smoke, pinned: !self.unpinned }
    }
}

/// Runs the selected benchmarks, prints the table, and fails if a run failed.
fn compare(args: &Args) -> Result<(), String> {
    let benches = registry::select(&args.only);
    if benches.is_empty() {
        return Err(format!("no benchmark is called {}; --list shows the names", args.only.join(" or ")));
    }
    let results = runner::run(&benches, args.rounds, &args.conditions());
    print!("{}", report::table(&results));
    if let Some(path) = &args.json {
        let text = report::json(&results, args.rounds, &args.conditions());
        std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    let failed: Vec<String> = results.iter().flat_map(|result| result.failures.iter().cloned()).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n       ")) }
}
