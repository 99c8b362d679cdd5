//! Runs each side of each benchmark in its own process, alternately, for several rounds.
//!
//! Separate processes keep memory, thread pools and warm caches of one side from affecting the other. The sides alternate, so that other
//! load of the machine affects both.

use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use crate::measure;
use crate::registry::{Bench, Measure, Sample, Side};

/// Time limit for one process.
const CHILD_LIMIT_S: u32 = 120;

/// The conditions of all processes of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// Do a hundredth of the work.
    pub(crate) smoke: bool,
    /// Pin all processes to one CPU.
    pub(crate) pinned: bool,
}

/// The result of one benchmark.
pub(crate) struct BenchResult {
    /// The benchmark.
    pub(crate) bench: &'static Bench,
    /// The libuv side's sample of each successful round.
    pub(crate) libuv: Vec<Sample>,
    /// The Phasor side's sample of each successful round.
    pub(crate) phasor: Vec<Sample>,
    /// The error messages of failed runs.
    pub(crate) failures: Vec<String>,
}

/// Runs the benchmarks and prints the progress to standard error.
pub(crate) fn run(benches: &[&'static Bench], rounds: u32, conditions: &Conditions) -> Vec<BenchResult> {
    let mut results = Vec::new();
    for (bench, number) in benches.iter().copied().zip(1..) {
        let mut result = BenchResult { bench, libuv: Vec::new(), phasor: Vec::new(), failures: Vec::new() };
        for round in 1..=rounds {
            for side in side_order(round) {
                eprintln!("[{number}/{}] {} round {round}/{rounds} {}", benches.len(), bench.name, side.name());
                match sample_in_child(bench, side, conditions) {
                    Ok(sample) if side == Side::Libuv => result.libuv.push(sample),
                    Ok(sample) => result.phasor.push(sample),
                    Err(message) => {
                        result.failures.push(format!("{} on {}, round {round}: {message}", bench.name, side.name()));
                    }
                }
            }
            // A failure usually repeats, so the remaining rounds are skipped; the other benchmarks run.
            if !result.failures.is_empty() {
                break;
            }
        }
        results.push(result);
    }
    results
}

/// Alternates which side runs first, so that neither always benefits from a warmer machine.
fn side_order(round: u32) -> [Side; 2] {
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
    let sample = parse(&text).ok_or_else(|| format!("invalid output of its process: {text:?}"))?;
    if sample.len() != bench.rows.len() {
        return Err(format!("{} measures for {} rows", sample.len(), bench.rows.len()));
    }
    Ok(sample)
}

/// The child process: runs one workload and prints its sample.
pub(crate) fn run_child(name: &str, side: Side, conditions: &Conditions) -> Result<(), String> {
    let bench = Bench::named(name).ok_or_else(|| format!("no benchmark is called {name}"))?;
    let run = bench.side(side);
    // SAFETY: `alarm` takes a number and accesses no memory; its signal ends a process that hangs.
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
    fn a_sample_round_trips() {
        let sample =
            vec![Measure { amount: 1, wall_ns: 2, cpu_ns: 3 }, Measure { amount: u64::MAX, wall_ns: 0, cpu_ns: 5 }];
        assert_eq!(parse(&print_sample(&sample)), Some(sample));
        assert_eq!(parse("1 2"), None);
        assert_eq!(parse("1 2 x"), None);
    }

    #[test]
    fn the_sides_alternate() {
        assert_eq!(side_order(1), [Side::Libuv, Side::Phasor]);
        assert_eq!(side_order(2), [Side::Phasor, Side::Libuv]);
    }
}
