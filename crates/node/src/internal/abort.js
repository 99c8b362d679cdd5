'use strict';
// What functions that take an AbortSignal share.

const { AbortError, ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { validateAbortSignal, validateFunction } = require('internal/validators');

let once;

// Calls `listener` once when `signal` aborts, also when somebody stops the event; an aborted signal's listener is
// called by a microtask.
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

// The error an operation ends with when its signal aborts.
function abortErrorOf(signal) {
  return new AbortError(undefined, { cause: signal?.reason });
}

module.exports = { addAbortListener, abortErrorOf };
