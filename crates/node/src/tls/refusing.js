'use strict';
// What stands in the place of a function or a class of TLS, until there is TLS.

const { ERR_NO_CRYPTO } = require('internal/errors');

// Something of TLS by its name. A class as well: nothing is an instance of it.
function refusing(name) {
  const refuse = function () { throw new ERR_NO_CRYPTO(); };
  Object.defineProperty(refuse, 'name', { __proto__: null, value: name });
  return refuse;
}

module.exports = { refusing };
