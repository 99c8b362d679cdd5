'use strict';
// The three runners of fs calls: synchronous, with a callback, with a promise. Each operation is written once and works with all of them.
//
// A plan is `[syscall, args, path, dest, make]`: a native call and its arguments, the paths for its error, and a function that converts the result.
// An operation of several steps is a generator of plans: the runner resumes it with the result of each plan, or throws the error into it.

const { Buffer } = require('buffer');
const { captureStack, uvException } = require('internal/errors');
const tracking = require('internal/async_hooks/tracking');
const { called } = require('internal/scheduler/trace');

const { callback: operations } = native;
let promiseOperations;

// `above` is the topmost function that the stack trace leaves out.
function failed(errno, syscall, path, dest, above = failed) {
  if (path instanceof Uint8Array) path = Buffer.from(path.buffer, path.byteOffset, path.byteLength).toString();
  if (dest instanceof Uint8Array) dest = Buffer.from(dest.buffer, dest.byteOffset, dest.byteLength).toString();
  const error = uvException({ errno, syscall, path, dest });
  captureStack(error, `Error: ${error.message}`, above);
  return error;
}

// An error of a call on the thread pool. Its stack has no frames, because Node creates it without JavaScript on the stack.
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
function runPlan([syscall, args, path, dest, make]) {
  const result = operations[syscall](undefined, ...args);
  if (typeof result === 'number' && result < 0) throw failed(result, syscall, path, dest, runNow);
  return make === undefined ? result : make(result);
}

// Runs one plan on the thread pool. In the poll phase, calls `onResult(value)` or `onError(error)`.
function schedulePlan(from, [syscall, args, path, dest, make], onResult, onError) {
  const done = (error, result) => {
    if (error !== null) {
      // The native error names the path of the native call, which may differ from the path that the script has passed.
      onError(path === args[0] ? error : failedLater(error.errno, syscall, path, dest));
      return;
    }
    if (make !== undefined) {
      try {
        result = make(result);
      } catch (error) {
        onError(error);
        return;
      }
    }
    onResult(result);
  };
  from[syscall](from === operations ? tracked(done) : tracked(done, 'FSREQPROMISE'), ...args);
}

// Tracks a native callback as a request of async_hooks, if tracking is enabled.
function tracked(callback, type = 'FSREQCALLBACK') {
  return tracking.on ? tracking.request(type, callback) : callback;
}

function runSteps(steps) {
  let step = steps.next();
  while (!step.done) {
    let value;
    try {
      value = runPlan(step.value);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(value);
  }
  return step.value;
}

function scheduleSteps(from, steps, onResult, onError) {
  const advance = (method, value) => {
    let step;
    try {
      step = steps[method](value);
    } catch (error) {
      onError(error);
      return;
    }
    if (step.done) {
      onResult(step.value);
    } else if (typeof step.value.then === 'function') {
      step.value.then((result) => advance('next', result), (error) => advance('throw', error));
    } else {
      try {
        schedulePlan(from, step.value, (result) => advance('next', result), (error) => advance('throw', error));
      } catch (error) {
        advance('throw', error);
      }
    }
  };
  advance('next');
}

const isPlan = Array.isArray;

function runNow(work) {
  return isPlan(work) ? runPlan(work) : runSteps(work);
}

// Runs a plan or a generator. Calls `callback(null)` if the result is undefined, otherwise `callback(null, result)`.
function runCallback(work, callback) {
  if (isPlan(work)) {
    const [syscall, args, path, , make] = work;
    if (make === undefined && (path === undefined || path === args[0])) {
      operations[syscall](tracked(callback), ...args);
      return;
    }
  }
  const onResult = (result) => {
    if (result === undefined) called(callback)(null);
    else called(callback)(null, result);
  };
  const onError = (error) => called(callback)(error);
  if (isPlan(work)) schedulePlan(operations, work, onResult, onError);
  else scheduleSteps(operations, work, onResult, onError);
}

// Rejects a promise with an error of the thread pool and adds the awaiting async functions to its stack.
function refuse(reject, error) {
  require('internal/stack').waited(error, reject);
  reject(error);
}

function runPromise(work) {
  promiseOperations ??= makePromiseOperations();
  return new Promise((resolve, reject) => {
    const onError = (error) => refuse(reject, error);
    if (isPlan(work)) schedulePlan(promiseOperations, work, resolve, onError);
    else scheduleSteps(promiseOperations, work, resolve, onError);
  });
}

const makePromiseOperations = () => (promiseOperations ??= native.makePromise());

module.exports = { failed, failedLater, makePromiseOperations, refuse, runCallback, runNow, runPromise, tracked };
