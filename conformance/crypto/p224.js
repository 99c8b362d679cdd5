'use strict';
// A curve that the Web's keys do not have.
const crypto = require('crypto');

function say(label, work) {
  try {
    console.log(label, work());
  } catch (error) {
    console.log(label, '!', error.name, error.code, error.message);
  }
}

for (const namedCurve of ['secp224r1', 'P-224']) {
  const { privateKey, publicKey } = crypto.generateKeyPairSync('ec', { namedCurve });
  console.log(privateKey.asymmetricKeyDetails, publicKey.export({ type: 'spki', format: 'der' }).subarray(0, 24).toString('hex'));
  for (const type of ['pkcs8', 'sec1']) {
    say(type, () => crypto.createPrivateKey({ key: privateKey.export({ type, format: 'der' }), type, format: 'der' }).equals(privateKey));
  }
  say('jwk', () => publicKey.export({ format: 'jwk' }));
  for (const digest of ['sha1', 'sha224', 'sha256', 'sha512']) {
    const signature = crypto.sign(digest, Buffer.from('text'), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    console.log(digest, signature.length, crypto.verify(digest, Buffer.from('text'), { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature));
  }
  say('agreed', () => crypto.diffieHellman({ privateKey, publicKey }).length);
}
say('generated as jwk', () => crypto.generateKeyPairSync('ec', {
  namedCurve: 'secp224r1', publicKeyEncoding: { format: 'jwk' }, privateKeyEncoding: { format: 'jwk' },
}));
const known = crypto.createECDH('secp224r1');
known.setPrivateKey(Buffer.alloc(28, 7));
console.log(known.getPublicKey('hex', 'compressed'), known.computeSecret(known.getPublicKey(), null, 'hex'));
const made = [
  '-----BEGIN PUBLIC KEY-----', 'ME4wEAYHKoZIzj0CAQYFK4EEACEDOgAErSiLQZjSj82FYE4frDjl01fX1WIpVixT',
  'PDsWj+Drg0hHcIHv/vF799fvykEcAjueYIrixm+NRAY=',
  '-----END PUBLIC KEY-----', '',
].join('\n');
const signature = 'MD0CHCpazPTYeaeAOkoT8ecj0E7mH5DkW/6L5dEVQIgCHQCgAtv119Q7f/Ls1dS5994LcWO0yxwxcjz1q/CU';
say('made by Node', () => crypto.verify('sha256', Buffer.from('text'), made, Buffer.from(signature, 'base64')));
