'use strict';
// The module `assert`: each method throws an AssertionError if its assertion fails. Messages are made in
// assertion_error.js, the source text of a failed `assert(…)` in source_text.js.

const process = require('process');
const {
  ERR_AMBIGUOUS_ARGUMENT,
  ERR_CONSTRUCT_CALL_REQUIRED,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_INVALID_RETURN_VALUE,
  ERR_MISSING_ARGS,
} = require('internal/errors');
const { validateFunction, validateOneOf } = require('internal/validators');
const AssertionError = require('internal/assert/assertion_error');

const kOptions = Symbol('options');
const inspect = (...args) => require('internal/util/inspect').inspect(...args);
const compare = () => require('internal/util/comparisons');
const isRegExp = (value) => require('internal/util/types').isRegExp(value);
const isError = (value) => require('internal/util/inspect').isError(value);

// Returned by `thrownBy` if the function did not throw.
const NOTHING = {};

function Assert(options) {
  if (!new.target) throw new ERR_CONSTRUCT_CALL_REQUIRED('Assert');
  options = Object.assign({ __proto__: null, strict: true }, options);
  if (options.diff !== undefined) validateOneOf(options.diff, 'options.diff', ['simple', 'full']);
  this.AssertionError = AssertionError;
  Object.defineProperty(this, kOptions, { __proto__: null, value: options });
  if (options.strict) {
    this.equal = this.strictEqual;
    this.deepEqual = this.deepStrictEqual;
    this.notEqual = this.notStrictEqual;
    this.notDeepEqual = this.notDeepStrictEqual;
  }
}

const proto = Assert.prototype;

function ok(...args) {
  if (!args[0]) failOk(ok, args);
}

const assert = module.exports = ok;

function fail(details, self) {
  if (details.message instanceof Error) throw details.message;
  throw new AssertionError({ ...details, diff: self?.[kOptions]?.diff });
}

function failGenerated(details, generated, self) {
  const error = new AssertionError({ ...details, diff: self?.[kOptions]?.diff });
  error.generatedMessage = generated;
  throw error;
}

function failOk(stackStartFn, args) {
  let [actual, message] = args;
  let generated = false;
  if (args.length === 0) {
    generated = true;
    message = 'No value argument passed to `assert.ok()`';
  } else if (message == null) {
    generated = true;
    const text = require('internal/assert/source_text').callText(stackStartFn);
    if (text) message = `The expression evaluated to a falsy value:\n\n  ${text}\n`;
  } else if (isError(message)) {
    throw message;
  }
  failGenerated({ actual, expected: true, message, operator: '==', stackStartFn }, generated);
}

let warned = false;

proto.fail = function fail(actual, expected, message, operator, stackStartFn) {
  const count = arguments.length;
  let generated = false;
  if (actual == null && count <= 1) {
    generated = true;
    message = 'Failed';
  } else if (count === 1) {
    message = actual;
    actual = undefined;
  } else {
    if (!warned) {
      warned = true;
      process.emitWarning(
        'assert.fail() with more than one argument is deprecated. ' +
        'Please use assert.strictEqual() instead or only pass a message.', 'DeprecationWarning', 'DEP0094');
    }
    if (count === 2) operator = '!=';
  }
  if (message instanceof Error) throw message;
  const error = new AssertionError({
    actual,
    expected,
    operator: operator === undefined ? 'fail' : operator,
    stackStartFn: stackStartFn || fail,
    message,
    diff: this?.[kOptions]?.diff,
  });
  if (generated) error.generatedMessage = true;
  throw error;
};

assert.AssertionError = AssertionError;

proto.ok = function ok(...args) {
  if (!args[0]) failOk(ok, args);
};

function bothGiven(args) {
  if (args.length < 2) throw new ERR_MISSING_ARGS('actual', 'expected');
}

proto.equal = function equal(actual, expected, message) {
  bothGiven(arguments);
  if (actual != expected && (!Number.isNaN(actual) || !Number.isNaN(expected))) {
    fail({ actual, expected, message, operator: '==', stackStartFn: equal }, this);
  }
};

