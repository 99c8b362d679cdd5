'use strict';
// How a stream of JavaScript and a stream handle of the loop work together: reading, writing, the end of writing and the
// timeout of silence. For sockets, and for whatever else has a stream handle.

const process = require('process');
const { Buffer } = require('buffer');
const { errnoException } = require('internal/errors');
const { clearTimeout, setTimeout } = require('internal/scheduler');
const { StreamHandle, kOwner, kWritten } = require('internal/net/handles');
const { kDestroyed, kErrored, kObjectMode, kState } = require('internal/streams/flags');
const readableBits = require('internal/streams/readable_state');

const { kDataEmitted, kDataListening, kDecoder, kEnded, kFlowing, kMultiAwaitDrain, kReading, kSync } = readableBits;

const FastBuffer = Buffer[Symbol.species];

const kTimeout = Symbol('timeout');
const kUpdateTimer = Symbol('kUpdateTimer');
const kAfterAsyncWrite = Symbol('kAfterAsyncWrite');
const kBuffer = Symbol('kBuffer');
const kBufferCb = Symbol('kBufferCb');
const kBufferGen = Symbol('kBufferGen');
const kBytes = Symbol('kBytes');
const kHandle = Symbol('kHandle');
const kStop = Symbol('kStop');

// What a stream's `write` has tried, for the `_write` that it leads to.
const tried = { stream: null, status: 0 };

const kEof = -4095;
const kNotConnected = -107;
const kMaxDelay = 2 ** 31 - 1;

// A write, or the end of writing, that the handle has taken.
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
const isLatin1 = (encoding) => encoding === 'latin1' || encoding === 'binary' || encoding === 'ascii';

// All that was corked, for one call of the system.
function listOf(chunks) {
  const list = new Array(chunks.length);
  for (let at = 0; at < chunks.length; at++) {
    const { chunk, encoding } = chunks[at];
    list[at] = typeof chunk === 'string' && !isUtf8(encoding) ? Buffer.from(chunk, encoding) : chunk;
  }
  return list;
}

// In the place of an encoding, for what `_writev` was given.
const writev = Symbol('writev');

// How many bytes wait to be written, and the callback with them; 0 if it was called.
function write(stream, data, encoding, callback) {
  const handle = stream[kHandle];
  let latin1 = false;
  if (encoding === writev) {
    data = listOf(data);
  } else if (encoding === 'buffer' && typeof data === 'string') {
    const error = new TypeError('Second argument must be a buffer');
    error.code = 'ERR_INVALID_ARG_TYPE';
    throw error;
  } else if (typeof data === 'string' && !isUtf8(encoding)) {
    latin1 = isLatin1(encoding);
    if (!latin1) data = Buffer.from(data, encoding);
  }
  let { status } = tried;
  if (tried.stream === stream) tried.stream = null;
  else status = handle.write(data, latin1);
  if (status === kWritten) {
    callback();
    return 0;
  }
  if (status >= 0) status = handle.writeRest(new WriteWrap(handle, callback), data, latin1, status);
  if (status >= 0) return status;
  callback(errnoException(status, 'write'));
  return 0;
}

function shutdown(handle, callback) {
  const request = new ShutdownWrap(handle, callback);
  const status = handle.shutdown(request);
  // Not connected any more: there is nothing to be ended.
  if (status === kNotConnected) return callback();
  if (status !== 0) return callback(errnoException(status, 'shutdown'));
}

// What a handle that a script has made says by the memory that it shares with Node's: how much it has read, and where.
const streamBaseState = new Int32Array(4);
const kReadBytesOrError = 0;
const kArrayBufferOffset = 1;

function onForeignRead(handle, memory) {
  const count = streamBaseState[kReadBytesOrError];
  const offset = streamBaseState[kArrayBufferOffset];
  onStreamRead.call(handle, count, memory?.slice(offset, offset + count));
}

// What was read is enough for now.
function stop(handle) {
  const stream = handle[kOwner];
  handle.reading = false;
  if (stream.destroyed) return;
  const status = handle.readStop();
  if (status !== 0) stream.destroy(errnoException(status, 'read'));
}

// A handle's `onread`.
function onStreamRead(count, bytes) {
  if (typeof count !== 'number') {
    onForeignRead(this, count);
    return;
  }
  const stream = this[kOwner];
  if (stream[kTimeout] !== null || stream._parent !== null || !native.isRead(stream)) stream[kUpdateTimer]();
  if (count > 0) {
    if (stream.destroyed) return;
    const wantsMore = stream[kBuffer] ? readByUser(this, stream, count) : give(stream, new FastBuffer(bytes));
    if (!wantsMore) stop(this);
    return;
  }
  if (count !== kEof) {
    stream.destroy(errnoException(count, 'read'));
    return;
  }
  // The rest happens when 'end' was emitted.
  if (stream._readableState.endEmitted) return;
  stream.push(null);
  // Emits 'end' if there is nothing to be read before.
  stream.read(0);
}

// What `push` looks at, and how it is when a chunk goes straight to who listens to 'data'.
const kLooked = kFlowing | kDataListening | kReading | kSync | kEnded | kDestroyed | kErrored | kDecoder | kObjectMode |
  kMultiAwaitDrain;
const kStraight = kFlowing | kDataListening | kReading;
// As `push`. A handle goes on reading by itself, so a chunk that goes straight through leaves the stream as it is: reading,
// with no tick to find out whether to read on.
function give(stream, chunk) {
  const state = stream._readableState;
  const bits = state[kState];
  if ((bits & kLooked) !== kStraight || state.length !== 0 || !native.isRead(stream)) return stream.push(chunk);
  state.awaitDrainWriters = null;
  state[kState] = bits | kDataEmitted;
  stream.emit('data', chunk);
  if ((state[kState] & kEnded) === 0 && (state.length === 0 || state.length < state.highWaterMark)) return true;
  state[kState] &= ~kReading;
  return false;
}

// For the native, which does this where it can: see short.rs.
Object.assign(StreamHandle.prototype, { [kBytes]: Buffer.prototype, [kStop]() { stop(this); } });
const known = {
  symbols: { kBuffer, kBytes, kHandle, kOwner, kState, kStop, kTimeout },
  onRead: onStreamRead, readable: [kLooked, kStraight], kDataEmitted, kEnded, kReading,
  // As long as there is one, the engine makes others in its shape.
  chunk: new FastBuffer(),
};

function readByUser(handle, stream, count) {
  const wantsMore = stream[kBufferCb](count, stream[kBuffer]) !== false;
  const next = stream[kBufferGen]?.();
  if (ArrayBuffer.isView(next)) {
    stream[kBuffer] = next;
    handle.useUserBuffer(next);
  }
  return wantsMore;
}

// How long a timeout may be, as Node's timers have it.
function duration(msecs) {
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

// A stream's `setTimeout`.
function setStreamTimeout(msecs, callback) {
  if (this.destroyed) return this;
  this.timeout = msecs;
  msecs = duration(msecs);
  clearTimeout(this[kTimeout]);
  // Null until somebody has set one.
  this[kTimeout] = msecs === 0 ? undefined : setTimeout(() => this._onTimeout(), msecs).unref();
  if (callback !== undefined) {
    // As in Node, the time counts all the same.
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
  known,
  onStreamRead,
  setStreamTimeout,
  shutdown,
  streamBaseState,
  tried,
  write,
  writev,
};
