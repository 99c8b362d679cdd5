'use strict';
// The three runners of fs calls: synchronous, with a callback, with a promise.
//
// A plan is `[syscall, args, path, dest, make]`: a native call and its arguments, the paths for its error, and a function that
// converts the result. An operation of several steps is a generator that yields plans and receives their results; an error is
// thrown into it. Each operation is written once and run by any of the runners.

const { Buffer } = require('buffer');
const { captureStack, uvException } = require('internal/errors');
const tracking = require('internal/async_hooks/tracking');

const { callback: operations } = native;
let promiseOperations;

// `above` is the topmost function to leave out of the stack trace.
function failed(errno, syscall, path, dest, above = failed) {
  if (path instanceof Uint8Array) path = Buffer.from(path.buffer, path.byteOffset, path.byteLength).toString();
  if (dest instanceof Uint8Array) dest = Buffer.from(dest.buffer, dest.byteOffset, dest.byteLength).toString();
  const error = uvException({ errno, syscall, path, dest });
  captureStack(error, `Error: ${error.message}`, above);
  return error;
}

// An error from the thread pool. Its stack has no frames: Node creates it without JavaScript on the stack.
function failedLater(errno, syscall, path, dest) {
  const limit = Error.stackTraceLimit;
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return failed(errno, syscall, path, dest);
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit);
  }
}

// Runs one plan synchronously.
function now([syscall, args, path, dest, make]) {
  const result = operations[syscall](undefined, ...args);
  if (typeof result === 'number' && result < 0) throw failed(result, syscall, path, dest, runNow);
  return make === undefined ? result : make(result);
}

// Runs one plan on the thread pool: calls `well(value)` or `badly(error)` later, in the poll phase.
function later(from, [syscall, args, path, dest, make], well, badly) {
  const done = (error, result) => {
    if (error !== null) {
      // The native error names the path that was passed to the call, which may differ from the path that the script
      // passed.
      badly(path === args[0] ? error : failedLater(error.errno, syscall, path, dest));
      return;
    }
    if (make !== undefined) {
      try {
        result = make(result);
      } catch (error) {
        badly(error);
        return;
      }
    }
    well(result);
  };
  from[syscall](from === operations ? tracked(done) : tracked(done, 'FSREQPROMISE'), ...args);
}

// Wraps a native callback for async_hooks if tracking is enabled.
function tracked(callback, type = 'FSREQCALLBACK') {
  return tracking.on ? tracking.request(type, callback) : callback;
}

function stepsNow(steps) {
  let step = steps.next();
  while (!step.done) {
    let value;
    try {
      value = now(step.value);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(value);
  }
  return step.value;
}

function stepsLater(from, steps, well, badly) {
  const take = (method, value) => {
    let step;
    try {
      step = steps[method](value);
    } catch (error) {
      badly(error);
      return;
    }
    if (step.done) {
      well(step.value);
    } else if (typeof step.value.then === 'function') {
      step.value.then((result) => take('next', result), (error) => take('throw', error));
    } else {
      try {
        later(from, step.value, (result) => take('next', result), (error) => take('throw', error));
      } catch (error) {
        take('throw', error);
      }
    }
  };
  take('next');
}

const isPlan = Array.isArray;

function runNow(work) {
  return isPlan(work) ? now(work) : stepsNow(work);
}

// Calls `callback(null)` if there is no result, otherwise `callback(null, result)`.
function runCallback(work, callback) {
  if (isPlan(work)) {
    const [syscall, args, path, , make] = work;
    if (make === undefined && (path === undefined || path === args[0])) {
      operations[syscall](tracked(callback), ...args);
      return;
    }
  }
  const well = (result) => {
    if (result === undefined) callback(null);
    else callback(null, result);
  };
  if (isPlan(work)) later(operations, work, well, callback);
  else stepsLater(operations, work, well, callback);
}

// Rejects a promise with an error of the thread pool and adds the awaiting async functions to its stack.
function refuse(reject, error) {
  require('internal/stack').waited(error, reject);
  reject(error);
}

function runPromise(work) {
  promiseOperations ??= makePromiseOperations();
  return new Promise((resolve, reject) => {
    const badly = (error) => refuse(reject, error);
    if (isPlan(work)) later(promiseOperations, work, resolve, badly);
    else stepsLater(promiseOperations, work, resolve, badly);
  });
}

const makePromiseOperations = () => (promiseOperations ??= native.makePromise());

module.exports = { failed, failedLater, makePromiseOperations, refuse, runCallback, runNow, runPromise, tracked };
