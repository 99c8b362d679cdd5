'use strict';
// New keys, here and on the pool, and how they are asked for.
const crypto = require('crypto');
const util = require('util');

const log = console.log;
const attempt = (name, work) => {
  try {
    log(name, work());
  } catch (error) {
    log(name, '!', error.name, error.code, error.message);
  }
};
const kinds = [
  ['rsa', { modulusLength: 512 }],
  ['rsa', { modulusLength: 513, publicExponent: 3 }],
  ['rsa-pss', { modulusLength: 600 }],
  ['rsa-pss', { modulusLength: 600, hashAlgorithm: 'sha256' }],
  ['rsa-pss', { modulusLength: 600, saltLength: 3 }],
  ['rsa-pss', { modulusLength: 600, hashAlgorithm: 'sha1', mgf1HashAlgorithm: 'sha256', saltLength: 0 }],
  ['ec', { namedCurve: 'P-256' }],
  ['ec', { namedCurve: 'secp384r1', paramEncoding: 'named' }],
  ['ec', { namedCurve: 'P-521' }],
  ['ec', { namedCurve: 'secp256k1' }],
  ['ed25519', undefined],
  ['x25519', {}],
];
for (const [kind, options] of kinds) {
  const { publicKey, privateKey } = crypto.generateKeyPairSync(kind, options);
  log(kind, publicKey.type, privateKey.type, publicKey.asymmetricKeyType, privateKey.asymmetricKeyDetails,
      crypto.createPublicKey(privateKey).equals(publicKey));
}
const encodings = crypto.generateKeyPairSync('ec', {
  namedCurve: 'P-256', publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'words' },
});
log(encodings.publicKey.split('\n')[0], encodings.privateKey.split('\n')[0]);
const both = crypto.generateKeyPairSync('ed25519', { publicKeyEncoding: { format: 'jwk' }, privateKeyEncoding: { format: 'der', type: 'pkcs8' } });
log(Object.keys(both.publicKey), both.privateKey.length);

for (const args of [[], ['none'], ['rsa'], ['rsa', {}], ['rsa', { modulusLength: 'x' }], ['rsa', { modulusLength: 512, publicExponent: 2 }],
                    ['rsa', { modulusLength: 16 }], ['rsa', { modulusLength: 512, publicExponent: -1 }], ['ec'], ['ec', {}],
                    ['ec', { namedCurve: 'none' }], ['ec', { namedCurve: 'P-256', paramEncoding: 'x' }], ['ed25519', 5],
                    ['rsa-pss', { modulusLength: 512, hashAlgorithm: 'x' }], ['rsa-pss', { modulusLength: 512, mgf1HashAlgorithm: 'x' }],
                    ['rsa-pss', { modulusLength: 512, saltLength: -1 }], ['rsa', { modulusLength: 512, publicKeyEncoding: 5 }],
                    ['rsa', { modulusLength: 512, publicKeyEncoding: {} }],
                    ['rsa', { modulusLength: 512, publicKeyEncoding: { format: 'pem', type: 'x' } }],
                    ['ec', { namedCurve: 'P-256', publicKeyEncoding: { format: 'pem', type: 'pkcs1' } }],
                    ['ed25519', { privateKeyEncoding: { format: 'pem', type: 'sec1' } }],
                    ['ed25519', { privateKeyEncoding: { format: 'pem', type: 'pkcs8', cipher: 'none', passphrase: 'x' } }],
                    ['ed25519', { privateKeyEncoding: { format: 'pem', type: 'pkcs8', cipher: 'aes128' } }]]) {
  attempt('generateKeyPairSync', () => crypto.generateKeyPairSync(...args));
}
attempt('generateKeyPair', () => crypto.generateKeyPair('rsa', { modulusLength: 512 }));
attempt('generateKeySync', () => crypto.generateKeySync('aes', { length: 256 }).symmetricKeySize);
attempt('generateKeySync', () => crypto.generateKeySync('hmac', { length: 123 }).symmetricKeySize);
attempt('generateKeySync', () => crypto.generateKeySync('aes', { length: 5 }));
attempt('generateKeySync', () => crypto.generateKeySync('none', { length: 128 }));

crypto.generateKeyPair('rsa', { modulusLength: 512 }, (error, publicKey, privateKey) => {
  log('done', error, publicKey.type, privateKey.type);
  util.promisify(crypto.generateKeyPair)('x25519').then((pair) => log(Object.keys(pair), pair.publicKey.asymmetricKeyType));
});
log('asked');
