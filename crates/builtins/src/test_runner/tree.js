'use strict';
// The tree of tests and suites: scheduling, hooks, timeouts and results. `internal/test_runner/report` prints it.

const { AsyncLocalStorage } = require('async_hooks');
const process = require('process');
const { performance } = require('perf_hooks');
const { clearTimeout, setTimeout } = require('timers');
const { AbortController } = require('internal/abort_controller');
const { kEmptyObject } = require('internal/util');
const { validateAbortSignal, validateFunction, validateNumber, validateObject } = require('internal/validators');
const { TestContext, SuiteContext } = require('internal/test_runner/context');
const { parseArguments } = require('internal/test_runner/given');

// The test or suite whose function is running.
const running = new AsyncLocalStorage();
const current = () => running.getStore();

// The failure of a test: `type` is Node's failureType. `isOwn` is true if the runner, not the program, created the
// error.
class Failure {
  constructor(error, type, isOwn = false) {
    this.error = error;
    this.type = type;
    this.isOwn = isOwn;
  }
}

const failure = (message, type) => new Failure(new Error(message), type, true);
const kOnly = "'only' and 'runOnly' require the --test-only command-line option.";
const kCancelled = 'cancelledByParent';
const kPending = 'Promise resolution is still pending but the event loop has already resolved';

// Calls a test function, which may take a callback as second argument or return a promise.
function called(fn, context, takesCallback, late) {
  if (!takesCallback) return Reflect.apply(fn, context, [context]);
  return new Promise((resolve, reject) => {
    let isDone = false;
    const done = (error) => {
      if (isDone) late(failure('callback invoked multiple times', 'multipleCallbackInvocations'));
      isDone = true;
      if (error) reject(error);
      else resolve();
    };
    const result = Reflect.apply(fn, context, [context, done]);
    if (typeof result?.then !== 'function') return;
    const both = failure('passed a callback but also returned a Promise', 'callbackAndPromisePresent');
    late(both);
    reject(both);
    result.then(undefined, () => {});
  });
}

class Item {
  // Subtests in the order they were added; the first `#started` of them have started.
  children = [];
  #started = 0;
  #active = 0;
  hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
  #beforeRun;
  failure = undefined;
  isCancelled = false;
  isEnded = false;
  // Diagnostic lines printed after the result.
  notes = [];
  mock = undefined;
  #plan;
  #counted = 0;
  #controller;
  #stop;
  #from = 0;
  durationMs = 0;

  constructor(parent, kind, { name, options, fn }) {
    const { concurrency, only, plan, signal, skip, timeout = Infinity, todo } = options;
    if (timeout !== Infinity) validateNumber(timeout, 'options.timeout', 0, 2 ** 31 - 1);
    if (signal !== undefined) validateAbortSignal(signal, 'options.signal');
    this.parent = parent;
    this.kind = kind;
    this.name = typeof name === 'string' && name !== '' ? name : options.name ?? (fn?.name || '<anonymous>');
    this.fn = fn;
    this.timeoutMs = timeout;
    this.outerSignal = signal;
    this.skip = skip || undefined;
    this.todo = todo || parent?.todo || undefined;
    this.atOnce = concurrency === true ? Infinity : concurrency || (concurrency === undefined && parent?.atOnce) || 1;
    if (plan !== undefined) this.plan(plan);
    if (only) this.warnOfOnly();
    // Captures the location of the test() call.
    this.made = new Error();
    this.finished = new Promise((resolve) => { this.finish = resolve; });
    this.context = kind === 'suite' ? new SuiteContext(this) : new TestContext(this);
    if (kind === 'suite' && !this.skip && fn !== undefined) this.build();
  }

  warnOfOnly() {
    if (!this.notes.includes(kOnly)) this.notes.push(kOnly);
  }

  fullName() { return this.parent.parent === undefined ? this.name : `${this.parent.fullName()} > ${this.name}`; }

  place() {
    const lines = this.made.stack.split('\n').slice(1);
    const line = lines.find((one) => !one.includes('node:')) ?? '';
    return /\(?((?:file:\/\/)?[^()\s]+:\d+:\d+)\)?$/.exec(line)?.[1];
  }

  file() { return this.place()?.replace(/:\d+:\d+$/, ''); }

