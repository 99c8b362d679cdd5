'use strict';
// The worker thread that runs the hooks of `module.register`. It answers requests of the thread that started it
// (`internal/modules/register`), several at a time, and does not exit by itself.

const process = require('process');
const channel = require('internal/port');
const chain = require('internal/modules/hook_chain');
const { useAsker } = require('internal/modules/esm_source');
const { importFrom } = require('internal/modules/esm');
const { setImmediate } = require('timers');

// Saved, because hooks may replace them.
const raise = Atomics.add;
const notify = Atomics.notify;

let port;
// Counter incremented after each answer: a requester can block on it with `Atomics.wait`.
let bell;
// Requests that are not answered yet.
const open = new SafeSet();

// Modules of this thread are resolved by the hooks registered before them, where an asynchronous answer is possible.
const asker = {
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
  if (!chain.isEmpty()) useAsker(asker);
  await initialized;
}

const methods = { __proto__: null, load: chain.load, register, resolve: chain.resolve };

function ring() {
  raise(bell, 0, 1);
  notify(bell, 0);
}

function failure(id, error) {
  try {
    return [id, 'failed', require('internal/worker/thrown').toData(error)];
  } catch {
    return [id, 'unsayable'];
  }
}

// Messages that the requester has posted to ports of this thread before are delivered in the same round of the poll phase, but perhaps
// after the request. Hooks that read what such messages tell them, as those of esmock, need it before.
function accept(request) {
  open.add(request[0]);
  // If the loop becomes empty, the request will never be answered.
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
  if (!open.delete(id)) return;
  try {
    channel.say(port, message);
  } catch (error) {
    channel.say(port, failure(id, error));
  }
  if (open.size === 0) channel.setRef(port, true);
  ring();
}

// Called by the main module of the new thread.
function start(end, bytes) {
  port = end;
  bell = bytes;
  channel.open(port, (message) => { if (message !== undefined) accept(message); });
  channel.setRef(port, true);
  process.on('beforeExit', () => {
    for (const id of open) channel.say(port, [id, 'never']);
    open.clear();
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
