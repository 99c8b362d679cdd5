'use strict';
// Every job of the pool has a name for async_hooks, and calls back in the context that asked for it.
const { AsyncLocalStorage, createHook } = require('async_hooks');
const crypto = require('crypto');
const fs = require('fs');
const keys = crypto.generateKeyPairSync('ed25519');
const storage = new AsyncLocalStorage();
const types = [];
createHook({ init: (id, type) => types.push(type) }).enable();
const data = Buffer.from('a');
const jobs = {
  generateKeyPair: (done) => crypto.generateKeyPair('ed25519', done),
  sign: (done) => crypto.sign(null, data, keys.privateKey, done),
  verify: (done) => crypto.verify(null, data, keys.publicKey, Buffer.alloc(64), done),
  generatePrime: (done) => crypto.generatePrime(16, done),
  checkPrime: (done) => crypto.checkPrime(7n, done),
  generateKey: (done) => crypto.generateKey('aes', { length: 128 }, done),
  pbkdf2: (done) => crypto.pbkdf2('a', 'b', 1, 4, 'sha1', done),
  scrypt: (done) => crypto.scrypt('a', 'b', 4, done),
  hkdf: (done) => crypto.hkdf('sha1', 'a', 'b', 'c', 4, done),
  randomBytes: (done) => crypto.randomBytes(4, done),
  randomFill: (done) => crypto.randomFill(Buffer.alloc(4), done),
};
const seen = [];
for (const name in jobs) {
  types.length = 0;
  storage.run(name, () => jobs[name](() => {
    seen.push(`${name} ${storage.getStore()}`);
    if (seen.length === Object.keys(jobs).length) fs.writeSync(1, `${seen.sort().join('\n')}\n`);
  }));
  fs.writeSync(1, `${name} ${types.join()}\n`);
}
