'use strict';
// What the hooks of `async_hooks` hear, and the scopes that callbacks run in. The ids, and the stack of what runs, are
// Rust's (crates/js/src/context.rs).

const tracking = require('internal/async_hooks/tracking');

const { depth, destroy, enter, getContext, leave, newId, runningId } = native;

const kId = Symbol('async_id_symbol');
const kTrigger = Symbol('trigger_async_id_symbol');

const INIT = 1, BEFORE = 2, AFTER = 4, DESTROY = 8;

// The enabled hooks. While they are being called, changes are kept for after.
let active = [];
let changed;
let calling = 0;

function current() {
  if (calling === 0) return (active = [...active]);
  return (changed ??= [...active]);
}

function update() {
  const has = (name) => active.some((hook) => hook[name] !== undefined);
  const tells = (has('init') ? INIT : 0) | (has('before') ? BEFORE : 0) | (has('after') ? AFTER : 0) |
    (has('destroy') ? DESTROY : 0);
  native.tell(told, tells);
  native.watchPromises(active.length > 0);
}

function add(hook) {
  const hooks = current();
  if (hooks.includes(hook)) return;
  hooks.push(hook);
  if (calling === 0) update();
}

function remove(hook) {
  const hooks = current();
  const at = hooks.indexOf(hook);
  if (at === -1) return;
  hooks.splice(at, 1);
  if (calling === 0) update();
}

// An exception in a hook ends the process; no listener of the program can keep it.
function fatal(error) {
  if (typeof error?.stack === 'string') {
    process._rawDebug(error.stack);
  } else {
    const shown = { message: error };
    Error.captureStackTrace(shown, fatal);
    process._rawDebug(shown.stack);
  }
  if (require('internal/options').has('abort-on-uncaught-exception')) process.abort();
  process.exit(1);
}

function tell(name, id, type, trigger, resource) {
  calling++;
  const hooks = active;
  try {
    for (let at = 0; at < hooks.length; at++) {
      const hook = hooks[at];
      if (hook[name] !== undefined) hook[name](id, type, trigger, resource);
    }
  } catch (error) {
    fatal(error);
  } finally {
    if (--calling === 0 && changed !== undefined) {
      active = changed;
      changed = undefined;
      update();
    }
  }
}

const hasHooks = (name) => active.some((hook) => hook[name] !== undefined);
const tellInit = (id, type, trigger, resource) => tell('init', id, type, trigger, resource);

const told = {
  init: tellInit,
  before: (id) => tell('before', id),
  after: (id) => tell('after', id),
  destroy: (id) => tell('destroy', id),
  promise(what, promise, parent) {
    if (what === 0) {
      if (identify(promise, parent)) {
        tellInit(promise[kId], 'PROMISE', promise[kTrigger], promise);
        if (hasHooks('destroy')) destroyWhenGone(promise, promise[kId]);
      }
      return;
    }
    identify(promise, parent);
    const id = promise[kId];
    if (what === 1) enter(id, promise[kTrigger], promise, getContext());
    else if (what === 3) tell('promiseResolve', id);
    else if (runningId() === id) leave(depth() - 1);
    else if (hasHooks('after')) tell('after', id);
  },
};

// What the ids of a new thing are triggered by.
function defaultTrigger() {
  const trigger = native.defaultTrigger();
  return trigger < 0 ? runningId() : trigger;
}

// Gives a promise its ids, if it has none yet. Whether it had none.
function identify(promise, parent) {
  if (promise[kId] !== undefined) return false;
  let trigger;
  if (parent === undefined) {
    trigger = defaultTrigger();
  } else {
    // The parent's first, so that it is the lower one.
    identify(parent);
    trigger = parent[kId];
  }
  promise[kId] = newId();
  promise[kTrigger] = trigger;
  return true;
}

let gone;
// Tells of the end when an object is collected, unless `unless.destroyed` says that it was told.
function destroyWhenGone(object, id, unless) {
  gone ??= new FinalizationRegistry(({ id, unless }) => { if (!unless?.destroyed) destroy(id); });
  gone.register(object, { id, unless });
}

// Runs what `make` starts with another trigger than what runs now.
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
  const trigger = defaultTrigger();
  resource[kId] = id;
  resource[kTrigger] = trigger;
  if (hasHooks('init')) tellInit(id, type, trigger, resource);
  return id;
}

// If the callback throws, the scope is left by the funnel, after whoever hears of the exception.
function handle(type, callback, resource = {}) {
  const id = start(type, resource);
  const trigger = resource[kTrigger];
  let context = getContext();
  function scoped(...args) {
    const at = depth();
    enter(id, trigger, resource, context);
    const result = Reflect.apply(callback, this, args);
    // As Node, where the store is the resource's: what was entered for good is there the next time.
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

// If the call throws, the funnel leaves.
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

native.track();
Object.assign(tracking, { on: true, request, handle, asPromise, withTrigger });

module.exports = {
  add,
  defaultTrigger,
  destroyWhenGone,
  hasHooks,
  isAnyEnabled: () => active.length > 0,
  kId,
  kTrigger,
  remove,
  tellInit,
};
