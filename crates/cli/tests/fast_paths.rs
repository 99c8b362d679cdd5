//! Which operations of `http`, `net`, `stream`, `events`, `timers` and `buffer` take a native fast path. Output alone cannot tell: a
//! fast path that always declines prints the same, only slower.
#![forbid(unsafe_code)]

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Prints whether JavaScript read and wrote each chunk, and whether JavaScript dispatched each request and sent its response.
/// `-` stands for the native fast path.
const SERVERS: &str = r"
const http = require('http');
const net = require('net');
const { StreamHandle } = require('internal/net/handles');
const { kHeader } = require('internal/http/outgoing_headers');

const { write } = StreamHandle.prototype;
let isWritten = false;
StreamHandle.prototype.write = function(...args) {
  isWritten = true;
  return write.apply(this, args);
};

const echo = net.createServer((socket) => socket.on('data', (chunk) => socket.write(chunk))).listen(0, '127.0.0.1', () => {
  const socket = net.connect(echo.address().port, '127.0.0.1', () => socket.write(Buffer.from('plain')));
  let count = 0;
  socket.on('data', () => {
    const isRead = new Error().stack.includes('stream_io');
    console.log(['plain', 'heard', 'decoded'][count], isRead ? 'read' : '-', isWritten ? 'written' : '-');
    isWritten = false;
    count += 1;
    if (count === 1) return socket.write(Buffer.from('heard'), () => {});
    if (count === 2) return socket.setEncoding('utf8').write(Buffer.from('decoded'));
    socket.destroy();
    echo.close();
    serve();
  });
});

function serve() {
  const server = http.createServer((request, response) => {
    const isTold = new Error().stack.includes('http/server');
    if (request.url === '/headed') response.writeHead(200, { 'Content-Type': 'text/plain' });
    if (request.url === '/parts' || request.url === '/headed') response.write('in ');
    if (request.url === '/asked') response.write('in ', () => {});
    if (request.url === '/called') {
      response.end('whole', () => console.log(new Error().stack.includes('finishAndCall') ? '-' : 'emitted'));
    } else {
      response.end('whole');
    }
    console.log(request.url, isTold ? 'told' : '-', typeof response[kHeader] === 'number' ? '-' : 'sent');
  }).listen(0, '127.0.0.1', () => ask(['/whole', '/parts', '/headed', '/asked', '/called', '/body', '/patched']));
  const agent = new http.Agent({ keepAlive: true });
  const ask = ([path, ...rest]) => {
    if (path === undefined) process.exit();
    if (path === '/patched') patch();
    const method = path === '/body' ? 'POST' : 'GET';
    http.request({ port: server.address().port, path, method, agent }, (response) => {
      response.resume().on('end', () => ask(rest));
    }).end(method === 'POST' ? 'body' : undefined);
  };
}

// A monkey-patched method must be called: every fast path that would skip it declines.
function patch() {
  const { _send } = http.OutgoingMessage.prototype;
  http.OutgoingMessage.prototype._send = function(...args) { return Reflect.apply(_send, this, args); };
}
";

/// Prints, for each step of a chunk through a stream and for each kind of `emit()`, the natives that called back into the script: a
/// frame of a native has no file and line, a frame of a builtin module has both.
const STREAMS: &str = r"
const { EventEmitter } = require('events');
const { PassThrough, Readable, Transform, Writable } = require('stream');

// Prints the functions between the caller and the next function of this script.
function report(label) {
  const frames = new Error().stack.split('\n').slice(3);
  const own = frames.findIndex((frame) => frame.includes(__filename));
  const called = own < 0 ? frames : frames.slice(0, own);
  const natives = called.filter((frame) => frame.includes('(<anonymous>)'));
  console.log(label, `${natives.length} native, ${called.length - natives.length} JavaScript`);
}

const emitter = new EventEmitter();
emitter.on('one', () => report('emit, one listener'));
emitter.emit('one');
emitter.on('many', () => report('emit, many listeners')).on('many', () => {});
emitter.emit('many');

const written = new Writable({
  write(chunk, encoding, callback) {
    report('_write');
    callback();
  },
});
written.write(Buffer.from('a'), () => report('afterWrite'));

const drained = new Writable({ highWaterMark: 1, write(chunk, encoding, callback) { setImmediate(() => callback()); } });
drained.on('drain', () => report('drain'));
drained.write(Buffer.from('a'));

const read = new Readable({ read() { report('_read'); } });
read.on('resume', () => report('resumed')).on('pause', () => report('pause'));
read.read();
read.pause();
read.resume();

const readable = new Readable({ read() {} });
readable.on('readable', () => report('emitReadable'));
readable.push(Buffer.from('a'));

const more = new Readable({ read() { report('readMore'); } });
more.push(Buffer.from('a'));

const flowing = new Readable({ read() {} });
flowing.on('data', () => report('push'));
setImmediate(() => flowing.push(Buffer.from('a')));

const transform = new Transform({
  transform(chunk, encoding, callback) {
    report('Transform _write');
    callback(null, chunk);
  },
});
transform.push = () => report('Transform callback');
transform.write(Buffer.from('a'));

const passed = new PassThrough({ highWaterMark: 1 });
passed.push = () => report('PassThrough _transform');
passed._write(Buffer.from('a'), 'buffer', () => {});

