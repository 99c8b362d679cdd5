'use strict';
// CCM and OCB: what they ask for, what they give, what they refuse; and keys wrapped by keys.
const crypto = require('crypto');

const hex = (buffer) => buffer.toString('hex');
function say(label, work) {
  try {
    console.log(label, work());
  } catch (error) {
    console.log(label, '!', error.name, error.code, error.message);
  }
}

const key = Buffer.alloc(16, 1);
const make = (verb) => (name, tag = 16, iv = 12) => crypto[verb](name, key, Buffer.alloc(iv, 2), { authTagLength: tag });
const [encrypt, decrypt] = [make('createCipheriv'), make('createDecipheriv')];

function roundTrip(name, length, aadLength, tagLength) {
  const cipher = encrypt(name, tagLength);
  if (aadLength >= 0) cipher.setAAD(Buffer.alloc(aadLength, 3), { plaintextLength: length });
  const data = [cipher.update(Buffer.alloc(length, 4)), cipher.final()];
  const tag = cipher.getAuthTag();
  const decipher = decrypt(name, tagLength);
  decipher.setAuthTag(tag);
  if (aadLength >= 0) decipher.setAAD(Buffer.alloc(aadLength, 3), { plaintextLength: length });
  const text = Buffer.concat([decipher.update(Buffer.concat(data)), decipher.final()]);
  return [...data.map(hex), hex(tag), text.equals(Buffer.alloc(length, 4))].join(' ');
}

for (const name of ['aes-128-ccm', 'aes-128-ocb']) {
  for (const iv of [0, 1, 6, 7, 13, 14, 15, 16]) say(`${name} iv ${iv}`, () => typeof encrypt(name, 16, iv));
  for (const tag of [0, 1, 2, 4, 5, 6, 15, 16, 17, 1.5, -1, '16', 2 ** 31]) say(`${name} tag ${tag}`, () => typeof encrypt(name, tag));
  say(`${name} no tag length`, () => crypto.createCipheriv(name, key, Buffer.alloc(12)));
  say(`${name} short key`, () => crypto.createCipheriv(name, Buffer.alloc(5), Buffer.alloc(12), { authTagLength: 16 }));
  for (const length of [0, 1, 16, 33]) {
    for (const aad of [-1, 0, 15, 16, 33]) for (const tag of [4, 16]) say(`${name} ${length} ${aad} ${tag}`, () => roundTrip(name, length, aad, tag));
  }
  say(`${name} long aad`, () => roundTrip(name, 4, 70000, 16));
  say(`${name} nothing`, () => {
    const cipher = encrypt(name);
    return hex(cipher.final()) + hex(cipher.getAuthTag());
  });
  say(`${name} two updates`, () => {
    const cipher = encrypt(name);
    return [cipher.update('abc'), cipher.update('def'), cipher.final()].map(hex);
  });
  say(`${name} aad twice`, () => {
    const cipher = encrypt(name);
    for (const length of [3, 4]) cipher.setAAD(Buffer.alloc(length), { plaintextLength: 3 });
    cipher.update('abc');
    cipher.final();
    return hex(cipher.getAuthTag());
  });
  say(`${name} aad without length`, () => typeof encrypt(name).setAAD(Buffer.alloc(3)));
  say(`${name} aad of another length`, () => hex(encrypt(name).setAAD(Buffer.alloc(3), { plaintextLength: 4 }).update('abc')));
  for (const plaintextLength of [-1, 1.5, '3', NaN, 65536, null]) {
    say(`${name} length ${plaintextLength}`, () => typeof encrypt(name, 16, 13).setAAD(Buffer.alloc(1), { plaintextLength }));
  }
  say(`${name} too long`, () => encrypt(name, 16, 13).update(Buffer.alloc(65536)).length);
  say(`${name} early tag`, () => encrypt(name).getAuthTag());
  say(`${name} after the end`, () => {
    const cipher = encrypt(name);
    cipher.final();
    say(`${name} aad`, () => cipher.setAAD(Buffer.alloc(1), { plaintextLength: 1 }));
    say(`${name} padding`, () => cipher.setAutoPadding());
    say(`${name} final`, () => cipher.final());
    return cipher.update('abc');
  });
  const made = encrypt(name);
  const sealed = Buffer.concat([made.update('abc'), made.final()]);
  const tag = made.getAuthTag();
  const open = (steps) => {
    const decipher = decrypt(name);
    const parts = steps(decipher, sealed, tag);
    console.log(name, parts.map(hex));
    return hex(decipher.final());
  };
  say(`${name} no tag`, () => open((decipher) => [decipher.update(sealed)]));
  say(`${name} tag after aad`, () => open((decipher) => [
    decipher.setAAD(Buffer.alloc(0), { plaintextLength: 3 }).setAuthTag(tag).update(sealed)]));
  say(`${name} tag after update`, () => open((decipher) => {
    const text = decipher.update(sealed);
    decipher.setAuthTag(tag);
    return [text];
  }));
  say(`${name} wrong tag`, () => open((decipher) => [decipher.setAuthTag(Buffer.alloc(16)).update(sealed)]));
  say(`${name} wrong data`, () => open((decipher) => [decipher.setAuthTag(tag).update(Buffer.alloc(3))]));
  say(`${name} two updates`, () => open((decipher) => [
    decipher.setAuthTag(tag).update(sealed.subarray(0, 1)), decipher.update(sealed.subarray(1))]));
  say(`${name} tag of another length`, () => decrypt(name).setAuthTag(Buffer.alloc(8)));
  say(`${name} tag twice`, () => decrypt(name).setAuthTag(tag).setAuthTag(tag));
}
{
  const cipher = encrypt('aes-128-ocb');
  console.log([5, 11, 16, 20, 1].map((length) => hex(cipher.update(Buffer.alloc(length, 7)))), hex(cipher.final()), hex(cipher.getAuthTag()));
}