proto.notEqual = function notEqual(actual, expected, message) {
  bothGiven(arguments);
  if (actual == expected || (Number.isNaN(actual) && Number.isNaN(expected))) {
    fail({ actual, expected, message, operator: '!=', stackStartFn: notEqual }, this);
  }
};

proto.deepEqual = function deepEqual(actual, expected, message) {
  bothGiven(arguments);
  if (!compare().isDeepEqual(actual, expected)) {
    fail({ actual, expected, message, operator: 'deepEqual', stackStartFn: deepEqual }, this);
  }
};

proto.notDeepEqual = function notDeepEqual(actual, expected, message) {
  bothGiven(arguments);
  if (compare().isDeepEqual(actual, expected)) {
    fail({ actual, expected, message, operator: 'notDeepEqual', stackStartFn: notDeepEqual }, this);
  }
};

proto.deepStrictEqual = function deepStrictEqual(actual, expected, message) {
  bothGiven(arguments);
  if (!compare().isDeepStrictEqual(actual, expected)) {
    fail({ actual, expected, message, operator: 'deepStrictEqual', stackStartFn: deepStrictEqual }, this);
  }
};

proto.notDeepStrictEqual = function notDeepStrictEqual(actual, expected, message) {
  bothGiven(arguments);
  if (compare().isDeepStrictEqual(actual, expected)) {
    fail({ actual, expected, message, operator: 'notDeepStrictEqual', stackStartFn: notDeepStrictEqual }, this);
  }
};

proto.strictEqual = function strictEqual(actual, expected, message) {
  bothGiven(arguments);
  if (!Object.is(actual, expected)) {
    fail({ actual, expected, message, operator: 'strictEqual', stackStartFn: strictEqual }, this);
  }
};

proto.notStrictEqual = function notStrictEqual(actual, expected, message) {
  bothGiven(arguments);
  if (Object.is(actual, expected)) {
    fail({ actual, expected, message, operator: 'notStrictEqual', stackStartFn: notStrictEqual }, this);
  }
};

proto.partialDeepStrictEqual = function partialDeepStrictEqual(actual, expected, message) {
  bothGiven(arguments);
  if (!compare().isPartialStrictEqual(actual, expected)) {
    fail({ actual, expected, message, operator: 'partialDeepStrictEqual', stackStartFn: partialDeepStrictEqual }, this);
  }
};

// ---- Functions that must or must not throw

function thrownBy(fn) {
  validateFunction(fn, 'fn');
  try {
    fn();
  } catch (error) {
    return error;
  }
  return NOTHING;
}

function isPromiseLike(value) {
  return value instanceof Promise || (value !== null && typeof value === 'object' &&
    typeof value.then === 'function' && typeof value.catch === 'function');
}

async function rejectionOf(promiseFn) {
  let promise;
  if (typeof promiseFn === 'function') {
    promise = promiseFn();
    if (!isPromiseLike(promise)) throw new ERR_INVALID_RETURN_VALUE('instance of Promise', 'promiseFn', promise);
  } else if (isPromiseLike(promiseFn)) {
    promise = promiseFn;
  } else {
    throw new ERR_INVALID_ARG_TYPE('promiseFn', ['Function', 'Promise'], promiseFn);
  }
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return NOTHING;
}

const kinds = ['Object', 'Error', 'Function', 'RegExp'];

function expectError(fn, actual, args) {
  let [error, message] = args;
  if (typeof error === 'string') {
    if (args.length === 2) throw new ERR_INVALID_ARG_TYPE('error', kinds, error);
    if (typeof actual === 'object' && actual !== null) {
      if (actual.message === error) {
        throw new ERR_AMBIGUOUS_ARGUMENT(
          'error/message', `The error message "${actual.message}" is identical to the message.`);
      }
    } else if (actual === error) {
      throw new ERR_AMBIGUOUS_ARGUMENT('error/message', `The error "${actual}" is identical to the message.`);
    }
    message = error;
    error = undefined;
  } else if (error != null && typeof error !== 'object' && typeof error !== 'function') {
    throw new ERR_INVALID_ARG_TYPE('error', kinds, error);
  }

  if (actual === NOTHING) {
    const what = fn === proto.rejects ? 'rejection' : 'exception';
    const name = error?.name ? ` (${error.name})` : '';
    fail({
      actual: undefined,
      expected: error,
      operator: fn.name,
      message: `Missing expected ${what}${name}${message ? `: ${message}` : '.'}`,
      stackStartFn: fn,
    });
  }
  if (error) matchError(actual, error, message, fn);
}