  signal() {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.isEnded || this.outerSignal?.aborted) this.#controller.abort(this.outerSignal?.reason);
    }
    return this.#controller.signal;
  }

  // Runs the suite's function immediately; it adds the tests.
  build() {
    const fail = (error) => { this.fail(error); };
    try {
      this.built = running.run(this, () => Reflect.apply(this.fn, this.context, [this.context]));
    } catch (error) {
      fail(error);
    }
    if (typeof this.built?.then === 'function') this.built = this.built.then(undefined, fail);
  }

  plan(count) { this.#plan = count; }
  count() { this.#counted++; }

  fail(error, type = 'testCodeFailure') {
    this.failure ??= error instanceof Failure ? error : new Failure(error, type);
  }

  add(name, options, fn) {
    return addItem(this, 'test', parseArguments(name, options, fn)).finished;
  }

  hook(kind, fn, options) { addHook(this, kind, fn, options); }

  // Starts children up to the concurrency limit.
  goOn() {
    while (this.#started < this.children.length && this.#active < this.atOnce) {
      const next = this.children[this.#started++];
      this.#active++;
      next.run().then(() => {
        this.#active--;
        next.end();
        this.goOn();
      });
    }
    if (this.#active === 0 && this.#started === this.children.length) this.onIdle?.();
  }

  allDone() {
    return new Promise((resolve) => {
      this.onIdle = resolve;
      this.goOn();
    });
  }

  async runHooks(kind, context) {
    for (const { fn, timeoutMs } of this.hooks[kind]) {
      try {
        await this.limited(() => running.run(this, () => called(fn, context, fn.length > 1, (late) => this.fail(late))), timeoutMs);
      } catch (error) {
        throw error instanceof Failure && error.type === 'testTimeoutFailure' ? error : new Failure(error, 'hookFailed');
      }
    }
  }

  runBefore() { return (this.#beforeRun ??= this.runHooks('before', this.context)); }

  // Runs the hooks of all ancestors: beforeEach from the outermost inwards, afterEach from the innermost outwards.
  async runEach(kind, context) {
    const chain = [];
    for (let at = this.parent; at !== undefined; at = at.parent) chain.push(at);
    if (kind === 'beforeEach') chain.reverse();
    for (const one of chain) if (one.hooks[kind].length > 0) await one.runHooks(kind, context);
  }

  // Runs a function with a timeout and the abort signal.
  limited(run, timeoutMs) {
    return new Promise((resolve, reject) => {
      let timer;
      const stop = (reason) => {
        clearTimeout(timer);
        reject(reason);
      };
      this.#stop = stop;
      if (timeoutMs !== Infinity) {
        timer = setTimeout(() => {
          this.isCancelled = true;
          stop(failure(`test timed out after ${timeoutMs}ms`, 'testTimeoutFailure'));
        }, timeoutMs);
        timer.unref();
      }
      const well = (value) => {
        clearTimeout(timer);
        resolve(value);
      };
      try {
        const result = run();
        if (typeof result?.then === 'function') result.then(well, stop);
        else well(result);
      } catch (error) {
        stop(error);
      }
    });
  }

  // Fails the test from outside its function, e.g. for an uncaught exception.
  interrupt(error, type) {
    this.fail(error, type);
    this.#stop?.(this.failure);
  }

  cancel(message = 'test did not finish before its parent and was cancelled') {
    if (this.isEnded) return;
    for (const child of this.children) child.cancel(message);
    this.isCancelled = true;
    this.interrupt(failure(message, kCancelled));
    this.end();
  }

  async run() {
    this.#from = performance.now();
    if (this.isEnded) return;
    if (this.outerSignal?.aborted) {
      this.isCancelled = true;
      this.fail(this.outerSignal.reason, 'testAborted');
    }
    const onAbort = () => {
      this.isCancelled = true;
      this.interrupt(this.outerSignal.reason, 'testAborted');
    };
    this.outerSignal?.addEventListener('abort', onAbort, { once: true });
    if (!this.skip && !this.failure) await (this.kind === 'suite' ? this.runSuite() : this.runTest());
    this.outerSignal?.removeEventListener('abort', onAbort);
  }

  async runSuite() {
    try {
      await this.built;
      if (this.failure === undefined) {
        await this.runBefore();
        await this.limited(() => this.allDone(), this.timeoutMs);
      }
    } catch (error) {
      this.fail(error);
    }
    await this.finally('after');
  }

  async runTest() {
    try {
      await this.parent.runBefore();
      await this.runEach('beforeEach', this.context);
      if (this.fn !== undefined) {
        await this.limited(() => running.run(this, () =>
          called(this.fn, this.context, this.fn.length > 1, (late) => this.fail(late))), this.timeoutMs);
      }
      if (this.#plan !== undefined && this.#plan !== this.#counted) {
        throw failure(`plan expected ${this.#plan} assertions but received ${this.#counted}`, 'testCodeFailure');
      }
    } catch (error) {
      this.fail(error);
    }
    for (const child of this.children) child.cancel();
    await this.finally('afterEach');
    await this.finally('after');
  }

  async finally(kind) {
    try {
      if (kind === 'afterEach') await this.runEach(kind, this.context);
      else if (this.hooks.after.length > 0) await this.runHooks(kind, this.context);
    } catch (error) {
      this.fail(error);
    }
  }

  end() {
    if (this.isEnded) return;
    for (const child of this.children) child.cancel();
    this.isEnded = true;
    this.mock?.reset();
    const failed = this.children.filter((one) => one.failure !== undefined && !one.todo).length;
    if (failed > 0) this.fail(failure(`${failed} subtest${failed > 1 ? 's' : ''} failed`, 'subtestsFailed'));
    if (this.#from > 0) this.durationMs = performance.now() - this.#from;
    this.#controller?.abort();
    this.finish();
    if (this.parent !== undefined) top.report?.flush();
  }

  // The return value of `test()`. The promise of a suite is already resolved (`lib/internal/test_runner/harness.js:
  // runInParentContext`).
  toPromise() { return this.kind === 'suite' ? Promise.resolve() : this.finished; }
}

let top;

// The root of the tree. It ends when the process exits.
function root() {
  if (top !== undefined) return top;
  top = new Item(undefined, 'test', { name: '<root>', options: kEmptyObject, fn: undefined });
  const { Report } = require('internal/test_runner/report');
  top.report = new Report(top);
  const interrupted = (type) => (error) => {
    const item = current();
    if (item !== undefined && item !== top && !item.isEnded) {
      item.interrupt(error, type);
      return;
    }
    top.notes.push(`Error: A resource generated asynchronous activity after the test ended. This activity created the error "${error}" ` +
      `which triggered an ${type} event, caught by the test runner.`);
    process.exitCode = 1;
  };
  process.on('uncaughtException', interrupted('uncaughtException'));
  process.on('unhandledRejection', interrupted('unhandledRejection'));
  process.once('beforeExit', () => {
    // Hooks may never settle, so close the report at exit. An earlier process.exit() truncates the report and sets
    // the exit code.
    process.once('exit', () => top.report.close());
    finishAll();
  });
  return top;
}

async function finishAll() {
  for (const child of top.children) child.cancel(kPending);
  await top.finally('after');
  top.end();
  top.report.close();
}

function addItem(parent, kind, what) {
  const item = new Item(parent, kind, what);
  if (parent.isEnded) {
    item.fail(failure('test could not be started because its parent finished', 'parentAlreadyFinished'));
    item.end();
  }
  parent.children.push(item);
  // Tests of a suite start with the suite; top-level tests start after the script has run.
  if (parent === top) Promise.resolve().then(() => {}).then(() => parent.goOn());
  else if (parent.kind === 'test') parent.goOn();
  return item;
}

function addHook(item, kind, fn = () => {}, options = kEmptyObject) {
  validateFunction(fn, 'fn');
  validateObject(options, 'options');
  const { timeout = Infinity } = options;
  if (timeout !== Infinity) validateNumber(timeout, 'options.timeout', 0, 2 ** 31 - 1);
  const hook = { fn, timeoutMs: timeout };
  // Inside a running test, a `before` hook runs immediately (`lib/internal/test_runner/test.js: createHook`).
  if (kind === 'before' && item.kind === 'test' && item.parent !== undefined) {
    item.limited(() => called(fn, item.context, fn.length > 1, (late) => item.fail(late)), timeout)
      .catch((error) => item.fail(error, 'hookFailed'));
    return;
  }
  item.hooks[kind].push(hook);
}

module.exports = { addHook, addItem, current, root };
