'use strict';
// stream.Writable: one write is in flight, later writes are buffered. Defines when 'drain', 'finish' and the write callbacks are called.
//
// Invariants: a write callback never runs before `write()` has returned (kSync defers it to nextTick); the callback of a failed write runs before
// 'error'; 'finish' is emitted after every write callback.

const EventEmitter = require('events');
const { Buffer } = require('buffer');
const process = require('process');
const { flags, FINDINGS } = require('internal/scheduler/state');
const {
  ERR_INVALID_ARG_TYPE,
  ERR_METHOD_NOT_IMPLEMENTED,
  ERR_MULTIPLE_CALLBACK,
  ERR_STREAM_ALREADY_FINISHED,
  ERR_STREAM_CANNOT_PIPE,
  ERR_STREAM_DESTROYED,
  ERR_STREAM_NULL_VALUES,
  ERR_STREAM_WRITE_AFTER_END,
  ERR_UNKNOWN_ENCODING,
} = require('internal/errors');
const { locate, UNLOCATED } = require('internal/scheduler/trace');
const { Stream } = require('internal/streams/legacy');
const destroyImpl = require('internal/streams/destroy');
const {
  kAutoDestroy, kCloseEmitted, kClosed, kConstructed, kDestroyed, kErrorEmitted, kErrored, kErroredValue, kObjectMode,
  kOnConstructed, kState,
} = require('internal/streams/flags');
const {
  WritableState,
  kAfterWritePending,
  kAfterWriteTickInfo,
  kAfterWriteTickInfoValue,
  kAllBuffers,
  kAllNoop,
  kBuffered,
  kBufferedValue,
  kBufferProcessing,
  kCorked,
  kDecodeStrings,
  kDefaultUTF8Encoding,
  kEnded,
  kEnding,
  kExpectWriteCb,
  kFinalCalled,
  kFinished,
  kHasWritable,
  kNeedDrain,
  kOnFinished,
  kOnFinishedValue,
  kPrefinished,
  kSync,
  kWritable,
  kWriteCb,
  kWriteCbValue,
  kWriting,
  noCallback,
  resetBuffer,
} = require('internal/streams/writable_state');

const findings = () => require('internal/scheduler/findings');

const { errorOrDestroy } = destroyImpl;

module.exports = Writable;
Writable.WritableState = WritableState;
Object.setPrototypeOf(Writable.prototype, Stream.prototype);
Object.setPrototypeOf(Writable, Stream);

function Writable(options) {
  if (!(this instanceof Writable)) return new Writable(options);
  this._events ??= { close: undefined, error: undefined, prefinish: undefined, finish: undefined, drain: undefined };
  this._writableState = new WritableState(options, this, false);
  if (options) {
    if (typeof options.write === 'function') this._write = options.write;
    if (typeof options.writev === 'function') this._writev = options.writev;
    if (typeof options.destroy === 'function') this._destroy = options.destroy;
    if (typeof options.final === 'function') this._final = options.final;
    if (typeof options.construct === 'function') this._construct = options.construct;
    if (options.signal) require('internal/streams/abort').addAbortSignal(options.signal, this);
  }
  Stream.call(this, options);
  if (this._construct != null) destroyImpl.construct(this, () => this._writableState[kOnConstructed](this));
}

WritableState.prototype[kOnConstructed] = function onConstructed(stream) {
  if ((this[kState] & kWriting) === 0) writeBuffered(stream, this);
  if ((this[kState] & kEnding) !== 0) finishMaybe(stream, this);
};

Object.defineProperty(WritableState.prototype, 'makeOnWrite', {
  __proto__: null,
  value(stream) { return onwrite.bind(undefined, stream); },
});

// Duplex inherits from Readable only; this makes `duplex instanceof Writable` true.
const isInstance = Function.prototype[Symbol.hasInstance];
Object.defineProperty(Writable, Symbol.hasInstance, {
  __proto__: null,
  value(object) {
    if (isInstance.call(this, object)) return true;
    return this === Writable && object && object._writableState instanceof WritableState;
  },
});

const proto = Writable.prototype;

proto.pipe = function() {
  errorOrDestroy(this, new ERR_STREAM_CANNOT_PIPE());
};

// ---- Writing

proto.write = function(chunk, encoding, callback) {
  if (typeof encoding === 'function') {
    callback = encoding;
    encoding = null;
  }
  return write(this, chunk, encoding, callback) === true;
};

