// Signals that may move: to a clone, to a worker, and on from there. Others are empty objects to the clone.
'use strict';
const util = require('node:util');
const { Worker } = require('node:worker_threads');
const { once } = require('node:events');
const { transferableAbortController, transferableAbortSignal } = util;

const t = (f) => {
  try {
    console.log(f());
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
};
const move = (signal) => structuredClone(signal, { transfer: [signal] });

t(() => structuredClone(new AbortController().signal));
t(() => structuredClone(new AbortController()));
t(() => move(AbortSignal.abort()));
t(() => transferableAbortSignal());
t(() => transferableAbortSignal({}));
const plain = AbortSignal.abort('why');
console.log(transferableAbortSignal(plain) === plain, plain);
const controller = transferableAbortController();
console.log(controller, Object.keys(controller), Object.keys(controller.signal), controller instanceof AbortController);
t(() => structuredClone(controller.signal));
t(() => move(controller));
t(() => structuredClone([controller.signal, () => {}], { transfer: [controller.signal] }));
const past = move(plain);
console.log(past, past.reason, past instanceof AbortSignal, past.constructor.name);

(async () => {
  // Ports of signals keep nothing alive.
  const keep = setInterval(() => {}, 1000);
  const moved = move(controller.signal);
  const again = move(moved);
  const heard = once(again, 'abort');
  controller.abort({ reason: 1 });
  console.log(controller.signal.aborted, moved.aborted, again.aborted);
  const [event] = await heard;
  console.log(event.type, event.isTrusted, moved.reason, again.reason, again.reason === moved.reason);

  const other = transferableAbortController();
  const worker = new Worker(`
    const { parentPort, workerData: signal } = require('node:worker_threads');
    const keep = setInterval(() => {}, 1000);
    signal.onabort = () => {
      clearInterval(keep);
      parentPort.postMessage([signal.aborted, signal.reason.name, signal.reason.message]);
    };
  `, { eval: true, workerData: other.signal, transferList: [other.signal] });
  worker.once('online', () => other.abort());
  console.log(...await once(worker, 'message'));
  await once(worker, 'exit');
  clearInterval(keep);
})();
