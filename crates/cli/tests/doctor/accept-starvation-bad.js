// A chain of immediates keeps each turn of the loop busy, and a turn accepts one connection: a burst of connections waits for long.
'use strict';
const net = require('net');
const { Worker, isMainThread, workerData } = require('worker_threads');

if (!isMainThread) {
  // The clients have a loop of their own.
  let left = 24;
  for (let i = 0; i < 24; i++) {
    const socket = net.connect(workerData, '127.0.0.1');
    socket.on('data', () => socket.destroy());
    socket.on('close', () => { if (--left === 0) process.exit(); });
  }
} else {
  let isDone = false;
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.end('hello');
  });

  // A queue of small jobs: each is short, but there is always another one.
  function runJob() {
    const end = performance.now() + 15;
    while (performance.now() < end);
    if (!isDone) setImmediate(runJob);
  }

  server.listen(0, '127.0.0.1', () => {
    const worker = new Worker(__filename, { workerData: server.address().port });
    worker.on('online', runJob);
    worker.on('exit', () => {
      isDone = true;
      server.close();
    });
  });
}
