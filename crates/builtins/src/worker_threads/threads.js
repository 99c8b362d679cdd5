'use strict';
// `postMessageToThread` and the 'workerMessage' event: messages to a thread by its id. Each message is acknowledged,
// so that the sender learns the result.

const process = require('process');
const { clearTimeout, setTimeout } = require('internal/scheduler');
const {
  ERR_INVALID_ARG_TYPE,
  ERR_WORKER_MESSAGING_ERRORED,
  ERR_WORKER_MESSAGING_FAILED,
  ERR_WORKER_MESSAGING_SAME_THREAD,
  ERR_WORKER_MESSAGING_TIMEOUT,
} = require('internal/errors');
const { validateNumber } = require('internal/validators');
const channel = require('internal/port');
const messaging = require('internal/messaging');
const { handlesOf, parts, sortTransfers, withMoving } = require('internal/clone');
const { threadId: ownId } = require('internal/scheduler').options();

function received({ 0: value, 1: source, 2: answer }) {
  let result = 'failed';
  try {
    if (process.listenerCount('workerMessage') > 0) {
      result = 'errored';
      process.emit('workerMessage', value, source);
      result = 'done';
    }
  } catch {
    // An exception of a listener is reported to the sender only (`lib/internal/worker/messaging.js:
    // receiveMessageFromWorker`).
  }
  answer.postMessage(result);
  answer.close();
}

let isUp = false;

// Opens the mailbox of the main thread. A worker has one from its start.
function listen() {
  if (isUp || ownId !== 0) return;
  isUp = true;
  channel.open(native.putUpBox(), (message) => { if (message !== undefined) received(message); });
}

async function send(threadId, value, transferList, timeout) {
  if (typeof transferList === 'number' && typeof timeout === 'undefined') {
    timeout = transferList;
    transferList = [];
  }
  if (timeout !== undefined) validateNumber(timeout, 'timeout', 0);
  if (threadId === ownId) throw new ERR_WORKER_MESSAGING_SAME_THREAD();
  if (transferList !== undefined && transferList !== null && typeof transferList[Symbol.iterator] !== 'function') {
    throw new ERR_INVALID_ARG_TYPE('transferList', 'Array', transferList);
  }
  if (typeof threadId !== 'number' || !native.hasBox(threadId)) throw new ERR_WORKER_MESSAGING_FAILED();
  const { buffers, ports, others } = sortTransfers(transferList ?? []);
  const { port1: here, port2: there } = new messaging.MessageChannel();
  const all = [...ports, there];
  return new Promise((resolve, reject) => {
    let timer;
    const done = (error) => {
      clearTimeout(timer);
      here.close();
      if (error === undefined) resolve();
      else reject(error);
    };
    here.on('message', (result) => {
      if (result === 'done') done();
      else done(result === 'errored' ? new ERR_WORKER_MESSAGING_ERRORED() : new ERR_WORKER_MESSAGING_FAILED());
    });
    here.on('close', () => reject(new ERR_WORKER_MESSAGING_FAILED()));
    if (timeout !== undefined) {
      timer = setTimeout(() => done(new ERR_WORKER_MESSAGING_TIMEOUT()), timeout);
    }
    try {
      const sent = withMoving(all, others, () =>
        native.send(threadId, parts, [value, ownId, there], buffers, all, handlesOf(all)));
      if (!sent) done(new ERR_WORKER_MESSAGING_FAILED());
    } catch (error) {
      done(error);
    }
  });
}

module.exports = { listen, received, send };
