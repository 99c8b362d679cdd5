'use strict';
// A random program for why.rs: `random.js SEED`.

const { whyAlive } = require('phasor:loop');
const assert = require('assert');
const childProcess = require('child_process');
const crypto = require('crypto');
const dgram = require('dgram');
const dns = require('dns');
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const zlib = require('zlib');
const { MessageChannel, Worker } = require('worker_threads');

// A generator of Park and Miller: the same seed gives the same program.
let state = Number(process.argv[2]) * 7919 + 1;
const below = (limit) => {
  state = state * 48271 % 2147483647;
  return state % limit;
};

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'phasor-why-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true }));

// What keeps the loop alive as far as this program knows: a resource has the kinds of its entries, and `stop` ends it.
const alive = new Set();

function add(kinds, handle, stop) {
  const resource = { kinds, stop };
  alive.add(resource);
  if (handle !== undefined && below(4) === 0) {
    handle.unref();
    alive.delete(resource);
    if (below(3) === 0) {
      handle.ref();
      alive.add(resource);
    }
  }
  return resource;
}

// Closes or unrefs.
const end = (close, unref) => () => (unref !== undefined && below(2) === 0 ? unref() : close());

// A request ends on its own. It is alive until its callback begins.
function request(kind, start) {
  const resource = { kinds: [kind] };
  alive.add(resource);
  start(() => alive.delete(resource));
}

const makers = {
  timeout() {
    const timer = setTimeout(() => assert.fail(), 1e6 + below(1e6));
    add(['timeout'], timer, end(() => clearTimeout(timer), () => timer.unref()));
  },
  interval() {
    const timer = setInterval(() => assert.fail(), 1e6 + below(1e6));
    add(['interval'], timer, end(() => clearInterval(timer), () => timer.unref()));
  },
  immediate() {
    const resource = { kinds: ['immediate'] };
    alive.add(resource);
    const immediate = setImmediate(() => alive.delete(resource));
    if (below(3) === 0) {
      alive.delete(resource);
      if (below(2) === 0) clearImmediate(immediate);
      else immediate.unref();
    }
  },
  tcpServer() {
    const server = net.createServer().listen(0);
    add(['tcp server'], server, end(() => server.close(), () => server.unref()));
  },
  unixServer() {
    const server = net.createServer().listen(path.join(folder, `socket ${below(1e9)}`));
    add(['unix socket server'], server, end(() => server.close(), () => server.unref()));
  },
  udp() {
    const socket = dgram.createSocket('udp4');
    const resource = { kinds: ['udp socket'], stop: end(() => socket.close(), () => socket.unref()) };
    // `bind` looks the address up first.
    pending++;
    socket.bind(0, '127.0.0.1', () => {
      pending--;
      alive.add(resource);
    });
  },
  child() {
    const child = childProcess.spawn('sleep', ['1000'], { stdio: 'ignore' });
    const resource = add(['child process'], child, () => {
      if (below(2) === 0) {
        child.unref();
        process.on('exit', () => child.kill());
      } else {
        child.kill();
      }
    });
    if (!alive.has(resource)) process.on('exit', () => child.kill());
  },
  childWithPipes() {
    const child = childProcess.spawn('sleep', ['1000']);
    add(['child process', 'pipe of a child process', 'pipe of a child process'], undefined, () => child.kill());
  },
  worker() {
    const worker = new Worker("require('worker_threads').parentPort.on('message', () => {})", { eval: true });
    const kinds = ['worker'];
    if (below(2) === 0) {
      worker.on('message', () => {});
      kinds.push('message port');
    }
    pending++;
    worker.on('online', () => pending--);
    add(kinds, undefined, () => worker.terminate());
  },
  port() {
    const { port1, port2 } = new MessageChannel();
    port1.on('message', () => {});
    add(['message port'], port1, end(() => port1.close(), () => port1.unref()));
    port2.unref();
  },
  watch() {
    const watcher = fs.watch(folder, () => {});
    add(['file watcher'], watcher, end(() => watcher.close(), () => watcher.unref()));
  },
  watchFile() {
    const file = path.join(folder, `${below(1e9)}`);
    const watcher = fs.watchFile(file, { interval: 1e6 }, () => {});
    add(['file watcher'], watcher, end(() => fs.unwatchFile(file), () => watcher.unref()));
  },
  stat() { request('file request', (done) => fs.stat(folder, done)); },
  promise() { request('file request', (done) => { fs.promises.stat(folder).then(done); }); },
  lookup() { request('dns lookup', (done) => dns.lookup('localhost', done)); },
  deflate() { request('zlib request', (done) => zlib.deflateRaw('text', done)); },
  derive() { request('crypto request', (done) => crypto.pbkdf2('a', 'b', 10, 10, 'sha1', done)); },
  connection() {
    // Two ends and a server that is closed once they are connected.
    pending++;
    const server = net.createServer((accepted) => {
      server.close();
      accepted.on('error', () => {}).resume();
      server.on('close', () => {});
      const resource = { kinds: ['tcp socket', 'tcp socket'], stop: () => [accepted, client].forEach((socket) => socket.destroy()) };
      const isDone = () => {
        if (client.connecting) {
          client.once('connect', isDone);
          return;
        }
        pending--;
        alive.add(resource);
        // The server is closed when its connections are; until then its handle is gone, and it is not listed.
      };
      isDone();
    });
    server.listen(0, '127.0.0.1');
    let client;
    server.on('listening', () => {
      client = net.connect(server.address().port, '127.0.0.1').on('error', () => {});
    });
  },
  fifo() {
    // The open waits on a thread of the pool until there is a writer.
    if (fifos === 1) return;
    fifos++;
    const file = path.join(folder, 'fifo');
    childProcess.execFileSync('mkfifo', [file]);
    const resource = { kinds: ['file request'], stop: () => fs.closeSync(fs.openSync(file, 'r+')) };
    alive.add(resource);
    fs.open(file, 'r', (error, fd) => {
      fs.closeSync(fd);
      alive.delete(resource);
    });
  },
};

