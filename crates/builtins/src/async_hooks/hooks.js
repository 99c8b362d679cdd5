'use strict';
// Async ids, the stack of executions and the hooks of `async_hooks`: `lib/internal/async_hooks.js`. The queues of the scheduler and natives
// keep a record for each callback while `flags[TRACKING]` is set, which loading this module does.

const process = require('process');
const tracking = require('internal/async_hooks/tracking');
const { flags, TRACKING, CONTEXT_USED, DESTROYS, asyncState, asyncId, triggerId } = require('internal/scheduler/state');

const kId = Symbol('async_id_symbol');
const kTrigger = Symbol('trigger_async_id_symbol');

// The hook functions by number.
const hookNames = ['init', 'before', 'after', 'destroy', 'promiseResolve'];
const INIT = 0, BEFORE = 1, AFTER = 2, DESTROY = 3, PROMISE_RESOLVE = 4;

// An exception in a hook ends the process; 'uncaughtException' listeners are not called.
function fatal(error) {
  if (typeof error?.stack === 'string') {
    process._rawDebug(error.stack);
  } else {
    const shown = { message: typeof error === 'symbol' ? error.toString() : error };
    Error.captureStackTrace(shown, fatal);
    process._rawDebug(shown.stack);
  }
  if (require('internal/options').has('abort-on-uncaught-exception')) process.abort();
  process.exit(1);
}

// Enabled hooks, `{ self, functions }`. If a hook is enabled or disabled while hooks run, the change takes effect after they have run
// (`lib/internal/async_hooks.js: getHookArrays`).
let enabled = [];
let changed;
let calling = 0;
// A bit for each event that an enabled hook has a function for.
let events = 0;
// Whether promises have been observed.
let promisesKnown = false;

// A function to call before the next event of an enabled hook.
let deferred;

function runDeferred() {
  const call = deferred;
  deferred = undefined;
  call();
}

const hasHook = (event) => (events & (1 << event)) !== 0;

function emit(event, ...args) {
  if (deferred !== undefined) runDeferred();
  if ((events & (1 << event)) === 0) return;
  const hooks = enabled;
  calling++;
  try {
    for (let at = 0; at < hooks.length; at++) {
      const function_ = hooks[at].functions[event];
      if (function_ !== undefined) Reflect.apply(function_, hooks[at].self, args);
    }
  } catch (error) {
    fatal(error);
  }
  calling--;
  if (calling === 0 && changed !== undefined) {
    const hooks = changed;
    changed = undefined;
    setHooks(hooks);
  }
}

function setHooks(hooks) {
  if (calling > 0) {
    changed = hooks;
    return;
  }
  enabled = hooks;
  events = 0;
  for (let event = 0; event < hookNames.length; event++) {
    if (hooks.some(({ functions }) => functions[event] !== undefined)) events |= 1 << event;
  }
  watchPromises();
}

// Promises are observed while a hook is enabled, or one of `v8.promiseHooks` is set.
function watchPromises() {
  if (!promisesKnown && enabled.length === 0 && promiseHook === undefined) return;
  promisesKnown = true;
  useContext();
  require('internal/async_hooks/promises').watch(enabled.length > 0 || promiseHook !== undefined);
}

// `(moment, promise, parent)` of `v8.promiseHooks`, or undefined.
let promiseHook;

function setPromiseHook(hook) {
  promiseHook = hook;
  watchPromises();
}

function addHook(self, functions) {
  const hooks = changed ?? enabled;
  if (hooks.some((hook) => hook.self === self)) return;
  setHooks([...hooks, { self, functions: hookNames.map((name) => functions[name]) }]);
}

function removeHook(self) {
  const hooks = changed ?? enabled;
  const rest = hooks.filter((hook) => hook.self !== self);
  if (rest.length < hooks.length) setHooks(rest);
}

const promiseHookNow = () => promiseHook;

const newId = () => ++asyncState.newestId;

// The trigger id of resources that are made now; negative: the id of the current execution.
let defaultTrigger = -1;
const trigger = () => (defaultTrigger < 0 ? asyncState.runningId : defaultTrigger);

// The async state of a callback.
class Record {
  constructor(id, trigger, resource) {
    this.id = id;
    this.trigger = trigger;
    this.resource = resource;
    this.context = asyncState.context;
  }
}

// Trigger id and resource of the current execution; its async id is `asyncState.runningId`. The resource is created when it is first read.
let runningTrigger = 0;
let runningResource;

// The enclosing executions: id, trigger id, resource and context of each.
const outer = [];

function push(id, trigger, resource, context) {
  outer.push(asyncState.runningId, runningTrigger, runningResource, asyncState.context);
  asyncState.runningId = id;
  runningTrigger = trigger;
  runningResource = resource;
  asyncState.context = context;
}

function pop() {
  // The report of an uncaught exception has already left all executions (`leaveAll`).
  if (outer.length === 0) return;
  asyncState.context = outer.pop();
  runningResource = outer.pop();
  runningTrigger = outer.pop();
  asyncState.runningId = outer.pop();
}

const depth = () => outer.length;

