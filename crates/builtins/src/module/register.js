'use strict';
// `module.register` and `--experimental-loader`, requesting side: hooks run on a separate thread, one per registering
// thread, and are called through a MessagePort. `import` continues when the answer arrives; synchronous callers
// block. The other side is `internal/modules/hooks_thread`.

const process = require('process');
const { useAsker } = require('internal/modules/esm_source');
const { toUrl } = require('internal/modules/file_url');
const { receiveMessageOnPort } = require('internal/messaging');

// Saved, because programs may replace them.
const look = Atomics.load;
const wait = Atomics.wait;

// Exit code if a hook never answers (`lib/internal/modules/esm/hooks.js: makeSyncRequest`).
const UNSETTLED = 13;
// Interval at which a blocked caller checks that the thread is alive.
const NAP_MS = 1000;

// The hooks thread: { worker, port, bell, hear, isThere }. `bell` counts answers, `hear` delivers the worker's pending
// messages, `isThere` tells whether the thread runs.
let thread;
let last = 0;
// Pending requests: [fulfil, reject].
const waiting = new SafeMap();

// Returns or throws the answer. An unanswered asynchronous request stays pending forever.
function open({ 1: status, 2: body }) {
  if (status === 'done') return body;
  if (status === 'failed') throw require('internal/worker/thrown').fromData(body);
  const { ERR_WORKER_UNSERIALIZABLE_ERROR } = require('internal/errors');
  throw new ERR_WORKER_UNSERIALIZABLE_ERROR();
}

function onMessage(message) {
  const { 0: id, 1: status } = message;
  const who = waiting.get(id);
  if (who === undefined) return;
  waiting.delete(id);
  // The hooks thread does not keep the process alive without pending requests.
  if (waiting.size === 0) thread.worker.unref();
  if (status === 'never') return;
  const { 0: fulfil, 1: reject } = who;
  try {
    fulfil(open(message));
  } catch (error) {
    reject(error);
  }
}

function start() {
  const { startHooks } = require('internal/worker');
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const { worker, port, hear, isThere } = startHooks(bell);
  worker.on('exit', process.exit);
  worker.on('message', onMessage);
  worker.unref();
  thread = { worker, port, bell, hear, isThere };
  useAsker(asker);
}

function post(method, args, transferList) {
  if (thread === undefined) start();
  const id = ++last;
  thread.worker.postMessage([id, method, args], transferList);
  return id;
}

const ask = (method, args) => new Promise((fulfil, reject) => {
  const id = post(method, args);
  if (waiting.size === 0) thread.worker.ref();
  waiting.set(id, [fulfil, reject]);
});

function askNow(method, args, transferList) {
  const id = post(method, args, transferList);
  const { bell, hear, isThere, port } = thread;
  // Print what hooks have written by then, even if the loop does not run again.
  process.nextTick(hear);
  for (;;) {
    const rung = look(bell, 0);
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      const { message } = next;
      const { 0: to, 1: status, 2: code } = message;
      if (status === 'exit') process.exit(code);
      if (to !== id) onMessage(message);
      else if (status === 'never') process.exit(UNSETTLED);
      else return open(message);
    }
    if (wait(bell, 0, rung, NAP_MS) === 'timed-out' && !isThere()) process.exit(1);
  }
}

const asker = {
  __proto__: null,
  resolve: (specifier, parentURL, importAttributes) => ask('resolve', [specifier, parentURL, importAttributes]),
  load: (url, context) => ask('load', [url, context]),
  resolveSync: (specifier, parentURL, importAttributes) => askNow('resolve', [specifier, parentURL, importAttributes]),
  loadSync: (url, context) => askNow('load', [url, context]),
};

function register(specifier, parentURL, data, transferList) {
  if (require('internal/worker/main').isOfHooks()) {
    require('internal/modules/hooks_thread').register(specifier, parentURL, data);
    return;
  }
  askNow('register', [specifier, parentURL, data], transferList);
}

// Quoted for a shell, as in the warning of `lib/internal/modules/esm/loader.js: createModuleLoader`.
const quoted = (text) => encodeURIComponent(text).replace(/'/g, '%27').replace(/%22/g, '"').replace(/%2F/gi, '/');

// Implements `--experimental-loader`.
function registerLoaders(specifiers) {
  const calls = specifiers.map((one) => `register(${quoted(JSON.stringify(one))}, pathToFileURL("./"))`);
  process.emitWarning(
    '`--experimental-loader` may be removed in the future; instead use `register()`:\n' +
    '--import \'data:text/javascript,import { register } from "node:module"; import { pathToFileURL } from "node:url"; ' +
    `${calls.join('; ')};'`,
    'ExperimentalWarning');
  for (const specifier of specifiers) register(specifier, `${toUrl(process.cwd())}/`);
}

module.exports = { register, registerLoaders };
