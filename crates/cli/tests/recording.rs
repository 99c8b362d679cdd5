//! What a recording knows of a program: the function that each kind of callback calls, the line that caused it, and spans.
//!
//! Each script runs once. Comments in it mark lines: `// by: x` the line that causes callback `x`, `// at: x` the line on which its function begins.
#![forbid(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use phasor_lens::trace::{Callback, CallbackRef, Span};
use phasor_lens::{CallbackKind, CounterKind, Location, Recording, SpanKind, Trace};

/// A script that has run, and its recording.
struct Recorded {
    trace: Trace,
    source: &'static str,
    file: String,
}

/// Runs a script with a recording of this detail. Its processes and threads are one trace.
fn record(name: &str, detail: u8, source: &'static str) -> Recorded {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("recording-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let script = folder.join("main.js");
    fs::write(&script, source).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_phasor"))
        .arg(&script)
        .current_dir(&folder)
        .env("PHASOR_RECORD", format!("path={}/%p.phasor;detail={detail}", folder.display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {} {errors}", output.status);
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "phasor"));
    let recordings: Vec<Recording> = files.map(|path| Recording::read(&path).unwrap()).collect();
    assert!(recordings.iter().all(|recording| recording.is_complete));
    let file = script.to_str().unwrap().to_owned();
    let _ = fs::remove_dir_all(&folder);
    Recorded { trace: Trace::new(&recordings), source, file }
}

impl Recorded {
    /// The number of the line with a mark.
    fn line(&self, mark: &str) -> u32 {
        let marked =
            |line: &str| line.split_once("// ").is_some_and(|(_, marks)| marks.split(", ").any(|one| one == mark));
        let found: Vec<u32> =
            (1..).zip(self.source.lines()).filter(|(_, line)| marked(line)).map(|(at, _)| at).collect();
        assert_eq!(found.len(), 1, "lines with the mark {mark}");
        found[0]
    }

    fn is_at(&self, location: Option<&Location>, line: u32) -> bool {
        location.is_some_and(|location| location.file.ends_with(&self.file) && location.line == line)
    }

    fn callbacks(&self) -> impl Iterator<Item = (CallbackRef, &Callback)> {
        (0..).zip(&self.trace.threads).flat_map(|(thread, of_thread)| {
            (0..).zip(&of_thread.callbacks).map(move |(index, callback)| (CallbackRef { thread, index }, callback))
        })
    }

    /// A callback of this kind whose function is at a mark was caused by the line with the same mark.
    fn check(&self, kind: CallbackKind, mark: &str) {
        let (at, by) = (self.line(&format!("at: {mark}")), self.line(&format!("by: {mark}")));
        let located: Vec<_> =
            self.callbacks().filter(|(_, callback)| self.is_at(self.trace.location(callback.location), at)).collect();
        let kinds: Vec<_> = located.iter().map(|(_, callback)| callback.kind).collect();
        let of_kind: Vec<_> = located.iter().filter(|(_, callback)| callback.kind == Some(kind)).collect();
        assert!(!of_kind.is_empty(), "{mark}: {kind:?} at line {at}; at the line there are {kinds:?}");
        for (callback, _) in of_kind {
            let cause = self.trace.cause_location(*callback);
            assert!(self.is_at(cause, by), "{mark}: caused by line {by}, not {cause:?}");
        }
    }

    fn spans(&self, kind: SpanKind) -> Vec<(&str, &Span)> {
        let spans = self.trace.threads.iter().flat_map(|thread| &thread.spans);
        spans.filter(|span| span.kind == Some(kind)).map(|span| (self.trace.label(span.label), span)).collect()
    }

    /// The only span of a kind whose label contains a text.
    fn span(&self, kind: SpanKind, text: &str) -> &Span {
        let found: Vec<_> = self.spans(kind).into_iter().filter(|(label, _)| label.contains(text)).collect();
        assert_eq!(found.len(), 1, "spans {kind:?} of {text}: {:?}", self.spans(kind));
        found[0].1
    }
}

#[test]
fn timers_immediates_and_ticks_have_a_place_and_a_cause() {
    let run = record(
        "timers",
        2,
        "setTimeout(() => { // by: timeout, at: timeout
});
const timer = setInterval(stop, 1); // by: interval
function stop() { // at: interval
  clearInterval(timer);
  setImmediate( // by: immediate
    () => { // at: immediate
    });
  process.nextTick( // by: tick
    () => { // at: tick
    });
}
",
    );
    run.check(CallbackKind::Timeout, "timeout");
    run.check(CallbackKind::Timeout, "interval");
    run.check(CallbackKind::Immediate, "immediate");
    run.check(CallbackKind::Tick, "tick");
}

