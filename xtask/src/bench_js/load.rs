//! Servers under load: a script of `benches/js` listens on loopback, and requests come from outside of it.
//!
//! The server has a processor to itself where there are two, and whoever asks has the other: so a row tells what the server
//! does, and not how the two share. Requests of HTTP come from wrk, everything else from here.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::{Row, Runtime, Unit, better};
use crate::crate_rules::workspace_root;
use crate::libuv::compiler;
use crate::test::succeed;

/// How many connections ask at a time.
const CONNECTIONS: usize = 64;
/// The same where each answer is a megabyte.
const BODY_CONNECTIONS: usize = 8;
/// How many connections are idle at once.
const IDLE: usize = 10_000;
/// How long a server is asked.
const SECONDS: u64 = 4;
/// How long anything may take to answer.
const LIMIT: Duration = Duration::from_secs(20);
/// What is echoed.
const ECHO_BYTES: usize = 1024;

/// A row, the script that serves, and how it is measured.
struct Load {
    name: &'static str,
    script: &'static str,
    unit: Unit,
    measure: fn(&Server) -> Result<f64>,
    /// The program in C that does nothing but what the kernel must do.
    bare: Option<&'static str>,
}

const LOADS: &[Load] = &[
    Load {
        name: "http hello",
        script: "http",
        unit: Unit::PerSecond,
        measure: |server| wrk(server, CONNECTIONS),
        bare: None,
    },
    Load {
        name: "http hello, AsyncLocalStorage",
        script: "http_als",
        unit: Unit::PerSecond,
        measure: |server| wrk(server, CONNECTIONS),
        bare: None,
    },
    // A body is a megabyte.
    Load {
        name: "http 1 MB body",
        script: "http_body",
        unit: Unit::MegabytesPerSecond,
        measure: |server| wrk(server, BODY_CONNECTIONS),
        bare: None,
    },
    Load { name: "tcp echo", script: "echo", unit: Unit::PerSecond, measure: echo, bare: Some("bare_echo") },
    Load { name: "idle connection", script: "http_idle", unit: Unit::Kilobytes, measure: idle, bare: None },
];

/// The scripts of all rows.
#[cfg(test)]
pub(super) fn scripts() -> impl Iterator<Item = &'static str> {
    LOADS.iter().map(|load| load.script)
}

