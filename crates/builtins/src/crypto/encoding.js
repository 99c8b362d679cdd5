'use strict';
// Key encodings: PEM, DER, JWK. Used by `createPublicKey`, `createPrivateKey`, `export()`, and all functions that
// accept a key in any format.

const { Buffer } = require('buffer');
const {
  ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS,
  ERR_CRYPTO_INVALID_JWK,
  ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE,
  ERR_CRYPTO_UNKNOWN_CIPHER,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_MISSING_PASSPHRASE,
} = require('internal/errors');
const { validateObject, validateOneOf, validateString } = require('internal/validators');
const { isAnyArrayBuffer, isArrayBufferView } = require('internal/util/types');
const { bytesOf, codedError } = require('internal/crypto/arguments');
const { byteKinds, isKeyObject, makeKey, material, unwrapped } = require('internal/crypto/keys');
const { troubleOf } = require('internal/crypto/trouble');

// Structures in which a key can be encoded, and the key types they apply to.
const structures = {
  spki: { public: true },
  pkcs1: { public: true, private: true, only: 'rsa', reason: 'can only be used for RSA keys' },
  pkcs8: { private: true },
  sec1: { private: true, only: 'ec', reason: 'can only be used for EC keys' },
};

function checkStructure(type, keyType, kind, name) {
  const structure = typeof type === 'string' && Object.hasOwn(structures, type) ? structures[type] : undefined;
  if (structure === undefined || (kind !== undefined && !structure[kind])) throw new ERR_INVALID_ARG_VALUE(name, type);
  if (structure.only !== undefined && keyType !== undefined && keyType !== structure.only) {
    throw new ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS(type, structure.reason);
  }
}

const isText = (value) => typeof value === 'string' || isArrayBufferView(value) || isAnyArrayBuffer(value);

// Validates the encoding options for a key type (`rsa`, `ec`, ...) and kind (`public`, `private`). `path` is the
// option's name in errors.
function outputForm(options, keyType, kind, path = 'options') {
  validateObject(options, 'options');
  const { format, type, cipher, passphrase, encoding } = options;
  const isJwk = format === 'jwk';
  if (!isJwk && format !== 'pem' && format !== 'der') throw new ERR_INVALID_ARG_VALUE(`${path}.format`, format);
  if (!isJwk || type !== undefined) checkStructure(type, keyType, kind, `${path}.type`);
  const form = { format, type };
  if (kind === 'public') return form;
  if (cipher !== undefined && cipher !== null) {
    if (typeof cipher !== 'string') throw new ERR_INVALID_ARG_VALUE(`${path}.cipher`, cipher);
    if (format === 'der' && type !== 'pkcs8') {
      throw new ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS(type, 'does not support encryption');
    }
    if (!isText(passphrase)) throw new ERR_INVALID_ARG_VALUE(`${path}.passphrase`, passphrase);
    // JWK is never encrypted.
    if (isJwk) return form;
    form.cipher = cipher;
    form.passphrase = bytesOf(passphrase, 'passphrase', encoding);
  } else if (passphrase !== undefined) {
    throw new ERR_INVALID_ARG_VALUE(`${path}.cipher`, cipher);
  }
  return form;
}

const base64url = (bytes) => Buffer.from(bytes).toString('base64url');

const webCurves = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521', secp256k1: 'secp256k1' };
const webNames = { ed25519: 'Ed25519', ed448: 'Ed448', x25519: 'X25519', x448: 'X448' };
const rsaNames = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'];

