'use strict';
// Hashes that are used after their digest was taken, in both ways; names that are none; numbers that are too small or too large.
const crypto = require('crypto');

function say(label, work) {
  try {
    console.log(label, work());
  } catch (error) {
    console.log(label, '!', error.name, error.code, error.message);
  }
}

const makers = {
  hash: () => crypto.createHash('sha1'), hmac: () => crypto.createHmac('sha1', 'key'),
  extended: () => crypto.createHash('shake256', { outputLength: 40 }),
};
for (const [name, make] of Object.entries(makers)) {
  say(`${name} twice`, () => [1, 2].map(((hash) => () => hash.digest('hex'))(make())));
  say(`${name} update`, () => { const hash = make(); hash.digest(); return hash.update('a'); });
  say(`${name} ended`, () => { const hash = make(); hash.end('abc'); return [hash.digest('hex'), hash.read()?.toString('hex')]; });
  for (const encoding of [undefined, 'hex', 'base64', 'latin1']) {
    const hash = make();
    hash.update('abc');
    hash.digest(encoding);
    hash.on('data', (data) => console.log(name, encoding, data.toString('hex')));
    hash.on('end', () => console.log(name, encoding, 'end'));
    hash.on('error', (error) => console.log(name, error.message));
    say(`${name} write`, () => hash.write('more', (error) => console.log(name, 'written', error)));
    hash.end();
  }
}
for (const curve of ['prime256v1', 'P-256', 'secp256r1', 'secp256k1', 'SECP256K1', 'P-521', 'none', '']) {
  say(`ECDH ${curve}`, () => crypto.createECDH(curve).generateKeys().length);
}
say('no point', () => crypto.ECDH.convertKey('', 'secp256k1'));
say('group', () => crypto.getDiffieHellman(5));
for (const prime of [[23], [24], [1]]) say(`prime ${prime}`, () => crypto.createDiffieHellman(Buffer.from(prime), 5).generateKeys());
for (const bits of [16384, 16392]) {
  const n = Buffer.alloc(bits / 8, 255).toString('base64url');
  const key = crypto.createPublicKey({ key: { kty: 'RSA', n, e: 'Aw' }, format: 'jwk' });
  console.log(key.asymmetricKeyDetails);
  say(`${bits} encrypt`, () => crypto.publicEncrypt(key, Buffer.from('text')).length);
  say(`${bits} verify`, () => crypto.verify('sha256', Buffer.from('text'), key, Buffer.alloc(bits / 8)));
}
for (const options of [{ disableEntropyCache: null }, { disableEntropyCache: 1 }, null, {}]) say('uuid', () => crypto.randomUUID(options).length);
say('callback first', () => crypto.pbkdf2('a', 'b', 1, 1, 'none'));
say('callback first', () => crypto.hkdf('none', 'a', 'b', 'c', 1));
