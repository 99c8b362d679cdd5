'use strict';
// Derived keys, random bytes, secret keys, comparing: values and errors.
const crypto = require('crypto');
const show = (name, work) => {
  try {
    console.log(name, work());
  } catch (error) {
    console.log(name, error.name, error.code, error.message, Object.keys(error).join());
  }
};
const odd = [undefined, null, 1, -1, 1.5, NaN, 2 ** 31, '', 'x', {}, [], Buffer.from('y'), new ArrayBuffer(2)];
const hex = (bytes) => Buffer.from(bytes).toString('hex');
for (const digest of ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'SHA-512', 'sha3-256', 'blake2b512', 'ripemd160', 'none', '', 1]) {
  show(`pbkdf2 ${digest}`, () => hex(crypto.pbkdf2Sync('password', 'salt', 3, 70, digest)));
  show(`hkdf ${digest}`, () => hex(crypto.hkdfSync(digest, 'key', 'salt', 'info', 70)));
}
for (const value of odd) {
  show('password', () => hex(crypto.pbkdf2Sync(value, 's', 1, 4, 'md5')));
  show('salt', () => hex(crypto.pbkdf2Sync('p', value, 1, 4, 'md5')));
  if (value !== 2 ** 31) show('rounds', () => hex(crypto.pbkdf2Sync('p', 's', value, 4, 'md5')));
  show('length', () => hex(crypto.pbkdf2Sync('p', 's', 1, value, 'md5')));
  show('hkdf key', () => hex(crypto.hkdfSync('md5', value, 's', 'i', 4)));
  show('hkdf salt', () => hex(crypto.hkdfSync('md5', 'k', value, 'i', 4)));
  show('hkdf info', () => hex(crypto.hkdfSync('md5', 'k', 's', value, 4)));
  show('hkdf length', () => hex(crypto.hkdfSync('md5', 'k', 's', 'i', value)));
  show('scrypt password', () => hex(crypto.scryptSync(value, 's', 4, { N: 2 })));
  show('scrypt salt', () => hex(crypto.scryptSync('p', value, 4, { N: 2 })));
  show('scrypt length', () => hex(crypto.scryptSync('p', 's', value, { N: 2 })));
  for (const name of ['N', 'cost', 'r', 'blockSize', 'p', 'parallelization', 'maxmem']) {
    if (name === 'maxmem' && value === 2 ** 31) continue;
    if ((name === 'N' || name === 'cost') && value === 1) continue;
    show(`scrypt ${name}`, () => hex(crypto.scryptSync('p', 's', 4, { [name]: value })));
  }
  show('callback', () => crypto.pbkdf2('p', 's', 1, 1, 'md5', value));
  show('hkdf callback', () => crypto.hkdf('md5', 'p', 's', '', 1, value));
  show('randomBytes callback', () => typeof crypto.randomBytes(1, value));
  show('randomBytes', () => typeof crypto.randomBytes(value === 2 ** 31 ? value + 1 : value));
  show('randomInt', () => typeof crypto.randomInt(value));
  show('randomUUID', () => crypto.randomUUID(value).length);
  show('randomFill', () => typeof crypto.randomFillSync(value?.byteLength ? Buffer.alloc(2) : value));
  show('offset', () => typeof crypto.randomFillSync(Buffer.alloc(4), value));
  show('size', () => typeof crypto.randomFillSync(new Uint16Array(4), 1, value));
  show('secret', () => hex(crypto.createSecretKey(value).export()));
  show('equal', () => crypto.timingSafeEqual(Buffer.from('y'), value));
  show('equal', () => crypto.timingSafeEqual(value, Buffer.from('y')));
  show('getRandomValues', () => typeof crypto.getRandomValues(value));
}
for (const [N, r, p] of [[2, 1, 1], [16, 1, 1], [1024, 8, 16], [1 << 14, 8, 1], [1 << 15, 8, 1], [1 << 16, 1, 1]]) {
  show(`scrypt ${N} ${r} ${p}`, () => hex(crypto.scryptSync('password', 'NaCl', 64, { N, r, p })));
}
show('scrypt twice', () => crypto.scryptSync('p', 's', 1, { N: 2, cost: 2 }));
show('uuid', () => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()));
show('range', () => Array.from({ length: 2000 }, () => crypto.randomInt(-2, 3)).sort((a, b) => a - b)
  .filter((value, at, all) => value !== all[at - 1]));
const secret = crypto.createSecretKey('7365637265742e2e', 'hex');
console.log(secret, secret.type, secret.symmetricKeySize, secret.asymmetricKeyType, secret.export(), secret.export({ format: 'jwk' }),
            Object.prototype.toString.call(secret), require('util').types.isKeyObject(secret), require('util').types.isKeyObject({}));
show('format', () => secret.export({ format: 'pem' }));
show('equals', () => [secret.equals(crypto.createSecretKey(Buffer.from('secret..'))), secret.equals(crypto.createSecretKey('x'))]);
show('equals', () => secret.equals({}));
show('as a key', () => [crypto.createHmac('md5', secret).digest('hex'), hex(crypto.hkdfSync('md5', secret, '', '', 4))]);
show('KeyObject', () => new crypto.KeyObject('secret', {}));
show('KeyObject', () => new crypto.KeyObject('none', {}));
show('generateKey', () => crypto.generateKeySync('hmac', { length: 123 }).symmetricKeySize);
show('generateKey', () => crypto.generateKeySync('aes', { length: 256 }).symmetricKeySize);
show('generateKey', () => crypto.generateKeySync('aes', { length: 123 }));
show('generateKey', () => crypto.generateKeySync('none', {}));
console.log(Object.prototype.toString.call(globalThis.crypto), globalThis.crypto === crypto.webcrypto);
const target = new Uint8Array(8);
const done = (name) => (error, value) => console.log(name, error, Buffer.isBuffer(value), value?.byteLength ?? value);
(async () => {
  const { promisify } = require('util');
  const one = (fn, ...args) => new Promise((resolve) => fn(...args, (...got) => {
    done(fn.name)(...got);
    resolve();
  }));
  await one(crypto.pbkdf2, 'p', 's', 1, 5, 'md5');
  await one(crypto.pbkdf2, 'p', 's', 1, 0, 'md5');
  await one(crypto.scrypt, 'p', 's', 5);
  await one(crypto.scrypt, 'p', 's', 5, { N: 2 });
  await one(crypto.hkdf, 'md5', 'k', 's', 'i', 5);
  await one(crypto.randomBytes, 5);
  await one(crypto.randomFill, target);
  await one(crypto.randomFill, target, 2, 3);
  await one(crypto.generateKey, 'aes', { length: 128 });
  console.log((await promisify(crypto.randomBytes)(7)).length, await promisify(crypto.randomInt)(1));
})();
