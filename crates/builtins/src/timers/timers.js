'use strict';
// The module `timers`. The classes, the timer lists and the queue of immediates are in internal/scheduler.

const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = require('internal/scheduler');

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
