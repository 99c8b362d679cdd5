'use strict';
// The `crypto` module. Its parts are loaded on first access, because few programs use more than one.

const { defineLazyProperties, deprecate } = require('internal/util');
const { isAnyArrayBuffer, isArrayBufferView } = require('internal/util/types');

const hashes = () => require('internal/crypto/hash');
const ciphers = () => require('internal/crypto/cipher');

function createHash(algorithm, options) {
  return new (hashes().Hash)(algorithm, options);
}

function createHmac(hmac, key, options) {
  return new (hashes().Hmac)(hmac, key, options);
}

function createCipheriv(cipher, key, iv, options) {
  return new (ciphers().Cipheriv)(cipher, key, iv, options);
}

function createDecipheriv(cipher, key, iv, options) {
  return new (ciphers().Decipheriv)(cipher, key, iv, options);
}

function createSign(algorithm, options) {
  return new (require('internal/crypto/sign').Sign)(algorithm, options);
}

function createVerify(algorithm, options) {
  return new (require('internal/crypto/sign').Verify)(algorithm, options);
}

function createECDH(curve) {
  return new (require('internal/crypto/agreement').ECDH)(curve);
}

function createDiffieHellman(sizeOrKey, keyEncoding, generator, generatorEncoding) {
  const { DiffieHellman } = require('internal/crypto/diffie_hellman');
  return new DiffieHellman(sizeOrKey, keyEncoding, generator, generatorEncoding);
}

function createDiffieHellmanGroup(name) {
  return new (require('internal/crypto/diffie_hellman').DiffieHellmanGroup)(name);
}

function timingSafeEqual(buf1, buf2) {
  const { codedError, readable } = require('internal/crypto/arguments');
  [['buf1', buf1], ['buf2', buf2]].forEach(([name, value]) => {
    if (isAnyArrayBuffer(value) || isArrayBufferView(value)) return;
    throw codedError(
      'ERR_INVALID_ARG_TYPE',
      `The "${name}" argument must be an instance of ArrayBuffer, Buffer, TypedArray, or DataView.`, TypeError);
  });
  if (buf1.byteLength !== buf2.byteLength) {
    throw codedError('ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length', RangeError);
  }
  const [one, other] = [buf1, buf2].map((value) => (isArrayBufferView(value) ? readable(value) : value));
  return native.equals(one, other);
}

// FIPS mode is not supported.
const getFips = () => 0;

function setFips(value) {
  if (!value) return;
  const { ERR_CRYPTO_FIPS_UNAVAILABLE } = require('internal/errors');
  throw new ERR_CRYPTO_FIPS_UNAVAILABLE();
}

// OpenSSL engines are not supported.
function setEngine(id, flags) {
  const { validateNumber, validateString } = require('internal/validators');
  validateString(id, 'id');
  if (flags) validateNumber(flags, 'flags');
  throw new (require('internal/errors').ERR_CRYPTO_ENGINE_UNKNOWN)(id);
}

// OpenSSL's secure heap (`--secure-heap`) is not supported.
const secureHeapUsed = () => ({ total: 0, used: 0, utilization: 0, min: 0 });

module.exports = {
  createCipheriv,
  createDecipheriv,
  createDiffieHellman,
  createDiffieHellmanGroup,
  createECDH,
  createHash,
  createHmac,
  createSign,
  createVerify,
  getDiffieHellman: createDiffieHellmanGroup,
  getFips,
  secureHeapUsed,
  setEngine,
  setFips,
  timingSafeEqual,
};

const parts = {
  'internal/crypto/keys': ['createSecretKey', 'generateKey', 'generateKeySync', 'KeyObject'],
  'internal/crypto/certificate': ['Certificate'],
  'internal/crypto/encoding': ['createPrivateKey', 'createPublicKey'],
  'internal/crypto/keypair': ['generateKeyPair', 'generateKeyPairSync'],
  'internal/crypto/sign': ['Sign', 'Verify', 'sign', 'verify'],
  'internal/crypto/envelope': ['privateDecrypt', 'privateEncrypt', 'publicDecrypt', 'publicEncrypt'],
  'internal/crypto/agreement': ['ECDH', 'diffieHellman', 'getCurves'],
  'internal/crypto/diffie_hellman': ['DiffieHellman', 'DiffieHellmanGroup'],
  'internal/crypto/x509': ['X509Certificate'],
  'internal/crypto/primes': ['checkPrime', 'checkPrimeSync', 'generatePrime', 'generatePrimeSync'],
  'internal/crypto/cipher': ['Cipheriv', 'Decipheriv', 'getCipherInfo', 'getCiphers'],
  'internal/crypto/hash': ['getHashes', 'hash'],
  'internal/crypto/derive': ['hkdf', 'hkdfSync', 'pbkdf2', 'pbkdf2Sync', 'scrypt', 'scryptSync'],
  'internal/crypto/random': [
    'getRandomValues', 'randomBytes', 'randomFill', 'randomFillSync', 'randomInt', 'randomUUID',
  ],
};
for (const [id, names] of Object.entries(parts)) defineLazyProperties(module.exports, id, names);

function lazy(name, make, enumerable = true) {
  let value;
  Object.defineProperty(module.exports, name, {
    __proto__: null,
    configurable: true,
    enumerable,
    get() { return value ??= make(); },
    set(given) { value = given; },
  });
}

lazy('Hash', () => deprecate(hashes().Hash, 'crypto.Hash constructor is deprecated.', 'DEP0179'));
lazy('Hmac', () => deprecate(hashes().Hmac, 'crypto.Hmac constructor is deprecated.', 'DEP0181'));
for (const name of ['pseudoRandomBytes', 'prng', 'rng']) {
  lazy(name, () => {
    const { randomBytes } = module.exports;
    return require('internal/options').has('pending-deprecation') ?
      deprecate(randomBytes, `crypto.${name} is deprecated.`, 'DEP0115') : randomBytes;
  }, false);
}
Object.defineProperty(module.exports, 'fips', { __proto__: null, enumerable: false, get: getFips, set: setFips });
lazy('constants', () => require('internal/crypto/constants'));
lazy('webcrypto', () => require('internal/crypto/webcrypto').crypto);
lazy('subtle', () => require('internal/crypto/subtle').subtle);
