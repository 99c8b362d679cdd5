'use strict';
// `Hash`, `Hmac` and `hash()`. The stream part of both classes is set up on first use.

const { Buffer } = require('buffer');
const {
  ERR_CRYPTO_HASH_FINALIZED,
  ERR_CRYPTO_INVALID_DIGEST,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
} = require('internal/errors');
const { validateEncoding, validateString, validateUint32 } = require('internal/validators');
const { isArrayBufferView } = require('internal/util/types');
const LazyTransform = require('internal/streams/lazy_transform');
const { cut, kHandle, opensslError, readable, warnPending } = require('internal/crypto/arguments');
const { normalizeEncoding } = require('internal/crypto/encodings');

// The error for an unknown digest name. Its table is loaded on the first unknown name.
const digestTrouble = (name, isWhole) => require('internal/crypto/legacy').digestTrouble(name, isWhole);

const kState = Symbol('kState');
const kFinalized = Symbol('kFinalized');

const kUpdate = 0;
const kDigest = 1;
const kCopy = 2;

// Encodes a digest. The native code has encoded it already if it is a string (hex).
function encoded(digest, encoding) {
  if (typeof digest === 'string') return digest;
  const buffer = Buffer.from(digest);
  return encoding === undefined || encoding === 'buffer' ? buffer : buffer.toString(encoding);
}

const digestWith = (digester, encoding) => {
  encoding = normalizeEncoding(encoding);
  return encoded(digester(kDigest, encoding === 'hex' ? 'hex' : undefined), encoding);
};

// The native code takes UTF-8 strings directly; strings in other encodings are converted to a Buffer first.
function updateWith(digester, data, encoding) {
  if (typeof data === 'string') {
    const known = normalizeEncoding(encoding) ?? 'utf8';
    digester(kUpdate, known === 'utf8' || known === 'buffer' ? data : Buffer.from(data, known));
  } else {
    digester(kUpdate, readable(data));
  }
}

