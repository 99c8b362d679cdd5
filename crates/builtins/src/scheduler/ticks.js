'use strict';
// `process.nextTick` and `queueMicrotask`, and the drain of both queues: `lib/internal/process/task_queues.js`.

const shared = require('internal/scheduler/state');
const { processPromiseRejections } = require('internal/scheduler/rejections');

const { flags, TICKS, REJECTIONS, TRACKING, TRACE, WATCHED, TICKS_RAN, asyncState, watched } = shared;
const { callback: { DRAIN, TICK }, counter, resource } = shared.traceKinds;
const { enqueueMicrotask, runMicrotasks, traceBegin, traceEnd, traceDrained, traceCreated, traceCounter } = native;

// The detail of a recording from which on each tick and microtask has a record of its own.
const EACH_TICK = 2;

class Tick {
  constructor(callback, args, context) {
    this.callback = callback;
    this.args = args;
    this.context = context;
    this.record = undefined;
    // The id in a recording that has each tick.
    this.traceId = 0;
  }
}

// A queue of ticks in a ring that grows when it is full. Its length is a power of two.
let ring = new Array(64).fill(undefined);
let mask = 63;
let first = 0;
let count = 0;

function grow() {
  const larger = new Array(ring.length * 2).fill(undefined);
  for (let at = 0; at < count; at++) larger[at] = ring[(first + at) & mask];
  ring = larger;
  mask = larger.length - 1;
  first = 0;
}

// After a burst, the ring must not hold its memory for ever.
function shrink() {
  if (ring.length > 4096 && count === 0) {
    ring = new Array(64).fill(undefined);
    mask = 63;
    first = 0;
  }
}

function badCallback(value) {
  const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
  throw new ERR_INVALID_ARG_TYPE('callback', 'Function', value);
}

// `callback` and its arguments run after the current callback, before microtasks.
function nextTick(callback, ...args) {
  if (typeof callback !== 'function') badCallback(callback);
  if (shared.isExiting) return;
  const tick = new Tick(callback, args.length === 0 ? undefined : args, asyncState.context);
  if (flags[TRACKING] !== 0) {
    // What hooks see as the resource: Node's tick object without its symbols.
    tick.record = asyncState.hooks.init('TickObject', { callback, args });
  }
  if (flags[TRACE] >= EACH_TICK) tick.traceId = traceCreated(resource.TICK);
  if (count === ring.length) grow();
  ring[(first + count) & mask] = tick;
  count++;
  flags[TICKS] = 1;
}

function call(callback, args) {
  switch (args.length) {
    case 1: callback(args[0]); break;
    case 2: callback(args[0], args[1]); break;
    case 3: callback(args[0], args[1], args[2]); break;
    default: callback(...args);
  }
}

function runTracked({ callback, args, record }) {
  const { hooks } = asyncState;
  hooks.before(record);
  try {
    if (args === undefined) callback();
    else call(callback, args);
  } finally {
    hooks.destroy(record);
  }
  hooks.after(record);
}

function takeTick() {
  const tick = ring[first];
  ring[first] = undefined;
  first = (first + 1) & mask;
  count--;
  return tick;
}

function runTick(tick) {
  if (tick.record !== undefined) {
    runTracked(tick);
    return;
  }
  const { callback, args, context } = tick;
  if (asyncState.context !== context) asyncState.context = context;
  if (args === undefined) callback();
  else call(callback, args);
}

// The number of queued ticks that was recorded last.
let countedTicks = 0;

// As `drain`, while a recording is made. A drain that an exception has ended is ended in the recording by Rust.
function drainTraced() {
  traceBegin(DRAIN, undefined, 0, 0);
  // Ticks without a record of their own.
  let ran = 0;
  // Recorded if it has changed much.
  if (Math.abs(count - countedTicks) > 4 + countedTicks / 2) traceCounter(counter.TICKS, countedTicks = count);
  do {
    while (count > 0) {
      const tick = takeTick();
      if (flags[TRACE] >= EACH_TICK) {
        traceBegin(TICK, tick.callback, tick.traceId, 0);
        runTick(tick);
        traceEnd();
      } else {
        ran++;
        runTick(tick);
      }
    }
    asyncState.context = undefined;
    runMicrotasks();
  } while (count > 0 || processPromiseRejections());
  traceDrained(ran);
}

// As `drain`, while the watchdog watches the thread.
function drainWatched() {
  flags[TICKS_RAN] = 0;
  do {
    while (count > 0) {
      const tick = takeTick();
      watched.callback = tick.callback;
      flags[TICKS_RAN]++;
      runTick(tick);
    }
    watched.callback = undefined;
    asyncState.context = undefined;
    runMicrotasks();
  } while (count > 0 || processPromiseRejections());
  flags[TICKS_RAN] = 0;
}

function drain() {
  do {
    while (count > 0) runTick(takeTick());
    asyncState.context = undefined;
    runMicrotasks();
  } while (count > 0 || processPromiseRejections());
}

// Runs ticks, microtasks and unhandled rejections until there are none. An exception ends it; the next drain runs the rest.
function processTicksAndRejections() {
  if (flags[TRACE] !== 0) drainTraced();
  else if (flags[WATCHED] !== 0) drainWatched();
  else drain();
  flags[TICKS] = 0;
  flags[REJECTIONS] = 0;
  shrink();
}

// The drain between two callbacks of one event: `lib/internal/process/task_queues.js: runNextTicks`.
function runNextTicks() {
  if (count === 0 && flags[REJECTIONS] === 0) {
    asyncState.context = undefined;
    runMicrotasks();
  }
  if (count === 0 && flags[REJECTIONS] === 0) return;
  processTicksAndRejections();
}

function queueMicrotask(callback) {
  if (typeof callback !== 'function') badCallback(callback);
  if (flags[TRACKING] !== 0) {
    const record = asyncState.hooks.init('Microtask', {});
    enqueueMicrotask(() => {
      const { hooks } = asyncState;
      hooks.before(record);
      try {
        callback();
      } finally {
        hooks.destroy(record);
        hooks.after(record);
      }
    });
    return;
  }
  const { context } = asyncState;
  if (context === undefined) {
    enqueueMicrotask(callback);
    return;
  }
  enqueueMicrotask(() => {
    const before = asyncState.context;
    asyncState.context = context;
    try {
      callback();
    } finally {
      asyncState.context = before;
    }
  });
}

module.exports = { nextTick, queueMicrotask, processTicksAndRejections, runNextTicks, ticksWaiting: () => count };
