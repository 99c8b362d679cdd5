'use strict';
// Argument helpers of `crypto`: bytes from strings and buffers, and errors in OpenSSL's format.

const process = require('process');
const { Buffer } = require('buffer');
const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { isAnyArrayBuffer, isArrayBufferView } = require('internal/util/types');

const kHandle = Symbol('kHandle');

// A view for the native code: a DataView becomes a Uint8Array of the same memory.
const readable = (view) => (view.BYTES_PER_ELEMENT === undefined ?
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : view);

// The bytes of a value as a view of the same memory; strings are encoded.
function bytesOf(value, name, encoding, kinds = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView']) {
  if (typeof value === 'string') return Buffer.from(value, encoding === 'buffer' ? 'utf8' : encoding);
  if (isArrayBufferView(value)) return readable(value);
  // A detached buffer has no bytes.
  if (isAnyArrayBuffer(value)) return value.detached ? new Uint8Array() : new Uint8Array(value);
  throw new ERR_INVALID_ARG_TYPE(name, ['string', ...kinds], value);
}

// A copy of the bytes.
const copyOf = (view) => Buffer.from(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));

// An error in OpenSSL's format. `number` combines library and reason; `stack` is `opensslErrorStack`.
function opensslError(number, library, reason, code, stack) {
  const error = new Error(`error:${number}:${library}::${reason}`);
  if (stack !== undefined) error.opensslErrorStack = stack;
  error.library = library;
  error.reason = reason;
  error.code = code;
  return error;
}

// A string up to the first NUL, as C code reads it.
function cut(text) {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

// An error with a `code` property, but not of a NodeError class: the stack does not show the code.
function codedError(code, message, Base = Error) {
  const error = new Base(message);
  error.code = code;
  return error;
}

const warned = new Set();

// A warning for a pending deprecation (`--pending-deprecation`).
function warnPending(message, code) {
  if (warned.has(code) || !require('internal/options').has('pending-deprecation')) return;
  warned.add(code);
  process.emitWarning(message, 'DeprecationWarning', code);
}

module.exports = { bytesOf, codedError, copyOf, cut, kHandle, opensslError, readable, warnPending };
