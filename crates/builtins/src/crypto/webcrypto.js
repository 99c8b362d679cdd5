'use strict';
// `globalThis.crypto`: random values, and `subtle`, which is loaded on first access.

const { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS } = require('internal/errors');
const random = require('internal/crypto/random');

const made = new WeakSet();
let isMaking = false;

function check(value) {
  if (!made.has(value)) throw new ERR_INVALID_THIS('Crypto');
}

class Crypto {
  constructor() {
    if (!isMaking) throw new ERR_ILLEGAL_CONSTRUCTOR();
    made.add(this);
  }

  get subtle() {
    check(this);
    return require('internal/crypto/subtle').subtle;
  }

  getRandomValues(array) {
    check(this);
    return random.getRandomValues(array);
  }

  randomUUID(options) {
    check(this);
    return random.randomUUID(options);
  }
}

Object.defineProperty(Crypto.prototype, Symbol.toStringTag, { __proto__: null, configurable: true, value: 'Crypto' });
for (const name of ['getRandomValues', 'randomUUID', 'subtle']) {
  Object.defineProperty(Crypto.prototype, name, { __proto__: null, enumerable: true });
}

isMaking = true;
const crypto = new Crypto();
isMaking = false;

module.exports = { Crypto, crypto };
