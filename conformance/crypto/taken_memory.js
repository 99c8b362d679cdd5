'use strict';
// Memory that was taken away before or during the work, that is shared, or that can be resized.
const crypto = require('crypto');
const { subtle } = crypto.webcrypto;

const taken = () => {
  const view = new Uint8Array(16);
  structuredClone(view.buffer, { transfer: [view.buffer] });
  return view;
};
const shared = new SharedArrayBuffer(16);
const memories = {
  'shared': shared, 'shared view': new Uint8Array(shared), 'taken view': taken(), 'taken': taken().buffer,
  'resizable': new Uint8Array(new ArrayBuffer(16, { maxByteLength: 20 })),
};

async function say(label, work) {
  try {
    const value = await work();
    console.log(label, value instanceof ArrayBuffer || Buffer.isBuffer(value) ? Buffer.from(value).toString('hex') : value);
  } catch (error) {
    console.log(label, '!', error.name, error.code, error.message.replace(/.*detached.*/, 'detached'));
  }
}

async function main() {
  const key = await subtle.importKey('raw', Buffer.alloc(16), 'AES-GCM', true, ['encrypt']);
  for (const [name, memory] of Object.entries(memories)) {
    await say(`digest of ${name}`, () => subtle.digest('SHA-1', memory));
    await say(`import of ${name}`, async () => (await subtle.importKey('raw', memory, 'AES-GCM', true, ['encrypt'])).type);
    if (!name.startsWith('taken')) {
      await say(`vector of ${name}`, () => subtle.encrypt({ name: 'AES-GCM', iv: memory }, key, Buffer.alloc(1)));
    }
    await say(`hash of ${name}`, () => crypto.createHash('sha1').update(memory).digest());
    await say(`equality of ${name}`, () => crypto.timingSafeEqual(memory, memory));
    await say(`pbkdf2 of ${name}`, () => crypto.pbkdf2Sync(memory, 'salt', 1, 8, 'sha1'));
    await say(`secret of ${name}`, () => crypto.createSecretKey(memory).symmetricKeySize);
    await say(`cipher of ${name}`, () => crypto.createCipheriv('aes-128-cbc', Buffer.alloc(16), memory).final());
  }
  // Changed, or taken, while the pool is at work.
  const data = Buffer.alloc(100_000, 1);
  const digest = subtle.digest('SHA-256', data);
  const salt = Buffer.from('salt');
  const derived = new Promise((resolve) => { crypto.pbkdf2('words', salt, 100, 8, 'sha1', (error, made) => resolve(made)); });
  const target = new Uint8Array(8);
  const filled = new Promise((resolve) => { crypto.randomFill(target, (error, given) => resolve([error, given === target, given.length])); });
  data.fill(2);
  salt.fill(0);
  structuredClone(target.buffer, { transfer: [target.buffer] });
  await say('digest', () => digest);
  await say('derived', () => derived);
  await say('filled', () => filled);
  for (const length of [0, 1, 8, 11, 12, 13]) {
    await say(`vector of ${length}`, () => subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(length) }, key, Buffer.alloc(1)));
  }
  const secret = await subtle.importKey('raw', Buffer.alloc(16), 'HKDF', false, ['deriveBits']);
  const hkdf = { name: 'HKDF', hash: 'SHA-1', salt: Buffer.alloc(0), info: Buffer.alloc(0) };
  for (const length of [-1, NaN, 2 ** 32 + 8, '16', 5n, {}]) await say(`length ${length}`, () => subtle.deriveBits(hkdf, secret, length));
  for (const hash of [null, 1, 'sha-1', true, {}]) {
    await say(`hash ${hash}`, async () => (await subtle.generateKey({ name: 'HMAC', hash }, true, ['sign'])).algorithm.length);
  }
}
main();
