'use strict';
// The iterator helpers of Readable (`map`, `filter`, `reduce`, ...). Helpers that return a stream are async generators in this file; stream.js wraps
// them in `Readable.from`.

const { AbortError, ERR_INVALID_ARG_VALUE, ERR_MISSING_ARGS, ERR_OUT_OF_RANGE } = require('internal/errors');
const { validateAbortSignal, validateFunction, validateInteger, validateObject } = require('internal/validators');
const { isNodeStream, isWritable } = require('internal/streams/kinds');

// Markers in the result queue: a value to skip, and the end of the stream.
const kEmpty = Symbol('kEmpty');
const kEof = Symbol('kEof');

function checkOptions(options) {
  if (options != null) validateObject(options, 'options');
  if (options?.signal != null) validateAbortSignal(options.signal, 'options.signal');
}

function compose(stream, options) {
  checkOptions(options);
  if (isNodeStream(stream) && !isWritable(stream)) throw new ERR_INVALID_ARG_VALUE('stream', stream, 'must be writable');
  const composed = require('internal/streams/compose')(this, stream);
  if (options?.signal) require('internal/streams/abort').addAbortSignalNoValidate(options.signal, composed);
  return composed;
}

function map(fn, options) {
  validateFunction(fn, 'fn');
  checkOptions(options);
  const concurrency = options?.concurrency != null ? Math.floor(options.concurrency) : 1;
  const ahead = options?.highWaterMark != null ? Math.floor(options.highWaterMark) : concurrency - 1;
  validateInteger(concurrency, 'options.concurrency', 1);
  validateInteger(ahead, 'options.highWaterMark', 0);
  return mapped(this, fn, options, concurrency, ahead + concurrency);
}

// Maps with up to `concurrency` calls in flight and up to `maxQueued` results queued. Results keep the order of the stream.
async function* mapped(stream, fn, options, concurrency, maxQueued) {
  const { AbortSignal } = require('internal/abort_controller');
  const signal = AbortSignal.any(options?.signal ? [options.signal] : []);
  const fnOptions = { signal };
  const queue = [];
  let isDone = false;
  let working = 0;
  // Resolvers for the two waiting sides: this generator waits for results, the pump waits for space in the queue.
  let wakeReader = null;
  let wakePump = null;

  function wake() {
    if (wakeReader) {
      wakeReader();
      wakeReader = null;
    }
  }
  function makeRoom() {
    if (wakePump && !isDone && working < concurrency && queue.length < maxQueued) {
      wakePump();
      wakePump = null;
    }
  }
  function processed() {
    working -= 1;
    makeRoom();
  }
  function failed() {
    isDone = true;
    processed();
  }

  async function pump() {
    try {
      for await (let value of stream) {
        if (isDone) return;
        if (signal.aborted) throw new AbortError();
        try {
          value = fn(value, fnOptions);
          if (value === kEmpty) continue;
          value = Promise.resolve(value);
        } catch (error) {
          value = Promise.reject(error);
        }
        working += 1;
        value.then(processed, failed);
        queue.push(value);
        wake();
        if (!isDone && (queue.length >= maxQueued || working >= concurrency)) {
          await new Promise((resolve) => { wakePump = resolve; });
        }
      }
      queue.push(kEof);
    } catch (error) {
      const rejected = Promise.reject(error);
      rejected.then(processed, failed);
      queue.push(rejected);
    } finally {
      isDone = true;
      wake();
    }
  }

  pump();
  try {
    for (;;) {
      while (queue.length > 0) {
        const value = await queue[0];
        if (value === kEof) return;
        if (signal.aborted) throw new AbortError();
        if (value !== kEmpty) yield value;
        queue.shift();
        makeRoom();
      }
      await new Promise((resolve) => { wakeReader = resolve; });
    }
  } finally {
    isDone = true;
    if (wakePump) {
      wakePump();
      wakePump = null;
    }
  }
}

function filter(fn, options) {
  validateFunction(fn, 'fn');
  return map.call(this, async function(value, fnOptions) {
    return await fn(value, fnOptions) ? value : kEmpty;
  }, options);
}

async function some(fn, options = undefined) {
  for await (const found of filter.call(this, fn, options)) return true;
  return false;
}