let fifos = 0;
// Resources that are being made: the list is compared when there are none.
let pending = 0;

const kindsOf = (entries) => entries.map(({ kind }) => kind).sort();
const wanted = (...others) => [...[...alive].flatMap(({ kinds }) => kinds), ...others].sort();
const isEnding = ({ what }) => /is being closed|has a result to report/.test(what);

function check(...others) {
  const entries = whyAlive();
  for (const entry of entries) {
    assert.strictEqual(typeof entry.hasRef, 'boolean');
    assert.ok(entry.kind.length > 0 && (entry.remedy.length > 0), JSON.stringify(entry));
    if (process.env.PHASOR_WHY === '1') {
      assert.ok(entry.ageMs >= 0, JSON.stringify(entry));
      // Code of the runtime makes the handles of some: then no line of the program is known.
      if (/^(timeout|interval|immediate|child process|worker|file watcher|tcp server)$/.test(entry.kind)) {
        assert.match(entry.createdAt.file, /random\.js$/);
      }
    }
  }
  const seen = entries.filter((entry) => !isEnding(entry));
  assert.deepStrictEqual(kindsOf(seen), wanted(...others));
}

assert.deepStrictEqual(whyAlive(), []);
const names = Object.keys(makers);
const later = ['udp', 'connection'];
for (let count = below(12); count > 0; count--) {
  const name = names[below(names.length)];
  if (later.includes(name)) continue;
  makers[name]();
  check();
}
for (const name of later) if (below(2) === 0) makers[name]();

// Everything that was begun has been done, except what waits for the end of the program.
const isSettled = () => pending === 0 && [...alive].every(({ stop }) => stop !== undefined);
const steps = setInterval(() => {
  if (!isSettled() || whyAlive().some(isEnding)) return;
  check('interval');
  clearInterval(steps);
  check();
  // The loop is alive if and only if something is listed.
  isOver = whyAlive().length === 0;
  if (isOver) return;
  for (const resource of alive) resource.stop();
  alive.clear();
  for (const { kind, what, hasRef, remedy } of whyAlive()) {
    // What is left ends on its own.
    assert.ok(!hasRef || ['child process', 'pipe of a child process', 'worker', 'message port'].includes(kind), `${kind} ${what} ${remedy}`);
  }
}, 5);
let isOver = false;

process.on('beforeExit', () => {
  assert.deepStrictEqual(whyAlive(), []);
  console.log('ended');
});
