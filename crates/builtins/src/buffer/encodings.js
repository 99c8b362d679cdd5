'use strict';
// The operations of each Buffer encoding, and the methods for single encodings (`utf8Slice` and others), which packages call directly.

const { ERR_BUFFER_OUT_OF_BOUNDS } = require('internal/errors');

// `write` takes (buffer, string, offset, length); `slice` takes (buffer, start, end).
const utf8 = {
  encoding: 'utf8', byteLength: native.utf8ByteLength, write: native.utf8Write, slice: native.utf8Slice, step: 1,
};
const ucs2 = {
  encoding: 'utf16le', byteLength: (string) => string.length * 2, write: native.ucs2Write, slice: native.ucs2Slice, step: 2,
};
const latin1 = {
  encoding: 'latin1', byteLength: (string) => string.length, write: native.latin1Write, slice: native.latin1Slice, step: 1,
};
const ascii = {
  encoding: 'ascii', byteLength: (string) => string.length, write: native.latin1Write, slice: native.asciiSlice, step: 1,
};
const base64 = {
  encoding: 'base64', byteLength: (string) => base64ByteLength(string, string.length),
  write: native.base64Write, slice: native.base64Slice, step: 1,
};
const base64url = {
  encoding: 'base64url', byteLength: (string) => base64ByteLength(string, string.length),
  write: native.base64Write, slice: native.base64urlSlice, step: 1,
};
const hex = {
  encoding: 'hex', byteLength: (string) => string.length >>> 1, write: native.hexWrite, slice: native.hexSlice, step: 1,
};

const operations = {
  __proto__: null,
  utf8, 'utf-8': utf8, ucs2, 'ucs-2': ucs2, utf16le: ucs2, 'utf-16le': ucs2, latin1, binary: latin1,
  ascii, base64, base64url, hex,
};

function operationsOf(encoding) {
  // Fast path: most callers pass the name in lower case, so that no string is created.
  const known = typeof encoding === 'string' ? operations[encoding] : undefined;
  return known ?? operations[`${encoding}`.toLowerCase()];
}

function base64ByteLength(string, length) {
  let bytes = length;
  if (string.charCodeAt(bytes - 1) === 0x3D) bytes--;
  if (bytes > 1 && string.charCodeAt(bytes - 1) === 0x3D) bytes--;
  return (bytes * 3) >>> 2;
}

// Node throws this error from C++ (`src/node_buffer.cc: THROW_AND_RETURN_IF_OOB`), with another message than its JavaScript.
function outOfRange() {
  const error = new RangeError('Index out of range');
  error.code = 'ERR_OUT_OF_RANGE';
  return error;
}

function notAString() {
  const error = new TypeError('argument must be a string');
  error.code = 'ERR_INVALID_ARG_TYPE';
  return error;
}

function addTo(prototype) {
  for (const [name, ops] of Object.entries({ ascii, base64, base64url, latin1, hex, ucs2, utf8 })) {
    const { slice, write } = ops;
    prototype[`${name}Slice`] = function(start = 0, end = this.length) {
      start = Math.trunc(start) || 0;
      end = Math.trunc(end) || 0;
      if (start < 0 || end < 0 || Math.max(start, end) > this.length) throw outOfRange();
      return slice(this, start, Math.max(start, end));
    };
    prototype[`${name}Write`] = function(string, offset = 0, length = this.length - offset) {
      if (typeof string !== 'string') throw notAString();
      if (offset < 0 || offset > this.length) throw new ERR_BUFFER_OUT_OF_BOUNDS('offset');
      if (length < 0) throw new ERR_BUFFER_OUT_OF_BOUNDS('length');
      return write(this, string, +offset, +length);
    };
  }
}

module.exports = { addTo, ascii, latin1, notAString, operationsOf, ucs2, utf8 };
