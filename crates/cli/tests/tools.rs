//! The commands that look into a process: `why`, `top` and `trace` of a process that runs, and `--metrics`. Real processes; each test waits
//! for conditions with a limit.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(60);

/// The user without rights that each Linux system has.
const UNPRIVILEGED: u32 = 65534;

fn phasor(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasor"));
    command.args(args).env_remove("NODE_OPTIONS").env_remove("XDG_RUNTIME_DIR").env_remove("PHASOR_CONTROL");
    command
}

/// Runs a command: its exit code, standard output and standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    let output = phasor(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn until<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(began.elapsed() < LIMIT, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A program that runs until this is dropped.
struct Program {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Program {
    /// Runs code, and waits until it has printed a line `ready`.
    fn start(code: &str) -> Program {
        Program::start_with(&["-e", code])
    }

    fn start_with(args: &[&str]) -> Program {
        let mut child = phasor(args).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut program = Program { child, lines };
        assert_eq!(program.line(), "ready");
        program
    }

    /// The next line of the program's output.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn pid(&self) -> String {
        self.child.id().to_string()
    }

    fn why(&self) -> (i32, String, String) {
        run(&["why", &self.pid()])
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([&format!("-{name}"), &self.pid()]).status().unwrap().success());
    }

    fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(socket(self.child.id()));
    }
}

/// The control socket of a process of this user.
fn socket(pid: u32) -> PathBuf {
    let user = std::fs::metadata("/proc/self").map(|found| std::os::unix::fs::MetadataExt::uid(&found)).unwrap();
    PathBuf::from(format!("/tmp/phasor-{user}/{pid}.sock"))
}

const SERVER: &str = "const server = require('net').createServer().listen(0, '127.0.0.1', () => console.log('ready'));";

#[test]
fn why_lists_what_keeps_an_idle_server_alive() {
    let mut server = Program::start(&format!("{SERVER} process.on('exit', () => console.log('exit'));"));
    assert!(!socket(server.child.id()).exists(), "nothing is open before it is asked for");
    let (code, text, error) = server.why();
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(text.contains("thread main alive") && text.contains("127.0.0.1:"), "{text}");
    let (_, json, _) = run(&["why", "--json", &server.pid()]);
    assert!(json.starts_with("{\"pid\":") && json.contains("\"loops\":[{\"thread\":\"main\""), "{json}");
    assert!(socket(server.child.id()).exists() && server.is_alive());
}

