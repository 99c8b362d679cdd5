'use strict';
// The hooks of promises: `lib/internal/async_hooks.js: promiseInitHook, promiseBeforeHook, promiseAfterHook, promiseResolveHook`.
//
// The engine reports new and settled promises. For each new reaction it calls `reaction()` and stores the result with the reaction, but it
// does not report the promise that the reaction belongs to. `then` and `await` read `Promise.prototype.constructor` of that promise, and
// resolving with a promise reads its `then`. While promises are observed both properties are accessors, so this module sees the promise. The
// order of events identifies the operation:
//
//     promise.then()      constructor read, new promise, reaction
//     await promise       constructor read, reaction
//     await value         new promise, settled, reaction
//     await thenable      new promise, reaction, reaction
//     resolve(promise)    then read, reaction
//
// As in V8, each `await` has a promise of its own, which hooks see.

const { asyncState } = require('internal/scheduler/state');
const {
  AFTER, DESTROY, INIT, PROMISE_RESOLVE, destroyWhenGone, emit, enter, hasHook, kId, kTrigger, newId, pop, promiseHookNow, runningId,
  setDeferred, trigger,
} = require('internal/async_hooks');

const { prototype } = Promise;
const before = Object.getOwnPropertyDescriptor(prototype, 'constructor');
const thenBefore = Object.getOwnPropertyDescriptor(prototype, 'then');

let isOn = false;
// True while `awaiting` creates its promise: `event` ignores that promise, because `awaiting` reports it.
let isInternal = false;
// The promise whose `constructor` was read by the last event; undefined after any other event.
let read;
// Whether the last event was a read of `then`.
let isThenRead = false;
// A promise that was reported as settled, but not as new. Either it is older than the hooks, or its executor has settled it: then the engine
// reports it as new afterwards.
let unknown;
// The newest promise, until its first reaction is created; whether `then` created the promise, and whether it is settled.
let made;
let isDerived = false;
let isSettled = false;

// The value stored in a promise reaction while hooks are on.
class Reaction {
  constructor(promise, isAwait) {
    this.promise = promise;
    this.isAwait = isAwait;
    this.context = asyncState.context;
  }
}

// A parent without an id gets one first, so the parent's id is lower.
function identify(promise, parent) {
  const by = parent === undefined ? trigger() : idOf(parent);
  promise[kId] = newId();
  promise[kTrigger] = by;
}

function idOf(promise) {
  if (promise[kId] === undefined) identify(promise);
  return promise[kId];
}

// Reports a new promise. Assigns its ids if it has none.
function track(promise, parent) {
  promiseHookNow()?.(0, promise, parent);
  if (promise[kId] === undefined) identify(promise, parent);
  if (hasHook(DESTROY)) destroyWhenGone(promise, promise[kId]);
  if (hasHook(INIT)) emit(INIT, promise[kId], 'PROMISE', promise[kTrigger], promise);
}

function forget() {
  read = undefined;
  made = undefined;
  isThenRead = false;
}

function settled(promise) {
  promiseHookNow()?.(3, promise);
  if (hasHook(PROMISE_RESOLVE)) emit(PROMISE_RESOLVE, promise[kId]);
}

// Reports the promise in `unknown` as settled. It is older than the hooks, so it is never reported as new.
function reportUnknown() {
  if (unknown === undefined) return;
  const promise = unknown;
  unknown = undefined;
  setDeferred(undefined);
  settled(promise);
}

function event(isNew, promise) {
  if (isInternal) return;
  if (promise !== unknown) reportUnknown();
  if (!isNew) {
    const wasMade = made === promise;
    forget();
    if (promise[kId] === undefined) {
      identify(promise);
      unknown = promise;
      setDeferred(reportUnknown);
    } else {
      settled(promise);
    }
    if (wasMade) {
      made = promise;
      isSettled = true;
    }
    return;
  }
  const parent = read;
  forget();
  const wasSettled = promise === unknown;
  unknown = undefined;
  setDeferred(undefined);
  track(promise, parent);
  if (wasSettled) settled(promise);
  forget();
  made = promise;
  isDerived = parent !== undefined;
  isSettled = wasSettled;
}

