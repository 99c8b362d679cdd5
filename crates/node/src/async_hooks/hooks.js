'use strict';
// Async scopes of callbacks, and fatal exceptions in hooks. Ids, the execution stack and hook dispatch are native
// (crates/js/src/context.rs).

const process = require('process');
const tracking = require('internal/async_hooks/tracking');

const { depth, destroy, enter, getContext, kId, kTrigger, leave, newId, callInitHooks, trigger } = native;

// Hook types by number, in the order of their functions.
const INIT = 0, DESTROY = 3;
const hasHook = native.hasHook;

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

let gone;
// Emits `destroy` when an object is collected, unless `unless.destroyed` is true.
function destroyWhenGone(object, id, unless) {
  gone ??= new SafeFinalizationRegistry(({ id, unless }) => { if (!unless?.destroyed) destroy(id); });
  gone.register(object, { id, unless });
}

// Calls `make` with another trigger id.
function withTrigger(id, make, ...args) {
  const before = native.defaultTrigger();
  native.setDefaultTrigger(id);
  try {
    return make(...args);
  } finally {
    native.setDefaultTrigger(before);
  }
}

function start(type, resource) {
  const id = newId();
  const by = trigger();
  resource[kId] = id;
  resource[kTrigger] = by;
  if (hasHook(INIT)) callInitHooks(id, type, by, resource);
  return id;
}

// If the callback throws, the scope is left by the native caller, after the exception was reported.
function handle(type, callback, resource = {}) {
  const id = start(type, resource);
  const trigger = resource[kTrigger];
  let context = getContext();
  function scoped(...args) {
    const at = depth();
    enter(id, trigger, resource, context);
    const result = Reflect.apply(callback, this, args);
    // The store belongs to the resource: `enterWith` in one call is visible in the next, as in Node.
    context = getContext();
    leave(at);
    return result;
  }
  scoped.ended = () => destroy(id);
  return scoped;
}

function request(type, callback, resource = {}) {
  const id = start(type, resource);
  const context = getContext();
  return function scoped(...args) {
    const at = depth();
    enter(id, resource[kTrigger], resource, context);
    destroy(id);
    const result = Reflect.apply(callback, this, args);
    leave(at);
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
  enter(promise[kId], promise[kTrigger], promise, getContext());
  call();
  leave(at);
}

native.setCallbacks(fatal, destroyWhenGone);
native.track();
Object.assign(tracking, { on: true, request, handle, asPromise, withTrigger });

module.exports = { DESTROY, INIT, destroyWhenGone, setPromiseHook: native.setPromiseHook };
