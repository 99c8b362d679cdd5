'use strict';
// Options of unlikely types: what is asked of them, in which order, and what is left alone.
const crypto = require('crypto');

const hex = (bytes) => Buffer.from(bytes).toString('hex');
function say(label, work) {
  try {
    console.log(label, work());
  } catch (error) {
    console.log(label, '!', error.name, error.code, error.message);
  }
}

const touchy = { toString() { throw new Error('asked for a text'); } };
const odd = { symbol: Symbol('s'), bare: Object.create(null), touchy, number: 5, list: ['hex'], nothing: null, truth: true };
const [key, iv] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];
for (const [name, value] of Object.entries(odd)) {
  say(`hash encoding ${name}`, () => crypto.createHash('md5').update('abc', value).digest('hex'));
  say(`hmac encoding ${name}`, () => crypto.createHmac('md5', 'key').update('abc', value).digest('hex'));
  say(`cipher encoding ${name}`, () => crypto.createCipheriv('aes-128-ctr', key, iv).update('abc', value, 'hex'));
  say(`tag encoding ${name}`, () => {
    const decipher = crypto.createDecipheriv('aes-128-gcm', key, iv);
    return decipher.setAuthTag(Buffer.alloc(16), value) === decipher;
  });
}
for (const name of ['symbol', 'bare', 'number', 'list']) {
  say(`cipher output ${name}`, () => crypto.createCipheriv('aes-128-ctr', key, iv).update('abc', 'utf8', odd[name]));
  say(`final output ${name}`, () => crypto.createCipheriv('aes-128-cbc', key, iv).final(odd[name]));
}

for (const words of [[], [undefined], [null], [true], [false], [0], ['']]) {
  say(`setAutoPadding(${words.map(String)})`, () => {
    const cipher = crypto.createCipheriv('aes-128-cbc', key, iv).setAutoPadding(...words);
    cipher.update('x');
    return hex(cipher.final());
  });
}

const rsa = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 });
for (const padding of [0, NaN, null, false, true, '1', '', 'x', 1.9, {}, [], [1], [1, 2], 2 ** 32 + 1]) {
  const label = `padding ${JSON.stringify(padding)}`;
  say(`${label} publicEncrypt`, () => crypto.publicEncrypt({ key: rsa.publicKey, padding }, Buffer.from('text')).length);
  say(`${label} privateEncrypt`, () => crypto.privateEncrypt({ key: rsa.privateKey, padding }, Buffer.from('text')).length);
}
const read = [];
const watched = new Proxy({ key: rsa.publicKey }, { get(target, name) { read.push(String(name)); return target[name]; } });
crypto.publicEncrypt(watched, Buffer.from('text'));
console.log('the key first', read.includes('key') && read.indexOf('key') < read.indexOf('padding'));
say('padding before the digest', () => crypto.publicEncrypt({ key: 'garbage', oaepHash: 'no digest' }, Buffer.from('text')));
say('a digest of no name', () => crypto.publicEncrypt({ key: rsa.publicKey, oaepHash: 'no digest' }, 1));
const halfText = rsa.publicKey.export({ format: 'pem', type: 'spki' });
for (const verb of ['privateDecrypt', 'privateEncrypt']) {
  say(`${verb} with the public half`, () => crypto[verb](halfText, Buffer.alloc(20)));
  say(`${verb} of too much with it`, () => crypto[verb](halfText, Buffer.alloc(200)));
  say(`${verb} and no digest`, () => crypto[verb]({ key: halfText, oaepHash: 'no digest' }, Buffer.alloc(20)));
  say(`${verb} with its object`, () => crypto[verb](rsa.publicKey, Buffer.alloc(20)));
}
say('block type', () => crypto.publicDecrypt(rsa.publicKey, Buffer.alloc(10)));
say('nothing to decrypt', () => crypto.privateDecrypt(rsa.privateKey, Buffer.alloc(0)));
say('signed without padding', () => crypto.sign('sha256', Buffer.from('text'), { key: rsa.privateKey, padding: 3 }));
say('verified memory', () => crypto.verify('sha256', new ArrayBuffer(4), rsa.publicKey, Buffer.alloc(128)));
say('signed memory', () => crypto.sign('sha256', new ArrayBuffer(4), rsa.privateKey).length);

say('a public jwk has no passphrase', () => Object.keys(rsa.publicKey.export({ format: 'jwk', cipher: 'aes-128-cbc', passphrase: 'x' })));
say('a private one cannot', () => rsa.privateKey.export({ format: 'jwk', passphrase: 'x' }));
say('made as a jwk', () => Object.keys(crypto.generateKeyPairSync('ec', {
  namedCurve: 'P-256', privateKeyEncoding: { format: 'jwk', type: 'pkcs8', cipher: 'aes-128-cbc', passphrase: 'x' },
}).privateKey));
for (const [half, type] of [['public', 'pkcs8'], ['public', 'pkcs1'], ['private', 'spki'], ['private', 'pkcs1'], ['private', 'sec1']]) {
  say(`${half} jwk of ${type}`, () => crypto.generateKeyPairSync('ed25519', { [`${half}KeyEncoding`]: { format: 'jwk', type } }));
}
say('a list of options', () => crypto.generateKeyPairSync('ed25519', { publicKeyEncoding: [] }));
for (const type of ['bare', 'touchy', 'list']) {
  say(`type ${type}`, () => {
    try {
      return rsa.publicKey.export({ format: 'pem', type: odd[type] });
    } catch (error) {
      throw error.code === 'ERR_INVALID_ARG_VALUE' ? new TypeError('as a value') : error;
    }
  });
}

const prime = crypto.getDiffieHellman('modp5').getPrime();
const dh = crypto.createDiffieHellman(Buffer.concat([Buffer.alloc(2), prime]), Buffer.from([0, 2]));
console.log(dh.getPrime().length, hex(dh.getGenerator()));
for (const value of [Buffer.from([0, 0x11]), new Uint16Array([0x1234, 1]), new BigInt64Array([5n]), new DataView(new ArrayBuffer(2))]) {
  const label = Object.prototype.toString.call(value);
  say(`${label} private`, () => {
    dh.setPrivateKey(value);
    return dh.getPrivateKey('hex');
  });
  say(`${label} public`, () => {
    dh.setPublicKey(value);
    return dh.getPublicKey('hex');
  });
}
console.log(crypto.createDiffieHellmanGroup.name, crypto.getDiffieHellman === crypto.createDiffieHellmanGroup);
