//! A cluster whose workers die: a connection that one had not taken yet is another's, or ends. In Node it waits for ever.
#![forbid(unsafe_code)]

use std::process::{Command, Stdio};

/// The first worker is stopped (SIGSTOP) before the clients connect, so that the primary has sent it a connection when it dies.
const PRIMARY: &str = r"
const cluster = require('cluster');
const net = require('net');
if (cluster.isWorker) {
  net.createServer((socket) => socket.end('served')).listen(0, '127.0.0.1');
  return;
}
const workers = Array.from({ length: Number(process.argv[2]) }, () => cluster.fork());
const [first, ...others] = workers;
let listening = 0;
cluster.on('listening', (worker, { port }) => {
  if (++listening < workers.length) return;
  first.process.kill('SIGSTOP');
  let left = 4;
  const heard = [];
  for (let at = 0; at < 4; at++) {
    const client = net.connect(port, '127.0.0.1').setEncoding('utf8');
    client.on('error', () => {});
    client.on('data', (text) => heard.push(text));
    client.on('close', () => {
      if (--left > 0) return;
      console.log(heard.join());
      for (const other of others) other.kill();
    });
    // The primary has dealt them out by then.
    if (at === 3) client.on('connect', () => setImmediate(() => setImmediate(() => first.process.kill('SIGKILL'))));
  }
});
";

/// The output of the clients of a cluster with `workers` workers.
fn heard(workers: &str) -> String {
    let script = std::env::temp_dir().join(format!("phasor-cluster-{workers}-{}.js", std::process::id()));
    std::fs::write(&script, PRIMARY).expect("a script can be written");
    let mut command = Command::new("timeout");
    command.args(["60", env!("CARGO_BIN_EXE_phasor")]).arg(&script).arg(workers).env_remove("NODE_OPTIONS");
    let output = command.stdin(Stdio::null()).output().expect("phasor starts");
    std::fs::remove_file(&script).expect("the script is there");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn a_connection_of_a_worker_that_dies_is_the_next_ones() {
    assert_eq!(heard("2"), "served,served,served,served");
}

#[test]
fn a_connection_of_the_last_worker_that_dies_ends() {
    assert_eq!(heard("1"), "");
}
