'use strict';
// Conversion between Node streams and web streams (Node: `lib/internal/webstreams/adapters.js`).

const process = require('process');
const { Buffer } = require('buffer');
const { AbortError, ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_STREAM_PREMATURE_CLOSE } = require('internal/errors');
const { kEmptyObject } = require('internal/util');
const { validateBoolean, validateObject } = require('internal/validators');
const { Duplex, Readable, Writable, destroy } = require('stream');
const finished = require('internal/streams/finished');
const { isDestroyed, isReadable, isWritable, isWritableEnded } = require('internal/streams/kinds');
const { ReadableStream, isReadableStream } = require('internal/webstreams/readable');
const { WritableStream, isWritableStream } = require('internal/webstreams/writable');
const { ByteLengthQueuingStrategy, CountQueuingStrategy } = require('internal/webstreams/strategies');

const kZlibFailures = new SafeSet([
  'Z_ERRNO', 'Z_STREAM_ERROR', 'Z_DATA_ERROR', 'Z_MEM_ERROR', 'Z_BUF_ERROR', 'Z_VERSION_ERROR', 'Z_NEED_DICT',
]);

// Maps errors of Node streams to the errors that the web standards require.
function webError(cause) {
  if (cause?.code === 'ERR_STREAM_PREMATURE_CLOSE') return new AbortError(undefined, { cause });
  if (kZlibFailures.has(cause?.code)) {
    const error = new TypeError(undefined, { cause });
    error.code = cause.code;
    return error;
  }
  return cause;
}

// ---- From Node streams to web streams

function newWritableStreamFromStreamWritable(streamWritable) {
  // Checks methods instead of the class, because http messages are not instances of Writable.
  if (!streamWritable || typeof streamWritable.write !== 'function' || typeof streamWritable.on !== 'function') {
    throw new ERR_INVALID_ARG_TYPE('streamWritable', 'stream.Writable', streamWritable);
  }
  if (isDestroyed(streamWritable) || !isWritable(streamWritable)) return closedWritable();
  const highWaterMark = streamWritable.writableHighWaterMark;
  const strategy = streamWritable.writableObjectMode ? new CountQueuingStrategy({ highWaterMark }) : { highWaterMark };
  let controller;
  // Deferred promises: of a write that waits for 'drain', and of `close()`.
  let draining;
  let closing;

  const cleanup = finished(streamWritable, (error) => {
    error = webError(error);
    cleanup();
    // A further 'error' event must not become an uncaught exception.
    streamWritable.on('error', () => {});
    if (error == null && closing !== undefined) {
      closing.resolve();
      closing = undefined;
      return;
    }
    if (error != null) {
      draining?.reject(error);
      closing?.reject(error);
      closing = undefined;
    }
    controller.error(error ?? new AbortError());
    controller = undefined;
  });
  streamWritable.on('drain', () => { draining?.resolve(); });

  return new WritableStream({
    start(own) { controller = own; },
    write(chunk) {
      if (!streamWritable.writableNeedDrain && streamWritable.write(chunk)) return undefined;
      draining = Promise.withResolvers();
      return draining.promise.finally(() => { draining = undefined; });
    },
    abort(reason) { destroy(streamWritable, reason); },
    close() {
      if (closing === undefined && !isWritableEnded(streamWritable)) {
        closing = Promise.withResolvers();
        streamWritable.end();
        return closing.promise;
      }
      controller = undefined;
      return Promise.resolve();
    },
  }, strategy);
}

function closedWritable() {
  const stream = new WritableStream();
  stream.close();
  return stream;
}

function closedReadable() {
  const stream = new ReadableStream();
  stream.cancel();
  return stream;
}

