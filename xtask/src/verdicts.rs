//! The results of libuv's tests on each library: parsing the runner's output, comparing the libraries, and the list of known failures.
//!
//! The list may only shrink: a listed test that passes is an error too.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::sandbox::Ran;
use crate::uv_suite::Side;

/// How many lines of a failed test's output are printed.
const SHOWN_LINES: usize = 40;

/// The result of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// The test failed, then passed when it ran alone. Contains the output of the failure.
    Flaky(String),
    /// With the reason that the test prints.
    Skipped(String),
    /// With the output.
    Failed(String),
}

/// Parses the runner's output for a single test.
pub(crate) fn outcome_of(ran: &Ran) -> Outcome {
    let skip = ran.output.lines().find_map(|line| line.strip_prefix("ok 1 - ")?.split_once(" # SKIP"));
    match (ran.code, skip) {
        (0 | 7, Some((_, why))) => Outcome::Skipped(why.trim().to_owned()),
        (0, None) => Outcome::Passed,
        (124 | 137, _) => Outcome::Failed(format!("killed: it took too long\n{}", ran.output)),
        (code, _) => Outcome::Failed(format!("the runner ended with {code}\n{}", ran.output)),
    }
}

/// The results of one library, by test name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdicts(BTreeMap<String, Outcome>);

impl Verdicts {
    pub(crate) fn insert(&mut self, name: &str, outcome: Outcome) {
        self.0.insert(name.to_owned(), outcome);
    }

    /// The failed tests, each with its output.
    fn failed(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|(name, outcome)| match outcome {
            Outcome::Failed(output) => Some((name.as_str(), output.as_str())),
            _ => None,
        })
    }

    /// The names of the failed tests.
    pub(crate) fn failures(&self) -> impl Iterator<Item = &str> {
        self.failed().map(|(name, _)| name)
    }

    /// Merges a second run of failed tests: those that pass now are flaky.
    pub(crate) fn amend(&mut self, second: Verdicts) {
        for (name, outcome) in second.0 {
            let flaky = match (self.0.get(&name), &outcome) {
                (Some(Outcome::Failed(output)), Outcome::Passed) => Some(Outcome::Flaky(output.clone())),
                _ => None,
            };
            self.0.insert(name, flaky.unwrap_or(outcome));
        }
    }

    /// Whether there is a result for each of `names`.
    pub(crate) fn covers(&self, names: &[String]) -> bool {
        names.iter().all(|name| self.0.contains_key(name))
    }

    /// The results of `names` only.
    pub(crate) fn only(mut self, names: &[String]) -> Verdicts {
        self.0.retain(|name, _| names.contains(name));
        self
    }

    /// Stores the results without the output, together with the kernel version.
    pub(crate) fn to_cache(&self, file: &Path) -> Result<()> {
        let mut text = format!("{}\n", machine());
        for (name, outcome) in &self.0 {
            let word = match outcome {
                Outcome::Passed | Outcome::Flaky(_) => "passed",
                Outcome::Skipped(_) => "skipped",
                Outcome::Failed(_) => "failed",
            };
            let _ = writeln!(text, "{word} {name}");
        }
        fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
    }

    /// Reads the results that [`to_cache`](Self::to_cache) stored; nothing if there are none or they are from another kernel.
    pub(crate) fn from_cache(file: &Path) -> Option<Verdicts> {
        let text = fs::read_to_string(file).ok()?;
        let (kernel, lines) = text.split_once('\n')?;
        let outcome = |line: &str| {
            let (word, name) = line.split_once(' ')?;
            let cached = || "(from an earlier run)".to_owned();
            let outcome = match word {
                "passed" => Outcome::Passed,
                "skipped" => Outcome::Skipped(cached()),
                "failed" => Outcome::Failed(cached()),
                _ => return None,
            };
            Some((name.to_owned(), outcome))
        };
        (kernel == machine()).then(|| lines.lines().map(outcome).collect::<Option<_>>()).flatten().map(Verdicts)
    }
}

/// The kernel version: beside libuv's version, the results of real libuv depend on it.
fn machine() -> String {
    fs::read_to_string("/proc/version").unwrap_or_default().trim().to_owned()
}

/// The tests that are known to fail on ours, with the reasons.
#[derive(Debug, Default)]
pub(crate) struct KnownFailures(BTreeMap<String, String>);

