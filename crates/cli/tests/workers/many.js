'use strict';
// Starts 200 workers that exchange messages; some are terminated at a random moment. Afterwards the process must have
// as many threads and file descriptors as before.
const fs = require('fs');
const { Worker, MessageChannel, BroadcastChannel } = require('worker_threads');

const total = +process.argv[2];
const atOnce = 8;

// A fixed seed, so that a failure is reproducible.
let seed = +process.argv[3] || 1;
const random = (below) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor(seed / 2147483648 * below);
};

const scripts = [
  "p.on('message', (m) => { p.postMessage(m); if (m === 9) p.close(); });",
  "p.on('message', (m) => p.postMessage(m)); setInterval(() => p.postMessage('tick'), 1);",
  "for (let i = 0; i < 50; i++) p.postMessage(i); throw new Error('expected');",
  "for (;;) p.postMessage(new Uint8Array(1000));",
  "process.on('exit', () => p.postMessage('exit')); setTimeout(() => process.exit(3), 1);",
  "const { port1, port2 } = new MessageChannel(); port1.on('message', () => {}); p.postMessage(port2, [port2]);",
  "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
  "require('fs').readFile(process.execPath, () => {}); require('net').createServer().listen(0, '127.0.0.1');",
  "new (require('worker_threads').Worker)('setInterval(() => {}, 10)', { eval: true }); p.on('message', () => {});",
  "const c = new BroadcastChannel('all'); c.onmessage = (e) => c.postMessage('again'); c.postMessage('hello');",
  "Promise.resolve().then(function f() { return Promise.resolve().then(f); });",
  "console.log('said'); require('fs').openSync(process.execPath);",
];

const counts = { started: 0, ended: 0, messages: 0, errors: 0 };
const room = new BroadcastChannel('all');
room.onmessage = () => { counts.messages++; };
room.unref();

function start(done) {
  const code = `const { parentPort: p } = require('worker_threads');\n${scripts[random(scripts.length)]}`;
  const worker = new Worker(code, { eval: true, stdout: true });
  counts.started++;
  const { port1, port2 } = new MessageChannel();
  port1.on('message', () => { counts.messages++; });
  port1.unref();
  worker.postMessage({ port2 }, [port2]);
  for (let i = 0; i < 10; i++) worker.postMessage(i);
  worker.on('message', () => { counts.messages++; });
  worker.on('error', () => { counts.errors++; });
  worker.on('exit', () => {
    counts.ended++;
    port1.close();
    done();
  });
  // Terminate at once, on the next turn, when the worker is online, or later: workers that exit by themselves have done
  // so by then.
  const moments = [() => worker.terminate(), () => setImmediate(() => worker.terminate()),
    () => worker.once('online', () => worker.terminate()), () => setTimeout(() => worker.terminate(), random(30)),
    () => setTimeout(() => worker.terminate(), 60)];
  moments[random(moments.length)]();
}

const open = (folder) => fs.readdirSync(`/proc/self/${folder}`).length;

function round(count, done) {
  let left = count;
  let begun = 0;
  const next = () => {
    if (begun < count) {
      begun++;
      start(() => {
        next();
        if (--left === 0) done();
      });
    }
  };
  for (let i = 0; i < atOnce; i++) next();
}

// Closed handles are released in the closing phase, and threads leave /proc a little later: retry.
function settled(check, tries = 200) {
  if (check() || tries === 0) return;
  setTimeout(settled, 10, check, tries - 1);
}

// Start the threads of the pool before counting.
for (let i = 0; i < 8; i++) fs.stat('/', () => {});

round(20, () => setTimeout(() => {
  const before = { task: open('task'), fd: open('fd') };
  const memory = process.memoryUsage().rss;
  round(total - 20, () => {
    const isSame = () => open('task') <= before.task && open('fd') <= before.fd;
    settled(isSame);
    process.on('exit', () => {
      const grown = Math.round((process.memoryUsage().rss - memory) / 1048576);
      console.log(counts.started === total && counts.ended === total, isSame(), grown < 100);
      if (!isSame() || grown >= 100) console.log(before, open('task'), open('fd'), `${grown} MB`, counts);
    });
    room.close();
  });
}, 200));