function leave(depth) {
  while (outer.length > depth) {
    if ((events & (1 << AFTER)) !== 0) emit(AFTER, asyncState.runningId);
    pop();
  }
}

function enter(id, trigger, resource, context) {
  push(id, trigger, resource, context);
  if ((events & (1 << BEFORE)) !== 0) emit(BEFORE, id);
}

// The ids that are queued for `destroy` hooks.
let ended = [];
// With this many queued ids the hooks run in a microtask: a program that never yields to the loop would accumulate ids
// (`src/async_wrap.cc: EmitDestroy`).
const MANY_ENDED = 16_384;

function destroy(id) {
  if ((events & (1 << DESTROY)) === 0) return;
  ended.push(id);
  flags[DESTROYS] = 1;
  if (ended.length === MANY_ENDED) native.enqueueMicrotask(runDestroyHooks);
}

// A `destroy` hook may queue more ids.
function runDestroyHooks() {
  while (ended.length > 0) {
    const round = ended;
    ended = [];
    for (let at = 0; at < round.length; at++) emit(DESTROY, round[at]);
  }
  flags[DESTROYS] = 0;
}

// The functions that the scheduler's queues and natives call.
const hooks = {
  // A timer or immediate already has an async id.
  init(type, resource) {
    let id, by;
    if (type === 'Timeout' || type === 'Immediate') {
      id = resource[asyncId];
      by = resource[triggerId] = trigger();
    } else {
      id = ++asyncState.newestId;
      by = trigger();
    }
    const record = new Record(id, by, resource);
    if ((events & (1 << INIT)) !== 0) emit(INIT, id, type, by, resource);
    return record;
  },
  before(record) {
    enter(record.id, record.trigger, record.resource, record.context);
  },
  // The record keeps the context, so a store set by `enterWith` in one callback is visible in the next callback of the resource.
  after(record) {
    record.context = asyncState.context;
    if ((events & (1 << AFTER)) !== 0) emit(AFTER, record.id);
    pop();
  },
  destroy(record) {
    destroy(record.id);
  },
  leaveAll() {
    leave(0);
    runningTrigger = 0;
    runningResource = undefined;
  },
};

let gone;
// Emits `destroy` when an object is collected, unless `unless.destroyed` is true.
function destroyWhenGone(object, id, unless) {
  gone ??= new SafeFinalizationRegistry(({ id, unless }) => { if (!unless?.destroyed) destroy(id); });
  gone.register(object, { id, unless });
}

// Calls `make` with another trigger id.
function withTrigger(id, make, ...args) {
  const before = defaultTrigger;
  defaultTrigger = id;
  try {
    return make(...args);
  } finally {
    defaultTrigger = before;
  }
}

function start(type, resource) {
  const record = hooks.init(type, resource);
  resource[kId] = record.id;
  resource[kTrigger] = record.trigger;
  return record;
}

// If the callback throws, the scope is left by the native caller, after the exception was reported.
function handle(type, callback, resource = {}) {
  const record = start(type, resource);
  function scoped(...args) {
    hooks.before(record);
    const result = Reflect.apply(callback, this, args);
    hooks.after(record);
    return result;
  }
  scoped.ended = () => destroy(record.id);
  return scoped;
}

function request(type, callback, resource = {}) {
  const record = start(type, resource);
  return function scoped(...args) {
    hooks.before(record);
    destroy(record.id);
    const result = Reflect.apply(callback, this, args);
    hooks.after(record);
    return result;
  };
}

// If the call throws, the native caller leaves the scope.
function asPromise(promise, call) {
  if (promise[kId] === undefined) {
    call();
    return;
  }
  const at = depth();
  enter(promise[kId], promise[kTrigger], promise, asyncState.context);
  call();
  leave(at);
}

// From now on a promise job runs in the context in which its reaction was created.
function useContext() {
  if (flags[CONTEXT_USED] !== 0) return;
  flags[CONTEXT_USED] = 1;
  native.propagateContext(asyncState);
}

asyncState.hooks = hooks;
flags[TRACKING] = 1;
native.setHooks({
  // A negative `trigger` selects the default trigger id.
  init: (type, resource, trigger) => (trigger < 0 ? hooks.init(type, resource) : withTrigger(trigger, hooks.init, type, resource)),
  before: hooks.before,
  after: hooks.after,
  destroy: hooks.destroy,
  // Returns the previous default trigger id.
  setTrigger(id) {
    const before = defaultTrigger;
    defaultTrigger = id;
    return before;
  },
  runDestroyHooks,
});
Object.assign(tracking, { on: true, isHooked: () => enabled.length > 0, request, handle, asPromise, withTrigger });

module.exports = {
  INIT, BEFORE, AFTER, DESTROY, PROMISE_RESOLVE, kId, kTrigger,
  addHook, removeHook, hasHook, emit, setPromiseHook, promiseHookNow, fatal,
  newId, trigger, depth, enter, leave, push, pop, destroy, destroyWhenGone, useContext,
  setDeferred(call) { deferred = call; },
  runningId: () => asyncState.runningId,
  runningTrigger: () => runningTrigger,
  runningResource: () => runningResource,
  setRunningResource(resource) { runningResource = resource; },
};
