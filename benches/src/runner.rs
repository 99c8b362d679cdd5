//! Runs each side of each benchmark in a process of its own, in turn, for some rounds.
//!
//! A process each, so that memory, thread pools and warm caches of one do not reach another; in turn, so that a busy
//! minute of the machine meets both sides.

use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use crate::measure;
use crate::registry::{Bench, Measure, Sample, Side};

/// How long one process may take.
const CHILD_LIMIT_S: u32 = 120;

/// What holds for every process of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// A hundredth of the work.
    pub(crate) smoke: bool,
    /// All on one CPU.
    pub(crate) pinned: bool,
}

/// What came of one benchmark.
pub(crate) struct BenchResult {
    /// Which one.
    pub(crate) bench: &'static Bench,
    /// A sample for each round that went well.
    pub(crate) libuv: Vec<Sample>,
    /// As `libuv`; empty where Phasor has no side yet.
    pub(crate) phasor: Vec<Sample>,
    /// What went wrong, one sentence each.
    pub(crate) failures: Vec<String>,
}

/// Runs the benchmarks, telling on standard error how far it is.
pub(crate) fn run(benches: &[&'static Bench], rounds: u32, conditions: &Conditions) -> Vec<BenchResult> {
    let mut results = Vec::new();
    for (bench, number) in benches.iter().copied().zip(1..) {
        let mut result = BenchResult { bench, libuv: Vec::new(), phasor: Vec::new(), failures: Vec::new() };
        for round in 1..=rounds {
            for side in turns(round) {
                eprintln!("[{number}/{}] {} round {round}/{rounds} {}", benches.len(), bench.name, side.name());
                match sample_in_child(bench, side, conditions) {
                    Ok(sample) if side == Side::Libuv => result.libuv.push(sample),
                    Ok(sample) => result.phasor.push(sample),
                    Err(message) => {
                        result.failures.push(format!("{} on {}, round {round}: {message}", bench.name, side.name()));
                    }
                }
            }
            // What fails once fails again; the other benchmarks are still worth their time.
            if !result.failures.is_empty() {
                break;
            }
        }
        results.push(result);
    }
    results
}

/// Who goes first changes with the round, so that neither always meets the warmer machine.
fn turns(round: u32) -> [Side; 2] {
    if round % 2 == 1 { [Side::Libuv, Side::Phasor] } else { [Side::Phasor, Side::Libuv] }
}

fn sample_in_child(bench: &Bench, side: Side, conditions: &Conditions) -> Result<Sample, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut command = Command::new(program);
    command.args(["--child", bench.name, "--side", side.name()]);
    if conditions.smoke {
        command.arg("--smoke");
    }
    if !conditions.pinned {
        command.arg("--unpinned");
    }
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start its process: {error}"))?;
    if !output.status.success() {
        return Err(match output.status.signal() {
            Some(libc::SIGALRM) => format!("took longer than {CHILD_LIMIT_S} s"),
            _ => format!("its process ended with {}", output.status),
        });
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let sample = parse(&text).ok_or_else(|| format!("its process said {text:?}"))?;
    if sample.len() != bench.rows.len() {
        return Err(format!("{} measures for {} rows", sample.len(), bench.rows.len()));
    }
    Ok(sample)
}

/// The other process: one workload, its sample on standard output.
pub(crate) fn run_child(name: &str, side: Side, conditions: &Conditions) -> Result<(), String> {
    let bench = Bench::named(name).ok_or_else(|| format!("no benchmark is called {name}"))?;
    let run = bench.side(side);
    // SAFETY: alarm takes a number and touches no memory; its signal ends a process that hangs.
    unsafe { libc::alarm(CHILD_LIMIT_S) };
    if conditions.pinned {
        measure::pin_to_one_cpu().map_err(|error| format!("cannot pin to one CPU: {error}"))?;
    }
    let params = if conditions.smoke { bench.params.smoke() } else { bench.params };
    print!("{}", print_sample(&run(&params)));
    Ok(())
}

fn print_sample(sample: &[Measure]) -> String {
    sample.iter().fold(String::new(), |mut text, measure| {
        let _ = writeln!(text, "{} {} {}", measure.amount, measure.wall_ns, measure.cpu_ns);
        text
    })
}

fn parse(text: &str) -> Option<Sample> {
    text.lines()
        .map(|line| {
            let mut numbers = line.split(' ').map(str::parse::<u64>);
            let mut next = || numbers.next()?.ok();
            Some(Measure { amount: next()?, wall_ns: next()?, cpu_ns: next()? })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_survives_the_way_between_processes() {
        let sample =
            vec![Measure { amount: 1, wall_ns: 2, cpu_ns: 3 }, Measure { amount: u64::MAX, wall_ns: 0, cpu_ns: 5 }];
        assert_eq!(parse(&print_sample(&sample)), Some(sample));
        assert_eq!(parse("1 2"), None);
        assert_eq!(parse("1 2 x"), None);
    }

    #[test]
    fn each_side_goes_first_as_often() {
        assert_eq!(turns(1), [Side::Libuv, Side::Phasor]);
        assert_eq!(turns(2), [Side::Phasor, Side::Libuv]);
    }
}
