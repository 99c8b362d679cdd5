//! `cargo xtask uv-suite`: libuv's own tests on real libuv and on ours, and the differences by test name.
//!
//! Each test runs in a process of its own, in one of several sandboxes per library (`sandbox.rs`). A test that fails runs once more,
//! after all others. `libuv.rs` compiles the runner; `verdicts.rs` judges the results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};

use crate::crate_rules::workspace_root;
use crate::libuv::{self, Build, Libuv};
use crate::sandbox::{Sandbox, SandboxRoot};
use crate::verdicts::{KnownFailures, Outcome, Verdicts, outcome_of, report};

/// Time limit for one test. The runner has limits too, but waits forever for a test that ignores SIGTERM.
const LIMIT: Duration = Duration::from_secs(70);

/// Time limit for all tests of a library.
const TOTAL_LIMIT: Duration = Duration::from_secs(900);

/// The prefixes of the tests that `--valgrind` runs without a name.
const VALGRIND_PREFIXES: &[&str] = &[
    "active",
    "close_order",
    "fs_",
    "idle",
    "kill",
    "loop_",
    "ping_pong",
    "pipe_",
    "process_",
    "run_",
    "shutdown",
    "spawn_",
    "tcp_",
    "timer",
    "walk_",
    "write",
];

/// Options of the address sanitizer. A too large allocation fails instead of aborting, as some tests expect.
const ASAN_OPTIONS: &str = "detect_leaks=1:allocator_may_return_null=1";

/// Leak suppressions for children of `fork`, which have the memory of the pool's threads (start closures, thread-local destructors)
/// but not the threads.
const FORK_LEAKS: &str = "leak:spawn_unchecked<phasor_core::pool\nleak:__cxa_thread_atexit_impl\n";

/// The arguments of this command.
#[derive(Parser)]
pub(crate) struct Args {
    /// Run one library only; ours is then compared with the results of real libuv in the last complete run on this machine
    #[arg(long)]
    only: Option<Side>,
    /// Run each test under valgrind; a test also fails if it leaks or reads invalid memory
    #[arg(long)]
    valgrind: bool,
    /// Run each test with the address sanitizer in the runner and in ours; needs a nightly compiler, and is faster than valgrind
    #[arg(long, conflicts_with_all = ["valgrind", "ours"])]
    asan: bool,
    /// Test this file in place of the libuv.so that is built here
    #[arg(long, value_name = "FILE")]
    ours: Option<PathBuf>,
    /// Take real libuv's results from the last complete run on this machine, if there was one
    #[arg(long)]
    cached: bool,
    /// How many tests of one library run in parallel [default: twice the CPUs, at most 8]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// The tests, with libuv's names; a `*` at the end matches any suffix; without a name all of them
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// One of the two libraries.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Side {
    Real,
    Ours,
}

impl Side {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Side::Real => "libuv",
            Side::Ours => "ours",
        }
    }
}

/// Runs every test: the step of `cargo xtask test`.
pub(crate) fn run_all() -> Result<()> {
    run(&Args { only: None, valgrind: false, asan: false, ours: None, cached: true, jobs: None, names: Vec::new() })
}

/// Runs every test with the address sanitizer: the step of `cargo xtask test --full`. Without a nightly compiler, which is not
/// required to pass the tests, it prints that the step is skipped.
pub(crate) fn run_all_with_asan() -> Result<()> {
    if !libuv::has_nightly() {
        println!("   left out: it needs `rustup toolchain install nightly --profile minimal`");
        return Ok(());
    }
    run(&Args { only: None, valgrind: false, asan: true, ours: None, cached: false, jobs: None, names: Vec::new() })
}

