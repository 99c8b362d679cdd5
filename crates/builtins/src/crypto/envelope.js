'use strict';
// RSA encryption: `publicEncrypt`, `privateDecrypt`, `privateEncrypt`, `publicDecrypt`.

const { Buffer } = require('buffer');
const { validateString } = require('internal/validators');
const { bytesOf, codedError } = require('internal/crypto/arguments');
const { perform, troubleOf } = require('internal/crypto/trouble');
const { anyBytes, publicBytes } = require('internal/crypto/encoding');

const pkcs1Padding = 1;
const oaepPadding = 4;

function makeVerb(name, usualPadding, keyBytes) {
  const trouble = (word) => {
    if (word === 'digest') return codedError('ERR_OSSL_EVP_INVALID_DIGEST', 'Invalid digest used');
    return troubleOf(word, 'error:00000000:lib(0)::reason(0)');
  };
  return {
    [name](options, buffer) {
      const bytes = keyBytes(options);
      const { padding: given, oaepHash, oaepLabel, encoding } = options;
      const padding = (given || usualPadding) | 0;
      if (oaepHash !== undefined) validateString(oaepHash, 'key.oaepHash');
      const label = oaepLabel === undefined ? undefined : bytesOf(oaepLabel, 'key.oaepLabel', encoding);
      const data = bytesOf(buffer, 'buffer', encoding);
      if (oaepHash !== undefined && native.digestBytes(oaepHash) == null) throw trouble('digest');
      return perform(undefined, (done) => native.rsaCrypt(done, name, bytes, data, { padding, hash: oaepHash, label }),
                     (made) => Buffer.from(made), trouble);
    },
  }[name];
}

module.exports = {
  privateDecrypt: makeVerb('privateDecrypt', oaepPadding, anyBytes),
  privateEncrypt: makeVerb('privateEncrypt', pkcs1Padding, anyBytes),
  publicDecrypt: makeVerb('publicDecrypt', pkcs1Padding, publicBytes),
  publicEncrypt: makeVerb('publicEncrypt', oaepPadding, publicBytes),
};
