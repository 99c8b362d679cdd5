'use strict';
// The worker thread that runs the hooks of `module.register`. It answers requests of the thread that started it
// (`internal/modules/register`), several at a time, and does not exit by itself.

const process = require('process');
const channel = require('internal/port');
const chain = require('internal/modules/hook_chain');
const { setHooksProxy } = require('internal/modules/esm_source');
const { importFrom } = require('internal/modules/esm');
const { setImmediate } = require('timers');

// Saved, because hooks may replace them.
const atomicsAdd = Atomics.add;
const atomicsNotify = Atomics.notify;

let port;
// Incremented after each answer. A thread that waits for an answer blocks on this counter with `Atomics.wait`.
let bell;
// Requests that are not answered yet.
const openRequests = new SafeSet();

// The hooks for modules that this thread imports: those registered before. They answer only asynchronously.
const hooksProxy = {
  __proto__: null,
  resolve: chain.resolve,
  load: chain.load,
  resolveSync() {
    const { ERR_METHOD_NOT_IMPLEMENTED } = require('internal/errors');
    throw new ERR_METHOD_NOT_IMPLEMENTED('resolveSync()');
  },
};

async function register(specifier, parentURL, data) {
  const exports = await importFrom(specifier, parentURL);
  const initialized = chain.add(specifier, exports, data);
  if (!chain.isEmpty()) setHooksProxy(hooksProxy);
  await initialized;
}

const methods = { __proto__: null, load: chain.load, register, resolve: chain.resolve };

function ring() {
  atomicsAdd(bell, 0, 1);
  atomicsNotify(bell, 0);
}

function failure(id, error) {
  try {
    return [id, 'failed', require('internal/worker/thrown').toData(error)];
  } catch {
    return [id, 'unsayable'];
  }
}

// Delays a request. A message that the requesting thread posted to another port of this thread before the request may arrive after it in the same
// poll phase. Hooks such as those of esmock need the content of the message to answer the request.
function accept(request) {
  openRequests.add(request[0]);
  // If the event loop has nothing else to wait for, the request can never be answered: `beforeExit` then reports that.
  channel.setRef(port, false);
  setImmediate(answer, request);
}

async function answer({ 0: id, 1: method, 2: args }) {
  let message;
  try {
    message = [id, 'done', await methods[method](...args)];
  } catch (error) {
    message = failure(id, error);
  }
  if (!openRequests.delete(id)) return;
  try {
    channel.say(port, message);
  } catch (error) {
    channel.say(port, failure(id, error));
  }
  if (openRequests.size === 0) channel.setRef(port, true);
  ring();
}

// Called by the main module of the new thread.
function start(end, bytes) {
  port = end;
  bell = bytes;
  channel.open(port, (message) => { if (message !== undefined) accept(message); });
  channel.setRef(port, true);
  process.on('beforeExit', () => {
    for (const id of openRequests) channel.say(port, [id, 'never']);
    openRequests.clear();
    channel.setRef(port, true);
    ring();
  });
  const { reallyExit } = process;
  process.reallyExit = function(code) {
    channel.say(port, [0, 'exit', code]);
    ring();
    reallyExit(code);
  };
}

module.exports = { register, start };