impl KnownFailures {
    /// Reads the list. A missing file is an empty list.
    pub(crate) fn read(file: &Path) -> Result<KnownFailures> {
        match fs::read_to_string(file) {
            Ok(text) => KnownFailures::parse(&text).with_context(|| format!("in {}", file.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(KnownFailures::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
        }
    }

    /// Whether a test is in the list.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Parses lines of the form `name: reason`; `#` starts a comment.
    fn parse(text: &str) -> Result<KnownFailures> {
        let mut known = BTreeMap::new();
        for (line, number) in text.lines().map(str::trim).zip(1..) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match line.split_once(':').map(|(name, reason)| (name.trim(), reason.trim())) {
                Some((name, reason)) if !name.is_empty() && !reason.is_empty() => {
                    if known.insert(name.to_owned(), reason.to_owned()).is_some() {
                        bail!("line {number}: {name} is listed twice");
                    }
                }
                _ => bail!("line {number} is not `name: reason`"),
            }
        }
        Ok(KnownFailures(known))
    }

    /// An error if a test that passes on real libuv fails on ours and is not listed, or if a listed test passes.
    pub(crate) fn judge(&self, results: &BTreeMap<Side, Verdicts>) -> Result<()> {
        let Some(ours) = results.get(&Side::Ours) else { return Ok(()) };
        let (mut worse, mut better) = (Vec::new(), Vec::new());
        for (name, outcome) in &ours.0 {
            let real = results.get(&Side::Real).and_then(|real| real.0.get(name));
            let must_pass = matches!(real, None | Some(Outcome::Passed | Outcome::Flaky(_)));
            let listed = self.has(name);
            match outcome {
                Outcome::Passed | Outcome::Flaky(_) if listed => better.push(name.as_str()),
                Outcome::Failed(_) if must_pass && !listed => worse.push(name.as_str()),
                // A skipped test means that the machine lacks something. If it runs on libuv it must run on ours too, except for
                // io_uring, which ours does not use.
                Outcome::Skipped(why) if real.is_some() && must_pass && !listed && !why.contains("io_uring") => {
                    worse.push(name.as_str());
                }
                _ => {}
            }
        }
        let mut faults = Vec::new();
        if !worse.is_empty() {
            faults.push(format!("{} tests that must pass do not: {}", worse.len(), worse.join(" ")));
        }
        if !better.is_empty() {
            let list = "crates/uv/suite/known_failures.txt";
            faults.push(format!("{} tests pass, so remove them from {list}: {}", better.len(), better.join(" ")));
        }
        if faults.is_empty() { Ok(()) } else { bail!("{}", faults.join("; ")) }
    }
}

/// A report for people: counts, flaky tests, failures with their output, and differences.
pub(crate) fn report(results: &BTreeMap<Side, Verdicts>, known: &KnownFailures) -> String {
    let mut text = String::new();
    for (side, verdicts) in results {
        for (name, output) in verdicts.failed().filter(|(name, _)| !known.has(name)) {
            let _ = writeln!(text, "\n-- {name} fails on {}:", side.name());
            let lines: Vec<_> = output.lines().collect();
            for line in lines.iter().take(SHOWN_LINES) {
                let _ = writeln!(text, "   {line}");
            }
            if lines.len() > SHOWN_LINES {
                let _ = writeln!(text, "   … {} more lines", lines.len() - SHOWN_LINES);
            }
        }
    }
    let _ = write!(text, "\n{:<6} {:>6} {:>6} {:>7}", "", "passed", "failed", "skipped");
    for (side, verdicts) in results {
        let count = |wanted: fn(&Outcome) -> bool| verdicts.0.values().filter(|outcome| wanted(outcome)).count();
        let passed = count(|outcome| matches!(outcome, Outcome::Passed | Outcome::Flaky(_)));
        let failed = count(|outcome| matches!(outcome, Outcome::Failed(_)));
        let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
        let _ = write!(text, "\n{:<6} {passed:>6} {failed:>6} {skipped:>7}", side.name());
        let flaky: Vec<_> = verdicts.0.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Flaky(_))).collect();
        for (name, _) in flaky {
            let _ = write!(text, "\n       flaky: {name} failed among others and passed alone");
        }
    }
    if let (Some(real), Some(ours)) = (results.get(&Side::Real), results.get(&Side::Ours)) {
        text += &differences(real, ours, known);
    }
    text
}

