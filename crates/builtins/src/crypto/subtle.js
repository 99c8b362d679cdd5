'use strict';
// `SubtleCrypto` of the Web Cryptography API: native operations on the thread pool.

const { Buffer } = require('buffer');
const { ERR_CRYPTO_INVALID_IV, ERR_ILLEGAL_CONSTRUCTOR, ERR_INVALID_THIS, ERR_OUT_OF_RANGE } = require('internal/errors');
const { codedError } = require('internal/crypto/arguments');
const { isKeyObject, material } = require('internal/crypto/keys');
const known = require('internal/crypto/known');
const { domError, has, isNamed, normalize } = require('internal/crypto/web_algorithms');
const { exportKey, generateKey, importKey, keyLength, operationFailed, promised } = require('internal/crypto/web_keys');
const { converted, jsonWebKey } = require('internal/crypto/web_values');

const ordinals = ['1st', '2nd', '3rd', '4th', '5th', '6th', '7th'];

// Converts arguments to their Web IDL types. `kinds` has the type of each argument, with `?` after an optional one.
function checked(method, args, kinds) {
  const where = `Failed to execute '${method}' on 'SubtleCrypto':`;
  const least = kinds.filter((kind) => !kind.endsWith('?')).length;
  if (args.length < least) {
    throw codedError('ERR_MISSING_ARGS',
                     `${where} ${least} argument${least === 1 ? '' : 's'} required, but only ${args.length} present.`, TypeError);
  }
  return kinds.map((kind, at) => converted(args[at], kind, `${where} ${ordinals[at]} argument`));
}

function keyData(format, value) {
  const where = "Failed to execute 'importKey' on 'SubtleCrypto':";
  return format === 'jwk' ? jsonWebKey(value, where, '2nd argument') : converted(value, 'bytes', `${where} 2nd argument`);
}

const bytesOf = (key) => material(known.keyObjectOf(key));
const nativeHash = (hash) => hash.name.replace('-', '');
const failed = (cause) => domError('OperationError', operationFailed, cause);

// Throws unless the key has the usage and the algorithm.
function mustBeFor(algorithm, key, usage, words) {
  if (algorithm.name !== key.algorithm.name || !key.usages.includes(usage)) throw domError('InvalidAccessError', words);
}

const otherKey = 'The requested operation is not valid for the provided key';

function checkCipher(algorithm, data, isEncrypting) {
  const refuse = (words) => domError('OperationError', words);
  switch (algorithm.name) {
    case 'AES-CBC':
      if (algorithm.iv.byteLength !== 16) throw refuse('algorithm.iv must contain exactly 16 bytes');
      return ['cbc', { iv: algorithm.iv }];
    case 'AES-CTR':
      if (algorithm.counter.byteLength !== 16) throw refuse('algorithm.counter must contain exactly 16 bytes');
      if (algorithm.length < 1 || algorithm.length > 128) throw refuse('AES-CTR algorithm.length must be between 1 and 128');
      return ['ctr', { iv: algorithm.counter, counterBits: algorithm.length }];
    default: {
      const { iv, tagLength = 128, additionalData } = algorithm;
      if (![32, 64, 96, 104, 112, 120, 128].includes(tagLength)) throw refuse(`${tagLength} is not a valid AES-GCM tag length`);
      if (!isEncrypting && data.byteLength < tagLength / 8) throw refuse('The provided data is too small.');
      // Node rejects an IV below 12 bytes here, although the cipher accepts it.
      if (iv.byteLength < 12) throw failed(new ERR_CRYPTO_INVALID_IV());
      if (iv.byteLength > 128) throw failed(new Error('error:1C80006D:Provider routines::invalid iv length'));
      return ['gcm', { iv, tagBytes: tagLength / 8, aad: additionalData }];
    }
  }
}

