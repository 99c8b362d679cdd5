'use strict';
// `stream.pipeline()`: connects streams, iterables, functions and web streams, calls one callback, and destroys all
// of them at the first error.

const process = require('process');
const {
  AbortError,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_RETURN_VALUE,
  ERR_MISSING_ARGS,
  ERR_STREAM_DESTROYED,
  ERR_STREAM_PREMATURE_CLOSE,
  aggregateTwoErrors,
} = require('internal/errors');
const { once } = require('internal/util');
const { validateAbortSignal, validateFunction } = require('internal/validators');
const { destroyer } = require('internal/streams/destroy');
const finished = require('internal/streams/finished');
const Duplex = require('internal/streams/duplex');
const {
  isIterable, isNodeStream, isReadable, isReadableFinished, isReadableNodeStream, isReadableStream, isTransformStream,
  isWebStream,
} = require('internal/streams/kinds');

const kReadables = ['Readable', 'Iterable', 'AsyncIterable', 'ReadableStream', 'TransformStream'];

function pipeline(...streams) {
  validateFunction(streams[streams.length - 1], 'streams[stream.length - 1]');
  return pipelineImpl(streams, once(streams.pop()));
}

function pipelineImpl(streams, callback, options) {
  if (streams.length === 1 && Array.isArray(streams[0])) streams = streams[0];
  if (streams.length < 2) throw new ERR_MISSING_ARGS('streams');
  validateAbortSignal(options?.signal, 'options.signal');
  return new Pipeline(streams, callback, options).build();
}

class Pipeline {
  constructor(streams, callback, options) {
    this.streams = streams;
    this.callback = callback;
    this.ends = options?.end !== false;
    this.outerSignal = options?.signal;
    this.controller = new (require('internal/abort_controller').AbortController)();
    this.listening = undefined;
    this.error = undefined;
    this.value = undefined;
    // `destroys` has a function for each stream that destroys it. `cleanups` has functions that remove listeners from the last stream if it stays
    // open.
    this.destroys = [];
    this.cleanups = [];
    // Number of streams that have not finished.
    this.running = 0;
    this.finish = (error) => this.settle(error, --this.running === 0);
    this.fail = (error) => this.settle(error, false);
    this.abort = () => this.settle(new AbortError(undefined, { cause: this.outerSignal?.reason }));
  }

  // One stream finished or failed. The first error wins, but replaces an earlier ERR_STREAM_PREMATURE_CLOSE.
  settle(error, isLast) {
    if (error && (!this.error || this.error.code === 'ERR_STREAM_PREMATURE_CLOSE')) this.error = error;
    if (!this.error && !isLast) return;
    while (this.destroys.length) this.destroys.shift()(this.error);
    this.listening?.[Symbol.dispose]();
    this.controller.abort();
    if (isLast) {
      if (!this.error) for (const cleanup of this.cleanups) cleanup();
      process.nextTick(this.callback, this.error, this.value);
    }
  }

  build() {
    const { streams } = this;
    if (this.outerSignal) this.listening = require('internal/abort').addAbortListener(this.outerSignal, this.abort);
    let result;
    for (let at = 0; at < streams.length; at++) {
      const stream = streams[at];
      const isLast = at === streams.length - 1;
      const end = !isLast || this.ends;
      if (isNodeStream(stream)) this.watch(stream, at, isLast, end);
      if (at === 0) result = this.source(stream);
      else if (typeof stream === 'function') result = this.step(stream, result, at, isLast, end);
      else if (isNodeStream(stream)) result = this.toNode(result, stream, isLast, end);
      else if (isWebStream(stream)) result = this.toWeb(result, stream, end);
      else result = Duplex.from(stream);
    }
    if (this.controller.signal.aborted || this.outerSignal?.aborted) process.nextTick(this.abort);
    return result;
  }