// `util.inspect()` shows an object of one of these classes as the native handle; private fields and WeakMaps hide its state.
const handles = {
  Hash: class Hash {
    #taken;
    #encoding;

    // Stores the result of `digest()`: a stream that ends after `digest()` returns it again.
    static keep(handle, taken, encoding) {
      handle.#taken = taken;
      handle.#encoding = encoding;
    }

    static taken(handle) { return Buffer.from(handle.#taken, handle.#encoding); }
  },
  Hmac: class Hmac {},
};
const digesters = new WeakMap();

function makeHandle(Handle, digester) {
  const handle = new Handle();
  digesters.set(handle, digester);
  return handle;
}

const digesterOf = (stream) => digesters.get(stream[kHandle]);

function checkData(data) {
  if (typeof data !== 'string' && !isArrayBufferView(data)) {
    throw new ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  }
}

function Hash(algorithm, options) {
  if (!new.target) return new Hash(algorithm, options);
  const isCopy = algorithm instanceof handles.Hash;
  if (!isCopy) validateString(algorithm, 'algorithm');
  const length = typeof options === 'object' && options !== null ? options.outputLength : undefined;
  if (length !== undefined) validateUint32(length, 'options.outputLength');
  const digester = isCopy ? digesters.get(algorithm)(kCopy, length ?? -1) : native.hash(algorithm, length ?? -1);
  if (digester === null) throw digestTrouble(algorithm, true) ?? new Error('Digest method not supported');
  if (digester === false) {
    throw opensslError('030000B2', 'digital envelope routines', 'not XOF or invalid length',
                       'ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH');
  }
  if (!isCopy && length === undefined && /^shake-?(?:128|256)$/i.test(algorithm)) {
    warnPending(
      'Creating SHAKE128/256 digests without an explicit options.outputLength is deprecated.', 'DEP0198');
  }
  this[kHandle] = makeHandle(handles.Hash, digester);
  this[kState] = { [kFinalized]: false };
  Reflect.apply(LazyTransform, this, [options]);
}
Object.setPrototypeOf(Hash.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Hash, LazyTransform);

Hash.prototype.copy = function copy(options) {
  if (this[kState][kFinalized]) throw new ERR_CRYPTO_HASH_FINALIZED();
  return new Hash(this[kHandle], options);
};

// Data written after `digest()` is ignored: `lib/internal/crypto/hash.js: Hash.prototype._transform` does not check for
// it.
Hash.prototype._transform = function _transform(chunk, encoding, callback) {
  if (!this[kState][kFinalized]) updateWith(digesterOf(this), chunk, encoding);
  callback();
};

Hash.prototype._flush = function _flush(callback) {
  const isTaken = this[kState][kFinalized] && !cache.has(this[kHandle]);
  this.push(isTaken ? handles.Hash.taken(this[kHandle]) : finishHash(this));
  callback();
};

Hash.prototype.update = function update(data, encoding) {
  if (this[kState][kFinalized]) throw new ERR_CRYPTO_HASH_FINALIZED();
  checkData(data);
  if (typeof data === 'string') validateEncoding(data, encoding);
  updateWith(digesterOf(this), data, encoding);
  return this;
};

const cache = new WeakMap();

// The handle caches its digest: a stream that ends after `digest()` returns the same digest again (`src/crypto/crypto_hash.cc: HashDigest`).
function finishHash(hash) {
  const { [kHandle]: handle } = hash;
  let cached = cache.get(handle);
  if (cached === undefined) {
    cached = encoded(digesters.get(handle)(kDigest, undefined));
    cache.set(handle, cached);
  }
  return Buffer.from(cached);
}
Hash.prototype.digest = function digest(outputEncoding) {
  const state = this[kState];
  if (state[kFinalized]) throw new ERR_CRYPTO_HASH_FINALIZED();
  const encoding = outputEncoding && outputEncoding !== 'buffer' ? `${outputEncoding}` : undefined;
  const result = cache.has(this[kHandle]) ?
    encoded(finishHash(this), normalizeEncoding(encoding)) :
    digestWith(digesterOf(this), encoding);
  state[kFinalized] = true;
  handles.Hash.keep(this[kHandle], result, encoding);
  return result;
};

function Hmac(hmac, key, options) {
  if (!new.target) return new Hmac(hmac, key, options);
  validateString(hmac, 'hmac');
  const encoding = normalizeEncoding(options?.encoding);
  const bytes = require('internal/crypto/keys').secretBytes(key, 'key', encoding);
  const digester = native.hmac(hmac, bytes);
  if (digester === null) throw digestTrouble(hmac, false) ?? new ERR_CRYPTO_INVALID_DIGEST(cut(hmac));
  if (digester === false) throw new Error('error:00000000:lib(0)::reason(0)');
  this[kHandle] = makeHandle(handles.Hmac, digester);
  this[kState] = { [kFinalized]: false };
  Reflect.apply(LazyTransform, this, [options]);
}
Object.setPrototypeOf(Hmac.prototype, LazyTransform.prototype);
Object.setPrototypeOf(Hmac, LazyTransform);

Hmac.prototype.update = Hash.prototype.update;

Hmac.prototype.digest = function digest(outputEncoding) {
  const state = this[kState];
  const encoding = outputEncoding && outputEncoding !== 'buffer' ? `${outputEncoding}` : undefined;
  if (state[kFinalized]) {
    const nothing = Buffer.from('');
    return encoding === undefined ? nothing : nothing.toString(encoding);
  }
  const result = digestWith(digesterOf(this), encoding);
  state[kFinalized] = true;
  return result;
};

Hmac.prototype._flush = function _flush(callback) {
  this.push(this.digest());
  callback();
};

Hmac.prototype._transform = function _transform(chunk, encoding, callback) {
  if (!this[kState][kFinalized]) updateWith(digesterOf(this), chunk, encoding);
  callback();
};

function hash(algorithm, input, outputEncoding = 'hex') {
  validateString(algorithm, 'algorithm');
  if (typeof input !== 'string' && !isArrayBufferView(input)) {
    throw new ERR_INVALID_ARG_TYPE('input', ['Buffer', 'TypedArray', 'DataView', 'string'], input);
  }
  let encoding = outputEncoding;
  if (outputEncoding !== 'hex') {
    validateString(outputEncoding, 'outputEncoding');
    encoding = outputEncoding === '' ? 'utf8' : normalizeEncoding(outputEncoding);
    if (encoding === undefined) {
      if (outputEncoding.toLowerCase() !== 'buffer') throw new ERR_INVALID_ARG_VALUE('outputEncoding', outputEncoding);
      encoding = 'buffer';
    }
  }
  const digest = native.hashOnce(algorithm, typeof input === 'string' ? input : readable(input), encoding === 'hex' ? 'hex' : undefined);
  if (digest === null) throw digestTrouble(algorithm, true) ?? new Error(cut(`Digest method ${algorithm} is not supported`));
  return encoded(digest, encoding);
}

// In OpenSSL 3's order; all of them are implemented.
const getHashes = () => [
  'RSA-MD5', 'RSA-RIPEMD160', 'RSA-SHA1', 'RSA-SHA1-2', 'RSA-SHA224', 'RSA-SHA256', 'RSA-SHA3-224', 'RSA-SHA3-256',
  'RSA-SHA3-384', 'RSA-SHA3-512', 'RSA-SHA384', 'RSA-SHA512', 'RSA-SHA512/224', 'RSA-SHA512/256', 'RSA-SM3',
  'blake2b512', 'blake2s256', 'id-rsassa-pkcs1-v1_5-with-sha3-224', 'id-rsassa-pkcs1-v1_5-with-sha3-256',
  'id-rsassa-pkcs1-v1_5-with-sha3-384', 'id-rsassa-pkcs1-v1_5-with-sha3-512', 'md5', 'md5-sha1',
  'md5WithRSAEncryption', 'ripemd', 'ripemd160', 'ripemd160WithRSA', 'rmd160', 'sha1', 'sha1WithRSAEncryption',
  'sha224', 'sha224WithRSAEncryption', 'sha256', 'sha256WithRSAEncryption', 'sha3-224', 'sha3-256', 'sha3-384',
  'sha3-512', 'sha384', 'sha384WithRSAEncryption', 'sha512', 'sha512-224', 'sha512-224WithRSAEncryption',
  'sha512-256', 'sha512-256WithRSAEncryption', 'sha512WithRSAEncryption', 'shake128', 'shake256', 'sm3',
  'sm3WithRSAEncryption', 'ssl3-md5', 'ssl3-sha1',
];

module.exports = { Hash, Hmac, getHashes, hash };
