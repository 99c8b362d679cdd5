'use strict';
// Parses X.509 certificates and formats their fields like OpenSSL and Node. No signature or date is verified here.

// ---- DER

// The class `Malformed` is thrown for malformed DER.
const { Buffer } = require('buffer');

class Malformed extends Error {}

// The value at an offset: tag, content and end.
function valueAt(bytes, at) {
  const tag = bytes[at];
  let length = bytes[at + 1];
  let start = at + 2;
  // Certificates have no multi-byte tags.
  if (length === undefined || (tag & 0x1f) === 0x1f) throw new Malformed();
  if (length >= 0x80) {
    const count = length & 0x7f;
    if (count === 0 || count > 4 || start + count > bytes.length) throw new Malformed();
    length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + bytes[start + i];
    start += count;
  }
  const next = start + length;
  if (next > bytes.length) throw new Malformed();
  return { tag, body: bytes.subarray(start, next), whole: bytes.subarray(at, next), next };
}

function valuesIn(bytes) {
  const values = [];
  for (let at = 0; at < bytes.length; at = values.at(-1).next) values.push(valueAt(bytes, at));
  return values;
}

function sequence(value) {
  if (value?.tag !== 0x30) throw new Malformed();
  return valuesIn(value.body);
}

function oidOf(value) {
  if (value?.tag !== 0x06) throw new Malformed();
  return oidText(value.body);
}

function oidText(bytes) {
  const parts = [];
  let part = 0n;
  for (const byte of bytes) {
    part = (part << 7n) | BigInt(byte & 0x7f);
    if (byte & 0x80) continue;
    if (parts.length === 0) {
      const first = part < 80n ? part / 40n : 2n;
      parts.push(first, part - first * 40n);
    } else {
      parts.push(part);
    }
    part = 0n;
  }
  return parts.join('.');
}

const algorithmOf = (value) => {
  const [oid, parameters] = sequence(value);
  return { oid: oidOf(oid), parameters };
};

function bitsOf(value) {
  if (value?.tag !== 0x03 || value.body.length === 0) throw new Malformed();
  return value.body.subarray(1);
}

function nameOf(value) {
  return sequence(value).map((set) => {
    if (set.tag !== 0x31) throw new Malformed();
    return valuesIn(set.body).map((pair) => {
      const [oid, text] = sequence(pair);
      if (text === undefined) throw new Malformed();
      return { oid: oidOf(oid), tag: text.tag, body: text.body, whole: text.whole };
    });
  });
}

function extensionsOf(value) {
  const found = new Map();
  for (const extension of sequence(valueAt(value.body, 0))) {
    const parts = sequence(extension);
    const content = parts.at(-1);
    if (content.tag !== 0x04) throw new Malformed();
    found.set(oidOf(parts[0]), content.body);
  }
  return found;
}

// Parses a certificate. The result includes its bytes, as `raw`.
function parse(bytes) {
  const whole = valueAt(bytes, 0);
  const [signed, algorithm, signature] = sequence(whole);
  const fields = sequence(signed);
  if (fields[0]?.tag === 0xa0) fields.shift();
  const [serial, , issuer, validity, subject, key, ...rest] = fields;
  if (serial?.tag !== 0x02) throw new Malformed();
  const [from, to] = sequence(validity);
  if (to === undefined) throw new Malformed();
  sequence(key);
  const extensions = rest.find(({ tag }) => tag === 0xa3);
  return {
    raw: whole.whole,
    signed: signed.whole,
    serial: serial.body,
    issuer: nameOf(issuer),
    subject: nameOf(subject),
    from: timeOf(from),
    to: timeOf(to),
    key: key.whole,
    extensions: extensions === undefined ? new Map() : extensionsOf(extensions),
    algorithm: algorithmOf(algorithm),
    signature: bitsOf(signature),
  };
}

// ---- Numbers and times

function serialText(body) {
  const isNegative = body.length > 0 && body[0] >= 0x80;
  let number = BigInt(`0x${body.toString('hex') || '0'}`);
  if (isNegative) number = (1n << BigInt(body.length * 8)) - number;
  const digits = number.toString(16).toUpperCase();
  return (isNegative ? '-' : '') + (number === 0n || digits.length % 2 === 0 ? digits : `0${digits}`);
}

function timeOf({ tag, body }) {
  const text = body.latin1Slice();
  const found = (tag === 0x17 ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/ :
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/).exec(text);
  if (found === null) return undefined;
  const [year, month, day, hours, minutes, seconds] = found.slice(1).map(Number);
  const date = new Date(0);
  // UTCTime: years 1950 to 2049 (RFC 5280 section 4.1.2.5.1).
  date.setUTCFullYear(tag === 0x17 ? year + (year < 50 ? 2000 : 1900) : year, month - 1, day);
  date.setUTCHours(hours, minutes, seconds);
  return date;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (number) => `${number}`.padStart(2, '0');

function timeText(date) {
  if (date === undefined) return 'Bad time value';
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':');
  return `${months[date.getUTCMonth()]} ${`${date.getUTCDate()}`.padStart(2)} ${clock} ${date.getUTCFullYear()} GMT`;
}

