'use strict';
// `module.register` and `--experimental-loader` on the registering thread. The hooks run on a separate thread, one per registering thread, and are
// called through a MessagePort. `import` continues when the answer arrives; synchronous callers block. The code of the other thread is
// `internal/modules/hooks_thread`.

const process = require('process');
const { setHooksProxy } = require('internal/modules/esm_source');
const { toUrl } = require('internal/modules/file_url');
const { receiveMessageOnPort } = require('internal/messaging');

// Saved, because programs may replace them.
const atomicsLoad = Atomics.load;
const atomicsWait = Atomics.wait;

// Exit code if a hook never answers (`lib/internal/modules/esm/hooks.js: makeSyncRequest`).
const UNSETTLED = 13;
// Interval at which a blocked caller checks that the thread is alive.
const ALIVE_CHECK_MS = 1000;

// The hooks thread: { worker, port, bell, hear, isThere }. `bell` counts answers, `hear` delivers the worker's pending messages, `isThere` returns
// whether the thread runs.
let thread;
let last = 0;
// Pending requests: [fulfil, reject].
const pending = new SafeMap();

// Returns or throws the content of an answer.
function unwrap({ 1: status, 2: body }) {
  if (status === 'done') return body;
  if (status === 'failed') throw require('internal/worker/thrown').fromData(body);
  const { ERR_WORKER_UNSERIALIZABLE_ERROR } = require('internal/errors');
  throw new ERR_WORKER_UNSERIALIZABLE_ERROR();
}

function onMessage(message) {
  const { 0: id, 1: status } = message;
  const callbacks = pending.get(id);
  if (callbacks === undefined) return;
  pending.delete(id);
  // Without pending requests, the hooks thread must not keep the process alive.
  if (pending.size === 0) thread.worker.unref();
  if (status === 'never') return;
  const { 0: fulfil, 1: reject } = callbacks;
  try {
    fulfil(unwrap(message));
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
  setHooksProxy(hooksProxy);
}

function post(method, args, transferList) {
  if (thread === undefined) start();
  const id = ++last;
  thread.worker.postMessage([id, method, args], transferList);
  return id;
}

const ask = (method, args) => new Promise((fulfil, reject) => {
  const id = post(method, args);
  if (pending.size === 0) thread.worker.ref();
  pending.set(id, [fulfil, reject]);
});

function askNow(method, args, transferList) {
  const id = post(method, args, transferList);
  const { bell, hear, isThere, port } = thread;
  // Deliver the output of hooks on the next tick, even if the loop does not run again.
  process.nextTick(hear);
  for (;;) {
    const rung = atomicsLoad(bell, 0);
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      const { message } = next;
      const { 0: to, 1: status, 2: code } = message;
      if (status === 'exit') process.exit(code);
      if (to !== id) onMessage(message);
      else if (status === 'never') process.exit(UNSETTLED);
      else return unwrap(message);
    }
    if (atomicsWait(bell, 0, rung, ALIVE_CHECK_MS) === 'timed-out' && !isThere()) process.exit(1);
  }
}

const hooksProxy = {
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

// Quotes text for a shell, as in the warning of `lib/internal/modules/esm/loader.js: createModuleLoader`.
const shellQuoted = (text) => encodeURIComponent(text).replace(/'/g, '%27').replace(/%22/g, '"').replace(/%2F/gi, '/');

// Implements `--experimental-loader`.
function registerLoaders(specifiers) {
  const calls = specifiers.map((one) => `register(${shellQuoted(JSON.stringify(one))}, pathToFileURL("./"))`);
  process.emitWarning(
    '`--experimental-loader` may be removed in the future; instead use `register()`:\n' +
    '--import \'data:text/javascript,import { register } from "node:module"; import { pathToFileURL } from "node:url"; ' +
    `${calls.join('; ')};'`,
    'ExperimentalWarning');
  for (const specifier of specifiers) register(specifier, `${toUrl(process.cwd())}/`);
}

module.exports = { register, registerLoaders };
