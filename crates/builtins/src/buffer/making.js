'use strict';
// The Buffer class and the allocation of its memory. Small Buffers are allocated from a pool.

// Captured at startup, because scripts may monkey-patch `Object.defineProperty`.
const defineProperty = Object.defineProperty;
const { kUntransferable } = require('internal/clone_symbols');
const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { utf8 } = require('internal/buffer/encodings');

const kMaxLength = Number.MAX_SAFE_INTEGER;
const kStringMaxLength = 0x1fffffe8;

const TypedArray = Object.getPrototypeOf(Uint8Array);
const typedArrayTag = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;

const isUint8Array = (value) => typedArrayTag.call(value) === 'Uint8Array';

class FastBuffer extends Uint8Array {}

function Buffer(arg, encodingOrOffset, length) {
  warnOfConstructor();
  if (typeof arg === 'number') {
    if (typeof encodingOrOffset === 'string') throw new ERR_INVALID_ARG_TYPE('string', 'string', arg);
    return Buffer.alloc(arg);
  }
  return Buffer.from(arg, encodingOrOffset, length);
}

defineProperty(Buffer, Symbol.species, {
  __proto__: null,
  configurable: true,
  enumerable: false,
  get() { return FastBuffer; },
});
Object.setPrototypeOf(Buffer, Uint8Array);
Buffer.prototype = FastBuffer.prototype;
FastBuffer.prototype.constructor = Buffer;

let constructorWarned = false;
function warnOfConstructor() {
  if (constructorWarned) return;
  const isPending = require('internal/options').has('pending-deprecation');
  if (!isPending && require('internal/util/packages').isCalledByPackage()) return;
  constructorWarned = true;
  require('process').emitWarning(
    'Buffer() is deprecated due to security and usability issues. Please use the Buffer.alloc(), ' +
    'Buffer.allocUnsafe(), or Buffer.from() methods instead.', 'DeprecationWarning', 'DEP0005');
}

// The pool: small Buffers share one ArrayBuffer. Each begins at a multiple of eight bytes.
Buffer.poolSize = 8 * 1024;
let pool;
let poolBytes;
let poolSize = 0;
let poolOffset = 0;

function createPool() {
  poolSize = Buffer.poolSize;
  pool = new ArrayBuffer(poolSize);
  poolBytes = new Uint8Array(pool);
  // A transfer of the pool would detach all Buffers in it.
  defineProperty(pool, kUntransferable, { __proto__: null, value: true });
  poolOffset = 0;
}

function alignPool() {
  if (poolOffset & 7) poolOffset = (poolOffset | 7) + 1;
}

// Allocates `size` bytes from the pool. The caller has checked that the pool has enough space.
function takeFromPool(size) {
  const buffer = new FastBuffer(pool, poolOffset, size);
  poolOffset += size;
  alignPool();
  return buffer;
}

function allocate(size) {
  if (size <= 0) return new FastBuffer();
  if (size >= (Buffer.poolSize >>> 1)) return new FastBuffer(size);
  if (size > poolSize - poolOffset) createPool();
  return takeFromPool(size);
}

function fromStringFast(string, ops) {
  const maxInPool = Buffer.poolSize >>> 1;
  // UTF-8 takes at most three bytes for each UTF-16 code unit. A short string is encoded without computing its length first.
  const maxBytes = string.length * 3;
  if (ops === utf8 && maxBytes < maxInPool && maxBytes <= poolSize - poolOffset) {
    return takeFromPool(native.utf8Write(poolBytes, string, poolOffset, maxBytes));
  }
  const length = ops.byteLength(string);
  if (length >= maxInPool) {
    if (ops === utf8) return new FastBuffer(native.utf8Encode(string));
    const buffer = new FastBuffer(length);
    const written = ops.write(buffer, string, 0, length);
    return written === length ? buffer : new FastBuffer(buffer.buffer.slice(0, written));
  }
  if (length > poolSize - poolOffset) createPool();
  // Invalid base64 and hex write fewer bytes than their computed length.
  return takeFromPool(ops.write(poolBytes, string, poolOffset, length));
}

function fromArrayLike(source) {
  if (source.length <= 0) return new FastBuffer();
  if (source.length < (Buffer.poolSize >>> 1)) {
    if (source.length > poolSize - poolOffset) createPool();
    const buffer = takeFromPool(source.length);
    buffer.set(source, 0);
    return buffer;
  }
  return new FastBuffer(source);
}

// Converts a DataView to a Uint8Array, because native functions index the elements of a view.
function asBytes(view) {
  return typedArrayTag.call(view) === undefined ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : view;
}

module.exports = {
  Buffer, FastBuffer, allocate, asBytes, fromArrayLike, fromStringFast, isUint8Array, kMaxLength,
  kStringMaxLength, typedArrayTag,
};
