'use strict';
// Validation and conversion of fs arguments (paths, descriptors, flags, modes, times, options, positions) with Node's
// errors.

const { Buffer } = require('buffer');
const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE } = require('internal/errors');
const { parseFileMode, validateAbortSignal, validateInt32, validateInteger } = require('internal/validators');
const constants = require('internal/fs/constants');

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_SYNC, O_TRUNC, O_WRONLY } = constants;

const noNul = 'must be a string, Uint8Array, or URL without null bytes';

// Returns the path as a string or bytes.
function toPath(value, name = 'path') {
  if (typeof value === 'string') {
    if (StringPrototypeIncludes(value, '\0')) throw new ERR_INVALID_ARG_VALUE(name, value, noNul);
    return value;
  }
  if (value instanceof Uint8Array) {
    if (value.includes(0)) throw new ERR_INVALID_ARG_VALUE(name, value, noNul);
    return value;
  }
  if (value !== null && typeof value === 'object' && value.href && value.protocol && value.auth === undefined &&
      value.path === undefined) {
    return toPath(require('url').fileURLToPath(value), name);
  }
  throw new ERR_INVALID_ARG_TYPE(name, ['string', 'Buffer', 'URL'], value);
}

function toFd(fd, name = 'fd') {
  if (Object.is(fd, -0)) return 0;
  validateInt32(fd, name, 0);
  return fd;
}

const flagNames = {
  '__proto__': null,
  'r': O_RDONLY,
  'rs': O_RDONLY | O_SYNC,
  'r+': O_RDWR,
  'rs+': O_RDWR | O_SYNC,
  'w': O_TRUNC | O_CREAT | O_WRONLY,
  'wx': O_TRUNC | O_CREAT | O_WRONLY | O_EXCL,
  'w+': O_TRUNC | O_CREAT | O_RDWR,
  'wx+': O_TRUNC | O_CREAT | O_RDWR | O_EXCL,
  'a': O_APPEND | O_CREAT | O_WRONLY,
  'ax': O_APPEND | O_CREAT | O_WRONLY | O_EXCL,
  'as': O_APPEND | O_CREAT | O_WRONLY | O_SYNC,
  'a+': O_APPEND | O_CREAT | O_RDWR,
  'ax+': O_APPEND | O_CREAT | O_RDWR | O_EXCL,
  'as+': O_APPEND | O_CREAT | O_RDWR | O_SYNC,
};
// The letters of a flag may be swapped: 'rs' and 'sr' are the same flag.
for (const name of ['rs', 'rs+', 'wx', 'wx+', 'ax', 'ax+', 'as', 'as+']) {
  flagNames[name[1] + name[0] + name.slice(2)] = flagNames[name];
}

function toFlags(flags, name = 'flags') {
  if (typeof flags === 'number') {
    validateInt32(flags, name);
    return flags;
  }
  if (flags == null) return O_RDONLY;
  const number = typeof flags === 'string' ? flagNames[flags] : undefined;
  if (number === undefined) throw new ERR_INVALID_ARG_VALUE(name, flags);
  return number;
}

function assertEncoding(encoding) {
  if (encoding && !Buffer.isEncoding(encoding)) {
    throw new ERR_INVALID_ARG_VALUE('encoding', encoding, 'is invalid encoding');
  }
}

// Options without a prototype: defaults are not read from a polluted `Object.prototype`.
const noOptions = { __proto__: null };

function toOptions(options, defaults = noOptions) {
  if (options == null || typeof options === 'function') return defaults;
  if (typeof options === 'string') {
    defaults = { __proto__: null, ...defaults };
    defaults.encoding = options;
    options = defaults;
  } else if (typeof options !== 'object') {
    throw new ERR_INVALID_ARG_TYPE('options', ['string', 'Object'], options);
  }
  if (options.encoding !== 'buffer') assertEncoding(options.encoding);
  if (options.signal !== undefined) validateAbortSignal(options.signal, 'options.signal');
  return options;
}

// Converts a time to seconds since the Unix epoch.
function toSeconds(time, name = 'time') {
  if (typeof time === 'string' && +time == time) return +time; // eslint-disable-line eqeqeq
  if (Number.isFinite(time)) return time < 0 ? Date.now() / 1000 : time;
  if (require('internal/util/types').isDate(time)) return time.getTime() / 1000;
  throw new ERR_INVALID_ARG_TYPE(name, ['Date', 'Time in seconds'], time);
}

function toMode(mode, name, maximum, fallback) {
  if (mode == null) return fallback;
  // Node validates these arguments in C++, with other messages than in JavaScript.
  let error;
  if (typeof mode !== 'number') error = new TypeError(`${name} must be int32 or null/undefined`);
  else if (!Number.isFinite(mode)) error = new RangeError(`${name} is out of range`);
  else if (mode <= -1 || mode >= maximum + 1) error = new RangeError(`${name} is out of range: >= 0 && <= ${maximum}`);
  else return Math.trunc(mode);
  error.code = error instanceof TypeError ? 'ERR_INVALID_ARG_TYPE' : 'ERR_OUT_OF_RANGE';
  throw error;
}

function checkPosition(position, name, length) {
  if (typeof position === 'number') {
    validateInteger(position, name, -1);
    return position;
  }
  if (typeof position === 'bigint') {
    const maximum = 2n ** 63n - 1n - BigInt(length);
    if (!(position >= -1n && position <= maximum)) {
      throw new ERR_OUT_OF_RANGE(name, `>= -1 && <= ${maximum}`, position);
    }
    // The maximum offset is 2n ** 63n - 1n. `Number()` rounds positions near it up to 2 ** 63: clamp to the largest double below 2 ** 63.
    return Math.min(Number(position), 2 ** 63 - 1024);
  }
  throw new ERR_INVALID_ARG_TYPE(name, ['integer', 'bigint'], position);
}

function checkRead(offset, length, size) {
  if (offset < 0) throw new ERR_OUT_OF_RANGE('offset', '>= 0', offset);
  if (length < 0) throw new ERR_OUT_OF_RANGE('length', '>= 0', length);
  if (offset + length > size) throw new ERR_OUT_OF_RANGE('length', `<= ${size - offset}`, length);
}

function checkWrite(offset, length, size) {
  if (offset > size) throw new ERR_OUT_OF_RANGE('offset', `<= ${size}`, offset);
  if (length > size - offset) throw new ERR_OUT_OF_RANGE('length', `<= ${size - offset}`, length);
  if (length < 0) throw new ERR_OUT_OF_RANGE('length', '>= 0', length);
  validateInt32(length, 'length', 0);
}

function checkBuffers(buffers) {
  if (!Array.isArray(buffers) || !buffers.every((one) => ArrayBuffer.isView(one))) {
    throw new ERR_INVALID_ARG_TYPE('buffers', 'ArrayBufferView[]', buffers);
  }
}

// Throws unless the value is a string. The caller has handled views already.
function checkText(value, name) {
  if (typeof value !== 'string') {
    throw new ERR_INVALID_ARG_TYPE(name, ['string', 'Buffer', 'TypedArray', 'DataView'], value);
  }
}

// Native calls accept typed arrays and ArrayBuffers, but not DataViews.
const toBytes = (view) =>
  (view instanceof DataView ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : view);

module.exports = {
  assertEncoding, checkBuffers, checkPosition, checkRead, checkText, checkWrite, parseFileMode, toBytes, toFd, toFlags,
  toMode, toOptions, toPath, toSeconds,
};
