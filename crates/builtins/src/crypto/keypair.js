'use strict';
// `generateKeyPair` and `generateKeyPairSync`.

const process = require('process');
const { Buffer } = require('buffer');
const {
  ERR_CRYPTO_INVALID_DIGEST,
  ERR_INCOMPATIBLE_OPTION_PAIR,
  ERR_INVALID_ARG_VALUE,
  ERR_MISSING_OPTION,
} = require('internal/errors');
const { validateBuffer, validateFunction, validateInt32, validateObject, validateString, validateUint32 } =
  require('internal/validators');
const { codedError, readable } = require('internal/crypto/arguments');
const { makeKey } = require('internal/crypto/keys');
const { outputForm, write } = require('internal/crypto/encoding');
const { perform } = require('internal/crypto/trouble');

// Returns the value of an option that may also be given by its deprecated name `old`, which emits DEP0154.
function renamed(options, name, old) {
  const given = options[name];
  if (given !== undefined) validateString(given, `options.${name}`);
  if (options[old] === undefined) return given;
  process.emitWarning(`"options.${old}" is deprecated, use "options.${name}" instead.`, 'DeprecationWarning', 'DEP0154');
  validateString(options[old], `options.${old}`);
  if (given !== undefined && given !== options[old]) throw new ERR_INVALID_ARG_VALUE(`options.${old}`, options[old]);
  return options[old];
}

// The functions below return the parameters of the native `keyGenerate`. The parameter objects have no prototype: a polluted `Object.prototype` must
// not set parameters.

function rsaOptions(type, options) {
  validateObject(options, 'options');
  const { modulusLength } = options;
  const publicExponent = options.publicExponent ?? 0x10001;
  validateUint32(modulusLength, 'options.modulusLength');
  validateUint32(publicExponent, 'options.publicExponent');
  const parameters = { __proto__: null, bits: modulusLength, exponent: publicExponent };
  if (type === 'rsa-pss') {
    if (options.saltLength !== undefined) validateInt32(options.saltLength, 'options.saltLength', 0);
    parameters.salt = options.saltLength;
    parameters.hash = renamed(options, 'hashAlgorithm', 'hash');
    parameters.maskHash = renamed(options, 'mgf1HashAlgorithm', 'mgf1Hash');
    if (parameters.hash !== undefined && native.digestBytes(parameters.hash) == null) throw new ERR_CRYPTO_INVALID_DIGEST(parameters.hash);
    if (parameters.maskHash !== undefined && native.digestBytes(parameters.maskHash) == null) {
      throw codedError('ERR_CRYPTO_INVALID_DIGEST', `Invalid MGF1 digest: ${parameters.maskHash}`, TypeError);
    }
  }
  return parameters;
}

function curveOptions(options) {
  validateObject(options, 'options');
  const { namedCurve, paramEncoding } = options;
  validateString(namedCurve, 'options.namedCurve');
  if (paramEncoding !== undefined && paramEncoding !== null && paramEncoding !== 'named' && paramEncoding !== 'explicit') {
    throw new ERR_INVALID_ARG_VALUE('options.paramEncoding', paramEncoding);
  }
  if (typeof native.ecSecret(namedCurve) === 'string') {
    throw codedError('ERR_CRYPTO_INVALID_CURVE', 'Invalid EC curve name', TypeError);
  }
  return { __proto__: null, curve: namedCurve };
}

function dsaOptions(options) {
  validateObject(options, 'options');
  const { modulusLength } = options;
  const divisorLength = options.divisorLength ?? 224;
  validateUint32(modulusLength, 'options.modulusLength');
  validateInt32(divisorLength, 'options.divisorLength', 0);
  return { __proto__: null, bits: modulusLength, divisorBits: divisorLength };
}

