'use strict';
// The module `timers`. Timer lists, the immediate queue and the methods are in Rust; this file defines the public
// classes.

const scheduler = require('internal/scheduler');
const {
  setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, timeoutId,
} = scheduler;

// Timeout and Immediate are native classes; only setTimeout, setInterval and setImmediate create instances.
function make(name, prototype, clear) {
  // A class's prototype cannot be replaced, so the constructor is a plain function.
  const made = { [name]: function() {} }[name];
  made.prototype = prototype;
  for (const key of Object.keys(prototype)) Object.defineProperty(prototype, key, { __proto__: null, enumerable: false });
  Object.defineProperty(prototype, 'constructor', { __proto__: null, value: made, writable: true, configurable: true });
  Object.defineProperty(prototype, Symbol.dispose, {
    __proto__: null,
    value: { [Symbol.dispose]() { clear(this); } }[Symbol.dispose],
    writable: true,
    configurable: true,
  });
  return made;
}

const Timeout = make('Timeout', scheduler.Timeout, clearTimeout);
Object.defineProperty(Timeout.prototype, Symbol.toPrimitive, {
  __proto__: null,
  value: { [Symbol.toPrimitive]() { return timeoutId(this); } }[Symbol.toPrimitive],
  writable: true,
  configurable: true,
});
const Immediate = make('Immediate', scheduler.Immediate, clearImmediate);

// Internal properties of Node's timers that packages read. `_idlePrev` and `_idleNext` do not exist: the lists are in
// Rust.
const parts = ['_idleTimeout', '_idleStart', '_onTimeout', '_timerArgs', '_repeat', '_destroyed'];
addParts(Timeout, parts, (timer, at) => {
  const all = scheduler.timeoutParts(timer);
  const value = all?.[at];
  // null for the callback of a cleared timer, and for the repeat of a timer that does not repeat.
  return all && (at === 2 && value === undefined || at === 4 && !value) ? null : value;
}, scheduler.setTimeoutPart);

const partsOfImmediate = ['_idleNext', '_idlePrev', '_onImmediate', '_argv', '_destroyed'];
addParts(Immediate, partsOfImmediate, (immediate, at) => {
  const all = scheduler.immediateParts(immediate);
  return all && (at < 2 ? null : at === 2 ? all[0] ?? null : all[at - 2]);
}, () => false);

// Assigning a property that has no native setter defines an own property.
function addParts(Class, names, read, write) {
  for (let at = 0; at < names.length; at++) {
    Object.defineProperty(Class.prototype, names[at], {
      __proto__: null,
      configurable: true,
      enumerable: false,
      get() { return read(this, at); },
      set(value) {
        if (write(this, at, value)) return;
        Object.defineProperty(this, names[at], { __proto__: null, value, writable: true, configurable: true, enumerable: true });
      },
    });
  }
  let Look;
  Object.defineProperty(Class.prototype, Symbol.for('nodejs.util.inspect.custom'), {
    __proto__: null,
    configurable: true,
    writable: true,
    enumerable: false,
    value(depth, options, inspect) {
      if ((read(this, names.length - 1) ?? undefined) === undefined || depth < 0) return `[${Class.name}]`;
      // Print an instance of a class of the same name, so that the output equals Node's.
      const shown = new (Look ??= { [Class.name]: class {} }[Class.name])();
      for (const name of names) shown[name] = this[name];
      return inspect(Object.assign(shown, this), { ...options, depth: options.depth === null ? null : depth });
    },
  });
}

const custom = Symbol.for('nodejs.util.promisify.custom');

function promisified(name) {
  return { __proto__: null, enumerable: true, configurable: true, get() { return require('timers/promises')[name]; } };
}

Object.defineProperty(setTimeout, custom, promisified('setTimeout'));
Object.defineProperty(setImmediate, custom, promisified('setImmediate'));

module.exports = {
  setTimeout,
  clearTimeout,
  setImmediate,
  clearImmediate,
  setInterval,
  clearInterval,
};
for (const name of ['_unrefActive', 'active', 'unenroll', 'enroll']) {
  module.exports[name] = { [name](...args) { return require('internal/timers/legacy')[name](...args); } }[name];
}
Object.defineProperty(module.exports, 'promises', {
  __proto__: null,
  configurable: true,
  enumerable: true,
  get() { return require('timers/promises'); },
});
