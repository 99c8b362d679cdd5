'use strict';
// Registers the native per-chunk fast paths of streams (`streams` in `phasor-js`). The JavaScript function passed to
// `step` defines the semantics. It is the slow path of the native function, and replaces it if fast paths are off.

const { Buffer } = require('buffer');
const process = require('process');
const { kState } = require('internal/streams/flags');
const { kAfterWriteTickInfoValue, kWriteCbValue, noCallback } = require('internal/streams/writable_state');

// The write callback of a Transform that waits until the readable side has space.
const kCallback = Symbol('kCallback');

native.initFastPath({ kAfterWriteTickInfoValue, kCallback, kState, kWriteCbValue }, process, Buffer.prototype, noCallback);

// The registered functions by name, for JavaScript callers. Native steps call each other by the same names.
const steps = { __proto__: null };

// `functions` are the slow path and the other functions that the native one calls. Returns the native function, or the
// slow path if fast paths are off.
function step(name, ...functions) {
  const made = native.step(name, functions) ?? functions[0];
  steps[name] = made;
  return made;
}

module.exports = { kCallback, step, steps };
