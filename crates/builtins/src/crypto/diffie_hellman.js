'use strict';
// `DiffieHellman` and the MODP groups of RFC 2409 and RFC 3526.

const { Buffer } = require('buffer');
const { ERR_CRYPTO_UNKNOWN_DH_GROUP, ERR_INVALID_ARG_TYPE } = require('internal/errors');
const { validateInt32 } = require('internal/validators');
const { isAnyArrayBuffer, isArrayBufferView } = require('internal/util/types');
const { bytesOf, codedError, copyOf, kHandle, opensslError } = require('internal/crypto/arguments');

const encoded = (buffer, encoding) => (encoding && encoding !== 'buffer' ? buffer.toString(encoding) : buffer);
const toBigInt = (view) => BigInt(`0x${copyOf(view).toString('hex') || '0'}`);

function toBytes(number) {
  const digits = number.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

// Pi as a fixed-point number with `bits` fraction bits, by Machin's formula with guard bits.
function piBits(bits) {
  const guard = 64n;
  const one = 1n << (BigInt(bits) + guard);
  const arctan = (inverse) => {
    const square = inverse * inverse;
    let term = one / inverse;
    let sum = term;
    for (let odd = 3n, sign = -1n; term !== 0n; odd += 2n, sign = -sign) {
      term /= square;
      sum += sign * (term / odd);
    }
    return sum;
  };
  return (4n * (4n * arctan(5n) - arctan(239n))) >> guard;
}

// The RFCs define each prime as 2^bits - 2^(bits - 64) - 1 + 2^64 (floor(2^(bits - 130) pi) + offset). The table has `bits` and `offset`.
const groups = {
  __proto__: null,
  modp1: [768, 149686n],
  modp2: [1024, 129093n],
  modp5: [1536, 741804n],
  modp14: [2048, 124476n],
  modp15: [3072, 1690314n],
  modp16: [4096, 240904n],
  modp17: [6144, 929484n],
  modp18: [8192, 4743158n],
};

function groupPrime(name) {
  if (typeof name !== 'string') throw codedError('ERR_INVALID_ARG_TYPE', 'Group name must be a string', TypeError);
  const group = groups[name.toLowerCase()];
  if (group === undefined) throw new ERR_CRYPTO_UNKNOWN_DH_GROUP();
  const [bits, offset] = group;
  const whole = BigInt(bits);
  return toBytes((1n << whole) - (1n << (whole - 64n)) - 1n + ((piBits(bits - 130) + offset) << 64n));
}

const isText = (value) => typeof value === 'string' || isArrayBufferView(value) || isAnyArrayBuffer(value);
const kinds = ['number', 'string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView'];
const minBits = 512;

const kNotPrime = 1;
const kNotSafePrime = 2;
const kNotSuitableGenerator = 8;
const kTooSmall = 128;

const isPrime = (bytes) => new Uint8Array(native.isPrime(undefined, bytes, 0))[0] === 1;

// `verifyError` of a prime and a generator, as in OpenSSL's DH_check.
function verifyErrorOf(prime, generator) {
  const number = toBigInt(prime);
  let faults = 0;
  if (number.toString(2).length < minBits) faults |= kTooSmall;
  const base = toBigInt(generator);
  if (base <= 1n || base >= number - 1n) faults |= kNotSuitableGenerator;
  if (!isPrime(prime)) faults |= kNotPrime;
  else if (!isPrime(toBytes(number >> 1n))) faults |= kNotSafePrime;
  return faults;
}

const badGenerator = () => opensslError(
  '02800065', 'Diffie-Hellman routines', 'bad generator', 'ERR_OSSL_DH_BAD_GENERATOR');

function generatorOf(generator, encoding) {
  if (generator === undefined || generator === null || generator === 0 || generator === '') return toBytes(2n);
  if (typeof generator === 'number') {
    validateInt32(generator, 'generator');
    if (generator < 2) throw badGenerator();
    return toBytes(BigInt(generator));
  }
  if (!isText(generator)) throw new ERR_INVALID_ARG_TYPE('generator', kinds, generator);
  const bytes = bytesOf(generator, 'generator', encoding);
  if (toBigInt(bytes) < 2n) throw badGenerator();
  return toBytes(toBigInt(bytes));
}

// `util.inspect()` shows an object of one of these classes as the native handle, as in Node.
const handles = {};
for (const name of ['DiffieHellman', 'DiffieHellmanGroup']) handles[name] = { [name]: class {} }[name];
const states = new WeakMap();
const stateOf = (dh) => states.get(dh[kHandle]);

function begin(dh, Handle, prime, generator, faults) {
  dh[kHandle] = new Handle();
  Object.defineProperty(dh[kHandle], 'verifyError', { __proto__: null, enumerable: true, get: () => faults });
  states.set(dh[kHandle], { prime, generator, isGroup: Handle === handles.DiffieHellmanGroup, secret: undefined, point: undefined });
  Object.defineProperty(dh, 'verifyError', { __proto__: null, enumerable: true, value: faults, writable: false });
}

function DiffieHellman(sizeOrKey, keyEncoding, generator, genEncoding) {
  if (!new.target) return new DiffieHellman(sizeOrKey, keyEncoding, generator, genEncoding);
  if (typeof sizeOrKey !== 'number' && !isText(sizeOrKey)) throw new ERR_INVALID_ARG_TYPE('sizeOrKey', kinds, sizeOrKey);
  if (typeof sizeOrKey === 'number') validateInt32(sizeOrKey, 'sizeOrKey');
  // `keyEncoding` is optional: without it, the generator is the second argument.
  if (keyEncoding && keyEncoding !== 'buffer' && !Buffer.isEncoding(keyEncoding)) {
    genEncoding = generator;
    generator = keyEncoding;
    keyEncoding = undefined;
  }
  const base = generatorOf(generator, genEncoding);
  let prime;
  if (typeof sizeOrKey === 'number') {
    if (sizeOrKey < 2) {
      throw opensslError('0280007E', 'Diffie-Hellman routines', 'modulus too small', 'ERR_OSSL_DH_MODULUS_TOO_SMALL');
    }
    if (sizeOrKey < minBits) throw codedError('ERR_INVALID_ARG_VALUE', 'Invalid DH parameters', TypeError);
    prime = Buffer.from(native.prime(undefined, sizeOrKey, true, undefined, undefined));
    begin(this, handles.DiffieHellman, prime, base, 0);
    return;
  }
  prime = toBytes(toBigInt(bytesOf(sizeOrKey, 'sizeOrKey', keyEncoding)));
  begin(this, handles.DiffieHellman, prime, base, verifyErrorOf(prime, base));
}

function DiffieHellmanGroup(name) {
  if (!new.target) return new DiffieHellmanGroup(name);
  begin(this, handles.DiffieHellmanGroup, groupPrime(name), toBytes(2n), 0);
}

function part(state, name, words, encoding) {
  if (state[name] === undefined) throw codedError('ERR_CRYPTO_INVALID_STATE', words);
  return encoded(Buffer.from(state[name]), encoding);
}

// A random nonzero private key. For the groups of the RFCs it has 512 bits: twice the security strength of the longest prime.
function randomSecret({ prime, isGroup }) {
  const number = toBigInt(prime);
  const secret = new Uint8Array(native.random(undefined, isGroup ? 64 : prime.length));
  return toBytes(toBigInt(secret) % (number - 2n > 0n ? number - 2n : 1n) + 1n);
}

const power = (base, exponent, modulus) => {
  const made = native.power(base, exponent, modulus);
  if (typeof made === 'string') throw codedError('ERR_CRYPTO_OPERATION_FAILED', 'Key generation failed');
  return Buffer.from(made);
};

// A public key outside of 1 < key < prime - 1 is rejected: it would reveal or fix the secret.
function checkPeerKey(peerKey, prime) {
  const [number, modulus] = [toBigInt(peerKey), toBigInt(prime)];
  if (number <= 1n) throw codedError('ERR_CRYPTO_INVALID_KEYLEN', 'Supplied key is too small', RangeError);
  if (number === modulus - 1n) throw codedError('ERR_CRYPTO_INVALID_KEYLEN', 'Supplied key is too large', RangeError);
  if (number >= modulus) throw codedError('ERR_CRYPTO_INVALID_KEYTYPE', 'Unspecified validation error', RangeError);
}

const methods = {
  generateKeys(encoding) {
    const state = stateOf(this);
    if (toBigInt(state.prime) >> BigInt(minBits - 1) === 0n) {
      throw codedError('ERR_CRYPTO_OPERATION_FAILED', 'Key generation failed');
    }
    state.secret ??= randomSecret(state);
    state.point = power(state.generator, state.secret, state.prime);
    return encoded(Buffer.from(state.point), encoding);
  },

  computeSecret(key, inEnc, outEnc) {
    const peerKey = bytesOf(key, 'key', inEnc);
    const { prime, secret } = stateOf(this);
    checkPeerKey(peerKey, prime);
    if (secret === undefined) throw codedError('ERR_CRYPTO_INVALID_STATE', 'No private key - did you forget to generate one?');
    return encoded(power(peerKey, secret, prime), outEnc);
  },

  getPrime(encoding) { return encoded(Buffer.from(stateOf(this).prime), encoding); },
  getGenerator(encoding) { return encoded(Buffer.from(stateOf(this).generator), encoding); },
  getPublicKey(encoding) {
    return part(stateOf(this), 'point', 'No public key - did you forget to generate one?', encoding);
  },
  getPrivateKey(encoding) {
    return part(stateOf(this), 'secret', 'No private key - did you forget to generate one?', encoding);
  },
};

// A number in its minimal length; 0 is empty.
function numberOf(key, encoding) {
  const number = toBigInt(bytesOf(key, 'key', encoding));
  return number === 0n ? undefined : toBytes(number);
}

Object.assign(DiffieHellman.prototype, methods, {
  setPublicKey(key, encoding) {
    stateOf(this).point = numberOf(key, encoding);
    return this;
  },

  setPrivateKey(key, encoding) {
    stateOf(this).secret = numberOf(key, encoding);
    return this;
  },
});
Object.assign(DiffieHellmanGroup.prototype, methods);

module.exports = { DiffieHellman, DiffieHellmanGroup, groupPrime };
