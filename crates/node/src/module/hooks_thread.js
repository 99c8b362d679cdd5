'use strict';
// The thread that the hooks of `module.register` run on, as it sees itself: it answers what the thread asks that has started it
// (`internal/modules/register`), one question after the other or many at once, and never ends by itself.

const process = require('process');
const channel = require('internal/port');
const chain = require('internal/modules/hook_chain');
const { useAsker } = require('internal/modules/esm_source');
const { importFrom } = require('internal/modules/esm');

// Kept, as hooks may replace them.
const { add: raise, notify } = Atomics;

let port;
// A number that is raised after each answer: who asks may sleep on it.
let bell;
// The questions that are not answered.
const open = new Set();

// Modules of this thread are for the hooks that are there already to find, too. As Node: only where that may take its time.
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

async function answer({ 0: id, 1: method, 2: args }) {
  open.add(id);
  // Once there is nothing else to do this one will not be answered any more.
  channel.setRef(port, false);
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

// Called on the new thread, by its main module.
function start(end, bytes) {
  port = end;
  bell = bytes;
  channel.open(port, (message) => { if (message !== undefined) answer(message); });
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
