'use strict';
// Parses the arguments of `test`, `suite` and similar functions.

// `(name, options, fn)`, each optional. As in Node, an argument of the wrong type is ignored.
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
  return {
    name,
    options: typeof options === 'object' ? { ...options, ...more } : { ...more },
    fn: typeof fn === 'function' ? fn : undefined,
  };
}

module.exports = { given };