// Returns the return value of `write()` (false means backpressure), or an error.
function write(stream, chunk, encoding, callback) {
  const state = stream._writableState;
  const bits = state[kState];
  if (typeof callback !== 'function') callback = noCallback;
  if (chunk === null) throw new ERR_STREAM_NULL_VALUES();
  if ((bits & kObjectMode) === 0) {
    if (!encoding) encoding = (bits & kDefaultUTF8Encoding) !== 0 ? 'utf8' : state.defaultEncoding;
    else if (encoding !== 'buffer' && !Buffer.isEncoding(encoding)) throw new ERR_UNKNOWN_ENCODING(encoding);
    if (typeof chunk === 'string') {
      if ((bits & kDecodeStrings) !== 0) {
        chunk = Buffer.from(chunk, encoding);
        encoding = 'buffer';
      }
    } else if (chunk instanceof Buffer) {
      encoding = 'buffer';
    } else if (ArrayBuffer.isView(chunk)) {
      chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      encoding = 'buffer';
    } else {
      throw new ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk);
    }
  }
  if ((bits & (kEnding | kDestroyed)) !== 0) {
    const error = (bits & kEnding) !== 0 ? new ERR_STREAM_WRITE_AFTER_END() : new ERR_STREAM_DESTROYED('write');
    process.nextTick(callback, error);
    errorOrDestroy(stream, error, true);
    return error;
  }

  state.pendingcb++;
  const length = (bits & kObjectMode) !== 0 ? 1 : chunk.length;
  state.length += length;
  if ((bits & (kWriting | kErrored | kCorked | kConstructed)) !== kConstructed) {
    enqueue(state, { chunk, encoding, callback });
  } else {
    state.writelen = length;
    if (callback !== noCallback) {
      state[kWriteCbValue] = callback;
      state[kState] |= kWriteCb | kWriting | kSync | kExpectWriteCb;
    } else {
      state[kState] |= kWriting | kSync | kExpectWriteCb;
    }
    stream._write(chunk, encoding, state.onwrite);
    state[kState] &= ~kSync;
  }
  const hasRoom = state.length < state.highWaterMark || state.length === 0;
  if (!hasRoom) {
    if (flags[FINDINGS] !== 0 && (bits & (kNeedDrain | kObjectMode)) === kNeedDrain) findings().ignoredBackpressure(stream, state.length);
    state[kState] |= kNeedDrain;
  }
  // `write()` also returns false after an error or `destroy()`, so that loops that write until backpressure terminate.
  return hasRoom && (state[kState] & (kDestroyed | kErrored)) === 0;
}

function enqueue(state, entry) {
  if ((state[kState] & kBuffered) === 0) {
    state[kState] |= kBuffered;
    state[kBufferedValue] = [];
  }
  state[kBufferedValue].push(entry);
  if (entry.encoding !== 'buffer') state[kState] &= ~kAllBuffers;
  if (entry.callback !== noCallback) state[kState] &= ~kAllNoop;
}

function callWrite(stream, state, isMany, length, chunk, encoding, callback) {
  state.writelen = length;
  if (callback !== noCallback) {
    state[kWriteCbValue] = callback;
    state[kState] |= kWriteCb;
  }
  state[kState] |= kWriting | kSync | kExpectWriteCb;
  if ((state[kState] & kDestroyed) !== 0) state.onwrite(new ERR_STREAM_DESTROYED('write'));
  else if (isMany) stream._writev(chunk, state.onwrite);
  else stream._write(chunk, encoding, state.onwrite);
  state[kState] &= ~kSync;
}

// The callback passed to `_write` and `_writev` (`lib/internal/streams/writable.js: onwrite`).
function onwrite(stream, error) {
  const state = stream._writableState;
  const bits = state[kState];
  if ((bits & kExpectWriteCb) === 0) {
    errorOrDestroy(stream, new ERR_MULTIPLE_CALLBACK());
    return;
  }
  const isSync = (bits & kSync) !== 0;
  const callback = (bits & kWriteCb) !== 0 ? state[kWriteCbValue] : noCallback;
  state[kWriteCbValue] = null;
  state[kState] = bits & ~(kWriting | kExpectWriteCb | kWriteCb);
  state.length -= state.writelen;
  state.writelen = 0;

  if (error) {
    if ((bits & kErrored) === 0) {
      state[kErroredValue] = error;
      state[kState] |= kErrored;
    }
    const other = stream._readableState;
    if (other && !other.errored) other.errored = error;
    if (isSync) process.nextTick(writeFailed, stream, state, error, callback);
    else writeFailed(stream, state, error, callback);
    return;
  }
  if ((bits & kBuffered) !== 0) writeBuffered(stream, state);
  if (isSync) afterWriteByTick(stream, state, callback);
  else afterWrite(stream, state, 1, callback);
}

