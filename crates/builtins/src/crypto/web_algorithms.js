'use strict';
// Algorithms of the Web Cryptography API: supported operations, and the parameter dictionaries that arguments are
// converted to.

const process = require('process');
const DOMException = require('internal/domexception').DOMException;
const { isArrayBuffer, isArrayBufferView, isUint8Array } = require('internal/util/types');
const { codedError } = require('internal/crypto/arguments');
const known = require('internal/crypto/known');

const domError = (name, message, cause) =>
  new DOMException(message, cause === undefined ? name : { name, cause });

// The operations of each algorithm, with the dictionary type of their parameters. null: the algorithm has only a name.
const rsa = { generateKey: 'RsaHashedKeyGenParams', importKey: 'RsaHashedImportParams', exportKey: null };
const curve = { generateKey: 'EcKeyGenParams', importKey: 'EcKeyImportParams', exportKey: null };
const raw = { generateKey: null, importKey: null, exportKey: null };
const aes = { 'generateKey': 'AesKeyGenParams', 'importKey': null, 'exportKey': null, 'get key length': 'AesDerivedKeyParams' };
const aesWith = (params) => ({ ...aes, encrypt: params, decrypt: params });
const both = (first, second, params) => ({ [first]: params, [second]: params });

const algorithms = {
  'SHA-1': { digest: null },
  'SHA-256': { digest: null },
  'SHA-384': { digest: null },
  'SHA-512': { digest: null },
  'RSASSA-PKCS1-v1_5': { ...rsa, ...both('sign', 'verify', null) },
  'RSA-PSS': { ...rsa, ...both('sign', 'verify', 'RsaPssParams') },
  'RSA-OAEP': { ...rsa, ...both('encrypt', 'decrypt', 'RsaOaepParams') },
  'ECDSA': { ...curve, ...both('sign', 'verify', 'EcdsaParams') },
  'ECDH': { ...curve, deriveBits: 'EcdhKeyDeriveParams' },
  'Ed25519': { ...raw, ...both('sign', 'verify', null) },
  'Ed448': { ...raw, ...both('sign', 'verify', 'Ed448Params') },
  'X25519': { ...raw, deriveBits: 'EcdhKeyDeriveParams' },
  'X448': { ...raw, deriveBits: 'EcdhKeyDeriveParams' },
  'AES-CBC': aesWith('AesCbcParams'),
  'AES-CTR': aesWith('AesCtrParams'),
  'AES-GCM': aesWith('AesGcmParams'),
  'AES-KW': { ...aes, ...both('wrapKey', 'unwrapKey', null) },
  'HMAC': {
    'generateKey': 'HmacKeyGenParams', 'importKey': 'HmacImportParams', 'exportKey': null, ...both('sign', 'verify', null),
    'get key length': 'HmacImportParams',
  },
  'HKDF': { 'importKey': null, 'deriveBits': 'HkdfParams', 'get key length': null },
  'PBKDF2': { 'importKey': null, 'deriveBits': 'Pbkdf2Params', 'get key length': null },
};
const byLowerName = new Map(Object.keys(algorithms).map((name) => [name.toLowerCase(), name]));

// The members of each dictionary with their types; `!` marks a required member.
const dictionaries = {
  AesKeyGenParams: { length: 'short!' },
  AesDerivedKeyParams: { length: 'short!' },
  AesCbcParams: { iv: 'bytes!' },
  AesCtrParams: { counter: 'bytes!', length: 'octet!' },
  AesGcmParams: { iv: 'bytes!', tagLength: 'octet', additionalData: 'bytes' },
  EcKeyGenParams: { namedCurve: 'text!' },
  EcKeyImportParams: { namedCurve: 'text!' },
  Ed448Params: { context: 'bytes' },
  EcdsaParams: { hash: 'hash!' },
  EcdhKeyDeriveParams: { public: 'key!' },
  HkdfParams: { hash: 'hash!', salt: 'bytes!', info: 'bytes!' },
  HmacKeyGenParams: { hash: 'hash!', length: 'long' },
  HmacImportParams: { hash: 'hash!', length: 'long' },
  Pbkdf2Params: { hash: 'hash!', iterations: 'long!', salt: 'bytes!' },
  RsaHashedImportParams: { hash: 'hash!' },
  RsaHashedKeyGenParams: { modulusLength: 'long!', publicExponent: 'numberBytes!', hash: 'hash!' },
  RsaOaepParams: { label: 'bytes' },
  RsaPssParams: { saltLength: 'long!' },
};

const limits = { octet: 0xFF, short: 0xFFFF, long: 0xFFFFFFFF };

const isDictionary = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

