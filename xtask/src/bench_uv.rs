//! `cargo xtask bench uv`: libuv's own benchmark programs on real libuv and on our libuv.so.1, with ratios.
//!
//! The libraries take turns on one CPU (except [`UNPINNED`]), each in its own network namespace (`sandbox.rs`). A benchmark with a
//! fixed amount of work is compared by CPU time, because its wall-clock time depends on other load of the machine. A benchmark that
//! runs for a fixed time is compared by the number that it prints.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::libuv::{self, Libuv};
use crate::sandbox::{Ran, Sandbox, SandboxRoot};

/// Time limit for one run. The runner's own limit, 60 seconds times `PATIENCE`, expires earlier.
const LIMIT: Duration = Duration::from_secs(330);
const PATIENCE: &str = "5";

/// The benchmark that runs on all CPUs: on one CPU its eight busy threads starve the loop, and libuv does not finish in eight
/// minutes.
const UNPINNED: &str = "async_pummel_8";

/// How the runs of a benchmark are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Metric {
    /// The work is fixed: compare CPU seconds; less is better.
    Cpu,
    /// The time is fixed: compare the number before the second text, in a line that contains the first; more is better.
    Printed(&'static str, &'static str),
}

/// The benchmarks, with libuv's names.
const BENCHMARKS: &[(&str, Metric)] = &[
    ("loop_count", Metric::Cpu),
    ("million_timers", Metric::Cpu),
    ("million_async", Metric::Printed("async events in", "/s")),
    ("async1", Metric::Cpu),
    ("async2", Metric::Cpu),
    ("async4", Metric::Cpu),
    ("async8", Metric::Cpu),
    ("async_pummel_1", Metric::Cpu),
    ("async_pummel_2", Metric::Cpu),
    ("async_pummel_4", Metric::Cpu),
    ("async_pummel_8", Metric::Cpu),
    ("ping_pongs", Metric::Printed("ping_pongs:", " roundtrips/s")),
    ("ping_udp1", Metric::Printed("ping_pongs:", " roundtrips/s")),
    ("tcp_write_batch", Metric::Cpu),
    ("tcp_pump1_client", Metric::Printed("tcp_pump1_client:", " gbit/s")),
    ("tcp_pump100_client", Metric::Printed("tcp_pump100_client:", " gbit/s")),
    ("pipe_pump1_client", Metric::Printed("pipe_pump1_client:", " gbit/s")),
    ("pipe_pump100_client", Metric::Printed("pipe_pump100_client:", " gbit/s")),
    ("tcp_multi_accept2", Metric::Cpu),
    ("tcp_multi_accept4", Metric::Cpu),
    ("udp_pummel_1v1", Metric::Cpu),
    ("udp_pummel_10v10", Metric::Cpu),
    ("fs_stat", Metric::Cpu),
    ("spawn", Metric::Cpu),
    ("thread_create", Metric::Cpu),
    ("queue_work", Metric::Printed("async jobs in", "/s")),
];

