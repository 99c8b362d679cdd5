//! Workers under stress: many at once, floods of messages, ends at any moment. The scripts are in `workers/`.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Whether there is time for the long form: two million messages, a thousand workers.
fn is_long() -> bool {
    std::env::var_os("PHASOR_STRESS").is_some()
}

/// Standard output of a script, which has to end well, in a time that is never needed.
fn run(script: &str, args: &[&str]) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/workers").join(script);
    let mut child = Command::new(env!("CARGO_BIN_EXE_phasor"))
        .arg(path)
        .args(args)
        .env_remove("NODE_OPTIONS")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let limit = Instant::now() + Duration::from_secs(if is_long() { 1200 } else { 240 });
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > limit {
            child.kill().unwrap();
            panic!("{script} does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{script} ended with {}: {text}", output.status);
    text
}

#[test]
fn many_workers_leave_nothing_behind() {
    let (count, seed) = (if is_long() { "1000" } else { "200" }, std::process::id().to_string());
    assert_eq!(run("many.js", &[count, &seed]).trim(), "true true true", "seed {seed}");
}

#[test]
fn what_a_worker_had_goes_with_it() {
    let megabytes: i32 = run("memory.js", &[]).trim().parse().unwrap();
    assert!(megabytes < 40, "ten workers left {megabytes} MB of their 120 behind");
}

#[test]
fn a_flood_of_messages_starves_no_timer() {
    assert_eq!(run("flood.js", &[if is_long() { "2000000" } else { "100000" }]).trim(), "true true true true");
}

#[test]
fn a_worker_can_be_ended_whatever_it_does() {
    let busy = [
        "loop",
        "caught",
        "wait",
        "microtasks",
        "ticks",
        "immediates",
        "timers",
        "idle",
        "generator",
        "async",
        "sort",
        "proxy",
        "accessor",
        "regexp",
        "exit",
    ];
    let full = ["objects", "caught", "awaits", "buffer", "messages"];
    let mut expected: Vec<String> = busy.iter().map(|name| format!("{name} 1")).collect();
    expected.extend(full.iter().map(|name| format!("{name} ERR_WORKER_OUT_OF_MEMORY 1")));
    expected.push("bystander lives".to_owned());
    let said = run("ends.js", &[]);
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}
