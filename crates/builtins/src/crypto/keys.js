'use strict';
// `KeyObject`: an opaque key. A secret key is stored as its bytes, an asymmetric one as DER, which all native
// functions take.

const { Buffer } = require('buffer');
const {
  ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
} = require('internal/errors');
const { validateObject, validateOneOf, validateInteger, validateFunction, validateString } =
  require('internal/validators');
const { isAnyArrayBuffer, isArrayBufferView } = require('internal/util/types');
const { kClone, kDeserialize } = require('internal/clone_symbols');
const { bytesOf, readable } = require('internal/crypto/arguments');

const kKeyType = Symbol('kKeyType');
const kAsymmetricKeyType = Symbol('kAsymmetricKeyType');
const kAsymmetricKeyDetails = Symbol('kAsymmetricKeyDetails');
const byteKinds = ['ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];

// The content of the native handle of a KeyObject. The class is not exported, so only this module can create handles.
class KeyObjectHandle {
  #bytes;
  constructor(bytes) { this.#bytes = bytes; }
  static bytesOf(handle) { return handle.#bytes; }
}

const handleOf = new WeakMap();

// The key's bytes for the native code.
const material = (key) => KeyObjectHandle.bytesOf(handleOf.get(key));

class KeyObject {
  constructor(type, handle) {
    if (type !== 'secret' && type !== 'public' && type !== 'private') throw new ERR_INVALID_ARG_VALUE('type', type);
    if (typeof handle !== 'object' || !(handle instanceof KeyObjectHandle)) {
      throw new ERR_INVALID_ARG_TYPE('handle', 'object', handle);
    }
    this[kKeyType] = type;
    handleOf.set(this, handle);
  }

  get type() { return this[kKeyType]; }

  static from(key) {
    const object = require('internal/crypto/known').keyObjectOf(key);
    if (object === undefined) throw new ERR_INVALID_ARG_TYPE('key', 'CryptoKey', key);
    return object;
  }

  equals(otherKeyObject) {
    if (!isKeyObject(otherKeyObject)) throw new ERR_INVALID_ARG_TYPE('otherKeyObject', 'KeyObject', otherKeyObject);
    if (this.type !== otherKeyObject.type) return false;
    const [one, other] = [this, otherKeyObject].map((key) =>
      (key.type === 'private' ? native.keyPublic(material(key)) : material(key)));
    return one.byteLength === other.byteLength && native.equals(one, other);
  }
}

Object.defineProperty(KeyObject.prototype, Symbol.toStringTag, {
  __proto__: null, configurable: true, value: 'KeyObject',
});

class SecretKeyObject extends KeyObject {
  constructor(handle) { super('secret', handle); }

  get symmetricKeySize() { return material(this).length; }

  export(options) {
    if (options !== undefined) {
      validateObject(options, 'options');
      validateOneOf(options.format, 'options.format', [undefined, 'buffer', 'jwk']);
    }
    const bytes = Buffer.from(material(this));
    return options?.format === 'jwk' ? { kty: 'oct', k: bytes.toString('base64url') } : bytes;
  }
}

function detailsOf(key) {
  const info = native.keyInfo(material(key));
  if (info.curve !== undefined) return { namedCurve: info.curve };
  if (info.bits === undefined) return {};
  if (info.divisorBits !== undefined) return { modulusLength: info.bits, divisorLength: info.divisorBits };
  const details = { modulusLength: info.bits, publicExponent: BigInt(`0x${info.exponent || '0'}`) };
  if (info.hash !== undefined) {
    details.hashAlgorithm = info.hash;
    details.mgf1HashAlgorithm = info.maskHash;
    details.saltLength = info.salt;
  }
  return details;
}

class AsymmetricKeyObject extends KeyObject {
  get asymmetricKeyType() { return this[kAsymmetricKeyType] ??= native.keyInfo(material(this)).kind; }

  get asymmetricKeyDetails() { return { ...this[kAsymmetricKeyDetails] ??= detailsOf(this) }; }
}

// `toCryptoKey()` of secret and asymmetric keys.
for (const Class of [SecretKeyObject, AsymmetricKeyObject]) {
  Object.defineProperty(Class.prototype, 'toCryptoKey', {
    __proto__: null,
    configurable: true,
    writable: true,
    value: function toCryptoKey(algorithm, extractable, keyUsages) {
      return require('internal/crypto/subtle').cryptoKeyOf(this, algorithm, extractable, keyUsages);
    },
  });
}

class PublicKeyObject extends AsymmetricKeyObject {
  constructor(handle) { super('public', handle); }

  export(options) { return require('internal/crypto/encoding').exported(this, options); }
}

class PrivateKeyObject extends AsymmetricKeyObject {
  constructor(handle) { super('private', handle); }

  export(options) { return require('internal/crypto/encoding').exported(this, options); }
}

const isKeyObject = (value) => typeof value === 'object' && value !== null && handleOf.has(value);

const makers = { secret: SecretKeyObject, public: PublicKeyObject, private: PrivateKeyObject };

// A clone (`structuredClone`, `postMessage`) has the same bytes as the original.
Object.defineProperty(KeyObject.prototype, kClone, {
  __proto__: null,
  configurable: true,
  value() {
    return { class: `internal/crypto/keys:${makers[this.type].name}`, data: { bytes: material(this) } };
  },
});
for (const [type, Class] of Object.entries(makers)) {
  Object.defineProperty(Class, kDeserialize, {
    __proto__: null,
    value: {
      shell: () => Object.create(Class.prototype),
      fill(key, { bytes }) {
        key[kKeyType] = type;
        handleOf.set(key, new KeyObjectHandle(bytes));
      },
    },
  });
}

const makeKey = (type, bytes) => new makers[type](new KeyObjectHandle(bytes));

// Returns the KeyObject of a CryptoKey, and every other value unchanged.
function unwrapped(key) {
  return isKeyObject(key) ? key : require('internal/crypto/known').keyObjectOf(key) ?? key;
}

// The bytes of a secret key, given as KeyObject, CryptoKey, buffer or string with `encoding`.
function secretBytes(key, name = 'key', encoding = 'utf8') {
  key = unwrapped(key);
  if (isKeyObject(key)) {
    if (key.type !== 'secret') throw new ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(key.type, 'secret');
    return material(key);
  }
  if (typeof key === 'string') return Buffer.from(key, encoding === 'buffer' ? 'utf8' : encoding);
  if (isArrayBufferView(key)) return readable(key);
  if (isAnyArrayBuffer(key)) return bytesOf(key);
  throw new ERR_INVALID_ARG_TYPE(name, ['string', ...byteKinds, 'KeyObject', 'CryptoKey'], key);
}

function createSecretKey(key, encoding) {
  if (typeof key !== 'string' && !isArrayBufferView(key) && !isAnyArrayBuffer(key)) {
    throw new ERR_INVALID_ARG_TYPE('key', byteKinds, key);
  }
  // Copy: later changes of the caller's buffer must not change the key.
  const bytes = secretBytes(key, 'key', encoding);
  return makeKey('secret', bytes.buffer.detached ? new Uint8Array() : Uint8Array.from(
    new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
}

function checkGenerate(type, options) {
  validateString(type, 'type');
  validateObject(options, 'options');
  const { length } = options;
  if (type === 'hmac') {
    validateInteger(length, 'options.length', 8, 2 ** 31 - 1);
    return length >> 3;
  }
  if (type === 'aes') {
    validateOneOf(length, 'options.length', [128, 192, 256]);
    return length / 8;
  }
  throw new ERR_INVALID_ARG_VALUE('type', type, 'must be a supported key type');
}

function generateKey(type, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, 'callback');
  const size = checkGenerate(type, options);
  let done = (answer) => {
    if (typeof answer === 'string') callback(new Error('Key generation failed'));
    else callback(null, makeKey('secret', new Uint8Array(answer)));
  };
  const { on, request } = require('internal/async_hooks/tracking');
  if (on) done = request('KEYGENREQUEST', done);
  native.random(done, size);
}

function generateKeySync(type, options) {
  const answer = native.random(undefined, checkGenerate(type, options));
  if (typeof answer === 'string') throw new Error('Key generation failed');
  return makeKey('secret', new Uint8Array(answer));
}

require('internal/crypto/known').isKeyObject = isKeyObject;

module.exports = {
  KeyObject,
  PrivateKeyObject,
  PublicKeyObject,
  SecretKeyObject,
  byteKinds,
  createSecretKey,
  generateKey,
  generateKeySync,
  isKeyObject,
  makeKey,
  material,
  secretBytes,
  unwrapped,
};
