'use strict';
// A histogram that was broadcast is one that both sides have, and stays when one of them is gone.
const { createHistogram } = require('perf_hooks');
const { BroadcastChannel, Worker } = require('worker_threads');

const histogram = createHistogram();
const channel = new BroadcastChannel('histogram');
const worker = new Worker(`
  const { BroadcastChannel, parentPort } = require('worker_threads');
  const channel = new BroadcastChannel('histogram');
  channel.onmessage = ({ data }) => {
    data.record(10);
    channel.close();
  };
  parentPort.postMessage('listening');
`, { eval: true });
worker.on('message', () => {
  channel.postMessage(histogram);
  channel.close();
});
worker.on('exit', (code) => {
  histogram.record(20);
  console.log(code, histogram.count, histogram.min, histogram.max);
});