// Encrypts or decrypts after the checks.
async function crypt(algorithm, key, data, isEncrypting) {
  const bytes = bytesOf(key);
  if (algorithm.name === 'RSA-OAEP') {
    if (key.type !== (isEncrypting ? 'public' : 'private')) throw domError('InvalidAccessError', otherKey);
    const options = { padding: 4, hash: nativeHash(key.algorithm.hash), label: algorithm.label };
    return promised((done) => native.rsaCrypt(done, isEncrypting ? 'publicEncrypt' : 'privateDecrypt', bytes, data, options));
  }
  const [mode, options] = algorithm.name === 'AES-KW' ? ['kw', {}] : checkCipher(algorithm, data, isEncrypting);
  return promised((done) => native.crypt(done, mode, data, { ...options, key: bytes, isEncrypting }), 'Cipher job failed');
}

function signatureParameters(algorithm, key) {
  switch (algorithm.name) {
    case 'RSASSA-PKCS1-v1_5': return { hash: nativeHash(key.algorithm.hash), padding: 1 };
    case 'RSA-PSS': {
      const { hash, modulusLength } = key.algorithm;
      const { saltLength } = algorithm;
      const most = Math.ceil((modulusLength - 1) / 8) - native.digestBytes(nativeHash(hash)) - 2;
      if (saltLength > most) throw failed(new ERR_OUT_OF_RANGE('algorithm.saltLength', `>= 0 && <= ${most}`, saltLength));
      return { hash: nativeHash(hash), padding: 6, salt: saltLength };
    }
    case 'Ed448':
      if (algorithm.context?.byteLength > 0) throw domError('NotSupportedError', 'Non zero-length context is not supported');
      return {};
    case 'ECDSA': return { hash: nativeHash(algorithm.hash), isPlain: true };
    default: return {};
  }
}

async function signOrVerify(algorithm, key, data, signature) {
  const usage = signature === undefined ? 'sign' : 'verify';
  mustBeFor(algorithm, key, usage, `Unable to use this key to ${usage}`);
  const bytes = bytesOf(key);
  if (algorithm.name === 'HMAC') {
    const made = await promised((done) => native.keyedDigest(done, nativeHash(key.algorithm.hash), bytes, data));
    return signature === undefined ? made : made.byteLength === signature.byteLength && native.equals(made, signature);
  }
  if (key.type !== (signature === undefined ? 'private' : 'public')) {
    throw domError('InvalidAccessError', `Key must be a ${signature === undefined ? 'private' : 'public'} key`);
  }
  const parameters = signatureParameters(algorithm, key);
  if (signature === undefined) return promised((done) => native.sign(done, bytes, data, parameters));
  const answer = await promised((done) => native.verify(done, bytes, data, parameters, signature));
  return new Uint8Array(answer)[0] === 1;
}

async function agreed(algorithm, key, length) {
  const { name, public: peerKey } = algorithm;
  if (key.type !== 'private') throw domError('InvalidAccessError', 'baseKey must be a private key');
  if (peerKey.type !== 'public') throw domError('InvalidAccessError', 'algorithm.public must be a public key');
  if (peerKey.algorithm.name !== name) throw domError('InvalidAccessError', `algorithm.public must be an ${name} key`);
  if (peerKey.algorithm.namedCurve !== key.algorithm.namedCurve) throw domError('InvalidAccessError', 'Named curve mismatch');
  const secret = await promised((done) => native.agree(done, bytesOf(key), bytesOf(peerKey)));
  if (length === null) return secret;
  if (secret.byteLength * 8 < length) throw domError('OperationError', 'derived bit length is too small');
  const bytes = secret.slice(0, Math.ceil(length / 8));
  // Clear the unused bits of the last byte.
  if (length % 8 !== 0) new Uint8Array(bytes)[bytes.byteLength - 1] &= 0xFF << (8 - length % 8);
  return bytes;
}

async function derived(algorithm, key, length) {
  if (length === null) throw domError('OperationError', 'length cannot be null');
  if (length % 8 !== 0) throw domError('OperationError', 'length must be a multiple of 8');
  const { name, hash, salt, info, iterations } = algorithm;
  if (name === 'PBKDF2' && iterations === 0) throw domError('OperationError', 'iterations cannot be zero');
  if (length === 0) return new ArrayBuffer(0);
  const [bytes, digest] = [bytesOf(key), nativeHash(hash)];
  if (name === 'PBKDF2') {
    return promised((done) => native.pbkdf2(done, bytes, salt, iterations, length / 8, digest), 'Deriving bits failed');
  }
  if (length / 8 > native.digestBytes(digest) * 255) {
    throw failed(codedError('ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length', RangeError));
  }
  return promised((done) => native.hkdf(done, digest, bytes, salt, info, length / 8), 'Deriving bits failed');
}

