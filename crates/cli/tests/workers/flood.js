'use strict';
// Posts a large number of messages to a worker with an interval of 1 ms: neither the messages nor the timer may starve.
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
if (isMainThread) {
  const total = +process.argv[2];
  const worker = new Worker(__filename, { workerData: { total } });
  let sent = 0;
  // In batches: one long loop would only fill the queue of the sender.
  const send = () => {
    for (let i = 0; i < 10000 && sent < total; i++) worker.postMessage({ n: sent++ });
    if (sent < total) setImmediate(send);
  };
  send();
  worker.on('message', ({ received, ordered, beats, longest }) => {
    console.log(received === total, ordered, beats > 3, longest < 2000);
    if (beats <= 3 || longest >= 2000) console.log({ beats, longest });
  });
} else {
  let received = 0;
  let ordered = true;
  let beats = 0;
  let longest = 0;
  let last = Date.now();
  const timer = setInterval(() => {
    beats++;
    longest = Math.max(longest, Date.now() - last);
    last = Date.now();
  }, 1);
  parentPort.on('message', ({ n }) => {
    if (n !== received++) ordered = false;
    if (received !== workerData.total) return;
    clearInterval(timer);
    parentPort.postMessage({ received, ordered, beats, longest });
    parentPort.close();
  });
}
