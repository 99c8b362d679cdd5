'use strict';
// What the methods of SubtleCrypto make of values that are not what they want: converted where that is possible, refused by name where not.
const crypto = require('crypto');
const { subtle } = crypto;

async function say(label, work) {
  try {
    const made = await work();
    console.log(label, made?.type ?? made?.byteLength ?? made, made?.usages ?? '', made?.extractable ?? '');
  } catch (error) {
    const cause = error.cause && `${error.cause.name} ${error.cause.code} ${error.cause.message}`;
    console.log(label, '!', error.name, error.code, error.message, cause ?? '');
  }
}

const values = {
  symbol: Symbol('s'), nothing: null, number: 5, big: 5n, truth: false, empty: '', list: [], words: ['sign'], more: ['sign', 'x', 'x'],
  twice: ['sign', 'sign'], set: new Set(['sign']), object: {}, text: { toString: () => 'sign' },
};
const hmac = { name: 'HMAC', hash: 'SHA-1' };

(async () => {
  const secret = await subtle.importKey('raw', Buffer.alloc(16), hmac, true, ['sign', 'verify']);
  const jwk = await subtle.exportKey('jwk', secret);
  const pair = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']);
  const ecJwk = await subtle.exportKey('jwk', pair.privateKey);
  const aes = await subtle.importKey('raw', Buffer.alloc(16), 'AES-GCM', true, ['encrypt', 'unwrapKey']);
  const bits = await subtle.importKey('raw', Buffer.alloc(16), 'PBKDF2', false, ['deriveBits']);
  const derive = { name: 'PBKDF2', hash: 'SHA-1', salt: Buffer.alloc(4), iterations: 1 };
  for (const [name, value] of Object.entries(values)) {
    for (const member of ['alg', 'ext', 'k', 'key_ops', 'kty', 'use', 'other']) {
      await say(`jwk ${member} ${name}`, () => subtle.importKey('jwk', { ...jwk, [member]: value }, hmac, true, ['sign']));
    }
    for (const member of ['crv', 'x', 'kty']) {
      await say(`ec ${member} ${name}`, () =>
        subtle.importKey('jwk', { ...ecJwk, [member]: value }, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']));
    }
    await say(`format ${name}`, () => subtle.importKey(value, Buffer.alloc(16), hmac, true, ['sign']));
    await say(`usages ${name}`, () => subtle.importKey('raw', Buffer.alloc(16), hmac, true, value));
    await say(`algorithm ${name}`, () => subtle.importKey('raw', Buffer.alloc(16), value, true, ['sign']));
    await say(`name ${name}`, () => subtle.digest({ name: value }, Buffer.alloc(1)));
    await say(`hash ${name}`, () => subtle.importKey('raw', Buffer.alloc(16), { name: 'HMAC', hash: value }, true, ['sign']));
    await say(`length ${name}`, () => subtle.generateKey({ name: 'AES-GCM', length: value }, true, ['encrypt']));
    await say(`bits ${name}`, () => subtle.deriveBits(derive, bits, value));
    await say(`unwrapped as ${name}`, () => subtle.unwrapKey(
      'raw', Buffer.alloc(32), aes, { name: 'AES-GCM', iv: Buffer.alloc(12) }, value, true, ['sign']));
    await say(`toCryptoKey algorithm ${name}`, () => crypto.createSecretKey(Buffer.alloc(4)).toCryptoKey(value, true, ['sign']));
    await say(`toCryptoKey extractable ${name}`, () => crypto.createSecretKey(Buffer.alloc(4)).toCryptoKey(hmac, value, ['sign']));
    await say(`toCryptoKey usages ${name}`, () => crypto.createSecretKey(Buffer.alloc(4)).toCryptoKey(hmac, true, value));
  }
  for (const data of [undefined, null, 5, 'text']) await say(`jwk ${data}`, () => subtle.importKey('jwk', data, hmac, true, ['sign']));

  const read = [];
  const watched = new Proxy(jwk, { get(target, name) { read.push(name); return target[name]; } });
  await subtle.importKey('jwk', watched, hmac, true, ['sign']);
  console.log('each member once, in this order:', read.filter((name) => name !== 'oth').join());

  for (const length of [0, 1, 11, 12, 128, 129]) {
    await say(`iv of ${length}`, () => subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(length) }, aes, Buffer.alloc(3)));
  }
  for (const length of [0, 1, 11, 12, 128, 129]) {
    await say(`createCipheriv with one of ${length}`, () =>
      crypto.createCipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(length)).update('text', 'utf8', 'hex'));
    console.log(crypto.getCipherInfo('aes-128-gcm', { ivLength: length })?.ivLength);
  }
  await say('no exponent', () => subtle.generateKey(
    { name: 'RSA-PSS', modulusLength: 512, publicExponent: new Uint8Array(), hash: 'SHA-1' }, true, ['sign']));
})();
