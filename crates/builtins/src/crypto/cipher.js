'use strict';
// `Cipheriv`, `Decipheriv` and the table of ciphers.

const { Buffer } = require('buffer');
const {
  ERR_CRYPTO_INVALID_AUTH_TAG,
  ERR_CRYPTO_INVALID_IV,
  ERR_CRYPTO_INVALID_KEYLEN,
  ERR_CRYPTO_INVALID_STATE,
  ERR_CRYPTO_UNKNOWN_CIPHER,
  ERR_INTERNAL_ASSERTION,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_UNKNOWN_ENCODING,
} = require('internal/errors');
const { validateEncoding, validateInt32, validateObject, validateString } = require('internal/validators');
const { isArrayBufferView } = require('internal/util/types');
const LazyTransform = require('internal/streams/lazy_transform');
const { bytesOf, codedError, kHandle, opensslError, readable, warnPending } = require('internal/crypto/arguments');
const { normalizeEncoding } = require('internal/crypto/encodings');

const kUpdate = 0;
const kFinal = 1;
const kAad = 2;
const kSetTag = 3;
const kGetTag = 4;
const kPadding = 5;

// Ciphers by name. Fields: mode, native id, OpenSSL's name and NID, block size, IV length and key length in bytes.
const ciphers = { __proto__: null };
{
  // AES modes: NIDs for key lengths of 128, 192 and 256 bits, block size, IV length, aliases (% stands for the key length).
  const modes = {
    'ecb': [[418, 422, 426], 16, undefined],
    'cbc': [[419, 423, 427], 16, 16, 'aes%'],
    'ctr': [[904, 905, 906], 1, 16],
    'gcm': [[895, 898, 901], 1, 12, 'id-aes%-gcm'],
    'ccm': [[896, 899, 902], 1, 12, 'id-aes%-ccm'],
    'ocb': [[958, 959, 960], 16, 12],
    'cfb': [[421, 425, 429], 1, 16],
    'ofb': [[420, 424, 428], 1, 16],
    'cfb8': [[653, 654, 655], 1, 16],
    'cfb1': [[650, 651, 652], 1, 16],
    'wrap': [[788, 789, 790], 8, 8, 'id-aes%-wrap', 'aes%-wrap'],
    'wrap-pad': [[897, 900, 903], 8, 4, 'id-aes%-wrap-pad', 'aes%-wrap-pad'],
  };
  for (const [word, [numbers, blockSize, ivLength, ...others]] of Object.entries(modes)) {
    [128, 192, 256].forEach((bits, at) => {
      const own = `aes-${bits}-${word}`;
      const names = others.map((name) => name.replace('%', bits));
      const info = {
        mode: word.replace(/[18]$|-pad$/, ''), native: word, name: names.find((name) => name.startsWith('id-')) ?? own,
        nid: numbers[at], blockSize, ivLength, keyLength: bits / 8,
      };
      if (info.mode !== 'wrap') ciphers[own] = info;
      for (const name of names) ciphers[name] = info;
    });
  }
  const add = (mode, native, nid, blockSize, ivLength, keyLength, ...names) => {
    const info = { mode, native, name: names[0], nid, blockSize, ivLength, keyLength };
    for (const name of names) ciphers[name] = info;
  };
  add('cbc', 'des-cbc', 44, 8, 8, 24, 'des-ede3-cbc', 'des3');
  add('ecb', 'des-ecb', 33, 8, undefined, 24, 'des-ede3', 'des-ede3-ecb');
  add('ecb', 'des-ecb', 32, 8, undefined, 16, 'des-ede', 'des-ede-ecb');
  add('cbc', 'des-cbc', 43, 8, 8, 16, 'des-ede-cbc');
  add('cfb', 'des-cfb', 60, 1, 8, 16, 'des-ede-cfb');
  add('ofb', 'des-ofb', 62, 1, 8, 16, 'des-ede-ofb');
  add('cfb', 'des-cfb', 61, 1, 8, 24, 'des-ede3-cfb');
  add('cfb', 'des-cfb1', 658, 1, 8, 24, 'des-ede3-cfb1');
  add('cfb', 'des-cfb8', 659, 1, 8, 24, 'des-ede3-cfb8');
  add('ofb', 'des-ofb', 63, 1, 8, 24, 'des-ede3-ofb');
  add('xts', 'xts', 913, 1, 16, 32, 'aes-128-xts');
  add('xts', 'xts', 914, 1, 16, 64, 'aes-256-xts');
  add('wrap', 'des-wrap', 246, 8, undefined, 24, 'id-smime-alg-cms3deswrap', 'des3-wrap');
  add('stream', 'chacha', 1019, undefined, 16, 32, 'chacha20');
  add('stream', 'chacha-poly', 1018, undefined, 12, 32, 'chacha20-poly1305');
}

// OpenSSL spells some names with capital letters and sorts capital letters first.
const getCiphers = () => Object.keys(ciphers)
  .map((name) => name.replace(/(?<=^id-aes\d+-)[gc]cm$/, (mode) => mode.toUpperCase()).replace('cms3des', 'CMS3DES'))
  .sort();

