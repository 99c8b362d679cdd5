'use strict';
// The zlib streams. A write consists of steps, each a thread pool job that fills the rest of a `chunkSize` buffer, so
// that output chunks have the same boundaries as Node's.

const process = require('process');
const { Buffer, kMaxLength } = require('buffer');
const {
  ERR_BROTLI_INVALID_PARAM, ERR_BUFFER_TOO_LARGE, ERR_INTERNAL_ASSERTION, ERR_TRAILING_JUNK_AFTER_STREAM_END,
  ERR_ZSTD_INVALID_PARAM,
} = require('internal/errors');
const { deprecate } = require('internal/util');
const { isArrayBufferView } = require('internal/util/types');
const { Transform, finished } = require('stream');
const constants = require('internal/zlib/constants');
const tracking = require('internal/async_hooks/tracking');
const { bytesOf, checkParams, families, paramsOf, streamOptions, zlibOptions } = require('internal/zlib/options');

const { DEFLATE, DEFLATERAW, GUNZIP, GZIP, INFLATE, INFLATERAW, UNZIP } = constants;

// Operations of the native stream.
const WRITE = 0;
const ALL = 1;
const RESET = 2;
const PARAMS = 3;
const CLOSE = 4;
const STEP = 5;

const kError = Symbol('kError');
// Marks an empty chunk that requests a flush.
const kFlushFlag = Symbol('kFlushFlag');
// On such a chunk: level and strategy for the data that follows.
const kParams = Symbol('kParams');
const kStepped = Symbol('kStepped');
const kWrite = Symbol('kWrite');

// Flush values from weakest to strongest: Z_BLOCK has the highest number, but is the second weakest.
const strength = [0, 2, 3, 4, 5, 1];
const stronger = (a, b) => (strength[a] > strength[b] ? a : b);
const flushChunk = (flag, params) =>
  Object.assign(Buffer.from(new ArrayBuffer(0)), { [kFlushFlag]: flag, [kParams]: params });
const flushChunks = strength.map((_, flag) => flushChunk(flag));

// The `_handle` of a stream, for programs that use it directly.
class Handle {
  #run;
  #stream;

  constructor(run, stream) {
    this.#run = run;
    this.#stream = stream;
  }

  write(flag, chunk, room, done) {
    this.#run(WRITE, flag, chunk, room, done);
  }

  writeAll(flag, chunk, chunkSize, limit) {
    return this.#run(ALL, flag, chunk, chunkSize, limit);
  }

  // Stores the remaining sizes of output and input in `_writeState`, from which `lib/zlib.js: processChunkSync` reads them.
  writeSync(flag, input, inputOffset, inputLength, output, outputOffset, room) {
    const stream = this.#stream;
    const chunk = bytesOf(input ?? new Uint8Array(0)).subarray(inputOffset, inputOffset + inputLength);
    const { 0: made, 1: roomLeft, 2: left, 3: code } = this.#run(STEP, flag, chunk, room);
    if (made === null) {
      fail(stream, roomLeft, left, code);
      return;
    }
    output.set(new Uint8Array(made), outputOffset);
    stream._writeState[0] = roomLeft;
    stream._writeState[1] = left;
  }

  reset() {
    return this.#run(RESET);
  }

  params(level, strategy) {
    return this.#run(PARAMS, level, strategy);
  }

  close() {
    this.#run(CLOSE);
  }
}

const trueLength = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'byteLength').get;

// Validates lengths and offsets that come from programs.
function mustBeInBounds(stream, chunk) {
  const isInput = trueLength.call(chunk) < chunk.byteLength;
  if (!isInput && stream._outOffset <= stream._chunkSize) return;
  const error = new RangeError(`${isInput ? 'input' : 'output'} buffer is out of bounds`);
  error.code = 'ERR_OUT_OF_RANGE';
  throw error;
}

function mustBeOpen(stream) {
  if (stream._handle) return;
  throw new ERR_INTERNAL_ASSERTION('zlib binding closed');
}

