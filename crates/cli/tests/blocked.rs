//! `--blocked` and `onBlocked`: programs that block their loop in many ways. The report names the line and the function.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of a test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("phasor-watchdog-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("a script can be written");
    }

    /// Runs `app.js` in the folder.
    fn run(&self, flags: &[&str]) -> Output {
        let mut command = Command::new("timeout");
        command.args(["120", env!("CARGO_BIN_EXE_phasor")]).args(flags).arg("app.js");
        command.current_dir(&self.0).env_remove("NODE_OPTIONS").stdin(Stdio::null());
        command.output().expect("phasor starts")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The lines that a program without errors prints on standard error.
fn lines_of(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned).collect()
}

/// Runs a program with a limit of 50 ms. Returns the reports that name a place; each has a first line and its details.
fn reports_at(folder: &Folder, script: &str, place: &str) -> Vec<String> {
    folder.write("app.js", script);
    let lines = lines_of(&folder.run(&["--blocked=50ms"]));
    let mut reports: Vec<String> = Vec::new();
    for line in &lines {
        match reports.last_mut().filter(|_| line.starts_with(' ')) {
            Some(report) => report.push_str(&format!("\n{line}")),
            None => reports.push(line.clone()),
        }
    }
    let found: Vec<String> = reports.iter().filter(|report| report.contains(place)).cloned().collect();
    assert!(found.len() >= 2, "no report and total of {place}: {lines:#?}");
    found
}

/// The number before `ms` in a report.
fn milliseconds(report: &str) -> u64 {
    let (before, _) = report.split_once(" ms").expect("a duration");
    let digits = before.rsplit(' ').next().expect("a number").replace(',', "");
    digits.parse().expect("a number")
}

/// Checks the report of a program that blocks once: what it names, and the total.
fn check(script: &str, place: &str, names: &[&str], least_ms: u64) {
    let reports = reports_at(&Folder::new(), script, place);
    check_reports(&reports, names, least_ms);
}

fn check_reports(reports: &[String], names: &[&str], least_ms: u64) {
    let (first, total) = (&reports[0], &reports[reports.len() - 1]);
    assert!(first.starts_with("phasor: the loop") && first.contains(" is blocked for "), "{reports:#?}");
    for name in names {
        assert!(first.contains(name), "{name}: {reports:#?}");
    }
    assert!(milliseconds(first) >= 50, "{reports:#?}");
    assert!(total.contains(" was blocked for ") && milliseconds(total) >= least_ms, "{reports:#?}");
}

const SPIN: &str = "
function spin(ms) {
  const until = performance.now() + ms;
  let count = 0;
  while (performance.now() < until) count++;
  return count;
}
";

#[test]
fn a_loop_of_javascript() {
    let script =
        "setTimeout(function slow() {\n  const until = Date.now() + 250;\n  while (Date.now() < until);\n}, 1);";
    check(script, "app.js:3:", &["at slow (", "callback: a timer"], 240);
}

#[test]
fn the_main_script_an_immediate_a_tick_and_an_event() {
    check(&format!("{SPIN}\nspin(200);"), "app.js:5:", &["at spin (", "callback: the main script"], 190);
    check(&format!("{SPIN}\nsetImmediate(() => spin(200));"), "app.js:5:", &["at spin (", "an immediate"], 190);
    let script =
        "const until = Date.now() + 300;\nconst again = () => { if (Date.now() < until) process.nextTick(again); };
      setTimeout(again, 1);";
    check(script, "app.js:2:", &[" ticks and 0 microtasks", "callback: a timer"], 200);
    let script =
        "const until = Date.now() + 300;\nconst again = () => { if (Date.now() < until) queueMicrotask(again); };
      setTimeout(again, 1);";
    check(script, "app.js:2:", &["0 ticks and ", " microtasks ran", "callback: a timer"], 200);
    let script = "const until = Date.now() + 300;
      async function run() {\n  while (Date.now() < until) await null;\n}\nsetTimeout(run, 1);";
    check(script, "app.js:3:", &["0 ticks and ", "run (", "callback: a timer"], 200);
}

#[test]
fn json() {
    let script = "const text = '[' + '{\"id\":1,\"name\":\"text\",\"list\":[1,2,3]},'.repeat(1_300_000) + '1]';
setTimeout(function parse() {
  JSON.parse(text);
}, 1);";
    check(script, "app.js:3:", &["by JSON.parse(text of 49.4 MB)", "at parse (", "callback: a timer"], 100);
    let script = "const list = Array.from({ length: 1_000_000 }, (_, id) => ({ id, name: 'text' }));
setTimeout(function write() {
  JSON.stringify(list);
}, 1);";
    check(script, "app.js:3:", &["at write ("], 100);
}

