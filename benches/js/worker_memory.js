// The memory of an idle worker, in kilobytes.
const { Worker } = require('node:worker_threads');
const N = +process.argv[2] || 20;
const resident = () => process.memoryUsage().rss / 1024;
const code = "require('worker_threads').parentPort.on('message', () => {});";
const workers = [];
let before;
function next() {
  // The first worker initialises what all workers share.
  if (workers.length === 1) before = resident();
  if (workers.length <= N) {
    workers.push(new Worker(code, { eval: true }));
    return workers.at(-1).on('online', () => setTimeout(next, 20));
  }
  console.log('worker_memory', Math.round((resident() - before) / N));
  for (const worker of workers) worker.terminate();
}
next();