// ---- Names

const shortNames = {
  '__proto__': null,
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
  '0.9.2342.19200300.100.1.3': 'mail',
  '1.2.840.113549.1.9.1': 'emailAddress',
  '1.2.840.113549.1.9.2': 'unstructuredName',
  '1.2.840.113549.1.9.8': 'unstructuredAddress',
  '1.3.6.1.4.1.311.60.2.1.1': 'jurisdictionL',
  '1.3.6.1.4.1.311.60.2.1.2': 'jurisdictionST',
  '1.3.6.1.4.1.311.60.2.1.3': 'jurisdictionC',
};
const x500Names = {
  3: 'CN', 4: 'SN', 5: 'serialNumber', 6: 'C', 7: 'L', 8: 'ST', 9: 'street', 10: 'O', 11: 'OU', 12: 'title', 13: 'description',
  14: 'searchGuide', 15: 'businessCategory', 16: 'postalAddress', 17: 'postalCode', 18: 'postOfficeBox',
  19: 'physicalDeliveryOfficeName', 20: 'telephoneNumber', 41: 'name', 42: 'GN', 43: 'initials', 44: 'generationQualifier',
  45: 'x500UniqueIdentifier', 46: 'dnQualifier', 65: 'pseudonym', 72: 'role', 97: 'organizationIdentifier', 98: 'c3', 99: 'n3',
  100: 'dnsName',
};
for (const arc in x500Names) shortNames[`2.5.4.${arc}`] = x500Names[arc];

function stringOf({ tag, body }) {
  if (tag === 0x0c) return body.utf8Slice();
  // BMPString (UCS-2) and UniversalString (UCS-4), big-endian.
  if (tag === 0x1e) return Buffer.from(body.subarray(0, body.length & ~1)).swap16().ucs2Slice();
  if (tag === 0x1c) {
    let text = '';
    for (let at = 0; at + 4 <= body.length; at += 4) text += String.fromCodePoint(Math.min(body.readUInt32BE(at), 0x10ffff));
    return text;
  }
  return body.latin1Slice();
}