const deriveBits = (algorithm, key, length) =>
  (algorithm.public === undefined ? derived(algorithm, key, length) : agreed(algorithm, key, length));

// Normalizes the algorithm of `wrapKey()` or `unwrapKey()`: AES-KW has these operations; for other algorithms `encrypt` or `decrypt` is used.
function normalizeWrap(algorithm, operation, other) {
  return normalize(algorithm, isNamed(algorithm, 'AES-KW') ? operation : other);
}

const made = new WeakSet();

function mustBeSubtle(value) {
  if (!made.has(value)) throw new ERR_INVALID_THIS('SubtleCrypto');
}

class SubtleCrypto {
  constructor() { throw new ERR_ILLEGAL_CONSTRUCTOR(); }

  async encrypt(algorithm, key, data) {
    mustBeSubtle(this);
    [algorithm, key, data] = checked('encrypt', arguments, ['algorithm', 'key', 'bytes']);
    algorithm = normalize(algorithm, 'encrypt');
    mustBeFor(algorithm, key, 'encrypt', otherKey);
    return crypt(algorithm, key, data, true);
  }

  async decrypt(algorithm, key, data) {
    mustBeSubtle(this);
    [algorithm, key, data] = checked('decrypt', arguments, ['algorithm', 'key', 'bytes']);
    algorithm = normalize(algorithm, 'decrypt');
    mustBeFor(algorithm, key, 'decrypt', otherKey);
    return crypt(algorithm, key, data, false);
  }

  async sign(algorithm, key, data) {
    mustBeSubtle(this);
    [algorithm, key, data] = checked('sign', arguments, ['algorithm', 'key', 'bytes']);
    return signOrVerify(normalize(algorithm, 'sign'), key, data);
  }

  async verify(algorithm, key, signature, data) {
    mustBeSubtle(this);
    [algorithm, key, signature, data] = checked('verify', arguments, ['algorithm', 'key', 'bytes', 'bytes']);
    return signOrVerify(normalize(algorithm, 'verify'), key, data, signature);
  }

  async digest(algorithm, data) {
    mustBeSubtle(this);
    [algorithm, data] = checked('digest', arguments, ['algorithm', 'bytes']);
    algorithm = normalize(algorithm, 'digest');
    return promised((done) => native.digest(done, nativeHash(algorithm), data));
  }

  async generateKey(algorithm, extractable, keyUsages) {
    mustBeSubtle(this);
    [algorithm, extractable, keyUsages] = checked('generateKey', arguments, ['algorithm', 'boolean', 'usages']);
    return generateKey(normalize(algorithm, 'generateKey'), extractable, keyUsages);
  }

  async deriveKey(algorithm, baseKey, derivedKeyAlgorithm, extractable, keyUsages) {
    mustBeSubtle(this);
    [algorithm, baseKey, derivedKeyAlgorithm, extractable, keyUsages] =
      checked('deriveKey', arguments, ['algorithm', 'key', 'algorithm', 'boolean', 'usages']);
    algorithm = normalize(algorithm, 'deriveBits');
    const target = normalize(derivedKeyAlgorithm, 'importKey');
    const length = keyLength(normalize(derivedKeyAlgorithm, 'get key length'));
    if (!baseKey.usages.includes('deriveKey')) throw domError('InvalidAccessError', 'baseKey does not have deriveKey usage');
    if (baseKey.algorithm.name !== algorithm.name) throw domError('InvalidAccessError', 'Key algorithm mismatch');
    const bits = await deriveBits(algorithm, baseKey, length);
    return importKey('raw', new Uint8Array(bits), target, extractable, keyUsages);
  }

  async deriveBits(algorithm, baseKey, length = null) {
    mustBeSubtle(this);
    [algorithm, baseKey, length] = checked('deriveBits', arguments, ['algorithm', 'key', 'length?']);
    algorithm = normalize(algorithm, 'deriveBits');
    if (!baseKey.usages.includes('deriveBits')) throw domError('InvalidAccessError', 'baseKey does not have deriveBits usage');
    if (baseKey.algorithm.name !== algorithm.name) throw domError('InvalidAccessError', 'Key algorithm mismatch');
    return deriveBits(algorithm, baseKey, length);
  }

