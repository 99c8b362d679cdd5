'use strict';
// Ciphers: values, padding, tags, what there is to know, streams, errors.
const crypto = require('crypto');
const show = (name, work) => {
  try {
    console.log(name, work());
  } catch (error) {
    // Whose bug a failed assertion is differs.
    const message = error.message.replace(/\nThis is caused by [^]*/, '');
    console.log(name, error.name, error.code, message, Object.keys(error).join());
  }
};
const key = (length) => Buffer.from(Array.from({ length }, (_, at) => at * 7 & 255));
const text = 'The quick brown fox jumps over the lazy dog, twice and once more.';
const names = [128, 192, 256].flatMap((bits) => ['ecb', 'cbc', 'ctr', 'gcm'].map((mode) => `aes-${bits}-${mode}`));
for (const name of [...names, 'chacha20-poly1305']) {
  const { keyLength, ivLength = 0, mode } = crypto.getCipherInfo(name);
  const isSealed = mode === 'gcm' || mode === 'stream';
  for (const length of [0, 1, 15, 16, 17, 31, 32, 64]) {
    const cipher = crypto.createCipheriv(name, key(keyLength), ivLength ? key(ivLength) : null);
    if (isSealed) cipher.setAAD(Buffer.from('more')).setAAD(Buffer.from(' data'));
    let sealed = cipher.update(text.slice(0, length >> 1), 'utf8', 'hex');
    sealed += cipher.update(text.slice(length >> 1, length), 'utf8', 'hex') + cipher.final('hex');
    console.log(name, length, sealed, isSealed ? cipher.getAuthTag().toString('hex') : '');
    const back = crypto.createDecipheriv(name, key(keyLength), ivLength ? key(ivLength) : null);
    if (isSealed) back.setAAD(Buffer.from('more data')).setAuthTag(cipher.getAuthTag());
    const plain = sealed.match(/.{1,6}/g)?.map((part) => back.update(part, 'hex', 'utf8')).join('') ?? '';
    console.log(plain + back.final('utf8') === text.slice(0, length));
  }
}
for (const length of [1, 8, 13, 16, 60]) {
  const cipher = crypto.createCipheriv('aes-128-gcm', key(16), key(length));
  console.log(length, cipher.update(text, 'utf8', 'base64') + cipher.final('base64'), cipher.getAuthTag());
}
const both = (name, options) => [crypto.createCipheriv, crypto.createDecipheriv].map((make) =>
  make(name, key(16), key(16), options));
for (const name of ['aes-128-cbc', 'aes-128-ctr', 'aes-128-gcm']) {
  for (const at of [0, 1]) {
    const make = (options) => both(name, options)[at];
    const steps = {
      final: (cipher) => cipher.final('hex'),
      short: (cipher) => cipher.update('x', 'utf8', 'hex') + cipher.final('hex'),
      bare: (cipher) => cipher.setAutoPadding(false).update('x', 'utf8', 'hex') + cipher.final('hex'),
      whole: (cipher) => cipher.setAutoPadding(false).update('x'.repeat(16), 'utf8', 'hex') + cipher.final('hex'),
      wrong: (cipher) => cipher.update('x'.repeat(32), 'utf8', 'hex') + cipher.final('hex'),
      twice: (cipher) => {
        try {
          cipher.final();
        } catch {
          // As it should.
        }
        return cipher.final();
      },
      late: (cipher) => {
        try {
          cipher.final();
        } catch {
          // As it should.
        }
        return cipher.update('x');
      },
      latePadding: (cipher) => {
        try {
          cipher.final();
        } catch {
          // As it should.
        }
        return cipher.setAutoPadding();
      },
      aad: (cipher) => cipher.setAAD(Buffer.from('a')) === cipher,
      lateAad: (cipher) => {
        cipher.update('x');
        return cipher.setAAD(Buffer.from('a')) === cipher;
      },
      data: (cipher) => cipher.update(1),
      encoding: (cipher) => cipher.update('x', 'utf8', 'hex') + cipher.update('x', 'utf8', 'base64'),
      unknown: (cipher) => cipher.update('x', 'utf8', 'none'),
      odd: (cipher) => cipher.update('abc', 'hex'),
      buffers: (cipher) => [cipher.update(new Uint16Array([1, 2])), cipher.update(new DataView(new ArrayBuffer(30)))],
    };
    for (const step of Object.keys(steps)) show(`${name} ${at} ${step}`, () => steps[step](make()));
    for (const authTagLength of [0, 3, 4, 5, 8, 12, 16, 17, -1, '16', 1.5]) {
      show(`${name} ${at} tag ${authTagLength}`, () => typeof make({ authTagLength }));
    }
  }
}
for (const length of [0, 3, 4, 5, 8, 11, 12, 15, 16, 17]) {
  show(`tag of ${length}`, () => typeof both('aes-128-gcm')[1].setAuthTag(key(length)));
  show(`tag of ${length} for 16`, () => typeof both('aes-128-gcm', { authTagLength: 16 })[1].setAuthTag(key(length)));
}
show('no tag yet', () => both('aes-128-gcm')[0].getAuthTag());
show('no tag at all', () => both('aes-128-cbc')[0].getAuthTag());
show('tag twice', () => both('aes-128-gcm')[1].setAuthTag(key(16)).setAuthTag(key(16)));
show('no cipher', () => crypto.createCipheriv('none', key(16), key(16)));
for (const value of [undefined, null, 1, '', 'x', key(15), key(16), key(32), new ArrayBuffer(16)]) {
  for (const name of ['aes-128-ecb', 'aes-128-cbc', 'aes-128-gcm', 'chacha20-poly1305']) {
    show(`${name} key`, () => typeof crypto.createCipheriv(name, value, key(16)));
    show(`${name} iv`, () => typeof crypto.createCipheriv(name, key(16), value));
  }
  show('name', () => crypto.createDecipheriv(value, key(16), key(16)));
}
console.log(both('aes-128-cbc'));
for (const [at, stream] of both('aes-128-cbc').entries()) {
  stream.on('data', (data) => console.log(at, 'data', data.toString('hex')));
  stream.on('end', () => console.log(at, 'end'));
  stream.on('error', (error) => console.log(at, 'error', error.message));
  stream.write('some ');
  stream.end('text');
}
// Last: it leaves errors in OpenSSL's queue, which Node would show with the next one.
setImmediate(() => {
  for (const name of [...names, 'chacha20-poly1305', 'AES128', 'id-aes256-GCM', 'aes-128', 'none']) {
    show(name, () => crypto.getCipherInfo(name));
    for (const options of [{ keyLength: 16 }, { ivLength: 12 }, { ivLength: 0 }]) {
      show(name, () => JSON.stringify(crypto.getCipherInfo(name, options)));
    }
  }
});
