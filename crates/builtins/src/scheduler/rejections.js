'use strict';
// Unhandled promise rejections, collected until the end of a drain and then reported: `lib/internal/process/promises.js`.

const shared = require('internal/scheduler/state');

const { flags, REJECTIONS, asyncState } = shared;

// Rejections to report, oldest first: `{ promise, reason, context }`.
let pending = [];
// The entries of promises that were rejected and not handled since. A reported one has `warned`.
const unhandledPromises = new SafeWeakMap();
// Promises that were reported, and have been handled since.
let handledLate = [];

// The functions that report rejections: `unhandled(promise, reason, context)` and `rejectionHandled(promise)`.
const report = { unhandled: undefined, rejectionHandled: undefined };

// Called by the engine when a promise is rejected without a handler, and again when it gets its first handler afterwards.
function onRejection(promise, reason, isHandled) {
  if (!isHandled) {
    const entry = { promise, reason, context: asyncState.context, warned: false, handled: false };
    unhandledPromises.set(promise, entry);
    pending.push(entry);
    flags[REJECTIONS] = 1;
    return;
  }
  const entry = unhandledPromises.get(promise);
  if (entry === undefined) return;
  unhandledPromises.delete(promise);
  entry.handled = true;
  if (entry.warned) {
    handledLate.push(promise);
    flags[REJECTIONS] = 1;
  }
}

// Does not report a rejection that has no handler, unless it was reported.
function forgetRejection(promise) {
  const entry = unhandledPromises.get(promise);
  if (entry === undefined || entry.warned) return;
  unhandledPromises.delete(promise);
  entry.handled = true;
}

// Reports what is pending. Returns whether that may have queued work.
function processPromiseRejections() {
  let mayHaveQueued = handledLate.length > 0;
  while (handledLate.length > 0) {
    report.rejectionHandled(handledLate.shift());
  }
  // Rejections that listeners cause are reported in the next round.
  const round = pending;
  if (round.length === 0) return mayHaveQueued;
  pending = [];
  // A promise that a listener handles during the round is still reported, and no 'rejectionHandled' follows.
  const reported = ArrayPrototypeFilter(round, (entry) => !entry.handled);
  for (const entry of reported) unhandledPromises.delete(entry.promise);
  for (let at = 0; at < reported.length; at++) {
    const entry = reported[at];
    if (!entry.handled) {
      entry.warned = true;
      unhandledPromises.set(entry.promise, entry);
    }
    mayHaveQueued = true;
    asyncState.context = entry.context;
    try {
      report.unhandled(entry.promise, entry.reason, entry.context);
    } catch (error) {
      // The rest is reported after the exception was.
      pending = ArrayPrototypeConcat(ArrayPrototypeSlice(reported, at + 1), pending);
      flags[REJECTIONS] = 1;
      throw error;
    } finally {
      asyncState.context = undefined;
    }
  }
  return mayHaveQueued || pending.length !== 0;
}

module.exports = { report, onRejection, forgetRejection, processPromiseRejections };
