'use strict';
// `process.finalization`: callbacks for objects that are still alive at exit.

const process = require('process');
const { kValidateObjectAllowObjects, validateObject } = require('internal/validators');

// Weak references to the objects, by the event that triggers their callbacks.
const refs = { __proto__: null, exit: new SafeSet(), beforeExit: new SafeSet() };
const callbacks = new SafeWeakMap();
const registry = new SafeFinalizationRegistry((ref) => {
  for (const event of Object.keys(refs)) forget(event, ref);
});

const listeners = {
  __proto__: null,
  exit() { run('exit'); },
  beforeExit() { run('beforeExit'); },
};

function run(event) {
  for (const ref of [...refs[event]]) {
    const object = ref.deref();
    if (object !== undefined) callbacks.get(ref)(object, event);
  }
  refs[event].clear();
}

function forget(event, ref) {
  refs[event].delete(ref);
  if (refs[event].size === 0) process.removeListener(event, listeners[event]);
}

function add(event, object, callback) {
  validateObject(object, 'obj', kValidateObjectAllowObjects);
  if (refs[event].size === 0) process.on(event, listeners[event]);
  const ref = new SafeWeakRef(object);
  callbacks.set(ref, callback);
  registry.register(object, ref, object);
  refs[event].add(ref);
}

function warn(name) {
  process.emitWarning(
    `process.finalization.${name} is an experimental feature and might change at any time`, 'ExperimentalWarning');
}

const warned = new SafeSet();
function once(name) {
  if (warned.has(name)) return;
  warned.add(name);
  warn(name);
}

module.exports = {
  register(object, callback) {
    once('register');
    add('exit', object, callback);
  },

  registerBeforeExit(object, callback) {
    once('registerBeforeExit');
    add('beforeExit', object, callback);
  },

  unregister(object) {
    once('unregister');
    if ((typeof object !== 'object' || object === null) && typeof object !== 'function') {
      throw new TypeError(`Invalid unregisterToken ('${String(object)}')`);
    }
    registry.unregister(object);
    for (const event of Object.keys(refs)) {
      for (const ref of refs[event]) if (ref.deref() === object) forget(event, ref);
    }
  },
};
