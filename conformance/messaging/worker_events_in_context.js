'use strict';
// What a worker tells comes in the context that made it.
const { AsyncLocalStorage } = require('async_hooks');
const { Worker } = require('worker_threads');
const storage = new AsyncLocalStorage();
storage.run('made here', () => {
  const worker = new Worker("require('worker_threads').parentPort.postMessage(1); throw new Error('x')", { eval: true });
  // 'online' and 'message' come through two ports.
  const seen = {};
  for (const event of ['online', 'message', 'error', 'exit']) {
    worker.on(event, () => { seen[event] = storage.getStore(); });
  }
  worker.on('exit', () => console.log(['online', 'message', 'error', 'exit'].map((event) => `${event}: ${seen[event]}`)));
});