// Creates the promise and the reaction of an `await` of `parent`.
function awaiting(parent) {
  isInternal = true;
  const promise = new Promise(() => {});
  isInternal = false;
  track(promise, parent);
  return new Reaction(promise, true);
}

function reaction() {
  reportUnknown();
  if (isThenRead) {
    forget();
    return asyncState.context;
  }
  const parent = read ?? (isSettled ? made : undefined);
  const derived = made;
  forget();
  if (parent !== undefined) {
    const kept = awaiting(parent);
    forget();
    return kept;
  }
  if (derived === undefined) return asyncState.context;
  // `await thenable` creates two reactions: the next one belongs to this promise, too.
  if (!isDerived) read = derived;
  return new Reaction(derived, false);
}

// Called before a promise job: `kept` is the result of `reaction`, `settles` the promise that the job settles, if any. The result goes to `end`.
// Jobs can be nested: the engine runs jobs within a job if a hook has queued some.
function begin(kept, settles) {
  let promise = settles;
  let isAwait = false;
  let context = kept;
  if (kept instanceof Reaction) {
    ({ context, isAwait } = kept);
    if (isAwait) ({ promise } = kept);
    else promise ??= kept.promise;
  }
  forget();
  if (!isOn || promise === undefined) {
    asyncState.context = context;
    return undefined;
  }
  reportUnknown();
  // A promise that is older than the hooks gets its ids, but no `init` event.
  idOf(promise);
  promiseHookNow()?.(1, promise);
  enter(promise[kId], promise[kTrigger], promise, context);
  return { promise, isAwait };
}

// Called after a promise job. `job` is the result of `begin`; it is undefined if the job itself has enabled the hooks. V8 reports the end of
// such a job, too. `settles` is as for `begin`.
function end(job, settles) {
  reportUnknown();
  const promise = job === undefined ? settles : job.promise;
  if (promise === undefined) return;
  if (isOn) {
    idOf(promise);
    if (job?.isAwait) settled(promise);
    promiseHookNow()?.(2, promise);
    if (hasHook(AFTER)) emit(AFTER, promise[kId]);
  }
  if (job !== undefined && runningId() === promise[kId]) pop();
}

function readConstructor() {
  made = undefined;
  isThenRead = false;
  read = this;
  return before.value;
}

function readThen() {
  isThenRead = true;
  return thenBefore.value;
}

// An accessor that behaves as the data property does: an assignment to an object that inherits the accessor defines an own property.
const accessor = (name, get) => ({
  get,
  set(value) {
    Object.defineProperty(this, name, {
      __proto__: null, value, writable: true, enumerable: this !== prototype, configurable: true,
    });
  },
  enumerable: false,
  configurable: true,
});

// The observed properties of `Promise.prototype`: name, original descriptor, accessor.
const observed = [
  ['constructor', before, accessor('constructor', readConstructor)],
  ['then', thenBefore, accessor('then', readThen)],
];

function observe(name, original, accessor) {
  const now = Object.getOwnPropertyDescriptor(prototype, name);
  if (isOn) {
    if (now?.value === original.value && now.configurable) Object.defineProperty(prototype, name, accessor);
  } else if (now?.get === accessor.get) {
    Object.defineProperty(prototype, name, original);
  }
}

let isSet = false;

function watch(mustBeOn) {
  if (isOn === mustBeOn) return;
  if (!isSet) {
    isSet = true;
    native.setPromiseHooks({ event, reaction, begin, end });
  }
  if (isOn) reportUnknown();
  isOn = mustBeOn;
  forget();
  native.watchPromises(isOn);
  for (const { 0: name, 1: original, 2: accessor } of observed) observe(name, original, accessor);
}

module.exports = { watch };
