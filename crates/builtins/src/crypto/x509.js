'use strict';
// `X509Certificate`: fields, name checks and signature verification.

const { Buffer } = require('buffer');
const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } = require('internal/errors');
const { kClone, kDeserialize } = require('internal/clone_symbols');
const { opensslError } = require('internal/crypto/arguments');
const fieldsOf = require('internal/crypto/x509_fields');
const matching = require('internal/crypto/x509_matching');
const { isKeyObject } = require('internal/crypto/keys');
const { isArrayBufferView } = require('internal/util/types');
const { validateString } = require('internal/validators');

const kInspect = Symbol.for('nodejs.util.inspect.custom');

// ---- Parsing

const pemError = (number, reason) =>
  opensslError(number, 'PEM routines', reason, `ERR_OSSL_PEM_${reason.toUpperCase().replaceAll(' ', '_')}`);

// The DER bytes of the first certificate in a PEM text.
function fromPem(text) {
  const found = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----\r?\n([^]*?)-----END \1-----/.exec(text);
  if (found === null) {
    // OpenSSL reports a missing END line as an error of its own.
    const [, label] = /^-----BEGIN (.*)-----$/m.exec(text) ?? [];
    const isUnterminated = label !== undefined && !text.includes(`-----END ${label}-----`);
    throw isUnterminated ? pemError('04800066', 'bad end line') : pemError('0480006C', 'no start line');
  }
  const body = found[2].replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(body)) throw pemError('04800064', 'bad base64 decode');
  return Buffer.from(body, 'base64');
}

function read(input) {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  try {
    return fieldsOf.parse(Buffer.from(bytes));
  } catch (error) {
    if (!(error instanceof fieldsOf.Malformed)) throw error;
  }
  const inner = fromPem(bytes.latin1Slice());
  try {
    return fieldsOf.parse(inner);
  } catch (error) {
    if (!(error instanceof fieldsOf.Malformed)) throw error;
    throw opensslError('068000A8', 'asn1 encoding routines', 'wrong tag', 'ERR_OSSL_ASN1_WRONG_TAG');
  }
}

// ---- Signatures

const rsaHashes = { 4: 'md5', 5: 'sha1', 11: 'sha256', 12: 'sha384', 13: 'sha512', 14: 'sha224' };
const hashes = {
  '__proto__': null,
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
  '2.16.840.1.101.3.4.2.4': 'sha224',
};
// Key type and hash by signature OID.
const signatures = {
  '__proto__': null,
  '1.2.840.10045.4.1': ['ec', 'sha1'],
  '1.2.840.10045.4.3.1': ['ec', 'sha224'],
  '1.2.840.10045.4.3.2': ['ec', 'sha256'],
  '1.2.840.10045.4.3.3': ['ec', 'sha384'],
  '1.2.840.10045.4.3.4': ['ec', 'sha512'],
  '1.3.101.112': ['ed25519', null],
  '1.3.101.113': ['ed448', null],
};
for (const arc in rsaHashes) signatures[`1.2.840.113549.1.1.${arc}`] = ['rsa', rsaHashes[arc]];

// Reads hash and salt length of an RSA-PSS signature from its algorithm parameters.
function pssOf(parameters) {
  let hash = 'sha1';
  let saltLength = 20;
  for (const { tag, body } of parameters === undefined ? [] : fieldsOf.sequence(parameters)) {
    const value = fieldsOf.valueAt(body, 0);
    if (tag === 0xa0) hash = hashes[fieldsOf.algorithmOf(value).oid];
    else if (tag === 0xa2) saltLength = Number(`0x${value.body.toString('hex')}`);
  }
  const { RSA_PKCS1_PSS_PADDING: padding } = require('internal/crypto/constants');
  return hash === undefined || Number.isNaN(saltLength) ? undefined : { kinds: ['rsa', 'rsa-pss'], hash, options: { padding, saltLength } };
}

// The signature algorithm of a certificate; undefined if unknown.
function signatureOf({ algorithm: { oid, parameters } }) {
  if (oid === '1.2.840.113549.1.1.10') {
    try {
      return pssOf(parameters);
    } catch (error) {
      if (error instanceof fieldsOf.Malformed) return undefined;
      throw error;
    }
  }
  const [kind, hash] = signatures[oid] ?? [];
  return kind === undefined ? undefined : { kinds: [kind], hash, options: {} };
}

// ---- The class

function fingerprint(fields, algorithm) {
  const { hash } = require('internal/crypto/hash');
  return hash(algorithm, fields.raw, 'hex').toUpperCase().match(/../g).join(':');
}

