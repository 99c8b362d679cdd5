//! `cargo xtask bench js`: the scripts of `benches/js` on phasor, Node 22, Bun and Deno, in one run, with ratios.
//!
//! With `--observed` it compares phasor with itself while it is recorded or watched.
//!
//! The runtimes take turns, so that a busy moment of the machine affects all of them; the best of the rounds counts. `runtimes.rs`
//! finds the runtimes; `load` has the servers under load. Frameworks and tools are npm packages, installed from the lock file in
//! `benches/js/npm`.

mod load;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::crate_rules::workspace_root;
use crate::{npm, runtimes};

/// The scripts that measure themselves, in the order of the table.
const SCRIPTS: &[&str] = &[
    "immediate_chain",
    "immediate_batch",
    "next_tick",
    "microtask",
    "await",
    "timers_same",
    "timers_mix",
    "timers_cancel",
    "readfile",
    "stat",
    "pipe",
    "tick_hooks_off",
    "tick_hooks_on",
    "await_hooks_on",
    "await_als",
    "als_run",
    "worker_start",
    "worker_memory",
    "worker_round_trip",
    "worker_copy",
    "worker_transfer",
    "worker_one_way",
];

/// Programs without input and output, in `benches/js/compute`.
const COMPUTE: &[&str] = &["fib", "richards", "deltablue", "json", "regexp", "map_set", "closures", "async_await"];

/// Programs that people run often, each over the source of a package: an argument of `benches/js/npm/tool.js`.
const TOOLS: &[&str] = &["tsc", "eslint", "prettier"];

/// Growth benchmarks: a name, and the script that gets a count from [`COUNTS`]. A constant rate means linear growth.
const GROWTH: &[(&str, &str)] =
    &[("timers", "growth_timers"), ("immediates", "immediate_batch"), ("ticks", "growth_ticks"), ("map", "growth_map")];

/// The counts: as printed, and as passed to the script.
const COUNTS: &[(&str, u32)] = &[("10k", 10_000), ("100k", 100_000), ("1M", 1_000_000)];

/// Time limit for one run.
const LIMIT: Duration = Duration::from_secs(60);

/// GNU time, which reports the maximum resident set size of a program.
const TIME: &str = "/usr/bin/time";

/// The arguments of this command.
#[derive(Parser)]
#[command(name = "cargo xtask bench js", bin_name = "cargo xtask bench js")]
struct Args {
    /// Run only the rows with this in their name: `hello` is start-up time and memory, `growth` the rates at growing counts, `compute`
    /// has programs without input and output, `tool` tsc and the like; `http`, `tcp`, `idle`, `koa` ... are servers under load.
    #[arg(long, default_value = "")]
    only: String,
    /// Measure this phasor instead of one built here.
    #[arg(long, value_name = "PROGRAM")]
    phasor: Option<PathBuf>,
    /// How often each script runs on each runtime; the best counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How often hello world is started on each runtime.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    starts: u32,
    /// Compare phasor with itself while it is recorded and while it is watched for blocking code.
    #[arg(long)]
    observed: bool,
}

/// An installed runtime.
struct Runtime {
    name: &'static str,
    program: PathBuf,
    /// Arguments before the script.
    args: &'static [&'static str],
    /// The detail of the recording that it makes in the scratch folder, as digits.
    recorded: Option<&'static str>,
}

/// The column of a plain phasor in a comparison with `--observed`.
const PLAIN: &str = "plain";

/// The unit of a row.
#[derive(Clone, Copy)]
enum Unit {
    PerSecond,
    MegabytesPerSecond,
    Milliseconds,
    Megabytes,
    Kilobytes,
}

/// A row of the table, with a value for each runtime that ran the script.
struct Row {
    name: String,
    unit: Unit,
    values: Vec<Option<f64>>,
    /// The result of a C program that makes the same system calls and nothing else, if there is one.
    c_baseline: Option<f64>,
}

impl Row {
    /// A row without values.
    fn new(name: String, unit: Unit, runtimes: &[Runtime]) -> Row {
        Row { name, unit, values: vec![None; runtimes.len()], c_baseline: None }
    }
}

/// Runs the scripts and prints the table.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let args = match Args::try_parse_from([&["js".to_owned()], args].concat()) {
        Ok(args) => args,
        Err(error) => error.exit(),
    };
    let (runtimes, missing) =
        if args.observed { (observed(args.phasor.as_deref())?, Vec::new()) } else { find(args.phasor.as_deref())? };
    let scratch = std::env::temp_dir().join(format!("phasor-bench-js-{}", std::process::id()));
    fs::create_dir_all(&scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
    let outcome = measure(&args, &runtimes, &scratch);
    let _ = fs::remove_dir_all(&scratch);
    let rows = outcome?;
    if rows.is_empty() {
        bail!("no script has {:?} in its name", args.only);
    }
    let names: Vec<_> = runtimes.iter().map(|runtime| runtime.name).collect();
    print!("\n{}", table(&names, &missing, &rows));
    let base = if args.observed { "plain phasor" } else { "Node" };
    println!("\nIn brackets: times as good as {base}, above 1 is better. `-`: the script does not run there.");
    Ok(())
}