function matchError(actual, expected, message, fn) {
  const details = { actual, expected, message, operator: fn.name, stackStartFn: fn };
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && actual instanceof expected) return;
    if (Object.prototype.isPrototypeOf.call(Error, expected)) {
      failGenerated({ ...details, message: message || wrongClass(actual, expected) }, !message);
    }
    const result = Reflect.apply(expected, {}, [actual]);
    if (result !== true) {
      failGenerated({ ...details, message: message || wrongResult(actual, expected, result) }, !message);
    }
  } else if (isRegExp(expected)) {
    const text = String(actual);
    if (RegExp.prototype.exec.call(expected, text) !== null) return;
    failGenerated({ ...details, message: message || noMatch('did not match', expected, text) }, !message);
  } else if (typeof actual !== 'object' || actual === null) {
    const error = new AssertionError({ ...details, operator: 'deepStrictEqual' });
    error.operator = fn.name;
    throw error;
  } else {
    matchProperties(actual, expected, message, details);
  }
}

function wrongClass(actual, expected) {
  let text = `The error is expected to be an instance of "${expected.name}". Received `;
  if (!isError(actual)) return `${text}"${inspect(actual, { depth: -1 })}"`;
  const name = actual.constructor?.name || actual.name;
  text += expected.name === name ? 'an error with identical name but a different prototype.' : `"${name}"`;
  return actual.message ? `${text}\n\nError message:\n\n${actual.message}` : text;
}

function wrongResult(actual, expected, result) {
  const name = expected.name ? `"${expected.name}" ` : '';
  const text = `The ${name}validation function is expected to return "true". Received ${inspect(result)}`;
  return isError(actual) ? `${text}\n\nCaught error:\n\n${actual}` : text;
}

function noMatch(words, regexp, text) {
  return `The input ${words} the regular expression ${inspect(regexp)}. Input:\n\n${inspect(text)}\n`;
}

// The properties of an object that are compared with a validation object. Its class name is shown in the message. As
// `lib/assert.js: Comparison`.
class Comparison {
  constructor(object, keys, actual) {
    for (const key of keys) {
      if (!(key in object)) continue;
      this[key] = actual !== undefined && matches(actual[key], object[key]) ? actual[key] : object[key];
    }
  }
}

function matches(actual, expected) {
  return typeof actual === 'string' && isRegExp(expected) && RegExp.prototype.exec.call(expected, actual) !== null;
}

function matchProperties(actual, expected, message, details) {
  const keys = Object.keys(expected);
  if (isError(expected)) keys.push('name', 'message');
  else if (keys.length === 0) throw new ERR_INVALID_ARG_VALUE('error', expected, 'may not be an empty object');
  for (const key of keys) {
    if (matches(actual[key], expected[key])) continue;
    if (key in actual && compare().isDeepStrictEqual(actual[key], expected[key])) continue;
    if (message) fail(details);
    const error = new AssertionError({
      actual: new Comparison(actual, keys),
      expected: new Comparison(expected, keys, actual),
      operator: 'deepStrictEqual',
      stackStartFn: details.stackStartFn,
    });
    error.actual = actual;
    error.expected = expected;
    error.operator = details.operator;
    throw error;
  }
}

function isOfKind(actual, expected) {
  if (typeof expected !== 'function') {
    if (isRegExp(expected)) return RegExp.prototype.exec.call(expected, String(actual)) !== null;
    throw new ERR_INVALID_ARG_TYPE('expected', ['Function', 'RegExp'], expected);
  }
  if (expected.prototype !== undefined && actual instanceof expected) return true;
  if (Object.prototype.isPrototypeOf.call(Error, expected)) return false;
  return Reflect.apply(expected, {}, [actual]) === true;
}

