'use strict';
// The module `buffer`: Buffer's factory functions, and lazy access to Blob, File, transcode, atob and btoa.

const {
  ERR_BUFFER_OUT_OF_BOUNDS,
  ERR_INVALID_ARG_TYPE,
  ERR_MISSING_ARGS,
  ERR_UNKNOWN_ENCODING,
} = require('internal/errors');
const { validateArray, validateInteger, validateNumber } = require('internal/validators');
const { isAnyArrayBuffer } = require('internal/util/types');
const encodings = require('internal/buffer/encodings');
const {
  Buffer, FastBuffer, allocate, fromArrayLike, fromStringFast, isUint8Array, kMaxLength, kStringMaxLength,
  typedArrayTag,
} = require('internal/buffer/making');
const methods = require('internal/buffer/methods');
const numbers = require('internal/buffer/numbers');

const { operationsOf, utf8 } = encodings;

const constants = Object.defineProperties({}, {
  MAX_LENGTH: { __proto__: null, enumerable: true, value: kMaxLength },
  MAX_STRING_LENGTH: { __proto__: null, enumerable: true, value: kStringMaxLength },
});

const isView = ArrayBuffer.isView;
const { fill: typedFill, slice: typedSlice } = Object.getPrototypeOf(Uint8Array).prototype;

numbers.addTo(Buffer.prototype);

Buffer.from = function from(value, encodingOrOffset, length) {
  if (typeof value === 'string') return fromString(value, encodingOrOffset);
  if (typeof value === 'object' && value !== null) {
    if (isAnyArrayBuffer(value)) return fromArrayBuffer(value, encodingOrOffset, length);
    const plain = value.valueOf && value.valueOf();
    if (plain != null && plain !== value && (typeof plain === 'string' || typeof plain === 'object')) {
      return from(plain, encodingOrOffset, length);
    }
    const buffer = fromObject(value);
    if (buffer) return buffer;
    if (typeof value[Symbol.toPrimitive] === 'function') {
      const primitive = value[Symbol.toPrimitive]('string');
      if (typeof primitive === 'string') return fromString(primitive, encodingOrOffset);
    }
  }
  throw new ERR_INVALID_ARG_TYPE(
    'first argument', ['string', 'Buffer', 'ArrayBuffer', 'Array', 'Array-like Object'], value);
};

