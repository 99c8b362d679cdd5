'use strict';
// Keys of the Web Cryptography API: generation, import and export.

const { Buffer } = require('buffer');
const { createSecretKey, makeKey, material } = require('internal/crypto/keys');
const { makeCryptoKey } = require('internal/crypto/cryptokey');
const { domError } = require('internal/crypto/web_algorithms');
const { ofJwk, toJwk } = require('internal/crypto/encoding');
const known = require('internal/crypto/known');
const { allUsages } = require('internal/crypto/web_values');

const curves = { 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' };

// Key properties of each algorithm: family, usages of public, private and secret keys, name in error messages.
const wrapping = ['wrapKey', 'unwrapKey'];
const sealing = ['encrypt', 'decrypt', ...wrapping];
const families = {
  'RSASSA-PKCS1-v1_5': { family: 'rsa', public: ['verify'], private: ['sign'], called: 'a RSA' },
  'RSA-PSS': { family: 'rsa', public: ['verify'], private: ['sign'], called: 'a RSA' },
  'RSA-OAEP': { family: 'rsa', public: ['encrypt', 'wrapKey'], private: ['decrypt', 'unwrapKey'], called: 'a RSA' },
  'ECDSA': { family: 'ec', public: ['verify'], private: ['sign'], called: 'an ECDSA' },
  'ECDH': { family: 'ec', public: [], private: ['deriveKey', 'deriveBits'], called: 'an ECDH' },
  'Ed25519': { family: 'raw', kind: 'ed25519', public: ['verify'], private: ['sign'], called: 'an Ed25519' },
  'Ed448': { family: 'raw', kind: 'ed448', public: ['verify'], private: ['sign'], called: 'an Ed448' },
  'X448': { family: 'raw', kind: 'x448', public: [], private: ['deriveKey', 'deriveBits'], called: 'an X448' },
  'X25519': { family: 'raw', kind: 'x25519', public: [], private: ['deriveKey', 'deriveBits'], called: 'an X25519' },
  'AES-CBC': { family: 'aes', secret: sealing, called: 'an AES', letters: 'CBC' },
  'AES-CTR': { family: 'aes', secret: sealing, called: 'an AES', letters: 'CTR' },
  'AES-GCM': { family: 'aes', secret: sealing, called: 'an AES', letters: 'GCM' },
  'AES-KW': { family: 'aes', secret: wrapping, called: 'an AES', letters: 'KW' },
  'HMAC': { family: 'hmac', secret: ['sign', 'verify'], called: 'an HMAC' },
  'HKDF': { family: 'derive', secret: ['deriveKey', 'deriveBits'], called: 'a HKDF' },
  'PBKDF2': { family: 'derive', secret: ['deriveKey', 'deriveBits'], called: 'a PBKDF2' },
};

const blockBits = { 'SHA-1': 512, 'SHA-256': 512, 'SHA-384': 1024, 'SHA-512': 1024 };
const hashDigits = { 'SHA-1': '1', 'SHA-256': '256', 'SHA-384': '384', 'SHA-512': '512' };
const operationFailed = 'The operation failed for an operation-specific reason';

function mustAllow(usages, allowed, called) {
  if (usages.some((usage) => !allowed.includes(usage))) {
    throw domError('SyntaxError', `Unsupported key usage for ${called} key`);
  }
}

// Returns the requested usages that are allowed, in the order of `allowed`.
const only = (usages, allowed) => allowed.filter((usage) => usages.includes(usage));

// Runs a native operation as a promise; a failure is the `cause` of a generic OperationError.
function promised(start, words = 'Job failed') {
  return new Promise((resolve, reject) => {
    const { perform, troubleOf } = require('internal/crypto/trouble');
    const failed = (word) => troubleOf(word, words);
    const reason = (error) => domError('OperationError', operationFailed, error);
    try {
      perform((error, made) => (error ? reject(reason(error)) : resolve(made)), start, (made) => made, failed);
    } catch (error) {
      reject(reason(error));
    }
  });
}

const mustBeAesLength = (length) => {
  if (![128, 192, 256].includes(length)) throw domError('OperationError', 'AES key length must be 128, 192, or 256 bits');
};

const mustBeCurve = (name) => {
  if (!Object.hasOwn(curves, name)) throw domError('NotSupportedError', 'Unrecognized namedCurve');
};

const bigExponent = (bytes) => bytes.reduce((number, byte) => number * 256 + byte, 0);

async function generatePair(row, algorithm, usages, extractable) {
  mustAllow(usages, [...row.public, ...row.private], row.called);
  const own = { name: algorithm.name };
  let wish = {};
  if (row.family === 'rsa') {
    const { modulusLength, publicExponent, hash } = algorithm;
    Object.assign(own, { modulusLength, publicExponent, hash });
    const exponent = bigExponent(publicExponent);
    if (exponent > 0xFFFFFFFF) {
      throw domError('OperationError', 'The publicExponent must be equivalent to an unsigned 32-bit value');
    }
    const reason = exponent === 0 ? 'Key generation job failed' : exponent < 3 || exponent % 2 === 0 ?
      'error:020000B2:rsa routines::pub exponent out of range' :
      modulusLength < 512 ? 'error:1C8000AB:Provider routines::key size too small' : undefined;
    if (reason !== undefined) throw domError('OperationError', operationFailed, new Error(reason));
    wish = { bits: modulusLength, exponent };
  } else if (row.family === 'ec') {
    mustBeCurve(algorithm.namedCurve);
    own.namedCurve = algorithm.namedCurve;
    wish = { curve: algorithm.namedCurve };
  }
  const privateUsages = only(usages, row.private);
  if (privateUsages.length === 0) throw domError('SyntaxError', 'Usages cannot be empty when creating a key.');
  const bytes = await promised((done) => native.keyGenerate(done, row.kind ?? row.family, wish), 'Key generation job failed');
  const privateKey = makeCryptoKey(makeKey('private', bytes), own, privateUsages, extractable);
  const publicKey = makeCryptoKey(makeKey('public', native.keyPublic(bytes)), own, only(usages, row.public), true);
  return row.family === 'raw' ? { __proto__: null, privateKey, publicKey } : { __proto__: null, publicKey, privateKey };
}

async function generateSecret(row, algorithm, usages, extractable) {
  const own = { name: algorithm.name };
  let { length } = algorithm;
  if (row.family === 'aes') {
    mustBeAesLength(length);
    own.length = length;
    mustAllow(usages, row.secret, row.called);
  } else {
    if (length % 8) throw domError('NotSupportedError', 'Unsupported algorithm.length');
    mustAllow(usages, row.secret, row.called);
    if (length === 0) throw domError('DataError', 'Zero-length key is not supported');
    length ??= blockBits[algorithm.hash.name];
    Object.assign(own, { length, hash: algorithm.hash });
  }
  if (usages.length === 0) throw domError('SyntaxError', 'Usages cannot be empty when creating a key.');
  const bytes = await promised((done) => native.random(done, Math.ceil(length / 8)), 'Key generation job failed');
  return makeCryptoKey(makeKey('secret', new Uint8Array(bytes)), own, [...new Set(usages)], extractable);
}

function generateKey(algorithm, extractable, usages) {
  const row = families[algorithm.name];
  return row.secret === undefined ?
    generatePair(row, algorithm, usages, extractable) : generateSecret(row, algorithm, usages, extractable);
}

// The JWK `alg` value of an algorithm.
function jwkName(algorithm, length) {
  const { name, hash } = algorithm;
  const digits = hashDigits[hash?.name];
  switch (name) {
    case 'RSASSA-PKCS1-v1_5': return `RS${digits}`;
    case 'RSA-PSS': return `PS${digits}`;
    case 'RSA-OAEP': return digits === '1' ? 'RSA-OAEP' : `RSA-OAEP-${digits}`;
    case 'HMAC': return `HS${digits}`;
    case 'Ed25519': case 'Ed448': return name;
    default: return name.startsWith('AES-') ? `A${length}${families[name].letters}` : undefined;
  }
}

// Throws unless the members of a JWK agree with the requested algorithm and usages.
function checkJwk(jwk, kty, use, algorithm, extractable, usages) {
  if (!jwk.kty) throw domError('DataError', 'Invalid keyData');
  if (jwk.kty !== kty) throw domError('DataError', 'Invalid JWK "kty" Parameter');
  if (usages.length > 0 && jwk.use !== undefined && jwk.use !== use) throw domError('DataError', 'Invalid JWK "use" Parameter');
  if (jwk.key_ops !== undefined) {
    const ops = jwk.key_ops.filter((name) => allUsages.includes(name));
    if (new Set(ops).size !== ops.length) throw domError('DataError', 'Duplicate key operation');
    if (usages.some((usage) => !jwk.key_ops.includes(usage))) throw domError('DataError', 'Key operations and usage mismatch');
  }
  if (jwk.ext === false && extractable) throw domError('DataError', 'JWK "ext" Parameter and extractable mismatch');
}

function checkJwkName(jwk, ...names) {
  if (jwk.alg !== undefined && !names.includes(jwk.alg)) {
    throw domError('DataError', 'JWK "alg" does not match the requested algorithm');
  }
}

const cannotImport = (name, format) => domError('NotSupportedError', `Unable to import ${name} using ${format} format`);

function importSecret(row, format, data, algorithm, extractable, usages) {
  const { name } = algorithm;
  mustAllow(usages, row.secret, row.called);
  if (row.family === 'derive' && extractable) throw domError('SyntaxError', `${name} keys are not extractable`);
  let bytes = data;
  if (format === 'jwk' && row.family !== 'derive') {
    checkJwk(data, 'oct', row.family === 'hmac' ? 'sig' : 'enc', algorithm, extractable, usages);
    if (typeof data.k !== 'string') {
      throw domError('DataError', 'Invalid keyData', new TypeError('Invalid JWK secret key format'));
    }
    bytes = Buffer.from(data.k, 'base64url');
  } else if (format !== 'raw') {
    throw cannotImport(name, format);
  }
  const length = bytes.byteLength * 8;
  const own = { name };
  if (row.family === 'aes') {
    if (![128, 192, 256].includes(length)) throw domError('DataError', 'Invalid key length');
    own.length = length;
  } else if (row.family === 'hmac') {
    if (length === 0 || algorithm.length === 0) throw domError('DataError', 'Zero-length key is not supported');
    if (algorithm.length % 8) throw domError('NotSupportedError', 'Unsupported algorithm.length');
    if (algorithm.length !== undefined && algorithm.length !== length) throw domError('DataError', 'Invalid key length');
    Object.assign(own, { hash: algorithm.hash, length });
  }
  if (format === 'jwk') checkJwkName(data, jwkName(own, length));
  return makeCryptoKey(createSecretKey(bytes), own, usages, extractable);
}

// Reads a key from SPKI or PKCS#8.
function read(format, data) {
  const isPublic = format === 'spki';
  const found = native.keyRead(data, false, format, isPublic, undefined);
  if (typeof found === 'string') {
    const { troubleOf } = require('internal/crypto/trouble');
    throw domError('DataError', 'Invalid keyData', isPublic ? new Error('Failed to read asymmetric key') : troubleOf(found));
  }
  return { type: isPublic ? 'public' : 'private', bytes: found[1] };
}

function readJwk(jwk, cause) {
  try {
    return ofJwk(jwk, jwk.d === undefined);
  } catch (error) {
    throw domError('DataError', 'Invalid keyData', cause ?? error);
  }
}

function jwkPair(row, data, algorithm, extractable, usages) {
  const { name } = algorithm;
  const kty = { rsa: 'RSA', ec: 'EC', raw: 'OKP' }[row.family];
  const use = row.private.includes('sign') ? 'sig' : 'enc';
  if (row.family === 'raw' && data.kty === kty && data.crv !== name) {
    throw domError('DataError', 'JWK "crv" Parameter and algorithm name mismatch');
  }
  checkJwk(data, kty, use, algorithm, extractable, usages);
  mustAllow(usages, data.d === undefined ? row.public : row.private, row.called);
  if (row.family === 'ec') {
    if (data.crv !== algorithm.namedCurve) throw domError('DataError', 'JWK "crv" does not match the requested algorithm');
    if (name === 'ECDSA') checkJwkName(data, { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' }[data.crv]);
  } else if (row.family === 'rsa') {
    checkJwkName(data, jwkName(algorithm));
  } else if (name.startsWith('Ed')) {
    checkJwkName(data, name, 'EdDSA');
  }
  return readJwk(data);
}

const rawLength = (name) =>
  domError('DataError', `${name} raw keys must be exactly ${{ Ed25519: 32, X25519: 32, Ed448: 57, X448: 56 }[name]}-bytes`);

function rawPair(row, data, algorithm, usages) {
  mustAllow(usages, row.public, row.called);
  if (row.family === 'ec') {
    const curve = curves[algorithm.namedCurve];
    const point = native.ecForm(curve, data, 'uncompressed');
    if (typeof point === 'string') throw domError('DataError', 'Invalid keyData');
    const half = (point.byteLength - 1) / 2;
    const bytes = new Uint8Array(point);
    return { type: 'public', bytes: native.keyOfParts(curve, [bytes.slice(1, 1 + half), bytes.slice(1 + half)]) };
  }
  const bytes = native.keyOfParts(row.kind, [data]);
  if (typeof bytes === 'string') throw rawLength(algorithm.name);
  return { type: 'public', bytes };
}

function importHalf(row, format, data, algorithm, extractable, usages) {
  const { name } = algorithm;
  if (row.family === 'ec') mustBeCurve(algorithm.namedCurve);
  let found;
  if (format === 'jwk') {
    found = jwkPair(row, data, algorithm, extractable, usages);
  } else if (format === 'raw') {
    if (row.family === 'rsa') throw cannotImport(name, format);
    found = rawPair(row, data, algorithm, usages);
  } else {
    mustAllow(usages, format === 'spki' ? row.public : row.private, row.called);
    found = read(format, data);
  }
  const info = native.keyInfo(found.bytes);
  if (info.kind !== (row.kind ?? row.family)) throw domError('DataError', 'Invalid key type');
  const own = { name };
  if (row.family === 'rsa') {
    const digits = info.exponent.length % 2 === 0 ? info.exponent : `0${info.exponent}`;
    Object.assign(own, {
      modulusLength: info.bits, publicExponent: new Uint8Array(Buffer.from(digits, 'hex')), hash: algorithm.hash,
    });
  } else if (row.family === 'ec') {
    if (info.curve !== curves[algorithm.namedCurve]) throw domError('DataError', 'Named curve mismatch');
    own.namedCurve = algorithm.namedCurve;
  }
  return makeCryptoKey(makeKey(found.type, found.bytes), own, usages, extractable);
}

function importKey(format, data, algorithm, extractable, usages) {
  const row = families[algorithm.name];
  const key = row.secret === undefined ?
    importHalf(row, format, data, algorithm, extractable, usages) :
    importSecret(row, format, data, algorithm, extractable, usages);
  if (key.type !== 'public' && usages.length === 0) {
    throw domError('SyntaxError', `Usages cannot be empty when importing a ${key.type} key.`);
  }
  return key;
}

const toBuffer = (bytes) => {
  const buffer = Buffer.from(bytes);
  return buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
};

function exportKey(format, key) {
  const keyObject = known.keyObjectOf(key);
  const { algorithm, type, usages, extractable } = key;
  const row = families[algorithm.name];
  const bytes = material(keyObject);
  if (format === 'jwk') {
    const jwk = { key_ops: [...usages], ext: extractable };
    const name = jwkName(algorithm, algorithm.length);
    if (name !== undefined) jwk.alg = name;
    return Object.assign(jwk, type === 'secret' ? keyObject.export({ format: 'jwk' }) : toJwk(bytes));
  }
  if (format === 'raw' && type === 'secret') return toBuffer(bytes);
  if (format === 'raw' && type === 'public' && row.family !== 'rsa') {
    const parts = native.keyParts(bytes);
    return toBuffer(row.family === 'ec' ? Buffer.concat([Buffer.from([4]), ...parts.map((part) => Buffer.from(part))]) : parts[0]);
  }
  if ((format === 'spki' && type === 'public') || (format === 'pkcs8' && type === 'private')) {
    return toBuffer(native.keyWrite(bytes, format, false, undefined, undefined));
  }
  throw domError('NotSupportedError', `Unable to export ${algorithm.name} ${type} key using ${format} format`);
}

// The key length to derive for an algorithm; null if it has no fixed length.
function keyLength(algorithm) {
  const { name, length, hash } = algorithm;
  if (name.startsWith('AES-')) {
    mustBeAesLength(length);
    return length;
  }
  if (name !== 'HMAC') return null;
  if (length === 0) throw domError('OperationError', 'Zero-length key is not supported');
  return length ?? blockBits[hash.name];
}

module.exports = { curves, exportKey, generateKey, importKey, keyLength, operationFailed, promised };
