'use strict';
// Signatures: the streaming classes `Sign` and `Verify`, and the one-shot functions `sign()` and `verify()`.

const { Buffer } = require('buffer');
const {
  ERR_CRYPTO_INVALID_DIGEST,
  ERR_CRYPTO_SIGN_KEY_REQUIRED,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
} = require('internal/errors');
const { validateEncoding, validateFunction, validateString } = require('internal/validators');
const { isAnyArrayBuffer, isArrayBufferView } = require('internal/util/types');
const { Writable } = require('stream');
const { bytesOf, codedError, cut, kHandle, readable } = require('internal/crypto/arguments');
const { normalizeEncoding } = require('internal/crypto/encodings');
const { perform, troubleOf } = require('internal/crypto/trouble');
const { privateBytes, publicBytes } = require('internal/crypto/encoding');

const kUpdate = 0;
const kDigest = 1;

// Signature options for the native code: padding, salt length, DSA encoding.
function signatureOptions(options) {
  const parameters = {};
  if (typeof options !== 'object' || options === null) return parameters;
  for (const [name, own] of [['padding', 'padding'], ['saltLength', 'salt']]) {
    const value = options[name];
    if (value === undefined) continue;
    if (value !== value >> 0) throw new ERR_INVALID_ARG_VALUE(`options.${name}`, value);
    parameters[own] = value;
  }
  const { dsaEncoding } = options;
  if (dsaEncoding === 'ieee-p1363') parameters.isPlain = true;
  else if (dsaEncoding !== undefined && dsaEncoding !== 'der') {
    throw new ERR_INVALID_ARG_VALUE('options.dsaEncoding', dsaEncoding);
  }
  return parameters;
}

// `util.inspect()` shows an object of one of these classes as the native handle. `states` has its state.
const handles = { Sign: class Sign {}, Verify: class Verify {} };
const states = new WeakMap();

function begin(stream, Handle, algorithm, options) {
  validateString(algorithm, 'algorithm');
  // `dss1` is OpenSSL's legacy name of SHA-1 with DSA.
  if (/^dss1$/i.test(algorithm)) algorithm = 'sha1';
  const digester = native.hash(algorithm, -1);
  if (typeof digester !== 'function') {
    throw require('internal/crypto/legacy').digestTrouble(algorithm, false) ??
      codedError('ERR_CRYPTO_INVALID_DIGEST', 'Invalid digest', TypeError);
  }
  stream[kHandle] = new Handle();
  states.set(stream[kHandle], { digester, hash: algorithm });
  Reflect.apply(Writable, stream, [options]);
}

function stateOf(stream) {
  const state = states.get(stream[kHandle]);
  if (state.digester === undefined) throw codedError('ERR_CRYPTO_INVALID_STATE', 'Not initialised');
  return state;
}

// Returns the digest of all data written to the stream, and ends the stream.
function digestOf(stream) {
  const state = stateOf(stream);
  const digest = state.digester(kDigest, undefined);
  state.digester = undefined;
  return [state.hash, digest];
}

// True for an extendable-output function (SHAKE).
const isExtendable = (hash) => /^shake-?(?:128|256)$/i.test(hash);

// Returns a function that maps native error words to errors: keys with a built-in digest (Ed25519, Ed448) and extendable-output digests have their
// own errors.
function streamErrors(bytes, hash, half) {
  return (word) => {
    if (word === 'operation' && native.keyInfo(bytes).kind.startsWith('ed')) {
      return codedError('ERR_CRYPTO_UNSUPPORTED_OPERATION', 'Unsupported crypto operation');
    }
    return isExtendable(hash) ? codedError('ERR_CRYPTO_OPERATION_FAILED', `PEM_read_bio_${half} failed`) : troubleOf(word);
  };
}

function _write(chunk, encoding, callback) {
  this.update(chunk, encoding);
  callback();
}

