'use strict';
// Digests and ciphers of OpenSSL's legacy provider: known by name, but not available, because Node does not load it.

const { opensslError } = require('internal/crypto/arguments');

const library = 'digital envelope routines';

function unsupported(stack) {
  return opensslError('0308010C', library, 'unsupported', 'ERR_OSSL_EVP_UNSUPPORTED', stack);
}

const isLegacyDigest = (name) => /^(?:(?:rsa-)?(?:md4|mdc2)|md4withrsaencryption|mdc2withrsa|whirlpool)$/i.test(name);

// The error for an unavailable digest; undefined if the name is unknown. `isWhole`: the digest is used directly, not
// by a MAC or a signature.
function digestTrouble(name, isWhole) {
  if (!isLegacyDigest(name)) return undefined;
  const begun = `error:03000086:${library}::initialization error`;
  return unsupported(isWhole ? [begun, `error:0308010C:${library}::unsupported`] : [begun]);
}

// OpenSSL's legacy ciphers by name, with the fields that `getCipherInfo()` returns for supported ones.
const ciphers = { __proto__: null };
{
  const add = (mode, name, nid, blockSize, ivLength, keyLength, ...others) => {
    const info = { mode, name, nid, blockSize, ivLength, keyLength };
    for (const own of [name, ...others]) ciphers[own] = info;
  };
  // Cipher families: block size, key length, NIDs by mode, aliases of the first mode.
  const families = {
    'bf': [8, 16, { cbc: 91, ecb: 92, cfb: 93, ofb: 94 }, 'bf', 'blowfish'],
    'cast5': [8, 16, { cbc: 108, ecb: 109, cfb: 110, ofb: 111 }, 'cast', 'cast-cbc'],
    'des': [8, 8, { cbc: 31, ecb: 29, cfb: 30, ofb: 45, cfb1: 656, cfb8: 657 }, 'des'],
    'desx': [8, 24, { cbc: 80 }, 'desx'],
    'idea': [8, 16, { cbc: 34, ecb: 36, cfb: 35, ofb: 46 }, 'idea'],
    'rc2': [8, 16, { cbc: 37, ecb: 38, cfb: 39, ofb: 40 }, 'rc2', 'rc2-128'],
    'rc2-40': [8, 5, { cbc: 98 }, 'rc2-40'],
    'rc2-64': [8, 8, { cbc: 166 }, 'rc2-64'],
    'seed': [16, 16, { cbc: 777, ecb: 776, cfb: 779, ofb: 778 }, 'seed'],
  };
  for (const [family, [blockSize, keyLength, modes, ...others]] of Object.entries(families)) {
    Object.entries(modes).forEach(([mode, nid], at) => {
      const isBlocks = mode === 'cbc' || mode === 'ecb';
      add(mode.replace(/\d$/, ''), `${family}-${mode}`, nid, isBlocks ? blockSize : 1, mode === 'ecb' ? undefined : blockSize,
          keyLength, ...(at === 0 ? others : []));
    });
  }
  add('stream', 'rc4', 5, undefined, undefined, 16);
  add('stream', 'rc4-40', 97, undefined, undefined, 5);
  add('stream', 'rc4-hmac-md5', 915, undefined, undefined, 16);
}

module.exports = { ciphers, digestTrouble, unsupported };
