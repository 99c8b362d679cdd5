'use strict';
// Maps error words of the native code to OpenSSL's errors.

const { codedError, opensslError } = require('internal/crypto/arguments');
const { flags, locate, UNLOCATED } = require('internal/scheduler/trace');

const rsa = 'rsa routines';
const provider = 'Provider routines';

const asn1 = 'asn1 encoding routines';

const unsupported = ['1E08010C', 'DECODER routines', 'unsupported', 'ERR_OSSL_UNSUPPORTED'];

// Errors by word: OpenSSL's number, library and reason, Node's code, and the content of `opensslErrorStack`.
const opensslErrors = {
  __proto__: null,
  unsupported: [...unsupported, ['error:1E08010C:DECODER routines::unsupported']],
  unreadable: unsupported,
  notEnough: [
    '0680008E', asn1, 'not enough data', 'ERR_OSSL_ASN1_NOT_ENOUGH_DATA', ['error:0680008E:asn1 encoding routines::not enough data'],
  ],
  tooLong: ['0680009B', asn1, 'too long', 'ERR_OSSL_ASN1_TOO_LONG'],
  wrongTag: ['068000A8', asn1, 'wrong tag', 'ERR_OSSL_ASN1_WRONG_TAG'],
  passphrase: [
    '07880109', 'common libcrypto routines', 'interrupted or cancelled', 'ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED',
  ],
  passwordRead: ['04800068', 'PEM routines', 'bad password read', 'ERR_OSSL_PEM_BAD_PASSWORD_READ'],
  noObject: [
    '0680006C', asn1, 'cipher has no object identifier', 'ERR_OSSL_ASN1_CIPHER_HAS_NO_OBJECT_IDENTIFIER',
  ],
  headerCipher: ['04800071', 'PEM routines', 'unsupported cipher', 'ERR_OSSL_PEM_UNSUPPORTED_CIPHER'],
  bignumTooLong: ['01800072', 'bignum routines', 'bignum too long', 'ERR_OSSL_BN_BIGNUM_TOO_LONG'],
  badDecrypt: ['1C800064', provider, 'bad decrypt', 'ERR_OSSL_BAD_DECRYPT'],
  finalLength: ['1C80006B', provider, 'wrong final block length', 'ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH'],
  cipherFailed: ['1C800066', provider, 'cipher operation failed', 'ERR_OSSL_CIPHER_OPERATION_FAILED'],
  digestGiven: ['1C80007A', provider, 'invalid digest', 'ERR_OSSL_INVALID_DIGEST'],
  operation: [
    '03000096', 'digital envelope routines', 'operation not supported for this keytype',
    'ERR_OSSL_EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE',
  ],
  pssOperation: [
    '1C8000B2', provider, 'operation not supported for this keytype', 'ERR_OSSL_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE',
  ],
  padding: [
    '1C8000A5', provider, 'illegal or unsupported padding mode', 'ERR_OSSL_ILLEGAL_OR_UNSUPPORTED_PADDING_MODE',
  ],
  digestNotAllowed: ['1C8000AE', provider, 'digest not allowed', 'ERR_OSSL_DIGEST_NOT_ALLOWED'],
  saltTooSmall: ['1C8000AC', provider, 'pss saltlen too small', 'ERR_OSSL_PSS_SALTLEN_TOO_SMALL'],
  saltGuessed: ['1C800070', provider, 'invalid salt length', 'ERR_OSSL_INVALID_SALT_LENGTH'],
  parameters: [
    '1C8000CB', provider, 'mismatching domain parameters', 'ERR_OSSL_MISMATCHING_DOMAIN_PARAMETERS',
  ],
  dataTooLarge: ['0200006E', rsa, 'data too large for key size', 'ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_KEY_SIZE'],
  dataTooSmall: ['0200007A', rsa, 'data too small for key size', 'ERR_OSSL_RSA_DATA_TOO_SMALL_FOR_KEY_SIZE'],
  dataTooLong: ['0200006C', rsa, 'data greater than mod len', 'ERR_OSSL_RSA_DATA_GREATER_THAN_MOD_LEN'],
  tooLargeForModulus: ['02000084', rsa, 'data too large for modulus', 'ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_MODULUS'],
  digestTooBig: ['02000070', rsa, 'digest too big for rsa key', 'ERR_OSSL_RSA_DIGEST_TOO_BIG_FOR_RSA_KEY'],
  modulusTooLarge: ['02000069', rsa, 'modulus too large', 'ERR_OSSL_RSA_MODULUS_TOO_LARGE'],
  noSecret: ['020000B3', rsa, 'missing private key', 'ERR_OSSL_RSA_MISSING_PRIVATE_KEY'],
  noData: ['0200006F', rsa, 'data too small', 'ERR_OSSL_RSA_DATA_TOO_SMALL'],
  oaep: ['02000079', rsa, 'oaep decoding error', 'ERR_OSSL_RSA_OAEP_DECODING_ERROR'],
  paddingMode: ['1C8000A8', provider, 'invalid padding mode', 'ERR_OSSL_INVALID_PADDING_MODE'],
  unknownPadding: ['02000076', rsa, 'unknown padding type', 'ERR_OSSL_RSA_UNKNOWN_PADDING_TYPE'],
  blockType: ['0200006A', rsa, 'block type is not 01', 'ERR_OSSL_RSA_BLOCK_TYPE_IS_NOT_01'],
  badPadding: ['0200008A', rsa, 'invalid padding', 'ERR_OSSL_RSA_INVALID_PADDING'],
};

// Returns the error for the answer of a native operation: an answer is either an error word or the resulting bytes. Returns undefined for bytes.
function troubleOf(answer, otherwise = 'Operation failed') {
  if (typeof answer !== 'string') return undefined;
  return opensslErrors[answer] === undefined ? codedError('ERR_CRYPTO_OPERATION_FAILED', otherwise) : opensslError(...opensslErrors[answer]);
}

// An asynchronous error without stack frames, as in Node.
function errorWithoutStack(message) {
  const limit = Error.stackTraceLimit;
  Reflect.set(Error, 'stackTraceLimit', 0);
  try {
    return new Error(message);
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit);
  }
}

// The completion callback of an operation on the thread pool. `type` is its resource type in async_hooks.
function later(callback, shape, trouble, type) {
  const done = (result) => {
    if (flags[UNLOCATED] !== 0) locate(callback);
    if (typeof result === 'string') callback(errorWithoutStack(trouble(result).message));
    else callback(null, shape(result));
  };
  const { on, request } = require('internal/async_hooks/tracking');
  return on ? request(type, done) : done;
}

// Runs an operation on the thread pool if there is a callback, else synchronously. `start` receives the completion callback, or undefined.
function perform(callback, start, shape, trouble = troubleOf, type = 'SIGNREQUEST') {
  const answer = start(callback === undefined ? undefined : later(callback, shape, trouble, type));
  if (typeof answer === 'string') throw trouble(answer);
  return callback === undefined ? shape(answer) : undefined;
}

module.exports = { perform, troubleOf };
