'use strict';
// Certificate: the keys that browsers once made for forms (SPKAC).

const { Buffer } = require('buffer');
const { bytesOf, codedError } = require('internal/crypto/arguments');

// [whether the signature is the key's, the key as text, the challenge]; nothing if it cannot be read.
function read(spkac, encoding) {
  const bytes = bytesOf(spkac, 'spkac', encoding);
  // As OpenSSL, which counts with signed numbers.
  if (bytes.byteLength > 2 ** 31 - 1) throw codedError('ERR_OUT_OF_RANGE', 'spkac is too large', RangeError);
  return bytes.byteLength === 0 ? undefined : native.spkac(bytes) ?? [false, '', ''];
}

function verifySpkac(spkac, encoding) {
  return read(spkac, encoding)?.[0] ?? '';
}

const part = (found) => (typeof found === 'string' ? found : Buffer.from(found));

function exportPublicKey(spkac, encoding) {
  return part(read(spkac, encoding)?.[1] ?? '');
}

function exportChallenge(spkac, encoding) {
  return part(read(spkac, encoding)?.[2] ?? '');
}

function Certificate() {
  if (!(this instanceof Certificate)) return new Certificate();
}

Object.assign(Certificate, { exportChallenge, exportPublicKey, verifySpkac });
for (const verb of [verifySpkac, exportPublicKey, exportChallenge]) {
  Object.defineProperty(Certificate.prototype, verb.name, {
    __proto__: null, configurable: true, enumerable: true, writable: true, value: verb,
  });
}

module.exports = { Certificate };
