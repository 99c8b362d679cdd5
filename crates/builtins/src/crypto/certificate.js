'use strict';
// `crypto.Certificate`: SPKAC, the key format of the HTML `keygen` element.

const { Buffer } = require('buffer');
const { bytesOf, codedError } = require('internal/crypto/arguments');

// [signature is valid, public key, challenge]; undefined if it cannot be parsed.
function read(spkac, encoding) {
  const bytes = bytesOf(spkac, 'spkac', encoding);
  // OpenSSL's lengths are signed 32-bit integers.
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
for (const method of [verifySpkac, exportPublicKey, exportChallenge]) {
  Object.defineProperty(Certificate.prototype, method.name, {
    __proto__: null, configurable: true, enumerable: true, writable: true, value: method,
  });
}

module.exports = { Certificate };
