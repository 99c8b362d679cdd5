'use strict';
// Random numbers from the kernel. `randomInt` takes bytes from a cache, as `lib/internal/crypto/random.js: randomInt` does, to call its callback at
// the same time as Node: on the next tick while the cache lasts, after a job of the thread pool when the cache is refilled.

const process = require('process');
const { Buffer } = require('buffer');
const { ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE, ERR_OPERATION_FAILED } = require('internal/errors');
const { called } = require('internal/scheduler/trace');
const { validateBoolean, validateFunction, validateNumber, validateObject } = require('internal/validators');
const { isAnyArrayBuffer, isArrayBufferView, isFloat32Array, isFloat64Array, isTypedArray } =
  require('internal/util/types');

const kMaxInt32 = 2 ** 31 - 1;
const kMaxPossibleLength = Math.min(require('buffer').constants.MAX_LENGTH, kMaxInt32);

// Converts an element count to a byte count.
function checkSize(size, elementSize, offset, length) {
  validateNumber(size, 'size');
  size *= elementSize;
  if (Number.isNaN(size) || size > kMaxPossibleLength || size < 0) {
    throw new ERR_OUT_OF_RANGE('size', `>= 0 && <= ${kMaxPossibleLength}`, size);
  }
  if (size + offset > length) throw new ERR_OUT_OF_RANGE('size + offset', `<= ${length}`, size + offset);
  return size >>> 0;
}

function checkOffset(offset, elementSize, length) {
  validateNumber(offset, 'offset');
  offset *= elementSize;
  const most = Math.min(length, kMaxPossibleLength);
  if (Number.isNaN(offset) || offset > most || offset < 0) {
    throw new ERR_OUT_OF_RANGE('offset', `>= 0 && <= ${most}`, offset);
  }
  return offset >>> 0;
}

const failed = () => new ERR_OPERATION_FAILED('Unable to fetch random bytes');

function fetched(answer) {
  if (typeof answer === 'string') throw failed();
  return answer;
}

function tracked(done) {
  const { on, request } = require('internal/async_hooks/tracking');
  return on ? request('RANDOMBYTESREQUEST', done) : done;
}

function randomBytes(size, callback) {
  size = checkSize(size, 1, 0, Infinity);
  if (callback !== undefined) validateFunction(callback, 'callback');
  if (callback === undefined) return Buffer.from(fetched(native.random(undefined, size)));
  // For size 0 the callback runs synchronously (`lib/internal/crypto/random.js: randomFill`).
  if (size === 0) {
    callback(null, Buffer.alloc(0));
    return undefined;
  }
  const refused = native.random(tracked((answer) => {
    if (typeof answer === 'string') called(callback)(failed());
    else called(callback)(null, Buffer.from(answer));
  }), size);
  if (refused !== undefined) throw failed();
  return undefined;
}

const viewOf = (buffer) => (isAnyArrayBuffer(buffer) ?
  new Uint8Array(buffer) : new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength));

function checkTarget(buffer) {
  if (!isAnyArrayBuffer(buffer) && !isArrayBufferView(buffer)) {
    throw new ERR_INVALID_ARG_TYPE('buf', ['ArrayBuffer', 'ArrayBufferView'], buffer);
  }
}

function randomFillSync(buffer, offset = 0, size) {
  checkTarget(buffer);
  const elementSize = buffer.BYTES_PER_ELEMENT || 1;
  offset = checkOffset(offset, elementSize, buffer.byteLength);
  size = size === undefined ? buffer.byteLength - offset : checkSize(size, elementSize, offset, buffer.byteLength);
  if (size === 0) return buffer;
  viewOf(buffer).set(new Uint8Array(fetched(native.random(undefined, size))), offset);
  return buffer;
}

