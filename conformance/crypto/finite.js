'use strict';
// Keys of DSA, and of Diffie and Hellman: read, written, used; what is asked of those who want new ones.
const crypto = require('crypto');
const kept = require('./finite-keys.json');

function say(label, work) {
  try {
    console.log(label, work());
  } catch (error) {
    console.log(label, '!', error.name, error.code, error.message);
  }
}

for (const [name, { priv, pub }] of Object.entries(kept)) {
  const [privateKey, publicKey] = [crypto.createPrivateKey(priv), crypto.createPublicKey(pub)];
  console.log(name, privateKey.asymmetricKeyType, privateKey.asymmetricKeyDetails, publicKey.asymmetricKeyDetails);
  for (const [type, format] of [['pkcs8', 'pem'], ['pkcs8', 'der'], ['spki', 'pem'], ['pkcs1', 'pem'], ['sec1', 'der'], ['spki', 'jwk']]) {
    say(`${name} ${type} ${format}`, () => privateKey.export({ type, format }).toString('latin1') === priv);
    say(`${name} public ${type} ${format}`, () => publicKey.export({ type, format }).toString('latin1') === pub);
  }
  say(`${name} sealed`, () => {
    const sealed = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'words' });
    return crypto.createPrivateKey({ key: sealed, passphrase: 'words' }).equals(privateKey);
  });
  say(`${name} public of private`, () => crypto.createPublicKey(privateKey).equals(publicKey));
  for (const other of Object.keys(kept)) {
    say(`${name} with ${other}`, () => crypto.diffieHellman({ privateKey, publicKey: crypto.createPublicKey(kept[other].pub) }).toString('hex'));
  }
  for (const digest of ['sha1', 'sha256', 'sha512', 'sha3-256', 'md5', 'shake128', null]) {
    for (const dsaEncoding of ['der', 'ieee-p1363']) {
      say(`${name} ${digest} ${dsaEncoding}`, () => {
        const signature = crypto.sign(digest, Buffer.from('text'), { key: privateKey, dsaEncoding });
        const verify = (text) => crypto.verify(digest, Buffer.from(text), { key: publicKey, dsaEncoding }, signature);
        return [dsaEncoding === 'der' ? '' : signature.length, verify('text'), verify('other')];
      });
    }
  }
  say(`${name} encrypt`, () => crypto.publicEncrypt(publicKey, Buffer.from('text')));
}
for (const digest of ['sha1', 'sha256']) {
  const signature = Buffer.from(kept.dsa[`sig/${digest}`], 'base64');
  console.log(crypto.verify(digest, Buffer.from('text'), kept.dsa.pub, signature));
  console.log(crypto.verify(digest, Buffer.from('text'), kept.dsa.pub, signature.subarray(1)));
}
say('DSS1', () => crypto.createVerify('DSS1').update('text').verify(kept.dsa.pub, crypto.createSign('dss1').update('text').sign(kept.dsa.priv)));
say('sealed by Node', () => crypto.createPrivateKey({ key: kept.dsa['pkcs8/aes-256-cbc'], passphrase: 'pass' }).asymmetricKeyType);

for (const options of [
  undefined, {}, { modulusLength: 'x' }, { modulusLength: 1024, divisorLength: 'x' }, { modulusLength: 1024, divisorLength: 100 },
  { modulusLength: 1024, divisorLength: -1 }, { modulusLength: 256 }, { modulusLength: 768 }, { modulusLength: 1000, divisorLength: 160 },
  { modulusLength: 1024 }, { modulusLength: 1024, divisorLength: 0 },
]) {
  say(`dsa ${JSON.stringify(options)}`, () => crypto.generateKeyPairSync('dsa', options).publicKey.asymmetricKeyDetails);
}
for (const options of [
  undefined, {}, { group: 'modp1' }, { group: 'MODP2' }, { group: 'none' }, { group: 5 }, { group: 'modp5', prime: Buffer.alloc(3) },
  { group: 'modp5', primeLength: 5 }, { group: 'modp5', generator: 3 }, { generator: 2 }, { primeLength: 100 }, { primeLength: 'x' },
  { primeLength: 512, generator: 1 }, { primeLength: 512, generator: 'x' }, { primeLength: 512, prime: Buffer.alloc(1) }, { prime: 'x' },
  { prime: Buffer.from([23]), generator: 5 }, { prime: crypto.getDiffieHellman('modp2').getPrime(), generator: 3 },
]) {
  say(`dh ${JSON.stringify(options)?.slice(0, 80)}`, () => {
    const pair = crypto.generateKeyPairSync('dh', options);
    return [pair.privateKey.asymmetricKeyType, crypto.diffieHellman(pair).length];
  });
}
say('another group', () => {
  const [one, other] = ['modp1', 'modp2'].map((group) => crypto.generateKeyPairSync('dh', { group }));
  return crypto.diffieHellman({ privateKey: one.privateKey, publicKey: other.publicKey });
});
say('engine', () => crypto.setEngine('none'));
crypto.generateKeyPair('dh', { group: 'modp5' }, (error, publicKey, privateKey) => {
  const other = crypto.generateKeyPairSync('dh', { group: 'modp5' });
  const one = crypto.diffieHellman({ privateKey, publicKey: other.publicKey });
  console.log(error, one.equals(crypto.diffieHellman({ privateKey: other.privateKey, publicKey })));
});