/// Runs the suite and prints the comparison. An error if the failures of ours differ from the list of known failures.
pub(crate) fn run(args: &Args) -> Result<()> {
    let began = Instant::now();
    let known = KnownFailures::read(&workspace_root().join("crates/uv/suite/known_failures.txt"))?;
    let libuv = Libuv::find()?;
    let real = libuv.library()?;
    let runner = if args.asan { libuv.asan_test_runner()? } else { libuv.test_runner()? };
    let cache = libuv.folder.join("real_verdicts.txt");
    let fixtures = libuv.sources.join("test/fixtures");
    drop(libuv);
    let names = select(listed(&runner, &real)?, args)?;
    let plain = !args.valgrind && !args.asan;
    let whole = args.names.is_empty() && plain;

    let suite = Suite { root: SandboxRoot::new("uv-suite")?, runner, fixtures, args };
    let mut results = BTreeMap::new();
    let mut sides = Vec::new();
    let use_cached = (args.cached && whole) || (args.only == Some(Side::Ours) && plain);
    match Verdicts::from_cache(&cache).filter(|old| use_cached && old.covers(&names)) {
        Some(old) if args.only != Some(Side::Real) => drop(results.insert(Side::Real, old.only(&names))),
        _ if args.only != Some(Side::Ours) => sides.push((Side::Real, real)),
        _ => {}
    }
    if args.only != Some(Side::Real) {
        let build = if args.asan { Build::Asan } else { Build::Release };
        let ours = args.ours.clone().map_or_else(|| libuv::ours_as(build), Ok)?;
        sides.push((Side::Ours, ours));
    }
    results.extend(suite.run(&sides, &names, &known)?);
    if whole && let (true, Some(real)) = (sides.iter().any(|(side, _)| *side == Side::Real), results.get(&Side::Real)) {
        real.to_cache(&cache)?;
    }
    println!("{}", report(&results, &known));
    println!("{} tests in {:.0} s", names.len(), began.elapsed().as_secs_f64());
    known.judge(&results)
}

/// The names of all tests, as the runner lists them.
fn listed(runner: &Path, library: &Path) -> Result<Vec<String>> {
    let mut list = Command::new(runner);
    // The runner refuses to run as root; listing the tests is harmless.
    list.arg("--list").env("UV_RUN_AS_ROOT", "1").env("LD_LIBRARY_PATH", library.parent().unwrap_or(library));
    let ran = list.output().with_context(|| format!("cannot start {}", runner.display()))?;
    let text = String::from_utf8_lossy(&ran.stdout);
    let names: Vec<_> = text.lines().filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect();
    if !ran.status.success() || names.is_empty() {
        bail!("{} --list ended with {}: {}", runner.display(), ran.status, String::from_utf8_lossy(&ran.stderr));
    }
    Ok(names)
}

/// The selected tests; an unknown name is an error.
fn select(all: Vec<String>, args: &Args) -> Result<Vec<String>> {
    if args.names.is_empty() {
        let family = |name: &str| VALGRIND_PREFIXES.iter().any(|family| name.starts_with(family));
        return Ok(all.into_iter().filter(|name| !args.valgrind || family(name)).collect());
    }
    let means = |word: &str, name: &str| word.strip_suffix('*').map_or(word == name, |start| name.starts_with(start));
    if let Some(word) = args.names.iter().find(|word| !all.iter().any(|name| means(word, name))) {
        bail!("libuv has no test {word:?}; `cargo xtask uv-suite 'tcp_*'` would run a family");
    }
    Ok(all.into_iter().filter(|name| args.names.iter().any(|word| means(word, name))).collect())
}

/// The state that all runs share.
struct Suite<'a> {
    root: SandboxRoot,
    runner: PathBuf,
    fixtures: PathBuf,
    args: &'a Args,
}