/// The arguments of this command.
#[derive(Parser)]
#[command(
    name = "cargo xtask bench uv",
    bin_name = "cargo xtask bench uv",
    about = "Run libuv's own benchmarks on real libuv and on our libuv.so.1, in turn on one CPU, and print the ratios",
    after_help = "Example: cargo xtask bench uv ping_pongs million_timers --rounds 1"
)]
struct Args {
    /// How often each benchmark runs on each library; the best counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Measure this file in place of the libuv.so that is built here.
    #[arg(long, value_name = "FILE")]
    ours: Option<PathBuf>,
    /// The benchmarks, as libuv names them; without a name all of the list.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// A row of the table: the best result of each library.
struct Row {
    name: &'static str,
    by: Metric,
    real: Option<Best>,
    ours: Option<Best>,
}

/// The best result of a library in all rounds.
#[derive(Clone, Copy)]
struct Best {
    figure: f64,
    /// The printed number divided by the CPU seconds, which depends less on other load of the machine.
    per_cpu: f64,
}

impl Row {
    /// Ours against libuv, above 1 is better; nothing if a library has no result.
    fn ratio(&self) -> Option<f64> {
        self.real.zip(self.ours).map(|(real, ours)| self.by.ratio(real.figure, ours.figure))
    }
}

/// Runs the benchmarks and prints the table. A failed run is an error.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let args = match Args::try_parse_from([&["uv".to_owned()], args].concat()) {
        Ok(args) => args,
        Err(error) => error.exit(),
    };
    let chosen = select(&args.names)?;
    let libuv = Libuv::find()?;
    let (real, runner) = (libuv.library()?, libuv.benchmark_runner()?);
    drop(libuv);
    let ours = args.ours.clone().map_or_else(libuv::ours, Ok)?;

    let root = SandboxRoot::new("bench-uv")?;
    let mut sandboxes = [open(&root, "libuv", &real, &runner)?, open(&root, "ours", &ours, &runner)?];
    let cpu = last_cpu()?;
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    for (name, by) in chosen {
        eprint!("{name} … ");
        let pin = if name == UNPINNED { String::new() } else { format!("taskset -c {cpu} ") };
        let mut best = [None, None];
        for round in 0..args.rounds {
            // Alternates which library runs first.
            for side in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
                let ran = sandboxes[side].run(&format!("{pin}./uv_run_benchmarks {name}"), LIMIT)?;
                match by.figure(&ran) {
                    Some(figure) => best[side] = Some(by.best(best[side], figure, figure / ran.cpu_seconds)),
                    None => failures.push(format!("{name} on {}:\n{}", ["libuv", "ours"][side], ran.output)),
                }
            }
        }
        let row = Row { name, by, real: best[0], ours: best[1] };
        eprintln!("{}", row.ratio().map_or_else(|| "failed".to_owned(), |ratio| format!("{ratio:.2}")));
        rows.push(row);
    }
    print!("\n{}", table(&rows));
    if !failures.is_empty() {
        bail!("{} runs failed:\n{}", failures.len(), failures.join("\n"));
    }
    Ok(())
}

/// The benchmarks with these names; all of them without a name.
fn select(names: &[String]) -> Result<Vec<(&'static str, Metric)>> {
    if let Some(name) = names.iter().find(|name| !BENCHMARKS.iter().any(|(known, _)| known == *name)) {
        let known: Vec<_> = BENCHMARKS.iter().map(|(known, _)| *known).collect();
        bail!("there is no {name:?}; there are {}", known.join(" "));
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    Ok(BENCHMARKS.iter().filter(|(name, _)| wanted(name)).copied().collect())
}

fn open(root: &SandboxRoot, name: &str, library: &Path, runner: &Path) -> Result<Sandbox> {
    let folder = root.folder(name)?;
    root.copy(runner, &folder.join("uv_run_benchmarks"))?;
    root.copy(library, &folder.join("libuv.so.1"))?;
    let library = folder.to_string_lossy();
    root.open(name, &folder, &[("LD_LIBRARY_PATH", &*library), ("UV_TEST_TIMEOUT_MULTIPLIER", PATIENCE)])
}

/// The last CPU that this process may use: interrupts are usually handled on the first.
fn last_cpu() -> Result<u32> {
    let status = fs::read_to_string("/proc/self/status").context("cannot read /proc/self/status")?;
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or("0");
    let last = list.trim().rsplit([',', '-']).next().unwrap_or("0");
    last.parse().with_context(|| format!("cannot read the CPUs {list:?}"))
}

impl Metric {
    /// The result of a run; nothing if it failed.
    fn figure(self, ran: &Ran) -> Option<f64> {
        if ran.code != 0 {
            return None;
        }
        let Metric::Printed(line, unit) = self else { return Some(ran.cpu_seconds) };
        let line = ran.output.lines().rfind(|text| text.contains(line))?;
        let before = &line[..line.rfind(unit)?];
        let begins = before.rfind(|byte: char| !byte.is_ascii_digit() && !",.".contains(byte)).map_or(0, |at| at + 1);
        before.get(begins..)?.replace(',', "").parse().ok()
    }

    fn best(self, so_far: Option<Best>, figure: f64, per_cpu: f64) -> Best {
        let better = if self == Metric::Cpu { f64::min } else { f64::max };
        so_far.map_or(Best { figure, per_cpu }, |best| Best {
            figure: better(best.figure, figure),
            per_cpu: best.per_cpu.max(per_cpu),
        })
    }

    /// Above 1, ours is better.
    fn ratio(self, real: f64, ours: f64) -> f64 {
        if self == Metric::Cpu { real / ours } else { ours / real }
    }

    fn unit(self) -> &'static str {
        match self {
            Metric::Cpu => "CPU s",
            Metric::Printed(_, " gbit/s") => "Gbit/s",
            Metric::Printed(..) => "/s",
        }
    }
}