/// phasor alone, recorded with each detail, and watched.
fn observed(phasor: Option<&Path>) -> Result<Vec<Runtime>> {
    let program = phasor.map_or_else(|| runtimes::phasor(true), |program| Ok(program.to_owned()))?;
    let variant = |name, args, recorded| Runtime { name, program: program.clone(), args, recorded };
    Ok(vec![
        variant(PLAIN, &[], None),
        variant("recorded, 1", &[], Some("1")),
        variant("recorded, 2", &[], Some("2")),
        variant("recorded, 3", &[], Some("3")),
        variant("--blocked=1s", &["--blocked=1s"], None),
    ])
}

/// Finds the runtimes, and prints which are missing and why. Node comes first, because the others are compared with it.
fn find(phasor: Option<&Path>) -> Result<(Vec<Runtime>, Vec<&'static str>)> {
    let found = [
        ("node", runtimes::node(), &[][..]),
        ("phasor", phasor.map_or_else(|| runtimes::phasor(true), |program| Ok(program.to_owned())), &[]),
        ("bun", runtimes::bun(), &[]),
        ("deno", runtimes::deno(), &["run", "-A"]),
    ];
    let (mut here, mut missing) = (Vec::new(), Vec::new());
    for (name, program, args) in found {
        match program.and_then(|program| Ok((runtimes::version(&program)?, program))) {
            Ok((version, program)) => {
                println!("{name:<7} {version}");
                here.push(Runtime { name, program, args, recorded: None });
            }
            Err(error) if name == "phasor" => return Err(error),
            Err(error) => {
                println!("{name:<7} is missing: {error:#}");
                missing.push(name);
            }
        }
    }
    Ok((here, missing))
}

fn measure(args: &Args, runtimes: &[Runtime], scratch: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for name in SCRIPTS.iter().filter(|name| name.contains(&args.only)) {
        eprintln!("{name} …");
        let unit = match *name {
            "pipe" => Unit::MegabytesPerSecond,
            "worker_memory" => Unit::Kilobytes,
            _ => Unit::PerSecond,
        };
        let mut row = Row::new((*name).to_owned(), unit, runtimes);
        best_of(args.rounds, runtimes, &mut row, |runtime| rate(&mut runtime.command(name, scratch)))?;
        rows.push(row);
    }
    for (name, script) in GROWTH {
        for (label, count) in COUNTS {
            let mut row = Row::new(format!("growth {name} {label}"), Unit::PerSecond, runtimes);
            if !row.name.contains(&args.only) {
                continue;
            }
            eprintln!("{} …", row.name);
            best_of(args.rounds, runtimes, &mut row, |runtime| {
                rate(runtime.command(script, scratch).arg(count.to_string()))
            })?;
            rows.push(row);
        }
    }
    for name in COMPUTE {
        let mut row = Row::new(format!("compute {name}"), Unit::PerSecond, runtimes);
        if row.name.contains(&args.only) {
            eprintln!("{} …", row.name);
            best_of(args.rounds, runtimes, &mut row, |runtime| {
                rate(&mut runtime.command(&format!("compute/{name}"), scratch))
            })?;
            rows.push(row);
        }
    }
    rows.extend(tools(args, runtimes, scratch)?);
    rows.extend(load::rows(&args.only, args.rounds, runtimes, scratch)?);
    if "hello".contains(&args.only) {
        eprintln!("hello …");
        rows.extend(hello(args, runtimes, scratch)?);
    }
    Ok(rows)
}

/// Fills a row with the best values of the rounds, in which the runtimes take turns.
fn best_of(
    rounds: u32,
    runtimes: &[Runtime],
    row: &mut Row,
    measure: impl Fn(&Runtime) -> Result<Option<f64>>,
) -> Result<()> {
    for _ in 0..rounds {
        for (runtime, best) in runtimes.iter().zip(&mut row.values) {
            *best = better(row.unit, *best, measure(runtime)?);
        }
    }
    Ok(())
}

