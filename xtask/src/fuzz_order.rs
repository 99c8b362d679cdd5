//! `cargo xtask fuzz-order`: runs random small programs on phasor and on Node, and compares the order with a model of the rules.
//!
//! `conformance/programs` generates the programs and predicts their output. A program that differs runs again, alone and more slowly,
//! to exclude the load of the machine; if it still differs, it is shrunk and printed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use phasor_programs::{Program, Root, clear_program, orders, play, script, show, shrink};

use crate::runtimes;

/// The arguments of this command.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run the programs on this runtime as well.
    #[arg(long)]
    against: Option<Against>,
    /// How many programs to run.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The seed of the first program; it increases by one for each program.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Run the release build of phasor.
    #[arg(long)]
    release: bool,
}

/// A runtime to compare with.
#[derive(Clone, Copy, ValueEnum)]
enum Against {
    /// Node 22 from PATH, or installed by npm into `target/node22`.
    Node,
}

/// The length of a time unit in a program. All programs run with the first value. A program whose output differs from the model runs again with
/// each value, and fails if it differs with all: on a busy machine timers are late, and short units mix up their order.
const UNITS_MS: [u64; 3] = [12, 30, 75];

/// How many programs are in one file.
const PROGRAMS_PER_FILE: usize = 8;

/// How many files run in parallel. They sleep most of the time.
const PARALLEL_FILES: usize = 6;

/// Time limit for one file.
const LIMIT: Duration = Duration::from_secs(60);

/// How many differences are printed.
const MAX_PRINTED: usize = 5;

/// A runtime under test.
struct Runtime {
    name: &'static str,
    program: PathBuf,
}

/// Runs the programs. A difference from the model is an error.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut runtimes = vec![Runtime { name: "phasor", program: runtimes::phasor(args.release)? }];
    if let Some(Against::Node) = args.against {
        let program = runtimes::node()?;
        println!("against {} {}", program.display(), runtimes::version(&program)?);
        runtimes.push(Runtime { name: "node", program });
    }
    let scratch = std::env::temp_dir().join(format!("phasor-fuzz-order-{}", std::process::id()));
    fs::create_dir_all(&scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
    let outcome = compare(args, &runtimes, &scratch);
    let _ = fs::remove_dir_all(&scratch);
    let wrong = outcome?;
    println!("{} programs from seed {}, {} differ", args.count, args.seed, wrong);
    if wrong > 0 {
        bail!("the order differs");
    }
    Ok(())
}

fn compare(args: &Args, runtimes: &[Runtime], scratch: &Path) -> Result<usize> {
    let seeds = args.seed..args.seed.saturating_add(args.count);
    let programs: Vec<_> = seeds.map(|seed| (seed, clear_program(seed, UNITS_MS[0]).0)).collect();
    let files = files(&programs);
    let mut wrong = 0;
    for runtime in runtimes {
        let suspects = suspects(&files, runtime, scratch)?;
        println!(
            "{}: {} programs in {} files, {} to run again",
            runtime.name,
            programs.len(),
            files.len(),
            suspects.len()
        );
        for (seed, program) in suspects {
            let Some(_) = difference(program, runtime, scratch)? else { continue };
            wrong += 1;
            if wrong > MAX_PRINTED {
                continue;
            }
            let mut fault = Ok(());
            let small = shrink(program, &mut |smaller| match difference(smaller, runtime, scratch) {
                Ok(difference) => difference.is_some(),
                Err(error) => {
                    fault = Err(error);
                    false
                }
            });
            fault?;
            println!("\nseed {seed} on {}:\n{}", runtime.name, show(&small));
            if let Some((model, seen)) = difference(&small, runtime, scratch)? {
                println!("the model: {}\n{:>9}: {}", model.join(", "), runtime.name, seen.join(", "));
            }
        }
    }
    Ok(wrong)
}

