'use strict';
// `Readable.from()`: a Readable that pulls from a sync or async iterable.

const process = require('process');
const { Buffer } = require('buffer');
const { ERR_INVALID_ARG_TYPE, ERR_STREAM_NULL_VALUES } = require('internal/errors');

const isThenable = (value) => value && typeof value.then === 'function';

module.exports = function from(Readable, iterable, options) {
  if (typeof iterable === 'string' || iterable instanceof Buffer) {
    return new Readable({
      objectMode: true,
      ...options,
      read() {
        this.push(iterable);
        this.push(null);
      },
    });
  }
  let iterator;
  let isAsync = false;
  if (iterable?.[Symbol.asyncIterator]) {
    isAsync = true;
    iterator = iterable[Symbol.asyncIterator]();
  } else if (iterable?.[Symbol.iterator]) {
    iterator = iterable[Symbol.iterator]();
  } else {
    throw new ERR_INVALID_ARG_TYPE('iterable', ['Iterable'], iterable);
  }

  const readable = new Readable({ objectMode: true, highWaterMark: 1, ...options });
  // True while a pull loop runs. A second one must not start: `_read` may be called while the loop awaits a promise.
  let isBusy = false;
  let hasPromises = false;

  readable._read = function() {
    if (isBusy) return;
    isBusy = true;
    if (isAsync) readAsync();
    else if (hasPromises) readPromises();
    else readValues();
  };

  readable._destroy = function(error, callback) {
    // The callback runs on nextTick: an exception that it throws must be an uncaught exception, not reject this promise.
    close(error).then(() => process.nextTick(callback, error), (own) => process.nextTick(callback, own || error));
  };

  async function close(error) {
    if (error !== undefined && error !== null && typeof iterator.throw === 'function') {
      const { value, done } = await iterator.throw(error);
      await value;
      if (done) return;
    }
    if (typeof iterator.return === 'function') {
      const { value } = await iterator.return();
      await value;
    }
  }

  // Pushes a value. Returns true if the loop may pull the next one.
  function give(value) {
    if (value === null) {
      isBusy = false;
      throw new ERR_STREAM_NULL_VALUES();
    }
    if (readable.push(value)) return true;
    isBusy = false;
    return false;
  }

  // There are three loops, because each `await` takes a microtask and must only be where Node has one (`lib/internal/streams/from.js`). The first
  // loop is the fast path for sync iterators without promises.
  function readValues() {
    try {
      for (;;) {
        const { value, done } = iterator.next();
        if (done) {
          readable.push(null);
          return;
        }
        if (value && typeof value.then === 'function') {
          hasPromises = true;
          readFirstPromise(value);
          return;
        }
        if (value === null) {
          give(value);
        } else if (!readable.push(value)) {
          isBusy = false;
          return;
        }
      }
    } catch (error) {
      readable.destroy(error);
    }
  }

  async function readFirstPromise(promise) {
    try {
      if (give(await promise)) readPromises();
    } catch (error) {
      readable.destroy(error);
    }
  }

  async function readPromises() {
    try {
      for (;;) {
        const { value, done } = iterator.next();
        if (done) {
          readable.push(null);
          return;
        }
        if (!give(isThenable(value) ? await value : value)) return;
      }
    } catch (error) {
      readable.destroy(error);
    }
  }

  async function readAsync() {
    try {
      for (;;) {
        const { value, done } = await iterator.next();
        if (done) {
          readable.push(null);
          return;
        }
        if (!give(value)) return;
      }
    } catch (error) {
      readable.destroy(error);
    }
  }

  return readable;
};
