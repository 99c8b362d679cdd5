'use strict';
// `setTimeout` and `setInterval`: a linked list of timers for each duration, in the order of their start, and a heap of the lists by
// expiry. `lib/internal/timers.js`.

const {
  flags, REF_TIMERS, TRACKING, TRACE, ORIGINS, WATCHED, traceKinds, asyncState, watched, asyncId, triggerId, kRefed, addOrigin,
} = require('internal/scheduler/state');
const { runNextTicks } = require('internal/scheduler/ticks');
const { ListHeap } = require('internal/scheduler/list_heap');

const { getLoopNow, scheduleTimer, watchBegin, traceBegin, traceEnd, traceTimer, traceClosed, traceCounter } = native;

// The longest delay: 2 ** 31 - 1 ms.
const TIMEOUT_MAX = 2 ** 31 - 1;

const kHasPrimitive = Symbol('kHasPrimitive');

// The lists, by duration and by expiry.
const lists = new SafeMap();
const heap = new ListHeap();

// Increases with each list that is made or gets a later expiry: equal expiries keep this order.
let newestListId = Number.MIN_SAFE_INTEGER;

// When the loop's timer is due.
let nextExpiry = Infinity;

// The timers whose id was asked for, by id.
const timersById = { __proto__: null };

// The head of a circular list of timers.
class TimersList {
  constructor(expiry, msecs) {
    this._idleNext = this;
    this._idlePrev = this;
    this.expiry = expiry;
    this.id = newestListId++;
    this.msecs = msecs;
    this.priorityQueuePosition = 0;
  }
}

function unlink(item) {
  if (item._idleNext) item._idleNext._idlePrev = item._idlePrev;
  if (item._idlePrev) item._idlePrev._idleNext = item._idleNext;
  item._idleNext = null;
  item._idlePrev = null;
}

function append(list, item) {
  if (item._idleNext || item._idlePrev) unlink(item);
  const last = list._idlePrev;
  item._idleNext = list;
  item._idlePrev = last;
  last._idleNext = item;
  list._idlePrev = item;
}

let contextOf, setContext, recordOf, setRecord, traceIdOf;

class Timeout {
  // The context in which the callback runs, and its async ids while they are tracked.
  #context = asyncState.context;
  #record = undefined;
  // The id in a recording.
  #traceId = 0;

