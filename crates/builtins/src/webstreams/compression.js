'use strict';
// CompressionStream and DecompressionStream, implemented with the zlib streams.

const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
const { newReadableWritablePairFromDuplex } = require('internal/webstreams/adapters');
const { inspectAs, kInspect } = require('internal/webstreams/shared');

// The zlib factory functions of each format: [compression, decompression].
const formats = {
  '__proto__': null,
  'deflate': ['createDeflate', 'createInflate'],
  'deflate-raw': ['createDeflateRaw', 'createInflateRaw'],
  'gzip': ['createGzip', 'createGunzip'],
  'brotli': ['createBrotliCompress', 'createBrotliDecompress'],
};

function pairOf(format, name, way, options) {
  const makers = formats[`${format}`];
  if (makers === undefined) {
    const error = new TypeError(
      `Failed to construct '${name}': 1st argument value '${format}' is not a valid enum value of type CompressionFormat.`);
    error.code = new ERR_INVALID_ARG_VALUE('', '').code;
    throw error;
  }
  return newReadableWritablePairFromDuplex(require('zlib')[makers[way]](options));
}

class CompressionStream {
  #transform;

  constructor(format) { this.#transform = pairOf(format, 'CompressionStream', 0); }

  get readable() { return this.#transform.readable; }
  get writable() { return this.#transform.writable; }

  [kInspect](depth, options) {
    const { readable, writable } = this;
    return inspectAs(this, depth, options, 'CompressionStream', { readable, writable });
  }
}

class DecompressionStream {
  #transform;

  // Compression Standard: data after the end of the compressed stream is an error.
  constructor(format) { this.#transform = pairOf(format, 'DecompressionStream', 1, { rejectGarbageAfterEnd: true }); }

  get readable() { return this.#transform.readable; }
  get writable() { return this.#transform.writable; }

  [kInspect](depth, options) {
    const { readable, writable } = this;
    return inspectAs(this, depth, options, 'DecompressionStream', { readable, writable });
  }
}

for (const Class of [CompressionStream, DecompressionStream]) {
  for (const name of ['readable', 'writable']) Object.defineProperty(Class.prototype, name, { enumerable: true });
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { __proto__: null, configurable: true, value: Class.name });
}

module.exports = { CompressionStream, DecompressionStream };