// The readable side is full: the callback waits for `_read`.
const waiting = new PassThrough({ highWaterMark: 1 });
waiting.push = () => { waiting._readableState.length = 2; };
waiting._write(Buffer.from('a'), 'buffer', () => report('PassThrough _read'));
waiting._read();
";

/// Prints whether `subarray` is a native function, and whether timers and immediates that nothing refers to share objects.
const OBJECTS: &str = r"
// Only a function written in JavaScript has an own property `prototype`; a native has none.
console.log('subarray', Object.hasOwn(Buffer.prototype.subarray, 'prototype') ? 'JavaScript' : 'native');

function measure(label, start) {
  const count = 10_000;
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < count; at++) start();
  const bytes = (process.memoryUsage().heapUsed - before) / count;
  console.log(label, bytes < 1 ? 'objects are recycled' : 'an object each');
}
const nothing = () => {};
measure('setTimeout', () => setTimeout(nothing, 1));
measure('setImmediate', () => setImmediate(nothing));
";

/// The lines that a script prints, with these flags and variables.
fn lines(source: &str, flags: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let script = std::env::temp_dir().join(format!("phasor-fast-paths-{}-{number}.js", std::process::id()));
    std::fs::write(&script, source).expect("a script can be written");
    let mut command = Command::new("timeout");
    command.args(["60", env!("CARGO_BIN_EXE_phasor"), "--expose-internals"]).args(flags).arg(&script);
    command.env_remove("NODE_OPTIONS").env_remove("PHASOR_NO_FAST_PATHS").envs(variables.iter().copied());
    let output = command.stdin(Stdio::null()).output().expect("phasor starts");
    std::fs::remove_file(&script).expect("the script is there");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// Numbers the script files: tests run in parallel.
static NEXT: AtomicU32 = AtomicU32::new(0);

#[test]
fn the_fast_paths_are_taken() {
    let expected = [
        "plain - -",
        "heard - written",
        "decoded read -",
        "/whole - -",
        "/parts - -",
        "/headed - -",
        "/asked - sent",
        "/called - -",
        "-",
        "/body told -",
        "/patched told sent",
    ];
    assert_eq!(lines(SERVERS, &[], &[]), expected);
    assert_eq!(lines(SERVERS, &["--no-fast-paths", "--fast-paths"], &[]), expected);
}

#[test]
fn no_fast_path_is_taken_if_they_are_off() {
    let expected = [
        "plain read written",
        "heard read written",
        "decoded read written",
        "/whole told sent",
        "/parts told sent",
        "/headed told sent",
        "/asked told sent",
        "/called told sent",
        "emitted",
        "/body told sent",
        "/patched told sent",
    ];
    assert_eq!(lines(SERVERS, &["--no-fast-paths"], &[]), expected);
    assert_eq!(lines(SERVERS, &[], &[("NODE_OPTIONS", "--no-fast-paths")]), expected);
    assert_eq!(lines(SERVERS, &[], &[("PHASOR_NO_FAST_PATHS", "1")]), expected);
}

#[test]
fn streams_and_emitters_run_natives_only() {
    let expected = [
        "emit, one listener 1 native, 0 JavaScript",
        "emit, many listeners 1 native, 0 JavaScript",
        "_write 1 native, 0 JavaScript",
        "_read 1 native, 0 JavaScript",
        "pause 2 native, 0 JavaScript",
        "Transform _write 2 native, 0 JavaScript",
        "Transform callback 1 native, 0 JavaScript",
        "PassThrough _transform 3 native, 0 JavaScript",
        "PassThrough _read 1 native, 0 JavaScript",
        // The function of the tick, which calls the native `afterWrite`.
        "afterWrite 1 native, 1 JavaScript",
        "resumed 2 native, 0 JavaScript",
        "emitReadable 2 native, 0 JavaScript",
        "readMore 2 native, 0 JavaScript",
        "drain 2 native, 0 JavaScript",
        "push 2 native, 0 JavaScript",
    ];
    assert_eq!(lines(STREAMS, &[], &[]), expected);
}

#[test]
fn streams_and_emitters_run_no_native_if_fast_paths_are_off() {
    let expected = [
        "emit, one listener 0 native, 1 JavaScript",
        "emit, many listeners 0 native, 1 JavaScript",
        "_write 0 native, 2 JavaScript",
        "_read 0 native, 1 JavaScript",
        "pause 0 native, 2 JavaScript",
        "Transform _write 0 native, 3 JavaScript",
        "Transform callback 0 native, 1 JavaScript",
        "PassThrough _transform 0 native, 3 JavaScript",
        "PassThrough _read 0 native, 1 JavaScript",
        "afterWrite 0 native, 2 JavaScript",
        "resumed 0 native, 2 JavaScript",
        "emitReadable 0 native, 2 JavaScript",
        "readMore 0 native, 2 JavaScript",
        "drain 0 native, 3 JavaScript",
        "push 0 native, 3 JavaScript",
    ];
    assert_eq!(lines(STREAMS, &["--no-fast-paths"], &[]), expected);
}

#[test]
fn buffers_and_timers_follow_the_switch() {
    let taken = ["subarray native", "setTimeout objects are recycled", "setImmediate objects are recycled"];
    let declined = ["subarray JavaScript", "setTimeout an object each", "setImmediate an object each"];
    assert_eq!(lines(OBJECTS, &[], &[]), taken);
    assert_eq!(lines(OBJECTS, &["--no-fast-paths"], &[]), declined);
}
