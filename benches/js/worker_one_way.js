// Posts small objects to a worker without waiting for answers.
const { Worker } = require('node:worker_threads');
const N = +process.argv[2] || 200000;
const w = new Worker(`
  const { parentPort: p } = require('worker_threads');
  let n = 0;
  p.on('message', () => { if (++n === ${N}) p.postMessage('done'); });
  p.postMessage('ready');
`, { eval: true });
let t;
w.on('message', (m) => {
  if (m === 'ready') {
    t = process.hrtime.bigint();
    for (let n = 0; n < N; n++) w.postMessage({ n, text: 'hello' });
    return;
  }
  console.log('worker_one_way/s', Math.round(N / (Number(process.hrtime.bigint() - t) / 1e9)));
  w.terminate();
});