function expectNoError(fn, actual, args) {
  if (actual === NOTHING) return;
  let [error, message] = args;
  if (typeof error === 'string') {
    message = error;
    error = undefined;
  }
  if (!error || isOfKind(actual, error)) {
    const what = fn === proto.doesNotReject ? 'rejection' : 'exception';
    fail({
      actual,
      expected: error,
      operator: fn.name,
      message: `Got unwanted ${what}${message ? `: ${message}` : '.'}\nActual message: "${actual?.message}"`,
      stackStartFn: fn,
    });
  }
  throw actual;
}

proto.throws = function throws(fn, ...args) {
  expectError(throws, thrownBy(fn), args);
};

proto.rejects = async function rejects(promiseFn, ...args) {
  expectError(rejects, await rejectionOf(promiseFn), args);
};

proto.doesNotThrow = function doesNotThrow(fn, ...args) {
  expectNoError(doesNotThrow, thrownBy(fn), args);
};

proto.doesNotReject = async function doesNotReject(fn, ...args) {
  expectNoError(doesNotReject, await rejectionOf(fn), args);
};

proto.ifError = function ifError(err) {
  if (err === null || err === undefined) return;
  let what;
  if (typeof err === 'object' && typeof err.message === 'string') {
    what = err.message.length === 0 && err.constructor ? err.constructor.name : err.message;
  } else {
    what = inspect(err);
  }
  const error = new AssertionError({
    actual: err,
    expected: null,
    operator: 'ifError',
    message: `ifError got unwanted exception: ${what}`,
    stackStartFn: ifError,
    diff: this?.[kOptions]?.diff,
  });
  joinStacks(error, err.stack);
  throw error;
};

// Replaces the stack of `error` by its frames down to the first common one, followed by the frames of `original`. As
// `lib/assert.js: ifError`.
function joinStacks(error, original) {
  if (typeof original !== 'string') return;
  const start = original.indexOf('\n    at');
  if (start === -1) return;
  const frames = original.slice(start + 1).split('\n');
  let own = error.stack.split('\n');
  for (const frame of frames) {
    const at = own.indexOf(frame);
    if (at !== -1) {
      own = own.slice(0, at);
      break;
    }
  }
  error.stack = `${own.join('\n')}\n${frames.join('\n')}`;
}

function matchText(string, regexp, message, fn, wanted, self) {
  if (!isRegExp(regexp)) throw new ERR_INVALID_ARG_TYPE('regexp', 'RegExp', regexp);
  if (typeof string === 'string' && (RegExp.prototype.exec.call(regexp, string) !== null) === wanted) return;
  if (message instanceof Error) throw message;
  const generated = !message;
  if (generated) {
    message = typeof string !== 'string' ?
      `The "string" argument must be of type string. Received type ${typeof string} (${inspect(string)})` :
      noMatch(wanted ? 'did not match' : 'was expected to not match', regexp, string);
  }
  failGenerated({ actual: string, expected: regexp, message, operator: fn.name, stackStartFn: fn }, generated, self);
}

proto.match = function match(string, regexp, message) {
  matchText(string, regexp, message, match, true, this);
};

proto.doesNotMatch = function doesNotMatch(string, regexp, message) {
  matchText(string, regexp, message, doesNotMatch, false, this);
};

assert.ok = ok;
for (const name of ['fail', 'equal', 'notEqual', 'deepEqual', 'notDeepEqual', 'deepStrictEqual',
                    'notDeepStrictEqual', 'strictEqual', 'notStrictEqual', 'partialDeepStrictEqual', 'match',
                    'doesNotMatch', 'throws', 'rejects', 'doesNotThrow', 'doesNotReject', 'ifError']) {
  assert[name] = proto[name];
}

assert.CallTracker = require('internal/util').deprecate(
  require('internal/assert/call_tracker'), 'assert.CallTracker is deprecated.', 'DEP0173');

function strict(...args) {
  if (!args[0]) failOk(strict, args);
}

assert.strict = Object.assign(strict, assert, {
  equal: assert.strictEqual,
  deepEqual: assert.deepStrictEqual,
  notEqual: assert.notStrictEqual,
  notDeepEqual: assert.notDeepStrictEqual,
});
assert.Assert = Assert;
assert.strict.Assert = Assert;
assert.strict.strict = assert.strict;
