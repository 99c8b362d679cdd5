'use strict';
// `stream.finished()`: detects the end, error or premature close of a stream of any implementation.

const process = require('process');
const { ERR_INVALID_ARG_TYPE, ERR_STREAM_PREMATURE_CLOSE } = require('internal/errors');
const { kEmptyObject, once } = require('internal/util');
const { validateAbortSignal, validateBoolean, validateFunction, validateObject } = require('internal/validators');
const kinds = require('internal/streams/kinds');
const tracking = require('internal/async_hooks/tracking');

const {
  isClosed, isNodeStream, isReadable, isReadableErrored, isReadableFinished, isReadableNodeStream, isRequest, isWritable,
  isWritableErrored, isWritableFinished, isWritableNodeStream,
} = kinds;

const nothing = () => {};

function eos(stream, options, callback) {
  if (arguments.length === 2) {
    callback = options;
    options = kEmptyObject;
  } else if (options == null) {
    options = kEmptyObject;
  } else {
    validateObject(options, 'options');
  }
  validateFunction(callback, 'callback');
  validateAbortSignal(options.signal, 'options.signal');
  if (tracking.on) callback = tracking.request('STREAM_END_OF_STREAM', callback);
  callback = once(callback);
  if (kinds.isReadableStream(stream) || kinds.isWritableStream(stream)) return webFinished(stream, options, callback);
  if (!isNodeStream(stream)) {
    throw new ERR_INVALID_ARG_TYPE('stream', ['ReadableStream', 'WritableStream', 'Stream'], stream);
  }

  const readable = options.readable ?? isReadableNodeStream(stream);
  const writable = options.writable ?? isWritableNodeStream(stream);
  const writeState = stream._writableState;
  const readState = stream._readableState;
  // If true, the callback waits for 'close' in addition to 'end' and 'finish'.
  let closes = kinds.willEmitClose(stream) && isReadableNodeStream(stream) === readable &&
    isWritableNodeStream(stream) === writable;
  let isWritten = isWritableFinished(stream, false);
  let isRead = isReadableFinished(stream, false);
  let closed = isClosed(stream);

  const done = (error) => { error === undefined ? callback.call(stream) : callback.call(stream, error); };

  const onfinish = () => {
    isWritten = true;
    // A stream destroyed before its end may not emit 'close': do not wait for it.
    if (stream.destroyed) closes = false;
    if (closes && (!stream.readable || readable)) return;
    if (!readable || isRead) done();
  };
  const onend = () => {
    isRead = true;
    if (stream.destroyed) closes = false;
    if (closes && (!stream.writable || writable)) return;
    if (!writable || isWritten) done();
  };
  const onlegacyfinish = () => { if (!stream.writable) onfinish(); };
  const onerror = (error) => { callback.call(stream, error); };
  const failure = () => {
    closed = true;
    const error = isWritableErrored(stream) || isReadableErrored(stream);
    return error && typeof error !== 'boolean' ? error : undefined;
  };
  const onclose = () => {
    const error = failure();
    if (error !== undefined) return done(error);
    const cutRead = readable && !isRead && isReadableNodeStream(stream, true) && !isReadableFinished(stream, false);
    const cutWrite = writable && !isWritten && !isWritableFinished(stream, false);
    done(cutRead || cutWrite ? new ERR_STREAM_PREMATURE_CLOSE() : undefined);
  };
  const onclosed = () => { done(failure()); };
  const onrequest = () => { stream.req.on('finish', onfinish); };

  if (isRequest(stream)) {
    stream.on('complete', onfinish);
    if (!closes) stream.on('abort', onclose);
    if (stream.req) onrequest();
    else stream.on('request', onrequest);
  } else if (writable && !writeState) {
    stream.on('end', onlegacyfinish);
    stream.on('close', onlegacyfinish);
  }
  if (!closes && typeof stream.aborted === 'boolean') stream.on('aborted', onclose);
  stream.on('end', onend);
  stream.on('finish', onfinish);
  if (options.error !== false) stream.on('error', onerror);
  stream.on('close', onclose);

  // If the stream has already ended, failed or closed, no event follows: schedule the callback with process.nextTick().
  if (closed) {
    process.nextTick(onclose);
  } else if (writeState?.errorEmitted || readState?.errorEmitted) {
    if (!closes) process.nextTick(onclosed);
  } else if (!readable && (!closes || isReadable(stream)) && (isWritten || isWritable(stream) === false) &&
             (writeState == null || writeState.pendingcb === undefined || writeState.pendingcb === 0)) {
    process.nextTick(onclosed);
  } else if (!writable && (!closes || isWritable(stream)) && (isRead || isReadable(stream) === false)) {
    process.nextTick(onclosed);
  } else if (readState && stream.req && stream.aborted) {
    process.nextTick(onclosed);
  }

  const cleanup = () => {
    callback = nothing;
    stream.removeListener('aborted', onclose);
    stream.removeListener('complete', onfinish);
    stream.removeListener('abort', onclose);
    stream.removeListener('request', onrequest);
    if (stream.req) stream.req.removeListener('finish', onfinish);
    stream.removeListener('end', onlegacyfinish);
    stream.removeListener('close', onlegacyfinish);
    stream.removeListener('finish', onfinish);
    stream.removeListener('end', onend);
    stream.removeListener('error', onerror);
    stream.removeListener('close', onclose);
  };

  if (options.signal && !closed) {
    const abort = () => {
      const told = callback;
      cleanup();
      told.call(stream, require('internal/abort').abortErrorOf(options.signal));
    };
    callback = withSignal(stream, options.signal, abort, callback);
  }
  return cleanup;
}

// Calls `abort` when the signal aborts. Returns `callback` wrapped: it first removes the listener from the signal.
function withSignal(stream, signal, abort, callback) {
  if (signal.aborted) {
    process.nextTick(abort);
    return callback;
  }
  const listening = require('internal/abort').addAbortListener(signal, abort);
  return once((...args) => {
    listening[Symbol.dispose]();
    callback.apply(stream, args);
  });
}

function webFinished(stream, options, callback) {
  let isAborted = false;
  if (options.signal) {
    const abort = () => {
      isAborted = true;
      callback.call(stream, require('internal/abort').abortErrorOf(options.signal));
    };
    callback = withSignal(stream, options.signal, abort, callback);
  }
  const settled = (...args) => {
    if (!isAborted) process.nextTick(() => callback.apply(stream, args));
  };
  stream[kinds.kIsClosedPromise].promise.then(settled, settled);
  return nothing;
}

// `finished()` of stream/promises.
function finished(stream, options) {
  let cleansUp = false;
  if (options === null) options = kEmptyObject;
  if (options?.cleanup) {
    validateBoolean(options.cleanup, 'cleanup');
    cleansUp = options.cleanup;
  }
  return new Promise((resolve, reject) => {
    const cleanup = eos(stream, options, (error) => {
      if (cleansUp) cleanup();
      if (error) reject(error);
      else resolve();
    });
  });
}

module.exports = eos;
module.exports.finished = finished;
