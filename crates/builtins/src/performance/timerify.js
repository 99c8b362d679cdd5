'use strict';
// `performance.timerify`: wraps a function to record the duration of its calls.

const { ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { validateFunction, validateObject } = require('internal/validators');
const { nodeEntry } = require('internal/performance/entry');
const { notify } = require('internal/performance/timeline');
const { isHistogram } = require('internal/performance/histogram');

const { now: clock } = native;

function finish(name, start, args, histogram) {
  const duration = clock() - start;
  // A histogram records 1 ns at least.
  histogram?.record(Math.max(Math.ceil(duration * 1e6), 1));
  const entry = nodeEntry(name, 'function', start, duration, args);
  for (let at = 0; at < args.length; at++) entry[at] = args[at];
  notify(entry);
}

module.exports = function timerify(fn, options = {}) {
  validateFunction(fn, 'fn');
  validateObject(options, 'options');
  const { histogram } = options;
  if (histogram !== undefined && (!isHistogram(histogram) || typeof histogram.record !== 'function')) {
    throw new ERR_INVALID_ARG_TYPE('options.histogram', 'RecordableHistogram', histogram);
  }

  function timerified(...args) {
    const start = clock();
    if (new.target !== undefined) {
      const made = Reflect.construct(fn, args, fn);
      finish(fn.name, start, args, histogram);
      return made;
    }
    const result = Reflect.apply(fn, this, args);
    // For a promise, measure until it settles.
    if (typeof result?.finally === 'function') return result.finally(() => finish(fn.name, start, args, histogram));
    finish(fn.name, start, args, histogram);
    return result;
  }

  Object.defineProperties(timerified, {
    length: { __proto__: null, configurable: false, enumerable: true, value: fn.length },
    name: { __proto__: null, configurable: false, enumerable: true, value: `timerified ${fn.name}` },
  });
  return timerified;
};