// Minimum and maximum IV length of the modes that allow more than one length.
const ivBounds = { __proto__: null, gcm: [1, 128], ccm: [7, 13], ocb: [1, 15] };

function getCipherInfo(nameOrNid, options) {
  if (typeof nameOrNid !== 'string' && typeof nameOrNid !== 'number') {
    throw new ERR_INVALID_ARG_TYPE('nameOrNid', ['string', 'number'], nameOrNid);
  }
  if (typeof nameOrNid === 'number') validateInt32(nameOrNid, 'nameOrNid');
  let keyLength;
  let ivLength;
  if (options !== undefined) {
    validateObject(options, 'options');
    ({ ivLength, keyLength } = options);
    if (keyLength !== undefined) validateInt32(keyLength, 'options.keyLength');
    if (ivLength !== undefined) validateInt32(ivLength, 'options.ivLength');
  }
  const find = (table) => (typeof nameOrNid === 'string' ?
    table[nameOrNid.toLowerCase()] : Object.values(table).find((one) => one.nid === nameOrNid));
  const info = find(ciphers) ?? find(require('internal/crypto/legacy').ciphers);
  if (info === undefined) return undefined;
  if (keyLength !== undefined && keyLength !== info.keyLength) return undefined;
  if (ivLength !== undefined) {
    const [least, most] = ivBounds[info.mode] ?? [info.ivLength ?? 0, info.ivLength ?? 0];
    if (ivLength < least || ivLength > most) return undefined;
  }
  const result = { mode: info.mode, name: info.name, nid: info.nid };
  if (info.blockSize !== undefined) result.blockSize = info.blockSize;
  if (info.ivLength !== undefined) result.ivLength = ivLength ?? info.ivLength;
  result.keyLength = info.keyLength;
  return result;
}

// `util.inspect()` of a cipher shows an object of this class as its native handle, as in Node.
class CipherBase {}
const states = new WeakMap();

function checkTagLength(options) {
  const length = options?.authTagLength;
  if (length === undefined || length === null) return undefined;
  if (length !== length >>> 0) throw new ERR_INVALID_ARG_VALUE('options.authTagLength', length);
  return length;
}

const messageLength = () => codedError('ERR_CRYPTO_INVALID_MESSAGELEN', 'Invalid message length', RangeError);

// Throws the error for an unavailable cipher. For a legacy cipher, a wrong IV length is reported first.
function refuse(cipher, iv) {
  const { ciphers: legacyCiphers, unsupported } = require('internal/crypto/legacy');
  const info = legacyCiphers[cipher.toLowerCase()];
  if (info === undefined) throw new ERR_CRYPTO_UNKNOWN_CIPHER();
  if ((iv?.byteLength ?? 0) !== (info.ivLength ?? 0)) throw new ERR_CRYPTO_INVALID_IV();
  throw unsupported();
}

function begin(stream, cipher, key, options, iv, isEncrypting) {
  validateString(cipher, 'cipher');
  const { secretBytes } = require('internal/crypto/keys');
  const encoding = options?.encoding;
  const bytes = secretBytes(key, 'key', normalizeEncoding(encoding));
  if (iv !== null) iv = bytesOf(iv, 'iv', 'utf8');
  const tagLength = checkTagLength(options);
  const info = ciphers[cipher.toLowerCase()];
  if (info === undefined) refuse(cipher, iv);
  const operate = native.cipher(
    info.native, info.keyLength, isEncrypting, bytes, iv ?? new Uint8Array(), tagLength);
  switch (operate) {
    case 'iv': throw new ERR_CRYPTO_INVALID_IV();
    case 'keyLength': throw new ERR_CRYPTO_INVALID_KEYLEN();
    case 'sameHalves':
      throw opensslError('1C800095', 'Provider routines', 'xts duplicated keys', 'ERR_OSSL_XTS_DUPLICATED_KEYS');
    case 'tagLength': throw new ERR_CRYPTO_INVALID_AUTH_TAG(tagLength);
    case 'tagUnsaid':
      throw codedError('ERR_CRYPTO_INVALID_AUTH_TAG', `authTagLength required for ${cipher}`, TypeError);
    default:
  }
  stream[kHandle] = new CipherBase();
  states.set(stream[kHandle], { operate, info, tagLength, isFinished: false });
  stream._decoder = null;
  Reflect.apply(LazyTransform, stream, [options]);
}

const handleOf = (stream) => states.get(stream[kHandle]);

function decoderOf(decoder, encoding) {
  const normalized = normalizeEncoding(encoding);
  if (decoder) {
    if (decoder.encoding !== normalized) {
      if (normalized === undefined) throw new ERR_UNKNOWN_ENCODING(encoding);
      throw new ERR_INTERNAL_ASSERTION('Cannot change encoding');
    }
    return decoder;
  }
  const { StringDecoder } = require('string_decoder');
  return new StringDecoder(encoding);
}

