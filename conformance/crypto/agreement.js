'use strict';
// Secrets agreed on, curves, groups, primes.
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
const keys = Object.fromEntries(Object.entries(made.keys).map(([name, pem]) => [name, crypto.createPrivateKey(pem)]));
const peers = Object.fromEntries(Object.entries(made.peers).map(([name, pem]) => [name, crypto.createPublicKey(pem)]));

for (const [name, publicKey] of Object.entries(peers)) {
  log(name, crypto.diffieHellman({ privateKey: keys[name], publicKey }).toString('hex'));
}
for (const options of [undefined, {}, { privateKey: keys.p256 }, { privateKey: peers.p256, publicKey: peers.p256 },
                       { privateKey: keys.p256, publicKey: peers.p384 }, { privateKey: keys.p256, publicKey: peers.x25519 },
                       { privateKey: keys.rsa, publicKey: keys.rsa }, { privateKey: keys.ed25519, publicKey: keys.ed25519 }]) {
  attempt('diffieHellman', () => crypto.diffieHellman(options).length);
}

log('# ECDH');
const curves = { p256: 'prime256v1', p384: 'secp384r1', p521: 'secp521r1', k256: 'secp256k1' };
for (const [name, curve] of Object.entries(curves)) {
  const { d } = keys[name].export({ format: 'jwk' });
  const ecdh = crypto.createECDH(curve);
  ecdh.setPrivateKey(d, 'base64url');
  for (const form of [undefined, 'compressed', 'uncompressed', 'hybrid']) {
    log(form, ecdh.getPublicKey('hex', form));
    log(crypto.ECDH.convertKey(ecdh.getPublicKey(null, form), curve, undefined, 'hex', 'compressed'));
  }
  const { x, y } = peers[name].export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  log(ecdh.computeSecret(point, null, 'base64'), ecdh.getPrivateKey('base64url') === d);
  log(crypto.createECDH(curve).generateKeys().length, crypto.getCurves().includes(curve));
}
const ecdh = crypto.createECDH('prime256v1');
attempt('getPublicKey', () => ecdh.getPublicKey());
attempt('getPrivateKey', () => ecdh.getPrivateKey());
attempt('computeSecret', () => ecdh.computeSecret(Buffer.alloc(5)));
attempt('setPrivateKey', () => ecdh.setPrivateKey(Buffer.alloc(32)));
attempt('setPrivateKey', () => ecdh.setPrivateKey(5));
attempt('convertKey', () => crypto.ECDH.convertKey(Buffer.alloc(5), 'prime256v1'));
attempt('convertKey', () => crypto.ECDH.convertKey(Buffer.alloc(5), 'none'));
ecdh.generateKeys();
attempt('format', () => ecdh.getPublicKey('hex', 'other'));
attempt('computeSecret', () => ecdh.computeSecret(Buffer.alloc(5)));
attempt('createECDH', () => crypto.createECDH());
attempt('createECDH', () => crypto.createECDH('none'));

log('# groups');
for (const name of ['modp1', 'modp2', 'modp5', 'modp14', 'modp15', 'modp16', 'modp17', 'modp18']) {
  const group = crypto.getDiffieHellman(name);
  log(name, crypto.hash('sha256', group.getPrime()), group.getGenerator('hex'), group.verifyError);
}
const one = crypto.createDiffieHellmanGroup('modp2');
const other = crypto.createDiffieHellman(one.getPrime(), one.getGenerator());
one.generateKeys();
other.setPrivateKey('0123456789abcdef', 'hex');
log(other.generateKeys('base64'), other.getPrivateKey('hex'), other.verifyError);
log(one.computeSecret(other.getPublicKey()).equals(other.computeSecret(one.getPublicKey())));
attempt('none', () => crypto.getDiffieHellman('none'));
attempt('no key', () => crypto.getDiffieHellman('modp1').getPublicKey());
attempt('too small', () => one.computeSecret(Buffer.from([1])));
attempt('arguments', () => crypto.createDiffieHellman());
attempt('arguments', () => crypto.createDiffieHellman(one.getPrime(), {}));
attempt('arguments', () => crypto.createDiffieHellman(one.getPrime(), 1));
attempt('arguments', () => crypto.createDiffieHellman(8));
for (const number of [7, 8, 23]) attempt(number, () => crypto.createDiffieHellman(Buffer.from([number])).verifyError);

log('# primes');
const found = [];
for (let number = 0n; number < 100n; number += 1n) if (crypto.checkPrimeSync(number)) found.push(number);
log(found.join());
log(crypto.checkPrimeSync(2n ** 521n - 1n), crypto.checkPrimeSync(2n ** 523n - 1n), crypto.checkPrimeSync(Buffer.from([1, 1])));
const prime = crypto.generatePrimeSync(96, { bigint: true });
log(prime.toString(2).length, crypto.checkPrimeSync(prime), crypto.generatePrimeSync(33).byteLength);
const safe = crypto.generatePrimeSync(64, { bigint: true, safe: true });
log(safe.toString(2).length, crypto.checkPrimeSync((safe - 1n) / 2n));
log(crypto.generatePrimeSync(64, { add: 12n, rem: 11n, bigint: true }) % 12n);
for (const args of [[], [0], [1.5], [8, { add: 5 }], [8, { safe: 1 }], [8, { bigint: 1 }], [8, { add: -1n }], [8, { add: 300n }],
                    [8, { add: 12n, rem: 13n }], [8, 5]]) {
  attempt('generatePrime', () => crypto.generatePrimeSync(...args));
}
for (const args of [[], [-1n], ['x'], [7n, { checks: -1 }], [7n, { checks: 'x' }]]) attempt('checkPrime', () => crypto.checkPrimeSync(...args));
crypto.generatePrime(32, (error, made32) => crypto.checkPrime(made32, (failure, isPrime) => log(error, failure, isPrime)));