async function every(fn, options = undefined) {
  validateFunction(fn, 'fn');
  return !(await some.call(this, async (...args) => !(await fn(...args)), options));
}

async function find(fn, options) {
  for await (const found of filter.call(this, fn, options)) return found;
  return undefined;
}

async function forEach(fn, options) {
  validateFunction(fn, 'fn');
  const visited = map.call(this, async function(value, fnOptions) {
    await fn(value, fnOptions);
    return kEmpty;
  }, options);
  for await (const nothing of visited);
}

async function reduce(reducer, initialValue, options) {
  validateFunction(reducer, 'reducer');
  checkOptions(options);
  let hasValue = arguments.length > 1;
  const outer = options?.signal;
  if (outer?.aborted) {
    const error = new AbortError(undefined, { cause: outer.reason });
    // The rejected promise reports the error; this listener keeps 'error' from being uncaught.
    this.once('error', () => {});
    await require('internal/streams/finished').finished(this.destroy(error));
    throw error;
  }
  const { AbortController } = require('internal/abort_controller');
  const controller = new AbortController();
  if (outer) {
    const { kResistStopPropagation } = require('internal/event_target');
    outer.addEventListener('abort', () => controller.abort(), { once: true, [kResistStopPropagation]: true });
  }
  let isEmpty = true;
  try {
    for await (const value of this) {
      isEmpty = false;
      if (outer?.aborted) throw new AbortError();
      if (hasValue) {
        initialValue = await reducer(initialValue, value, { signal: controller.signal });
      } else {
        initialValue = value;
        hasValue = true;
      }
    }
    if (isEmpty && !hasValue) {
      const error = new ERR_MISSING_ARGS('reduce');
      error.message = 'Reduce of an empty stream requires an initial value';
      throw error;
    }
  } finally {
    controller.abort();
  }
  return initialValue;
}

async function toArray(options) {
  checkOptions(options);
  const result = [];
  for await (const value of this) {
    if (options?.signal?.aborted) throw new AbortError(undefined, { cause: options.signal.reason });
    result.push(value);
  }
  return result;
}

function flatMap(fn, options) {
  return flattened(map.call(this, fn, options));
}

async function* flattened(values) {
  for await (const value of values) yield* throwable(value);
}

// Returns the iterable for `yield*` of an async generator. In Node 22, an exception thrown into the generator passes through `yield*`. Since 2025,
// ECMA-262 (27.1.6.2.3) rejects with a TypeError if a synchronous iterator has no `throw`, so this iterable adds one.
function throwable(value) {
  if (typeof value[Symbol.asyncIterator] === 'function') return value;
  return {
    __proto__: null,
    [Symbol.iterator]() {
      const iterator = value[Symbol.iterator]();
      if (typeof iterator.throw === 'function') return iterator;
      return {
        __proto__: null,
        next() { return iterator.next(); },
        return(last) { return typeof iterator.return === 'function' ? iterator.return(last) : { value: last, done: true }; },
        throw(error) { throw error; },
      };
    },
  };
}

// Converts the argument of `drop` and `take` like the iterator helpers of ECMA-262, but NaN becomes 0.
function countOf(number) {
  number = Number(number);
  if (Number.isNaN(number)) return 0;
  if (number < 0) throw new ERR_OUT_OF_RANGE('number', '>= 0', number);
  return number;
}

function drop(number, options = undefined) {
  checkOptions(options);
  return dropped(this, countOf(number), options?.signal);
}

async function* dropped(stream, count, signal) {
  if (signal?.aborted) throw new AbortError();
  for await (const value of stream) {
    if (signal?.aborted) throw new AbortError();
    if (count-- <= 0) yield value;
  }
}

function take(number, options = undefined) {
  checkOptions(options);
  return taken(this, countOf(number), options?.signal);
}

async function* taken(stream, count, signal) {
  if (signal?.aborted) throw new AbortError();
  for await (const value of stream) {
    if (signal?.aborted) throw new AbortError();
    if (count-- > 0) yield value;
    // Return without pulling the value after the last one.
    if (count <= 0) return;
  }
}

module.exports = {
  streamReturning: { drop, filter, flatMap, map, take, compose },
  promiseReturning: { every, forEach, reduce, toArray, some, find },
};