// A compression error is fatal: destroys the stream.
function fail(stream, message, errno, code) {
  const error = new Error(message);
  error.errno = errno;
  error.code = code;
  stream.destroy(error);
  stream[kError] = error;
  return error;
}

function closeHandle(stream) {
  stream._handle?.close();
  stream._handle = null;
}

// Both sides are byte streams, whatever the options say.
const bytesOnly = { encoding: null, objectMode: false, writableObjectMode: false };

function ZlibBase(options, family, handle) {
  const { chunkSize, flush, finishFlush, maxOutputLength } = streamOptions(options, family);
  // Only for the error it throws: buffers are allocated per step.
  if (chunkSize > kMaxLength) Buffer.allocUnsafe(chunkSize);

  Transform.call(this, { autoDestroy: true, ...options, ...bytesOnly });
  this[kError] = null;
  this[kWrite] = null;
  // Bound once per stream: only one write runs at a time.
  this[kStepped] = stepped.bind(undefined, this);
  if (tracking.on) this[kStepped] = tracking.handle('ZLIB', this[kStepped]);
  this.bytesWritten = 0;
  this._handle = new Handle(handle, this);
  this._outOffset = 0;
  this._chunkSize = Math.trunc(chunkSize);
  this._defaultFlushFlag = flush;
  this._finishFlushFlag = finishFlush;
  this._defaultFullFlushFlag = family.full;
  this._info = options?.info;
  this._maxOutputLength = maxOutputLength;
  this._rejectGarbageAfterEnd = options?.rejectGarbageAfterEnd === true;
}
Object.setPrototypeOf(ZlibBase.prototype, Transform.prototype);
Object.setPrototypeOf(ZlibBase, Transform);

// Properties that only programs using `_handle` need; created on first access.
for (const [name, make] of [
  ['_outBuffer', ({ _chunkSize }) => Buffer.allocUnsafe(_chunkSize)],
  ['_writeState', () => new Uint32Array(2)],
]) {
  const define = (stream, value) => Object.defineProperty(stream, name, {
    __proto__: null, value, writable: true, configurable: true, enumerable: true,
  })[name];
  Object.defineProperty(ZlibBase.prototype, name, {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get() { return this instanceof ZlibBase ? define(this, make(this)) : undefined; },
    set(value) { define(this, value); },
  });
}

Object.defineProperty(ZlibBase.prototype, '_closed', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() { return !this._handle; },
});

// Deprecated name: counts the bytes read by the native stream, that is, written to this one.
Object.defineProperty(ZlibBase.prototype, 'bytesRead', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get: deprecate(function() {
    return this.bytesWritten;
  }, 'zlib.bytesRead is deprecated and will change its meaning in the future. Use zlib.bytesWritten instead.', 'DEP0108'),
  set: deprecate(function(value) {
    this.bytesWritten = value;
  }, 'Setting zlib.bytesRead is deprecated. This feature will be removed in the future.', 'DEP0108'),
});

ZlibBase.prototype.reset = function() {
  mustBeOpen(this);
  const trouble = this._handle.reset();
  if (trouble) fail(this, trouble[1], trouble[2], trouble[3]);
};

// The last step flushes the native stream; `_final` must not repeat it.
ZlibBase.prototype._flush = function(callback) {
  this._transform(Buffer.alloc(0), '', callback);
};

ZlibBase.prototype._final = function(callback) {
  callback();
};

// A flush is queued among the writes; after `end()` it only waits for the end.
ZlibBase.prototype.flush = function(kind, callback) {
  const isKindGiven = typeof kind !== 'function' && (kind !== undefined || callback);
  const [flag, done] = isKindGiven ? [kind, callback] : [this._defaultFullFlushFlag, kind];
  if (!this.writableEnded) this.write(flushChunks[flag], '', done);
  else if (done && this.writableFinished) process.nextTick(done);
  else if (done) this.once('end', done);
};