// Escapes as in RFC 2253, and control characters in hex.
function escaped(text) {
  return text.replace(/[,+"\\<>;]|^[ #]| $/g, '\\$&')
    .replace(/[\0-\x1f\x7f]/g, (character) => `\\${two(character.charCodeAt(0).toString(16).toUpperCase())}`);
}

const attribute = (part) => `${shortNames[part.oid] ?? part.oid}=${escaped(stringOf(part))}`;
const nameText = (name) => name.map((set) => set.map(attribute).join(' + ')).join('\n');

// A name on one line, last attribute first; unknown types are shown in hex.
function nameLine(name) {
  const shown = (part) => (part.oid in shortNames ? attribute(part) : `${part.oid}=#${part.whole.toString('hex').toUpperCase()}`);
  return name.toReversed().map((set) => set.map(shown).join('+')).join(',');
}

// Attributes by short name; repeated ones become a list.
function nameObject(name) {
  const object = { __proto__: null };
  for (const part of name.flat()) {
    const key = shortNames[part.oid] ?? part.oid;
    const value = stringOf(part);
    if (!(key in object)) object[key] = value;
    else if (Array.isArray(object[key])) object[key].push(value);
    else object[key] = [object[key], value];
  }
  return object;
}

// A form of a name for comparisons, which ignore case and surrounding white space.
function canonical(name) {
  return JSON.stringify(name.map((set) => set.map((part) => [part.oid, stringOf(part).trim().replace(/\s+/g, ' ')
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())])));
}

// ---- General names

// An ambiguous name is quoted as JSON with escaped commas, as in Node.
function altName(text, isUtf8, prefix = '') {
  const odd = isUtf8 ? /["\\,'\0-\x1f\x7f]/ : /["\\,'\0-\x1f\x7f-\uffff]/;
  if (!odd.test(text)) return prefix + text;
  const number = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const inner = text.replace(/["\\]/g, '\\$&').replace(isUtf8 ? /[,\0-\x1f\x7f]/g : /[,\0-\x1f\x7f-\uffff]/g, number);
  return `"${prefix}${inner}"`;
}

function addressText(body) {
  if (body.length === 4) return body.join('.');
  if (body.length !== 16) return '<invalid>';
  const groups = [];
  for (let at = 0; at < 16; at += 2) groups.push(body.readUInt16BE(at).toString(16).toUpperCase());
  return groups.join(':');
}

// Types of `otherName` whose value is text: prefix in the output, and string tag.
const otherNames = {
  '__proto__': null,
  '1.3.6.1.5.5.7.8.9': ['SmtpUTF8Mailbox:', 0x0c],
  '1.3.6.1.5.5.7.8.5': ['XmppAddr:', 0x0c],
  '1.3.6.1.5.5.7.8.7': ['SRVName:', 0x16],
  '1.3.6.1.4.1.311.20.2.3': ['UPN:', 0x0c],
  '1.3.6.1.5.5.7.8.8': ['NAIRealm:', 0x0c],
};

function otherNameText(body) {
  const [oid, wrapped] = valuesIn(body);
  const [prefix, tag] = otherNames[oidOf(oid)] ?? [];
  const value = wrapped === undefined ? undefined : valueAt(wrapped.body, 0);
  if (prefix === undefined || value?.tag !== tag) return 'othername:<unsupported>';
  return `othername:${altName(stringOf(value), tag === 0x0c, prefix)}`;
}

function generalName({ tag, body }) {
  switch (tag) {
    case 0xa0: return otherNameText(body);
    case 0x81: return `email:${altName(body.latin1Slice(), false)}`;
    case 0x82: return `DNS:${altName(body.latin1Slice(), false)}`;
    case 0xa3: return 'X400Name:<unsupported>';
    case 0xa4: return `DirName:${altName(nameLine(nameOf(valueAt(body, 0))), true)}`;
    case 0xa5: return 'EdiPartyName:<unsupported>';
    case 0x86: return `URI:${altName(body.latin1Slice(), false)}`;
    case 0x87: return `IP Address:${addressText(body)}`;
    case 0x88: return `Registered ID:${oidText(body)}`;
    default: throw new Malformed();
  }
}

// ---- Extensions

// Parses the content of an extension with `read`; undefined if the extension is absent or malformed.
function extension(fields, oid, read) {
  const bytes = fields.extensions.get(oid);
  if (bytes === undefined) return undefined;
  try {
    return read(valueAt(bytes, 0));
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

const alternatives = (fields) => extension(fields, '2.5.29.17', sequence);
const alternativesText = (fields) =>
  extension(fields, '2.5.29.17', (value) => sequence(value).map(generalName).join(', '));

const accessMethods = { '__proto__': null, '1.3.6.1.5.5.7.48.1': 'OCSP', '1.3.6.1.5.5.7.48.2': 'CA Issuers',
  '1.3.6.1.5.5.7.48.3': 'AD Time Stamping', '1.3.6.1.5.5.7.48.5': 'CA Repository' };

// The authority information access descriptions, as "method - name".
const accesses = (fields) => extension(fields, '1.3.6.1.5.5.7.1.1', (value) => sequence(value).map((one) => {
  const [method, name] = sequence(one);
  const oid = oidOf(method);
  if (name === undefined) throw new Malformed();
  return `${accessMethods[oid] ?? oid} - ${generalName(name)}`;
}));

const extendedUsage = (fields) => extension(fields, '2.5.29.37', (value) => sequence(value).map(oidOf));

// The keyCertSign bit of the key usage extension; undefined if there is no such extension.
const maySign = (fields) => extension(fields, '2.5.29.15', (value) => (bitsOf(value)[0] & 4) !== 0);

const subjectKey = (fields) => extension(fields, '2.5.29.14', ({ tag, body }) => (tag === 0x04 ? body : undefined));

// Authority key identifier: key id, serial number and issuer, each optional.
const authority = (fields) => extension(fields, '2.5.29.35', (value) => {
  const parts = sequence(value);
  const directory = parts.find(({ tag }) => tag === 0xa1);
  const name = directory && valuesIn(directory.body).find(({ tag }) => tag === 0xa4);
  return {
    key: parts.find(({ tag }) => tag === 0x80)?.body,
    serial: parts.find(({ tag }) => tag === 0x82)?.body,
    issuer: name && nameOf(valueAt(name.body, 0)),
  };
});

// The basic constraints. `isSound` is false for a negative path length, which is invalid.
function constraints(fields) {
  if (!fields.extensions.has('2.5.29.19')) return { isAuthority: false, isSound: true };
  const found = extension(fields, '2.5.29.19', (value) => {
    const parts = sequence(value);
    const length = parts.find(({ tag }) => tag === 0x02);
    return {
      isAuthority: parts[0]?.tag === 0x01 && parts[0].body[0] !== 0,
      isSound: length === undefined || length.body[0] < 0x80,
    };
  });
  return found ?? { isAuthority: false, isSound: false };
}

module.exports = {
  Malformed, accesses, algorithmOf, alternatives, alternativesText, authority, bitsOf, canonical, constraints, extendedUsage,
  maySign, nameObject, nameText, parse, sequence, serialText, stringOf, subjectKey, timeText, valueAt,
};
