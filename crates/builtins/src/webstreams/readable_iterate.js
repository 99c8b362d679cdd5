'use strict';
// `ReadableStream.from()` and async iteration of a ReadableStream.

const { ERR_ARG_NOT_ITERABLE } = require('internal/errors');
const { Deferred, apply, invalid, kState, nothing, then } = require('internal/webstreams/shared');
const {
  cancelStream, closeController, createReadableStream, enqueue, readFrom, releaseReader,
} = require('internal/webstreams/readable');

function iteratorOf(iterable) {
  const method = iterable[Symbol.asyncIterator];
  if (method == null) {
    const sync = iterable[Symbol.iterator];
    if (sync === undefined) throw new ERR_ARG_NOT_ITERABLE(iterable);
    const inner = checkObject(apply(sync, iterable, []), 'The iterator method must return an object');
    return (async function* () { return yield* { [Symbol.iterator]: () => inner }; }());
  }
  return checkObject(apply(method, iterable, []), 'The iterator method must return an object');
}

function checkObject(value, words) {
  if (typeof value !== 'object' || value === null) throw invalid(words);
  return value;
}

function fromIterable(iterable) {
  const iterator = iteratorOf(iterable);
  const { next } = iterator;
  const stream = createReadableStream({
    start: nothing,
    async pull() {
      const result = checkObject(apply(next, iterator, []), 'The iterator.next() method must return an object');
      return then(Promise.resolve(result), (step) => {
        checkObject(step, 'The promise returned by the iterator.next() method must fulfill with an object');
        const { controller } = stream[kState];
        if (step.done) closeController(controller);
        else enqueue(controller, step.value);
      });
    },
    async cancel(reason) {
      const method = iterator.return;
      if (method === undefined) return Promise.resolve();
      return then(Promise.resolve(apply(method, iterator, [reason])), (step) => {
        checkObject(step, 'The promise returned by the iterator.return() method must fulfill with an object');
      });
    },
  }, 0);
  return stream;
}

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);
const streamIteratorPrototype = { __proto__: AsyncIteratorPrototype, next: undefined, return: undefined };

function iterate(reader, preventCancel) {
  let isDone = false;
  let isStarted = false;
  // The promise of the latest call of `next()` or `return()`, while the promise is pending.
  let current;

  function next() {
    if (isDone) return Promise.resolve({ done: true, value: undefined });
    if (reader[kState].stream === undefined) {
      return Promise.reject(invalid('The reader is not bound to a ReadableStream'));
    }
    const deferred = new Deferred();
    const over = () => {
      current = undefined;
      isDone = true;
      releaseReader(reader);
    };
    readFrom(reader, {
      chunk(value) {
        current = undefined;
        deferred.resolve({ value, done: false });
      },
      close() {
        over();
        deferred.resolve({ done: true, value: undefined });
      },
      error(error) {
        over();
        deferred.reject(error);
      },
    });
    return deferred.promise;
  }

  async function finish(value) {
    if (isDone) return { done: true, value };
    isDone = true;
    const { stream } = reader[kState];
    if (stream === undefined) throw invalid('The reader is not bound to a ReadableStream');
    if (preventCancel) {
      releaseReader(reader);
    } else {
      const result = cancelStream(stream, value);
      releaseReader(reader);
      await result;
    }
    return { done: true, value };
  }

  return Object.setPrototypeOf({
    next() {
      // The first `next()` waits for one microtask, so that the source can start
      // (`lib/internal/webstreams/readablestream.js: ReadableStream.values`).
      if (!isStarted) {
        current = Promise.resolve();
        isStarted = true;
      }
      current = current !== undefined ? then(current, next, next) : next();
      return current;
    },
    return(error) {
      isStarted = true;
      const call = () => finish(error);
      current = current !== undefined ? then(current, call, call) : finish(error);
      return current;
    },
    [Symbol.asyncIterator]() { return this; },
  }, streamIteratorPrototype);
}

module.exports = { fromIterable, iterate };