ZlibBase.prototype.close = function(callback) {
  if (callback) finished(this, callback);
  this.destroy();
};

ZlibBase.prototype._destroy = function(error, callback) {
  closeHandle(this);
  callback(error);
};

ZlibBase.prototype._transform = function(chunk, encoding, callback) {
  let flag = chunk[kFlushFlag] ?? this._defaultFlushFlag;
  if (this.writableEnded && this.writableLength === chunk.byteLength) flag = stronger(flag, this._finishFlushFlag);
  begin(this, chunk, flag, callback);
};

// Undocumented, but used by packages; synchronous without a callback.
ZlibBase.prototype._processChunk = function(chunk, flag, callback) {
  if (typeof callback === 'function') begin(this, chunk, flag, callback);
  else return processSync(this, chunk, flag);
};

function begin(stream, chunk, flag, callback) {
  const handle = stream._handle;
  if (!handle) {
    process.nextTick(callback);
    return;
  }
  const params = chunk[kParams];
  chunk = bytesOf(chunk);
  mustBeInBounds(stream, chunk);
  const write = { handle, flag, params, left: chunk.byteLength, room: stream._chunkSize - stream._outOffset, callback };
  stream[kWrite] = write;
  handle.write(flag, chunk, write.room, stream[kStepped]);
}

function goOn(stream) {
  const write = stream[kWrite];
  if (!stream._handle) {
    write.callback();
    return;
  }
  write.handle.write(write.flag, undefined, write.room, stream[kStepped]);
}

// A step is done. If its output buffer is full, there is more output.
function stepped(stream, output, room, left, code) {
  if (output === null) {
    fail(stream, room, left, code);
    return;
  }
  const write = stream[kWrite];
  if (stream.destroyed) {
    write.callback();
    return;
  }
  stream.bytesWritten += write.left - left;
  write.left = left;
  let isFull = false;
  if (output.byteLength > 0) {
    stream._outOffset += output.byteLength;
    isFull = !stream.push(Buffer.from(output));
  }
  if (stream.destroyed) {
    write.callback();
    return;
  }
  write.room = room;
  if (room === 0 || stream._outOffset >= stream._chunkSize) {
    write.room = stream._chunkSize;
    stream._outOffset = 0;
  }
  if (room === 0) {
    if (isFull) waitForReader(stream);
    else goOn(stream);
    return;
  }
  if (left > 0) {
    // Output space is left, but input remains: the compressed stream has ended before it.
    if (stream._rejectGarbageAfterEnd) {
      const error = new ERR_TRAILING_JUNK_AFTER_STREAM_END();
      stream.destroy(error);
      write.callback(error);
      return;
    }
    stream.push(null);
  }
  // Apply the parameters before the callback, because the callback starts the next chunk.
  const trouble = write.params && stream._handle?.params(...write.params);
  if (trouble) fail(stream, trouble[1], trouble[2], trouble[3]);
  write.callback();
}

function waitForReader(stream) {
  const read = stream._read;
  stream._read = (size) => {
    stream._read = read;
    goOn(stream);
    stream._read(size);
  };
}

function processSync(stream, chunk, flag) {
  // This function throws the error, so the 'error' event is ignored.
  stream.on('error', () => {});
  chunk = bytesOf(chunk);
  mustBeInBounds(stream, chunk);
  const result = stream._handle.writeAll(flag, chunk, stream._chunkSize, stream._maxOutputLength);
  if (result === false) {
    closeHandle(stream);
    throw new ERR_BUFFER_TOO_LARGE(stream._maxOutputLength);
  }
  const { 0: output, 1: used } = result;
  if (output === null) throw fail(stream, result[1], result[2], result[3]);
  closeHandle(stream);
  stream.bytesWritten = used;
  return Buffer.from(output);
}