impl Suite<'_> {
    /// Runs `names` on all sides in parallel, then once more, one by one, those that failed and are not known to.
    fn run(
        &self,
        sides: &[(Side, PathBuf)],
        names: &[String],
        known: &KnownFailures,
    ) -> Result<BTreeMap<Side, Verdicts>> {
        for (side, library) in sides {
            let lib = self.root.folder(&format!("lib-{}", side.name()))?;
            self.root.copy(library, &lib.join("libuv.so.1"))?;
        }
        let cpus = std::thread::available_parallelism().map_or(2, usize::from);
        let jobs = self.args.jobs.map_or_else(|| (cpus * 2).min(8), usize::from);
        let done = AtomicUsize::new(0);
        let first: Vec<_> = std::thread::scope(|scope| {
            let pass = |side: Side| self.pass(side, names, jobs.min(names.len()), &done, names.len() * sides.len());
            let threads: Vec<_> = sides.iter().map(|(side, _)| (*side, scope.spawn(move || pass(*side)))).collect();
            threads.into_iter().map(|(side, thread)| Ok((side, joined(thread)?))).collect::<Result<_>>()
        })?;
        let mut results: BTreeMap<_, Verdicts> = first.into_iter().collect();
        for (side, verdicts) in &mut results {
            let again: Vec<_> = verdicts.failures().filter(|name| !known.has(name)).map(str::to_owned).collect();
            if !again.is_empty() {
                println!("   {} failed on {}: once more, one by one", again.len(), side.name());
                let second = self.pass(*side, &again, 1, &AtomicUsize::new(0), again.len())?;
                verdicts.amend(second);
            }
        }
        Ok(results)
    }

    /// Runs `names` on one library, `jobs` at a time.
    fn pass(&self, side: Side, names: &[String], jobs: usize, done: &AtomicUsize, all: usize) -> Result<Verdicts> {
        let verdicts = Mutex::new(Verdicts::default());
        let (next, until) = (AtomicUsize::new(0), Instant::now() + TOTAL_LIMIT);
        std::thread::scope(|scope| {
            let work = |job: usize| -> Result<()> {
                let mut sandbox = self.open(side, job)?;
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if Instant::now() > until {
                        bail!("the tests took more than {} s on {}", TOTAL_LIMIT.as_secs(), side.name());
                    }
                    let outcome = match self.test(&mut sandbox, name) {
                        Ok(outcome) => outcome,
                        Err(error) => {
                            sandbox = self.open(side, job)?;
                            Outcome::Failed(format!("{error:#}"))
                        }
                    };
                    verdicts.lock().unwrap_or_else(PoisonError::into_inner).insert(name, outcome);
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    if done.is_multiple_of(100) {
                        println!("   {done} of {all}");
                    }
                }
                Ok(())
            };
            let threads: Vec<_> = (0..jobs).map(|job| scope.spawn(move || work(job))).collect();
            threads.into_iter().try_for_each(joined)
        })?;
        Ok(verdicts.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// A sandbox for one library, with the working directory that the tests expect.
    fn open(&self, side: Side, job: usize) -> Result<Sandbox> {
        let name = format!("{}-{job}", side.name());
        let folder = self.root.folder(&name)?;
        fs::remove_dir_all(&folder).and_then(|()| fs::create_dir(&folder)).context("cannot empty a working folder")?;
        let folder = self.root.folder(&name)?;
        self.root.folder(&format!("{name}/test"))?;
        self.root.copy(&self.fixtures, &folder.join("test/fixtures"))?;
        let file_name = self.runner.file_name().unwrap_or_default();
        self.root.copy(&self.runner, &folder.join(file_name))?;
        let library = folder.with_file_name(format!("lib-{}", side.name()));
        let library = library.to_string_lossy();
        let allowed = folder.with_file_name(format!("{name}-leaks"));
        fs::write(&allowed, FORK_LEAKS).with_context(|| format!("cannot write {}", allowed.display()))?;
        let leaks = format!("suppressions={}:print_suppressions=0", allowed.display());
        let mut env = vec![("LD_LIBRARY_PATH", &*library), ("UV_TEST_TIMEOUT_MULTIPLIER", "2")];
        if self.args.valgrind {
            // The runner executes this file name without searching PATH.
            std::os::unix::fs::symlink(valgrind()?, folder.join("valgrind")).context("cannot link valgrind")?;
            env = vec![("LD_LIBRARY_PATH", &*library), ("UV_TEST_TIMEOUT_MULTIPLIER", "10"), ("UV_USE_VALGRIND", "1")];
        }
        if self.args.asan {
            env = vec![
                ("LD_LIBRARY_PATH", &*library),
                ("UV_TEST_TIMEOUT_MULTIPLIER", "10"),
                ("ASAN_OPTIONS", ASAN_OPTIONS),
                ("LSAN_OPTIONS", &*leaks),
            ];
        }
        self.root.open(&name, &folder, &env)
    }

    fn test(&self, sandbox: &mut Sandbox, name: &str) -> Result<Outcome> {
        let runner = self.runner.file_name().unwrap_or_default().to_string_lossy();
        let limit = if self.args.valgrind || self.args.asan { LIMIT * 3 } else { LIMIT };
        Ok(outcome_of(&sandbox.run(&format!("./{runner} {name}"), limit)?))
    }
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|_| bail!("a thread that runs tests panicked"))
}

fn valgrind() -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("valgrind")).find(|file| file.exists());
    found.context("valgrind is not here (Debian: apt install valgrind)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(args: &[&str]) -> Result<Vec<String>> {
        let all = ["fs_stat", "idna_toascii", "tcp_bind", "tcp_open"].map(str::to_owned).to_vec();
        select(all, &Args::parse_from([&["uv-suite"], args].concat()))
    }

    #[test]
    fn names_select_tests_and_an_unknown_one_is_an_error() {
        assert_eq!(choose(&[]).unwrap().len(), 4);
        assert_eq!(choose(&["--asan"]).unwrap().len(), 4);
        assert_eq!(choose(&["tcp_*"]).unwrap(), ["tcp_bind", "tcp_open"]);
        assert_eq!(choose(&["tcp_open", "fs_stat"]).unwrap(), ["fs_stat", "tcp_open"]);
        assert!(choose(&["tcp"]).unwrap_err().to_string().contains("tcp"));
        assert_eq!(choose(&["--valgrind"]).unwrap(), ["fs_stat", "tcp_bind", "tcp_open"]);
    }
}
