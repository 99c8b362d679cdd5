//! `phasor doctor`: each detector has a program in `doctor/` that must trigger it, and one that looks alike and must trigger nothing.
//!
//! The programs keep busy for fixed times of the clock, so that a slow machine makes findings clearer. It may also interrupt a good
//! program for longer than a threshold; but not in each of three runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use phasor_lens::json::Json;

/// How often a program is run before its result counts.
const RUNS: usize = 3;

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/doctor").join(name)
}

/// Runs the doctor. Returns its exit code and its report.
fn doctor(options: &[&str], name: &str) -> (i32, Json) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasor"));
    command.args(["doctor", "--json"]).args(options).arg(program(name));
    command.env_remove("NODE_OPTIONS").env("NO_COLOR", "1").stdin(Stdio::null()).stdout(Stdio::null());
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    // The program's own errors come before the report.
    let report = text.lines().rev().find(|line| line.starts_with('{')).unwrap_or_else(|| panic!("no report: {text}"));
    (output.status.code().unwrap_or(-1), Json::parse(report).unwrap())
}

/// Checks that a detector names a line of the bad program that contains `code`, and that the good one has no findings.
fn check(detector: &str, extension: &str, code: &str, options: &[&str]) {
    let bad = format!("{detector}-bad.{extension}");
    let source = std::fs::read_to_string(program(&bad)).unwrap();
    // Two of the detectors have a program more.
    let detector_id = if detector == "timer-leak" { "handle-leak" } else { detector };
    let mut last = String::new();
    let is_found = (0..RUNS).any(|_| {
        let (status, report) = doctor(options, &bad);
        last = report.to_string();
        let findings = report.get("findings").unwrap().items();
        let found = findings.iter().find(|finding| finding.text("detector") == detector_id);
        found.is_some_and(|finding| {
            assert_eq!(status, 1, "{last}");
            assert!(!finding.text("title").is_empty() && !finding.text("remedy").is_empty(), "{last}");
            assert!(!finding.get("evidence").unwrap().items().is_empty(), "{last}");
            let location = finding.get("location").unwrap();
            let line = source.lines().nth(location.number("line") as usize - 1).unwrap_or_default();
            assert!(location.text("file").ends_with(&bad), "{last}");
            line.contains(code)
        })
    });
    assert!(is_found, "{detector} does not name {code:?}: {last}");

    let good = format!("{detector}-good.{extension}");
    let is_healthy = (0..RUNS).any(|_| {
        let (status, report) = doctor(&[], &good);
        last = report.to_string();
        assert_eq!(report.number("exitCode"), 0.0, "{last}");
        status == 0 && report.get("healthy").and_then(Json::as_bool) == Some(true)
    });
    assert!(is_healthy, "a false alarm: {last}");
}

#[test]
fn blocked_loop() {
    check("blocked-loop", "js", "sum += Math.sqrt", &[]);
}

#[test]
fn tick_starvation() {
    check("tick-starvation", "js", "process.nextTick(pollWithTicks)", &[]);
}

#[test]
fn microtask_starvation() {
    check("microtask-starvation", "js", "performance.now() < end", &[]);
}

#[test]
fn accept_starvation() {
    check("accept-starvation", "js", "function runJob()", &[]);
}

#[test]
fn pool_saturation() {
    check("pool-saturation", "js", "crypto.pbkdf2(", &[]);
}

#[test]
fn late_timers() {
    check("late-timers", "js", "while (performance.now() < end);", &[]);
}

#[test]
fn interval_drift() {
    check("interval-drift", "js", "function refresh()", &[]);
}

#[test]
fn event_before_listener() {
    check("event-before-listener", "js", "database.on('open'", &[]);
}

#[test]
fn unbounded_queue() {
    check("unbounded-queue", "js", "storage.write(chunk)", &[]);
}

#[test]
fn handle_leak() {
    check("handle-leak", "js", "dgram.createSocket", &[]);
}

#[test]
fn leaked_intervals() {
    check("timer-leak", "js", "setInterval(", &[]);
}

#[test]
fn unsettled_await() {
    check("unsettled-await", "mjs", "await new Promise", &[]);
}

/// The program does not end: it is examined when it has been idle for two seconds, and ended after eight.
#[test]
fn keeps_alive() {
    check("keeps-alive", "js", "port1.on(", &["--for", "8s"]);
}

/// Samples must not end a regular expression, which the engine starts again for each of them.
#[test]
fn a_long_regular_expression_is_not_disturbed() {
    let (_, report) = doctor(&[], "regular-expression.js");
    assert_eq!(report.number("exitCode"), 0.0, "{report}");
}

/// The report in text; the program's exit code is told, and is not the doctor's.
#[test]
fn the_report_is_text_for_people() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasor"));
    command.arg("doctor").arg(program("unsettled-await-bad.mjs")).env_remove("NODE_OPTIONS").stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in ["phasor doctor: 1 finding", "[unsettled-await]", "Where:", "Seen:", "Remedy:", "exit code 13"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert!(!text.contains('\x1b'), "{text}");
}

#[test]
fn what_cannot_be_examined_is_refused() {
    let said = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_phasor"));
        let output = command.arg("doctor").args(arguments).stdin(Stdio::null()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, text) = said(&["1"]);
    assert!(status == Some(9) && text.contains("process 1 runs already"), "{text}");
    let (status, text) = said(&["--for", "soon", "app.js"]);
    assert!(status == Some(9) && text.contains("is not a time"), "{text}");
    let (status, text) = said(&["-o", "/no/such/folder/x", "app.js"]);
    assert!(status == Some(2) && text.contains("cannot write /no/such/folder/x"), "{text}");
}