function toJwk(bytes) {
  const { kind, curve } = native.keyInfo(bytes);
  const parts = native.keyParts(bytes).map(base64url);
  if (kind === 'rsa') {
    return { kty: 'RSA', ...Object.fromEntries(parts.map((part, at) => [rsaNames[at], part])) };
  }
  if (kind === 'ec') {
    if (webCurves[curve] === undefined) {
      throw codedError('ERR_CRYPTO_JWK_UNSUPPORTED_CURVE', `Unsupported JWK EC curve: ${curve}.`);
    }
    const [x, y, d] = parts;
    const jwk = { kty: 'EC', x, y, crv: webCurves[curve] };
    if (d !== undefined) jwk.d = d;
    return jwk;
  }
  if (webNames[kind] === undefined) {
    throw codedError('ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE', 'Unsupported JWK Key Type.');
  }
  const [x, d] = parts;
  return d === undefined ? { crv: webNames[kind], x, kty: 'OKP' } : { crv: webNames[kind], d, x, kty: 'OKP' };
}

// Throws the error for a cipher that cannot encrypt the key: legacy ciphers are unavailable, and PEM encryption requires a CBC mode.
function refuseCipher({ cipher, type }) {
  const { ciphers, unsupported } = require('internal/crypto/legacy');
  const info = ciphers[cipher.toLowerCase()];
  if (info === undefined) throw new ERR_CRYPTO_UNKNOWN_CIPHER();
  throw type !== 'pkcs8' && info.ivLength === undefined ? troubleOf('headerCipher') : unsupported();
}

// Encodes a key.
function write(bytes, form) {
  if (form.format === 'jwk') return toJwk(bytes);
  const isPem = form.format === 'pem';
  const written = native.keyWrite(bytes, form.type, isPem, form.cipher, form.passphrase);
  if (written === 'cipher') refuseCipher(form);
  if (typeof written === 'string') throw troubleOf(written, 'Failed to encode key');
  const buffer = Buffer.from(written);
  return isPem ? buffer.toString('latin1') : buffer;
}

function exported(key, options) {
  validateObject(options, 'options');
  if (options.format === 'jwk') {
    if (key.type === 'private' && options.passphrase !== undefined) {
      throw new ERR_CRYPTO_INCOMPATIBLE_KEY_OPTIONS('jwk', 'does not support encryption');
    }
    return toJwk(material(key));
  }
  return write(material(key), outputForm(options, key.asymmetricKeyType, key.type));
}

function jwkParts(jwk, names) {
  return names.map((name) => {
    validateString(jwk[name], `key.${name}`);
    return Buffer.from(jwk[name], 'base64url');
  });
}

// Creates a key from a JWK: private if it has a private part and that is requested.
function ofJwk(jwk, isPublic) {
  validateObject(jwk, 'key.key');
  validateOneOf(jwk.kty, 'key.kty', ['RSA', 'EC', 'OKP']);
  const hasSecret = !isPublic;
  let kind;
  let names;
  if (jwk.kty === 'RSA') {
    kind = 'rsa';
    names = hasSecret ? rsaNames : ['n', 'e'];
  } else if (jwk.kty === 'EC') {
    validateString(jwk.crv, 'key.crv');
    validateOneOf(jwk.crv, 'key.crv', ['P-256', 'secp256k1', 'P-384', 'P-521']);
    kind = jwk.crv;
    names = hasSecret ? ['x', 'y', 'd'] : ['x', 'y'];
  } else {
    validateString(jwk.crv, 'key.crv');
    validateOneOf(jwk.crv, 'key.crv', ['Ed25519', 'Ed448', 'X25519', 'X448']);
    kind = jwk.crv.toLowerCase();
    names = hasSecret ? ['x', 'd'] : ['x'];
  }
  const bytes = native.keyOfParts(kind, jwkParts(jwk, names));
  if (typeof bytes === 'string') {
    throw new ERR_CRYPTO_INVALID_JWK(jwk.kty === 'OKP' ? 'Invalid JWK data' : `Invalid JWK ${jwk.kty} key`);
  }
  return { type: hasSecret ? 'private' : 'public', bytes };
}

function fail(word, format, type, isPublic) {
  if (format === 'der') {
    if (word === 'passphrase') throw new ERR_MISSING_PASSPHRASE();
    if (isPublic && (type === 'spki' || type === 'pkcs1')) throw new Error('Failed to read asymmetric key');
    if (word === 'nothing') throw new Error('Failed to read private key');
  }
  throw troubleOf(word, 'Failed to read asymmetric key');
}

