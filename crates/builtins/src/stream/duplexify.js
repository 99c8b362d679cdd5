'use strict';
// `Duplex.from()`: makes a Duplex from streams, { readable, writable } pairs, iterables, functions and promises.

const process = require('process');
const { AbortError, ERR_INVALID_ARG_TYPE, ERR_INVALID_RETURN_VALUE } = require('internal/errors');
const { destroyer } = require('internal/streams/destroy');
const kinds = require('internal/streams/kinds');
const finished = require('internal/streams/finished');
const from = require('internal/streams/from');
const Duplex = require('internal/streams/duplex');
const Readable = require('internal/streams/readable');
const Writable = require('internal/streams/writable');

class Duplexify extends Duplex {}

const kAllowed = [
  'Blob', 'ReadableStream', 'WritableStream', 'Stream', 'Iterable', 'AsyncIterable', 'Function',
  '{ readable, writable } pair', 'Promise',
];

module.exports = function duplexify(body, name) {
  if (kinds.isDuplexNodeStream(body)) return body;
  if (kinds.isReadableNodeStream(body)) return joined({ readable: body });
  if (kinds.isWritableNodeStream(body)) return joined({ writable: body });
  if (kinds.isNodeStream(body)) return joined({ writable: false, readable: false });
  if (kinds.isReadableStream(body)) return joined({ readable: Readable.fromWeb(body) });
  if (kinds.isWritableStream(body)) return joined({ writable: Writable.fromWeb(body) });
  if (typeof body === 'function') return fromFunction(body, name);
  if (require('internal/blob').isBlob(body)) return duplexify(body.arrayBuffer());
  if (kinds.isIterable(body)) return from(Duplexify, body, { objectMode: true, writable: false });
  if (kinds.isReadableStream(body?.readable) && kinds.isWritableStream(body?.writable)) return Duplexify.fromWeb(body);
  if (typeof body?.writable === 'object' || typeof body?.readable === 'object') {
    const { readable, writable } = body;
    return joined({
      readable: readable ? (kinds.isReadableNodeStream(readable) ? readable : duplexify(readable)) : undefined,
      writable: writable ? (kinds.isWritableNodeStream(writable) ? writable : duplexify(writable)) : undefined,
    });
  }
  const then = body?.then;
  if (typeof then === 'function') return fromPromise(body, then);
  throw new ERR_INVALID_ARG_TYPE(name, kAllowed, body);
};

// A Duplex that reads the promise's value, then ends.
function fromPromise(promise, then) {
  let duplex;
  then.call(promise, (value) => {
    if (value != null) duplex.push(value);
    duplex.push(null);
  }, (error) => {
    destroyer(duplex, error);
  });
  duplex = new Duplexify({ objectMode: true, writable: false, read() {} });
  return duplex;
}

// An async generator function implements both sides; an async function only the writable side.
function fromFunction(body, name) {
  const { value, write, final, destroy } = callWithInput(body);
  if (kinds.isDuplexNodeStream(value)) return value;
  if (kinds.isIterable(value)) return from(Duplexify, value, { objectMode: true, write, final, destroy });
  const then = value?.then;
  if (typeof then !== 'function') {
    throw new ERR_INVALID_RETURN_VALUE('Iterable, AsyncIterable or AsyncFunction', name, value);
  }
  let duplex;
  const over = then.call(value, (result) => {
    if (result != null) throw new ERR_INVALID_RETURN_VALUE('nully', 'body', result);
  }, (error) => {
    destroyer(duplex, error);
  });
  duplex = new Duplexify({
    objectMode: true,
    readable: false,
    write,
    final(callback) {
      final(async () => {
        try {
          await over;
          process.nextTick(callback, null);
        } catch (error) {
          process.nextTick(callback, error);
        }
      });
    },
    destroy,
  });
  return duplex;
}

// Calls a function with an async iterable. Chunks that are written to the Duplex come out of the iterable.
function callWithInput(body) {
  let { promise, resolve } = Promise.withResolvers();
  const controller = new (require('internal/abort_controller').AbortController)();
  const { signal } = controller;
  const value = body(async function*() {
    for (;;) {
      const next = promise;
      promise = null;
      const { chunk, done, callback } = await next;
      process.nextTick(callback);
      if (done) return;
      if (signal.aborted) throw new AbortError(undefined, { cause: signal.reason });
      ({ promise, resolve } = Promise.withResolvers());
      yield chunk;
    }
  }(), { signal });
  const resolveNext = (item) => {
    const resolveCurrent = resolve;
    resolve = null;
    resolveCurrent(item);
  };
  return {
    value,
    write(chunk, encoding, callback) { resolveNext({ chunk, done: false, callback }); },
    final(callback) { resolveNext({ done: true, callback }); },
    destroy(error, callback) {
      controller.abort();
      callback(error);
    },
  };
}

// Callbacks of one Duplex, each called at the next 'drain', 'finish', 'readable' or 'close' of the underlying streams.
class PendingCallbacks {
  drain = undefined;
  finish = undefined;
  readable = undefined;
  // null once the underlying streams have closed.
  close = undefined;

  call(name) {
    const callback = this[name];
    if (callback) {
      this[name] = null;
      callback();
    }
  }
}

// Joins a pair into one Duplex. `pair.readable` and `pair.writable` may be missing.
function joined(pair) {
  const source = pair.readable && typeof pair.readable.read !== 'function' ? Readable.wrap(pair.readable) : pair.readable;
  const target = pair.writable;
  const readable = !!kinds.isReadable(source);
  const writable = !!kinds.isWritable(target);
  const pending = new PendingCallbacks();
  const duplex = new Duplexify({
    readableObjectMode: !!source?.readableObjectMode,
    writableObjectMode: !!target?.writableObjectMode,
    readable,
    writable,
  });
  const over = (error) => {
    if (error) destroyer(source, error);
    const callback = pending.close;
    pending.close = null;
    if (callback) callback(error);
    else if (error) duplex.destroy(error);
  };
  if (writable) {
    finished(target, over);
    forwardWrites(duplex, target, pending);
    target.on('finish', () => pending.call('finish'));
  }
  if (readable) {
    finished(source, over);
    forwardReads(duplex, source, pending);
  }
  duplex._destroy = function(error, callback) {
    if (!error && pending.close !== null) error = new AbortError();
    pending.readable = null;
    pending.drain = null;
    pending.finish = null;
    if (pending.close === null) {
      callback(error);
    } else {
      pending.close = callback;
      destroyer(target, error);
      destroyer(source, error);
    }
  };
  return duplex;
}

// Forwards writes on `duplex` to `target`, with backpressure.
function forwardWrites(duplex, target, pending) {
  duplex._write = function(chunk, encoding, callback) {
    if (target.write(chunk, encoding)) callback();
    else pending.drain = callback;
  };
  duplex._final = function(callback) {
    target.end();
    pending.finish = callback;
  };
  target.on('drain', () => pending.call('drain'));
}

// Reads from `source` into the readable side of `duplex`.
function forwardReads(duplex, source, pending) {
  source.on('readable', () => pending.call('readable'));
  source.on('end', () => { duplex.push(null); });
  duplex._read = function() {
    for (;;) {
      const chunk = source.read();
      if (chunk === null) {
        pending.readable = duplex._read;
        return;
      }
      if (!duplex.push(chunk)) return;
    }
  };
}

module.exports.PendingCallbacks = PendingCallbacks;
module.exports.forwardReads = forwardReads;
module.exports.forwardWrites = forwardWrites;
