'use strict';
// Sign and Verify with digests that a kind of key is not used with, and the same for sign() and verify().
const crypto = require('crypto');

function say(label, work) {
  try {
    console.log(label, work());
  } catch (error) {
    console.log(label, '!', error.name, error.code, error.message);
  }
}

const pairs = {
  'rsa': crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }),
  'rsa-pss': crypto.generateKeyPairSync('rsa-pss', { modulusLength: 1024 }),
  'rsa-pss of sha256': crypto.generateKeyPairSync('rsa-pss', {
    modulusLength: 1024, hashAlgorithm: 'sha256', mgf1HashAlgorithm: 'sha256', saltLength: 16,
  }),
  'ec': crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'ed25519': crypto.generateKeyPairSync('ed25519'),
  'x25519': crypto.generateKeyPairSync('x25519'),
};
const data = Buffer.from('text');
for (const [name, { publicKey, privateKey }] of Object.entries(pairs)) {
  for (const digest of ['sha256', 'sha1', 'md5', 'blake2b512', 'blake2s256', 'ripemd160', 'shake128', 'SHAKE256']) {
    const label = `${name} ${digest}`;
    say(`${label} Sign`, () => crypto.createVerify(digest).update(data).verify(
      publicKey, crypto.createSign(digest).update(data).sign(privateKey)));
    say(`${label} Verify`, () => crypto.createVerify(digest).update(data).verify(publicKey, Buffer.alloc(64)));
    say(`${label} sign`, () => crypto.verify(digest, data, publicKey, crypto.sign(digest, data, privateKey)));
    say(`${label} verify`, () => crypto.verify(digest, data, publicKey, Buffer.alloc(64)));
  }
}
