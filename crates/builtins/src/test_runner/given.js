'use strict';
// Parses the arguments of `test`, `suite` and similar functions.

// Takes `(name, options, fn)`, each optional. An argument of the wrong type is ignored (`lib/internal/test_runner/test.js: Test`).
function parseArguments(name, options, fn, more) {
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
  return {
    name,
    options: typeof options === 'object' ? { ...options, ...more } : { ...more },
    fn: typeof fn === 'function' ? fn : undefined,
  };
}

module.exports = { parseArguments };