function fromString(string, encoding) {
  let ops;
  if (typeof encoding !== 'string' || encoding.length === 0) {
    if (string.length === 0) return new FastBuffer();
    ops = utf8;
  } else {
    ops = operationsOf(encoding);
    if (ops === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
    if (string.length === 0) return new FastBuffer();
  }
  return fromStringFast(string, ops);
}

function fromArrayBuffer(source, byteOffset, length) {
  if (byteOffset === undefined) {
    byteOffset = 0;
  } else {
    byteOffset = +byteOffset;
    if (Number.isNaN(byteOffset)) byteOffset = 0;
  }
  const maxLength = source.byteLength - byteOffset;
  if (maxLength < 0) throw new ERR_BUFFER_OUT_OF_BOUNDS('offset');
  // Without a length, the buffer tracks the size of a resizable ArrayBuffer (`lib/buffer.js: fromArrayBuffer`).
  if (length !== undefined) {
    length = +length;
    if (length > 0) {
      if (length > maxLength) throw new ERR_BUFFER_OUT_OF_BOUNDS('length');
    } else {
      length = 0;
    }
  }
  return new FastBuffer(source, byteOffset, length);
}

function fromObject(source) {
  if (source.length !== undefined || isAnyArrayBuffer(source.buffer)) {
    if (typeof source.length !== 'number') return new FastBuffer();
    return fromArrayLike(source);
  }
  if (source.type === 'Buffer' && Array.isArray(source.data)) return fromArrayLike(source.data);
}

Buffer.copyBytesFrom = function copyBytesFrom(view, offset, length) {
  if (!typedArrayTag.call(view)) throw new ERR_INVALID_ARG_TYPE('view', ['TypedArray'], view);
  const viewLength = view.length;
  if (viewLength === 0) return new FastBuffer();
  if (offset !== undefined || length !== undefined) {
    if (offset !== undefined) {
      validateInteger(offset, 'offset', 0);
      if (offset >= viewLength) return new FastBuffer();
    } else {
      offset = 0;
    }
    let end;
    if (length !== undefined) {
      validateInteger(length, 'length', 0);
      end = offset + length;
    } else {
      end = viewLength;
    }
    view = typedSlice.call(view, offset, end);
  }
  return fromArrayLike(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
};

Buffer.of = function of(...items) {
  const buffer = allocate(items.length);
  for (let k = 0; k < items.length; k++) buffer[k] = items[k];
  return buffer;
};

function validateSize(size) {
  if (typeof size !== 'number' || !(size >= 0 && size <= kMaxLength)) validateNumber(size, 'size', 0, kMaxLength);
}

Buffer.alloc = function alloc(size, fill, encoding) {
  validateSize(size);
  const buffer = new FastBuffer(size);
  if (fill !== undefined && fill !== 0 && size > 0) return methods.fillBuffer(buffer, fill, 0, buffer.length, encoding);
  return buffer;
};

Buffer.allocUnsafe = function allocUnsafe(size) {
  validateSize(size);
  return allocate(size);
};

Buffer.allocUnsafeSlow = function allocUnsafeSlow(size) {
  validateSize(size);
  return new FastBuffer(size);
};

function SlowBuffer(size) {
  validateSize(size);
  return new FastBuffer(size);
}
Object.setPrototypeOf(SlowBuffer.prototype, Uint8Array.prototype);
Object.setPrototypeOf(SlowBuffer, Uint8Array);

Buffer.isBuffer = function isBuffer(value) {
  return value instanceof Buffer;
};

Buffer.compare = function compare(buf1, buf2) {
  if (!isUint8Array(buf1)) throw new ERR_INVALID_ARG_TYPE('buf1', ['Buffer', 'Uint8Array'], buf1);
  if (!isUint8Array(buf2)) throw new ERR_INVALID_ARG_TYPE('buf2', ['Buffer', 'Uint8Array'], buf2);
  return buf1 === buf2 ? 0 : native.compare(buf1, buf2);
};

Buffer.isEncoding = function isEncoding(encoding) {
  return typeof encoding === 'string' && encoding.length !== 0 && operationsOf(encoding) !== undefined;
};

// Code that lists the properties of Buffer sees this one in Node (`lib/buffer.js`).
Buffer[Symbol('kIsEncodingSymbol')] = Buffer.isEncoding;

Buffer.concat = function concat(list, length) {
  validateArray(list, 'list');
  if (list.length === 0) return new FastBuffer();
  if (length === undefined) {
    length = 0;
    for (let i = 0; i < list.length; i++) {
      if (list[i].length) length += list[i].length;
    }
  } else {
    validateInteger(length, 'length', 0, kMaxLength);
  }
  const buffer = allocate(length);
  let at = 0;
  for (let i = 0; i < list.length; i++) {
    const part = list[i];
    if (!isUint8Array(part)) throw new ERR_INVALID_ARG_TYPE(`list[${i}]`, ['Buffer', 'Uint8Array'], list[i]);
    at += native.copy(part, buffer, at, 0, part.length);
  }
  // Clear the rest: it is uninitialized memory, and may contain old data of the pool.
  if (at < length) typedFill.call(buffer, 0, at, length);
  return buffer;
};

function byteLength(string, encoding) {
  if (typeof string !== 'string') {
    if (isView(string) || isAnyArrayBuffer(string)) return string.byteLength;
    throw new ERR_INVALID_ARG_TYPE('string', ['string', 'Buffer', 'ArrayBuffer'], string);
  }
  if (string.length === 0) return 0;
  const ops = encoding ? operationsOf(encoding) : utf8;
  return (ops ?? utf8).byteLength(string);
}
Buffer.byteLength = byteLength;

function addGetter(name, { get }) {
  // This module may be evaluated twice: again with the original builtins, if a script has replaced some that it needs. Then the getter exists
  // already.
  if (Object.hasOwn(Buffer.prototype, name)) return;
  Object.defineProperty(Buffer.prototype, name, { __proto__: null, enumerable: true, get });
}
addGetter('parent', { get() { return this instanceof Buffer ? this.buffer : undefined; } });
addGetter('offset', { get() { return this instanceof Buffer ? this.byteOffset : undefined; } });

encodings.addTo(Buffer.prototype);
methods.addTo(Buffer.prototype);

// ---- Loaded lazily

const conversions = () => require('internal/buffer/conversions');

function transcode(source, fromEncoding, toEncoding) {
  return conversions().transcode(source, fromEncoding, toEncoding);
}

function isUtf8(input) {
  return conversions().isUtf8(input);
}

function isAscii(input) {
  return conversions().isAscii(input);
}

function btoa(input) {
  if (arguments.length === 0) throw new ERR_MISSING_ARGS('input');
  return conversions().btoa(input);
}

function atob(input) {
  if (arguments.length === 0) throw new ERR_MISSING_ARGS('input');
  return conversions().atob(input);
}

module.exports = {
  Buffer,
  SlowBuffer,
  transcode,
  isUtf8,
  isAscii,
  kMaxLength,
  kStringMaxLength,
  btoa,
  atob,
};

Object.defineProperties(module.exports, {
  constants: { __proto__: null, configurable: false, enumerable: true, value: constants },
  INSPECT_MAX_BYTES: {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() { return methods.shown.maxBytes; },
    set(value) {
      validateNumber(value, 'INSPECT_MAX_BYTES', 0);
      methods.shown.maxBytes = value;
    },
  },
});
for (const name of ['Blob', 'resolveObjectURL', 'File']) {
  Object.defineProperty(module.exports, name, {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get() { return require('internal/blob')[name]; },
  });
}
