'use strict';
// stream.Readable: paused and flowing mode, when `_read` is called, and in which tick 'readable', 'data' and 'end' are emitted.
// pipe() is in readable_pipe.js, async iteration in readable_iterate.js, the chunk queue in readable_state.js.
//
// Invariants: code that changes `flowing` schedules a tick that checks `flowing` again; no event is emitted while `_read` is on the stack (kSync); a
// destroyed or errored stream emits neither 'data' nor 'readable'.

const EventEmitter = require('events');
const { Buffer } = require('buffer');
const process = require('process');
const {
  ERR_INVALID_ARG_TYPE,
  ERR_METHOD_NOT_IMPLEMENTED,
  ERR_OUT_OF_RANGE,
  ERR_STREAM_PUSH_AFTER_EOF,
  ERR_STREAM_UNSHIFT_AFTER_END_EVENT,
} = require('internal/errors');
const { Stream } = require('internal/streams/legacy');
const destroyImpl = require('internal/streams/destroy');
const {
  kCloseEmitted, kConstructed, kDestroyed, kErrorEmitted, kErrored, kObjectMode, kOnConstructed, kState,
} = require('internal/streams/flags');
const {
  ReadableState,
  kDataEmitted,
  kDataListening,
  kDecoder,
  kDecoderValue,
  kEmittedReadable,
  kEnded,
  kEndEmitted,
  kFlowing,
  kHasFlowing,
  kHasPaused,
  kMultiAwaitDrain,
  kNeedReadable,
  kPaused,
  kReadableListening,
  kReading,
  kReadingMore,
  kResumeScheduled,
  kSync,
  putFirst,
  putLast,
  takeFrom,
} = require('internal/streams/readable_state');

const { errorOrDestroy } = destroyImpl;

module.exports = Readable;
Readable.ReadableState = ReadableState;
Object.setPrototypeOf(Readable.prototype, Stream.prototype);
Object.setPrototypeOf(Readable, Stream);

function Readable(options) {
  if (!(this instanceof Readable)) return new Readable(options);
  this._events ??= { close: undefined, error: undefined, data: undefined, end: undefined, readable: undefined };
  this._readableState = new ReadableState(options, this, false);
  if (options) {
    if (typeof options.read === 'function') this._read = options.read;
    if (typeof options.destroy === 'function') this._destroy = options.destroy;
    if (typeof options.construct === 'function') this._construct = options.construct;
    if (options.signal) require('internal/streams/abort').addAbortSignal(options.signal, this);
  }
  Stream.call(this, options);
  if (this._construct != null) destroyImpl.construct(this, () => this._readableState[kOnConstructed](this));
}

ReadableState.prototype[kOnConstructed] = function onConstructed(stream) {
  if ((this[kState] & kNeedReadable) !== 0) readMoreByTick(stream, this);
};

const proto = Readable.prototype;
proto.destroy = destroyImpl.destroy;
proto._undestroy = destroyImpl.undestroy;
proto._destroy = function(error, callback) { callback(error); };
proto[EventEmitter.captureRejectionSymbol] = function(error) { this.destroy(error); };
proto[Symbol.asyncDispose] = function() { return require('internal/streams/readable_iterate').dispose(this); };

// ---- Pushing chunks

proto.push = function(chunk, encoding) {
  const state = this._readableState;
  if (chunk === null) return atEnd(this, state);
  if ((state[kState] & kObjectMode) === 0) {
    if (typeof chunk === 'string') {
      encoding ||= state.defaultEncoding;
      // A string already in the encoding that `read()` returns needs no conversion to bytes.
      if (state.encoding !== encoding) {
        chunk = Buffer.from(chunk, encoding);
        encoding = '';
      }
    } else if (chunk instanceof Buffer) {
      encoding = '';
    } else if (ArrayBuffer.isView(chunk)) {
      chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      encoding = '';
    } else if (chunk !== undefined) {
      return refuse(this, chunk);
    }
    if (!chunk || chunk.length <= 0) {
      state[kState] &= ~kReading;
      readMoreByTick(this, state);
      return wantsMore(state);
    }
  }
  const bits = state[kState];
  if ((bits & (kEnded | kDestroyed | kErrored)) !== 0) {
    if ((bits & kEnded) !== 0) errorOrDestroy(this, new ERR_STREAM_PUSH_AFTER_EOF());
    return false;
  }
  state[kState] = bits & ~kReading;
  if ((bits & kDecoder) !== 0 && !encoding) {
    chunk = state[kDecoderValue].write(chunk);
    if (chunk.length === 0 && (bits & kObjectMode) === 0) {
      readMoreByTick(this, state);
      return wantsMore(state);
    }
  }
  addChunk(this, state, chunk, false);
  return wantsMore(state);
};

