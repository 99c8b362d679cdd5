'use strict';
// Mock functions and methods, which record their calls.

const { validateFunction, validateInteger, validateObject } = require('internal/validators');
const { ERR_INVALID_ARG_VALUE } = require('internal/errors');

// The `mock` property of a mock function.
class MockFunctionContext {
  #calls = [];
  #original;
  #implementation;
  #restore;
  #once = new Map();
  #times;

  constructor(original, implementation, restore, times) {
    this.#original = original;
    this.#implementation = implementation;
    this.#restore = restore;
    this.#times = times;
  }

  get calls() { return this.#calls.slice(); }
  callCount() { return this.#calls.length; }

  mockImplementation(implementation) {
    validateFunction(implementation, 'implementation');
    this.#implementation = implementation;
  }

  mockImplementationOnce(implementation, onCall) {
    validateFunction(implementation, 'implementation');
    const call = onCall ?? this.#calls.length;
    validateInteger(call, 'onCall', this.#calls.length);
    this.#once.set(call, implementation);
  }

  resetCalls() { this.#calls = []; }

  // Restores the replaced property; a standalone mock function gets its original implementation back.
  restore() {
    if (this.#restore !== undefined) this.#restore();
    else this.#implementation = this.#original;
  }

  // Selects the implementation for the next call.
  #next() {
    const at = this.#calls.length;
    const once = this.#once.get(at);
    if (once !== undefined) {
      this.#once.delete(at);
      return once;
    }
    const implementation = this.#implementation;
    if (at + 1 === this.#times) this.restore();
    return implementation;
  }

  // `run(implementation)` makes the call; its result or error is recorded.
  follow(target, self, args, run) {
    const implementation = this.#next();
    let result;
    let error;
    try {
      result = run(implementation);
      return result;
    } catch (reason) {
      error = reason;
      throw reason;
    } finally {
      this.#calls.push({
        arguments: args, error, result, stack: new Error(), target, this: target === undefined ? self : result,
      });
    }
  }
}

function mocked(original, implementation, { restore, times } = {}) {
  const context = new MockFunctionContext(original, implementation, restore, times);
  const made = new Proxy(original, {
    apply: (_, self, args) => context.follow(undefined, self, args, (fn) => Reflect.apply(fn, self, args)),
    construct: (target, args, newTarget) => context.follow(target, undefined, args, (fn) =>
      Reflect.construct(fn, args, newTarget === made ? fn : newTarget)),
    get: (target, key, self) => (key === 'mock' ? context : Reflect.get(target, key, self)),
  });
  return { context, made };
}

function timesOf({ times }) {
  if (times !== undefined) validateInteger(times, 'options.times', 1);
  return times;
}

function descriptorOf(object, name) {
  for (let at = object; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isOptions = (value) => value !== null && typeof value === 'object';

class MockTracker {
  #all = [];

  fn(original = function() {}, implementation = original, options = {}) {
    if (isOptions(original)) [options, original] = [original, function() {}];
    else if (isOptions(implementation)) [options, implementation] = [implementation, original];
    if (implementation === undefined || isOptions(implementation)) implementation = original;
    validateFunction(original, 'original');
    validateFunction(implementation, 'implementation');
    validateObject(options, 'options');
    const { context, made } = mocked(original, implementation, { times: timesOf(options) });
    this.#all.push(context);
    return made;
  }

  method(object, name, implementation, options = {}) {
    if (typeof object !== 'function') validateObject(object, 'object');
    if (isOptions(implementation)) [options, implementation] = [implementation, undefined];
    validateObject(options, 'options');
    const { getter = false, setter = false } = options;
    if (getter && setter) throw new ERR_INVALID_ARG_VALUE('options.setter', setter, "cannot be used with 'options.getter'");
    const descriptor = descriptorOf(object, name);
    const kind = getter ? 'get' : setter ? 'set' : 'value';
    const original = descriptor?.[kind];
    if (typeof original !== 'function') throw new ERR_INVALID_ARG_VALUE('methodName', original, 'must be a method');
    implementation ??= original;
    validateFunction(implementation, 'implementation');
    const isOwn = Object.hasOwn(object, name);
    const restore = () => {
      if (isOwn) Object.defineProperty(object, name, descriptor);
      else delete object[name];
    };
    const { context, made } = mocked(original, implementation, { restore, times: timesOf(options) });
    this.#all.push(context);
    const { configurable, enumerable, get, set, writable } = descriptor;
    Object.defineProperty(object, name, kind === 'value' ?
      { __proto__: null, configurable, enumerable, writable, value: made } :
      { __proto__: null, configurable, enumerable, get, set, [kind]: made });
    return made;
  }

  getter(object, name, implementation, options = {}) {
    if (isOptions(implementation)) [options, implementation] = [implementation, undefined];
    return this.method(object, name, implementation, { ...options, getter: true });
  }

  setter(object, name, implementation, options = {}) {
    if (isOptions(implementation)) [options, implementation] = [implementation, undefined];
    return this.method(object, name, implementation, { ...options, setter: true });
  }

  restoreAll() { for (const one of this.#all) one.restore(); }

  reset() {
    this.restoreAll();
    this.#all = [];
  }
}

module.exports = { MockTracker };