// OpenSSL's maximum length of a passphrase (`PEM_BUFSIZE`).
const maxPassphraseBytes = 1024;

// Parses PEM or DER data with its options.
function ofText(text, options, { isPublic, isAny = false }, name) {
  const { format = 'pem', type, passphrase, encoding } = options;
  if (format !== 'pem' && format !== 'der') throw new ERR_INVALID_ARG_VALUE('options.format', format);
  if (format === 'der' || type !== undefined) {
    // A public key is wanted: a private key is accepted too, because the public key can be derived from it.
    checkStructure(type, undefined, isPublic ? undefined : 'private', 'options.type');
  }
  if (passphrase !== undefined && !isText(passphrase)) throw new ERR_INVALID_ARG_VALUE('options.passphrase', passphrase);
  const passphraseBytes = passphrase === undefined ? undefined : bytesOf(passphrase, 'key.passphrase', encoding);
  if (passphraseBytes?.byteLength > maxPassphraseBytes) throw troubleOf(format === 'der' ? 'passwordRead' : 'passphrase');
  const read = native.keyRead(bytesOf(text, name, encoding), format === 'pem', type, isPublic || isAny, passphraseBytes);
  if (typeof read === 'string') fail(read, format, type, isPublic);
  const [isPrivate, bytes] = read;
  return { type: isPrivate ? 'private' : 'public', bytes };
}

// Parses a key argument, and returns the type and bytes for the native code. `isCreating`: the key becomes a KeyObject, so the argument cannot be a
// private KeyObject already. `isAny`: a public key is accepted where a private one is expected.
function keyOf(given, role) {
  const { isPublic, isCreating } = role;
  const kinds = ['string', ...byteKinds, ...(isCreating && !isPublic ? [] : ['KeyObject', 'CryptoKey'])];
  const ofObject = (key) => {
    if (isCreating && !isPublic) throw new ERR_INVALID_ARG_TYPE('key', kinds, key);
    const wanted = isPublic && !isCreating ? ['private', 'public'] : ['private'];
    if (!wanted.includes(key.type)) throw new ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE(key.type, wanted.join(' or '));
    return { type: key.type, bytes: material(key) };
  };
  const object = unwrapped(given);
  if (isKeyObject(object)) return ofObject(object);
  if (isText(given)) return ofText(given, {}, role, 'key');
  if (typeof given !== 'object' || given === null) throw new ERR_INVALID_ARG_TYPE('key', kinds, given);
  const inner = unwrapped(given.key);
  if (isKeyObject(inner)) return ofObject(inner);
  if (given.format === 'jwk') return ofJwk(inner, isPublic);
  if (!isText(inner)) throw new ERR_INVALID_ARG_TYPE('key.key', kinds, inner);
  return ofText(inner, given, role, 'key.key');
}

const privateBytes = (key) => keyOf(key, { isPublic: false, isCreating: false }).bytes;

// Accepts a public key where a private one is expected: OpenSSL reports the missing private part when it is needed.
const anyBytes = (key) => keyOf(key, { isPublic: false, isCreating: false, isAny: true }).bytes;

function publicBytes(key) {
  const { type, bytes } = keyOf(key, { isPublic: true, isCreating: false });
  return type === 'private' ? native.keyPublic(bytes) : bytes;
}

function createPublicKey(key) {
  const { type, bytes } = keyOf(key, { isPublic: true, isCreating: true });
  return makeKey('public', type === 'private' ? native.keyPublic(bytes) : bytes);
}

function createPrivateKey(key) {
  return makeKey('private', keyOf(key, { isPublic: false, isCreating: true }).bytes);
}

module.exports = {
  anyBytes,
  createPrivateKey,
  createPublicKey,
  exported,
  ofJwk,
  outputForm,
  privateBytes,
  publicBytes,
  toJwk,
  write,
};
