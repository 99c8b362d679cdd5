'use strict';
// `events.once` (a promise for one event) and `events.on` (an async iterator over events).

const { AbortError, ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { validateAbortSignal, validateInteger, validateObject } = require('internal/validators');

const kWatermarkData = Symbol.for('nodejs.watermarkData');
const kFirstEventParam = Symbol.for('nodejs.kFirstEventParam');

function attach(emitter, name, listener, flags) {
  if (typeof emitter.on === 'function') {
    if (flags?.once) emitter.once(name, listener);
    else emitter.on(name, listener);
  } else if (typeof emitter.addEventListener === 'function') {
    emitter.addEventListener(name, listener, flags);
  } else {
    throw new ERR_INVALID_ARG_TYPE('emitter', 'EventEmitter', emitter);
  }
}

function detach(emitter, name, listener, flags) {
  if (typeof emitter.removeListener === 'function') {
    emitter.removeListener(name, listener);
  } else if (typeof emitter.removeEventListener === 'function') {
    emitter.removeEventListener(name, listener, flags);
  } else {
    throw new ERR_INVALID_ARG_TYPE('emitter', 'EventEmitter', emitter);
  }
}

function once(emitter, name, options) {
  validateObject(options, 'options');
  const { signal } = options;
  validateAbortSignal(signal, 'options.signal');
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  return new Promise((resolve, reject) => {
    const onError = (error) => {
      emitter.removeListener(name, onEvent);
      if (signal != null) detach(signal, 'abort', onAbort);
      reject(error);
    };
    const onEvent = (...args) => {
      if (typeof emitter.removeListener === 'function') emitter.removeListener('error', onError);
      if (signal != null) detach(signal, 'abort', onAbort);
      resolve(args);
    };
    // Options for an EventTarget: its listener is called even if an earlier one calls `stopImmediatePropagation()` (`lib/events.js: once`).
    const { kResistStopPropagation } = require('internal/event_target');
    const flags = { __proto__: null, once: true, [kResistStopPropagation]: true };
    attach(emitter, name, onEvent, flags);
    if (name !== 'error' && typeof emitter.once === 'function') emitter.once('error', onError);
    function onAbort() {
      detach(emitter, name, onEvent);
      detach(emitter, 'error', onError);
      reject(new AbortError(undefined, { cause: signal?.reason }));
    }
    if (signal != null) attach(signal, 'abort', onAbort, flags);
  });
}

const asyncIteratorProto = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);

// A FIFO queue that does not move its items on every shift.
class Queue {
  #items = [];
  #head = 0;
  get length() {
    return this.#items.length - this.#head;
  }
  push(item) {
    this.#items.push(item);
  }
  shift() {
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    return item;
  }
}

function on(emitter, event, options) {
  validateObject(options, 'options');
  const { signal } = options;
  validateAbortSignal(signal, 'options.signal');
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  // `highWatermark` and `lowWatermark` are the older spellings of the same options.
  const high = options.highWaterMark ?? options.highWatermark ?? Number.MAX_SAFE_INTEGER;
  validateInteger(high, 'options.highWaterMark', 1);
  const low = options.lowWaterMark ?? options.lowWatermark ?? 1;
  validateInteger(low, 'options.lowWaterMark', 1);

  const waitingEvents = new Queue();
  const waitingPromises = new Queue();
  const attached = [];
  let paused = false;
  let error = null;
  let finished = false;
  let size = 0;

  const listen = (target, name, listener, flags) => {
    attach(target, name, listener, flags);
    attached.push([target, name, listener, flags]);
  };

  const iterator = Object.setPrototypeOf({
    next() {
      if (size) {
        const value = waitingEvents.shift();
        size--;
        if (paused && size < low) {
          emitter.resume();
          paused = false;
        }
        return Promise.resolve({ value, done: false });
      }
      if (error) {
        // Report the error once; afterwards the iterator is done.
        const rejected = Promise.reject(error);
        error = null;
        return rejected;
      }
      if (finished) return close();
      return new Promise((resolve, reject) => waitingPromises.push({ resolve, reject }));
    },
    return() {
      return close();
    },
    throw(reason) {
      if (!reason || !(reason instanceof Error)) {
        throw new ERR_INVALID_ARG_TYPE('EventEmitter.AsyncIterator', 'Error', reason);
      }
      fail(reason);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [kWatermarkData]: {
      get size() {
        return size;
      },
      get low() {
        return low;
      },
      get high() {
        return high;
      },
      get isPaused() {
        return paused;
      },
    },
  }, asyncIteratorProto);

  listen(emitter, event, options[kFirstEventParam] ? take : (...args) => take(args));
  if (event !== 'error' && typeof emitter.on === 'function') listen(emitter, 'error', fail);
  if (options.close?.length) {
    for (const name of options.close) listen(emitter, name, close);
  }
  const abortListener = signal ? require('internal/abort').addAbortListener(signal, onAbort) : null;
  return iterator;

  function onAbort() {
    fail(new AbortError(undefined, { cause: signal?.reason }));
  }

  function take(value) {
    if (waitingPromises.length === 0) {
      size++;
      if (!paused && size > high) {
        paused = true;
        emitter.pause();
      }
      waitingEvents.push(value);
    } else {
      waitingPromises.shift().resolve({ value, done: false });
    }
  }

  function fail(reason) {
    if (waitingPromises.length === 0) error = reason;
    else waitingPromises.shift().reject(reason);
    close();
  }

  function close() {
    abortListener?.[Symbol.dispose]();
    for (const [target, name, listener, flags] of attached.splice(0)) detach(target, name, listener, flags);
    finished = true;
    const result = { value: undefined, done: true };
    while (waitingPromises.length > 0) waitingPromises.shift().resolve(result);
    return Promise.resolve(result);
  }
}

module.exports = { on, once };
