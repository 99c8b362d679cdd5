// The same server and the same burst; a job runs only now and then, and the loop waits for connections between two.
'use strict';
const net = require('net');
const { Worker, isMainThread, workerData } = require('worker_threads');

if (!isMainThread) {
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

  function runJob() {
    const end = performance.now() + 3;
    while (performance.now() < end);
    if (!isDone) setTimeout(runJob, 30);
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
