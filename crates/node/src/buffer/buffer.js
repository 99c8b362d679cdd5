'use strict';
// `buffer`: Buffer, transcode, atob, btoa, and the doors to Blob and File.

const process = require('process');
const {
  ERR_BUFFER_OUT_OF_BOUNDS,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_INVALID_BUFFER_SIZE,
  ERR_MISSING_ARGS,
  ERR_OUT_OF_RANGE,
  ERR_STRING_TOO_LONG,
  ERR_UNKNOWN_ENCODING,
} = require('internal/errors');
const { validateArray, validateBuffer, validateInteger, validateNumber, validateString } = require('internal/validators');
const { kUntransferable } = require('internal/clone_symbols');
const numbers = require('internal/buffer/numbers');

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const kMaxLength = Number.MAX_SAFE_INTEGER;
const kStringMaxLength = 0x1fffffe8;
const constants = Object.defineProperties({}, {
  MAX_LENGTH: { __proto__: null, enumerable: true, value: kMaxLength },
  MAX_STRING_LENGTH: { __proto__: null, enumerable: true, value: kStringMaxLength },
});

const TypedArray = Object.getPrototypeOf(Uint8Array);
const typedArrayTag = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
const typedIndexOf = TypedArray.prototype.indexOf;
const typedLastIndexOf = TypedArray.prototype.lastIndexOf;
const typedFill = TypedArray.prototype.fill;
const { isView } = ArrayBuffer;

const isUint8Array = (value) => typedArrayTag.call(value) === 'Uint8Array';
const { isAnyArrayBuffer } = require('internal/util/types');

class FastBuffer extends Uint8Array {}

function Buffer(arg, encodingOrOffset, length) {
  warnOfConstructor();
  if (typeof arg === 'number') {
    if (typeof encodingOrOffset === 'string') throw new ERR_INVALID_ARG_TYPE('string', 'string', arg);
    return Buffer.alloc(arg);
  }
  return Buffer.from(arg, encodingOrOffset, length);
}

Object.defineProperty(Buffer, Symbol.species, {
  __proto__: null,
  configurable: true,
  enumerable: false,
  get() { return FastBuffer; },
});
Object.setPrototypeOf(Buffer, Uint8Array);
Buffer.prototype = FastBuffer.prototype;
FastBuffer.prototype.constructor = Buffer;
numbers.addTo(Buffer.prototype);

let constructorWarned = false;
function warnOfConstructor() {
  if (constructorWarned) return;
  // Packages are let off: their users cannot mend them.
  const caller = new Error().stack?.split('\n').find((line) => line.includes('/') && !line.includes('node:'));
  if (caller?.includes('/node_modules/')) return;
  constructorWarned = true;
  process.emitWarning('Buffer() is deprecated due to security and usability issues. Please use the Buffer.alloc(), ' +
    'Buffer.allocUnsafe(), or Buffer.from() methods instead.', 'DeprecationWarning', 'DEP0005');
}

// The pool: small buffers share one array buffer, each at an offset that is a multiple of eight.
Buffer.poolSize = 8 * 1024;
let pool;
let poolBytes;
let poolSize = 0;
let poolOffset = 0;

function createPool() {
  poolSize = Buffer.poolSize;
  pool = new ArrayBuffer(poolSize);
  poolBytes = new Uint8Array(pool);
  // Whoever moved it away would take everybody's buffers along.
  Object.defineProperty(pool, kUntransferable, { __proto__: null, value: true });
  poolOffset = 0;
}

function alignPool() {
  if (poolOffset & 7) poolOffset = (poolOffset | 7) + 1;
}

function allocate(size) {
  if (size <= 0) return new FastBuffer();
  if (size < (Buffer.poolSize >>> 1)) {
    if (size > poolSize - poolOffset) createPool();
    const buffer = new FastBuffer(pool, poolOffset, size);
    poolOffset += size;
    alignPool();
    return buffer;
  }
  return new FastBuffer(size);
}

