'use strict';
// `AsyncLocalStorage`. Contexts and the methods that read and set them are native (crates/js/src/context/frame.rs).

require('internal/async_hooks');
const { key: kKey, methods, newKey, storeIn } = native;

class AsyncLocalStorage {
  enabled = false;

  constructor() {
    Object.defineProperty(this, kKey, { __proto__: null, value: newKey(), writable: true });
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
    // A new key makes stores under the old one unreachable.
    this[kKey] = newKey();
  }

  _enable() {
    this.enabled = true;
    this[kKey] |= 1;
  }
}

// enterWith, run, exit, getStore
Object.defineProperties(AsyncLocalStorage.prototype, Object.getOwnPropertyDescriptors(methods));

module.exports = { AsyncLocalStorage, storeIn };
