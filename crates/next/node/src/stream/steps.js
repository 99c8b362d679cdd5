'use strict';
// The per-chunk functions of streams by name, for other builtins.

// The write callback of a Transform that waits until the readable side has space.
const kCallback = Symbol('kCallback');

const steps = { __proto__: null };

// Notes a function under its name and returns it.
function step(name, fn) {
  steps[name] = fn;
  return fn;
}

module.exports = { kCallback, step, steps };