  watch(stream, at, isLast, end) {
    const livesOn = isLast && isReadable(stream);
    if (end) {
      const { destroy, cleanup } = destroying(stream, !isLast, at > 0);
      this.destroys.push(destroy);
      if (livesOn) this.cleanups.push(cleanup);
    }
    // Also reports errors that a stream emits after it has been piped completely.
    const onError = (error) => {
      if (error && error.name !== 'AbortError' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.fail(error);
    };
    stream.on('error', onError);
    if (isLast && isReadable(stream)) this.cleanups.push(() => { stream.removeListener('error', onError); });
  }

  source(stream) {
    if (typeof stream === 'function') {
      const result = stream({ signal: this.controller.signal });
      if (!isIterable(result)) {
        throw new ERR_INVALID_RETURN_VALUE('Iterable, AsyncIterable or Stream', 'source', result);
      }
      return result;
    }
    if (isIterable(stream) || isReadableNodeStream(stream) || isTransformStream(stream)) return stream;
    return Duplex.from(stream);
  }

  // A function in the middle must return an async iterable. The last function may also return a promise; a PassThrough then represents the promise's
  // result.
  step(stream, before, at, isLast, end) {
    const input = asyncIterable(isTransformStream(before) ? before?.readable : before);
    const result = stream(input, { signal: this.controller.signal });
    if (!isLast) {
      if (!isIterable(result, true)) {
        throw new ERR_INVALID_RETURN_VALUE('AsyncIterable', `transform[${at - 1}]`, result);
      }
      return result;
    }
    const { PassThrough } = require('internal/streams/transform');
    const through = new PassThrough({ objectMode: true });
    // `then` may be a getter: read it only once.
    const then = result?.then;
    if (typeof then === 'function') {
      this.running++;
      then.call(result, (value) => {
        this.value = value;
        if (value != null) through.write(value);
        if (end) through.end();
        process.nextTick(this.finish);
      }, (error) => {
        through.destroy(error);
        process.nextTick(this.finish, error);
      });
    } else if (isIterable(result, true)) {
      this.running++;
      pumpToNode(result, through, this.finish, end);
    } else if (isReadableStream(result) || isTransformStream(result)) {
      this.running++;
      pumpToNode(result.readable || result, through, this.finish, end);
    } else {
      throw new ERR_INVALID_RETURN_VALUE('AsyncIterable or Promise', 'destination', result);
    }
    const { destroy, cleanup } = destroying(through, false, true);
    this.destroys.push(destroy);
    this.cleanups.push(cleanup);
    return through;
  }

  toNode(before, stream, isLast, end) {
    if (isReadableNodeStream(before)) {
      this.running += 2;
      const cleanup = pipe(before, stream, this.finish, this.fail, end);
      if (isLast && isReadable(stream)) this.cleanups.push(cleanup);
    } else if (isTransformStream(before) || isReadableStream(before)) {
      this.running++;
      pumpToNode(before.readable || before, stream, this.finish, end);
    } else if (isIterable(before)) {
      this.running++;
      pumpToNode(before, stream, this.finish, end);
    } else {
      throw new ERR_INVALID_ARG_TYPE('val', kReadables, before);
    }
    return stream;
  }

  toWeb(before, stream, end) {
    let source;
    if (isReadableNodeStream(before)) source = asyncIterable(before);
    else if (isReadableStream(before) || isIterable(before)) source = before;
    else if (isTransformStream(before)) source = before.readable;
    else throw new ERR_INVALID_ARG_TYPE('val', kReadables, before);
    this.running++;
    pumpToWeb(source, stream, this.finish, end);
    return stream;
  }
}

// `destroy` destroys the stream if it has not finished; `cleanup` removes the listeners.
function destroying(stream, reading, writing) {
  let isOver = false;
  stream.on('close', () => { isOver = true; });
  const cleanup = finished(stream, { readable: reading, writable: writing }, (error) => { isOver = !error; });
  return {
    destroy(error) {
      if (isOver) return;
      isOver = true;
      destroyer(stream, error || new ERR_STREAM_DESTROYED('pipe'));
    },
    cleanup,
  };
}

function asyncIterable(value) {
  if (isIterable(value)) return value;
  if (isReadableNodeStream(value)) return fromLegacy(value);
  throw new ERR_INVALID_ARG_TYPE('val', ['Readable', 'Iterable', 'AsyncIterable'], value);
}

async function* fromLegacy(stream) {
  yield* require('internal/streams/readable').prototype[Symbol.asyncIterator].call(stream);
}

async function pumpToNode(iterable, writable, finish, end) {
  let error;
  let resumed = null;
  const resume = (reason) => {
    if (reason) error = reason;
    if (resumed) {
      const call = resumed;
      resumed = null;
      call();
    }
  };
  const wait = () => new Promise((resolve, reject) => {
    const settle = () => (error ? reject(error) : resolve());
    if (error) reject(error);
    else resumed = settle;
  });
  writable.on('drain', resume);
  const cleanup = finished(writable, { readable: false }, resume);
  try {
    if (writable.writableNeedDrain) await wait();
    for await (const chunk of iterable) {
      if (!writable.write(chunk)) await wait();
    }
    if (end) {
      writable.end();
      await wait();
    }
    finish();
  } catch (reason) {
    finish(error !== reason ? aggregateTwoErrors(error, reason) : reason);
  } finally {
    cleanup();
    writable.off('drain', resume);
  }
}

async function pumpToWeb(readable, writable, finish, end) {
  const writer = (isTransformStream(writable) ? writable.writable : writable).getWriter();
  try {
    for await (const chunk of readable) {
      await writer.ready;
      writer.write(chunk).catch(() => {});
    }
    await writer.ready;
    if (end) await writer.close();
    finish();
  } catch (error) {
    try {
      await writer.abort(error);
      finish(error);
    } catch (reason) {
      finish(reason);
    }
  }
}

// Pipes one Node stream into another. Calls `finish` twice, once for each stream.
function pipe(source, dst, finish, fail, end) {
  let isEnded = false;
  dst.on('close', () => { if (!isEnded) fail(new ERR_STREAM_PREMATURE_CLOSE()); });
  source.pipe(dst, { end: false });
  if (end) {
    const endIt = () => {
      isEnded = true;
      dst.end();
    };
    if (isReadableFinished(source)) process.nextTick(endIt);
    else source.once('end', endIt);
  } else {
    finish();
  }
  finished(source, { readable: true, writable: false }, (error) => {
    const state = source._readableState;
    if (error && error.code === 'ERR_STREAM_PREMATURE_CLOSE' && state?.ended && !state.errored && !state.errorEmitted) {
      // The stream was closed with all data received: 'end' is still to come, so this is not a premature close
      // (`lib/internal/streams/pipeline.js: pipe`).
      source.once('end', finish).once('error', finish);
    } else {
      finish(error);
    }
  });
  return finished(dst, { readable: false, writable: true }, finish);
}

module.exports = { pipeline, pipelineImpl };
