'use strict';
// zlib: the streams by their names, and each in one go, with a callback or here and now.

const { Buffer } = require('buffer');
const { ERR_BUFFER_TOO_LARGE, ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { isAnyArrayBuffer, isArrayBufferView, isUint8Array } = require('internal/util/types');
const { validateFunction, validateUint32 } = require('internal/validators');
const constants = require('internal/zlib/constants');
const { bytesOf, processSync, ...classes } = require('internal/zlib/streams');

// All of a stream's output; the stream keeps what it needs on itself, as with `info` it is handed out.
function whole(stream, buffer, callback) {
  validateFunction(callback, 'callback');
  if (isArrayBufferView(buffer) && !isUint8Array(buffer)) {
    buffer = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  } else if (isAnyArrayBuffer(buffer)) {
    buffer = Buffer.from(buffer);
  }
  stream.buffers = null;
  stream.nread = 0;
  stream.cb = callback;
  stream.on('data', onData);
  stream.on('error', onError);
  stream.on('end', onEnd);
  stream.end(buffer);
}

function onData(chunk) {
  (this.buffers ??= []).push(chunk);
  this.nread += chunk.length;
  if (this.nread <= this._maxOutputLength) return;
  this.close();
  this.removeAllListeners('end');
  this.cb(new ERR_BUFFER_TOO_LARGE(this._maxOutputLength));
}

function onError(error) {
  this.removeAllListeners('end');
  this.cb(error);
}

function onEnd() {
  const parts = this.buffers ?? [];
  const buffer = parts.length === 1 ? parts[0] : Buffer.concat(parts, this.nread);
  this.close();
  this.cb(null, this._info ? { buffer, engine: this } : buffer);
}

function wholeSync(stream, buffer) {
  if (typeof buffer === 'string') {
    buffer = Buffer.from(buffer);
  } else if (isAnyArrayBuffer(buffer)) {
    buffer = Buffer.from(buffer);
  } else if (!isArrayBufferView(buffer)) {
    throw new ERR_INVALID_ARG_TYPE('buffer', ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], buffer);
  }
  const output = processSync(stream, buffer, stream._finishFlushFlag);
  return stream._info ? { buffer: output, engine: stream } : output;
}

// Named as Node's are.
const withCallback = (Class) => function asyncBufferWrapper(buffer, opts, callback) {
  if (typeof opts === 'function') {
    callback = opts;
    opts = {};
  }
  return whole(new Class(opts), buffer, callback);
};

const here = (Class) => function syncBufferWrapper(buffer, opts) {
  return wholeSync(new Class(opts), buffer);
};

function crc32(data, value = 0) {
  if (typeof data !== 'string' && !isArrayBufferView(data)) {
    throw new ERR_INVALID_ARG_TYPE('data', ['Buffer', 'TypedArray', 'DataView', 'string'], data);
  }
  validateUint32(value, 'value');
  return native.crc32(typeof data === 'string' ? data : bytesOf(data), value);
}

const inOneGo = {
  deflate: 'Deflate', gzip: 'Gzip', deflateRaw: 'DeflateRaw', unzip: 'Unzip', inflate: 'Inflate', gunzip: 'Gunzip',
  inflateRaw: 'InflateRaw', brotliCompress: 'BrotliCompress', brotliDecompress: 'BrotliDecompress',
  zstdCompress: 'ZstdCompress', zstdDecompress: 'ZstdDecompress',
};
const created = [
  'Deflate', 'Inflate', 'DeflateRaw', 'InflateRaw', 'Gzip', 'Gunzip', 'Unzip', 'BrotliCompress', 'BrotliDecompress',
  'ZstdCompress', 'ZstdDecompress',
];

module.exports = { crc32, ...classes };

for (const name of Object.keys(inOneGo)) {
  const Class = classes[inOneGo[name]];
  module.exports[name] = withCallback(Class);
  module.exports[`${name}Sync`] = here(Class);
}

for (const name of created) {
  const Class = classes[name];
  Object.defineProperty(module.exports, `create${name}`, {
    __proto__: null,
    configurable: true,
    enumerable: true,
    value: function(options) { return new Class(options); },
  });
}

// Both ways: by name and by number.
const codes = {};
for (const name of ['Z_OK', 'Z_STREAM_END', 'Z_NEED_DICT', 'Z_ERRNO', 'Z_STREAM_ERROR', 'Z_DATA_ERROR', 'Z_MEM_ERROR',
  'Z_BUF_ERROR', 'Z_VERSION_ERROR']) {
  codes[name] = constants[name];
}
for (const name of Object.keys(codes)) codes[codes[name]] = name;

Object.defineProperties(module.exports, {
  constants: { __proto__: null, enumerable: true, value: constants },
  codes: { __proto__: null, enumerable: true, value: Object.freeze(codes) },
});

// The old way to them.
for (const name of Object.keys(constants)) {
  if (name.startsWith('BROTLI')) continue;
  Object.defineProperty(module.exports, name, { __proto__: null, value: constants[name] });
}
