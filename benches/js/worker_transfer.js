// Posts a megabyte to a worker and back, transferred both ways.
const { Worker } = require('node:worker_threads');
const N = +process.argv[2] || 10000;
const w = new Worker(
  "const { parentPort: p } = require('worker_threads'); p.on('message', (m) => p.postMessage(m, [m]));", { eval: true });
let n = -10;
let t;
w.on('message', (m) => {
  if (n === 0) t = process.hrtime.bigint();
  if (n++ < N) return w.postMessage(m, [m]);
  console.log('worker_transfer/s', Math.round(N / (Number(process.hrtime.bigint() - t) / 1e9)));
  w.terminate();
});
w.postMessage(new ArrayBuffer(1 << 20));