#[test]
fn a_native_function_that_is_not_registered() {
    let script = "const big = 3n ** 350_000n;
setTimeout(function digits() { return big.toString(); }, 1);";
    check(script, "app.js:2:", &["at or just before", "callback: a timer"], 120);
    let folder = Folder::new();
    folder.write("app.js", script);
    let lines = lines_of(&folder.run(&["--blocked=50ms"]));
    assert!(lines.iter().any(|line| line.ends_with("native code; its line follows when it returns")), "{lines:#?}");
}

#[test]
fn a_regular_expression() {
    let script = "let text = 'a'.repeat(22);
setTimeout(function match() {
  let took = 0;
  while (took < 300) {
    const began = Date.now();
    /^(a+)+$/.test(text + 'b');
    took = Date.now() - began;
    text += 'a';
  }
  console.log('ended');
}, 1);";
    let folder = Folder::new();
    let reports = reports_at(&folder, script, "app.js:6:");
    check_reports(&reports, &["at match ("], 300);
    let output = folder.run(&["--blocked=50ms"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ended\n", "the expression is not given up");
}

#[test]
fn synchronous_calls() {
    let script = "const { execSync } = require('child_process');
setTimeout(function run() {
  execSync('sleep 0.3');
}, 1);";
    check(script, "app.js:3:", &["child_process.execSync('/bin/sh -c sleep 0.3')", "at run ("], 290);
    let script = "const crypto = require('crypto');
setTimeout(function hash() {
  crypto.pbkdf2Sync('password', 'salt', 300_000, 64, 'sha512');
}, 1);";
    check(script, "app.js:3:", &["crypto.pbkdf2Sync(sha512, 300000 rounds, 64 bytes)", "at hash ("], 50);
    let script = "const zlib = require('zlib');
const bytes = Buffer.alloc(6e6, 'some text');
setTimeout(function pack() {
  zlib.gzipSync(bytes, { level: 9 });
}, 1);";
    check(script, "app.js:4:", &["zlib.gzipSync(6000000 bytes)", "at pack ("], 50);
    let script = "setTimeout(function wait() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
}, 1);";
    check(script, "app.js:2:", &["at wait ("], 290);
}

#[test]
fn a_slow_pipe() {
    let folder = Folder::new();
    let made = Command::new("mkfifo").arg(folder.0.join("pipe")).status().expect("mkfifo starts");
    assert!(made.success());
    let script = "const fs = require('fs');
require('child_process').spawn('sh', ['-c', 'sleep 0.4; echo text > pipe']);
setTimeout(function load() {
  console.log(fs.readFileSync('pipe', 'utf8'));
}, 1);";
    let reports = reports_at(&folder, script, "app.js:4:");
    check_reports(&reports, &["fs.readFileSync('pipe')", "at load ("], 100);
}

#[test]
fn a_worker() {
    let folder = Folder::new();
    let worker = format!(
        "{SPIN}\nsetTimeout(function slow() {{ spin(200); require('child_process').execSync('sleep 0.2'); }}, 1);"
    );
    folder.write("worker.js", &worker);
    let reports = reports_at(&folder, "new (require('worker_threads').Worker)('./worker.js');", "worker.js:");
    check_reports(&reports, &["the loop of worker 1 is blocked", "at slow ("], 390);
}

#[test]
fn the_http_request_is_named_also_after_an_await() {
    let script = format!(
        "const http = require('http');
const server = http.createServer(async (request, response) => {{
  await new Promise((resolve) => setTimeout(resolve, 5));
  spin(150);
  response.end();
}});
server.listen(0, '127.0.0.1', () => {{
  http.get({{ host: '127.0.0.1', port: server.address().port, path: '/users?id=1' }}, (response) => {{
    response.resume();
    server.close();
  }});
}});{SPIN}"
    );
    check(&script, "app.js:16:", &["at spin (", "http request: GET /users?id=1"], 140);
}

/// Runs a program that does not block, again if the machine stops it for long.
fn is_silent(script: &str, flag: &str) {
    let folder = Folder::new();
    folder.write("app.js", script);
    let outputs: Vec<Output> = (0..5).map(|_| folder.run(&[flag])).collect();
    assert!(outputs.iter().any(|output| lines_of(output).is_empty()), "{outputs:#?}");
}

