'use strict';
// The options `timeout` and `breakOnSigint` of `vm`.

const process = require('process');
const engine = require('internal/vm/engine');

// With `breakOnSigint`, SIGINT listeners are not called for the signal that interrupts the script (`lib/vm.js:
// sigintHandlersWrap`).
function within(run, timeout, breakOnSigint, from) {
  const listeners = breakOnSigint ? process.rawListeners('SIGINT') : [];
  if (listeners.length > 0) process.removeAllListeners('SIGINT');
  let outcome;
  try {
    outcome = engine.limited(run, timeout ?? 0, breakOnSigint);
  } finally {
    for (const listener of listeners) process.addListener('SIGINT', listener);
  }
  if (outcome.length < 2) return outcome[0];
  const { ERR_SCRIPT_EXECUTION_INTERRUPTED, ERR_SCRIPT_EXECUTION_TIMEOUT, captureStack } = require('internal/errors');
  const error = outcome[1] ? new ERR_SCRIPT_EXECUTION_TIMEOUT(timeout) : new ERR_SCRIPT_EXECUTION_INTERRUPTED();
  // Node's error has the code as a property only, not in the stack header.
  captureStack(error, `Error: ${error.message}`, from);
  throw error;
}

module.exports = { within };