proto.unshift = function(chunk, encoding) {
  const state = this._readableState;
  if (chunk === null) return atEnd(this, state);
  if ((state[kState] & kObjectMode) === 0) {
    if (typeof chunk === 'string') {
      encoding ||= state.defaultEncoding;
      if (state.encoding !== encoding) {
        chunk = Buffer.from(chunk, encoding);
        if (state.encoding) chunk = chunk.toString(state.encoding);
      }
    } else if (ArrayBuffer.isView(chunk)) {
      chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    } else if (chunk !== undefined) {
      return refuse(this, chunk);
    }
    if (!(chunk && chunk.length > 0)) return wantsMore(state);
  }
  if ((state[kState] & kEndEmitted) !== 0) errorOrDestroy(this, new ERR_STREAM_UNSHIFT_AFTER_END_EVENT());
  else if ((state[kState] & (kDestroyed | kErrored)) !== 0) return false;
  else addChunk(this, state, chunk, true);
  return wantsMore(state);
};

function refuse(stream, chunk) {
  errorOrDestroy(stream, new ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'TypedArray', 'DataView'], chunk));
  return false;
}

function wantsMore(state) {
  return (state[kState] & kEnded) === 0 && (state.length < state.highWaterMark || state.length === 0);
}

function addChunk(stream, state, chunk, first) {
  const bits = state[kState];
  if ((bits & (kFlowing | kSync | kDataListening)) === (kFlowing | kDataListening) && state.length === 0) {
    forgetDrains(state);
    state[kState] |= kDataEmitted;
    stream.emit('data', chunk);
  } else {
    if (first) putFirst(state, chunk);
    else putLast(state, chunk);
    if ((state[kState] & kNeedReadable) !== 0) readableByTick(stream, state);
  }
  readMoreByTick(stream, state);
}

function forgetDrains(state) {
  if ((state[kState] & kMultiAwaitDrain) !== 0) state.awaitDrainWriters.clear();
  else state.awaitDrainWriters = null;
}

function atEnd(stream, state) {
  state[kState] &= ~kReading;
  if ((state[kState] & kEnded) !== 0) return false;
  if ((state[kState] & kDecoder) !== 0) {
    const rest = state[kDecoderValue].end();
    if (rest?.length) putLast(state, rest);
  }
  state[kState] |= kEnded;
  if ((state[kState] & kSync) !== 0) {
    readableByTick(stream, state);
  } else {
    // Emits 'readable' synchronously, as `lib/internal/streams/readable.js: onEofChunk` does; packages rely on it.
    state[kState] = (state[kState] & ~kNeedReadable) | kEmittedReadable;
    emitReadable(stream);
  }
  return false;
}

proto.setEncoding = function(encoding) {
  const { StringDecoder } = require('string_decoder');
  const state = this._readableState;
  const decoder = new StringDecoder(encoding);
  state.decoder = decoder;
  state.encoding = decoder.encoding;
  let text = '';
  for (let at = state.bufferIndex; at < state.buffer.length; at++) text += decoder.write(state.buffer[at]);
  state.buffer.length = 0;
  state.bufferIndex = 0;
  if (text !== '') state.buffer.push(text);
  state.length = text.length;
  return this;
};

// ---- Reading chunks

const kMaxMark = 0x40000000;

// Rounds the highWaterMark up to a power of two, so that it does not grow in many small steps.
function roundedMark(size) {
  if (size > kMaxMark) throw new ERR_OUT_OF_RANGE('size', '<= 1GiB', size);
  return size <= 1 ? size : 2 ** (32 - Math.clz32(size - 1));
}

// Number of bytes (or objects) that `read(size)` can return now. NaN means everything, or the first chunk when
// flowing (`lib/internal/streams/readable.js: howMuchToRead`).
function available(size, state) {
  const { length } = state;
  const bits = state[kState];
  if (size <= 0 || (length === 0 && (bits & kEnded) !== 0)) return 0;
  if ((bits & kObjectMode) !== 0) return 1;
  if (size !== size) return (bits & kFlowing) !== 0 && length ? state.buffer[state.bufferIndex].length : length;
  if (size <= length) return size;
  return (bits & kEnded) !== 0 ? length : 0;
}

