'use strict';
// Keys that are read as something else than they are: structures under other names, in other lines, cut off, empty.
const crypto = require('crypto');

// The stack of an error names every try of OpenSSL's decoders; only that of one step is compared.
function say(label, work) {
  try {
    const key = work();
    console.log(label, key.type, key.asymmetricKeyType);
  } catch (error) {
    const { opensslErrorStack: stack, ...rest } = error;
    console.log(label, '!', error.name, error.message, rest, stack?.length === 1 ? stack : '');
  }
}

const rsa = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 });
const ec = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = crypto.generateKeyPairSync('ed25519');
const der = (key, type) => key.export({ format: 'der', type });
const samples = {
  'rsa pkcs1': der(rsa.privateKey, 'pkcs1'),
  'rsa pkcs8': der(rsa.privateKey, 'pkcs8'),
  'ec sec1': der(ec.privateKey, 'sec1'),
  'ec pkcs8': der(ec.privateKey, 'pkcs8'),
  'ed pkcs8': der(ed.privateKey, 'pkcs8'),
  'rsa spki': der(rsa.publicKey, 'spki'),
  'rsa public pkcs1': der(rsa.publicKey, 'pkcs1'),
  'ec spki': der(ec.publicKey, 'spki'),
};
for (const [name, key] of Object.entries(samples)) {
  for (const type of ['pkcs8', 'pkcs1', 'sec1', 'spki']) {
    say(`${name} as private ${type}`, () => crypto.createPrivateKey({ key, format: 'der', type }));
    say(`${name} as public ${type}`, () => crypto.createPublicKey({ key, format: 'der', type }));
  }
  say(`${name} cut`, () => crypto.createPrivateKey({ key: key.subarray(0, -5), format: 'der', type: 'pkcs8' }));
  say(`${name} cut, old`, () => crypto.createPrivateKey({ key: key.subarray(0, -5), format: 'der', type: 'pkcs1' }));
  const longer = Buffer.concat([key, Buffer.alloc(3)]);
  say(`${name} with more`, () => crypto.createPrivateKey({ key: longer, format: 'der', type: 'pkcs1' }));
}
for (const key of ['', 'garbage', '-----BEGIN']) {
  for (const type of ['pkcs8', 'pkcs1', 'sec1']) {
    say(`${JSON.stringify(key)} ${type}`, () => crypto.createPrivateKey({ key: Buffer.from(key), format: 'der', type }));
  }
  if (key !== '') say(`${JSON.stringify(key)} spki`, () => crypto.createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' }));
  say(`${JSON.stringify(key)} text`, () => crypto.createPrivateKey(key));
  say(`${JSON.stringify(key)} public text`, () => crypto.createPublicKey(key));
}

const lines = (bytes) => bytes.toString('base64').match(/.{1,64}/g).join('\n');
const text = (label, bytes) => `-----BEGIN ${label}-----\n${lines(bytes)}\n-----END ${label}-----\n`;
for (const [name, key] of Object.entries(samples)) {
  for (const label of ['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'PUBLIC KEY', 'CERTIFICATE', 'NONSENSE']) {
    say(`${name} under ${label}`, () => crypto.createPrivateKey(text(label, key)));
    say(`${name} under ${label}, public`, () => crypto.createPublicKey(text(label, key)));
  }
}
const whole = text('PRIVATE KEY', samples['rsa pkcs8']);
say('ends of lines of two letters', () => crypto.createPrivateKey(whole.replaceAll('\n', '\r\n')));
say('spaces at the ends', () => crypto.createPrivateKey(whole.replaceAll('\n', '  \n')));
say('words around', () => crypto.createPrivateKey(`before\n${whole}after`));
say('one line', () => crypto.createPrivateKey(whole.replaceAll('\n', '')));
say('one line with spaces', () => crypto.createPrivateKey(whole.replaceAll('\n', ' ')));
say('ends of lines as text', () => crypto.createPrivateKey(whole.replaceAll('\n', '\\n')));
say('no end', () => crypto.createPrivateKey(whole.slice(0, -30)));
say('no passphrase is not null', () => crypto.createPrivateKey({ key: whole, passphrase: null }));
say('nor for public keys', () => crypto.createPublicKey({ key: whole, passphrase: null }));

const certificate = (body) => `-----BEGIN CERTIFICATE-----\n${body}`;
say('a certificate without an end', () => new crypto.X509Certificate(certificate('AAAA\n')));
say('a key without an end', () => new crypto.X509Certificate(whole.slice(0, -30)));
say('a key', () => new crypto.X509Certificate(whole));
say('a certificate of no letters', () => new crypto.X509Certificate(certificate('!!!!\n-----END CERTIFICATE-----')));
