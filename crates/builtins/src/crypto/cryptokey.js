'use strict';
// `CryptoKey`: a key with its algorithm and usages.

const { ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS } = require('internal/errors');
const { customInspectSymbol } = require('internal/util');
const { kClone, kDeserialize } = require('internal/clone_symbols');
const known = require('internal/crypto/known');

const states = new WeakMap();

function stateOf(key) {
  const state = states.get(key);
  if (state === undefined) throw new ERR_INVALID_THIS('CryptoKey');
  return state;
}

class CryptoKey {
  constructor() { throw new ERR_ILLEGAL_CONSTRUCTOR(); }

  get type() { return stateOf(this).keyObject.type; }
  get extractable() { return stateOf(this).extractable; }
  get algorithm() { return stateOf(this).algorithm; }
  get usages() { return stateOf(this).usages; }

  [customInspectSymbol](depth, options) {
    if (depth < 0) return this;
    const { inspect } = require('util');
    const { type, extractable, algorithm, usages } = this;
    const inner = { ...options, depth: options.depth === null ? null : options.depth - 1 };
    return `CryptoKey ${inspect({ type, extractable, algorithm, usages }, inner)}`;
  }
}

for (const name of ['type', 'extractable', 'algorithm', 'usages']) {
  Object.defineProperty(CryptoKey.prototype, name, { __proto__: null, enumerable: true });
}
Object.defineProperty(CryptoKey.prototype, Symbol.toStringTag, { __proto__: null, configurable: true, value: 'CryptoKey' });

function makeCryptoKey(keyObject, algorithm, usages, extractable) {
  const key = Object.create(CryptoKey.prototype);
  states.set(key, { keyObject, algorithm, usages, extractable });
  return key;
}

// A clone (`structuredClone`, `postMessage`) shares the KeyObject of the original.
Object.defineProperty(CryptoKey.prototype, kClone, {
  __proto__: null,
  configurable: true,
  value() { return { class: 'internal/crypto/cryptokey:CryptoKey', data: { ...stateOf(this) } }; },
});
Object.defineProperty(CryptoKey, kDeserialize, {
  __proto__: null,
  value: { shell: () => Object.create(CryptoKey.prototype), fill(key, state) { states.set(key, { ...state }); } },
});

known.isCryptoKey = (value) => typeof value === 'object' && value !== null && states.has(value);
known.keyObjectOf = (value) => (known.isCryptoKey(value) ? states.get(value).keyObject : undefined);

module.exports = { CryptoKey, makeCryptoKey };