function newReadableStreamFromStreamReadable(streamReadable, options = kEmptyObject) {
  if (typeof streamReadable?._readableState !== 'object') {
    throw new ERR_INVALID_ARG_TYPE('streamReadable', 'stream.Readable', streamReadable);
  }
  if (isDestroyed(streamReadable) || !isReadable(streamReadable)) return closedReadable();
  const objectMode = streamReadable.readableObjectMode;
  const highWaterMark = streamReadable.readableHighWaterMark;
  const strategy = options?.strategy ||
    (objectMode ? new CountQueuingStrategy({ highWaterMark }) : new ByteLengthQueuingStrategy({ highWaterMark }));
  let controller;
  let isCancelled = false;

  streamReadable.pause();
  const cleanup = finished(streamReadable, (error) => {
    error = webError(error);
    cleanup();
    streamReadable.on('error', () => {});
    if (error) controller.error(error);
    else if (!isCancelled) controller.close();
  });
  streamReadable.on('data', (chunk) => {
    // The chunk is copied, because it may be part of the Buffer pool.
    controller.enqueue(Buffer.isBuffer(chunk) && !objectMode ? new Uint8Array(chunk) : chunk);
    if (controller.desiredSize <= 0) streamReadable.pause();
  });

  return new ReadableStream({
    start(own) { controller = own; },
    pull() { streamReadable.resume(); },
    cancel(reason) {
      isCancelled = true;
      destroy(streamReadable, reason);
    },
  }, strategy);
}

function newReadableWritablePairFromDuplex(duplex) {
  if (typeof duplex?._writableState !== 'object' || typeof duplex?._readableState !== 'object') {
    throw new ERR_INVALID_ARG_TYPE('duplex', 'stream.Duplex', duplex);
  }
  if (isDestroyed(duplex)) return { readable: closedReadable(), writable: closedWritable() };
  const writable = isWritable(duplex) ? newWritableStreamFromStreamWritable(duplex) : closedWritable();
  const readable = isReadable(duplex) ? newReadableStreamFromStreamReadable(duplex) : closedReadable();
  return { writable, readable };
}

// ---- From web streams to Node streams

// Returns a promise reaction that calls `callback`. An exception of the callback is passed to `onThrow` instead of rejecting the promise.
function asReaction(callback, onThrow) {
  return (error) => {
    try {
      callback(error);
    } catch (thrown) {
      onThrow(thrown);
    }
  };
}

const throwByTick = (error) => process.nextTick(() => { throw error; });

// Implements `_write`, `_writev` and `_final` with a writer. `isClosed()` returns true if the writer has closed.
function writableMethods(writer, options, isClosed, streamOf) {
  const { decodeStrings, objectMode } = options;
  const destroyByTick = (error) => process.nextTick(() => destroy(streamOf(), error));
  return {
    writev(chunks, callback) {
      const done = asReaction((errors) => {
        const real = errors.filter((error) => error);
        callback(real.length === 0 ? undefined : real);
      }, destroyByTick);
      writer.ready.then(() => Promise.all(chunks.map(({ chunk }) => writer.write(chunk))).then(done, done), done);
    },
    write(chunk, encoding, callback) {
      if (typeof chunk === 'string' && decodeStrings && !objectMode) {
        const bytes = Buffer.from(chunk, encoding);
        chunk = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      }
      const done = asReaction(callback, (error) => destroy(streamOf(), error));
      writer.ready.then(() => writer.write(chunk).then(done, done), done);
    },
    final(callback) {
      const done = asReaction(callback, destroyByTick);
      if (!isClosed()) writer.close().then(done, done);
    },
  };
}

function readMethod(reader, streamOf) {
  return function read() {
    reader.read().then(
      (result) => { streamOf().push(result.done ? null : result.value); },
      (error) => destroy(streamOf(), error));
  };
}

function newStreamWritableFromWritableStream(writableStream, options = kEmptyObject) {
  if (!isWritableStream(writableStream)) {
    throw new ERR_INVALID_ARG_TYPE('writableStream', 'WritableStream', writableStream);
  }
  validateObject(options, 'options');
  const { highWaterMark, decodeStrings = true, objectMode = false, signal } = options;
  validateBoolean(objectMode, 'options.objectMode');
  validateBoolean(decodeStrings, 'options.decodeStrings');
  const writer = writableStream.getWriter();
  let isClosed = false;
  const writable = new Writable({
    highWaterMark,
    objectMode,
    decodeStrings,
    signal,
    ...writableMethods(writer, { decodeStrings, objectMode }, () => isClosed, () => writable),
    destroy(error, callback) {
      const done = asReaction(() => callback(error), throwByTick);
      if (isClosed) done();
      else if (error != null) writer.abort(error).then(done, done);
      else writer.close().then(done, done);
    },
  });
  writer.closed.then(() => {
    isClosed = true;
    if (!isWritableEnded(writable)) destroy(writable, new ERR_STREAM_PREMATURE_CLOSE());
  }, (error) => {
    isClosed = true;
    destroy(writable, error);
  });
  return writable;
}

