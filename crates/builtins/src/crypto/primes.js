'use strict';
// `generatePrime` and `checkPrime`.

const { Buffer } = require('buffer');
const { ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE } = require('internal/errors');
const { validateBoolean, validateFunction, validateInt32, validateObject } = require('internal/validators');
const { isAnyArrayBuffer, isArrayBufferView } = require('internal/util/types');
const { codedError, copyOf, readable } = require('internal/crypto/arguments');
const { perform, troubleOf } = require('internal/crypto/trouble');

const toBigInt = (view) => BigInt(`0x${copyOf(view).toString('hex') || '0'}`);

// Converts an argument that is a BigInt or bytes to big-endian bytes.
function numberOf(value, name) {
  if (typeof value === 'bigint') {
    if (value < 0n) throw new ERR_OUT_OF_RANGE(name, '>= 0', value);
    const digits = value.toString(16);
    return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  }
  if (isArrayBufferView(value)) return readable(value);
  if (isAnyArrayBuffer(value)) return new Uint8Array(value);
  throw new ERR_INVALID_ARG_TYPE(name, ['ArrayBuffer', 'TypedArray', 'Buffer', 'DataView', 'bigint'], value);
}

// OpenSSL's size limit for big numbers.
const maxBytes = 2 ** 26;

function optionalBoolean(options, name) {
  const value = options[name];
  if (value !== undefined) validateBoolean(value, `options.${name}`);
  return value ?? false;
}

// Node passes undefined, not null, as the missing error here.
const withUndefinedError = (callback) => (error, value) => callback(error ?? undefined, value);

function generate(size, options, callback) {
  validateInt32(size, 'size', 1);
  validateObject(options, 'options');
  const [isSafe, isBigInt] = ['safe', 'bigint'].map((name) => optionalBoolean(options, name));
  const [add, rem] = ['add', 'rem'].map((name) =>
    (options[name] === undefined ? undefined : numberOf(options[name], `options.${name}`)));
  if (add !== undefined) {
    const step = toBigInt(add);
    if (step.toString(2).length > size || step === 0n) throw codedError('ERR_OUT_OF_RANGE', 'invalid options.add', RangeError);
    if (rem !== undefined && step <= toBigInt(rem)) throw codedError('ERR_OUT_OF_RANGE', 'invalid options.rem', RangeError);
  }
  const trouble = () => new Error(size < (isSafe ? 3 : 2) ?
    'error:01800076:bignum routines::bits too small' : 'Prime generation failed');
  return perform(callback, (done) => native.prime(done, size, isSafe, add, rem), (made) => (isBigInt ? toBigInt(new Uint8Array(made)) : made),
                 trouble, 'RANDOMPRIMEREQUEST');
}

function generatePrime(size, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = {};
  }
  validateFunction(callback, 'callback');
  generate(size, options, withUndefinedError(callback));
}

function generatePrimeSync(size, options = {}) {
  return generate(size, options, undefined);
}

function check(candidate, options, callback) {
  const number = numberOf(candidate, 'candidate');
  validateObject(options, 'options');
  if (number.byteLength >= maxBytes) throw troubleOf('bignumTooLong');
  const { checks = 0 } = options;
  validateInt32(checks, 'options.checks', 0);
  return perform(callback, (done) => native.isPrime(done, number, checks), (answer) => new Uint8Array(answer)[0] === 1,
                 undefined, 'CHECKPRIMEREQUEST');
}

function checkPrime(candidate, options = {}, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = {};
  }
  validateFunction(callback, 'callback');
  check(candidate, options, withUndefinedError(callback));
}

function checkPrimeSync(candidate, options = {}) {
  return check(candidate, options, undefined);
}

module.exports = { checkPrime, checkPrimeSync, generatePrime, generatePrimeSync };
