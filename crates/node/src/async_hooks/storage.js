'use strict';
// AsyncLocalStorage: a store that follows what was started while it was there.
//
// The context of a thread is a list of keys and stores, never changed: who sets a store makes another list. Whoever queues a
// callback takes the list down, and so do the engine's promises.

require('internal/async_hooks');
const { getContext, setContext, swapContext } = native;

// A context as another one, with a store under a key; without the key if nothing is given.
function withStore(context, key, ...store) {
  const list = [];
  if (context !== undefined) {
    for (let at = 0; at < context.length; at += 2) {
      if (context[at] !== key) list.push(context[at], context[at + 1]);
    }
  }
  if (store.length > 0) list.push(key, store[0]);
  return list.length === 0 ? undefined : list;
}

class AsyncLocalStorage {
  // Another one after each `disable`: stores under the old one are out of reach.
  #key = {};
  enabled = false;

  static bind(fn) {
    return require('async_hooks').AsyncResource.bind(fn);
  }

  static snapshot() {
    return AsyncLocalStorage.bind((callback, ...args) => callback(...args));
  }

  disable() {
    if (!this.enabled) return;
    this.enabled = false;
    this.#key = {};
  }

  _enable() {
    this.enabled = true;
  }

  enterWith(store) {
    this.enabled = true;
    setContext(withStore(getContext(), this.#key, store));
  }

  run(store, callback, ...args) {
    if (Object.is(store, this.getStore())) return Reflect.apply(callback, null, args);
    this.enabled = true;
    return this.#call(withStore(getContext(), this.#key, store), callback, args);
  }

  // Calls in another context. After it the store of this storage is what it was; those of others stay as the call left them.
  #call(context, callback, args) {
    const key = this.#key;
    const before = swapContext(context);
    try {
      return Reflect.apply(callback, null, args);
    } finally {
      const after = getContext();
      if (after === context) {
        setContext(before);
      } else {
        const at = before === undefined ? -1 : before.indexOf(key);
        setContext(at === -1 ? withStore(after, key) : withStore(after, key, before[at + 1]));
      }
    }
  }

  exit(callback, ...args) {
    if (!this.enabled) return Reflect.apply(callback, null, args);
    return this.#call(withStore(getContext(), this.#key), callback, args);
  }

  getStore() {
    const context = getContext();
    if (context === undefined) return undefined;
    const key = this.#key;
    for (let at = 0; at < context.length; at += 2) {
      if (context[at] === key) return context[at + 1];
    }
    return undefined;
  }
}

module.exports = { AsyncLocalStorage };
