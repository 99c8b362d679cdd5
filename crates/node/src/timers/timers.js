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
  for (const key of Object.keys(prototype)) Object.defineProperty(prototype, key, { enumerable: false });
  Object.defineProperty(prototype, 'constructor', { value: made, writable: true, configurable: true });
  Object.defineProperty(prototype, Symbol.dispose, {
    value: { [Symbol.dispose]() { clear(this); } }[Symbol.dispose],
    writable: true,
    configurable: true,
  });
  return made;
}

const Timeout = make('Timeout', scheduler.Timeout, clearTimeout);
Object.defineProperty(Timeout.prototype, Symbol.toPrimitive, {
  value: { [Symbol.toPrimitive]() { return timeoutId(this); } }[Symbol.toPrimitive],
  writable: true,
  configurable: true,
});
make('Immediate', scheduler.Immediate, clearImmediate);

const custom = Symbol.for('nodejs.util.promisify.custom');

function promisified(name) {
  return { enumerable: true, configurable: true, get() { return require('timers/promises')[name]; } };
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
Object.defineProperty(module.exports, 'promises', {
  configurable: true,
  enumerable: true,
  get() { return require('timers/promises'); },
});