/// The rows with `only` in their names.
pub(super) fn rows(only: &str, rounds: u32, runtimes: &[Runtime], scratch: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for load in LOADS.iter().filter(|load| load.name.contains(only)) {
        eprintln!("{} …", load.name);
        let mut row = Row::new(load.name.to_owned(), load.unit, runtimes);
        let bare = load.bare.map(|name| compiled(name, scratch)).transpose()?;
        // A runtime that cannot serve the script, or gives up on the way, has no number.
        let see = |name: &str, command: &Command, best: &mut Option<f64>| match Server::start(command)
            .and_then(|server| (load.measure)(&server))
        {
            Ok(seen) => *best = better(load.unit, *best, Some(seen)),
            Err(error) => eprintln!("  {name}: {error:#}"),
        };
        for _ in 0..rounds {
            for (runtime, best) in runtimes.iter().zip(&mut row.values) {
                see(runtime.name, &runtime.command(load.script, scratch), best);
            }
            if let Some(bare) = &bare {
                see("C", &Command::new(bare), &mut row.bare);
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Compiles a program of `benches/js`.
fn compiled(name: &str, scratch: &Path) -> Result<PathBuf> {
    let source = workspace_root().join("benches/js").join(name).with_extension("c");
    let program = scratch.join(name);
    succeed(compiler().arg("-O2").arg(source).arg("-o").arg(&program))?;
    Ok(program)
}

/// A server that listens. Killed when dropped.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts a server with a port, and waits until it says that it is up.
    fn start(command: &Command) -> Result<Server> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut command = pinned(command, 0);
        command.arg(port.to_string()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let mut server = Server { child, port };
        let stderr = server.child.stderr.take().context("standard error is a pipe")?;
        // The pipe is closed with the server, so this ends one way or the other.
        for line in BufReader::new(stderr).lines() {
            if line?.trim() == "up" {
                return Ok(server);
            }
        }
        bail!("{command:?} did not start to listen")
    }

    fn connect(&self) -> Result<TcpStream> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
        stream.set_read_timeout(Some(LIMIT))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// How much memory it has resident.
    fn resident_kilobytes(&self) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("the server is gone")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The same command on one processor, if there are two.
fn pinned(command: &Command, processor: usize) -> Command {
    let mut words: Vec<_> = [command.get_program()].into_iter().chain(command.get_args()).collect();
    let number = processor.to_string();
    if std::thread::available_parallelism().is_ok_and(|count| count.get() > 1) {
        words.splice(0..0, ["taskset", "-c", &number].map(AsRef::as_ref));
    }
    let mut pinned = Command::new(words[0]);
    pinned.args(&words[1..]);
    for (key, value) in command.get_envs() {
        pinned.env(key, value.unwrap_or_default());
    }
    pinned
}

/// Requests per second, as wrk counts them.
fn wrk(server: &Server, connections: usize) -> Result<f64> {
    let mut command = Command::new("wrk");
    command.args(["-t1", &format!("-c{connections}"), &format!("-d{SECONDS}s")]);
    command.arg(format!("http://127.0.0.1:{}/", server.port));
    let ran = pinned(&command, 1).output().context("cannot start wrk (Debian: apt install wrk)")?;
    let text = String::from_utf8_lossy(&ran.stdout);
    ensure!(!text.contains("Non-2xx"), "answers that are no answers: {text}");
    let line = text.lines().find_map(|line| line.trim().strip_prefix("Requests/sec:"));
    Ok(line.with_context(|| format!("wrk says {text}"))?.trim().parse()?)
}

/// Messages per second that come back, with one on its way on each of the connections.
///
/// Whoever asks does not sleep until there is an answer: to wake it would be the server's work, a third of what it does.
fn echo(server: &Server) -> Result<f64> {
    let mut streams = (0..CONNECTIONS).map(|_| server.connect()).collect::<Result<Vec<_>>>()?;
    for stream in &streams {
        stream.set_nonblocking(true)?;
    }
    let mut message = [b'x'; ECHO_BYTES];
    let (began, mut count) = (Instant::now(), 0);
    while began.elapsed() < Duration::from_secs(SECONDS) {
        for stream in &mut streams {
            awake(|done| stream.write(&message[done..]))?;
        }
        for stream in &mut streams {
            awake(|done| stream.read(&mut message[done..]))?;
            count += 1;
        }
    }
    Ok(f64::from(count) / began.elapsed().as_secs_f64())
}

/// Takes steps until a whole message is done, and tries again at once where one cannot be taken yet.
fn awake(mut step: impl FnMut(usize) -> io::Result<usize>) -> Result<()> {
    let (began, mut done) = (Instant::now(), 0);
    while done < ECHO_BYTES {
        match step(done) {
            Ok(0) => bail!("the connection ended"),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => ensure!(began.elapsed() < LIMIT, "no answer"),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// What a connection takes that has had an answer and waits.
fn idle(server: &Server) -> Result<f64> {
    let ask = |server: &Server| -> Result<TcpStream> {
        let mut stream = server.connect()?;
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
        let mut answer = Vec::new();
        while !answer.ends_with(b"hello world") && !answer.ends_with(b"0\r\n\r\n") {
            let mut bytes = [0; 512];
            let count = stream.read(&mut bytes)?;
            ensure!(count > 0, "the connection ended");
            answer.extend_from_slice(&bytes[..count]);
        }
        Ok(stream)
    };
    // What the first few bring with them is not theirs.
    let _first = (0..100).map(|_| ask(server)).collect::<Result<Vec<_>>>()?;
    let before = server.resident_kilobytes()?;
    let _streams = (0..IDLE).map(|_| ask(server)).collect::<Result<Vec<_>>>();
    let _streams = _streams.context("ten thousand connections need as many descriptors (ulimit -n)")?;
    Ok((server.resident_kilobytes()? - before) / IDLE as f64)
}