// What each encoding can do. `write` takes (buffer, string, offset, length); `slice` takes (buffer, start, end).
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
  // Most callers name it as it is written here, and then no string need be made.
  const known = typeof encoding === 'string' ? operations[encoding] : undefined;
  return known ?? operations[`${encoding}`.toLowerCase()];
}

function base64ByteLength(string, length) {
  let bytes = length;
  if (string.charCodeAt(bytes - 1) === 0x3D) bytes--;
  if (bytes > 1 && string.charCodeAt(bytes - 1) === 0x3D) bytes--;
  return (bytes * 3) >>> 2;
}

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

function fromStringFast(string, ops) {
  const maxInPool = Buffer.poolSize >>> 1;
  // No code unit is more than three bytes: a short text is written first and measured by that.
  const most = string.length * 3;
  if (ops === utf8 && most < maxInPool && most <= poolSize - poolOffset) {
    const written = native.utf8Write(poolBytes, string, poolOffset, most);
    const buffer = new FastBuffer(pool, poolOffset, written);
    poolOffset += written;
    alignPool();
    return buffer;
  }
  const length = ops.byteLength(string);
  if (length >= maxInPool) {
    if (ops === utf8) return new FastBuffer(native.utf8Encode(string));
    const buffer = new FastBuffer(length);
    const written = ops.write(buffer, string, 0, length);
    return written === length ? buffer : new FastBuffer(buffer.buffer.slice(0, written));
  }
  if (length > poolSize - poolOffset) createPool();
  let buffer = new FastBuffer(pool, poolOffset, length);
  const written = ops.write(buffer, string, 0, length);
  // Base64 and hex may turn out shorter than their length says.
  if (written !== length) buffer = new FastBuffer(pool, poolOffset, written);
  poolOffset += written;
  alignPool();
  return buffer;
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
  // As Node: without a length, a buffer follows one that is resized.
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

function fromArrayLike(source) {
  if (source.length <= 0) return new FastBuffer();
  if (source.length < (Buffer.poolSize >>> 1)) {
    if (source.length > poolSize - poolOffset) createPool();
    const buffer = new FastBuffer(pool, poolOffset, source.length);
    buffer.set(source, 0);
    poolOffset += source.length;
    alignPool();
    return buffer;
  }
  return new FastBuffer(source);
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
    view = TypedArray.prototype.slice.call(view, offset, end);
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
  if (fill !== undefined && fill !== 0 && size > 0) return fillBuffer(buffer, fill, 0, buffer.length, encoding);
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

// Seen by whoever lists the properties of Buffer.
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
    validateOffset(length, 'length');
  }
  const buffer = allocate(length);
  let at = 0;
  for (let i = 0; i < list.length; i++) {
    const part = list[i];
    if (!isUint8Array(part)) throw new ERR_INVALID_ARG_TYPE(`list[${i}]`, ['Buffer', 'Uint8Array'], list[i]);
    at += native.copy(part, buffer, at, 0, part.length);
  }
  // The tail is the pool's old memory, or the caller's length was too long: never show what was there.
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

Object.defineProperty(Buffer.prototype, 'parent', {
  __proto__: null,
  enumerable: true,
  get() { return this instanceof Buffer ? this.buffer : undefined; },
});
Object.defineProperty(Buffer.prototype, 'offset', {
  __proto__: null,
  enumerable: true,
  get() { return this instanceof Buffer ? this.byteOffset : undefined; },
});

function define(name, method) {
  Buffer.prototype[name] = method;
}

// The per-encoding methods, which packages call directly.
for (const [name, ops] of Object.entries({ ascii, base64, base64url, latin1, hex, ucs2, utf8 })) {
  const { slice, write } = ops;
  define(`${name}Slice`, function(start = 0, end = this.length) {
    start = Math.trunc(start) || 0;
    end = Math.trunc(end) || 0;
    if (start < 0 || end < 0 || Math.max(start, end) > this.length) throw outOfRange();
    return slice(this, start, Math.max(start, end));
  });
  define(`${name}Write`, function(string, offset = 0, length = this.length - offset) {
    if (typeof string !== 'string') throw notAString();
    if (offset < 0 || offset > this.length) throw new ERR_BUFFER_OUT_OF_BOUNDS('offset');
    if (length < 0) throw new ERR_BUFFER_OUT_OF_BOUNDS('length');
    return write(this, string, +offset, +length);
  });
}

// Node's own says these from C++, in other words than its JavaScript would.
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

function toInteger(number, otherwise) {
  number = +number;
  if (!Number.isNaN(number) && number >= Number.MIN_SAFE_INTEGER && number <= Number.MAX_SAFE_INTEGER) {
    return number % 1 === 0 ? number : Math.floor(number);
  }
  return otherwise;
}

function validateOffset(value, name, min = 0, max = kMaxLength) {
  validateInteger(value, name, min, max);
}

define('copy', function copy(target, targetStart, sourceStart, sourceEnd) {
  if (!isView(this)) throw new ERR_INVALID_ARG_TYPE('source', ['Buffer', 'Uint8Array'], this);
  if (!isView(target)) throw new ERR_INVALID_ARG_TYPE('target', ['Buffer', 'Uint8Array'], target);
  if (targetStart === undefined) {
    targetStart = 0;
  } else {
    targetStart = toInteger(targetStart, 0);
    if (targetStart < 0) throw new ERR_OUT_OF_RANGE('targetStart', '>= 0', targetStart);
  }
  if (sourceStart === undefined) {
    sourceStart = 0;
  } else {
    sourceStart = toInteger(sourceStart, 0);
    if (sourceStart < 0 || sourceStart > this.byteLength) {
      throw new ERR_OUT_OF_RANGE('sourceStart', `>= 0 && <= ${this.byteLength}`, sourceStart);
    }
  }
  if (sourceEnd === undefined) {
    sourceEnd = this.byteLength;
  } else {
    sourceEnd = toInteger(sourceEnd, 0);
    if (sourceEnd < 0) throw new ERR_OUT_OF_RANGE('sourceEnd', '>= 0', sourceEnd);
  }
  if (targetStart >= target.byteLength || sourceStart >= sourceEnd) return 0;
  return native.copy(asBytes(this), asBytes(target), targetStart, sourceStart, sourceEnd - sourceStart);
});

// A DataView has no elements; the verbs take views that have.
function asBytes(view) {
  return typedArrayTag.call(view) === undefined ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : view;
}

define('toString', function toString(encoding, start, end) {
  if (arguments.length === 0) return slice(utf8, this, 0, this.length);
  const length = this.length;
  if (start <= 0) start = 0;
  else if (start >= length) return '';
  else start = Math.trunc(start) || 0;
  if (end === undefined || end >= length) end = length;
  else end = Math.trunc(end) || 0;
  if (end <= start) return '';
  if (encoding === undefined) return slice(utf8, this, start, end);
  const ops = operationsOf(encoding);
  if (ops === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
  return slice(ops, this, start, end);
});

function slice(ops, buffer, start, end) {
  if (end - start > kStringMaxLength) throw new ERR_STRING_TOO_LONG();
  return ops.slice(buffer, start, end);
}

define('equals', function equals(otherBuffer) {
  if (!isUint8Array(otherBuffer)) {
    throw new ERR_INVALID_ARG_TYPE('otherBuffer', ['Buffer', 'Uint8Array'], otherBuffer);
  }
  if (this === otherBuffer) return true;
  return this.byteLength === otherBuffer.byteLength && native.equals(this, otherBuffer);
});

let inspectMaxBytes = 50;

define(inspectSymbol, function inspect(recurseTimes, ctx) {
  const max = inspectMaxBytes;
  const remaining = this.length - max;
  let text = native.hexSlice(this, 0, Math.min(max, this.length)).replace(/(.{2})/g, '$1 ').trim();
  if (remaining > 0) text += ` ... ${remaining} more byte${remaining > 1 ? 's' : ''}`;
  if (ctx) {
    // Properties that somebody hung on the buffer are shown after its bytes.
    let extras = false;
    const own = { __proto__: null };
    for (const key of Reflect.ownKeys(this).slice(this.length)) {
      if (!ctx.showHidden && !Object.prototype.propertyIsEnumerable.call(this, key)) continue;
      extras = true;
      own[key] = this[key];
    }
    if (extras) {
      if (this.length !== 0) text += ', ';
      const shown = require('internal/util/inspect').inspect(own, { ...ctx, breakLength: Infinity, compact: true });
      text += shown.slice('[Object: null prototype] { '.length, -2);
    }
  }
  let constructorName = 'Buffer';
  try {
    const { constructor } = this;
    if (typeof constructor === 'function' && Object.hasOwn(constructor, 'name')) constructorName = constructor.name;
  } catch { /* a getter that throws does not stop the showing */ }
  return `<${constructorName} ${text}>`;
});
Buffer.prototype.inspect = Buffer.prototype[inspectSymbol];

define('compare', function compare(target, targetStart, targetEnd, sourceStart, sourceEnd) {
  if (!isUint8Array(target)) throw new ERR_INVALID_ARG_TYPE('target', ['Buffer', 'Uint8Array'], target);
  if (arguments.length === 1) return native.compare(this, target);
  if (targetStart === undefined) targetStart = 0;
  else validateOffset(targetStart, 'targetStart');
  if (targetEnd === undefined) targetEnd = target.length;
  else validateOffset(targetEnd, 'targetEnd', 0, target.length);
  if (sourceStart === undefined) sourceStart = 0;
  else validateOffset(sourceStart, 'sourceStart');
  if (sourceEnd === undefined) sourceEnd = this.length;
  else validateOffset(sourceEnd, 'sourceEnd', 0, this.length);
  if (sourceStart >= sourceEnd) return targetStart >= targetEnd ? 0 : -1;
  if (targetStart >= targetEnd) return 1;
  return native.compare(window(this, sourceStart, sourceEnd), window(target, targetStart, targetEnd));
});

const window = (view, start, end) => new Uint8Array(view.buffer, view.byteOffset + start, end - start);

// Where a search begins, as Node's: a negative offset counts from the end; -1 means that nothing can be found.
function searchStart(length, offset, needleLength, forward) {
  if (offset < 0) {
    if (offset + length >= 0) return length + offset;
    return forward || needleLength === 0 ? 0 : -1;
  }
  if (offset + needleLength <= length) return offset;
  if (needleLength === 0) return length;
  return forward ? -1 : length - 1;
}

function search(buffer, value, byteOffset, encoding, forward) {
  validateBuffer(buffer);
  if (typeof byteOffset === 'string') {
    encoding = byteOffset;
    byteOffset = undefined;
  } else if (byteOffset > 0x7fffffff) {
    byteOffset = 0x7fffffff;
  } else if (byteOffset < -0x80000000) {
    byteOffset = -0x80000000;
  }
  byteOffset = Math.trunc(+byteOffset);
  const length = buffer.byteLength;
  if (Number.isNaN(byteOffset)) byteOffset = forward ? 0 : length;
  if (typeof value === 'number') {
    const start = searchStart(length, byteOffset, 1, forward);
    if (start < 0 || length === 0) return -1;
    return (forward ? typedIndexOf : typedLastIndexOf).call(buffer, (value >>> 0) & 255, start);
  }
  const ops = encoding === undefined ? utf8 : operationsOf(encoding);
  let needle;
  if (typeof value === 'string') {
    if (ops === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
    // As Node: a needle keeps its lone surrogates, so that they match no U+FFFD.
    needle = ops === utf8 ? new Uint8Array(native.wtf8Encode(value)) : fromStringFast(value, ops);
  } else if (isUint8Array(value)) {
    needle = value;
  } else {
    throw new ERR_INVALID_ARG_TYPE('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
  }
  return searchBytes(buffer, needle, byteOffset, forward, ops === ucs2);
}

function searchBytes(buffer, needle, byteOffset, forward, wide) {
  const length = buffer.byteLength;
  let start = searchStart(length, byteOffset, needle.length, forward);
  if (needle.length === 0) return start;
  if (length === 0 || start < 0 || needle.length > length || (forward && needle.length + start > length)) return -1;
  if (wide) {
    // Whole code units only, on both sides.
    if (length < 2 || needle.length < 2) return -1;
    buffer = window(buffer, 0, length & ~1);
    needle = window(needle, 0, needle.length & ~1);
    start &= ~1;
  }
  return native.indexOf(buffer, needle, start, forward, wide ? 2 : 1);
}

define('indexOf', function indexOf(value, byteOffset, encoding) {
  return search(this, value, byteOffset, encoding, true);
});
define('lastIndexOf', function lastIndexOf(value, byteOffset, encoding) {
  return search(this, value, byteOffset, encoding, false);
});
define('includes', function includes(value, byteOffset, encoding) {
  return search(this, value, byteOffset, encoding, true) !== -1;
});

define('fill', function fill(value, offset, end, encoding) {
  return fillBuffer(this, value, offset, end, encoding);
});

function fillBuffer(buffer, value, offset, end, encoding) {
  let ops;
  if (typeof value === 'string') {
    if (offset === undefined || typeof offset === 'string') {
      encoding = offset;
      offset = 0;
      end = buffer.length;
    } else if (typeof end === 'string') {
      encoding = end;
      end = buffer.length;
    }
    if (encoding === undefined || encoding === null || encoding === '') ops = utf8;
    else if (encoding.length !== undefined) ops = operationsOf(encoding);
    if (ops === undefined) {
      validateString(encoding, 'encoding');
      throw new ERR_UNKNOWN_ENCODING(encoding);
    }
    if (value.length === 0) {
      value = 0;
    } else if (value.length === 1) {
      const code = value.charCodeAt(0);
      if ((ops === utf8 && code < 128) || ops === latin1) value = code;
    }
  }
  if (offset === undefined) {
    offset = 0;
    end = buffer.length;
  } else {
    validateOffset(offset, 'offset');
    if (end === undefined) end = buffer.length;
    else validateOffset(end, 'end', 0, buffer.length);
    if (offset >= end) return buffer;
  }
  if (typeof value === 'string') {
    value = fromStringFast(value, ops);
  } else if (!isView(value)) {
    typedFill.call(buffer, typeof value === 'number' ? value : value & 255, offset, end);
    return buffer;
  }
  if (value.byteLength === 0) throw new ERR_INVALID_ARG_VALUE('value', arguments[1]);
  native.fill(buffer, asBytes(value), offset, end);
  return buffer;
}

define('write', function write(string, offset, length, encoding) {
  if (offset === undefined && typeof string === 'string') return native.utf8Write(this, string, 0, this.length);
  if (offset === undefined) throw notAString();
  if (length === undefined && typeof offset === 'string') {
    encoding = offset;
    length = this.length;
    offset = 0;
  } else {
    validateOffset(offset, 'offset', 0, this.length);
    const remaining = this.length - offset;
    if (length === undefined) {
      length = remaining;
    } else if (typeof length === 'string') {
      encoding = length;
      length = remaining;
    } else {
      validateOffset(length, 'length', 0, this.length);
      if (length > remaining) length = remaining;
    }
  }
  const ops = encoding ? operationsOf(encoding) : utf8;
  if (ops === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
  if (typeof string !== 'string') throw notAString();
  return ops.write(this, string, offset, length);
});

define('toJSON', function toJSON() {
  return { type: 'Buffer', data: Array.prototype.slice.call(this) };
});

function adjustOffset(offset, length) {
  offset = Math.trunc(offset);
  if (offset === 0 || Number.isNaN(offset)) return 0;
  if (offset < 0) {
    offset += length;
    return offset > 0 ? offset : 0;
  }
  return offset < length ? offset : length;
}

define('subarray', function subarray(start, end) {
  const length = this.length;
  start = adjustOffset(start, length);
  end = end !== undefined ? adjustOffset(end, length) : length;
  return new FastBuffer(this.buffer, this.byteOffset + start, end > start ? end - start : 0);
});
define('slice', function slice(start, end) {
  return this.subarray(start, end);
});

define('swap16', function swap16() {
  if (this.length % 2 !== 0) throw new ERR_INVALID_BUFFER_SIZE('16-bits');
  native.swap16(this);
  return this;
});
define('swap32', function swap32() {
  if (this.length % 4 !== 0) throw new ERR_INVALID_BUFFER_SIZE('32-bits');
  native.swap32(this);
  return this;
});
define('swap64', function swap64() {
  if (this.length % 8 !== 0) throw new ERR_INVALID_BUFFER_SIZE('64-bits');
  native.swap64(this);
  return this;
});
Buffer.prototype.toLocaleString = Buffer.prototype.toString;

function transcode(source, fromEncoding, toEncoding) {
  if (!isUint8Array(source)) throw new ERR_INVALID_ARG_TYPE('source', ['Buffer', 'Uint8Array'], source);
  if (source.length === 0) return Buffer.alloc(0);
  const transcodable = (encoding) => {
    const ops = operationsOf(encoding);
    return ops === utf8 || ops === ucs2 || ops === latin1 || ops === ascii ? ops : undefined;
  };
  const from = transcodable(fromEncoding);
  const to = transcodable(toEncoding);
  if (from === undefined || to === undefined) {
    const error = new Error('Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]');
    error.code = 'U_ILLEGAL_ARGUMENT_ERROR';
    error.errno = 1;
    throw error;
  }
  const text = (from === ascii ? latin1 : from).slice(source, 0, source.length);
  if (to === utf8 || to === ucs2) return fromStringFast(text, to);
  // What the narrow encodings lack becomes a question mark, a surrogate pair one of them.
  const limit = to === ascii ? 0x7f : 0xff;
  let narrow = '';
  for (const character of text) narrow += character.codePointAt(0) > limit ? '?' : character;
  return fromStringFast(narrow, latin1);
}

function viewOf(input) {
  if (isView(input) && !(input instanceof DataView)) return asBytes(input);
  if (isAnyArrayBuffer(input)) return new Uint8Array(input);
  throw new ERR_INVALID_ARG_TYPE('input', ['ArrayBuffer', 'Buffer', 'TypedArray'], input);
}

function checkAttached(view) {
  if (view.buffer.detached) {
    const { ERR_INVALID_STATE } = require('internal/errors');
    throw new ERR_INVALID_STATE('Cannot validate on a detached buffer');
  }
  return view;
}

function isUtf8(input) {
  return native.isUtf8(checkAttached(viewOf(input)));
}

function isAscii(input) {
  return native.isAscii(checkAttached(viewOf(input)));
}

function invalidCharacter(message) {
  return new DOMException(message, 'InvalidCharacterError');
}

function btoa(input) {
  if (arguments.length === 0) throw new ERR_MISSING_ARGS('input');
  const encoded = native.btoa(`${input}`);
  if (encoded == null) throw invalidCharacter('Invalid character');
  return encoded;
}

function atob(input) {
  if (arguments.length === 0) throw new ERR_MISSING_ARGS('input');
  const decoded = native.atob(`${input}`);
  if (decoded == null) {
    const digits = `${input}`.replace(/[\t\n\f\r ]/g, '');
    throw invalidCharacter(digits.length % 4 === 1 && !/[^A-Za-z0-9+/]/.test(digits) ?
      'The string to be decoded is not correctly encoded.' : 'Invalid character');
  }
  return decoded;
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
    get() { return inspectMaxBytes; },
    set(value) {
      validateNumber(value, 'INSPECT_MAX_BYTES', 0);
      inspectMaxBytes = value;
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