// A write has completed synchronously: its callback runs on nextTick, together with those of earlier writes if the order of callbacks allows it.
function afterWriteByTick(stream, state, callback) {
  const bits = state[kState];
  if (callback === noCallback) {
    // Matches `lib/internal/streams/writable.js: onwrite`: its test `state[kState] & kDestroyed !== 0` parses as
    // `state[kState] & 1`, the kObjectMode bit, so object mode writes always schedule a tick.
    const needsTick = ((bits & kNeedDrain) !== 0 && state.length === 0) || (bits & kObjectMode) !== 0;
    if (needsTick && (bits & kAfterWritePending) === 0) {
      process.nextTick(afterWrite, stream, state, 1, callback);
      state[kState] |= kAfterWritePending;
      return;
    }
    state.pendingcb--;
    if ((bits & kEnding) !== 0) finishMaybe(stream, state, true);
    return;
  }
  const info = state[kAfterWriteTickInfoValue];
  if ((bits & kAfterWriteTickInfo) !== 0 && info.callback === callback) {
    info.count++;
    return;
  }
  const fresh = { count: 1, callback, stream, state };
  state[kAfterWriteTickInfoValue] = fresh;
  process.nextTick(afterWriteTick, fresh);
  state[kState] |= kAfterWritePending | kAfterWriteTickInfo;
}

function afterWriteTick({ stream, state, count, callback }) {
  state[kState] &= ~kAfterWriteTickInfo;
  state[kAfterWriteTickInfoValue] = null;
  afterWrite(stream, state, count, callback);
}

// Emits 'drain' if needed, then calls the callback `count` times (`lib/internal/streams/writable.js: afterWrite`). Writes of `http` may have no
// callback.
function afterWrite(stream, state, count, callback) {
  state[kState] &= ~kAfterWritePending;
  if ((state[kState] & (kEnding | kNeedDrain | kDestroyed)) === kNeedDrain && state.length === 0) {
    state[kState] &= ~kNeedDrain;
    stream.emit('drain');
  }
  while (count-- > 0) {
    state.pendingcb--;
    if (flags[UNLOCATED] !== 0) locate(callback);
    if (callback !== undefined) callback(null);
  }
  afterLastWrite(stream, state);
}

function afterLastWrite(stream, state) {
  if ((state[kState] & kDestroyed) !== 0) failBuffered(state);
  if ((state[kState] & kEnding) !== 0) finishMaybe(stream, state, true);
}

function writeFailed(stream, state, error, callback) {
  --state.pendingcb;
  callback(error);
  failBuffered(state);
  errorOrDestroy(stream, error);
}

// Drops the buffered writes and calls their callbacks with an error (`lib/internal/streams/writable.js: errorBuffer`).
function failBuffered(state) {
  if ((state[kState] & kWriting) !== 0) return;
  if ((state[kState] & kBuffered) !== 0) {
    for (let at = state.bufferedIndex; at < state[kBufferedValue].length; at++) {
      const { chunk, callback } = state[kBufferedValue][at];
      state.length -= (state[kState] & kObjectMode) !== 0 ? 1 : chunk.length;
      callback(state.errored ?? new ERR_STREAM_DESTROYED('write'));
    }
  }
  callFinishCallbacks(state, state.errored ?? new ERR_STREAM_DESTROYED('end'));
  resetBuffer(state);
}

function writeBuffered(stream, state) {
  if ((state[kState] & (kDestroyed | kBufferProcessing | kCorked | kBuffered | kConstructed)) !==
      (kBuffered | kConstructed)) {
    return;
  }
  const buffered = state[kBufferedValue];
  const waiting = buffered.length - state.bufferedIndex;
  if (waiting === 0) return;
  state[kState] |= kBufferProcessing;
  if (waiting > 1 && stream._writev) writeMany(stream, state, buffered, waiting);
  else writeEach(stream, state, buffered);
  state[kState] &= ~kBufferProcessing;
}

function writeMany(stream, state, buffered, waiting) {
  const from = state.bufferedIndex;
  const isQuiet = (state[kState] & kAllNoop) !== 0;
  state.pendingcb -= waiting - 1;
  const callback = isQuiet ? noCallback : (error) => {
    for (let at = from; at < buffered.length; at++) buffered[at].callback(error);
  };
  // `_writev` may modify the array that it receives: pass a copy if the callback needs the array later.
  const chunks = isQuiet && from === 0 ? buffered : buffered.slice(from);
  chunks.allBuffers = (state[kState] & kAllBuffers) !== 0;
  callWrite(stream, state, true, state.length, chunks, '', callback);
  resetBuffer(state);
}