proto.read = function(size) {
  if (size === undefined) size = NaN;
  else if (!Number.isInteger(size)) size = Number.parseInt(size, 10);
  const state = this._readableState;
  if (size > state.highWaterMark) state.highWaterMark = roundedMark(size);
  if (size !== 0) state[kState] &= ~kEmittedReadable;

  // For `read(0)` with enough data buffered, or at the end of the stream, only emit 'readable' or 'end': do not call `_read`.
  if (size === 0 && (state[kState] & kNeedReadable) !== 0 &&
      ((state.highWaterMark !== 0 ? state.length >= state.highWaterMark : state.length > 0) ||
       (state[kState] & kEnded) !== 0)) {
    if (state.length === 0 && (state[kState] & kEnded) !== 0) endByTick(this, state);
    else readableByTick(this, state);
    return null;
  }

  let count = available(size, state);
  if (count === 0 && (state[kState] & kEnded) !== 0) {
    if (state.length === 0) endByTick(this, state);
    return null;
  }

  const bits = state[kState];
  if ((bits & (kReading | kEnded | kDestroyed | kErrored | kConstructed)) === kConstructed &&
      ((bits & kNeedReadable) !== 0 || state.length === 0 || state.length - count < state.highWaterMark)) {
    state[kState] |= state.length === 0 ? kReading | kSync | kNeedReadable : kReading | kSync;
    try {
      this._read(state.highWaterMark);
    } catch (error) {
      errorOrDestroy(this, error);
    }
    state[kState] &= ~kSync;
    // `_read` has pushed synchronously: `read(size)` may be able to return more than before.
    if ((state[kState] & kReading) === 0) count = available(size, state);
  }

  const taken = count > 0 ? takeFrom(count, state) : null;
  if (taken === null) {
    if (state.length <= state.highWaterMark) state[kState] |= kNeedReadable;
    count = 0;
  } else {
    state.length -= count;
    forgetDrains(state);
  }
  if (state.length === 0) {
    if ((state[kState] & kEnded) === 0) state[kState] |= kNeedReadable;
    else if (size !== count) endByTick(this, state);
  }
  if (taken !== null && (state[kState] & (kErrorEmitted | kCloseEmitted)) === 0) {
    state[kState] |= kDataEmitted;
    this.emit('data', taken);
  }
  return taken;
};

proto._read = function(size) {
  throw new ERR_METHOD_NOT_IMPLEMENTED('_read()');
};

function readableByTick(stream, state) {
  state[kState] &= ~kNeedReadable;
  if ((state[kState] & kEmittedReadable) === 0) {
    state[kState] |= kEmittedReadable;
    process.nextTick(emitReadable, stream);
  }
}

// Emits 'readable', then reads in flowing mode (`lib/internal/streams/readable.js: emitReadable_`).
function emitReadable(stream) {
  const state = stream._readableState;
  const bits = state[kState];
  if ((bits & (kDestroyed | kErrored)) === 0 && (state.length !== 0 || (bits & kEnded) !== 0)) {
    stream.emit('readable');
    state[kState] &= ~kEmittedReadable;
  }
  // A flowing stream needs no 'readable'. A stream with more data than its highWaterMark emits 'readable' after the next `read()`.
  if ((state[kState] & (kFlowing | kEnded)) === 0 && state.length <= state.highWaterMark) state[kState] |= kNeedReadable;
  flow(stream, state);
}

function flow(stream, state) {
  while ((state[kState] & kFlowing) !== 0 && stream.read() !== null);
}

// While the buffer is below the highWaterMark, `_read` is called again on nextTick, even without a consumer
// (`lib/internal/streams/readable.js: maybeReadMore`).
function readMoreByTick(stream, state) {
  if ((state[kState] & (kReadingMore | kReading | kConstructed)) === kConstructed) {
    state[kState] |= kReadingMore;
    process.nextTick(readMore, stream, state);
  }
}

// Calls `read(0)` until the buffer is full or a call adds no data (`lib/internal/streams/readable.js: maybeReadMore_`).
function readMore(stream, state) {
  while ((state[kState] & (kReading | kEnded)) === 0) {
    const before = state.length;
    const hasRoom = before < state.highWaterMark || (before === 0 && (state[kState] & kFlowing) !== 0);
    if (!hasRoom) break;
    stream.read(0);
    if (state.length === before) break;
  }
  state[kState] &= ~kReadingMore;
}