function randomFill(buffer, offset, size, callback) {
  checkTarget(buffer);
  const elementSize = buffer.BYTES_PER_ELEMENT || 1;
  if (typeof offset === 'function') {
    callback = offset;
    offset = 0;
    size = buffer.length;
  } else if (typeof size === 'function') {
    callback = size;
    size = buffer.length - offset;
  } else {
    validateFunction(callback, 'callback');
  }
  offset = checkOffset(offset, elementSize, buffer.byteLength);
  size = size === undefined ?
    buffer.byteLength - offset : checkSize(size, elementSize, offset, buffer.byteLength);
  if (size === 0) {
    callback(null, buffer);
    return;
  }
  const refused = native.random(tracked((answer) => {
    if (typeof answer === 'string') {
      callback(failed());
      return;
    }
    // The caller may have detached or resized the buffer in the meantime.
    const isWritable = !(isAnyArrayBuffer(buffer) ? buffer : buffer.buffer).detached && buffer.byteLength >= offset + size;
    if (isWritable) viewOf(buffer).set(new Uint8Array(answer), offset);
    callback(null, buffer);
  }), size);
  if (refused !== undefined) throw failed();
}

// The largest 48-bit number.
const RAND_MAX = 0xFFFF_FFFF_FFFF;
const cache = Buffer.allocUnsafeSlow(6 * 1024);
let used = cache.length;
let isRefilling = false;
const pendingTasks = [];

function refill() {
  if (isRefilling) return;
  isRefilling = true;
  randomFill(cache, (error) => {
    isRefilling = false;
    const tasks = pendingTasks.splice(0);
    used = error ? cache.length : 0;
    for (const task of tasks) randomInt(task.min, task.max, task.callback);
  });
}

function randomInt(min, max, callback) {
  const isMinGiven = typeof max !== 'undefined' && typeof max !== 'function';
  if (!isMinGiven) {
    callback = max;
    max = min;
    min = 0;
  }
  const isSync = typeof callback === 'undefined';
  if (!isSync) validateFunction(callback, 'callback');
  if (!Number.isSafeInteger(min)) throw new ERR_INVALID_ARG_TYPE('min', 'a safe integer', min);
  if (!Number.isSafeInteger(max)) throw new ERR_INVALID_ARG_TYPE('max', 'a safe integer', max);
  if (max <= min) throw new ERR_OUT_OF_RANGE('max', `greater than the value of "min" (${min})`, max);
  const range = max - min;
  if (!(range <= RAND_MAX)) {
    throw new ERR_OUT_OF_RANGE(isMinGiven ? 'max - min' : 'max', `<= ${RAND_MAX}`, isMinGiven ? range : max);
  }
  // Values above this limit would make small results more likely (modulo bias).
  const limit = RAND_MAX - (RAND_MAX % range);
  while (isSync || used < cache.length) {
    if (used === cache.length) {
      randomFillSync(cache);
      used = 0;
    }
    const value = cache.readUIntBE(used, 6);
    used += 6;
    if (value < limit) {
      const result = (value % range) + min;
      if (isSync) return result;
      process.nextTick(callback, undefined, result);
      return undefined;
    }
  }
  pendingTasks.push({ min, max, callback });
  refill();
  return undefined;
}

function randomUUID(options) {
  if (options !== undefined) validateObject(options, 'options');
  const { disableEntropyCache = false } = options ?? {};
  validateBoolean(disableEntropyCache, 'options.disableEntropyCache');
  return native.uuid();
}

function domException(message, name) {
  const { DOMException } = require('internal/domexception');
  return new DOMException(message, name);
}

function getRandomValues(data) {
  if (!isTypedArray(data) || isFloat32Array(data) || isFloat64Array(data)) {
    throw domException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
  }
  if (data.byteLength > 65536) {
    throw domException('The requested length exceeds 65,536 bytes', 'QuotaExceededError');
  }
  randomFillSync(data, 0);
  return data;
}

module.exports = { getRandomValues, randomBytes, randomFill, randomFillSync, randomInt, randomUUID };