function update(data, inputEncoding, outputEncoding) {
  if (typeof data === 'string') {
    validateEncoding(data, inputEncoding);
  } else if (!isArrayBufferView(data)) {
    throw new ERR_INVALID_ARG_TYPE('data', ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  }
  const output = updated(this, data, inputEncoding);
  if (outputEncoding && outputEncoding !== 'buffer') {
    this._decoder = decoderOf(this._decoder, outputEncoding);
    return this._decoder.write(output);
  }
  return output;
}

function updated(stream, data, encoding) {
  if (typeof data === 'string') {
    const known = normalizeEncoding(encoding) ?? 'utf8';
    data = Buffer.from(data, known === 'buffer' ? 'utf8' : known);
  }
  // OpenSSL's lengths are signed 32-bit integers.
  if (data.byteLength >= 2 ** 31 - 1) throw codedError('ERR_OUT_OF_RANGE', 'data is too long', RangeError);
  const output = handleOf(stream).operate(kUpdate, readable(data));
  if (output === 'messageLength') throw messageLength();
  if (typeof output === 'string') throw new Error('Trying to add data in unsupported state');
  return Buffer.from(output);
}

function finished(stream) {
  const handle = handleOf(stream);
  if (handle.isFinished) throw codedError('ERR_CRYPTO_INVALID_STATE', 'Invalid state');
  handle.isFinished = true;
  const output = handle.operate(kFinal, undefined);
  switch (output) {
    case 'unauthentic':
      throw new Error('Unsupported state or unable to authenticate data');
    case 'finalLength':
      throw opensslError('1C80006B', 'Provider routines', 'wrong final block length', 'ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH');
    case 'badDecrypt':
      throw opensslError('1C800064', 'Provider routines', 'bad decrypt', 'ERR_OSSL_BAD_DECRYPT');
    default:
      return Buffer.from(output);
  }
}

function final(outputEncoding) {
  const output = finished(this);
  if (outputEncoding && outputEncoding !== 'buffer') {
    this._decoder = decoderOf(this._decoder, outputEncoding);
    return this._decoder.end(output);
  }
  return output;
}

function setAutoPadding(autoPadding) {
  if (handleOf(this).operate(kPadding, Boolean(autoPadding)) === 'state') {
    throw new ERR_CRYPTO_INVALID_STATE('setAutoPadding');
  }
  return this;
}

function setAAD(buffer, options) {
  const encoding = options?.encoding;
  // CCM needs the length of the plaintext before the data.
  const length = options?.plaintextLength ?? undefined;
  if (length !== undefined && (length !== (length | 0) || length < 0)) {
    throw new ERR_INVALID_ARG_VALUE('options.plaintextLength', length);
  }
  buffer = bytesOf(buffer, 'aadbuf', normalizeEncoding(encoding));
  switch (handleOf(this).operate(kAad, buffer, length)) {
    case 'state': throw new ERR_CRYPTO_INVALID_STATE('setAAD');
    case 'messageLength': throw messageLength();
    case 'textLength':
      throw codedError('ERR_MISSING_ARGS', 'options.plaintextLength required for CCM mode with AAD', TypeError);
    default:
  }
  return this;
}

function getAuthTag() {
  const tag = handleOf(this).operate(kGetTag, undefined);
  if (tag === 'state') throw new ERR_CRYPTO_INVALID_STATE('getAuthTag');
  return Buffer.from(tag);
}

function setAuthTag(tagbuf, encoding) {
  const tag = bytesOf(tagbuf, 'buffer', normalizeEncoding(encoding));
  switch (handleOf(this).operate(kSetTag, tag)) {
    case 'state': throw new ERR_CRYPTO_INVALID_STATE('setAuthTag');
    case 'tagLength': throw new ERR_CRYPTO_INVALID_AUTH_TAG(tag.byteLength);
    default:
  }
  const { info, tagLength } = handleOf(this);
  if (info.mode === 'gcm' && tagLength === undefined && tag.byteLength < 16) {
    warnPending('Using AES-GCM authentication tags of less than 128 bits without specifying the authTagLength option when ' +
      'initializing decryption is deprecated.', 'DEP0182');
  }
  return this;
}

function _transform(chunk, encoding, callback) {
  this.push(updated(this, chunk, encoding));
  callback();
}

function _flush(callback) {
  try {
    this.push(finished(this));
  } catch (error) {
    callback(error);
    return;
  }
  callback();
}

function Cipheriv(cipher, key, iv, options) {
  if (!new.target) return new Cipheriv(cipher, key, iv, options);
  begin(this, cipher, key, options, iv, true);
}

function Decipheriv(cipher, key, iv, options) {
  if (!new.target) return new Decipheriv(cipher, key, iv, options);
  begin(this, cipher, key, options, iv, false);
}

for (const [Class, more] of [[Cipheriv, { getAuthTag }], [Decipheriv, { setAuthTag }]]) {
  Object.setPrototypeOf(Class.prototype, LazyTransform.prototype);
  Object.setPrototypeOf(Class, LazyTransform);
  Object.assign(Class.prototype, { _transform, _flush, update, final, setAutoPadding, ...more, setAAD });
}

module.exports = { Cipheriv, Decipheriv, getCipherInfo, getCiphers };