#[test]
fn a_blocked_loop_is_reported_with_the_time() {
    let program = Program::start("console.log('ready'); while (true) {}");
    let (code, text, error) = program.why();
    assert_eq!((code, error.as_str()), (0, ""));
    let ms = text
        .split("is blocked for ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .unwrap_or_else(|| panic!("{text}"));
    assert!(ms.parse::<u64>().unwrap() >= 500, "{text}");
}

#[test]
fn loops_of_workers_are_examined_too() {
    let program = Program::start(
        "const { Worker } = require('worker_threads');
         new Worker('setInterval(() => {}, 50); require(\"worker_threads\").parentPort.postMessage(1)', { eval: true })
           .on('message', () => console.log('ready'));",
    );
    let (_, text, _) = program.why();
    assert!(text.contains("thread main alive") && text.contains("thread worker 1 alive"), "{text}");
}

#[test]
fn a_listener_of_the_program_gets_the_signal() {
    let mut program = Program::start(
        "process.on('SIGUSR1', () => console.log('listener')); setInterval(() => {}, 1000); console.log('ready');",
    );
    program.signal("USR1");
    assert_eq!(program.line(), "listener");
    assert!(!socket(program.child.id()).exists());
}

#[test]
fn garbage_and_a_flood_on_the_socket_do_not_stop_the_program() {
    let mut program = Program::start("console.log('ready'); setInterval(() => console.log('tick'), 10);");
    program.signal("USR1");
    let path = socket(program.child.id());
    until("the socket opens", || UnixStream::connect(&path).ok());
    let mut open = Vec::new();
    for number in 0..200 {
        let Ok(mut stream) = UnixStream::connect(&path) else { continue };
        stream.set_nonblocking(true).unwrap();
        // Answers are not read, and lines do not end.
        let _ = stream.write_all(if number % 2 == 0 { b"\x00\xff{{{\n" } else { b"{\"ask\":\"why\"}\n{\"ask" });
        open.push(stream);
    }
    let lines: Vec<_> = (0..50).map(|_| program.line()).collect();
    assert!(lines.iter().all(|line| line == "tick"));
    drop(open);
    until("the process answers again", || program.why().1.contains("thread main alive").then_some(()));
}

#[test]
fn processes_that_cannot_be_examined_get_a_clear_error() {
    let mut ended = Command::new("true").spawn().unwrap();
    let pid = ended.id().to_string();
    ended.wait().unwrap();
    for command in ["why", "trace"] {
        assert_eq!(run(&[command, &pid]), (1, String::new(), format!("phasor {command}: there is no process {pid}\n")));
    }
    // SIGUSR1 would end it.
    let mut foreign = Command::new("sleep").arg("1000").spawn().unwrap();
    let (code, _, error) = run(&["why", &foreign.id().to_string()]);
    assert!(code == 1 && error.contains("is neither a program of phasor nor one on Phasor's libuv"), "{error}");
    assert!(foreign.try_wait().unwrap().is_none());
    foreign.kill().unwrap();
    foreign.wait().unwrap();
    let stopped = Program::start(SERVER);
    stopped.signal("STOP");
    let error = until("the process is stopped", || Some(stopped.why().2).filter(|error| !error.is_empty()));
    assert!(error.contains("is stopped"), "{error}");
    let (code, _, error) = run(&["why", "12", "13"]);
    assert!(code == 9 && error.contains("unexpected argument 13"), "{error}");
}

#[test]
fn another_user_is_refused() {
    let server = Program::start(SERVER);
    let mut command = phasor(&["why", &server.pid()]);
    let Ok(output) = command.uid(UNPRIVILEGED).gid(UNPRIVILEGED).output() else { return };
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("may look into it"), "{error}");
    // The socket itself refuses too: its folder cannot be entered.
    server.signal("USR1");
    let path = socket(server.child.id());
    until("the socket opens", || UnixStream::connect(&path).ok());
    let mut cat = Command::new("ls");
    let refused = cat.arg(&path).uid(UNPRIVILEGED).gid(UNPRIVILEGED).stderr(Stdio::null()).status().unwrap();
    assert!(!refused.success());
}

