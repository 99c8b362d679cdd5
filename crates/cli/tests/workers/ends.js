'use strict';
// `terminate()` ends a worker in every state, and a worker that fails by itself does not disturb the others.
const { Worker } = require('worker_threads');

const busy = {
  loop: 'for (;;);',
  caught: 'for (;;) try { for (;;); } catch {} finally { for (;;); }',
  wait: 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
  microtasks: '(function f() { Promise.resolve().then(f); })();',
  ticks: '(function f() { process.nextTick(f); })();',
  immediates: '(function f() { setImmediate(f); })();',
  timers: 'setInterval(() => {}, 1);',
  idle: "require('worker_threads').parentPort.on('message', () => {});",
  generator: 'function* g() { try { for (;;) yield 1; } finally { for (;;); } } for (const x of g());',
  async: '(async () => { for (;;) await 0; })();',
  sort: '[3, 1, 2].sort(() => { for (;;); });',
  proxy: 'new Proxy({}, { get() { for (;;); } }).x;',
  accessor: 'JSON.stringify({ toJSON() { for (;;); } });',
  regexp: "/^(a+)+$/.test('a'.repeat(40) + 'b');",
  exit: "process.on('exit', () => { for (;;); }); process.exit();",
};

async function end(name) {
  const worker = new Worker(busy[name], { eval: true });
  await new Promise((resolve) => worker.once('online', resolve));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const code = await worker.terminate();
  return `${name} ${code}`;
}

const fills = {
  objects: 'const a = []; for (;;) a.push({ x: a.length });',
  caught: 'const a = []; for (;;) try { for (;;) a.push([a.length]); } catch {}',
  awaits: '(async () => { const a = []; for (;;) { await 0; a.push(new Array(1000).fill(1.5)); } })();',
  buffer: "const a = []; for (;;) a.push(Buffer.alloc(1 << 16, 1));",
  // The other port is never read: its messages pile up.
  messages: "const { port1, port2 } = new MessageChannel(); globalThis.p = port2; for (;;) port1.postMessage('x'.repeat(1000));",
};

function fill(name) {
  const worker = new Worker(fills[name], { eval: true, resourceLimits: { maxOldGenerationSizeMb: 24 } });
  return new Promise((resolve) => {
    const told = [];
    worker.on('error', (error) => told.push(error.code));
    worker.on('exit', (code) => resolve(`${name} ${told} ${code}`));
  });
}

(async () => {
  const bystander = new Worker(
    "const { parentPort: p } = require('worker_threads'); p.on('message', (m) => p.postMessage(m));", { eval: true });
  for (const name of Object.keys(busy)) console.log(await end(name));
  for (const name of Object.keys(fills)) console.log(await fill(name));
  bystander.postMessage('lives');
  bystander.once('message', (m) => {
    console.log('bystander', m);
    bystander.terminate();
  });
})();
