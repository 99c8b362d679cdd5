'use strict';
// `AsyncLocalStorage`. The context is an immutable list of frames, the newest first, or undefined without stores; each has the store of one
// storage. So capturing the context is reading a variable.

const { useContext } = require('internal/async_hooks');
const { asyncState } = require('internal/scheduler/state');

class Frame {
  constructor(key, store, rest) {
    this.key = key;
    this.store = store;
    this.rest = rest;
  }
}

function find(context, key) {
  while (context !== undefined && context.key !== key) context = context.rest;
  return context;
}

// The context without the frame of a key.
function without(context, key) {
  if (find(context, key) === undefined) return context;
  if (context.key === key) return context.rest;
  return new Frame(context.key, context.store, without(context.rest, key));
}

// The store of a storage in a given context, for the context that was captured with a rejection.
const storeIn = (storage, context) => find(context, storage.kResourceStore)?.store;

// Calls a function in another context. Then restores the store of the key; stores of other keys stay as the call left them.
function callIn(context, key, callback, args) {
  const before = asyncState.context;
  asyncState.context = context;
  try {
    return Reflect.apply(callback, null, args);
  } finally {
    if (asyncState.context === context) {
      asyncState.context = before;
    } else {
      const frame = find(before, key);
      const rest = without(asyncState.context, key);
      asyncState.context = frame === undefined ? rest : new Frame(key, frame.store, rest);
    }
  }
}

class AsyncLocalStorage {
  constructor() {
    this.kResourceStore = Symbol('kResourceStore');
    this.enabled = false;
  }

  static bind(fn) {
    return require('async_hooks').AsyncResource.bind(fn);
  }

  static snapshot() {
    return AsyncLocalStorage.bind((callback, ...args) => callback(...args));
  }

  disable() {
    if (!this.enabled) return;
    this.enabled = false;
    // Makes stores under the old key unreachable.
    this.kResourceStore = Symbol('kResourceStore');
  }

  _enable() {
    if (this.enabled) return;
    this.enabled = true;
    useContext();
  }

  _propagate() {}

  enterWith(store) {
    this._enable();
    const key = this.kResourceStore;
    asyncState.context = new Frame(key, store, without(asyncState.context, key));
  }

  run(store, callback, ...args) {
    // `lib/internal/async_local_storage/async_hooks.js: run` does not change the context if the store is active already.
    if (Object.is(store, this.getStore())) return Reflect.apply(callback, null, args);
    this._enable();
    const key = this.kResourceStore;
    return callIn(new Frame(key, store, without(asyncState.context, key)), key, callback, args);
  }

  exit(callback, ...args) {
    if (!this.enabled) return Reflect.apply(callback, null, args);
    const key = this.kResourceStore;
    return callIn(without(asyncState.context, key), key, callback, args);
  }

  getStore() {
    return this.enabled ? find(asyncState.context, this.kResourceStore)?.store : undefined;
  }
}

module.exports = { AsyncLocalStorage, storeIn };