function update(data, encoding) {
  if (typeof data === 'string') {
    validateEncoding(data, encoding);
    const known = normalizeEncoding(encoding) ?? 'utf8';
    stateOf(this).digester(kUpdate, known === 'utf8' ? data : Buffer.from(data, known));
  } else {
    if (!isArrayBufferView(data)) {
      throw new ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
    }
    stateOf(this).digester(kUpdate, readable(data));
  }
  return this;
}

function Sign(algorithm, options) {
  if (!new.target) return new Sign(algorithm, options);
  begin(this, handles.Sign, algorithm, options);
}

function Verify(algorithm, options) {
  if (!new.target) return new Verify(algorithm, options);
  begin(this, handles.Verify, algorithm, options);
}

for (const Class of [Sign, Verify]) {
  Object.setPrototypeOf(Class.prototype, Writable.prototype);
  Object.setPrototypeOf(Class, Writable);
  Class.prototype._write = _write;
  Class.prototype.update = update;
}

Sign.prototype.sign = function sign(options, encoding) {
  if (!options) throw new ERR_CRYPTO_SIGN_KEY_REQUIRED();
  const key = privateBytes(options);
  const parameters = signatureOptions(options);
  const [hash, digest] = digestOf(this);
  const signature = perform(
    undefined, (done) => native.sign(done, key, digest, { ...parameters, hash, isDigest: true }), (made) => Buffer.from(made),
    streamErrors(key, hash, 'PrivateKey'));
  return encoding && encoding !== 'buffer' ? signature.toString(encoding) : signature;
};

Verify.prototype.verify = function verify(options, signature, sigEncoding) {
  signature = bytesOf(signature, 'signature', sigEncoding);
  const key = publicBytes(options);
  const parameters = signatureOptions(options);
  const [hash, digest] = digestOf(this);
  const start = (done) => {
    const answer = native.verify(done, key, digest, { ...parameters, hash, isDigest: true }, signature);
    // `verify()` returns false, and does not throw, if the key does not allow the digest.
    return answer === 'digestNotAllowed' && !isExtendable(hash) ? new ArrayBuffer(1) : answer;
  };
  return perform(undefined, start, (answer) => new Uint8Array(answer)[0] === 1, streamErrors(key, hash, 'PUBKEY'));
};

function hashOf(algorithm) {
  const hash = algorithm ?? undefined;
  if (hash !== undefined && native.digestBytes(hash) == null) throw new ERR_CRYPTO_INVALID_DIGEST(cut(hash));
  return hash;
}

function sign(algorithm, data, key, callback) {
  if (algorithm !== undefined && algorithm !== null) validateString(algorithm, 'algorithm');
  if (callback !== undefined) validateFunction(callback, 'callback');
  data = bytesOf(data, 'data', 'utf8');
  if (!key) throw new ERR_CRYPTO_SIGN_KEY_REQUIRED();
  const parameters = signatureOptions(key);
  const keyBytes = privateBytes(key);
  parameters.hash = hashOf(algorithm);
  return perform(callback, (done) => native.sign(done, keyBytes, data, parameters), (made) => Buffer.from(made));
}

function verify(algorithm, data, key, signature, callback) {
  if (algorithm !== undefined && algorithm !== null) validateString(algorithm, 'algorithm');
  if (callback !== undefined) validateFunction(callback, 'callback');
  if (isAnyArrayBuffer(data)) throw new ERR_INVALID_ARG_TYPE('data', ['Buffer', 'TypedArray', 'DataView'], data);
  data = bytesOf(data, 'data', 'utf8');
  if (!isArrayBufferView(signature)) {
    throw new ERR_INVALID_ARG_TYPE('signature', ['Buffer', 'TypedArray', 'DataView'], signature);
  }
  const parameters = signatureOptions(key);
  const keyBytes = publicBytes(key);
  parameters.hash = hashOf(algorithm);
  return perform(callback, (done) => native.verify(done, keyBytes, data, parameters, readable(signature)),
                 (answer) => new Uint8Array(answer)[0] === 1);
}

module.exports = { Sign, Verify, sign, verify };