function writeEach(stream, state, buffered) {
  const isObjects = (state[kState] & kObjectMode) !== 0;
  let at = state.bufferedIndex;
  do {
    const { chunk, encoding, callback } = buffered[at];
    buffered[at++] = null;
    callWrite(stream, state, false, isObjects ? 1 : chunk.length, chunk, encoding, callback);
  } while (at < buffered.length && (state[kState] & kWriting) === 0);
  if (at === buffered.length) {
    resetBuffer(state);
  } else if (at > 256) {
    buffered.splice(0, at);
    state.bufferedIndex = 0;
  } else {
    state.bufferedIndex = at;
  }
}

proto._write = function(chunk, encoding, callback) {
  if (!this._writev) throw new ERR_METHOD_NOT_IMPLEMENTED('_write()');
  this._writev([{ chunk, encoding }], callback);
};

proto._writev = null;

proto.cork = function() {
  const state = this._writableState;
  state[kState] |= kCorked;
  state.corked++;
};

proto.uncork = function() {
  const state = this._writableState;
  if (!state.corked) return;
  if (--state.corked === 0) state[kState] &= ~kCorked;
  if ((state[kState] & kWriting) === 0) writeBuffered(this, state);
};

proto.setDefaultEncoding = function setDefaultEncoding(encoding) {
  if (typeof encoding === 'string') encoding = encoding.toLowerCase();
  if (!Buffer.isEncoding(encoding)) throw new ERR_UNKNOWN_ENCODING(encoding);
  this._writableState.defaultEncoding = encoding;
  return this;
};

// ---- Ending

proto.end = function(chunk, encoding, callback) {
  const state = this._writableState;
  if (typeof chunk === 'function') {
    callback = chunk;
    chunk = null;
    encoding = null;
  } else if (typeof encoding === 'function') {
    callback = encoding;
    encoding = null;
  }
  let error;
  if (chunk != null) {
    const result = write(this, chunk, encoding);
    if (result instanceof Error) error = result;
  }
  if ((state[kState] & kCorked) !== 0) {
    state.corked = 1;
    this.uncork();
  }
  if (error === undefined) {
    const bits = state[kState];
    if ((bits & (kEnding | kErrored)) === 0) {
      state[kState] |= kEnding;
      finishMaybe(this, state, true);
      state[kState] |= kEnded;
    } else if ((bits & kFinished) !== 0) {
      error = new ERR_STREAM_ALREADY_FINISHED('end');
    } else if ((bits & kDestroyed) !== 0) {
      error = new ERR_STREAM_DESTROYED('end');
    }
  }
  if (typeof callback === 'function') {
    if (error) {
      process.nextTick(callback, error);
    } else if ((state[kState] & kErrored) !== 0) {
      process.nextTick(callback, state[kErroredValue]);
    } else if ((state[kState] & kFinished) !== 0) {
      process.nextTick(callback, null);
    } else {
      state[kState] |= kOnFinished;
      state[kOnFinishedValue] ??= [];
      state[kOnFinishedValue].push(callback);
    }
  }
  return this;
};

const kAgainstFinish =
  kEnding | kDestroyed | kConstructed | kFinished | kWriting | kErrorEmitted | kCloseEmitted | kErrored | kBuffered;

function mayFinish(state) {
  return (state[kState] & kAgainstFinish) === (kEnding | kConstructed) && state.length === 0;
}

function finishMaybe(stream, state, isSync) {
  if (!mayFinish(state)) return;
  prefinish(stream, state);
  if (state.pendingcb !== 0) return;
  if (isSync) {
    state.pendingcb++;
    process.nextTick(finishTick, stream, state);
  } else if (mayFinish(state)) {
    state.pendingcb++;
    finish(stream, state);
  }
}

function finishTick(stream, state) {
  if (mayFinish(state)) finish(stream, state);
  else state.pendingcb--;
}

function prefinish(stream, state) {
  if ((state[kState] & (kPrefinished | kFinalCalled)) !== 0) return;
  if (typeof stream._final !== 'function' || (state[kState] & kDestroyed) !== 0) {
    state[kState] |= kFinalCalled | kPrefinished;
    stream.emit('prefinish');
    return;
  }
  state[kState] |= kFinalCalled | kSync;
  state.pendingcb++;
  try {
    stream._final((error) => finalDone(stream, state, error));
  } catch (error) {
    finalDone(stream, state, error);
  }
  state[kState] &= ~kSync;
}