#[test]
fn a_process_that_runs_is_recorded() {
    let folder = std::env::temp_dir().join(format!("phasor-tools-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let program = Program::start("setInterval(() => {}, 1); console.log('ready');");
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (code, _, error) = run(&["trace", "--for", "300ms", "-o", &at("a.phasor"), &program.pid()]);
    assert!(code == 0 && error.contains("callbacks of 1 thread in 1 process"), "{error}");
    let recording = phasor_lens::Recording::read(Path::new(&at("a.phasor"))).unwrap();
    assert!(recording.is_complete && recording.process.pid == program.child.id());
    assert!(recording.threads[&1].records.len() > 100);
    for (name, begin) in [("a.html", "<!doctype html"), ("a.json", "{")] {
        let (code, _, error) = run(&["trace", "convert", &at("a.phasor"), &at(name)]);
        assert_eq!(code, 0, "{error}");
        let text = std::fs::read_to_string(at(name)).unwrap();
        assert!(text.to_ascii_lowercase().starts_with(begin), "{name}: {text:.100}");
    }
    // Again: the first recording has ended.
    assert_eq!(run(&["trace", "--for=100ms", "-o", &at("b.json"), &program.pid()]).0, 0);
    assert!(
        !std::fs::read_dir(&folder)
            .unwrap()
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().contains(&program.pid()))
    );
    std::fs::write(at("foreign.phasor"), "hello").unwrap();
    let (code, _, error) = run(&["trace", "convert", &at("foreign.phasor"), &at("c.html")]);
    assert!(code == 1 && error.contains("not a recording of phasor"), "{error}");
    let (code, _, error) = run(&["trace", "-o", "/nowhere/at/all.html", &program.pid()]);
    assert!(code == 1 && error.contains("cannot write /nowhere/at/all.html"), "{error}");
    let (code, _, error) = run(&["trace", "-o", "x.png", &program.pid()]);
    assert!(code == 9 && error.contains(".html, .json or .phasor"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_flight_recorder_is_written_when_a_signal_ends_the_program() {
    let folder = std::env::temp_dir().join(format!("phasor-tools-ring-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let output = folder.join("ring.phasor");
    for code in [
        "console.log('ready'); setInterval(() => {}, 1);",
        "setTimeout(() => { console.log('ready'); while (true) {} }, 50);",
    ] {
        let mut trace = Program::start_with(&["trace", "--ring", "64K", "-o", output.to_str().unwrap(), "-e", code]);
        // The command passes the signal on, and the status back.
        trace.signal("TERM");
        let status = until("the command ends", || trace.child.try_wait().unwrap());
        assert_eq!(status.code(), Some(128 + 15));
        let recording = phasor_lens::Recording::read(&output).unwrap();
        assert!(recording.is_complete && !recording.threads[&1].records.is_empty());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_name_of_a_file_is_not_a_command() {
    let folder = std::env::temp_dir().join(format!("phasor-tools-name-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("why"), "console.log('a script')").unwrap();
    let output = phasor(&["why"]).current_dir(&folder).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a script\n");
    std::fs::remove_dir_all(&folder).unwrap();
    for command in ["top", "trace", "why", "with"] {
        let (code, text, _) = run(&[command, "--help"]);
        assert!(
            code == 0 && text.contains(&format!("Usage: phasor {command}")) && text.contains("Examples:"),
            "{text}"
        );
    }
}

/// The body of the answer at an address of this machine.
fn get(address: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(LIMIT)).ok()?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text;"), "{head}");
    Some(body.to_owned())
}

#[test]
fn metrics_are_served_while_the_loop_is_blocked() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let code = "setTimeout(() => { console.log('ready'); while (true) {} }, 1)";
    let program = Program::start_with(&[&format!("--metrics={free}"), "-e", code]);
    let value = |text: &str, name: &str| -> f64 {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or_else(|| panic!("{name} is missing in {text}"));
        line.trim().parse().unwrap()
    };
    until("the block is seen", || {
        let text = get(&free)?;
        assert!(text.ends_with("# EOF\n"));
        (value(&text, "phasor_eventloop_busy_seconds{loop=\"main\"}") > 0.3).then_some(())
    });
    let text = get(&free).unwrap();
    assert!(value(&text, "nodejs_eventloop_utilization_ratio{loop=\"main\"}") > 0.5);
    let (code, _, error) = run(&[&format!("--metrics={free}"), "-e", "1"]);
    assert!(code == 9 && error.contains("cannot serve metrics at"), "{error}");
    drop(program);
}

#[test]
fn top_shows_the_loops_in_a_terminal_and_restores_it() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};
    let program = Program::start("setInterval(() => {}, 5); console.log('ready');");
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let slave = || std::fs::File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let size = |columns, rows| Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 };
    let held = slave();
    tcsetwinsize(&held, size(80, 24)).unwrap();
    let before = tcgetattr(&held).unwrap().local_modes;
    let mut top = phasor(&["top", &program.pid()]);
    let mut top = top.env("TERM", "xterm").stdin(slave()).stdout(slave()).stderr(slave()).spawn().unwrap();
    let mut terminal = std::fs::File::from(terminal);
    let (sender, shown) = std::sync::mpsc::channel();
    let mut reader = terminal.try_clone().unwrap();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count) = reader.read(&mut bytes) {
            if count == 0 || sender.send(bytes[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    let mut text = String::new();
    let mut see = |what: &str| {
        until(what, || {
            while let Ok(bytes) = shown.try_recv() {
                text.push_str(&String::from_utf8_lossy(&bytes));
            }
            text.contains(what).then_some(())
        });
    };
    see("USED");
    see("Time by phase, main");
    tcsetwinsize(&held, size(120, 40)).unwrap();
    // The last line is in row 40.
    see("\u{1b}[40;");
    terminal.write_all(b"q").unwrap();
    assert!(until("top ends", || top.try_wait().unwrap()).success());
    // The alternate screen is left.
    see("\u{1b}[?1049l");
    assert_eq!(tcgetattr(&held).unwrap().local_modes, before);
    let (code, _, error) = run(&["top", &program.pid()]);
    assert!(code == 1 && error.contains("is no terminal"), "{error}");
}
