'use strict';

// Node's errors: the ERR_* classes, AbortError, and what the makers of errors share. Their messages and the errors of
// the system have files of their own: a start that throws nothing reads neither. What an error of a foreign module looks
// like when printed is inspect's business.

function define(object, key, value, enumerable) {
  Object.defineProperty(object, key, { __proto__: null, value, enumerable, writable: true, configurable: true });
}

// Puts another first line on the stack and leaves out the frames above the caller of `above`.
function captureStack(error, header, above) {
  Error.captureStackTrace(error, above);
  setHeader(error, header);
}

function setHeader(error, header) {
  try {
    putHeader(error, header);
  } catch (reason) {
    require('internal/language').again(reason, () => putHeader(error, header));
  }
}

function putHeader(error, header) {
  const { stack } = error;
  if (typeof stack !== 'string') return;
  const at = stack.startsWith('    at ') ? 0 : stack.indexOf('\n    at ') + 1;
  // The checkers of arguments are nobody's business: as in Node the caller of the function is.
  const frames = at > 0 || stack.startsWith('    at ') ?
    stack.slice(at).replace(/\n$/, '').replace(/^(?: {4}at [^\n]*\(node:internal\/validators:[^\n]*(?:\n|$))+/, '') : '';
  define(error, 'stack', frames === '' ? header : `${header}\n${frames}`, false);
}

const kIsNodeError = Symbol('kIsNodeError');

// The place that an error is about, as it is printed above its stack.
const kPlace = Symbol('kPlace');

// A function hung on a thrown error: the text that the printer of fatal errors shows instead of its stack.
const kEnhanceStackBeforeInspector = Symbol('kEnhanceStackBeforeInspector');

// The codes that are thrown with other classes than their own too: `new ERR_INVALID_STATE.TypeError(…)`.
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
      return require('internal/language').again(error, () => makeError(code, Chosen, args, NodeError));
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

// Node's engine makes this one itself, so its stack begins as that of a plain TypeError.
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

// A class is made when its code is first asked for.
module.exports = new Proxy(exported, {
  __proto__: null,
  get(target, key) {
    const known = target[key];
    // What begins so is a code.
    if (known !== undefined || typeof key !== 'string' || key[0] !== 'E') return known;
    return (target[key] = makeClass(key));
  },
});