function endByTick(stream, state) {
  if ((state[kState] & kEndEmitted) === 0) {
    state[kState] |= kEnded;
    process.nextTick(emitEnd, state, stream);
  }
}

function emitEnd(state, stream) {
  // 'end' was scheduled on nextTick: since then, `unshift()` may have added data.
  if ((state[kState] & (kErrored | kCloseEmitted | kEndEmitted)) !== 0 || state.length !== 0) return;
  state[kState] |= kEndEmitted;
  stream.emit('end');
  if (stream.writable && stream.allowHalfOpen === false) {
    process.nextTick(endOtherSide, stream);
  } else if (state.autoDestroy) {
    const other = stream._writableState;
    if (!other || (other.autoDestroy && (other.finished || other.writable === false))) stream.destroy();
  }
}

function endOtherSide(stream) {
  if (stream.writable && !stream.writableEnded && !stream.destroyed) stream.end();
}

// ---- Flowing and paused mode

proto.on = function(type, listener) {
  const result = Stream.prototype.on.call(this, type, listener);
  const state = this._readableState;
  if (type === 'data') {
    state[kState] |= this.listenerCount('readable') > 0 ? kDataListening | kReadableListening : kDataListening;
    // A 'data' listener starts the flow unless `pause()` was called explicitly.
    if ((state[kState] & (kHasFlowing | kFlowing)) !== kHasFlowing) this.resume();
  } else if (type === 'readable') {
    if ((state[kState] & (kEndEmitted | kReadableListening)) === 0) {
      state[kState] = (state[kState] | kReadableListening | kNeedReadable | kHasFlowing) & ~(kFlowing | kEmittedReadable);
      if (state.length) readableByTick(this, state);
      else if ((state[kState] & kReading) === 0) process.nextTick(readNothing, this);
    }
  }
  return result;
};
proto.addListener = proto.on;

function readNothing(stream) {
  stream.read(0);
}

proto.removeListener = function(type, listener) {
  const result = Stream.prototype.removeListener.call(this, type, listener);
  // The mode is updated on nextTick: if a once('readable') listener adds itself again while it runs, the mode must not change.
  if (type === 'readable') process.nextTick(updateMode, this);
  else if (type === 'data' && this.listenerCount('data') === 0) this._readableState[kState] &= ~kDataListening;
  return result;
};
proto.off = proto.removeListener;

proto.removeAllListeners = function(type) {
  const result = Stream.prototype.removeAllListeners.apply(this, arguments);
  if (type === 'readable' || type === undefined) process.nextTick(updateMode, this);
  return result;
};

function updateMode(stream) {
  const state = stream._readableState;
  if (stream.listenerCount('readable') > 0) state[kState] |= kReadableListening;
  else state[kState] &= ~kReadableListening;
  const bits = state[kState];
  if ((bits & (kHasPaused | kPaused | kResumeScheduled)) === (kHasPaused | kResumeScheduled)) {
    // A call of `resume()` is scheduled, and it expects a flowing stream.
    state[kState] |= kHasFlowing | kFlowing;
  } else if ((bits & kDataListening) !== 0) {
    stream.resume();
  } else if ((bits & kReadableListening) === 0) {
    state[kState] &= ~(kHasFlowing | kFlowing);
  }
}

proto.resume = function() {
  const state = this._readableState;
  const bits = state[kState];
  if ((bits & kFlowing) === 0) {
    // A stream with a 'readable' listener does not flow, but emits 'resume'.
    state[kState] |= (bits & kReadableListening) === 0 ? kHasFlowing | kFlowing : kHasFlowing;
    if ((bits & kResumeScheduled) === 0) {
      state[kState] |= kResumeScheduled;
      process.nextTick(startFlow, this, state);
    }
  }
  state[kState] = (state[kState] | kHasPaused) & ~kPaused;
  return this;
};

proto.pause = function() {
  const state = this._readableState;
  if ((state[kState] & (kHasFlowing | kFlowing)) !== kHasFlowing) {
    state[kState] = (state[kState] | kHasFlowing) & ~kFlowing;
    this.emit('pause');
  }
  state[kState] |= kHasPaused | kPaused;
  return this;
};

