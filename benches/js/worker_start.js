// Starts workers one after the other, each after the previous one has exited.
const { Worker } = require('node:worker_threads');
const N = +process.argv[2] || 30;
let n = 0;
let t;
function next() {
  if (n === 1) t = process.hrtime.bigint();
  if (n++ > N) return console.log('worker_start/s', Math.round(N / (Number(process.hrtime.bigint() - t) / 1e9)));
  new Worker('0', { eval: true }).on('exit', next);
}
next();
