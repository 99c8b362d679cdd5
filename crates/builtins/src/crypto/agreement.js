'use strict';
// Key agreement: `diffieHellman()` of two keys, and `ECDH`.

const { Buffer } = require('buffer');
const {
  ERR_CRYPTO_ECDH_INVALID_FORMAT,
  ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY,
  ERR_CRYPTO_INCOMPATIBLE_KEY,
  ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE,
  ERR_INVALID_ARG_VALUE,
} = require('internal/errors');
const { validateObject, validateString } = require('internal/validators');
const { bytesOf, codedError, copyOf, kHandle } = require('internal/crypto/arguments');
const { isKeyObject, material } = require('internal/crypto/keys');
const { perform, troubleOf } = require('internal/crypto/trouble');

const encoded = (buffer, encoding) => (encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer);

function diffieHellman(options) {
  validateObject(options, 'options');
  const { privateKey, publicKey } = options;
  if (!isKeyObject(privateKey)) throw new ERR_INVALID_ARG_VALUE('options.privateKey', privateKey);
  if (!isKeyObject(publicKey)) throw new ERR_INVALID_ARG_VALUE('options.publicKey', publicKey);
  if (privateKey.type !== 'private') throw new ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(privateKey.type, 'private');
  if (publicKey.type === 'secret') throw new ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(publicKey.type, 'private or public');
  const [privateType, publicType] = [privateKey, publicKey].map((key) => key.asymmetricKeyType);
  if (privateType !== publicType || !['dh', 'ec', 'x25519', 'x448'].includes(privateType)) {
    throw new ERR_CRYPTO_INCOMPATIBLE_KEY('key types for Diffie-Hellman', `${privateType} and ${publicType}`);
  }
  const theirBytes = publicKey.type === 'private' ? native.keyPublic(material(publicKey)) : material(publicKey);
  const trouble = (word) => troubleOf(word, 'diffieHellman failed');
  return perform(undefined, (done) => native.agree(done, material(privateKey), theirBytes), (made) => Buffer.from(made), trouble);
}

const getCurves = () => native.curves().sort();

const forms = ['compressed', 'hybrid', 'uncompressed'];

function formOf(format) {
  const form = format || 'uncompressed';
  if (!forms.includes(form)) throw new ERR_CRYPTO_ECDH_INVALID_FORMAT(format);
  return form;
}

const failed = (message) => codedError('ERR_CRYPTO_OPERATION_FAILED', message);
const badCurve = () => codedError('ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name', TypeError);

const states = new WeakMap();
const stateOf = (ecdh) => states.get(ecdh[kHandle]);

function ECDH(curve) {
  if (!new.target) return new ECDH(curve);
  validateString(curve, 'curve');
  // OpenSSL knows a curve by several names, but `ECDH` accepts only the name that `getCurves()` lists.
  if (!native.curves().includes(curve)) throw badCurve();
  this[kHandle] = new (class ECDH {})();
  states.set(this[kHandle], { curve, secret: undefined, point: undefined });
}

ECDH.convertKey = function convertKey(key, curve, inEnc, outEnc, format) {
  validateString(curve, 'curve');
  const point = bytesOf(key, 'key', inEnc);
  const form = formOf(format);
  // The point at infinity is empty in every format.
  if (point.byteLength === 0) return '';
  const converted = native.ecForm(curve, point, form);
  if (converted === 'curve') throw badCurve();
  if (typeof converted === 'string') throw failed('Failed to convert Buffer to EC_POINT');
  return encoded(Buffer.from(converted), outEnc);
};

Object.assign(ECDH.prototype, {
  computeSecret(key, inEnc, outEnc) {
    const point = bytesOf(key, 'key', inEnc);
    const { curve, secret, point: own } = stateOf(this);
    // The public key may have been set independently of the private one.
    if (own === undefined || (secret !== undefined && !own.equals(Buffer.from(native.ecPoint(curve, secret))))) {
      throw codedError('ERR_CRYPTO_INVALID_KEYPAIR', 'Invalid key pair', RangeError);
    }
    if (secret === undefined) throw failed('Failed to compute ECDH key');
    const shared = native.ecAgree(curve, secret, point);
    if (typeof shared === 'string') throw new ERR_CRYPTO_ECDH_INVALID_PUBLIC_KEY();
    return encoded(Buffer.from(shared), outEnc);
  },

  generateKeys(encoding, format) {
    const state = stateOf(this);
    state.secret = Buffer.from(native.ecSecret(state.curve));
    state.point = Buffer.from(native.ecPoint(state.curve, state.secret));
    return this.getPublicKey(encoding, format);
  },

  getPrivateKey(encoding) {
    const { secret } = stateOf(this);
    if (secret === undefined) throw failed('Failed to get ECDH private key');
    return encoded(Buffer.from(secret), encoding);
  },

  getPublicKey(encoding, format) {
    const form = formOf(format);
    const { curve, point } = stateOf(this);
    if (point === undefined) throw failed('Failed to get ECDH public key');
    return encoded(Buffer.from(native.ecForm(curve, point, form)), encoding);
  },

  setPrivateKey(key, encoding) {
    const secret = bytesOf(key, 'key', encoding);
    const state = stateOf(this);
    const point = native.ecPoint(state.curve, secret);
    if (typeof point === 'string') {
      throw codedError('ERR_CRYPTO_INVALID_KEYTYPE', 'Private key is not valid for specified curve.', RangeError);
    }
    state.secret = copyOf(secret);
    state.point = Buffer.from(point);
    return this;
  },

  setPublicKey(key, encoding) {
    const given = bytesOf(key, 'key', encoding);
    const state = stateOf(this);
    const point = native.ecForm(state.curve, given, 'uncompressed');
    if (typeof point === 'string') throw failed('Failed to convert Buffer to EC_POINT');
    state.point = Buffer.from(point);
    return this;
  },
});

module.exports = { ECDH, diffieHellman, getCurves };
