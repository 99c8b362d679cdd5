'use strict';
// Cipheriv and Decipheriv, and what there is to know about ciphers.

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

// By name: mode, OpenSSL's name and number, lengths of block, vector and key.
const ciphers = { __proto__: null };
{
  const numbers = {
    ecb: [418, 422, 426], cbc: [419, 423, 427], ctr: [904, 905, 906], gcm: [895, 898, 901], cfb: [421, 425, 429],
    ofb: [420, 424, 428], cfb8: [653, 654, 655], wrap: [788, 789, 790],
  };
  for (const [mode, list] of Object.entries(numbers)) {
    [128, 192, 256].forEach((bits, at) => {
      const name = mode === 'gcm' || mode === 'wrap' ? `id-aes${bits}-${mode}` : `aes-${bits}-${mode}`;
      const info = {
        mode: mode === 'cfb8' ? 'cfb' : mode, native: mode, name, nid: list[at],
        blockSize: { ecb: 16, cbc: 16, wrap: 8 }[mode] ?? 1,
        ivLength: mode === 'ecb' ? undefined : { gcm: 12, wrap: 8 }[mode] ?? 16, keyLength: bits / 8,
      };
      if (mode === 'wrap') {
        ciphers[`aes${bits}-wrap`] = info;
        ciphers[name] = info;
        return;
      }
      ciphers[`aes-${bits}-${mode}`] = info;
      if (mode === 'cbc') ciphers[`aes${bits}`] = info;
      if (mode === 'gcm') ciphers[name] = info;
    });
  }
  const des = { blockSize: 8, keyLength: 24 };
  ciphers['des-ede3-cbc'] = { mode: 'cbc', native: 'des-cbc', name: 'des-ede3-cbc', nid: 44, ivLength: 8, ...des };
  ciphers.des3 = ciphers['des-ede3-cbc'];
  ciphers['des-ede3'] = { mode: 'ecb', native: 'des-ecb', name: 'des-ede3', nid: 33, ...des };
  ciphers['des-ede3-ecb'] = ciphers['des-ede3'];
  ciphers['chacha20-poly1305'] = {
    mode: 'stream', native: 'stream', name: 'chacha20-poly1305', nid: 1018, blockSize: undefined, ivLength: 12, keyLength: 32,
  };
}

// As OpenSSL lists them.
const getCiphers = () => Object.keys(ciphers)
  .map((name) => name.replace(/^(id-aes\d+)-gcm$/, '$1-GCM'))
  .sort();

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
  const info = typeof nameOrNid === 'string' ?
    ciphers[nameOrNid.toLowerCase()] : Object.values(ciphers).find((one) => one.nid === nameOrNid);
  if (info === undefined) return undefined;
  if (keyLength !== undefined && keyLength !== info.keyLength) return undefined;
  if (ivLength !== undefined) {
    if (info.mode === 'gcm' ? ivLength <= 0 : ivLength !== (info.ivLength ?? 0)) return undefined;
  }
  const result = { mode: info.mode, name: info.name, nid: info.nid };
  if (info.blockSize !== undefined) result.blockSize = info.blockSize;
  if (info.ivLength !== undefined) result.ivLength = ivLength ?? info.ivLength;
  result.keyLength = info.keyLength;
  return result;
}

// What stands for the native object when a cipher is printed.
class CipherBase {}
const kept = new WeakMap();

function checkTagLength(options) {
  const length = options?.authTagLength;
  if (length === undefined || length === null) return undefined;
  if (length !== (length | 0) || length < 0) throw new ERR_INVALID_ARG_VALUE('options.authTagLength', length);
  return length;
}

function begin(stream, cipher, key, options, iv, isEncrypting) {
  validateString(cipher, 'cipher');
  const { secretBytes } = require('internal/crypto/keys');
  const encoding = options?.encoding;
  const bytes = secretBytes(key, 'key', normalizeEncoding(encoding));
  if (iv !== null) iv = bytesOf(iv, 'iv', 'utf8');
  const tagLength = checkTagLength(options);
  const info = ciphers[cipher.toLowerCase()];
  if (info === undefined) throw new ERR_CRYPTO_UNKNOWN_CIPHER();
  const verbs = native.cipher(
    info.native, info.keyLength, isEncrypting, bytes, iv ?? new Uint8Array(), tagLength);
  switch (verbs) {
    case 'iv': throw new ERR_CRYPTO_INVALID_IV();
    case 'keyLength': throw new ERR_CRYPTO_INVALID_KEYLEN();
    case 'tagLength': throw new ERR_CRYPTO_INVALID_AUTH_TAG(tagLength);
    default:
  }
  stream[kHandle] = new CipherBase();
  kept.set(stream[kHandle], { verbs, info, tagLength, isFinished: false });
  stream._decoder = null;
  Reflect.apply(LazyTransform, stream, [options]);
}

const handleOf = (stream) => kept.get(stream[kHandle]);

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
  // As OpenSSL, which counts with signed numbers.
  if (data.byteLength >= 2 ** 31 - 1) throw codedError('ERR_OUT_OF_RANGE', 'data is too long', RangeError);
  const output = handleOf(stream).verbs(kUpdate, readable(data));
  if (typeof output === 'string') throw new Error('Trying to add data in unsupported state');
  return Buffer.from(output);
}

function finished(stream) {
  const handle = handleOf(stream);
  if (handle.isFinished) throw codedError('ERR_CRYPTO_INVALID_STATE', 'Invalid state');
  handle.isFinished = true;
  const output = handle.verbs(kFinal, undefined);
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
  if (handleOf(this).verbs(kPadding, autoPadding === undefined ? true : Boolean(autoPadding)) === 'state') {
    throw new ERR_CRYPTO_INVALID_STATE('setAutoPadding');
  }
  return this;
}

function setAAD(buffer, options) {
  const encoding = options?.encoding;
  buffer = bytesOf(buffer, 'buffer', normalizeEncoding(encoding));
  if (handleOf(this).verbs(kAad, buffer) === 'state') throw new ERR_CRYPTO_INVALID_STATE('setAAD');
  return this;
}

function getAuthTag() {
  const tag = handleOf(this).verbs(kGetTag, undefined);
  if (tag === 'state') throw new ERR_CRYPTO_INVALID_STATE('getAuthTag');
  return Buffer.from(tag);
}

function setAuthTag(tagbuf, encoding) {
  const tag = bytesOf(tagbuf, 'buffer', normalizeEncoding(encoding));
  switch (handleOf(this).verbs(kSetTag, tag)) {
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