// DH parameters: a named group, a prime, or a prime length, with a generator.
function dhOptions(options) {
  validateObject(options, 'options');
  const { group, prime, primeLength, generator } = options;
  const isGiven = (name) => options[name] !== undefined && options[name] !== null;
  const exclude = (name, others) => {
    const other = others.find(isGiven);
    if (other !== undefined) throw new ERR_INCOMPATIBLE_OPTION_PAIR(name, other);
  };
  if (isGiven('group')) {
    exclude('group', ['prime', 'primeLength', 'generator']);
    validateString(group, 'options.group');
    return { __proto__: null, prime: require('internal/crypto/diffie_hellman').groupPrime(group), generator: Buffer.of(2) };
  }
  const parameters = { __proto__: null };
  if (isGiven('prime')) {
    exclude('prime', ['primeLength']);
    validateBuffer(prime, 'options.prime');
    parameters.prime = readable(prime);
  } else if (isGiven('primeLength')) {
    validateInt32(primeLength, 'options.primeLength', 0);
    parameters.bits = primeLength;
  } else {
    throw new ERR_MISSING_OPTION('At least one of the group, prime, or primeLength options');
  }
  if (isGiven('generator')) validateInt32(generator, 'options.generator', 0);
  parameters.generator = Buffer.alloc(4);
  parameters.generator.writeUInt32BE(generator ?? 2);
  return parameters;
}

const noOptions = { __proto__: null };

const keyTypes = {
  '__proto__': null,
  'rsa': (options) => rsaOptions('rsa', options),
  'rsa-pss': (options) => rsaOptions('rsa-pss', options),
  'dsa': dsaOptions,
  'dh': dhOptions,
  'ec': curveOptions,
  'ed25519': () => noOptions,
  'ed448': () => noOptions,
  'x25519': () => noOptions,
  'x448': () => noOptions,
};

// The output encoding of the public or private key.
function formOf(options, name, keyType, kind) {
  const given = options?.[name];
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'object') throw new ERR_INVALID_ARG_VALUE(`options.${name}`, given);
  return outputForm(given, keyType, kind, `options.${name}`);
}

const reasons = {
  __proto__: null,
  badGenerator: 'error:02800065:Diffie-Hellman routines::bad generator',
  ffc: 'error:05000072:dsa routines::bad ffc parameters',
  keymgmt: 'error:030000E9:digital envelope routines::provider keymgmt failure',
  smallModulus: 'error:0280007E:Diffie-Hellman routines::modulus too small',
};

// The error for a failed key generation: OpenSSL reports different errors for different options.
function failure(word, { bits, exponent }) {
  if (reasons[word] !== undefined) return new Error(reasons[word]);
  if (exponent === 0) return new Error('Key generation job failed');
  if (exponent !== undefined && (exponent < 3 || exponent % 2 === 0)) {
    return new Error('error:020000B2:rsa routines::pub exponent out of range');
  }
  if (bits !== undefined && bits < 512) return new Error('error:1C8000AB:Provider routines::key size too small');
  return new Error('Key generation job failed');
}

function generate(type, options, callback) {
  validateString(type, 'type');
  if (options !== undefined) validateObject(options, 'options');
  const publicForm = formOf(options, 'publicKeyEncoding', type, 'public');
  const privateForm = formOf(options, 'privateKeyEncoding', type, 'private');
  const parametersOf = keyTypes[type];
  if (parametersOf === undefined) throw new ERR_INVALID_ARG_VALUE('type', type, 'must be a supported key type');
  const nativeParameters = parametersOf(options);
  // Reject an unavailable cipher before generating the key.
  if (privateForm?.cipher !== undefined) {
    const probe = native.keyGenerate(undefined, 'x25519', noOptions);
    write(probe, { ...privateForm, type: 'pkcs8' });
  }
  const halves = (bytes) => {
    const half = (kind, form, halfBytes) => (form === undefined ? makeKey(kind, halfBytes) : write(halfBytes, form));
    return {
      publicKey: half('public', publicForm, native.keyPublic(bytes)), privateKey: half('private', privateForm, bytes),
    };
  };
  return perform(callback, (done) => native.keyGenerate(done, type, nativeParameters), halves, (word) => failure(word, nativeParameters),
                 'KEYPAIRGENREQUEST');
}

function generateKeyPair(type, options, callback) {
  if (typeof options === 'function') {
    callback = options;
    options = undefined;
  }
  validateFunction(callback, 'callback');
  generate(type, options, (error, pair) => {
    if (error) callback(error);
    else callback(null, pair.publicKey, pair.privateKey);
  });
}

function generateKeyPairSync(type, options) {
  return generate(type, options, undefined);
}

Object.defineProperty(generateKeyPair, require('util').promisify.custom, {
  __proto__: null,
  enumerable: false,
  value: (type, options) => new Promise((resolve, reject) => {
    generateKeyPair(type, options, (error, publicKey, privateKey) => {
      if (error) reject(error);
      else resolve({ publicKey, privateKey });
    });
  }),
});

module.exports = { generateKeyPair, generateKeyPairSync };
