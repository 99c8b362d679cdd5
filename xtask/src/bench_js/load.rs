//! Servers under load: a script of `benches/js` listens on loopback, and a client outside the runtime sends requests.
//!
//! With two or more processors the server runs on one and the client on another, so that a row measures the server and not how the
//! two share a processor. wrk sends the HTTP requests; the other clients are in this file.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::{Row, Runtime, Unit, best_of, better, packages};
use crate::crate_rules::workspace_root;
use crate::libuv::compiler;
use crate::test::succeed;

/// The frameworks: arguments of `benches/js/npm/server.js`. `raw` uses Node's http alone.
const FRAMEWORKS: &[&str] = &["raw", "express", "koa", "fastify", "hono"];
/// The paths that clients request: a short text, and a list of 50 objects as JSON.
const PATHS: &[&str] = &["/", "/json"];
/// How many connections send requests at a time.
const CONNECTIONS: usize = 64;
/// How many connections request responses of a megabyte at a time.
const BODY_CONNECTIONS: usize = 8;
/// How many idle connections are open at the same time.
const IDLE: usize = 10_000;
/// How many seconds a server is under load.
const SECONDS: u64 = 4;
/// How long a framework runs before it is measured, so that its code is compiled.
const WARM_UP_SECONDS: u64 = 2;
/// Time limit for an answer.
const LIMIT: Duration = Duration::from_secs(20);
/// The size of an echoed message.
const ECHO_BYTES: usize = 1024;

/// A row, the server's script, and how it is measured.
struct Load {
    name: &'static str,
    script: &'static str,
    unit: Unit,
    measure: fn(&Server) -> Result<f64>,
    /// A C program that makes the same system calls and nothing else.
    c_baseline: Option<&'static str>,
}

const LOADS: &[Load] = &[
    Load {
        name: "http hello",
        script: "http",
        unit: Unit::PerSecond,
        measure: |server| wrk(server, "/", CONNECTIONS),
        c_baseline: None,
    },
    Load {
        name: "http hello, AsyncLocalStorage",
        script: "http_als",
        unit: Unit::PerSecond,
        measure: |server| wrk(server, "/", CONNECTIONS),
        c_baseline: None,
    },
    // The unit matches, because a body is a megabyte.
    Load {
        name: "http 1 MB body",
        script: "http_body",
        unit: Unit::MegabytesPerSecond,
        measure: |server| wrk(server, "/", BODY_CONNECTIONS),
        c_baseline: None,
    },
    Load { name: "tcp echo", script: "echo", unit: Unit::PerSecond, measure: echo, c_baseline: Some("bare_echo") },
    Load { name: "idle connection", script: "http_idle", unit: Unit::Kilobytes, measure: idle, c_baseline: None },
];

/// The scripts of all rows.
#[cfg(test)]
pub(super) fn scripts() -> impl Iterator<Item = &'static str> {
    LOADS.iter().map(|load| load.script)
}

