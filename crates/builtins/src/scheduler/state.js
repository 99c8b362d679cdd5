'use strict';
// State that the parts of the inner scheduler share with each other and with Rust (`crates/js/src/scheduler.rs`).

// Read by Rust after each callback, so that an event without ticks costs no call into JavaScript.
const flags = new Uint32Array(native.flags);

// The indices of `flags`.
const TICKS = 0, REJECTIONS = 1, IMMEDIATES = 2, REF_IMMEDIATES = 3, TRACKING = 4, CONTEXT_USED = 5, REF_TIMERS = 6,
  DESTROYS = 7, TRACE = 8, ORIGINS = 9, WATCHED = 10, TICKS_RAN = 11, FINDINGS = 12, UNLOCATED = 13;

// The numbers of `CallbackKind`, `ResourceKind`, `SpanKind` and `CounterKind` in `crates/lens/src/record.rs`: timers, immediates and ticks are both
// callbacks and resources.
const traceKinds = {
  callback: { TIMEOUT: 33, IMMEDIATE: 34, TICK: 35, MICROTASK: 36, MESSAGE: 37, LISTENER: 38, DRAIN: 39 },
  resource: { TIMEOUT: 64, IMMEDIATE: 65, TICK: 66, PROMISE: 67, MICROTASK: 68 },
  span: { HTTP_SERVER: 1, HTTP_CLIENT: 2, DNS: 3, MODULE: 7, USER: 8 },
  counter: { TICKS: 1, IMMEDIATES: 2, TIMERS: 3, WRITE_BYTES: 5, TIMER_LATENESS_US: 6 },
};

// The state of asynchronous contexts. `context` is captured when a callback is queued and restored when it runs; it is undefined while no
// AsyncLocalStorage has a store. `hooks` tracks async ids; it is set while `flags[TRACKING]` is.
const asyncState = {
  context: undefined,
  hooks: undefined,
  // The newest async id. 1 is the id of the main script.
  newestId: 1,
  // The id of the callback that runs; at first of the main script.
  runningId: 1,
};

// When and where timers and immediates were made, while `flags[ORIGINS]` is set.
const origins = new SafeWeakMap();

function addOrigin(made) {
  origins.set(made, { stack: native.captureStack(), at: native.clockMs() });
}

function noteOrigin(made) {
  if (flags[ORIGINS] !== 0) addOrigin(made);
}

// `{ stack, ageMs }`, where `stack` is a number; undefined if it was not captured.
function originOf(made) {
  const origin = origins.get(made);
  return origin && { stack: origin.stack, ageMs: native.clockMs() - origin.at };
}

// What the watchdog of `--blocked` reads (`crates/js/src/blocked.rs`): the function of the callback that runs, the key of HTTP requests in
// contexts, and whether contexts may have one. Used while `flags[WATCHED]` is set.
const watched = { callback: undefined, requestKey: Symbol('http request'), hasRequests: false };
native.setWatchedState(asyncState, watched);

module.exports = {
  flags, TICKS, REJECTIONS, IMMEDIATES, REF_IMMEDIATES, TRACKING, CONTEXT_USED, REF_TIMERS, DESTROYS, TRACE, ORIGINS, WATCHED,
  TICKS_RAN, FINDINGS, UNLOCATED, traceKinds, asyncState, watched,
  addOrigin, noteOrigin, originOf,
  asyncId: Symbol('asyncId'),
  triggerId: Symbol('triggerId'),
  kRefed: Symbol('refed'),
  // `process._exiting`: ticks are ignored from now on.
  isExiting: false,
};
