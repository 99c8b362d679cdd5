'use strict';
// CountQueuingStrategy and ByteLengthQueuingStrategy of the Streams Standard.

const { ERR_MISSING_OPTION } = require('internal/errors');
const { validateObject } = require('internal/validators');
const { inspectAs, kInspect } = require('internal/webstreams/shared');

// One `size` function for all instances, as the standard requires.
const byteSize = Object.defineProperty((chunk) => chunk.byteLength, 'name', { value: 'size' });
const countSize = Object.defineProperty(() => 1, 'name', { value: 'size' });

function checkMark(init) {
  validateObject(init, 'init');
  if (init.highWaterMark === undefined) throw new ERR_MISSING_OPTION('init.highWaterMark');
  return +init.highWaterMark;
}

class ByteLengthQueuingStrategy {
  #highWaterMark;

  constructor(init) { this.#highWaterMark = checkMark(init); }

  get highWaterMark() { return this.#highWaterMark; }

  get size() {
    void this.#highWaterMark;
    return byteSize;
  }

  [kInspect](depth, options) {
    return inspectAs(this, depth, options, 'ByteLengthQueuingStrategy', { highWaterMark: this.highWaterMark });
  }
}

class CountQueuingStrategy {
  #highWaterMark;

  constructor(init) { this.#highWaterMark = checkMark(init); }

  get highWaterMark() { return this.#highWaterMark; }

  get size() {
    void this.#highWaterMark;
    return countSize;
  }

  [kInspect](depth, options) {
    return inspectAs(this, depth, options, 'CountQueuingStrategy', { highWaterMark: this.highWaterMark });
  }
}

for (const Class of [ByteLengthQueuingStrategy, CountQueuingStrategy]) {
  Object.defineProperties(Class.prototype, {
    highWaterMark: { enumerable: true },
    size: { enumerable: true },
    [Symbol.toStringTag]: { configurable: true, value: Class.name },
  });
}

module.exports = { ByteLengthQueuingStrategy, CountQueuingStrategy };
