'use strict';
// `timers`. The lists, the queue of immediates and the classes' methods are in Rust; here they get their shape.

const scheduler = require('internal/scheduler');
const {
  setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, timeoutId,
} = scheduler;

// The engine's classes have these prototypes; nobody constructs them but the functions above.
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
make('Immediate', scheduler.Immediate, clearImmediate);

// What packages look at inside of Node's timers. The lists are in Rust: there is nothing to be linked to.
const parts = ['_idleTimeout', '_idleStart', '_onTimeout', '_timerArgs', '_repeat', '_destroyed'];
for (let at = 0; at < parts.length; at++) {
  Object.defineProperty(Timeout.prototype, parts[at], {
    __proto__: null,
    configurable: true,
    enumerable: false,
    get() {
      const all = scheduler.timeoutParts(this);
      const value = all?.[at];
      // What a timer does not call any more, or does not repeat.
      return all && (at === 2 && value === undefined || at === 4 && !value) ? null : value;
    },
  });
}
let Look;
Object.defineProperty(Timeout.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  __proto__: null,
  configurable: true,
  writable: true,
  enumerable: false,
  value(depth, options, inspect) {
    const all = scheduler.timeoutParts(this);
    if (all === undefined || all === null || depth < 0) return '[Timeout]';
    // An object of a class of that name, so that it is printed as Node prints its own.
    const shown = new (Look ??= { Timeout: class {} }.Timeout)();
    for (let at = 0; at < parts.length; at++) shown[parts[at]] = this[parts[at]];
    return inspect(Object.assign(shown, this), { ...options, depth: options.depth === null ? null : depth });
  },
});

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