#[test]
fn microtasks_have_a_place_and_a_cause() {
    let run = record(
        "promises",
        3,
        "queueMicrotask( // by: microtask
  () => { // at: microtask
  });
Promise.resolve().then( // by: settled
  () => { // at: settled
  });
new Promise((resolve) => setTimeout(resolve)).then( // by: pending
  () => { // at: pending
  });
Promise.reject(new Error('x')).catch( // by: rejected
  () => { // at: rejected
  });
async function main() { // at: continued
  await new Promise((resolve) => setImmediate(resolve)); // by: continued
}
main();
",
    );
    for mark in ["microtask", "settled", "pending", "rejected", "continued"] {
        run.check(CallbackKind::Microtask, mark);
    }
}

#[test]
fn microtasks_of_a_program_with_contexts_have_a_cause_and_their_context() {
    let run = record(
        "contexts",
        3,
        "const { AsyncLocalStorage } = require('async_hooks');
const storage = new AsyncLocalStorage();
storage.run('store', () => {
  new Promise((resolve) => setTimeout(resolve)).then( // by: pending
    () => { // at: pending
      if (storage.getStore() !== 'store') process.exit(1);
    });
  Promise.resolve().then( // by: settled
    () => { // at: settled
      if (storage.getStore() !== 'store') process.exit(2);
    });
});
Promise.resolve().then(() => {
  if (storage.getStore() !== undefined) process.exit(3);
});
",
    );
    run.check(CallbackKind::Microtask, "pending");
    run.check(CallbackKind::Microtask, "settled");
}

#[test]
fn file_operations_and_streams_have_a_place_and_a_cause() {
    let run = record(
        "files",
        3,
        "const fs = require('fs');
fs.readFile(__filename, // by: readFile
  () => { // at: readFile
  });
fs.stat(__filename, // by: stat
  () => { // at: stat
  });
fs.open(__filename, 'r', // by: open
  (error, fd) => { // at: open
    fs.close(fd, () => {});
  });
fs.mkdir('a/b', { recursive: true }, // by: mkdir
  () => { // at: mkdir
  });
async function read() { // at: promised
  await fs.promises.stat(__filename); // by: promised
}
read();
fs.createReadStream(__filename) // by: stream
  .on('data',
    () => { // at: stream
    });
",
    );
    for mark in ["readFile", "stat", "open", "mkdir", "stream"] {
        run.check(CallbackKind::Done, mark);
    }
    run.check(CallbackKind::Microtask, "promised");
}

#[test]
fn sockets_have_a_place_and_a_cause() {
    let run = record(
        "net",
        2,
        "const net = require('net');
const server = net.createServer();
server.on('connection',
  (socket) => { // at: connection, by: received
    socket.on('data',
      (data) => { // at: received
        socket.end(data);
      });
  });
server.listen(0, () => { // by: connection
  const client = net.connect(server.address().port, '127.0.0.1'); // by: connect, by: answered
  client.on('connect',
    () => { // at: connect
      client.write('x');
    });
  client.on('data',
    () => { // at: answered
      server.close();
    });
});
",
    );
    run.check(CallbackKind::Connection, "connection");
    run.check(CallbackKind::Done, "connect");
    run.check(CallbackKind::Readable, "answered");
    // The socket of the server was made by the connection.
    let (at, by) = (run.line("at: received"), run.line("by: received"));
    let received = run.callbacks().find(|(_, callback)| run.is_at(run.trace.location(callback.location), at)).unwrap();
    assert_eq!(received.1.kind, Some(CallbackKind::Readable));
    assert!(run.is_at(run.trace.cause_location(received.0), by));
    let connections = run.spans(SpanKind::Connection);
    assert_eq!(connections.len(), 2, "{connections:?}");
    assert!(connections.iter().all(|(_, span)| span.end_ns.is_some() && span.bytes == 2 && span.owner.is_some()));
    assert_eq!(connections.iter().filter(|(label, _)| label.starts_with("to 127.0.0.1:")).count(), 1);
}

