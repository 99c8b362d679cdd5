'use strict';
// Shared by functions that take an AbortSignal: `addAbortListener` and the error of an aborted operation.

const { AbortError, ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { validateAbortSignal, validateFunction } = require('internal/validators');

let once;

// Calls `listener` once when `signal` aborts, even if another listener calls `stopImmediatePropagation()`. If the signal is already aborted, a
// microtask calls the listener (`lib/internal/events/abort_listener.js: addAbortListener`).
function addAbortListener(signal, listener) {
  if (signal === undefined) throw new ERR_INVALID_ARG_TYPE('signal', 'AbortSignal', signal);
  validateAbortSignal(signal, 'signal');
  validateFunction(listener, 'listener');
  if (signal.aborted) {
    require('internal/scheduler').queueMicrotask(() => listener());
    return { __proto__: null, [Symbol.dispose]() {} };
  }
  const { kResistStopPropagation } = require('internal/event_target');
  once ??= Object.freeze({ __proto__: null, once: true, [kResistStopPropagation]: true });
  signal.addEventListener('abort', listener, once);
  return {
    __proto__: null,
    [Symbol.dispose]() {
      signal.removeEventListener('abort', listener);
    },
  };
}

// The error with which an operation fails when its signal aborts. The `cause` of the error is the reason of the signal.
function abortErrorOf(signal) {
  return new AbortError(undefined, { cause: signal?.reason });
}

module.exports = { addAbortListener, abortErrorOf };
