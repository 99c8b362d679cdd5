'use strict';
// The Web Cryptography API: keys that are given, and what is made of them; new keys by their shape; what is refused, and how.
const { subtle } = globalThis.crypto;
const crypto = require('crypto');
const made = require('./made-by-node.json');

const log = console.log;
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const shown = (value) => (value instanceof ArrayBuffer ? hex(value) : value);
async function attempt(name, work) {
  try {
    log(name, shown(await work()));
  } catch (error) {
    log(name, '!', error.name, error.code, error.message, error.cause?.message);
  }
}
const der = (name) => crypto.createPrivateKey(made.keys[name]).export({ type: 'pkcs8', format: 'der' });
const spki = (name) => crypto.createPublicKey(made.keys[name]).export({ type: 'spki', format: 'der' });
const data = Buffer.from('some text');
const rsaNames = ['RSASSA-PKCS1-v1_5', 'RSA-PSS', 'RSA-OAEP'];
const curves = { p256: 'P-256', p384: 'P-384', p521: 'P-521' };
const aes = ['AES-CBC', 'AES-CTR', 'AES-GCM', 'AES-KW'];
const iv = Buffer.alloc(16, 3);
const bytes = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');

async function main() {
  log('# digest');
  for (const name of ['SHA-1', 'sha-256', 'SHA-384', { name: 'SHA-512' }]) await attempt(name, () => subtle.digest(name, data));
  for (const name of ['MD5', undefined, 5, {}, 'AES-CBC']) await attempt(name, () => subtle.digest(name, data));
  await attempt('no data', () => subtle.digest('SHA-1'));
  await attempt('wrong data', () => subtle.digest('SHA-1', 'text'));

  log('# ciphers');
  const keys = {};
  for (const name of aes) keys[name] = await subtle.importKey('raw', bytes, name, true, name === 'AES-KW' ? ['wrapKey', 'unwrapKey'] : ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']);
  const manners = [{ name: 'AES-CBC', iv }, { name: 'AES-CTR', counter: iv, length: 64 }, { name: 'AES-CTR', counter: Buffer.alloc(16, 255), length: 3 },
                   { name: 'AES-GCM', iv }, { name: 'AES-GCM', iv, additionalData: data, tagLength: 96 }];
  for (const manner of manners) {
    const sealed = await subtle.encrypt(manner, keys[manner.name], Buffer.alloc(40, 7));
    log(manner.name, hex(sealed), hex(await subtle.decrypt(manner, keys[manner.name], sealed)));
    await attempt('cut', () => subtle.decrypt(manner, keys[manner.name], sealed.slice(0, 39)));
    await attempt('another key', () => subtle.encrypt(manner, keys['AES-KW'], data));
  }
  for (const manner of ['AES-CBC', { name: 'AES-CBC', iv: data }, { name: 'AES-CTR', counter: iv, length: 0 }, { name: 'AES-CTR', counter: data, length: 1 },
                        { name: 'AES-GCM', iv, tagLength: 7 }, { name: 'AES-CTR', counter: iv, length: 300 }, { name: 'AES-CBC', iv: 'x' }]) {
    await attempt('refused', () => subtle.encrypt(manner, keys[manner.name ?? manner], data));
  }
  for (const format of ['raw', 'jwk']) {
    for (const manner of [...manners.filter(({ length }) => length !== 3), { name: 'AES-KW' }]) {
      const wrapped = await subtle.wrapKey(format, keys['AES-GCM'], keys[manner.name], manner);
      log('wrapped', format, hex(wrapped));
      log(await subtle.unwrapKey(format, wrapped, keys[manner.name], manner, 'AES-GCM', true, ['encrypt']));
    }
  }

  log('# signatures');
  for (const hash of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']) {
    const key = await subtle.importKey('raw', bytes, { name: 'HMAC', hash }, true, ['sign', 'verify']);
    const signature = await subtle.sign('HMAC', key, data);
    log(key, hex(signature), await subtle.verify('HMAC', key, signature, data), await subtle.verify('HMAC', key, signature, bytes));
    log(await subtle.exportKey('jwk', key));
  }
  for (const name of rsaNames) {
    const usages = name === 'RSA-OAEP' ? [['decrypt', 'unwrapKey'], ['encrypt']] : [['sign'], ['verify']];
    const privateKey = await subtle.importKey('pkcs8', der('rsa'), { name, hash: 'SHA-256' }, true, usages[0]);
    const publicKey = await subtle.importKey('spki', spki('rsa'), { name, hash: 'SHA-256' }, true, usages[1]);
    log(privateKey, publicKey.algorithm);
    log(await subtle.exportKey('jwk', publicKey), Object.keys(await subtle.exportKey('jwk', privateKey)));
    const manner = { name, saltLength: 32 };
    if (name === 'RSA-OAEP') {
      const sealed = await subtle.encrypt({ name, label: bytes }, publicKey, data);
      log(sealed.byteLength, Buffer.from(await subtle.decrypt({ name, label: bytes }, privateKey, sealed)).toString());
      await attempt('another label', () => subtle.decrypt({ name, label: data }, privateKey, sealed));
    } else {
      const signature = await subtle.sign(manner, privateKey, data);
      log(signature.byteLength, await subtle.verify(manner, publicKey, signature, data), await subtle.verify(manner, publicKey, signature, bytes));
      if (name !== 'RSA-PSS') log(hex(signature));
      await attempt('with the other half', () => subtle.sign(manner, publicKey, data));
    }
  }
  for (const [name, namedCurve] of Object.entries(curves)) {
    const privateKey = await subtle.importKey('pkcs8', der(name), { name: 'ECDSA', namedCurve }, true, ['sign']);
    const publicKey = await subtle.importKey('spki', spki(name), { name: 'ECDSA', namedCurve }, true, ['verify']);
    const raw = await subtle.exportKey('raw', publicKey);
    log(privateKey, hex(raw), await subtle.exportKey('jwk', privateKey));
    const again = await subtle.importKey('raw', raw, { name: 'ECDSA', namedCurve }, true, ['verify']);
    for (const hash of ['SHA-1', 'SHA-512']) {
      const signature = await subtle.sign({ name: 'ECDSA', hash }, privateKey, data);
      log(signature.byteLength, await subtle.verify({ name: 'ECDSA', hash }, again, signature, data));
    }
    const mine = await subtle.importKey('pkcs8', der(name), { name: 'ECDH', namedCurve }, true, ['deriveBits', 'deriveKey']);
    const peer = crypto.createPublicKey(made.peers[name]).export({ type: 'spki', format: 'der' });
    const theirs = await subtle.importKey('spki', peer, { name: 'ECDH', namedCurve }, true, []);
    for (const length of [null, 8, 100, 128, 1000]) await attempt(length, () => subtle.deriveBits({ name: 'ECDH', public: theirs }, mine, length));
    await attempt('key', () => subtle.deriveKey({ name: 'ECDH', public: theirs }, mine, { name: 'AES-CBC', length: 128 }, true, ['encrypt']));
    await attempt('mine', () => subtle.deriveBits({ name: 'ECDH', public: mine }, mine, 8));
  }
  const edwards = await subtle.importKey('pkcs8', der('ed25519'), 'Ed25519', true, ['sign']);
  const signature = await subtle.sign('Ed25519', edwards, data);
  const edwardsPublic = await subtle.importKey('spki', spki('ed25519'), 'Ed25519', true, ['verify']);
  log(edwards, hex(signature), await subtle.verify('Ed25519', edwardsPublic, signature, data), hex(await subtle.exportKey('raw', edwardsPublic)));
  log(await subtle.exportKey('jwk', edwards), await subtle.importKey('jwk', await subtle.exportKey('jwk', edwards), 'Ed25519', false, ['sign']));

  log('# derived');
  const salt = Buffer.from('salt');
  for (const name of ['HKDF', 'PBKDF2']) {
    const key = await subtle.importKey('raw', bytes, name, false, ['deriveBits', 'deriveKey']);
    const manner = { name, hash: 'SHA-256', salt, info: data, iterations: 10 };
    for (const length of [0, 8, 128, 12, null, 2 ** 20]) {
      await attempt(length, async () => hex(await subtle.deriveBits(manner, key, length)).slice(0, 64));
    }
    await attempt('AES', async () => subtle.exportKey('jwk', await subtle.deriveKey(manner, key, { name: 'AES-GCM', length: 256 }, true, ['encrypt'])));
    await attempt('HMAC', () => subtle.deriveKey(manner, key, { name: 'HMAC', hash: 'SHA-1' }, true, ['sign']));
    await attempt('wrong', () => subtle.deriveKey(manner, key, { name: 'AES-GCM', length: 1 }, true, ['encrypt']));
    await attempt('export', () => subtle.exportKey('raw', key));
    await attempt('extractable', () => subtle.importKey('raw', bytes, name, true, ['deriveBits']));
  }
  await attempt('no rounds', async () => subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt, iterations: 0 },
                                                            await subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveBits']), 8));

  log('# new keys');
  const rsa = { modulusLength: 512, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
  for (const [algorithm, usages] of [[{ name: 'RSA-PSS', ...rsa }, ['sign', 'verify']], [{ name: 'RSA-OAEP', ...rsa }, ['decrypt', 'encrypt']],
                                     [{ name: 'ecdsa', namedCurve: 'P-256' }, ['sign']], [{ name: 'ECDH', namedCurve: 'P-521' }, ['deriveBits']],
                                     ['Ed25519', ['sign', 'verify']], ['X25519', ['deriveKey']], [{ name: 'HMAC', hash: 'SHA-512' }, ['verify', 'sign', 'sign']],
                                     [{ name: 'HMAC', hash: 'SHA-1', length: 100 }, ['sign']], [{ name: 'AES-CTR', length: 192 }, ['encrypt']]]) {
    await attempt(usages, () => subtle.generateKey(algorithm, false, usages));
    await attempt('none', () => subtle.generateKey(algorithm, false, []));
    await attempt('others', () => subtle.generateKey(algorithm, false, ['wrapKey']));
  }
  for (const args of [[], ['x', true, ['sign']], ['AES-CBC', true, ['encrypt']], [{ name: 'AES-CBC', length: 5 }, true, ['encrypt']],
                      [{ name: 'AES-CBC', length: 128 }, true, ['x']], [{ name: 'ECDSA', namedCurve: 'x' }, true, ['sign']],
                      [{ name: 'RSA-PSS', ...rsa, publicExponent: new Uint8Array([2]) }, true, ['sign']],
                      [{ name: 'RSA-PSS', ...rsa, hash: 'x' }, true, ['sign']], [{ name: 'RSA-PSS', ...rsa, modulusLength: -1 }, true, ['sign']]]) {
    await attempt('refused', () => subtle.generateKey(...args));
  }

  log('# taken in');
  for (const args of [['x', bytes, 'AES-CBC', true, ['encrypt']], ['raw', bytes, 'AES-CBC', true, []], ['raw', data, 'AES-CBC', true, ['encrypt']],
                      ['spki', bytes, 'AES-CBC', true, ['encrypt']], ['raw', bytes, { name: 'RSA-PSS', hash: 'SHA-1' }, true, ['verify']],
                      ['spki', spki('ed25519'), { name: 'RSA-PSS', hash: 'SHA-1' }, true, ['verify']],
                      ['spki', spki('p384'), { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']],
                      ['raw', bytes, 'Ed25519', true, ['verify']], ['raw', bytes, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']],
                      ['jwk', {}, 'AES-CBC', true, ['encrypt']], ['jwk', { kty: 'oct' }, 'AES-CBC', true, ['encrypt']],
                      ['jwk', { kty: 'RSA' }, 'AES-CBC', true, ['encrypt']], ['jwk', { kty: 'oct', k: 'AAAA', ext: false }, 'AES-CBC', true, ['encrypt']],
                      ['jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', alg: 'A256CBC' }, 'AES-CBC', true, ['encrypt']],
                      ['jwk', { kty: 'oct', k: 'AAAAAAAAAAAAAAAAAAAAAA', key_ops: ['sign'] }, 'AES-CBC', true, ['encrypt']],
                      ['jwk', bytes, 'AES-CBC', true, ['encrypt']], ['raw', {}, 'AES-CBC', true, ['encrypt']]]) {
    await attempt(args[0], () => subtle.importKey(...args));
  }
  const shut = await subtle.importKey('raw', bytes, 'AES-CBC', false, ['encrypt']);
  await attempt('not extractable', () => subtle.exportKey('raw', shut));
  await attempt('no format', () => subtle.exportKey('spki', keys['AES-CBC']));
  await attempt('no key', () => subtle.exportKey('raw', {}));
  log(structuredClone(shut), crypto.KeyObject.from(shut), crypto.KeyObject.from(shut).toCryptoKey('AES-GCM', true, ['decrypt']));
  for (const Class of [CryptoKey, SubtleCrypto, Crypto]) await attempt(Class.name, () => new Class());
  await attempt('this', () => subtle.digest.call({}, 'SHA-1', data));
  log(subtle, Object.prototype.toString.call(subtle), Object.prototype.toString.call(shut), crypto.subtle === subtle, crypto.webcrypto === globalThis.crypto);
}
main();