// A WeakMap instead of a private field: the deserializer creates the object without the constructor and adds its data later.
const parsedFields = new WeakMap();
const isCertificate = (value) => typeof value === 'object' && value !== null && parsedFields.has(value);

class X509Certificate {
  constructor(buffer) {
    if (typeof buffer === 'string') buffer = Buffer.from(buffer);
    if (!isArrayBufferView(buffer)) {
      throw new ERR_INVALID_ARG_TYPE('buffer', ['string', 'Buffer', 'TypedArray', 'DataView'], buffer);
    }
    parsedFields.set(this, read(buffer));
  }

  [kInspect](depth, options) {
    if (depth < 0) return this;
    const names = [
      'subject', 'subjectAltName', 'issuer', 'infoAccess', 'validFrom', 'validTo', 'validFromDate', 'validToDate',
      'fingerprint', 'fingerprint256', 'fingerprint512', 'keyUsage', 'serialNumber',
    ];
    const shown = Object.fromEntries(names.map((name) => [name, this[name]]));
    const inner = { ...options, depth: options.depth == null ? null : options.depth - 1 };
    return `X509Certificate ${require('internal/util/inspect').inspect(shown, inner)}`;
  }

  [kClone]() {
    return { class: 'internal/crypto/x509:X509Certificate', data: { raw: this.raw } };
  }

  // An empty name is reported as undefined, as in Node.
  get subject() { return fieldsOf.nameText(parsedFields.get(this).subject) || undefined; }

  get subjectAltName() { return fieldsOf.alternativesText(parsedFields.get(this)); }

  get issuer() { return fieldsOf.nameText(parsedFields.get(this).issuer) || undefined; }

  // Only certificates of a TLS connection have an issuer certificate.
  get issuerCertificate() { return undefined; }

  get infoAccess() { return fieldsOf.accesses(parsedFields.get(this))?.join('\n'); }

  get validFrom() { return fieldsOf.timeText(parsedFields.get(this).from); }

  get validTo() { return fieldsOf.timeText(parsedFields.get(this).to); }

  get validFromDate() { return new Date(parsedFields.get(this).from ?? NaN); }

  get validToDate() { return new Date(parsedFields.get(this).to ?? NaN); }

  get fingerprint() { return fingerprint(parsedFields.get(this), 'sha1'); }

  get fingerprint256() { return fingerprint(parsedFields.get(this), 'sha256'); }

  get fingerprint512() { return fingerprint(parsedFields.get(this), 'sha512'); }

  get keyUsage() { return fieldsOf.extendedUsage(parsedFields.get(this)); }

  get serialNumber() { return fieldsOf.serialText(parsedFields.get(this).serial); }

  get raw() { return Buffer.from(parsedFields.get(this).raw); }

  get publicKey() {
    const fields = parsedFields.get(this);
    const { createPublicKey } = require('internal/crypto/encoding');
    try {
      return (fields.publicKey ??= createPublicKey({ key: fields.key, format: 'der', type: 'spki' }));
    } catch {
      throw opensslError('03000072', 'digital envelope routines', 'decode error', 'ERR_OSSL_EVP_DECODE_ERROR');
    }
  }

  toString() {
    const lines = parsedFields.get(this).raw.toString('base64').match(/.{1,64}/g).join('\n');
    return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  }

  toJSON() { return this.toString(); }

  get ca() {
    const { isAuthority, isSound } = fieldsOf.constraints(parsedFields.get(this));
    return isSound && isAuthority && fieldsOf.maySign(parsedFields.get(this)) !== false;
  }

  checkHost(name, options) {
    validateString(name, 'name');
    return matching.host(parsedFields.get(this), name, matching.optionsOf(options));
  }

  checkEmail(email, options) {
    validateString(email, 'email');
    return matching.email(parsedFields.get(this), email, matching.optionsOf(options));
  }

  checkIP(ip, options) {
    validateString(ip, 'ip');
    matching.optionsOf(options);
    return matching.address(parsedFields.get(this), ip);
  }

  checkIssued(otherCert) {
    if (!isCertificate(otherCert)) throw new ERR_INVALID_ARG_TYPE('otherCert', 'X509Certificate', otherCert);
    const issuer = parsedFields.get(otherCert);
    const own = parsedFields.get(this);
    if (fieldsOf.canonical(own.issuer) !== fieldsOf.canonical(issuer.subject)) return false;
    if (!fieldsOf.constraints(own).isSound || !fieldsOf.constraints(issuer).isSound) return false;
    const { key, serial, issuer: directory } = fieldsOf.authority(own) ?? {};
    const issuerKey = fieldsOf.subjectKey(issuer);
    if (key !== undefined && issuerKey !== undefined && !key.equals(issuerKey)) return false;
    if (serial !== undefined && !serial.equals(issuer.serial)) return false;
    if (directory !== undefined && fieldsOf.canonical(directory) !== fieldsOf.canonical(issuer.issuer)) return false;
    let kind;
    try {
      kind = otherCert.publicKey.asymmetricKeyType;
    } catch {
      return false;
    }
    return signatureOf(own)?.kinds.includes(kind) === true && fieldsOf.maySign(issuer) !== false;
  }

