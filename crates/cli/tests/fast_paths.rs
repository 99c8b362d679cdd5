//! Which operations of sockets and servers take a native fast path. Output alone cannot tell: a fast path that always declines
//! prints the same, only slower.
#![forbid(unsafe_code)]

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Prints whether JavaScript read and wrote each chunk, and whether JavaScript dispatched each request and sent its response.
/// `-` stands for the native fast path.
const SCRIPT: &str = r"
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

/// The lines that the script prints, with these flags and variables.
fn lines(flags: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let script = std::env::temp_dir().join(format!("phasor-fast-paths-{}-{number}.js", std::process::id()));
    std::fs::write(&script, SCRIPT).expect("a script can be written");
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
    assert_eq!(lines(&[], &[]), expected);
    assert_eq!(lines(&["--no-fast-paths", "--fast-paths"], &[]), expected);
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
    assert_eq!(lines(&["--no-fast-paths"], &[]), expected);
    assert_eq!(lines(&[], &[("NODE_OPTIONS", "--no-fast-paths")]), expected);
    assert_eq!(lines(&[], &[("PHASOR_NO_FAST_PATHS", "1")]), expected);
}