/// The rows whose name contains `only`.
pub(super) fn rows(only: &str, rounds: u32, runtimes: &[Runtime], scratch: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for load in LOADS.iter().filter(|load| load.name.contains(only)) {
        eprintln!("{} …", load.name);
        let mut row = Row::new(load.name.to_owned(), load.unit, runtimes);
        let c_baseline = load.c_baseline.map(|name| compiled(name, scratch)).transpose()?;
        // A runtime that cannot run the script, or fails under load, has no value.
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
            if let Some(c_baseline) = &c_baseline {
                see("C", &Command::new(c_baseline), &mut row.c_baseline);
            }
        }
        rows.push(row);
    }
    for framework in FRAMEWORKS {
        for path in PATHS {
            let mut row = Row::new(format!("{framework} {path}"), Unit::PerSecond, runtimes);
            if row.name.contains(only) {
                eprintln!("{} …", row.name);
                let script = packages()?.join("server.js");
                best_of(rounds, runtimes, &mut row, |runtime| {
                    let server = Server::start(runtime.on(&script, scratch).arg(framework));
                    let rate = server.and_then(|server| {
                        wrk_for(&server, path, CONNECTIONS, WARM_UP_SECONDS)?;
                        wrk(&server, path, CONNECTIONS)
                    });
                    rate.map_or_else(
                        |error| {
                            eprintln!("  {}: {error:#}", runtime.name);
                            Ok(None)
                        },
                        |rate| Ok(Some(rate)),
                    )
                })?;
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

/// Compiles a C program of `benches/js`.
fn compiled(name: &str, scratch: &Path) -> Result<PathBuf> {
    let source = workspace_root().join("benches/js").join(name).with_extension("c");
    let program = scratch.join(name);
    succeed(compiler().arg("-O2").arg(source).arg("-o").arg(&program))?;
    Ok(program)
}

/// A listening server. Killed on drop.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts a server with a port, and waits until it prints `up`.
    fn start(command: &Command) -> Result<Server> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut command = pinned(command, 0);
        command.arg(port.to_string()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let mut server = Server { child, port };
        let stderr = server.child.stderr.take().context("standard error is a pipe")?;
        // The loop ends, because the pipe closes when the server ends.
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

    /// The resident set size in kilobytes.
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

/// The same command pinned to one processor, if there are at least two.
fn pinned(command: &Command, processor: usize) -> Command {
    let mut args: Vec<_> = [command.get_program()].into_iter().chain(command.get_args()).collect();
    let number = processor.to_string();
    if std::thread::available_parallelism().is_ok_and(|count| count.get() > 1) {
        args.splice(0..0, ["taskset", "-c", &number].map(AsRef::as_ref));
    }
    let mut pinned = Command::new(args[0]);
    pinned.args(&args[1..]);
    for (key, value) in command.get_envs() {
        pinned.env(key, value.unwrap_or_default());
    }
    pinned
}

/// Requests per second, as wrk reports them.
fn wrk(server: &Server, path: &str, connections: usize) -> Result<f64> {
    wrk_for(server, path, connections, SECONDS)
}

fn wrk_for(server: &Server, path: &str, connections: usize, seconds: u64) -> Result<f64> {
    let mut command = Command::new("wrk");
    command.args(["-t1", &format!("-c{connections}"), &format!("-d{seconds}s")]);
    command.arg(format!("http://127.0.0.1:{}{path}", server.port));
    let ran = pinned(&command, 1).output().context("cannot start wrk (Debian: apt install wrk)")?;
    let text = String::from_utf8_lossy(&ran.stdout);
    ensure!(!text.contains("Non-2xx"), "error responses: {text}");
    let line = text.lines().find_map(|line| line.trim().strip_prefix("Requests/sec:"));
    Ok(line.with_context(|| format!("no rate in the output of wrk: {text}"))?.trim().parse()?)
}

/// Echoed messages per second, with one message in flight on each connection.
///
/// The client polls instead of sleeping until an answer arrives: waking it would be the server's work, a third of its total.
fn echo(server: &Server) -> Result<f64> {
    let mut streams = (0..CONNECTIONS).map(|_| server.connect()).collect::<Result<Vec<_>>>()?;
    for stream in &streams {
        stream.set_nonblocking(true)?;
    }
    let mut message = [b'x'; ECHO_BYTES];
    let (began, mut count) = (Instant::now(), 0);
    while began.elapsed() < Duration::from_secs(SECONDS) {
        for stream in &mut streams {
            spin(|done| stream.write(&message[done..]))?;
        }
        for stream in &mut streams {
            spin(|done| stream.read(&mut message[done..]))?;
            count += 1;
        }
    }
    Ok(f64::from(count) / began.elapsed().as_secs_f64())
}

/// Reads or writes a whole message, retrying at once when the socket would block.
fn spin(mut step: impl FnMut(usize) -> io::Result<usize>) -> Result<()> {
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

/// The memory in kilobytes of a connection that has got a response and is idle.
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
    // The first connections include one-time allocations, so they are not counted.
    let _first = (0..100).map(|_| ask(server)).collect::<Result<Vec<_>>>()?;
    let before = server.resident_kilobytes()?;
    let _streams = (0..IDLE).map(|_| ask(server)).collect::<Result<Vec<_>>>();
    let _streams = _streams.context("ten thousand connections need as many descriptors (ulimit -n)")?;
    Ok((server.resident_kilobytes()? - before) / IDLE as f64)
}