for (const bits of [128, 192, 256]) {
  const wrapKey = Buffer.alloc(bits / 8, 5);
  for (const [name, iv] of [[`aes${bits}-wrap`, 8], [`id-aes${bits}-wrap-pad`, 4]]) {
    for (const length of [0, 1, 7, 8, 9, 16, 17, 35]) {
      const verb = (method, data) => crypto[method](name, wrapKey, Buffer.alloc(iv, 0xa6)).update(data);
      say(`${name} ${length}`, () => {
        const wrapped = verb('createCipheriv', Buffer.alloc(length, 9));
        return `${hex(wrapped)} ${hex(verb('createDecipheriv', wrapped))}`;
      });
      say(`${name} ${length} of nothing`, () => verb('createDecipheriv', Buffer.alloc(length, 9)));
    }
    say(`${name} vector`, () => crypto.createCipheriv(name, wrapKey, Buffer.alloc(5)));
  }
}
for (const length of [0, 7, 8, 24]) {
  const des = (method, data) => crypto[method]('des3-wrap', Buffer.alloc(24, 3), null).update(data);
  say(`des3-wrap ${length}`, () => hex(des('createDecipheriv', des('createCipheriv', Buffer.alloc(length, 9)))));
  say(`des3-wrap ${length} of nothing`, () => des('createDecipheriv', Buffer.alloc(length, 9)));
}
for (const name of ['aes-128-ccm', 'id-aes256-CCM', 'aes-192-ocb', 'aes128-wrap-pad', 'des3-wrap', 'chacha20', 903]) {
  console.log(name, crypto.getCipherInfo(name), crypto.getCipherInfo(name, { ivLength: 13 }), crypto.getCipherInfo(name, { ivLength: 16 }));
}
{
  const cipher = crypto.createCipheriv('chacha20', Buffer.alloc(32, 1), Buffer.from('feffff00000000000000000000000001', 'hex'));
  console.log(hex(cipher.update(Buffer.alloc(70))));
}