// Copies the bytes: the caller may change them during the operation.
function copyBytes(value, wrong) {
  const isView = isArrayBufferView(value);
  const memory = isView ? value.buffer : value;
  if (!isView && !isArrayBuffer(value)) throw wrong('is not instance of ArrayBuffer, Buffer, TypedArray, or DataView.');
  if (!isArrayBuffer(memory)) throw wrong('is a view on a SharedArrayBuffer, which is not allowed.');
  if (memory.detached) return new Uint8Array();
  return new Uint8Array(isView ? memory.slice(value.byteOffset, value.byteOffset + value.byteLength) : memory.slice());
}

function textOf(value, wrong) {
  if (typeof value === 'symbol') throw wrong('is a Symbol and cannot be converted to a string.');
  return `${value}`;
}

function mustBeNumeric(value, wrong) {
  const type = { bigint: 'BigInt', symbol: 'Symbol' }[typeof value];
  if (type !== undefined) throw wrong(`is a ${type} and cannot be converted to a number.`);
}

function member(value, kind, name, dictionary) {
  const where = `Failed to normalize algorithm: '${name}' of '${dictionary}' (passed algorithm)`;
  const wrong = (what) => codedError('ERR_INVALID_ARG_TYPE', `${where} ${what}`, TypeError);
  switch (kind) {
    case 'hash':
      return { name: normalize(isDictionary(value) ? value : textOf(value, wrong), 'digest').name };
    case 'text': return textOf(value, wrong);
    case 'bytes':
      return copyBytes(value, wrong);
    case 'numberBytes':
      if (!isUint8Array(value)) throw wrong('is not an Uint8Array object.');
      // `copyBytes` rejects shared memory, and accepts any view, Buffer included.
      copyBytes(value, wrong);
      return Uint8Array.prototype.slice.call(value);
    case 'key':
      if (!known.isCryptoKey(value)) throw wrong('is not of type CryptoKey.');
      return value;
    default: {
      mustBeNumeric(value, wrong);
      const number = Math.trunc(+value);
      if (!Number.isFinite(+value)) throw wrong('is not a finite number.');
      if (number < 0 || number > limits[kind]) {
        throw codedError('ERR_OUT_OF_RANGE', `${where} is outside the expected range of 0 to ${limits[kind]}.`, TypeError);
      }
      return number + 0;
    }
  }
}

const warned = new Set();

function warnExperimental(name) {
  if (warned.has(name)) return;
  warned.add(name);
  process.emitWarning(
    `The ${name} Web Crypto API algorithm is an experimental feature and might change at any time`, 'ExperimentalWarning');
}

// Normalizes an algorithm for an operation ("normalize an algorithm" in the standard).
function normalize(algorithm, operation) {
  if (typeof algorithm === 'string') algorithm = { name: algorithm };
  if (!isDictionary(algorithm)) {
    throw codedError('ERR_INVALID_ARG_TYPE', 'Failed to normalize algorithm: passed algorithm can not be converted to a dictionary.',
                     TypeError);
  }
  if (algorithm.name === undefined) {
    throw codedError('ERR_MISSING_OPTION', "Failed to normalize algorithm: passed algorithm can not be converted to 'Algorithm' because " +
      "'name' is required in 'Algorithm'.", TypeError);
  }
  const wrong = (words) => codedError(
    'ERR_INVALID_ARG_TYPE', `Failed to normalize algorithm: 'name' of 'Algorithm' (passed algorithm) ${words}`, TypeError);
  const name = byLowerName.get(textOf(algorithm.name, wrong).toLowerCase());
  const dictionary = name === undefined ? undefined : algorithms[name][operation];
  if (dictionary === undefined) throw domError('NotSupportedError', 'Unrecognized algorithm name');
  if (name.endsWith('448')) warnExperimental(name);
  const full = { name };
  if (dictionary === null) return full;
  for (const [key, kind] of Object.entries(dictionaries[dictionary]).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const value = algorithm[key];
    if (value !== undefined) {
      full[key] = member(value, kind.replace('!', ''), key, dictionary);
    } else if (kind.endsWith('!')) {
      throw codedError('ERR_MISSING_OPTION', `Failed to normalize algorithm: passed algorithm can not be converted to '${dictionary}' ` +
        `because '${key}' is required in '${dictionary}'.`, TypeError);
    }
  }
  return full;
}

const has = (name, operation) => algorithms[name]?.[operation] !== undefined;

// Compares the name of an algorithm that is not normalized yet: the name may be missing, or not be a string.
function isNamed(algorithm, name) {
  const own = typeof algorithm === 'string' ? algorithm : algorithm?.name;
  return typeof own !== 'symbol' && `${own}`.toLowerCase() === name.toLowerCase();
}

module.exports = { copyBytes, domError, has, isDictionary, isNamed, mustBeNumeric, normalize, textOf };
