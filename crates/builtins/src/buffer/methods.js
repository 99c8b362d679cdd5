'use strict';
// The methods of Buffer.prototype, except those that read and write numbers.

const {
  ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_INVALID_BUFFER_SIZE, ERR_OUT_OF_RANGE, ERR_STRING_TOO_LONG,
  ERR_UNKNOWN_ENCODING,
} = require('internal/errors');
const { validateBuffer, validateInteger, validateString } = require('internal/validators');
const { latin1, notAString, operationsOf, ucs2, utf8 } = require('internal/buffer/encodings');
const {
  FastBuffer, asBytes, fromStringFast, isUint8Array, kMaxLength, kStringMaxLength,
} = require('internal/buffer/making');

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

const { fill: typedFill, indexOf: typedIndexOf, lastIndexOf: typedLastIndexOf } =
  Object.getPrototypeOf(Uint8Array).prototype;
const isView = ArrayBuffer.isView;

// `buffer.INSPECT_MAX_BYTES`: the number of bytes that `inspect` prints.
const shown = { maxBytes: 50 };

const methods = { __proto__: null };

function define(name, method) {
  methods[name] = method;
}

function toInteger(number, fallback) {
  number = +number;
  if (!Number.isNaN(number) && number >= Number.MIN_SAFE_INTEGER && number <= Number.MAX_SAFE_INTEGER) {
    return number % 1 === 0 ? number : Math.floor(number);
  }
  return fallback;
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

define(inspectSymbol, function inspect(recurseTimes, ctx) {
  const max = shown.maxBytes;
  const remaining = this.length - max;
  let text = native.hexSlice(this, 0, Math.min(max, this.length)).replace(/(.{2})/g, '$1 ').trim();
  if (remaining > 0) text += ` ... ${remaining} more byte${remaining > 1 ? 's' : ''}`;
  if (ctx) {
    // Own properties of the Buffer are printed after its bytes.
    let extras = false;
    const own = { __proto__: null };
    for (const key of Reflect.ownKeys(this).slice(this.length)) {
      if (!ctx.showHidden && !Object.prototype.propertyIsEnumerable.call(this, key)) continue;
      extras = true;
      own[key] = this[key];
    }
    if (extras) {
      if (this.length !== 0) text += ', ';
      const listed = require('internal/util/inspect').inspect(own, { ...ctx, breakLength: Infinity, compact: true });
      text += listed.slice('[Object: null prototype] { '.length, -2);
    }
  }
  let constructorName = 'Buffer';
  try {
    const { constructor } = this;
    if (typeof constructor === 'function' && Object.hasOwn(constructor, 'name')) constructorName = constructor.name;
  } catch { /* a getter that throws: keep the default name */ }
  return `<${constructorName} ${text}>`;
});
methods.inspect = methods[inspectSymbol];

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

// The start position of a search: a negative offset counts from the end. Returns -1 if there can be no match (`src/node_buffer.cc: IndexOfOffset`).
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
    // Lone surrogates in the needle are encoded as WTF-8, so that they do not match U+FFFD in the buffer.
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
    // For UTF-16, only whole code units are compared.
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
methods.toLocaleString = methods.toString;

function addTo(prototype) {
  Object.assign(prototype, methods);
}

module.exports = { addTo, fillBuffer, shown };
