'use strict';
// Keys that Node made, read and written in every form; what is refused, and how.
const crypto = require('crypto');
const made = require('./made-by-node.json');

const log = console.log;
const attempt = (name, work) => {
  try {
    log(name, work());
  } catch (error) {
    log(name, '!', error.name, error.code, error.message);
  }
};
const shown = (value) => (Buffer.isBuffer(value) ? value.toString('base64') : value);

for (const [name, pem] of Object.entries(made.keys)) {
  log('#', name);
  const key = crypto.createPrivateKey(pem);
  const publicKey = crypto.createPublicKey(key);
  log(key.type, key.asymmetricKeyType, key.asymmetricKeyDetails, key.symmetricKeySize);
  log(publicKey.type, publicKey.asymmetricKeyType, publicKey.asymmetricKeyDetails);
  for (const [half, types] of [[key, ['pkcs8', 'pkcs1', 'sec1', 'spki']], [publicKey, ['spki', 'pkcs1', 'pkcs8']]]) {
    for (const type of types) {
      for (const format of ['pem', 'der']) {
        attempt(`${half.type} ${type} ${format}`, () => shown(half.export({ type, format })));
        attempt('  and back', () => {
          const read = half.type === 'private' ? crypto.createPrivateKey : crypto.createPublicKey;
          return read({ key: half.export({ type, format }), type, format }).equals(half);
        });
      }
    }
    attempt(`${half.type} jwk`, () => half.export({ format: 'jwk' }));
    attempt('  and back', () => {
      const read = half.type === 'private' ? crypto.createPrivateKey : crypto.createPublicKey;
      return read({ key: half.export({ format: 'jwk' }), format: 'jwk' }).equals(half);
    });
  }
  log(key.equals(publicKey), crypto.createPublicKey(pem).equals(publicKey), crypto.createPublicKey({ key: pem }).equals(publicKey));
}

log('# sealed');
for (const [name, pem] of Object.entries(made.sealed)) {
  attempt(name, () => crypto.createPrivateKey({ key: pem, passphrase: 'words' }).export({ format: 'jwk' }).d);
  attempt(name, () => crypto.createPrivateKey(pem));
}
const rsa = crypto.createPrivateKey(made.keys.rsa);
for (const cipher of ['aes-128-cbc', 'aes-192-cbc', 'AES-256-CBC', 'des-ede3-cbc', 'aes128', 'nonsense']) {
  for (const [type, format] of [['pkcs8', 'pem'], ['pkcs8', 'der'], ['pkcs1', 'pem'], ['pkcs1', 'der']]) {
    attempt(`${cipher} ${type} ${format}`, () => {
      const sealed = rsa.export({ type, format, cipher, passphrase: 'words' });
      if (format === 'pem') log(sealed.split('\n').slice(0, 3).map((line) => line.replace(/,[0-9A-F]+$/, '')).slice(0, type === 'pkcs8' ? 1 : 3));
      return crypto.createPrivateKey({ key: sealed, type, format, passphrase: Buffer.from('words') }).equals(rsa);
    });
  }
}

log('# refused');
const publicKey = crypto.createPublicKey(rsa);
const secret = crypto.createSecretKey(Buffer.alloc(16));
for (const given of [undefined, 5, {}, { key: 5 }, '', 'text', { key: 'x', format: 'jwk' }, { key: 'x', format: 'other' },
                     { key: {}, format: 'jwk' }, { key: { kty: 'RSA' }, format: 'jwk' }, { key: { kty: 'EC', crv: 'P-1' }, format: 'jwk' },
                     { key: Buffer.alloc(1), format: 'der' }, { key: 'x', passphrase: 5 }, rsa, publicKey, secret, { key: secret }]) {
  attempt('private', () => crypto.createPrivateKey(given).type);
  attempt('public', () => crypto.createPublicKey(given).type);
}
for (const options of [undefined, {}, { format: 'pem' }, { format: 'pem', type: 'x' }, { format: 'pem', type: 'pkcs8', passphrase: 'x' },
                       { format: 'pem', type: 'pkcs8', cipher: 5 }, { format: 'pem', type: 'pkcs8', cipher: 'aes128' },
                       { format: 'jwk', cipher: 'aes128' }]) {
  attempt('export', () => rsa.export(options));
}
attempt('secret', () => crypto.createSecretKey(5));
attempt('equals', () => rsa.equals({}));
log(rsa, publicKey, secret, Object.prototype.toString.call(rsa));
