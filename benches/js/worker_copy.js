// Posts a megabyte to a worker and back, copied both ways.
const { Worker } = require('node:worker_threads');
const N = +process.argv[2] || 300;
const w = new Worker(
  "const { parentPort: p } = require('worker_threads'); p.on('message', (m) => p.postMessage(m));", { eval: true });
let n = -10;
let t;
w.on('message', (m) => {
  if (n === 0) t = process.hrtime.bigint();
  if (n++ < N) return w.postMessage(m);
  console.log('worker_copy/s', Math.round(N / (Number(process.hrtime.bigint() - t) / 1e9)));
  w.terminate();
});
w.postMessage(new ArrayBuffer(1 << 20));