  static {
    contextOf = (timer) => timer.#context;
    traceIdOf = (timer) => (#traceId in timer ? timer.#traceId : 0);
    setContext = (timer, context) => { timer.#context = context; };
    recordOf = (timer) => (#record in timer ? timer.#record : undefined);
    setRecord = (timer, record) => { timer.#record = record; };
  }

  // A timer of the runtime itself, such as the time limit of a socket, has no record of its own: a server makes one for each request.
  constructor(callback, after, args, isRepeat, isRefed, isInternal = false) {
    if (after === undefined) {
      after = 1;
    } else {
      // Converts, and throws for a symbol or a BigInt, as in Node.
      after *= 1;
    }
    if (!(after >= 1 && after <= TIMEOUT_MAX)) {
      if (after > TIMEOUT_MAX) warnOfOverflow(after);
      after = 1;
    }
    this._idleTimeout = after;
    this._idlePrev = this;
    this._idleNext = this;
    this._idleStart = null;
    this._onTimeout = callback;
    this._timerArgs = args;
    this._repeat = isRepeat ? after : null;
    this._destroyed = false;
    if (isRefed) flags[REF_TIMERS]++;
    this[kRefed] = isRefed;
    this[kHasPrimitive] = false;
    this[asyncId] = ++asyncState.newestId;
    this[triggerId] = asyncState.runningId;
    if (flags[TRACKING] !== 0) this.#record = asyncState.hooks.init('Timeout', this);
    if (flags[TRACE] !== 0 && !isInternal) this.#traceId = traceTimer(after, isRepeat);
    if (flags[ORIGINS] !== 0) addOrigin(this);
  }

  [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
    return inspect(this, { ...options, depth: 0, customInspect: false });
  }

  refresh() {
    if (this[kRefed]) active(this);
    else unrefActive(this);
    return this;
  }

  unref() {
    if (this[kRefed]) {
      this[kRefed] = false;
      if (!this._destroyed) flags[REF_TIMERS]--;
    }
    return this;
  }

  ref() {
    if (this[kRefed] === false) {
      this[kRefed] = true;
      if (!this._destroyed) flags[REF_TIMERS]++;
    }
    return this;
  }

  hasRef() {
    return this[kRefed];
  }

  close() {
    clearTimeout(this);
    return this;
  }

  [Symbol.dispose]() {
    clearTimeout(this);
  }

  [Symbol.toPrimitive]() {
    const id = this[asyncId];
    if (!this[kHasPrimitive]) {
      this[kHasPrimitive] = true;
      timersById[id] = this;
    }
    return id;
  }
}

function warnOfOverflow(after) {
  require('process').emitWarning(
    `${after} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`, 'TimeoutOverflowWarning');
}

// Puts a timer at the end of the list of its duration.
function insert(timer, msecs, start = getLoopNow()) {
  msecs = Math.trunc(msecs);
  timer._idleStart = start;
  let list = lists.get(msecs);
  if (list === undefined) {
    const expiry = start + msecs;
    list = new TimersList(expiry, msecs);
    lists.set(msecs, list);
    heap.insert(list);
    if (nextExpiry > expiry) {
      scheduleTimer(msecs);
      nextExpiry = expiry;
    }
  }
  append(list, timer);
}

// Starts a timer, or starts it again.
function insertGuarded(timer, isRefed, start) {
  const msecs = timer._idleTimeout;
  if (msecs < 0 || msecs === undefined) return;
  insert(timer, msecs, start);
  const wasDestroyed = timer._destroyed;
  if (wasDestroyed || !timer[asyncId]) {
    timer._destroyed = false;
    timer[asyncId] = ++asyncState.newestId;
    timer[triggerId] = asyncState.runningId;
    // An object of `timers.enroll` is no Timeout.
    if (timer instanceof Timeout) {
      setContext(timer, asyncState.context);
      setRecord(timer, flags[TRACKING] !== 0 ? asyncState.hooks.init('Timeout', timer) : undefined);
    }
  }
  if (wasDestroyed) {
    if (isRefed) flags[REF_TIMERS]++;
  } else if (isRefed === !timer[kRefed]) {
    if (isRefed) flags[REF_TIMERS]++;
    else flags[REF_TIMERS]--;
  }
  timer[kRefed] = isRefed;
}

function active(timer) {
  insertGuarded(timer, true);
}

function unrefActive(timer) {
  insertGuarded(timer, false);
}

// The timer has fired for the last time, or was cleared: its id means nothing any more.
function end(timer) {
  timer._destroyed = true;
  if (timer[kHasPrimitive]) delete timersById[timer[asyncId]];
  const record = recordOf(timer);
  if (record !== undefined) asyncState.hooks.destroy(record);
  if (flags[TRACE] !== 0 && traceIdOf(timer) !== 0) traceClosed(traceKinds.resource.TIMEOUT, traceIdOf(timer));
}

// Takes a timer out of its list for good.
function unenroll(timer) {
  if (timer._destroyed) return;
  end(timer);
  unlink(timer);
  // Only lists of referenced timers are removed at once: those of unreferenced ones are likely to be used again soon.
  if (timer[kRefed]) {
    const list = lists.get(Math.trunc(timer._idleTimeout));
    if (list !== undefined && list._idleNext === list) {
      heap.removeAt(list.priorityQueuePosition);
      lists.delete(list.msecs);
    }
    flags[REF_TIMERS]--;
  }
  // Not to be started again.
  timer._idleTimeout = -1;
}

function badCallback(value) {
  const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
  throw new ERR_INVALID_ARG_TYPE('callback', 'Function', value);
}

function setTimeout(callback, after, ...args) {
  if (typeof callback !== 'function') badCallback(callback);
  const timer = new Timeout(callback, after, args.length === 0 ? undefined : args, false, true);
  insert(timer, timer._idleTimeout);
  return timer;
}

// A timer of the runtime that does not keep the loop alive: `lib/internal/timers.js: setUnrefTimeout`.
function setUnrefTimeout(callback, after) {
  const timer = new Timeout(callback, after, undefined, false, false, true);
  insert(timer, timer._idleTimeout);
  return timer;
}

function setInterval(callback, repeat, ...args) {
  if (typeof callback !== 'function') badCallback(callback);
  const timer = new Timeout(callback, repeat, args.length === 0 ? undefined : args, true, true);
  insert(timer, timer._idleTimeout);
  return timer;
}

function clearTimeout(timer) {
  if (timer?._onTimeout) {
    timer._onTimeout = null;
    unenroll(timer);
    return;
  }
  if (typeof timer === 'number' || typeof timer === 'string') {
    const known = timersById[timer];
    if (known !== undefined) {
      known._onTimeout = null;
      unenroll(known);
    }
  }
}

function clearInterval(timer) {
  // A function of its own: `clearInterval !== clearTimeout`.
  clearTimeout(timer);
}

// The interval whose callback runs: it is in no list, and goes back into one.
let runningInterval;

// The timers that keep the loop alive, with the time when they are due and the present time.
function waitingTimers() {
  const now = getLoopNow();
  const found = [];
  for (const list of lists.values()) {
    for (let timer = list._idleNext; timer !== list; timer = timer._idleNext) {
      if (timer[kRefed]) found.push({ timer, due: timer._idleStart + list.msecs, now });
    }
  }
  const timer = runningInterval;
  if (timer?.[kRefed] && timer._repeat && timer._idleTimeout !== -1 && !timer._idleNext) {
    found.push({ timer, due: now + timer._repeat, now });
  }
  return found;
}

// Whether a timer has fired in this timers phase, while the watchdog watches the thread.
let isLater = false;

// Calls a timer that has left its list. It is started again if it repeats.
function fire(timer) {
  const record = recordOf(timer);
  if (record !== undefined) asyncState.hooks.before(record);
  else asyncState.context = timer instanceof Timeout ? contextOf(timer) : undefined;
  let start;
  if (timer._repeat) {
    start = getLoopNow();
    runningInterval = timer;
  }
  const isTraced = flags[TRACE] !== 0;
  if (flags[WATCHED] !== 0) {
    // The first one begins with the event of the loop.
    if (isLater) watchBegin(traceKinds.callback.TIMEOUT);
    isLater = true;
    watched.callback = timer._onTimeout;
  }
  if (isTraced) traceBegin(traceKinds.callback.TIMEOUT, timer._onTimeout, traceIdOf(timer), 0);
  try {
    const { _timerArgs: args } = timer;
    if (args === undefined) timer._onTimeout();
    else Reflect.apply(timer._onTimeout, timer, args);
    if (isTraced) traceEnd();
  } finally {
    runningInterval = undefined;
    if (timer._repeat && timer._idleTimeout !== -1) {
      timer._idleTimeout = timer._repeat;
      // A store belongs to the timer: `enterWith` in one call is visible in the next.
      if (record === undefined && timer instanceof Timeout) setContext(timer, asyncState.context);
      insert(timer, timer._idleTimeout, start);
    } else if (!timer._idleNext && !timer._idlePrev && !timer._destroyed) {
      end(timer);
      if (timer[kRefed]) flags[REF_TIMERS]--;
    }
  }
  if (record !== undefined) asyncState.hooks.after(record);
}

// Calls the timers of a list that are due.
function runList(list, now) {
  const { msecs } = list;
  let isFirst = true;
  let timer;
  while ((timer = list._idlePrev === list ? null : list._idleNext) !== null) {
    if (now - timer._idleStart < msecs) {
      list.expiry = Math.max(timer._idleStart + msecs, now + 1);
      list.id = newestListId++;
      heap.sink(list.priorityQueuePosition);
      return;
    }
    if (isFirst) isFirst = false;
    else runNextTicks();
    // The ticks may have started it again, which does not keep it from running, or cleared it.
    unlink(timer);
    if (!timer._onTimeout) {
      if (!timer._destroyed) {
        end(timer);
        if (timer[kRefed]) flags[REF_TIMERS]--;
      }
      continue;
    }
    if (flags[TRACE] !== 0) traceCounter(traceKinds.counter.TIMER_LATENESS_US, (now - timer._idleStart - msecs) * 1000);
    fire(timer);
  }
  // A callback may have removed the list, and another one of this duration may exist.
  if (list === lists.get(msecs)) {
    lists.delete(msecs);
    heap.removeAt(list.priorityQueuePosition);
  }
}

// The timers phase. Returns the next expiry, negative if no timer keeps the loop alive, or 0 without timers. An exception ends it; the next
// call goes on.
function processTimers(now) {
  isLater = false;
  nextExpiry = Infinity;
  let isFirst = true;
  let list;
  while ((list = heap.first()) !== undefined) {
    if (list.expiry > now) {
      nextExpiry = list.expiry;
      asyncState.context = undefined;
      return flags[REF_TIMERS] > 0 ? nextExpiry : -nextExpiry;
    }
    if (isFirst) isFirst = false;
    else runNextTicks();
    runList(list, now);
  }
  asyncState.context = undefined;
  return 0;
}

module.exports = {
  Timeout, setTimeout, setUnrefTimeout, setInterval, clearTimeout, clearInterval, active, unrefActive, unenroll, insert, processTimers,
  waitingTimers,
  kHasPrimitive,
};
