'use strict';
// Digests and ciphers that are known by name and not there any more, and names that are numbers or go on after their end.
const crypto = require('crypto');

function say(label, work) {
  try {
    console.log(label, work());
  } catch (error) {
    console.log(label, '!', error.name, error.message, { ...error });
  }
}

const { privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 });
for (const name of ['md4', 'RSA-MD4', 'md4WithRSAEncryption', 'MDC2', 'mdc2WithRSA', 'whirlpool', 'md2', 'a\0b', 'sha256\0b']) {
  const label = JSON.stringify(name);
  say(`${label} createHash`, () => crypto.createHash(name).update('text').digest('hex'));
  say(`${label} hash`, () => crypto.hash(name, 'text'));
  say(`${label} createHmac`, () => crypto.createHmac(name, 'key').update('text').digest('hex'));
  say(`${label} createSign`, () => crypto.createSign(name).update('text').sign(privateKey).length);
}
for (const name of ['md2', 'a\0b', 'sha256\0b']) {
  const label = JSON.stringify(name);
  say(`${label} pbkdf2Sync`, () => crypto.pbkdf2Sync('words', 'salt', 1, 8, name).toString('hex'));
  say(`${label} hkdfSync`, () => Buffer.from(crypto.hkdfSync(name, 'key', 'salt', 'info', 8)).toString('hex'));
  say(`${label} sign`, () => crypto.sign(name, Buffer.from('text'), privateKey).length);
}
for (const name of ['2.16.840.1.101.3.4.2.1', '1.3.14.3.2.26', '1.2.840.113549.2.5', '1.2.3']) {
  say(name, () => crypto.createHash(name).update('text').digest('hex'));
}

for (const name of [
  'bf', 'blowfish', 'bf-cbc', 'bf-cfb', 'bf-ecb', 'bf-ofb', 'cast', 'cast-cbc', 'cast5-cbc', 'cast5-cfb', 'cast5-ecb', 'cast5-ofb',
  'des', 'des-cbc', 'des-cfb', 'des-cfb1', 'des-cfb8', 'DES-ECB', 'des-ofb', 'desx', 'desx-cbc', 'idea', 'idea-cbc', 'idea-cfb',
  'idea-ecb', 'idea-ofb', 'rc2', 'rc2-128', 'rc2-40', 'rc2-40-cbc', 'rc2-64', 'rc2-cbc', 'rc2-cfb', 'rc2-ecb', 'rc2-ofb', 'RC4', 'rc4-40',
  'seed', 'seed-cbc', 'seed-cfb', 'seed-ecb', 'seed-ofb', 'rc5',
]) {
  const info = crypto.getCipherInfo(name);
  console.log(name, info, crypto.getCiphers().includes(name.toLowerCase()));
  const { keyLength = 8, ivLength = 0 } = info ?? {};
  const iv = ivLength === 0 ? null : Buffer.alloc(ivLength);
  say(`${name} createCipheriv`, () => crypto.createCipheriv(name, Buffer.alloc(keyLength), iv));
  say(`${name} createDecipheriv`, () => crypto.createDecipheriv(name, Buffer.alloc(keyLength + 1), iv));
  say(`${name} without a vector`, () => crypto.createCipheriv(name, Buffer.alloc(keyLength), null));
  say(`${name} with a wrong vector`, () => crypto.createCipheriv(name, Buffer.alloc(keyLength), Buffer.alloc(ivLength + 1)));
}
say('by number', () => crypto.getCipherInfo(31));
