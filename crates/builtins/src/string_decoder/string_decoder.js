'use strict';
// The module `string_decoder`: decodes chunks to strings and keeps the bytes of an incomplete character for the next
// chunk.

const { Buffer } = require('buffer');
const { ERR_INVALID_ARG_TYPE, ERR_INVALID_THIS, ERR_UNKNOWN_ENCODING } = require('internal/errors');

const names = {
  __proto__: null,
  'utf8': 'utf8', 'utf-8': 'utf8', 'ucs2': 'utf16le', 'ucs-2': 'utf16le', 'utf16le': 'utf16le', 'utf-16le': 'utf16le',
  'latin1': 'latin1', 'binary': 'latin1', 'base64': 'base64', 'base64url': 'base64url', 'ascii': 'ascii', 'hex': 'hex',
};

const kHeld = Symbol('kHeld');
const kMissing = Symbol('kMissing');

function StringDecoder(encoding) {
  let name;
  if (encoding === undefined || encoding === null || encoding === '') {
    name = 'utf8';
  } else if (typeof encoding === 'string' || encoding instanceof String) {
    name = names[encoding] ?? names[encoding.toLowerCase()];
  }
  if (name === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
  this.encoding = name;
  Object.defineProperty(this, kHeld, { __proto__: null, value: Buffer.alloc(0), writable: true });
  Object.defineProperty(this, kMissing, { __proto__: null, value: 0, writable: true });
}

// Per encoding: the number of trailing bytes of an incomplete character, and the number of bytes missing: [held,
// missing].
const tails = {
  __proto__: null,
  utf8(bytes) {
    const limit = Math.min(4, bytes.length);
    for (let held = 1; held <= limit; held++) {
      const byte = bytes[bytes.length - held];
      if ((byte & 0xC0) === 0x80) continue;
      const size = (byte & 0xE0) === 0xC0 ? 2 : (byte & 0xF0) === 0xE0 ? 3 : (byte & 0xF8) === 0xF0 ? 4 : 0;
      return held < size ? [held, size - held] : [0, 0];
    }
    return [0, 0];
  },
  utf16le(bytes) {
    if (bytes.length & 1) return [1, 1];
    // A high surrogate waits for its low surrogate.
    return (bytes[bytes.length - 1] & 0xFC) === 0xD8 ? [2, 2] : [0, 0];
  },
  base64(bytes) {
    const over = bytes.length % 3;
    return over ? [over, 3 - over] : [0, 0];
  },
};
tails.base64url = tails.base64;

StringDecoder.prototype.write = function write(buf) {
  if (typeof buf === 'string') return buf;
  if (!ArrayBuffer.isView(buf)) {
    throw new ERR_INVALID_ARG_TYPE('buf', ['Buffer', 'TypedArray', 'DataView'], buf);
  }
  let bytes = Buffer.isBuffer(buf) ? buf : Buffer.from(buf.buffer, buf.byteOffset, buf.byteLength);
  if (this[kHeld] === undefined) throw new ERR_INVALID_THIS('StringDecoder');
  const tail = tails[this.encoding];
  if (tail === undefined) return bytes.toString(this.encoding);
  if (bytes.length === 0) return '';
  let before = '';
  if (this[kHeld].length > 0) {
    if (this.encoding === 'utf8') {
      bytes = Buffer.concat([this[kHeld], bytes]);
    } else {
      // Once complete, the pending character is decoded separately from the rest.
      const taken = bytes.subarray(0, this[kMissing]);
      this[kHeld] = Buffer.concat([this[kHeld], taken]);
      this[kMissing] -= taken.length;
      if (this[kMissing] > 0) return '';
      before = this[kHeld].toString(this.encoding);
      bytes = bytes.subarray(taken.length);
    }
  }
  const [held, missing] = tail(bytes);
  const end = bytes.length - held;
  this[kHeld] = held > 0 ? Buffer.from(bytes.subarray(end)) : Buffer.alloc(0);
  this[kMissing] = missing;
  return before + bytes.toString(this.encoding, 0, end);
};

StringDecoder.prototype.end = function end(buf) {
  const text = buf === undefined ? '' : this.write(buf);
  const held = this[kHeld];
  this[kHeld] = Buffer.alloc(0);
  this[kMissing] = 0;
  return held.length > 0 ? text + held.toString(this.encoding) : text;
};

// Undocumented legacy method: discards the pending bytes and decodes from `offset`.
StringDecoder.prototype.text = function text(buf, offset) {
  this[kHeld] = Buffer.alloc(0);
  this[kMissing] = 0;
  return this.write(buf.slice(offset));
};

Object.defineProperties(StringDecoder.prototype, {
  lastChar: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() {
      const last = Buffer.alloc(4);
      this[kHeld].copy(last);
      return last;
    },
  },
  lastNeed: { __proto__: null, configurable: true, enumerable: true, get() { return this[kMissing]; } },
  lastTotal: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() { return this[kHeld].length + this[kMissing]; },
  },
});

module.exports = { StringDecoder };
