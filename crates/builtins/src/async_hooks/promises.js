'use strict';
// The hooks of promises: `lib/internal/async_hooks.js: promiseInitHook, promiseBeforeHook, promiseAfterHook, promiseResolveHook`.
//
// The engine reports new and settled promises, and asks for what to keep with each reaction that is made, but it does not tell the promise
// that a reaction belongs to. That is told by `Promise.prototype.constructor`, which `then` and `await` read, and which is an accessor while
// promises are observed. So these are told apart by the order of events:
//
//     promise.then()    constructor read, new promise, reaction
//     await promise     constructor read, reaction
//     await value       new promise, settled, reaction
//     await thenable    new promise, reaction, reaction
//
// As in V8, hooks see a promise of its own for an `await`.

const { asyncState } = require('internal/scheduler/state');
const {
  AFTER, DESTROY, INIT, PROMISE_RESOLVE, destroyWhenGone, emit, enter, hasHook, kId, kTrigger, newId, pop, promiseHookNow, runningId,
  trigger,
} = require('internal/async_hooks');

const { prototype } = Promise;
const before = Object.getOwnPropertyDescriptor(prototype, 'constructor');

let isOn = false;
// Whether the promise that is being made is one of this module's, and known to the hooks otherwise.
let isInternal = false;
// The promise whose constructor was read last, if nothing has happened since.
let read;
// The newest promise, while its first reaction is awaited; whether `then` made it, and whether it is settled.
let made;
let isDerived = false;
let isSettled = false;

// What is kept with a reaction.
class Reaction {
  constructor(promise, isAwait) {
    this.promise = promise;
    this.isAwait = isAwait;
    this.context = asyncState.context;
  }
}

function identify(promise, parent) {
  promise[kId] = newId();
  promise[kTrigger] = parent === undefined ? trigger() : idOf(parent);
}

function idOf(promise) {
  if (promise[kId] === undefined) identify(promise);
  return promise[kId];
}

// Gives a promise its ids and reports it, unless that was done before.
function track(promise, parent) {
  if (promise[kId] !== undefined) return;
  promiseHookNow()?.(0, promise, parent);
  identify(promise, parent);
  if (hasHook(DESTROY)) destroyWhenGone(promise, promise[kId]);
  if (hasHook(INIT)) emit(INIT, promise[kId], 'PROMISE', promise[kTrigger], promise);
}

function forget() {
  read = undefined;
  made = undefined;
}

function settled(promise) {
  track(promise);
  promiseHookNow()?.(3, promise);
  if (hasHook(PROMISE_RESOLVE)) emit(PROMISE_RESOLVE, promise[kId]);
}

function event(isNew, promise) {
  if (isInternal) return;
  if (!isNew) {
    const wasMade = made === promise;
    forget();
    settled(promise);
    if (wasMade) {
      made = promise;
      isSettled = true;
    }
    return;
  }
  const parent = read;
  forget();
  // An executor has settled it already.
  if (promise[kId] !== undefined) return;
  track(promise, parent);
  read = undefined;
  made = promise;
  isDerived = parent !== undefined;
  isSettled = false;
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
  track(promise);
  promiseHookNow()?.(1, promise);
  enter(promise[kId], promise[kTrigger], promise, context);
  return { promise, isAwait };
}

function end(job) {
  if (job === undefined) return;
  const { promise, isAwait } = job;
  if (isOn) {
    if (isAwait) settled(promise);
    promiseHookNow()?.(2, promise);
    if (hasHook(AFTER)) emit(AFTER, promise[kId]);
  }
  if (runningId() === promise[kId]) pop();
}

function readConstructor() {
  made = undefined;
  read = this;
  return before.value;
}

const observed = {
  get: readConstructor,
  // As an assignment to an object that inherits the property.
  set(value) {
    Object.defineProperty(this, 'constructor', { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  },
  enumerable: false,
  configurable: true,
};

let isSet = false;

function watch(mustBeOn) {
  if (isOn === mustBeOn) return;
  if (!isSet) {
    isSet = true;
    native.setPromiseHooks({ event, reaction, begin, end });
  }
  isOn = mustBeOn;
  forget();
  native.watchPromises(isOn);
  const now = Object.getOwnPropertyDescriptor(prototype, 'constructor');
  if (isOn) {
    if (now?.value === before.value && now.configurable) Object.defineProperty(prototype, 'constructor', observed);
  } else if (now?.get === readConstructor) {
    Object.defineProperty(prototype, 'constructor', before);
  }
}

module.exports = { watch };
