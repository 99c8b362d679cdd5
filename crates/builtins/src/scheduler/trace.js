'use strict';
// What builtins record of a program: spans, and which function of the program an event calls. Callers check `flags[TRACE]` first, or
// `flags[UNLOCATED]`, so that a program that is not recorded pays for one branch.

const { flags, TRACE, UNLOCATED, traceKinds } = require('internal/scheduler/state');

const { traceClock, traceLocate, traceMark, traceSpan, traceSpanBegin, traceSpanEnd } = native;

// Called while `flags[UNLOCATED]` is set, before a listener or callback runs. If it is the program's own function, the recorded callback of the
// event gets its place.
function locate(callback) {
  if (typeof callback !== 'function') return;
  // A listener that was added by `once` is wrapped.
  const { listener } = callback;
  if (traceLocate(typeof listener === 'function' ? listener : callback)) flags[UNLOCATED] = 0;
}

// Returns a callback that is called at once.
function called(callback) {
  if (flags[UNLOCATED] !== 0) locate(callback);
  return callback;
}

// Below this time, in milliseconds, the loading of a module is recorded only if all details are.
const kShortLoad = 0.1;

// A module was loaded since a time of `clock()`.
function moduleLoaded(name, began) {
  const took = traceClock() - began;
  if (took >= kShortLoad || flags[TRACE] > 1) traceSpan(traceKinds.span.MODULE, name, took, took);
}

module.exports = {
  flags,
  TRACE,
  UNLOCATED,
  kinds: traceKinds.span,
  // The key of the number of an object's span.
  kTraceSpan: Symbol('kTraceSpan'),
  locate,
  called,
  // The time of the recording in milliseconds.
  clock: traceClock,
  mark: traceMark,
  moduleLoaded,
  // `(kind, label, age, duration)`: a span that began `age` milliseconds ago.
  span: traceSpan,
  // `(kind, label)`: returns the number of the span for `endSpan(number, status, bytes)`.
  beginSpan: traceSpanBegin,
  endSpan: traceSpanEnd,
};
