'use strict';
// `setImmediate`: the queue of the check phase. `lib/internal/timers.js: Immediate, processImmediate`.

const {
  flags, IMMEDIATES, REF_IMMEDIATES, TRACKING, TRACE, ORIGINS, WATCHED, traceKinds, asyncState, watched, asyncId, triggerId, kRefed,
  addOrigin,
} = require('internal/scheduler/state');
const { watchBegin, traceBegin, traceEnd, traceCause, traceCreated } = native;
const { runNextTicks } = require('internal/scheduler/ticks');

// `queue`: immediates for the next check phase. `outstanding`: those that had not run when an exception ended a check phase.
const queue = { head: null, tail: null };
const outstanding = { head: null, tail: null };

function append(item) {
  if (queue.tail !== null) {
    item._idlePrev = queue.tail;
    queue.tail._idleNext = item;
  } else {
    queue.head = item;
  }
  queue.tail = item;
}

// Also for an item of `outstanding`, whose neighbours are linked in the same way.
function remove(item) {
  if (item._idleNext) item._idleNext._idlePrev = item._idlePrev;
  if (item._idlePrev) item._idlePrev._idleNext = item._idleNext;
  if (item === queue.head) queue.head = item._idleNext;
  if (item === queue.tail) queue.tail = item._idlePrev;
  item._idleNext = null;
  item._idlePrev = null;
}

let contextOf, recordOf, traceIdOf, traceCauseOf;

// When the immediate began that runs now, in a recording; 0 while none does.
let beganAt = 0;

class Immediate {
  // The context in which the callback runs, and its async ids while they are tracked.
  #context = asyncState.context;
  #record = undefined;
  // The id in a recording with the places that make immediates, and the time of the callback that has made this one.
  #traceId = 0;
  #traceCause = 0;

  static {
    contextOf = (immediate) => immediate.#context;
    recordOf = (immediate) => immediate.#record;
    traceIdOf = (immediate) => immediate.#traceId;
    traceCauseOf = (immediate) => immediate.#traceCause;
  }

  constructor(callback, args) {
    this._idleNext = null;
    this._idlePrev = null;
    this._onImmediate = callback;
    this._argv = args;
    this._destroyed = false;
    this[kRefed] = true;
    this[asyncId] = ++asyncState.newestId;
    this[triggerId] = asyncState.runningId;
    if (flags[TRACKING] !== 0) this.#record = asyncState.hooks.init('Immediate', this);
    if (flags[TRACE] !== 0) {
      if (flags[TRACE] === 1) this.#traceCause = beganAt || traceCause();
      else this.#traceId = traceCreated(traceKinds.resource.IMMEDIATE);
    }
    if (flags[ORIGINS] !== 0) addOrigin(this);
    flags[IMMEDIATES]++;
    flags[REF_IMMEDIATES]++;
    append(this);
  }

  ref() {
    if (this[kRefed] === false) {
      this[kRefed] = true;
      flags[REF_IMMEDIATES]++;
    }
    return this;
  }

  unref() {
    if (this[kRefed] === true) {
      this[kRefed] = false;
      flags[REF_IMMEDIATES]--;
    }
    return this;
  }

  hasRef() {
    return !!this[kRefed];
  }

  [Symbol.dispose]() {
    clearImmediate(this);
  }
}

function setImmediate(callback, ...args) {
  if (typeof callback !== 'function') badCallback(callback);
  return new Immediate(callback, args.length === 0 ? undefined : args);
}

function badCallback(value) {
  const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
  throw new ERR_INVALID_ARG_TYPE('callback', 'Function', value);
}

// No longer queued: it runs now, or was cleared.
function unlist(immediate) {
  immediate._destroyed = true;
  flags[IMMEDIATES]--;
  if (immediate[kRefed]) flags[REF_IMMEDIATES]--;
  immediate[kRefed] = null;
}

function clearImmediate(immediate) {
  if (!immediate?._onImmediate || immediate._destroyed) return;
  unlist(immediate);
  const record = recordOf(immediate);
  if (record !== undefined) asyncState.hooks.destroy(record);
  immediate._onImmediate = null;
  remove(immediate);
}

function call(immediate) {
  const { _argv: args } = immediate;
  if (args === undefined) immediate._onImmediate();
  else immediate._onImmediate(...args);
}

// The immediate that runs. The rest of its round follows it.
let running = null;

// The immediates that keep the loop alive, in their order.
function waitingImmediates() {
  const found = [];
  const isListed = (immediate) => immediate[kRefed] && !immediate._destroyed;
  for (let immediate = running ?? outstanding.head; immediate !== null; immediate = immediate._idleNext) {
    if (isListed(immediate)) found.push(immediate);
  }
  for (let immediate = queue.head; immediate !== null; immediate = immediate._idleNext) {
    if (isListed(immediate)) found.push(immediate);
  }
  return found;
}

// Between two immediates.
function endAndDrain() {
  if (beganAt !== 0) {
    beganAt = 0;
    traceEnd();
  }
  runNextTicks();
}

// The check phase. An exception ends the round; the next call runs the rest of it. Rust ends the last immediate in a recording.
function processImmediates() {
  let immediate = outstanding.head;
  if (immediate === null) {
    immediate = queue.head;
    // Immediates that callbacks add are for the next phase.
    queue.head = null;
    queue.tail = null;
  }
  let previous;
  let isLater = false;
  let isFirst = true;
  while (immediate !== null) {
    if (isFirst) isFirst = false;
    else endAndDrain();
    // The ticks may have cleared it. Then the one before it knows what follows.
    if (immediate._destroyed) {
      outstanding.head = immediate = previous._idleNext;
      continue;
    }
    unlist(immediate);
    previous = immediate;
    running = immediate;
    const record = recordOf(immediate);
    if (record !== undefined) asyncState.hooks.before(record);
    else asyncState.context = contextOf(immediate);
    if (flags[TRACE] !== 0) {
      beganAt = traceBegin(traceKinds.callback.IMMEDIATE, immediate._onImmediate, traceIdOf(immediate), traceCauseOf(immediate));
    }
    if (flags[WATCHED] !== 0) {
      // The first one begins with the event of the loop.
      if (isLater) watchBegin(traceKinds.callback.IMMEDIATE);
      isLater = true;
      watched.callback = immediate._onImmediate;
    }
    try {
      call(immediate);
    } finally {
      immediate._onImmediate = null;
      if (record !== undefined) asyncState.hooks.destroy(record);
      outstanding.head = immediate = immediate._idleNext;
      running = null;
      if (immediate === null) beganAt = 0;
    }
    if (record !== undefined) asyncState.hooks.after(record);
  }
  outstanding.head = null;
  asyncState.context = undefined;
}

module.exports = { Immediate, setImmediate, clearImmediate, processImmediates, waitingImmediates };
