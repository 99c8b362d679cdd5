'use strict';
// How a call of fs is made: now, with a callback, or with a promise.
//
// A plan is `[verb, args, path, dest, make]`: a native verb with its arguments, what its error names, and what is made of
// its result. A call of several steps is a generator that yields plans and is sent their results; what a step throws is
// thrown into it. Each is written once and run by any of the three runners here.

const { Buffer } = require('buffer');
const { captureStack, uvException } = require('internal/errors');
const tracking = require('internal/async_hooks/tracking');

const { callback: verbs } = native;
let promiseVerbs;

// `above` is the function whose callers the stack shows.
function failed(errno, syscall, path, dest, above = failed) {
  if (path instanceof Uint8Array) path = Buffer.from(path.buffer, path.byteOffset, path.byteLength).toString();
  if (dest instanceof Uint8Array) dest = Buffer.from(dest.buffer, dest.byteOffset, dest.byteLength).toString();
  const error = uvException({ errno, syscall, path, dest });
  captureStack(error, `Error: ${error.message}`, above);
  return error;
}

// An error that no line of the script made: it has no frames, as in Node.
function failedLater(errno, syscall, path, dest) {
  const limit = Error.stackTraceLimit;
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return failed(errno, syscall, path, dest);
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit);
  }
}

// One plan, now.
function now([verb, args, path, dest, make]) {
  const result = verbs[verb](undefined, ...args);
  if (typeof result === 'number' && result < 0) throw failed(result, verb, path, dest, runNow);
  return make === undefined ? result : make(result);
}

// One plan by the pool: `well(value)` or `badly(error)` is called later, in the poll phase.
function later(from, [verb, args, path, dest, make], well, badly) {
  const done = (error, result) => {
    if (error !== null) {
      // The verb names the path that it was given, which is not always the one that the script knows.
      badly(path === args[0] ? error : failedLater(error.errno, verb, path, dest));
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
  from[verb](from === verbs ? tracked(done) : tracked(done, 'FSREQPROMISE'), ...args);
}

// What a verb calls back, in the context of now if anybody asks.
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

// Calls `callback(null)` where there is no result, else `callback(null, result)`.
function runCallback(work, callback) {
  if (isPlan(work)) {
    const [verb, args, path, , make] = work;
    if (make === undefined && (path === undefined || path === args[0])) {
      verbs[verb](tracked(callback), ...args);
      return;
    }
  }
  const well = (result) => {
    if (result === undefined) callback(null);
    else callback(null, result);
  };
  if (isPlan(work)) later(verbs, work, well, callback);
  else stepsLater(verbs, work, well, callback);
}

// Rejects a promise with the pool's error, whose stack shows who waits for it.
function refuse(reject, error) {
  require('internal/stack').waited(error, reject);
  reject(error);
}

function runPromise(work) {
  promiseVerbs ??= makePromiseVerbs();
  return new Promise((resolve, reject) => {
    const badly = (error) => refuse(reject, error);
    if (isPlan(work)) later(promiseVerbs, work, resolve, badly);
    else stepsLater(promiseVerbs, work, resolve, badly);
  });
}

const makePromiseVerbs = () => (promiseVerbs ??= native.makePromise());

module.exports = { failed, failedLater, makePromiseVerbs, refuse, runCallback, runNow, runPromise, tracked };