  async importKey(format, data, algorithm, extractable, keyUsages) {
    mustBeSubtle(this);
    [format, data, algorithm, extractable, keyUsages] =
      checked('importKey', arguments, ['format', 'any', 'algorithm', 'boolean', 'usages']);
    data = keyData(format, data);
    return importKey(format, data, normalize(algorithm, 'importKey'), extractable, keyUsages);
  }

  async exportKey(format, key) {
    mustBeSubtle(this);
    [format, key] = checked('exportKey', arguments, ['format', 'key']);
    if (!has(key.algorithm.name, 'exportKey')) {
      throw domError('NotSupportedError', `${key.algorithm.name} key export is not supported`);
    }
    // Node uses this nonstandard error name.
    if (!key.extractable) throw domError('InvalidAccessException', 'key is not extractable');
    return exportKey(format, key);
  }

  async wrapKey(format, key, wrappingKey, algorithm) {
    mustBeSubtle(this);
    [format, key, wrappingKey, algorithm] = checked('wrapKey', arguments, ['format', 'key', 'key', 'algorithm']);
    algorithm = normalizeWrap(algorithm, 'wrapKey', 'encrypt');
    mustBeFor(algorithm, wrappingKey, 'wrapKey', otherKey);
    let data = await this.exportKey(format, key);
    if (format === 'jwk') {
      let text = JSON.stringify(data);
      // Pad the JWK with spaces to a multiple of 8 bytes, as the standard allows for AES-KW.
      if (algorithm.name === 'AES-KW') text += ' '.repeat((8 - Buffer.byteLength(text) % 8) % 8);
      data = Buffer.from(text);
    }
    return crypt(algorithm, wrappingKey, new Uint8Array(data), true);
  }

  async unwrapKey(format, wrappedKey, unwrappingKey, unwrapAlgorithm, unwrappedKeyAlgorithm, extractable, keyUsages) {
    mustBeSubtle(this);
    let target;
    let algorithm;
    [format, wrappedKey, unwrappingKey, algorithm, target, extractable, keyUsages] = checked(
      'unwrapKey', arguments, ['format', 'bytes', 'key', 'algorithm', 'algorithm', 'boolean', 'usages']);
    algorithm = normalizeWrap(algorithm, 'unwrapKey', 'decrypt');
    mustBeFor(algorithm, unwrappingKey, 'unwrapKey', otherKey);
    let data = new Uint8Array(await crypt(algorithm, unwrappingKey, wrappedKey, false));
    if (format === 'jwk') {
      try {
        data = JSON.parse(Buffer.from(data).toString());
      } catch (error) {
        throw domError('DataError', 'Invalid wrapped JWK key', error);
      }
    }
    return importKey(format, data, normalize(target, 'importKey'), extractable, keyUsages);
  }
}

for (const name of Object.getOwnPropertyNames(SubtleCrypto.prototype)) {
  if (name !== 'constructor') Object.defineProperty(SubtleCrypto.prototype, name, { __proto__: null, enumerable: true });
}
Object.defineProperty(SubtleCrypto.prototype, Symbol.toStringTag, {
  __proto__: null, configurable: true, value: 'SubtleCrypto',
});

const subtle = Object.create(SubtleCrypto.prototype);
made.add(subtle);

// Converts a KeyObject to a CryptoKey.
function cryptoKeyOf(keyObject, algorithm, extractable, keyUsages) {
  if (!isKeyObject(keyObject)) throw new ERR_INVALID_THIS('KeyObject');
  const wanted = normalize(converted(algorithm, 'algorithm', 'Value'), 'importKey');
  // Node's message does not name the argument here.
  const usages = converted(keyUsages, 'usages', 'Value', 'undefined');
  const format = { secret: 'raw', public: 'spki', private: 'pkcs8' }[keyObject.type];
  return importKey(format, new Uint8Array(material(keyObject)), wanted, Boolean(extractable), usages);
}

module.exports = { SubtleCrypto, cryptoKeyOf, subtle };