/// A line for each test whose result differs on ours.
fn differences(real: &Verdicts, ours: &Verdicts, known: &KnownFailures) -> String {
    let word = |outcome: &Outcome| match outcome {
        Outcome::Passed | Outcome::Flaky(_) => "passes",
        Outcome::Skipped(_) => "is skipped",
        Outcome::Failed(_) => "fails",
    };
    let mut text = String::new();
    for (name, outcome) in &ours.0 {
        let Some(theirs) = real.0.get(name) else { continue };
        if word(theirs) != word(outcome) {
            let reason = known.0.get(name).map(|reason| format!(" (known: {reason})")).unwrap_or_default();
            let _ = write!(text, "\n  {name} {} on libuv, {} on ours{reason}", word(theirs), word(outcome));
        }
    }
    if text.is_empty() { "\nno difference".to_owned() } else { format!("\ndifferences:{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(code: i32, output: &str) -> Ran {
        Ran { code, output: output.to_owned(), cpu_seconds: 0.0 }
    }

    fn verdicts(all: &[(&str, Outcome)]) -> Verdicts {
        Verdicts(all.iter().map(|(name, outcome)| ((*name).to_owned(), outcome.clone())).collect())
    }

    fn failed() -> Outcome {
        Outcome::Failed("not ok 1".to_owned())
    }

    fn judge(real: Outcome, ours: Outcome, known: &str) -> Result<()> {
        let results = [(Side::Real, verdicts(&[("a", real)])), (Side::Ours, verdicts(&[("a", ours)]))];
        KnownFailures::parse(known).unwrap().judge(&results.into())
    }

    #[test]
    fn the_runner_output_is_parsed() {
        assert_eq!(outcome_of(&ran(0, "ok 1 - active\n")), Outcome::Passed);
        assert_eq!(outcome_of(&ran(7, "ok 1 - tty # SKIP no tty\n")), Outcome::Skipped("no tty".to_owned()));
        assert!(matches!(outcome_of(&ran(134, "not ok 1 - active\n")), Outcome::Failed(_)));
        assert!(matches!(outcome_of(&ran(124, "")), Outcome::Failed(text) if text.contains("too long")));
    }

    #[test]
    fn ours_must_pass_the_tests_that_libuv_passes() {
        judge(Outcome::Passed, Outcome::Passed, "").unwrap();
        assert!(judge(Outcome::Passed, failed(), "").unwrap_err().to_string().contains("must pass do not: a"));
        assert!(judge(Outcome::Passed, Outcome::Skipped(String::new()), "").is_err());
        judge(Outcome::Passed, Outcome::Skipped("io_uring is not available.".to_owned()), "").unwrap();
        judge(failed(), failed(), "").unwrap();
        judge(failed(), Outcome::Passed, "").unwrap();
        judge(Outcome::Skipped(String::new()), failed(), "").unwrap();
    }

    #[test]
    fn a_known_failure_is_allowed_and_one_that_passes_is_not() {
        judge(Outcome::Passed, failed(), "# remark\n\na: not written yet").unwrap();
        let error = judge(Outcome::Passed, Outcome::Passed, "a: not written yet").unwrap_err();
        assert!(error.to_string().contains("known_failures.txt: a"), "{error}");
        assert!(
            KnownFailures::parse("a").is_err()
                && KnownFailures::parse("a:").is_err()
                && KnownFailures::parse("a: b\na: c").is_err()
        );
    }

    #[test]
    fn a_test_that_passes_alone_is_flaky() {
        let mut first = verdicts(&[("a", failed()), ("b", failed())]);
        first.amend(verdicts(&[("a", Outcome::Passed), ("b", failed())]));
        assert_eq!(first, verdicts(&[("a", Outcome::Flaky("not ok 1".to_owned())), ("b", failed())]));
        let results = [(Side::Real, first.clone()), (Side::Ours, first)].into();
        let report = report(&results, &KnownFailures::default());
        assert!(report.contains("flaky: a") && report.contains("b fails on ours") && report.contains("no difference"));
    }

    #[test]
    fn the_cache_round_trips() {
        let file = std::env::temp_dir().join(format!("phasor-verdicts-{}", std::process::id()));
        assert_eq!(Verdicts::from_cache(&file), None);
        let all = verdicts(&[("a", Outcome::Passed), ("b", failed()), ("c", Outcome::Skipped(String::new()))]);
        all.to_cache(&file).unwrap();
        let back = Verdicts::from_cache(&file).unwrap();
        fs::remove_file(&file).unwrap();
        assert!(back.covers(&["a".to_owned(), "c".to_owned()]) && !back.covers(&["d".to_owned()]));
        assert_eq!(back.failures().collect::<Vec<_>>(), ["b"]);
        assert_eq!(back.only(&["c".to_owned()]).failures().count(), 0);
    }
}
