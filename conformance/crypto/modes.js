'use strict';
// The ciphers that are no stream of blocks in a chain, and triple DES: fixed keys, data in pieces of every length.
const crypto = require('crypto');

const log = console.log;
const attempt = (name, work) => {
  try {
    log(name, work());
  } catch (error) {
    log(name, '!', error.name, error.code, error.message);
  }
};
const names = ['aes-128-cfb', 'aes-192-cfb', 'aes-256-cfb', 'aes-128-cfb8', 'aes-256-cfb8', 'aes-128-ofb', 'aes-192-ofb', 'des-ede3-cbc', 'des3',
               'des-ede3', 'des-ede3-ecb', 'DES-EDE3-CBC'];
const key = (length) => Buffer.from(Array.from({ length }, (_, at) => at * 7 + 1));
const text = Buffer.from('the quick brown fox jumps over the lazy dog');
for (const name of names) {
  const info = crypto.getCipherInfo(name);
  log(name, info);
  const iv = info.ivLength === undefined ? null : key(info.ivLength);
  for (const step of [1, 5, 8, 16, 50]) {
    const run = (stream, bytes) => {
      const parts = [];
      for (let at = 0; at < bytes.length; at += step) parts.push(stream.update(bytes.subarray(at, at + step)));
      return Buffer.concat([...parts, stream.final()]);
    };
    const sealed = run(crypto.createCipheriv(name, key(info.keyLength), iv), text);
    log(step, sealed.toString('hex'), run(crypto.createDecipheriv(name, key(info.keyLength), iv), sealed).equals(text));
  }
  attempt('key', () => crypto.createCipheriv(name, key(5), iv));
  attempt('vector', () => crypto.createCipheriv(name, key(info.keyLength), key(3)));
  attempt('no vector', () => crypto.createCipheriv(name, key(info.keyLength), null).final('hex'));
}
attempt('padding', () => {
  const stream = crypto.createDecipheriv('des-ede3-cbc', key(24), key(8));
  stream.update(Buffer.alloc(16));
  return stream.final();
});
attempt('length', () => {
  const stream = crypto.createDecipheriv('des-ede3-cbc', key(24), key(8));
  stream.update(Buffer.alloc(15));
  return stream.final();
});
for (const name of ['id-aes128-wrap', 'aes192-wrap', 'id-aes256-wrap']) {
  const info = crypto.getCipherInfo(name);
  const iv = Buffer.alloc(8, 0xA6);
  const sealed = crypto.createCipheriv(name, key(info.keyLength), iv).update(key(24));
  log(name, info, sealed.toString('hex'));
  log(crypto.createDecipheriv(name, key(info.keyLength), iv).update(sealed).equals(key(24)));
}
for (const name of ['aes-128-cfb', 'des3', 'id-aes128-wrap', 'aes-256-ofb', 'aes-256-cfb8']) log(crypto.getCiphers().includes(name));
log(crypto.getCipherInfo(44), crypto.getCipherInfo('des3', { keyLength: 16 }), crypto.getCipherInfo('des3', { ivLength: 8 }));
