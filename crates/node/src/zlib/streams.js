'use strict';
// The streams of zlib. A write is one or more steps of the native stream, each a job of the pool and each with the room that is
// left of a chunk of `chunkSize` bytes, so that what comes out is cut where Node cuts it.

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

// The native stream's verbs.
const WRITE = 0;
const ALL = 1;
const RESET = 2;
const PARAMS = 3;
const CLOSE = 4;
const STEP = 5;

const kError = Symbol('kError');
// Of an empty chunk that stands for a flush among the writes.
const kFlushFlag = Symbol('kFlushFlag');
// Of such a chunk: the level and the strategy of what comes after it.
const kParams = Symbol('kParams');
const kStepped = Symbol('kStepped');
const kWrite = Symbol('kWrite');

// From the weakest to the strongest: Z_BLOCK has the highest number and is the second weakest.
const strength = [0, 2, 3, 4, 5, 1];
const stronger = (a, b) => (strength[a] > strength[b] ? a : b);
const flushChunk = (flag, params) =>
  Object.assign(Buffer.from(new ArrayBuffer(0)), { [kFlushFlag]: flag, [kParams]: params });
const flushChunks = strength.map((_, flag) => flushChunk(flag));

// A native stream as scripts that look for one find it.
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

  // As Node: what is left of both is in the stream's `_writeState`.
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

// Scripts may have made lengths and offsets up.
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

// What has gone wrong cannot be mended: the stream is over.
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

// Bytes go in and bytes come out, whatever is said.
const bytesOnly = { encoding: null, objectMode: false, writableObjectMode: false };

function ZlibBase(options, family, handle) {
  const { chunkSize, flush, finishFlush, maxOutputLength } = streamOptions(options, family);
  // Only for its check: the buffer itself is made for each step.
  if (chunkSize > kMaxLength) Buffer.allocUnsafe(chunkSize);

  Transform.call(this, { autoDestroy: true, ...options, ...bytesOnly });
  this[kError] = null;
  this[kWrite] = null;
  // The callback is made once, as there is one write at a time.
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

// Only scripts that step a stream by themselves want these.
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

// The name from the native stream's side, which for any other stream would mean the opposite.
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

// The last step takes what the native stream still holds; `_final` must not do it a second time.
ZlibBase.prototype._flush = function(callback) {
  this._transform(Buffer.alloc(0), '', callback);
};

ZlibBase.prototype._final = function(callback) {
  callback();
};

// A flush takes its place among the writes; after the last of them there is only the end to wait for.
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

// Others have called it for long; without a callback it does all here and now.
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

// A step is done. One that used all its room is not the last.
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
    // There is room, and still the rest is not wanted: the compressed stream has ended before it.
    if (stream._rejectGarbageAfterEnd) {
      const error = new ERR_TRAILING_JUNK_AFTER_STREAM_END();
      stream.destroy(error);
      write.callback(error);
      return;
    }
    stream.push(null);
  }
  // Now, not in the callback: by then the next chunk is on the pool.
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
  // A failure is thrown; the stream's own report of it has nobody to hear it.
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

// What was written before is compressed as it was meant to be: a flush comes first.
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

// Native streams of these two families say in words why there is none.
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

// A class that may be called without `new`.
function callable(name, Base, kind) {
  const { [name]: Made } = {
    [name]: function(options) {
      // As Node: raw streams of 8 bits are not to be had, and the options are told so.
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