function Zlib(options, mode) {
  const { windowBits, level, memLevel, strategy, dictionary } = zlibOptions(mode, options);
  ZlibBase.call(
    this, options, families.zlib, native.zlib(mode, windowBits, level, memLevel, strategy, dictionary));
  this._level = level;
  this._strategy = strategy;
  this._mode = mode;
}
Object.setPrototypeOf(Zlib.prototype, ZlibBase.prototype);
Object.setPrototypeOf(Zlib, ZlibBase);

// Flush first, so that earlier data is compressed with the old parameters.
Zlib.prototype.params = function(level, strategy, callback) {
  checkParams(level, strategy);
  if (this._level === level && this._strategy === strategy) {
    process.nextTick(callback);
    return;
  }
  const done = () => {
    mustBeOpen(this);
    if (this.destroyed) return;
    this._level = level;
    this._strategy = strategy;
    callback?.();
  };
  if (this.writableEnded) this.flush(constants.Z_SYNC_FLUSH, done);
  else this.write(flushChunk(constants.Z_SYNC_FLUSH, [level | 0, strategy | 0]), '', done);
};

// The native brotli and zstd streams return an error message if creation fails.
function made(handle) {
  if (typeof handle === 'function') return handle;
  const error = new Error(handle);
  error.code = 'ERR_ZLIB_INITIALIZATION_FAILED';
  throw error;
}

function Brotli(options, compresses) {
  const params = paramsOf(options, 'BROTLI_PARAM_', ERR_BROTLI_INVALID_PARAM);
  ZlibBase.call(this, options, families.brotli, made(native.brotli(compresses, params)));
}
Object.setPrototypeOf(Brotli.prototype, Zlib.prototype);
Object.setPrototypeOf(Brotli, Zlib);

class Zstd extends ZlibBase {
  constructor(options, compresses) {
    const params = paramsOf(options, compresses ? 'ZSTD_c_' : 'ZSTD_d_', ERR_ZSTD_INVALID_PARAM);
    let pledged = -1;
    if (typeof options?.pledgedSrcSize === 'number') {
      pledged = Math.trunc(options.pledgedSrcSize);
      if (pledged < 0) {
        const error = new TypeError('pledgedSrcSize may not be negative');
        error.code = 'ERR_INVALID_ARG_VALUE';
        throw error;
      }
    }
    const dictionary = isArrayBufferView(options?.dictionary) ? bytesOf(options.dictionary) : undefined;
    super(options, families.zstd, made(native.zstd(compresses, params, pledged, dictionary)));
  }
}

class ZstdCompress extends Zstd {
  constructor(options) {
    super(options, true);
  }
}

class ZstdDecompress extends Zstd {
  constructor(options) {
    super(options, false);
  }
}

// A class that can be called without `new`.
function callable(name, Base, kind) {
  const { [name]: Made } = {
    [name]: function(options) {
      // Raw deflate does not support a window of 8 bits; Node changes the options object, too.
      if (kind === DEFLATERAW && options?.windowBits === 8) options.windowBits = 9;
      if (!(this instanceof Made)) return new Made(options);
      Base.call(this, options, kind);
    },
  };
  Object.setPrototypeOf(Made.prototype, Base.prototype);
  Object.setPrototypeOf(Made, Base);
  return Made;
}

module.exports = {
  Deflate: callable('Deflate', Zlib, DEFLATE),
  Inflate: callable('Inflate', Zlib, INFLATE),
  Gzip: callable('Gzip', Zlib, GZIP),
  Gunzip: callable('Gunzip', Zlib, GUNZIP),
  DeflateRaw: callable('DeflateRaw', Zlib, DEFLATERAW),
  InflateRaw: callable('InflateRaw', Zlib, INFLATERAW),
  Unzip: callable('Unzip', Zlib, UNZIP),
  BrotliCompress: callable('BrotliCompress', Brotli, true),
  BrotliDecompress: callable('BrotliDecompress', Brotli, false),
  ZstdCompress,
  ZstdDecompress,
  processSync,
};