// Starts the flow on the tick after `resume()` (`lib/internal/streams/readable.js: resume_`).
function startFlow(stream, state) {
  if ((state[kState] & kReading) === 0) stream.read(0);
  state[kState] &= ~kResumeScheduled;
  stream.emit('resume');
  flow(stream, state);
  if ((state[kState] & (kFlowing | kReading)) === kFlowing) stream.read(0);
}

proto.isPaused = function() {
  const bits = this._readableState[kState];
  return (bits & kPaused) !== 0 || (bits & (kHasFlowing | kFlowing)) === kHasFlowing;
};

// ---- Public properties

const side = (stream) => stream._readableState;

function property(get, set) {
  return { __proto__: null, enumerable: false, configurable: false, get, set };
}

Object.defineProperties(proto, {
  readable: property(function() {
    const state = this._readableState;
    // `state.readable` is false for a Duplex without a readable side, or when legacy code has assigned
    // `stream.readable = false`.
    return !!state && state.readable !== false && !state.destroyed && !state.errorEmitted && !state.endEmitted;
  }, function(value) {
    if (this._readableState) this._readableState.readable = !!value;
  }),
  readableDidRead: property(function() { return side(this).dataEmitted; }),
  readableAborted: property(function() {
    const state = side(this);
    return !!(state.readable !== false && (state.destroyed || state.errored) && !state.endEmitted);
  }),
  readableHighWaterMark: property(function() { return side(this).highWaterMark; }),
  readableBuffer: property(function() { return side(this)?.buffer; }),
  readableFlowing: property(function() { return side(this).flowing; }, function(value) {
    if (this._readableState) this._readableState.flowing = value;
  }),
  readableLength: property(function() { return side(this).length; }),
  readableObjectMode: property(function() { return side(this) ? side(this).objectMode : false; }),
  readableEncoding: property(function() { return side(this) ? side(this).encoding : null; }),
  errored: property(function() { return side(this) ? side(this).errored : null; }),
  closed: property(function() { return side(this) ? side(this).closed : false; }),
  destroyed: property(function() {
    const state = this._readableState;
    return state ? state.destroyed : false;
  }, function(value) {
    if (this._readableState) this._readableState.destroyed = value;
  }),
  readableEnded: property(function() { return side(this) ? side(this).endEmitted : false; }),
});

// ---- pipe(), iterators, conversions

require('internal/streams/readable_pipe').install(Readable);

proto[Symbol.asyncIterator] = function() {
  return require('internal/streams/readable_iterate').iterate(this);
};

proto.iterator = function(options) {
  if (options !== undefined) require('internal/validators').validateObject(options, 'options');
  return require('internal/streams/readable_iterate').iterate(this, options);
};

// Makes an old-style (streams1) stream the source of this one.
proto.wrap = function(stream) {
  let isPaused = false;
  stream.on('data', (chunk) => {
    if (!this.push(chunk) && stream.pause) {
      isPaused = true;
      stream.pause();
    }
  });
  stream.on('end', () => { this.push(null); });
  stream.on('error', (error) => { errorOrDestroy(this, error); });
  stream.on('close', () => { this.destroy(); });
  stream.on('destroy', () => { this.destroy(); });
  this._read = () => {
    if (isPaused && stream.resume) {
      isPaused = false;
      stream.resume();
    }
  };
  // Copy the source's methods, bound, to the wrapper. The loop of `lib/internal/streams/readable.js: wrap` starts at
  // index 1, so the first key is skipped.
  for (const key of Object.keys(stream).slice(1)) {
    if (this[key] === undefined && typeof stream[key] === 'function') this[key] = stream[key].bind(stream);
  }
  return this;
};

Readable.wrap = function(source, options) {
  return new Readable({
    objectMode: source.readableObjectMode ?? source.objectMode ?? true,
    ...options,
    destroy(error, callback) {
      destroyImpl.destroyer(source, error);
      callback(error);
    },
  }).wrap(source);
};

Readable.from = function(iterable, options) {
  return require('internal/streams/from')(Readable, iterable, options);
};

Readable.fromWeb = function(readableStream, options) {
  return require('internal/webstreams/adapters').newStreamReadableFromReadableStream(readableStream, options);
};

Readable.toWeb = function(streamReadable, options) {
  return require('internal/webstreams/adapters').newReadableStreamFromStreamReadable(streamReadable, options);
};

// Exported for Node's own tests, which call it directly.
Readable._fromList = takeFrom;
