'use strict';
// The arguments of `test` and its kin.

// `(name, options, fn)`, each of which may be missing. As Node: what is of another type is as good as missing.
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
