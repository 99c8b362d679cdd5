'use strict';
// Digests, keyed digests and hash(): values, encodings, copies, streams, errors.
const crypto = require('crypto');
const show = (name, work) => {
  try {
    console.log(name, work());
  } catch (error) {
    console.log(name, error.name, error.code, error.message, Object.keys(error).join());
  }
};
console.log(crypto.getHashes().join());
for (const name of crypto.getHashes()) show(name, () => crypto.createHash(name).update('abc').digest('hex'));
for (const name of ['SHA-256', 'Sha2-512', 'SHA-512/256', 'RIPEMD-160', 'BLAKE2B-512', 'none', '']) {
  show(name, () => crypto.createHash(name).update('abc').digest('base64'));
  show(name, () => crypto.hash(name, 'abc'));
}
for (const name of ['md5', 'sha1', 'sha256', 'sha512', 'sha3-256', 'blake2b512', 'blake2s256', 'sm3', 'ripemd160', 'none']) {
  show(`hmac ${name}`, () => crypto.createHmac(name, 'k'.repeat(200)).update('abc').update(Buffer.from('d')).digest('hex'));
}
for (const encoding of [undefined, 'hex', 'HEX', 'base64', 'base64url', 'latin1', 'binary', 'ucs2', 'buffer', 'none', '']) {
  show(`digest ${encoding}`, () => JSON.stringify(crypto.createHash('md5').update('abc').digest(encoding)));
  show(`hash ${encoding}`, () => JSON.stringify(crypto.hash('md5', 'abc', encoding)));
  show(`update ${encoding}`, () => crypto.createHash('md5').update('c3a4', encoding).digest('hex'));
}
show('surrogate', () => crypto.createHash('md5').update('\ud800ä').digest('hex'));
show('odd hex', () => crypto.createHash('md5').update('abc', 'hex'));
for (const data of [undefined, null, 1, {}, [], new ArrayBuffer(2), new Uint16Array(2), new DataView(new ArrayBuffer(3))]) {
  show('data', () => crypto.createHash('md5').update(data).digest('hex'));
  show('hmac data', () => crypto.createHmac('md5', '').update(data).digest('hex'));
  show('hmac key', () => crypto.createHmac('md5', data).digest('hex'));
  show('input', () => crypto.hash('md5', data));
  show('algorithm', () => crypto.createHash(data));
}
const hash = crypto.createHash('sha1').update('a');
const copy = hash.copy();
show('copy', () => [hash.update('b').digest('hex'), copy.update('b').digest('hex')]);
show('again', () => hash.digest());
show('more', () => hash.update('x'));
show('copy of the finished', () => hash.copy());
const hmac = crypto.createHmac('sha1', 'k');
show('hmac', () => [hmac.digest('hex'), hmac.digest('hex'), hmac.digest()]);
show('hmac more', () => hmac.update('x'));
for (const outputLength of [0, 1, 16, 20, 32, 300, -1, 1.5, '3', null, undefined]) {
  for (const name of ['shake128', 'shake256', 'sha1']) {
    show(`${name} ${outputLength}`, () => crypto.createHash(name, { outputLength }).update('abc').digest('hex'));
    show(`${name} copy ${outputLength}`, () => crypto.createHash(name).update('abc').copy({ outputLength }).digest('hex'));
  }
}
console.log(crypto.createHash('sha1'), crypto.createHmac('sha1', 'a'));
console.log(Object.getOwnPropertyNames(crypto.Hash.prototype).join(), Object.getOwnPropertyNames(crypto.Hmac.prototype).join());
const stream = crypto.createHash('sha256');
stream.on('data', (data) => console.log('data', data.toString('hex')));
stream.on('end', () => console.log('end'));
stream.write('some ');
stream.write('74657874', 'hex');
stream.end();
const keyed = crypto.createHmac('sha256', 'key');
keyed.setEncoding('base64');
keyed.on('readable', () => console.log('readable', keyed.read()));
keyed.end('text');