#[test]
fn http_requests_are_spans_with_places_and_causes() {
    let run = record(
        "http",
        1,
        "const http = require('http');
const server = http.createServer(
  (request, response) => { // at: request
    response.statusCode = 201;
    response.end('hello');
  });
server.listen(0, '127.0.0.1', () => { // by: request
  const { port } = server.address();
  http.get({ port, host: '127.0.0.1', path: '/path?query=1', agent: false }, // by: response
    (response) => { // at: response
      response.resume();
      response.on('end', () => server.close());
    });
});
",
    );
    run.check(CallbackKind::Readable, "request");
    run.check(CallbackKind::Readable, "response");
    let served = run.span(SpanKind::HttpServer, "GET /path");
    assert_eq!(served.status, 201);
    assert!(served.end_ns.is_some() && served.bytes > 5 && served.owner.is_some());
    assert_eq!(run.trace.label(served.label), "GET /path");
    let asked = run.span(SpanKind::HttpClient, "GET http://127.0.0.1/path");
    assert_eq!((asked.status, asked.bytes), (201, served.bytes));
}

#[test]
fn lookups_children_and_tasks_have_a_place_and_a_cause() {
    let run = record(
        "tasks",
        2,
        "require('dns').lookup('localhost', // by: lookup
  () => { // at: lookup
  });
const { exec, execSync, spawn } = require('child_process');
const child = spawn('sh', ['-c', 'exit 3']); // by: exit
child.on('exit',
  () => { // at: exit
  });
exec('true', // by: exec
  () => { // at: exec
  });
const { pbkdf2Sync, randomBytes } = require('crypto');
randomBytes(8, // by: random
  () => { // at: random
  });
require('zlib').gzip('text', // by: zlib
  () => { // at: zlib
  });
execSync('sleep 0.01');
pbkdf2Sync('a', 'b', 20000, 32, 'sha256');
console.time('timed');
console.timeEnd('timed');
performance.mark('marked');
performance.measure('measured', 'marked');
",
    );
    run.check(CallbackKind::Done, "lookup");
    run.check(CallbackKind::Exit, "exit");
    run.check(CallbackKind::Done, "random");
    let (at, by) = (run.line("at: exec"), run.line("by: exec"));
    let executed = run.callbacks().find(|(_, callback)| run.is_at(run.trace.location(callback.location), at)).unwrap();
    assert!(run.is_at(run.trace.cause_location(executed.0), by));
    let (at, by) = (run.line("at: zlib"), run.line("by: zlib"));
    let zipped = run.callbacks().find(|(_, callback)| run.is_at(run.trace.location(callback.location), at)).unwrap();
    assert!(run.is_at(run.trace.cause_location(zipped.0), by), "{:?}", run.trace.cause_location(zipped.0));
    assert!(run.span(SpanKind::Dns, "localhost").end_ns.is_some());
    let child = run.span(SpanKind::Child, "sh -c exit 3");
    assert_eq!(child.status, 3);
    assert!(child.end_ns.is_some() && child.owner.is_some());
    for name in ["execSync(", "crypto.pbkdf2Sync("] {
        let blocked = run.span(SpanKind::Sync, name);
        assert!(blocked.end_ns.unwrap() - blocked.begin_ns >= 1_000_000);
    }
    run.span(SpanKind::User, "timed");
    run.span(SpanKind::User, "measured");
    run.span(SpanKind::Module, "main.js");
    let mut counters = run.trace.threads.iter().flat_map(|thread| &thread.counters);
    assert!(counters.any(|counter| counter.kind == CounterKind::PoolTasks && counter.value > 0));
    let marks: Vec<&str> =
        run.trace.threads.iter().flat_map(|thread| &thread.marks).map(|mark| run.trace.label(mark.label)).collect();
    assert_eq!(marks, ["marked"]);
}

#[test]
fn messages_of_workers_have_a_place_and_a_cause() {
    let run = record(
        "workers",
        1,
        "const { Worker, isMainThread, parentPort } = require('worker_threads');
if (isMainThread) {
  const worker = new Worker(__filename);
  worker.on('message',
    (value) => { // at: answer
      worker.terminate();
    });
  worker.postMessage('question'); // by: question
} else {
  parentPort.on('message',
    (value) => { // at: question
      parentPort.postMessage('answer'); // by: answer
    });
}
",
    );
    assert_eq!(run.trace.threads.len(), 2);
    run.check(CallbackKind::Message, "question");
    run.check(CallbackKind::Message, "answer");
    let worker = run.span(SpanKind::Worker, "main.js");
    assert!(worker.end_ns.is_some() && worker.owner.is_some());
    assert!(run.trace.messages.iter().any(|message| {
        message.sent.zip(message.received).is_some_and(|(sent, received)| sent.thread != received.thread)
    }));
}
