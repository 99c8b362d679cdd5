'use strict';
// Placeholders for TLS functions and classes: there is no TLS implementation.

const { ERR_NO_CRYPTO } = require('internal/errors');

// A function that throws ERR_NO_CRYPTO; usable as a class, too.
function refusing(name) {
  const refuse = function () { throw new ERR_NO_CRYPTO(); };
  Object.defineProperty(refuse, 'name', { __proto__: null, value: name });
  return refuse;
}

module.exports = { refusing };
