'use strict';
// Registers fed back by bits, triple DES with two keys and as a stream, and sectors of a disk.
const crypto = require('crypto');

function say(label, work) {
  try {
    console.log(label, work());
  } catch (error) {
    console.log(label, '!', error.name, error.code, error.message);
  }
}

const bytes = (length, step) => Buffer.from(Array.from({ length }, (_, at) => (at * step + 3) & 255));
const streams = [
  'aes-128-cfb1', 'aes-192-cfb1', 'aes-256-cfb1', 'des-ede', 'des-ede-ecb', 'des-ede-cbc', 'des-ede-cfb', 'des-ede-ofb', 'des-ede3-cfb',
  'des-ede3-cfb1', 'des-ede3-cfb8', 'des-ede3-ofb',
];
for (const name of [...streams, 'aes-128-xts', 'aes-256-xts']) {
  const info = crypto.getCipherInfo(name);
  console.log(name, info, crypto.getCiphers().includes(name), crypto.getCipherInfo(info.nid).name);
  const { keyLength, ivLength = 0 } = info;
  const key = bytes(keyLength, 7);
  const iv = ivLength === 0 ? null : bytes(ivLength, 5);
  for (const length of [0, 1, 15, 16, 17, 31, 32, 45]) {
    say(`${name} ${length}`, () => {
      const cipher = crypto.createCipheriv(name, key, iv);
      const sealed = Buffer.concat([cipher.update(bytes(length, 11)), cipher.final()]);
      const decipher = crypto.createDecipheriv(name, key, iv);
      const opened = Buffer.concat([decipher.update(sealed), decipher.final()]);
      return [sealed.toString('hex'), opened.equals(bytes(length, 11))].join(' ');
    });
  }
  say(`${name} in pieces`, () => {
    const cipher = crypto.createCipheriv(name, key, iv);
    return [16, 3, 5, 20].map((length) => cipher.update(bytes(length, 2), null, 'hex')).join() + cipher.final('hex');
  });
  say(`${name} in whole pieces`, () => {
    const cipher = crypto.createDecipheriv(name, key, iv).setAutoPadding(false);
    return [16, 16, 32].map((length) => cipher.update(bytes(length, 2), null, 'hex')).join() + cipher.final('hex');
  });
  say(`${name} with a longer key`, () => crypto.createCipheriv(name, bytes(keyLength + 1, 7), iv));
  say(`${name} with a longer vector`, () => crypto.createCipheriv(name, key, Buffer.alloc(ivLength + 1)));
  say(`${name} with one key again`, () => crypto.createCipheriv(name, Buffer.alloc(keyLength), iv).update('sixteen letters!', 'utf8', 'hex'));
  say(`${name} with it, back`, () => crypto.createDecipheriv(name, Buffer.alloc(keyLength), iv).update('sixteen letters!', 'utf8', 'hex'));
}
