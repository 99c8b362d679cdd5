'use strict';
// The hooks of promises: `lib/internal/async_hooks.js: promiseInitHook, promiseBeforeHook, promiseAfterHook, promiseResolveHook`.
//
// The engine reports new and settled promises, and asks for what to keep with each reaction that is made, but it does not report the
// promise that a reaction belongs to. `then` and `await` read `Promise.prototype.constructor` of that promise, and resolving with a promise
// reads its `then`. Both are accessors while promises are observed, so this module sees the promise. The order of events identifies the operation:
//
//     promise.then()      constructor read, new promise, reaction
//     await promise       constructor read, reaction
//     await value         new promise, settled, reaction
//     await thenable      new promise, reaction, reaction
//     resolve(promise)    then read, reaction
//
// As in V8, hooks see a promise of its own for an `await`.

const { asyncState } = require('internal/scheduler/state');
const {
  AFTER, DESTROY, INIT, PROMISE_RESOLVE, destroyWhenGone, emit, enter, hasHook, kId, kTrigger, newId, pop, promiseHookNow, runningId,
  setDeferred, trigger,
} = require('internal/async_hooks');

const { prototype } = Promise;
const before = Object.getOwnPropertyDescriptor(prototype, 'constructor');
const thenBefore = Object.getOwnPropertyDescriptor(prototype, 'then');

let isOn = false;
// Whether the promise that is being made is one of this module's, and known to the hooks otherwise.
let isInternal = false;
// The promise whose constructor was read last, if nothing has happened since.
let read;
// Whether the last event was a read of `then`.
let isThenRead = false;
// A promise that was settled before hooks knew of it: it is as old as that, or an executor settles it, and it is reported as new later.
let unknown;
// The newest promise, while its first reaction is awaited; whether `then` made it, and whether it is settled.
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

// The parent's id comes first, so it is the lower one.
function identify(promise, parent) {
  const by = parent === undefined ? trigger() : idOf(parent);
  promise[kId] = newId();
  promise[kTrigger] = by;
}

function idOf(promise) {
  if (promise[kId] === undefined) identify(promise);
  return promise[kId];
}

// Reports a new promise, and gives it its ids unless it has some.
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

// Reports the promise in `unknown` as settled. Hooks do not see when it was made.
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

// The reaction of an `await`.
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
  // The promise that stands for a thenable has another reaction.
  if (!isDerived) read = derived;
  return new Reaction(derived, false);
}

// The jobs that run, the innermost last. The engine runs jobs within a job when a hook has queued some.
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
  // A promise that is as old as this is not reported as new.
  idOf(promise);
  promiseHookNow()?.(1, promise);
  enter(promise[kId], promise[kTrigger], promise, context);
  return { promise, isAwait };
}

// `settles` is as for `begin`, which may have been called before a hook was enabled, or not at all: V8 tells hooks of the end of the job
// that has enabled them.
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

// An accessor that behaves as the data property does: an assignment to an object that inherits it defines a property there.
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

// The properties of the prototype that are observed.
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
