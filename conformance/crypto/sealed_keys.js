'use strict';
// Private keys sealed with the ciphers that AES has, in both ways; and what cannot be.
const crypto = require('crypto');

const pairs = [
  crypto.generateKeyPairSync('rsa', { modulusLength: 512 }), crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  crypto.generateKeyPairSync('ed25519'),
];
const ciphers = [
  'aes-128-cbc', 'aes192', 'AES-256-CBC', 'aes-128-ofb', 'aes-256-cfb', 'aes-192-ctr', 'aes-128-ecb', 'des-ede3-cbc', 'des3', 'none',
];
for (const { privateKey } of pairs) {
  for (const type of ['pkcs8', 'pkcs1', 'sec1']) {
    for (const cipher of ciphers) {
      for (const format of ['pem', 'der']) {
        const label = `${privateKey.asymmetricKeyType} ${type} ${cipher} ${format}`;
        try {
          const sealed = privateKey.export({ type, format, cipher, passphrase: 'words' });
          const open = (passphrase) => crypto.createPrivateKey({ key: sealed, type, format, passphrase }).equals(privateKey);
          console.log(label, open('words'));
        } catch (error) {
          console.log(label, error.name, error.code, error.message);
        }
      }
    }
  }
}