function finalDone(stream, state, error) {
  if ((state[kState] & kPrefinished) !== 0) {
    errorOrDestroy(stream, error ?? new ERR_MULTIPLE_CALLBACK());
    return;
  }
  state.pendingcb--;
  if (error) {
    callFinishCallbacks(state, error);
    errorOrDestroy(stream, error, (state[kState] & kSync) !== 0);
  } else if (mayFinish(state)) {
    state[kState] |= kPrefinished;
    stream.emit('prefinish');
    // 'finish' is always deferred by nextTick, even if `_final` has called back synchronously: user streams rely on this order.
    state.pendingcb++;
    process.nextTick(finish, stream, state);
  }
}

function finish(stream, state) {
  state.pendingcb--;
  state[kState] |= kFinished;
  callFinishCallbacks(state, null);
  stream.emit('finish');
  if ((state[kState] & kAutoDestroy) === 0) return;
  const other = stream._readableState;
  if (!other || (other.autoDestroy && (other.endEmitted || other.readable === false))) stream.destroy();
}

function callFinishCallbacks(state, error) {
  if ((state[kState] & kOnFinished) === 0) return;
  const callbacks = state[kOnFinishedValue];
  state[kOnFinishedValue] = null;
  state[kState] &= ~kOnFinished;
  for (let i = 0; i < callbacks.length; i++) callbacks[i](error);
}

proto.destroy = function(error, callback) {
  const state = this._writableState;
  if ((state[kState] & (kBuffered | kOnFinished)) !== 0 && (state[kState] & kDestroyed) === 0) {
    process.nextTick(failBuffered, state);
  }
  destroyImpl.destroy.call(this, error, callback);
  return this;
};

proto._undestroy = destroyImpl.undestroy;
proto._destroy = function(error, callback) { callback(error); };
proto[EventEmitter.captureRejectionSymbol] = function(error) { this.destroy(error); };

proto[Symbol.asyncDispose] = async function() {
  const { AbortError } = require('internal/errors');
  if (!this.destroyed) this.destroy(this.writableFinished ? null : new AbortError());
  await new Promise((resolve, reject) => {
    const done = (error) => (error && error.name !== 'AbortError' ? reject(error) : resolve(null));
    require('internal/streams/finished')(this, done);
  });
};

// ---- Public properties

const has = (state, bit) => (state ? (state[kState] & bit) !== 0 : false);

function property(get, set) {
  return { __proto__: null, enumerable: false, configurable: false, get, set };
}

Object.defineProperties(proto, {
  closed: property(function() { return has(this._writableState, kClosed); }),
  destroyed: property(function() { return has(this._writableState, kDestroyed); }, function(value) {
    if (this._writableState) this._writableState.destroyed = value;
  }),
  writable: property(function() {
    const state = this._writableState;
    return !!state && state.writable !== false && (state[kState] & (kEnding | kEnded | kDestroyed | kErrored)) === 0;
  }, function(value) {
    if (this._writableState) this._writableState.writable = !!value;
  }),
  writableFinished: property(function() { return has(this._writableState, kFinished); }),
  writableObjectMode: property(function() { return has(this._writableState, kObjectMode); }),
  writableBuffer: property(function() {
    const state = this._writableState;
    return state && state.getBuffer();
  }),
  writableEnded: property(function() { return has(this._writableState, kEnding); }),
  writableNeedDrain: property(function() {
    const state = this._writableState;
    return state ? (state[kState] & (kDestroyed | kEnding | kNeedDrain)) === kNeedDrain : false;
  }),
  writableHighWaterMark: property(function() { return this._writableState?.highWaterMark; }),
  writableCorked: property(function() { return this._writableState ? this._writableState.corked : 0; }),
  writableLength: property(function() { return this._writableState?.length; }),
  errored: property(function() { return this._writableState ? this._writableState.errored : null; }),
  writableAborted: property(function() {
    const bits = this._writableState[kState];
    return (bits & (kHasWritable | kWritable)) !== kHasWritable && (bits & (kDestroyed | kErrored)) !== 0 &&
      (bits & kFinished) === 0;
  }),
});

Writable.fromWeb = function(writableStream, options) {
  return require('internal/webstreams/adapters').newStreamWritableFromWritableStream(writableStream, options);
};

Writable.toWeb = function(streamWritable) {
  return require('internal/webstreams/adapters').newWritableStreamFromStreamWritable(streamWritable);
};
