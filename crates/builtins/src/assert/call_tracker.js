'use strict';
// `assert.CallTracker` (deprecated): functions that must be called an exact number of times.

const AssertionError = require('internal/assert/assertion_error');
const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
const { validateUint32 } = require('internal/validators');

const noop = () => {};

// The recorded calls of one tracked function.
class Context {
  #calls = [];
  expected;
  name;
  stack;

  constructor({ expected, name, stack }) {
    Object.assign(this, { expected, name, stack });
  }

  track(thisArg, args) {
    const copy = Object.freeze([...args]);
    this.#calls.push(Object.freeze({ thisArg, arguments: copy }));
  }

  getCalls() { return Object.freeze([...this.#calls]); }

  reset() { this.#calls = []; }

  get delta() { return this.#calls.length - this.expected; }

  report() {
    if (this.delta === 0) return undefined;
    const actual = this.#calls.length;
    return {
      message: `Expected the ${this.name} function to be executed ${this.expected} time(s) but was executed ${actual} time(s).`,
      actual,
      expected: this.expected,
      operator: this.name,
      stack: this.stack,
    };
  }
}

class CallTracker {
  #contexts = new Set();
  #byFunction = new WeakMap();

  #contextOf(tracked) {
    const context = this.#byFunction.get(tracked);
    if (context === undefined) throw new ERR_INVALID_ARG_VALUE('tracked', tracked, 'is not a tracked function');
    return context;
  }

  reset(tracked) {
    if (tracked === undefined) {
      for (const context of this.#contexts) context.reset();
      return;
    }
    this.#contextOf(tracked).reset();
  }

  getCalls(tracked) { return this.#contextOf(tracked).getCalls(); }

  calls(fn, expected = 1) {
    if (typeof fn === 'number') {
      expected = fn;
      fn = noop;
    } else if (fn === undefined) {
      fn = noop;
    }
    validateUint32(expected, 'expected', true);
    const context = new Context({ expected, name: fn.name || 'calls', stack: new Error() });
    const tracked = new Proxy(fn, {
      __proto__: null,
      apply(target, thisArg, args) {
        context.track(thisArg, args);
        return Reflect.apply(target, thisArg, args);
      },
    });
    this.#contexts.add(context);
    this.#byFunction.set(tracked, context);
    return tracked;
  }

  report() {
    return [...this.#contexts].map((context) => context.report()).filter((one) => one !== undefined);
  }

  verify() {
    const errors = this.report();
    if (errors.length === 0) return;
    const message = errors.length === 1 ? errors[0].message : 'Functions were not called the expected number of times';
    throw new AssertionError({ message, details: errors });
  }
}

module.exports = CallTracker;
