'use strict';
// `inspector` without an inspector: the module can be loaded, but functions that need an inspector throw, as in a Node that was built without
// one.

const EventEmitter = require('events');
const process = require('process');
const {
  ERR_INSPECTOR_ALREADY_CONNECTED, ERR_INSPECTOR_COMMAND, ERR_INSPECTOR_NOT_ACTIVE, ERR_INSPECTOR_NOT_AVAILABLE, ERR_INSPECTOR_NOT_CONNECTED,
  ERR_INSPECTOR_NOT_WORKER,
} = require('internal/errors');
const { queueMicrotask } = require('internal/scheduler');
const { validateFunction, validateObject, validateString } = require('internal/validators');

function refuse() {
  throw new ERR_INSPECTOR_NOT_AVAILABLE();
}

// A session that answers every command with an error. Connecting succeeds, because some packages connect when they are loaded.
class Session extends EventEmitter {
  // The function that delivers an answer; undefined if the session is not connected.
  #answer;

  connect() { this.#connect((callback, error) => callback(error)); }

  connectToMainThread() {
    if (require('worker_threads').isMainThread) throw new ERR_INSPECTOR_NOT_WORKER();
    this.#connect((callback, error) => queueMicrotask(() => callback(error)));
  }

  #connect(answer) {
    if (this.#answer !== undefined) throw new ERR_INSPECTOR_ALREADY_CONNECTED('The inspector session');
    this.#answer = answer;
  }

  post(method, params, callback) {
    validateString(method, 'method');
    if (!callback && typeof params === 'function') [params, callback] = [null, params];
    if (params) validateObject(params, 'params');
    if (callback) validateFunction(callback, 'callback');
    if (this.#answer === undefined) throw new ERR_INSPECTOR_NOT_CONNECTED();
    if (callback) this.#answer(warned(callback), new ERR_INSPECTOR_COMMAND(-32601, `'${method}' wasn't found`));
  }

  disconnect() { this.#answer = undefined; }
}

// An exception of a callback becomes a warning (`lib/inspector.js: Session`, `#onMessage`).
const warned = (callback) => (error) => {
  try {
    callback(error);
  } catch (reason) {
    process.emitWarning(reason);
  }
};

module.exports = {
  open() { refuse(); },
  close() {},
  url() {},
  waitForDebugger() { throw new ERR_INSPECTOR_NOT_ACTIVE(); },
  console: require('console'),
  Session,
};