#[test]
fn a_healthy_program_is_not_reported() {
    let script = format!(
        "{SPIN}\nlet count = 0;
const timer = setInterval(() => {{ spin(20); if (++count === 30) clearInterval(timer); }}, 5);
require('fs').readFile(__filename, () => {{}});"
    );
    is_silent(&script, "--blocked=200ms");
}

#[test]
fn a_flood_of_short_callbacks_is_not_reported() {
    let script = "let left = 100_000;
function more() {
  for (let at = 0; at < 10_000; at++) {
    setImmediate(() => { for (let step = 0; step < 1000; step++); left--; });
    setTimeout(() => { for (let step = 0; step < 1000; step++); }, 1);
  }
  if (left > 20_000) setImmediate(more);
}
more();";
    is_silent(script, "--blocked=200ms");
}

#[test]
fn an_exit_in_a_block_ends_the_report_and_an_error_is_none() {
    let folder = Folder::new();
    folder.write("app.js", &format!("{SPIN}\nsetTimeout(() => {{ spin(150); process.exit(3); }}, 1);"));
    let output = folder.run(&["--blocked=50ms"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3));
    assert!(text.lines().last().is_some_and(|line| line.contains(" was blocked for ")), "{text}");
    folder.write("app.js", "setTimeout(() => { throw new Error('an error'); }, 1);");
    let output = folder.run(&["--blocked=1s"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && text.contains("an error") && !text.contains("block"), "{text}");
}

#[test]
fn standard_error_may_be_closed() {
    let folder = Folder::new();
    folder.write("app.js", &format!("{SPIN}\nsetTimeout(() => {{ spin(150); console.log('ended'); }}, 1);"));
    let mut command = Command::new("sh");
    command.args(["-c", "timeout 120 \"$0\" --blocked=50ms app.js 2>&-", env!("CARGO_BIN_EXE_phasor")]);
    let output = command.current_dir(&folder.0).env_remove("NODE_OPTIONS").output().expect("phasor starts");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "ended\n");
}

#[test]
fn listeners_are_told_after_the_block() {
    let folder = Folder::new();
    let script = format!(
        "const {{ onBlocked }} = require('phasor:loop');
const stop = onBlocked(50, (block) => {{
  console.log(block.ms >= 150, block.native, block.stack.includes('at slow ('));
  stop();
  other();
  setTimeout(call, 1);
}});
const other = onBlocked(60_000, () => console.log('too early'));
setTimeout(function slow() {{ spin(150); }}, 1);
function call() {{
  const end = onBlocked(50, (block) => {{ end(); console.log(block.native, block.stack.includes('at call (')); }});
  setTimeout(function call() {{ require('child_process').execSync('sleep 0.2'); }}, 1);
  setTimeout(() => {{}}, 300);
}}
setTimeout(() => {{}}, 200);{SPIN}"
    );
    folder.write("app.js", &script);
    let output = folder.run(&[]);
    assert!(lines_of(&output).is_empty(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text, "true undefined true\nchild_process.execSync('/bin/sh -c sleep 0.2') true\n");
}

#[test]
fn the_flag_is_checked() {
    let folder = Folder::new();
    folder.write("app.js", "");
    for value in ["soon", "0", "-5ms", "1h"] {
        let output = folder.run(&[&format!("--blocked={value}")]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(9) && text.contains("no time of a millisecond or more"), "{text}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_phasor"))
        .args(["-e", "const until = Date.now() + 200; while (Date.now() < until);"])
        .env("NODE_OPTIONS", "--blocked=50")
        .output()
        .expect("phasor starts");
    assert!(String::from_utf8_lossy(&output.stderr).contains("is blocked for"), "{output:?}");
}

#[test]
fn functions_that_are_registered_look_like_the_originals() {
    let folder = Folder::new();
    folder.write(
        "app.js",
        "const about = (f) => [f.name, f.length, 'prototype' in f, /native code/.test(f)].join();
console.log(about(JSON.parse), about(JSON.stringify), Object.keys(JSON).length);
console.log(JSON.stringify(JSON.parse('{\"a\":[1]}', (key, value) => value), null, 1));
for (const call of [() => JSON.parse('{x'), () => new JSON.parse('1'), () => JSON.stringify(1n)]) {
  try { call(); } catch (error) { console.log(error.message, error.stack.split('\\n').length); }
}",
    );
    let [watched, plain] = [&["--blocked=10s"][..], &[]].map(|flags| folder.run(flags).stdout);
    assert_eq!(String::from_utf8_lossy(&watched), String::from_utf8_lossy(&plain));
}
