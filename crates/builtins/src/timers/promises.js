'use strict';
// The module `timers/promises`, on top of the callback timers, so that the order of continuations is the same.
// Invalid arguments reject the promise instead of throwing.

const { AbortError, ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS } = require('internal/errors');
const {
  validateAbortSignal,
  validateBoolean,
  validateNumber,
  validateObject,
} = require('internal/validators');
const timers = require('timers');

const kScheduler = Symbol('kScheduler');

function checkOptions(options) {
  validateObject(options, 'options');
  validateAbortSignal(options.signal, 'options.signal');
  if (options.ref !== undefined) validateBoolean(options.ref, 'options.ref');
}

// Removes the abort listener once the promise settles.
function untilAborted(promise, signal, onAbort) {
  const { kResistStopPropagation } = require('internal/event_target');
  signal.addEventListener('abort', onAbort, { __proto__: null, [kResistStopPropagation]: true });
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}

function wait(start, stop, options) {
  const { signal, ref = true } = options;
  if (signal?.aborted) return Promise.reject(new AbortError(undefined, { cause: signal.reason }));
  let onAbort;
  const promise = new Promise((resolve, reject) => {
    const handle = start(resolve);
    if (!ref) handle.unref();
    if (signal) {
      onAbort = () => {
        stop(handle);
        reject(new AbortError(undefined, { cause: signal.reason }));
      };
    }
  });
  return onAbort === undefined ? promise : untilAborted(promise, signal, onAbort);
}

function setTimeout(delay, value, options = { __proto__: null }) {
  try {
    if (delay !== undefined) validateNumber(delay, 'delay');
    checkOptions(options);
  } catch (error) {
    return Promise.reject(error);
  }
  return wait((resolve) => timers.setTimeout(resolve, delay, value), timers.clearTimeout, options);
}

function setImmediate(value, options = { __proto__: null }) {
  try {
    checkOptions(options);
  } catch (error) {
    return Promise.reject(error);
  }
  return wait((resolve) => timers.setImmediate(resolve, value), timers.clearImmediate, options);
}

async function* setInterval(delay, value, options = { __proto__: null }) {
  if (delay !== undefined) validateNumber(delay, 'delay');
  checkOptions(options);
  const { signal, ref = true } = options;
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });

  let onAbort;
  let interval;
  try {
    // Number of elapsed periods not yet consumed, and the resolver of the pending next().
    let unread = 0;
    let wake;
    interval = timers.setInterval(() => {
      unread++;
      if (wake) {
        wake();
        wake = undefined;
      }
    }, delay);
    if (!ref) interval.unref();
    if (signal) {
      onAbort = () => {
        timers.clearInterval(interval);
        if (wake) {
          wake(Promise.reject(new AbortError(undefined, { cause: signal.reason })));
          wake = undefined;
        }
      };
      const { kResistStopPropagation } = require('internal/event_target');
      signal.addEventListener('abort', onAbort, { __proto__: null, once: true, [kResistStopPropagation]: true });
    }

    while (!signal?.aborted) {
      if (unread === 0) await new Promise((resolve) => (wake = resolve));
      for (; unread > 0; unread--) yield value;
    }
    throw new AbortError(undefined, { cause: signal?.reason });
  } finally {
    timers.clearInterval(interval);
    signal?.removeEventListener('abort', onAbort);
  }
}

class Scheduler {
  constructor() {
    throw new ERR_ILLEGAL_CONSTRUCTOR();
  }

  yield() {
    if (!this[kScheduler]) throw new ERR_INVALID_THIS('Scheduler');
    return setImmediate();
  }

  wait(delay, options) {
    if (!this[kScheduler]) throw new ERR_INVALID_THIS('Scheduler');
    return setTimeout(delay, undefined, options);
  }
}

const scheduler = Object.create(Scheduler.prototype, {
  [kScheduler]: { __proto__: null, value: true, writable: true, enumerable: true, configurable: true },
});

module.exports = { setTimeout, setImmediate, setInterval, scheduler };
