'use strict';
// Key derivation: `pbkdf2`, `scrypt`, `hkdf`; on the thread pool with a callback, synchronous without.

const { Buffer } = require('buffer');
const {
  ERR_CRYPTO_INVALID_DIGEST,
  ERR_CRYPTO_INVALID_KEYLEN,
  ERR_CRYPTO_SCRYPT_INVALID_PARAMETER,
  ERR_INVALID_ARG_TYPE,
  ERR_OUT_OF_RANGE,
} = require('internal/errors');
const { validateFunction, validateInt32, validateInteger, validateString, validateUint32 } =
  require('internal/validators');
const { isAnyArrayBuffer, isArrayBufferView } = require('internal/util/types');
const { bytesOf, codedError, cut } = require('internal/crypto/arguments');
const { perform } = require('internal/crypto/trouble');

// The error for a failure during the computation, after all arguments have passed validation.
const failed = () => new Error('Deriving bits failed');

const derive = (callback, operation, args, shape, type) =>
  perform(callback, (done) => operation(done, ...args), shape, failed, type);

const asBuffer = (bytes) => Buffer.from(bytes);
const asIs = (bytes) => bytes;

function pbkdf2Arguments(password, salt, iterations, keylen, digest) {
  validateString(digest, 'digest');
  password = bytesOf(password, 'password', 'utf8');
  salt = bytesOf(salt, 'salt', 'utf8');
  validateInt32(iterations, 'iterations', 1);
  validateInt32(keylen, 'keylen', 0);
  return [password, salt, iterations, keylen, digest];
}

// An unknown digest is reported only after all other arguments, including the callback, are validated.
function pbkdf2With(callback, args) {
  const digest = args[4];
  if (native.digestBytes(digest) == null) throw new ERR_CRYPTO_INVALID_DIGEST(cut(digest));
  return derive(callback, native.pbkdf2, args, asBuffer, 'PBKDF2REQUEST');
}

function pbkdf2(password, salt, iterations, keylen, digest, callback) {
  if (typeof digest === 'function') {
    callback = digest;
    digest = undefined;
  }
  const args = pbkdf2Arguments(password, salt, iterations, keylen, digest);
  validateFunction(callback, 'callback');
  pbkdf2With(callback, args);
}

function pbkdf2Sync(password, salt, iterations, keylen, digest) {
  return pbkdf2With(undefined, pbkdf2Arguments(password, salt, iterations, keylen, digest));
}

const defaults = { N: 16384, r: 8, p: 1, maxmem: 32 << 20 };

function scryptArguments(password, salt, keylen, options) {
  if (options === null || typeof options !== 'object') {
    options = undefined;
  }
  password = bytesOf(password, 'password', 'utf8');
  salt = bytesOf(salt, 'salt', 'utf8');
  validateInt32(keylen, 'keylen', 0);
  let { N, r, p, maxmem } = defaults;
  if (options) {
    const either = (short, long, value) => {
      const isLong = options[long] !== undefined;
      if (options[short] === undefined && !isLong) return value;
      if (options[short] !== undefined && isLong) throw new ERR_CRYPTO_SCRYPT_INVALID_PARAMETER();
      const name = isLong ? long : short;
      // Read the option again before validating it (`lib/internal/crypto/scrypt.js: check`): a getter may return
      // different values.
      const given = options[name];
      validateUint32(given, name);
      return given;
    };
    N = either('N', 'cost', N);
    r = either('r', 'blockSize', r);
    p = either('p', 'parallelization', p);
    if (options.maxmem !== undefined) {
      ({ maxmem } = options);
      validateInteger(maxmem, 'maxmem', 0);
    }
    // 0 means the default.
    N ||= defaults.N;
    r ||= defaults.r;
    p ||= defaults.p;
    maxmem ||= defaults.maxmem;
  }
  return [password, salt, keylen, [N, r, p, maxmem]];
}

// `native.scrypt` validates the parameters before it starts the job.
function scryptNative(...args) {
  const answer = native.scrypt(...args);
  if (answer !== 'parameters' && answer !== 'limit') return answer;
  const more = answer === 'limit' ? ': error:030000AC:digital envelope routines::memory limit exceeded' : '';
  throw codedError('ERR_CRYPTO_INVALID_SCRYPT_PARAMS', `Invalid scrypt params${more}`, RangeError);
}

function scrypt(password, salt, keylen, options, callback = defaults) {
  if (callback === defaults) {
    callback = options;
    options = undefined;
  }
  const args = scryptArguments(password, salt, keylen, options);
  validateFunction(callback, 'callback');
  derive(callback, scryptNative, args, asBuffer, 'SCRYPTREQUEST');
}

function scryptSync(password, salt, keylen, options = undefined) {
  return derive(undefined, scryptNative, scryptArguments(password, salt, keylen, options), asBuffer);
}

function secretOf(key) {
  const { isKeyObject, secretBytes } = require('internal/crypto/keys');
  if (isKeyObject(key)) return secretBytes(key, 'ikm');
  if (typeof key !== 'string' && !isArrayBufferView(key) && !isAnyArrayBuffer(key)) {
    throw new ERR_INVALID_ARG_TYPE(
      'ikm', ['string', 'SecretKeyObject', 'ArrayBuffer', 'TypedArray', 'DataView', 'Buffer'], key);
  }
  return bytesOf(key, 'ikm', 'utf8');
}

const kinds = ['ArrayBuffer', 'TypedArray', 'DataView', 'Buffer'];

function hkdfArguments(digest, key, salt, info, length) {
  validateString(digest, 'digest');
  key = secretOf(key);
  salt = bytesOf(salt, 'salt', 'utf8', kinds);
  info = bytesOf(info, 'info', 'utf8', kinds);
  validateInteger(length, 'length', 0, 2 ** 53 - 1);
  if (info.byteLength > 1024) {
    throw new ERR_OUT_OF_RANGE('info', 'must not contain more than 1024 bytes', info.byteLength);
  }
  return [digest, key, salt, info, length];
}

function hkdfWith(callback, args) {
  const { 0: digest, 4: length } = args;
  const digestBytes = native.digestBytes(digest);
  if (digestBytes == null) throw new ERR_CRYPTO_INVALID_DIGEST(cut(digest));
  if (length > digestBytes * 255) throw new ERR_CRYPTO_INVALID_KEYLEN();
  return derive(callback, native.hkdf, args, asIs, 'DERIVEBITSREQUEST');
}

function hkdf(digest, key, salt, info, length, callback) {
  const args = hkdfArguments(digest, key, salt, info, length);
  validateFunction(callback, 'callback');
  hkdfWith(callback, args);
}

function hkdfSync(digest, key, salt, info, length) {
  return hkdfWith(undefined, hkdfArguments(digest, key, salt, info, length));
}

module.exports = { hkdf, hkdfSync, pbkdf2, pbkdf2Sync, scrypt, scryptSync };
