'use strict';
// The arguments of `test` and its kin.

const { validateFunction, validateObject } = require('internal/validators');

// `(name, options, fn)`, each of which may be missing.
function given(name, options, fn, more) {
  if (typeof name === 'function') {
    fn = name;
    name = options = undefined;
  } else if (name !== null && typeof name === 'object') {
    fn = options;
    options = name;
    name = undefined;
  } else if (typeof options === 'function') {
    fn = options;
    options = undefined;
  }
  if (options !== undefined) validateObject(options, 'options');
  if (fn !== undefined) validateFunction(fn, 'fn');
  return { name, options: { ...options, ...more }, fn };
}

module.exports = { given };
