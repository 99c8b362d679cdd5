'use strict';

// Node's error classes: ERR_*, AbortError, and the functions that create errors. Messages (error_messages.js) and system errors (system_errors.js)
// are separate modules, so that a start without errors loads neither. `internal/util/inspect` formats errors.

function define(object, key, value, enumerable) {
  Object.defineProperty(object, key, { __proto__: null, value, enumerable, writable: true, configurable: true });
}

// Replaces the first line of the stack by `header` and removes the frames above the caller of `above`.
function captureStack(error, header, above) {
  Error.captureStackTrace(error, above);
  setHeader(error, header);
}

function setHeader(error, header) {
  try {
    putHeader(error, header);
  } catch (reason) {
    require('internal/original_builtins').retry(reason, () => putHeader(error, header));
  }
}

function putHeader(error, header) {
  const { stack } = error;
  if (typeof stack !== 'string') return;
  const at = stack.startsWith('    at ') ? 0 : stack.indexOf('\n    at ') + 1;
  // Frames of the argument validators are removed, so that the stack begins with the public function (`lib/internal/errors.js: hideStackFrames`).
  const frames = at > 0 || stack.startsWith('    at ') ?
    stack.slice(at).replace(/\n$/, '').replace(/^(?: {4}at [^\n]*\(node:internal\/validators:[^\n]*(?:\n|$))+/, '') : '';
  define(error, 'stack', frames === '' ? header : `${header}\n${frames}`, false);
}

const kIsNodeError = Symbol('kIsNodeError');

// Key of the source location that is printed above the stack.
const kPlace = Symbol('kPlace');

// Key of a function on a thrown error. If the error is fatal, its result is printed instead of the stack.
const kEnhanceStackBeforeInspector = Symbol('kEnhanceStackBeforeInspector');

// Codes whose class has variants with other base classes, such as `ERR_INVALID_STATE.TypeError`: the last arguments of `E()` in
// `lib/internal/errors.js`.
const ofManyClasses = {
  __proto__: null,
  ERR_INVALID_ARG_VALUE: true,
  ERR_INVALID_RETURN_VALUE: true,
  ERR_INVALID_STATE: true,
  ERR_OPERATION_FAILED: true,
};

function makeClass(code) {
  const NodeError = makeNodeError(code);
  if (ofManyClasses[code]) {
    NodeError.Error = makeNodeError(code, Error);
    NodeError.TypeError = makeNodeError(code, TypeError);
    NodeError.RangeError = makeNodeError(code, RangeError);
  }
  return NodeError;
}

function makeNodeError(code, Chosen) {
  return function NodeError(...args) {
    try {
      return makeError(code, Chosen, args, NodeError);
    } catch (error) {
      return require('internal/original_builtins').retry(error, () => makeError(code, Chosen, args, NodeError));
    }
  };
}

function makeError(code, Chosen, args, above) {
  const { 0: Own, 1: message } = require('internal/errors/messages').describe(code);
  const Base = Chosen ?? Own;
  const error = new Base();
  error.code = code;
  define(error, 'message', message.apply(error, args), false);
  define(error, kIsNodeError, true, false);
  if (error.toString === Error.prototype.toString) define(error, 'toString', toStringWithCode, false);
  captureStack(error, `${error.name} [${code}]: ${error.message}`, above);
  return error;
}

function toStringWithCode() {
  return `${this.name} [${this.code}]: ${this.message}`;
}

// Node throws this error from C++ (`src/node_url.cc: ThrowInvalidURL`), so its stack begins with "TypeError" without the code.
function ERR_INVALID_URL(input, base = null) {
  const error = new TypeError('Invalid URL');
  captureStack(error, 'TypeError: Invalid URL', ERR_INVALID_URL);
  error.code = 'ERR_INVALID_URL';
  error.input = input;
  if (base != null) error.base = base;
  return error;
}

class AbortError extends Error {
  constructor(message = 'The operation was aborted', options = undefined) {
    if (options !== undefined && typeof options !== 'object') {
      throw new module.exports.ERR_INVALID_ARG_TYPE('options', 'Object', options);
    }
    super(message, options);
    this.code = 'ABORT_ERR';
    this.name = 'AbortError';
    setHeader(this, `AbortError: ${message}`);
  }
}

function ConnResetException(message) {
  const error = new Error(message);
  error.code = 'ECONNRESET';
  captureStack(error, `Error: ${message}`, ConnResetException);
  return error;
}

function aggregateTwoErrors(inner, outer) {
  if (!inner || !outer || inner === outer) return inner || outer;
  if (Array.isArray(outer.errors)) {
    outer.errors.push(inner);
    return outer;
  }
  const error = new AggregateError([outer, inner], outer.message);
  error.code = outer.code;
  return error;
}

function genericNodeError(message, properties) {
  const error = new Error(message);
  Object.assign(error, properties);
  return error;
}

function isStackOverflowError(error) {
  return error instanceof RangeError && error.message === 'Maximum call stack size exceeded';
}

const exported = {
  AbortError,
  ConnResetException,
  ERR_INVALID_URL,
  aggregateTwoErrors,
  captureStack,
  define,
  genericNodeError,
  isStackOverflowError,
  kEnhanceStackBeforeInspector,
  kPlace,
  setHeader,
};

for (const name of [
  'DNSException', 'errnoException', 'errnos', 'exceptionWithHostPort', 'uvErrmapGet', 'uvException',
  'uvExceptionWithHostPort',
]) {
  Object.defineProperty(exported, name, { __proto__: null, get: () => require('internal/errors/system')[name] });
}

// The class of an ERR_* code is created at the first use of the code.
module.exports = new Proxy(exported, {
  __proto__: null,
  get(target, key) {
    const known = target[key];
    // An unknown name that begins with E must be an error code: all other such names are defined above.
    if (known !== undefined || typeof key !== 'string' || key[0] !== 'E') return known;
    return (target[key] = makeClass(key));
  },
});
