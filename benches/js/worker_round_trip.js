// Posts a small object to a worker and back, one at a time.
const { Worker } = require('node:worker_threads');
const N = +process.argv[2] || 50000;
const w = new Worker("const { parentPort: p } = require('worker_threads'); p.on('message', (m) => p.postMessage(m));", { eval: true });
let n = -1000;
let t;
w.on('message', () => {
  if (n === 0) t = process.hrtime.bigint();
  if (n++ < N) return w.postMessage({ n, text: 'hello' });
  console.log('worker_round_trip/s', Math.round(N / (Number(process.hrtime.bigint() - t) / 1e9)));
  w.terminate();
});
w.postMessage({ n, text: 'hello' });