/// The table, with the geometric mean of the ratios.
fn table(rows: &[Row]) -> String {
    let mut text =
        format!("{:<20} {:>10} {:>10} {:<7} {:>6} {:>6}\n", "benchmark", "libuv", "ours", "unit", "ratio", "cpu");
    let mut ratios = Vec::new();
    let times = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
    for row in rows {
        let ratio = row.ratio();
        let cpu =
            row.real.zip(row.ours).filter(|_| row.by != Metric::Cpu).map(|(real, ours)| ours.per_cpu / real.per_cpu);
        ratios.extend(ratio);
        let figure = |best: Option<Best>| best.map_or_else(|| "-".to_owned(), |best| formatted(best.figure));
        let (real, ours, unit) = (figure(row.real), figure(row.ours), row.by.unit());
        let (ratio, cpu) = (times(ratio), times(cpu));
        text += &format!("{:<20} {real:>10} {ours:>10} {unit:<7} {ratio:>6} {cpu:>6}\n", row.name);
    }
    if !ratios.is_empty() {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        text += &format!("{:<20} {:>10} {:>10} {:<7} {mean:>6.2}\n", "geometric mean", "", "", "");
    }
    text += "ratio: ours against libuv, best of the rounds, above 1 is better; cpu: the same for what is printed per CPU second\n";
    text + &format!("every benchmark on one CPU, {UNPINNED} on all\n")
}

/// A value with three significant digits and a suffix for thousands or millions.
fn formatted(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{:.2}M", value / 1e6),
        value if value >= 1e4 => format!("{:.1}k", value / 1e3),
        value if value >= 100.0 => format!("{value:.0}"),
        value => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(name: &str, output: &str) -> Option<f64> {
        let (_, by) = BENCHMARKS.iter().find(|(known, _)| *known == name).unwrap();
        by.figure(&Ran { code: 0, output: output.to_owned(), cpu_seconds: 2.5 })
    }

    #[test]
    fn figures_are_parsed_from_the_output() {
        let jobs = "ok 1 - queue_work\n# 567,890 async jobs in 5.0 seconds (113,578/s)\n";
        assert_eq!(printed("queue_work", jobs), Some(113_578.0));
        let asyncs = "# 4,350,123 async events in 5.0 seconds (870,024/s, 950,001 unique handles seen)\n";
        assert_eq!(printed("million_async", asyncs), Some(870_024.0));
        let pump = "# connections: 1, write: 11.0 gbit/s\n# tcp_pump1_client: 11.3 gbit/s\n";
        assert_eq!(printed("tcp_pump1_client", pump), Some(11.3));
        assert_eq!(printed("ping_udp1", "# ping_pongs: 1 pingers, ~ 388123 roundtrips/s"), Some(388_123.0));
        assert_eq!(printed("ping_pongs", "not ok"), None);
        assert_eq!(printed("spawn", "# spawn: 873 spawns/s"), Some(2.5));
    }

    #[test]
    fn a_run_that_failed_has_no_figure() {
        assert_eq!(Metric::Cpu.figure(&Ran { code: 1, output: String::new(), cpu_seconds: 2.5 }), None);
    }

    #[test]
    fn a_ratio_above_one_is_better_and_the_mean_is_geometric() {
        let best = |figure: f64, per_cpu: f64| Some(Best { figure, per_cpu });
        let rows = [
            Row { name: "a", by: Metric::Cpu, real: best(8.0, 1.0), ours: best(2.0, 1.0) },
            Row { name: "b", by: Metric::Printed("", "/s"), real: best(2e6, 1e6), ours: best(2e6, 3e6) },
            Row { name: "c", by: Metric::Cpu, real: best(8.0, 1.0), ours: None },
        ];
        let table = table(&rows);
        let words = |line: usize| table.lines().nth(line).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(1), "a 8.00 2.00 CPU s 4.00 -");
        assert_eq!(words(2), "b 2.00M 2.00M /s 1.00 3.00");
        assert_eq!(words(3), "c 8.00 - CPU s - -");
        assert_eq!(words(4), "geometric mean 2.00");
    }
}