/// The time of whole runs of [`TOOLS`].
fn tools(args: &Args, runtimes: &[Runtime], scratch: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for name in TOOLS {
        let mut row = Row::new(format!("tool {name}"), Unit::Milliseconds, runtimes);
        if row.name.contains(&args.only) {
            let script = packages()?.join("tool.js");
            eprintln!("{} …", row.name);
            best_of(args.rounds, runtimes, &mut row, |runtime| {
                let began = Instant::now();
                let printed = rate(runtime.on(&script, scratch).arg(name))?;
                Ok(printed.map(|_| began.elapsed().as_secs_f64() * 1000.0))
            })?;
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The folder of the installed packages, with the scripts of `benches/js/npm`.
fn packages() -> Result<PathBuf> {
    let from = workspace_root().join("benches/js/npm");
    let folder = npm::installed(&from, "bench-npm")?;
    for script in ["server.js", "tool.js"] {
        fs::copy(from.join(script), folder.join(script)).with_context(|| format!("cannot copy {script}"))?;
    }
    Ok(folder)
}

/// Hello world: mean and best start-up time, and memory.
fn hello(args: &Args, runtimes: &[Runtime], scratch: &Path) -> Result<Vec<Row>> {
    let mut times = vec![Vec::new(); runtimes.len()];
    for _ in 0..args.starts {
        for (runtime, times) in runtimes.iter().zip(&mut times) {
            let mut command = runtime.command("hello", scratch);
            let began = Instant::now();
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
            if status.success() {
                times.push(began.elapsed().as_secs_f64() * 1000.0);
            }
        }
    }
    let mean = |times: &Vec<f64>| (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64);
    let best = |times: &Vec<f64>| times.iter().copied().reduce(f64::min);
    let row = |name: &str, unit, values| Row { name: name.to_owned(), unit, values, c_baseline: None };
    let mut rows = vec![
        row("hello, mean", Unit::Milliseconds, times.iter().map(mean).collect()),
        row("hello, best", Unit::Milliseconds, times.iter().map(best).collect()),
    ];
    if Path::new(TIME).exists() {
        let mut values = vec![None; runtimes.len()];
        for _ in 0..args.rounds {
            for (runtime, best) in runtimes.iter().zip(&mut values) {
                *best = better(Unit::Megabytes, *best, resident(&runtime.command("hello", scratch), scratch)?);
            }
        }
        rows.push(row("hello, resident", Unit::Megabytes, values));
    } else {
        println!("memory is not measured: {TIME} is missing");
    }
    Ok(rows)
}

impl Runtime {
    /// Runs a script of `benches/js`, given without its ending.
    fn command(&self, script: &str, scratch: &Path) -> Command {
        self.on(&workspace_root().join("benches/js").join(script).with_extension("js"), scratch)
    }

    fn on(&self, file: &Path, scratch: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.args);
        // Deno takes a `.js` file for an ES module. The flag slows its start, so only scripts with `require` get it.
        if self.name == "deno" && fs::read_to_string(file).is_ok_and(|text| text.contains("require(")) {
            command.arg("--unstable-detect-cjs");
        }
        command.arg(file);
        if let Some(detail) = self.recorded {
            let file = scratch.join("recording.phasor");
            command.env("PHASOR_RECORD", format!("path={};detail={detail}", file.display()));
        }
        command.env("NO_COLOR", "1").env("DENO_NO_UPDATE_CHECK", "1").env("TMPDIR", scratch).stdin(Stdio::null());
        command
    }
}

/// The last number that a script prints; nothing if it fails or exceeds the limit.
fn rate(command: &mut Command) -> Result<Option<f64>> {
    // A script prints one line, so the pipe cannot fill up before the script ends.
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.with_context(|| format!("cannot start {command:?}"))?;
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() > LIMIT {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let ran = child.wait_with_output()?;
    let text = String::from_utf8_lossy(&ran.stdout);
    let number = text.split_whitespace().last().and_then(|word| word.parse().ok());
    Ok(number.filter(|_| ran.status.success()))
}

/// The maximum resident set size of a program in megabytes; nothing if it fails.
fn resident(command: &Command, scratch: &Path) -> Result<Option<f64>> {
    let report = scratch.join("resident");
    let mut time = Command::new(TIME);
    time.args(["-f", "%M", "-o"]).arg(&report).arg(command.get_program()).args(command.get_args());
    for (key, value) in command.get_envs() {
        time.env(key, value.unwrap_or_default());
    }
    let status = time.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    let kilobytes = fs::read_to_string(&report)?.trim().parse::<f64>().ok();
    Ok(kilobytes.filter(|_| status.success()).map(|kilobytes| kilobytes / 1024.0))
}

fn better(unit: Unit, one: Option<f64>, other: Option<f64>) -> Option<f64> {
    let pick = if unit.grows() { f64::max } else { f64::min };
    [one, other].into_iter().flatten().reduce(pick)
}

impl Unit {
    fn formatted(self, value: f64) -> String {
        match self {
            Unit::PerSecond if value >= 1e6 => format!("{:.2} M/s", value / 1e6),
            Unit::PerSecond if value >= 1e4 => format!("{:.0} k/s", value / 1e3),
            Unit::PerSecond => format!("{value:.0} /s"),
            Unit::MegabytesPerSecond => format!("{value:.0} MB/s"),
            Unit::Milliseconds => format!("{value:.1} ms"),
            Unit::Megabytes => format!("{value:.1} MB"),
            Unit::Kilobytes => format!("{value:.1} KB"),
        }
    }

    /// Whether a larger value is better.
    fn grows(self) -> bool {
        matches!(self, Unit::PerSecond | Unit::MegabytesPerSecond)
    }

    /// How many times as good as `node`; above 1 is better.
    fn ratio(self, value: f64, node: f64) -> f64 {
        if self.grows() { value / node } else { node / value }
    }
}

/// The table, with the ratio to Node beside each value if Node has one.
fn table(names: &[&str], missing: &[&str], rows: &[Row]) -> String {
    let mut text = format!("{:<22}", "benchmark");
    for name in names.iter().chain(missing) {
        text += &format!(" {name:>20}");
    }
    let node = names.iter().position(|name| ["node", PLAIN].contains(name));
    let by = |row: &Row| node.and_then(|at| row.values.get(at).copied().flatten());
    let cell = |unit: Unit, value: f64, by: Option<f64>| match by {
        Some(by) => format!("{} ({:.2})", unit.formatted(value), unit.ratio(value, by)),
        None => unit.formatted(value),
    };
    for row in rows {
        text += &format!("\n{:<22}", row.name);
        for (at, value) in row.values.iter().enumerate() {
            let by = by(row).filter(|_| Some(at) != node);
            let cell = value.map_or("-".to_owned(), |value| cell(row.unit, value, by));
            text += &format!(" {cell:>20}");
        }
        for _ in missing {
            text += &format!(" {:>20}", "missing");
        }
    }
    text += "\n";
    for (row, c_baseline) in rows.iter().filter_map(|row| Some((row, row.c_baseline?))) {
        let c_baseline = cell(row.unit, c_baseline, by(row));
        text += &format!("\nA C program with the same system calls, {}: {c_baseline}\n", row.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_script_exists() {
        let grown = GROWTH.iter().map(|(_, script)| *script);
        for name in COMPUTE {
            assert!(workspace_root().join(format!("benches/js/compute/{name}.js")).exists(), "{name}");
        }
        for name in SCRIPTS.iter().copied().chain(grown).chain(load::scripts()).chain(["hello"]) {
            assert!(workspace_root().join("benches/js").join(name).with_extension("js").exists(), "{name}");
        }
    }

    #[test]
    fn a_ratio_above_one_is_better_in_every_unit() {
        let rows = [
            ("a", Unit::PerSecond, vec![Some(1e6), Some(2.5e6), None], Some(4e6)),
            ("b", Unit::Milliseconds, vec![Some(30.0), Some(3.0), None], None),
            ("c", Unit::Megabytes, vec![None, Some(8.0), None], None),
        ]
        .map(|(name, unit, values, c_baseline)| Row { name: name.to_owned(), unit, values, c_baseline });
        let table = table(&["node", "phasor", "bun"], &["deno"], &rows);
        let words = |line: usize| table.lines().nth(line).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(1), "a 1.00 M/s 2.50 M/s (2.50) - missing");
        assert_eq!(words(2), "b 30.0 ms 3.0 ms (10.00) - missing");
        assert_eq!(words(3), "c - 8.0 MB - missing");
        assert_eq!(words(5), "A C program with the same system calls, a: 4.00 M/s (4.00)");
    }

    #[test]
    fn the_best_is_the_maximum_rate_or_the_minimum_of_other_units() {
        assert_eq!(better(Unit::PerSecond, Some(1.0), Some(2.0)), Some(2.0));
        assert_eq!(better(Unit::Megabytes, Some(1.0), Some(2.0)), Some(1.0));
        assert_eq!(better(Unit::Milliseconds, None, Some(2.0)), Some(2.0));
    }

    #[test]
    fn a_script_that_fails_has_no_number() {
        assert_eq!(rate(Command::new("sh").args(["-c", "echo x/s 12"])).unwrap(), Some(12.0));
        assert_eq!(rate(Command::new("sh").args(["-c", "echo x/s 12; exit 1"])).unwrap(), None);
        assert!(rate(&mut Command::new("/no/such/program")).is_err());
    }
}