  checkPrivateKey(pkey) {
    if (!isKeyObject(pkey)) throw new ERR_INVALID_ARG_TYPE('pkey', 'KeyObject', pkey);
    if (pkey.type !== 'private') throw new ERR_INVALID_ARG_VALUE('pkey', pkey);
    return require('internal/crypto/encoding').createPublicKey(pkey).equals(this.publicKey);
  }

  verify(pkey) {
    if (!isKeyObject(pkey)) throw new ERR_INVALID_ARG_TYPE('pkey', 'KeyObject', pkey);
    if (pkey.type !== 'public') throw new ERR_INVALID_ARG_VALUE('pkey', pkey);
    const how = signatureOf(parsedFields.get(this));
    if (how === undefined || !how.kinds.includes(pkey.asymmetricKeyType)) return false;
    const { verify } = require('internal/crypto/sign');
    return verify(how.hash, parsedFields.get(this).signed, { key: pkey, ...how.options }, parsedFields.get(this).signature);
  }

  toLegacyObject() {
    const fields = parsedFields.get(this);
    const { subjectAltName } = this;
    const infoAccess = accessObject(fields);
    const usage = this.keyUsage;
    return {
      subject: fieldsOf.nameObject(fields.subject),
      issuer: fieldsOf.nameObject(fields.issuer),
      ...(subjectAltName !== undefined && { subjectaltname: subjectAltName }),
      ...(infoAccess !== undefined && { infoAccess }),
      ca: this.ca,
      ...keyObject(this, fields),
      valid_from: this.validFrom,
      valid_to: this.validTo,
      fingerprint: this.fingerprint,
      fingerprint256: this.fingerprint256,
      fingerprint512: this.fingerprint512,
      ...(usage !== undefined && { ext_key_usage: usage }),
      serialNumber: this.serialNumber,
      raw: this.raw,
    };
  }
}

Object.defineProperty(X509Certificate, kDeserialize, {
  __proto__: null,
  value: {
    shell: () => Object.create(X509Certificate.prototype),
    fill(certificate, { raw }) { parsedFields.set(certificate, read(raw)); },
  },
});

// ---- Legacy certificate object, as `getPeerCertificate()` of TLS sockets returns it

// Groups the entries of `infoAccess` (RFC 5280 section 4.2.2.1), such as "OCSP - URI:http://a.org", by the text before the first colon.
// A quoted value is a JSON string.
function accessObject(fields) {
  const lines = fieldsOf.accesses(fields);
  if (lines === undefined) return undefined;
  const object = { __proto__: null };
  for (const line of lines) {
    const at = line.indexOf(':');
    const key = line.slice(0, at);
    const value = line.slice(at + 1);
    (object[key] ??= []).push(value.startsWith('"') ? JSON.parse(value) : value);
  }
  return object;
}

const nistNames = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };
const curveBits = { prime256v1: 256, secp256k1: 256, secp384r1: 384, secp521r1: 521 };

function keyObject(certificate, fields) {
  let key;
  try {
    key = certificate.publicKey;
  } catch {
    return {};
  }
  const [, bits] = fieldsOf.sequence(fieldsOf.valueAt(fields.key, 0));
  if (key.asymmetricKeyType === 'rsa') {
    const [modulus, exponent] = fieldsOf.sequence(fieldsOf.valueAt(fieldsOf.bitsOf(bits), 0))
      .map(({ body }) => BigInt(`0x${body.toString('hex')}`).toString(16));
    return {
      modulus: modulus.toUpperCase(),
      bits: key.asymmetricKeyDetails.modulusLength,
      exponent: `0x${exponent}`,
      pubkey: Buffer.from(fields.key),
    };
  }
  if (key.asymmetricKeyType === 'ec') {
    const { namedCurve } = key.asymmetricKeyDetails;
    const nistCurve = nistNames[namedCurve];
    return {
      bits: curveBits[namedCurve],
      pubkey: Buffer.from(fieldsOf.bitsOf(bits)),
      asn1Curve: namedCurve,
      ...(nistCurve !== undefined && { nistCurve }),
    };
  }
  return {};
}

module.exports = { X509Certificate, isX509Certificate: isCertificate };
