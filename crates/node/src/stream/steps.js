'use strict';
// The steps that each chunk takes are native: see `streams` of `phasor-js`. Where there is a function here as well, it does what is unusual.

const { Buffer } = require('buffer');
const process = require('process');
const { kState } = require('internal/streams/flags');
const { kAfterWriteTickInfoValue, kWriteCbValue, noCallback } = require('internal/streams/writable_state');

// A Transform's callback of a write that waits for room on the readable side.
const kCallback = Symbol('kCallback');

native.know({ kAfterWriteTickInfoValue, kCallback, kState, kWriteCbValue }, process, Buffer.prototype, noCallback);

// The native steps call one another, and JavaScript keeps them, by their names.
const steps = { __proto__: null };

function step(name, ...functions) {
  const made = native.step(name, functions);
  steps[name] = made;
  return made;
}

module.exports = { kCallback, step, steps };
