'use strict';
// TestContext and SuiteContext, the argument of test and suite functions.

const { validateFunction, validateNumber, validateObject, validateString } = require('internal/validators');
const { MockTracker } = require('internal/test_runner/mock');

// Custom assertions by name (`assert.register`).
const registered = new Map();

function registerAssertion(name, fn) {
  validateString(name, 'name');
  validateFunction(fn, 'fn');
  registered.set(name, fn);
}

// The functions of `assert` and the custom ones; each call counts towards the test's plan.
function assertionsOf(item, context) {
  const all = { __proto__: null };
  const assert = require('assert');
  const put = (name, fn, self) => {
    all[name] = (...args) => {
      item.count();
      return Reflect.apply(fn, self, args);
    };
  };
  for (const name of Object.keys(assert)) {
    if (typeof assert[name] === 'function' && !/^[A-Z]|^strict$/.test(name)) put(name, assert[name], assert);
  }
  for (const [name, fn] of registered) put(name, fn, context);
  return all;
}

class SuiteContext {
  #item;

  constructor(item) { this.#item = item; }

  get name() { return this.#item.name; }
  get fullName() { return this.#item.fullName(); }
  get filePath() { return this.#item.file(); }
  get signal() { return this.#item.signal(); }
}

class TestContext {
  #item;
  #assert;

  constructor(item) { this.#item = item; }

  get name() { return this.#item.name; }
  get fullName() { return this.#item.fullName(); }
  get filePath() { return this.#item.file(); }
  get signal() { return this.#item.signal(); }
  get error() { return this.#item.failure?.error ?? null; }
  get passed() { return this.#item.failure === undefined; }
  get assert() { return (this.#assert ??= assertionsOf(this.#item, this)); }
  get mock() { return (this.#item.mock ??= new MockTracker()); }

  diagnostic(message) { this.#item.notes.push(`${message}`); }

  plan(count) {
    validateNumber(count, 'count');
    this.#item.plan(count);
  }

  skip(message) { this.#item.skip = message ?? true; }
  todo(message) { this.#item.todo = message ?? true; }
  runOnly() { this.#item.warnOfOnly(); }

  test(name, options, fn) {
    this.#item.count();
    return this.#item.add(name, options, fn);
  }

  before(fn, options) { this.#item.hook('before', fn, options); }
  after(fn, options) { this.#item.hook('after', fn, options); }
  beforeEach(fn, options) { this.#item.hook('beforeEach', fn, options); }
  afterEach(fn, options) { this.#item.hook('afterEach', fn, options); }

  // Polls the condition until it does not throw.
  async waitFor(condition, options = {}) {
    validateFunction(condition, 'condition');
    validateObject(options, 'options');
    const { interval = 50, timeout = 1000 } = options;
    validateNumber(interval, 'options.interval');
    validateNumber(timeout, 'options.timeout');
    const { setTimeout: wait } = require('timers/promises');
    const { performance } = require('perf_hooks');
    const end = performance.now() + timeout;
    for (;;) {
      try {
        return await condition();
      } catch (cause) {
        if (performance.now() >= end) throw new Error('waitFor() timed out', { cause });
      }
      await wait(interval);
    }
  }
}

module.exports = { SuiteContext, TestContext, registerAssertion };