function newStreamReadableFromReadableStream(readableStream, options = kEmptyObject) {
  if (!isReadableStream(readableStream)) {
    throw new ERR_INVALID_ARG_TYPE('readableStream', 'ReadableStream', readableStream);
  }
  validateObject(options, 'options');
  const { highWaterMark, encoding, objectMode = false, signal } = options;
  if (encoding !== undefined && !Buffer.isEncoding(encoding)) throw new ERR_INVALID_ARG_VALUE(encoding, 'options.encoding');
  validateBoolean(objectMode, 'options.objectMode');
  const reader = readableStream.getReader();
  let isClosed = false;
  const readable = new Readable({
    objectMode,
    highWaterMark,
    encoding,
    signal,
    read: readMethod(reader, () => readable),
    destroy(error, callback) {
      const done = asReaction(() => callback(error), throwByTick);
      if (isClosed) done();
      else reader.cancel(error).then(done, done);
    },
  });
  reader.closed.then(() => {
    isClosed = true;
  }, (error) => {
    isClosed = true;
    destroy(readable, error);
  });
  return readable;
}

function newStreamDuplexFromReadableWritablePair(pair = kEmptyObject, options = kEmptyObject) {
  validateObject(pair, 'pair');
  const { readable, writable } = pair;
  if (!isReadableStream(readable)) throw new ERR_INVALID_ARG_TYPE('pair.readable', 'ReadableStream', readable);
  if (!isWritableStream(writable)) throw new ERR_INVALID_ARG_TYPE('pair.writable', 'WritableStream', writable);
  validateObject(options, 'options');
  const { allowHalfOpen = false, objectMode = false, encoding, decodeStrings = true, highWaterMark, signal } = options;
  validateBoolean(objectMode, 'options.objectMode');
  if (encoding !== undefined && !Buffer.isEncoding(encoding)) throw new ERR_INVALID_ARG_VALUE(encoding, 'options.encoding');
  const writer = writable.getWriter();
  const reader = readable.getReader();
  let isWriterClosed = false;
  let isReaderClosed = false;
  const duplex = new Duplex({
    allowHalfOpen,
    highWaterMark,
    objectMode,
    encoding,
    decodeStrings,
    signal,
    ...writableMethods(writer, { decodeStrings, objectMode }, () => isWriterClosed, () => duplex),
    read: readMethod(reader, () => duplex),
    destroy(error, callback) {
      const done = asReaction(() => callback(error), throwByTick);
      if (isWriterClosed && isReaderClosed) {
        done();
        return;
      }
      const closeWriter = async () => { if (!isWriterClosed) await writer.abort(error); };
      const closeReader = async () => { if (!isReaderClosed) await reader.cancel(error); };
      Promise.all([closeWriter(), closeReader()]).then(done, done);
    },
  });
  const failed = (error) => {
    isWriterClosed = true;
    isReaderClosed = true;
    destroy(duplex, error);
  };
  writer.closed.then(() => {
    isWriterClosed = true;
    if (!isWritableEnded(duplex)) destroy(duplex, new ERR_STREAM_PREMATURE_CLOSE());
  }, failed);
  reader.closed.then(() => { isReaderClosed = true; }, failed);
  return duplex;
}

module.exports = {
  newReadableStreamFromStreamReadable,
  newReadableWritablePairFromDuplex,
  newStreamDuplexFromReadableWritablePair,
  newStreamReadableFromReadableStream,
  newStreamWritableFromWritableStream,
  newWritableStreamFromStreamWritable,
};
