'use strict';
// Connects Node streams to stream handles of the event loop: reading, writing, shutdown and inactivity timeouts. Sockets and all other streams with a
// stream handle use it.

const process = require('process');
const { Buffer } = require('buffer');
const { errnoException } = require('internal/errors');
const { clearTimeout, setUnrefTimeout } = require('internal/scheduler');
const { kOwner } = require('internal/net/handles');

const FastBuffer = Buffer[Symbol.species];

const kTimeout = Symbol('timeout');
const kUpdateTimer = Symbol('kUpdateTimer');
const kAfterAsyncWrite = Symbol('kAfterAsyncWrite');
const kBuffer = Symbol('kBuffer');
const kBufferCb = Symbol('kBufferCb');
const kBufferGen = Symbol('kBufferGen');
const kHandle = Symbol('kHandle');

const kEof = -4095;
const kNotConnected = -107;
const kMaxDelay = 2 ** 31 - 1;

// A pending write or shutdown request of a handle.
class Request {
  constructor(handle, callback) {
    this.handle = handle;
    this.callback = callback;
  }

  get stream() { return this.handle[kOwner]; }
}

class WriteWrap extends Request {
  oncomplete(status) {
    const { stream } = this;
    if (stream === null || stream.destroyed) {
      this.callback?.(null);
      return;
    }
    if (status < 0) {
      const error = errnoException(status, 'write');
      if (this.callback) this.callback(error);
      else stream.destroy(error);
      return;
    }
    stream[kUpdateTimer]();
    stream[kAfterAsyncWrite](this);
    this.callback?.();
  }
}

class ShutdownWrap extends Request {
  oncomplete() { this.callback(); }
}

const isUtf8 = (encoding) =>
  encoding === 'utf8' || encoding === 'utf-8' || encoding === 'buffer' || encoding === undefined || encoding === null;
const isLatin1Name = (encoding) => encoding === 'latin1' || encoding === 'binary' || encoding === 'ascii';

// Returns the data of all corked chunks as a list, for one writev.
function listOf(chunks) {
  const list = new Array(chunks.length);
  for (let at = 0; at < chunks.length; at++) {
    const { chunk, encoding } = chunks[at];
    list[at] = typeof chunk === 'string' && !isUtf8(encoding) ? Buffer.from(chunk, encoding) : chunk;
  }
  return list;
}

// Passed in place of an encoding if the data is a list of chunks of `_writev`.
const writev = Symbol('writev');

// Writes data. Returns the number of bytes that the handle still has to write, in which case the callback is called later, or 0 if the callback has
// been called.
function write(stream, data, encoding, callback) {
  const handle = stream[kHandle];
  let isLatin1 = false;
  if (encoding === writev) {
    data = listOf(data);
  } else if (encoding === 'buffer' && typeof data === 'string') {
    const error = new TypeError('Second argument must be a buffer');
    error.code = 'ERR_INVALID_ARG_TYPE';
    throw error;
  } else if (typeof data === 'string' && !isUtf8(encoding)) {
    isLatin1 = isLatin1Name(encoding);
    if (!isLatin1) data = Buffer.from(data, encoding);
  }
  const left = handle.write(data, isLatin1);
  if (left === 0) {
    callback();
    return 0;
  }
  const status = left > 0 ? handle.writeRest(new WriteWrap(handle, callback), data, isLatin1, left) : left;
  if (status >= 0) return status;
  callback(errnoException(status, 'write'));
  return 0;
}

function shutdown(handle, callback) {
  const request = new ShutdownWrap(handle, callback);
  const status = handle.shutdown(request);
  // ENOTCONN: the connection is closed already, so a shutdown has nothing to do.
  if (status === kNotConnected) return callback();
  if (status !== 0) return callback(errnoException(status, 'shutdown'));
}

// Node's `streamBaseState`: a handle implemented in JavaScript stores the byte count and offset of a read in it.
const streamBaseState = new Int32Array(4);
const kReadBytesOrError = 0;
const kArrayBufferOffset = 1;

function onForeignRead(handle, memory) {
  const count = streamBaseState[kReadBytesOrError];
  const offset = streamBaseState[kArrayBufferOffset];
  onStreamRead.call(handle, count, memory?.slice(offset, offset + count));
}

// Stops reading, because the stream's buffer is full.
function stop(handle) {
  const stream = handle[kOwner];
  handle.reading = false;
  if (stream.destroyed) return;
  const status = handle.readStop();
  if (status !== 0) stream.destroy(errnoException(status, 'read'));
}

// `onread` of a handle.
function onStreamRead(count, bytes) {
  if (typeof count !== 'number') {
    onForeignRead(this, count);
    return;
  }
  const stream = this[kOwner];
  stream[kUpdateTimer]();
  if (count > 0) {
    if (stream.destroyed) return;
    const wantsMore = stream[kBuffer] ? readByUser(this, stream, count) : stream.push(new FastBuffer(bytes));
    if (!wantsMore) stop(this);
    return;
  }
  if (count !== kEof) {
    stream.destroy(errnoException(count, 'read'));
    return;
  }
  // At the end of the data: nothing is left to do if 'end' has been emitted.
  if (stream._readableState.endEmitted) return;
  stream.push(null);
  // If the buffer is empty, this read emits 'end'.
  stream.read(0);
}

function readByUser(handle, stream, count) {
  const wantsMore = stream[kBufferCb](count, stream[kBuffer]) !== false;
  const next = stream[kBufferGen]?.();
  if (ArrayBuffer.isView(next)) {
    stream[kBuffer] = next;
    handle.useUserBuffer(next);
  }
  return wantsMore;
}

// Validates a timeout in milliseconds, with the limits of Node's timers. The fast path avoids `require`: an HTTP server sets two timeouts for each
// request.
function duration(msecs) {
  if (typeof msecs === 'number' && msecs >= 0 && msecs <= kMaxDelay) return msecs;
  const { validateNumber } = require('internal/validators');
  validateNumber(msecs, 'msecs');
  if (msecs < 0 || !Number.isFinite(msecs)) {
    throw new (require('internal/errors').ERR_OUT_OF_RANGE)('msecs', 'a non-negative finite number', msecs);
  }
  if (msecs > kMaxDelay) {
    process.emitWarning(
      `${msecs} does not fit into a 32-bit signed integer.\nTimer duration was truncated to ${kMaxDelay}.`,
      'TimeoutOverflowWarning');
    return kMaxDelay;
  }
  return msecs;
}

// `setTimeout` of a stream (`lib/internal/stream_base_commons.js: setStreamTimeout`).
function setStreamTimeout(msecs, callback) {
  if (this.destroyed) return this;
  this.timeout = msecs;
  msecs = duration(msecs);
  clearTimeout(this[kTimeout]);
  // This property is null until the first timeout is set.
  this[kTimeout] = msecs === 0 ? undefined : setUnrefTimeout(() => this._onTimeout(), msecs);
  if (callback !== undefined) {
    // Like Node, validate the callback after the timer has been started.
    require('internal/validators').validateFunction(callback, 'callback');
    if (msecs === 0) this.removeListener('timeout', callback);
    else this.once('timeout', callback);
  }
  return this;
}

module.exports = {
  duration,
  kAfterAsyncWrite,
  kBuffer,
  kBufferCb,
  kBufferGen,
  kHandle,
  kTimeout,
  kUpdateTimer,
  onStreamRead,
  setStreamTimeout,
  shutdown,
  streamBaseState,
  write,
  writev,
};
