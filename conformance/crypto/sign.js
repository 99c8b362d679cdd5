'use strict';
// Signatures and sealed data that Node made are taken; those that have only one form are made the same.
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
const data = Buffer.from('some text');

for (const [name, signature] of Object.entries(made.signatures)) {
  const [kind, ...more] = name.split(' ');
  const key = { key: keys[kind.split('-')[0]] };
  let algorithm = kind === 'ed25519' ? null : more[0] ?? 'sha256';
  if (kind === 'rsa-pss') {
    key.padding = crypto.constants.RSA_PKCS1_PSS_PADDING;
    algorithm = 'sha256';
  }
  if (more[1] === 'plain') key.dsaEncoding = 'ieee-p1363';
  const bytes = Buffer.from(signature, 'base64');
  const wrong = Buffer.from(bytes);
  wrong[wrong.length - 1] ^= 1;
  log(name, crypto.verify(algorithm, data, key, bytes), crypto.verify(algorithm, 'other', key, bytes),
      crypto.verify(algorithm, data, key, wrong), crypto.verify(algorithm, data, key, Buffer.alloc(0)));
  const mine = crypto.sign(algorithm, data, key);
  log('  own', crypto.verify(algorithm, data, key, mine), kind === 'ed25519' || kind === 'rsa' ? mine.equals(bytes) : '');
  if (algorithm === null) continue;
  log('  in pieces', crypto.createVerify(algorithm).update('some ').update(Buffer.from('text')).verify(key, signature, 'base64'));
  const piece = crypto.createSign(algorithm);
  piece.write('some ');
  piece.end('text');
  log('  made in pieces', crypto.verify(algorithm, data, key, piece.sign(key)));
}
for (const salt of [0, 20, 32, -1, -2]) {
  const key = { key: keys.rsa, padding: 6, saltLength: salt };
  log('salt', salt, ['0', '20', '-1', '-2'].map((name) => crypto.verify(
    'sha256', data, key, Buffer.from(made.signatures[`rsa-pss ${name}`], 'base64'))).join());
}

log('# sealed data');
const open = (options, name) => attempt(name, () => crypto.privateDecrypt(
  { key: keys.rsa, ...options }, Buffer.from(made.sealedData[name], 'base64')).toString('latin1').replaceAll('\0', ''));
open({ padding: 1 }, 'pkcs1');
open({}, 'oaep');
open({ oaepHash: 'sha256', oaepLabel: Buffer.from('label') }, 'oaep256');
open({ oaepHash: 'sha256' }, 'oaep256');
open({ padding: 3 }, 'none');
// Wrong padding is not told: the bytes are others, and always the same.
attempt('pkcs1 wrong', () => crypto.privateDecrypt({ key: keys.rsa, padding: 1 }, Buffer.from(made.sealedData.oaep, 'base64')).toString('hex'));
attempt('signed', () => crypto.privateEncrypt(keys.rsa, data).toString('hex'));
attempt('opened', () => crypto.publicDecrypt(keys.rsa, crypto.privateEncrypt(keys.rsa, data)).toString());
for (const [options, size] of [[{}, 200], [{ padding: 1 }, 118], [{ padding: 3 }, 20], [{ padding: 3 }, 129], [{ oaepHash: 'x' }, 1],
                               [{ oaepHash: 5 }, 1], [{ oaepLabel: 5 }, 1]]) {
  attempt('publicEncrypt', () => crypto.publicEncrypt({ key: keys.rsa, ...options }, Buffer.alloc(size)).length);
}
for (const name of ['p256', 'pss', 'ed25519']) attempt(name, () => crypto.publicEncrypt(keys[name], data));
for (const size of [1, 128, 129]) attempt('privateDecrypt', () => crypto.privateDecrypt(keys.rsa, Buffer.alloc(size, 1)));
for (const padding of [1, 4]) {
  attempt('publicDecrypt', () => crypto.publicDecrypt({ key: keys.rsa, padding }, Buffer.alloc(128, 1)));
  attempt('privateEncrypt', () => crypto.privateEncrypt({ key: keys.rsa, padding }, Buffer.alloc(118, 1)).length);
}

log('# refused');
for (const args of [['none', data, keys.rsa], [5, data, keys.rsa],
                    ['sha256', data, crypto.createPublicKey(keys.rsa)], ['sha256', data, keys.ed25519], [null, data, keys.x25519],
                    ['sha256', data, { key: keys.rsa, padding: 7 }], ['sha256', data, { key: keys.rsa, padding: 1.5 }],
                    ['sha256', data, { key: keys.rsa, padding: 6, saltLength: 100 }], ['sha1', data, keys.pss],
                    ['sha256', data, { key: keys.pss, saltLength: 5 }], ['sha256', data, { key: keys.pss, padding: 1 }],
                    ['sha256', data, { key: keys.p256, dsaEncoding: 'x' }], ['shake128', data, keys.rsa],
                    ['sha256', data, keys.rsa, 5]]) {
  attempt('sign', () => crypto.sign(...args).length);
  attempt('verify', () => crypto.verify(...args, Buffer.alloc(1)));
}
attempt('createSign', () => crypto.createSign());
attempt('createSign', () => crypto.createSign('none'));
attempt('sign', () => crypto.createSign('sha256').sign());
attempt('ed25519', () => crypto.createSign('sha256').sign(keys.ed25519));
attempt('twice', () => {
  const sign = crypto.createSign('sha256');
  sign.sign(keys.rsa);
  return sign.sign(keys.rsa);
});

log('# on the pool');
const order = [];
crypto.sign('sha256', data, keys.rsa, (error, signature) => {
  order.push('sign');
  crypto.verify('sha256', data, keys.rsa, signature, (failure, isGood) => {
    log(order, error, failure, isGood);
    crypto.sign('sha256', data, { key: keys.pss, saltLength: 5 }, (refused) => {
      log(refused.message, refused.code);
    });
  });
});
order.push('after');
