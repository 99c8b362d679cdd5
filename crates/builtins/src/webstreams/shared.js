'use strict';
// Code that all web streams share: state symbol, deferred promises, queues with sizes, strategies.

const { ERR_INVALID_ARG_VALUE, ERR_INVALID_STATE } = require('internal/errors');
const { validateFunction } = require('internal/validators');

const kState = Symbol('kState');
const kType = Symbol('kType');
// First argument of constructors that user code must not call: without it they throw.
const kInternal = Symbol('kInternal');
const kInspect = Symbol.for('nodejs.util.inspect.custom');

// A promise with its resolve and reject functions, and a flag that is true while the promise is pending.
class Deferred {
  isPending = true;
  promise;
  #resolve;
  #reject;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  static resolved(value) {
    const deferred = new Deferred();
    deferred.resolve(value);
    return deferred;
  }

  static rejected(error) {
    const deferred = new Deferred();
    deferred.reject(error);
    handled(deferred.promise);
    return deferred;
  }

  resolve(value) {
    this.isPending = false;
    this.#resolve(value);
  }

  reject(error) {
    this.isPending = false;
    this.#reject(error);
  }
}

const nothing = () => {};

// Captured at startup, so that monkey-patched builtins do not affect the streams.
const apply = Reflect.apply;
const then = Function.prototype.call.bind(Promise.prototype.then);

// Converts the return value of `start` to a promise.
const settled = (value) => new Promise((resolve) => resolve(value));

// Marks the promise as handled, so that a rejection is not reported as unhandled.
function handled(promise) {
  then(promise, nothing, nothing);
}

const invalid = (words) => new ERR_INVALID_STATE.TypeError(words);

const one = () => 1;

function markOf(value, otherwise) {
  if (value === undefined) return otherwise;
  value = +value;
  if (Number.isNaN(value) || value < 0) throw new ERR_INVALID_ARG_VALUE.RangeError('strategy.highWaterMark', value);
  return value;
}

function sizeOf(size) {
  if (size === undefined) return one;
  validateFunction(size, 'strategy.size');
  return size;
}

// EnqueueValueWithSize: adds a chunk and its size to the controller's queue.
function enqueueSized(state, value, size) {
  size = +size;
  if (Number.isNaN(size) || size < 0 || size === Infinity) throw new ERR_INVALID_ARG_VALUE.RangeError('size', size);
  state.queue.push({ value, size });
  state.queueSize += size;
}

function dequeue(state) {
  const { value, size } = state.queue.shift();
  state.queueSize = Math.max(0, state.queueSize - size);
  return value;
}

function resetQueue(state) {
  state.queue = [];
  state.queueSize = 0;
}

// Calls a user function as a WebIDL promise callback: an exception becomes a rejection.
async function invoke(fn, self, args) {
  return apply(fn, self, args);
}

function promiseCallback(name, fn, self) {
  validateFunction(fn, name);
  return (...args) => invoke(fn, self, args);
}

// Like promiseCallback, for an optional function.
function optionalCallback(name, fn, self) {
  return fn ? promiseCallback(name, fn, self) : async () => {};
}

const brand = (name) => (value) => value != null && value[kState] !== undefined && value[kType] === name;

function inspectAs(self, depth, options, name, data) {
  if (depth < 0) return self;
  const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
  return `${name} ${require('internal/util/inspect').inspect(data, inner)}`;
}

// WebIDL: methods are enumerable and the prototype has a Symbol.toStringTag.
function finishClass(Class, names, type = Class.name) {
  const properties = { __proto__: null };
  for (const name of names) properties[name] = { __proto__: null, enumerable: true };
  properties[Symbol.toStringTag] = { __proto__: null, configurable: true, value: Class.name };
  properties[kType] = { __proto__: null, value: type };
  Object.defineProperties(Class.prototype, properties);
}

module.exports = {
  Deferred,
  apply,
  brand,
  dequeue,
  enqueueSized,
  finishClass,
  handled,
  inspectAs,
  invalid,
  kInspect,
  kInternal,
  kState,
  kType,
  markOf,
  nothing,
  one,
  optionalCallback,
  promiseCallback,
  resetQueue,
  settled,
  sizeOf,
  then,
};
