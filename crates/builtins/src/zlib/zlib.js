'use strict';
// The `zlib` module: stream classes and their one-shot functions, asynchronous and synchronous.

const { Buffer } = require('buffer');
const { ERR_BUFFER_TOO_LARGE, ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { called } = require('internal/scheduler/trace');
const { isAnyArrayBuffer, isArrayBufferView } = require('internal/util/types');
const { validateFunction, validateUint32 } = require('internal/validators');
const constants = require('internal/zlib/constants');
const { bytesOf } = require('internal/zlib/options');
const { processSync, ...classes } = require('internal/zlib/streams');

// A view of a buffer's bytes; other values are returned unchanged.
function viewOf(data) {
  if (isArrayBufferView(data)) return bytesOf(data);
  return isAnyArrayBuffer(data) ? Buffer.from(data) : data;
}

const answerOf = (stream, buffer) => (stream._info ? { buffer, engine: stream } : buffer);

// Collects the whole output of a stream, or its first error.
function whole(stream, data, callback) {
  validateFunction(callback, 'callback');
  const parts = [];
  let length = 0;
  const finish = () => {
    stream.close();
    called(callback)(null, answerOf(stream, parts.length === 1 ? parts[0] : Buffer.concat(parts, length)));
  };
  stream.on('data', (part) => {
    parts.push(part);
    length += part.length;
    if (length <= stream._maxOutputLength) return;
    stream.close();
    stream.removeListener('end', finish);
    callback(new ERR_BUFFER_TOO_LARGE(stream._maxOutputLength));
  });
  stream.on('error', (error) => {
    stream.removeListener('end', finish);
    callback(error);
  });
  stream.on('end', finish);
  stream.end(viewOf(data));
}

function wholeSync(stream, data) {
  const bytes = typeof data === 'string' ? Buffer.from(data) : viewOf(data);
  if (!isArrayBufferView(bytes)) {
    throw new ERR_INVALID_ARG_TYPE('buffer', ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], data);
  }
  return answerOf(stream, processSync(stream, bytes, stream._finishFlushFlag));
}

// Node's functions have this name, too (`lib/zlib.js: createConvenienceMethod`).
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

// Maps names to numbers and numbers to names.
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

// Deprecated: constants as properties of the module.
for (const name of Object.keys(constants)) {
  if (name.startsWith('BROTLI')) continue;
  Object.defineProperty(module.exports, name, { __proto__: null, value: constants[name] });
}