/// Groups the programs into files. A program that starts in the main script must be the first of its file.
fn files(programs: &[(u64, Program)]) -> Vec<Vec<&(u64, Program)>> {
    let (mut mains, others): (Vec<_>, Vec<_>) = programs.iter().partition(|(_, program)| program.root == Root::Main);
    let mut files: Vec<Vec<_>> = Vec::new();
    for chunk in others.chunks(PROGRAMS_PER_FILE - 1) {
        files.push(mains.pop().into_iter().chain(chunk.iter().copied()).collect());
    }
    files.extend(mains.into_iter().map(|main| vec![main]));
    files
}

/// The programs whose output is wrong or incomplete.
fn suspects<'a>(
    files: &[Vec<&'a (u64, Program)>],
    runtime: &Runtime,
    scratch: &Path,
) -> Result<Vec<&'a (u64, Program)>> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for number in 0..PARALLEL_FILES {
            let (next, found) = (&next, &found);
            scope.spawn(move || {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = scratch.join(format!("{}-{number}.js", runtime.name));
                    let suspects = suspects_in(file, runtime, &name);
                    found.lock().unwrap_or_else(PoisonError::into_inner).push(suspects);
                }
            });
        }
    });
    let found: Result<Vec<_>> = found.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
    let mut suspects: Vec<_> = found?.into_iter().flatten().collect();
    suspects.sort_by_key(|(seed, _)| *seed);
    Ok(suspects)
}

fn suspects_in<'a>(file: &[&'a (u64, Program)], runtime: &Runtime, name: &Path) -> Result<Vec<&'a (u64, Program)>> {
    let programs: Vec<_> = file.iter().map(|(_, program)| program).collect();
    let seen = output(&script(&programs, UNITS_MS[0]), runtime, name)?;
    let differs =
        |(at, (_, program)): &(usize, &(u64, Program))| play(program, UNITS_MS[0]).ok().as_ref() != seen.get(*at);
    Ok(file.iter().copied().enumerate().filter(differs).map(|(_, one)| one).collect())
}

/// The output of the model and of the runtime, if they differ at every time unit. A program whose order the model leaves open does not
/// differ.
fn difference(program: &Program, runtime: &Runtime, scratch: &Path) -> Result<Option<(Vec<String>, Vec<String>)>> {
    let mut last = None;
    for unit_ms in UNITS_MS {
        let Ok(model) = play(program, unit_ms) else { return Ok(None) };
        let name = scratch.join(format!("{}.js", runtime.name));
        let seen = output(&script(&[program], unit_ms), runtime, &name)?.into_iter().next().unwrap_or_default();
        if seen == model {
            return Ok(None);
        }
        last = Some((model, seen));
    }
    Ok(last)
}

/// The output of a file, up to the time limit.
fn output(text: &str, runtime: &Runtime, name: &Path) -> Result<Vec<Vec<String>>> {
    fs::write(name, text).with_context(|| format!("cannot write {}", name.display()))?;
    let printed = name.with_extension("out");
    let child = Command::new(&runtime.program)
        .arg(name)
        .stdin(Stdio::null())
        .stdout(File::create(&printed)?)
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.with_context(|| format!("cannot start {}", runtime.program.display()))?;
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() > LIMIT {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    Ok(orders(&String::from_utf8_lossy(&fs::read(&printed)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_at_most_one_main_program_and_all_are_in_a_file() {
        let programs: Vec<_> = (0..100).map(|seed| (seed, clear_program(seed, UNITS_MS[0]).0)).collect();
        let files = files(&programs);
        assert_eq!(files.iter().map(Vec::len).sum::<usize>(), 100);
        for file in files {
            assert!(file.len() <= PROGRAMS_PER_FILE);
            assert!(file.iter().skip(1).all(|(_, program)| program.root != Root::Main));
        }
    }

    #[test]
    fn a_runtime_that_prints_nothing_differs() {
        let scratch = std::env::temp_dir().join(format!("phasor-fuzz-order-test-{}", std::process::id()));
        fs::create_dir_all(&scratch).unwrap();
        let runtime = Runtime { name: "silent", program: PathBuf::from("true") };
        let found = difference(&clear_program(1, UNITS_MS[0]).0, &runtime, &scratch).unwrap();
        fs::remove_dir_all(&scratch).unwrap();
        assert_eq!(found.unwrap().1, Vec::<String>::new());
    }
}
