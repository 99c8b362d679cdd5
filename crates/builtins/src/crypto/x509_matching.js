'use strict';
// `checkHost`, `checkEmail` and `checkIP` by OpenSSL's rules.

const { Buffer } = require('buffer');
const { ERR_INVALID_ARG_VALUE } = require('internal/errors');
const { codedError } = require('internal/crypto/arguments');
const { alternatives, stringOf } = require('internal/crypto/x509_fields');
const { isIP } = require('internal/net');
const { validateBoolean, validateObject, validateString } = require('internal/validators');

const kEmail = 0x81;
const kDns = 0x82;
const kAddress = 0x87;

const common = '2.5.4.3';
const mail = '1.2.840.113549.1.9.1';

function optionsOf(options) {
  if (options === undefined) options = {};
  validateObject(options, 'options');
  const {
    subject = 'default', wildcards = true, partialWildcards = true, multiLabelWildcards = false,
    singleLabelSubdomains = false,
  } = { ...options };
  validateString(subject, 'options.subject');
  validateBoolean(wildcards, 'options.wildcards');
  validateBoolean(partialWildcards, 'options.partialWildcards');
  validateBoolean(multiLabelWildcards, 'options.multiLabelWildcards');
  validateBoolean(singleLabelSubdomains, 'options.singleLabelSubdomains');
  if (subject !== 'default' && subject !== 'always' && subject !== 'never') {
    throw new ERR_INVALID_ARG_VALUE('options.subject', subject);
  }
  return { subject, wildcards, partialWildcards, multiLabelWildcards, singleLabelSubdomains };
}

// Converts only ASCII letters to lower case.
const lower = (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

// Returns the name in the certificate that matches. The subject is checked if the certificate has no alternative names of a checked type, or always,
// depending on the option `subject`.
function find(fields, kind, attribute, { subject }, isSame) {
  const others = alternatives(fields)?.filter(({ tag }) => tag === kEmail || tag === kDns || tag === kAddress) ?? [];
  for (const { tag, body } of others) {
    const text = body.latin1Slice();
    if (tag === kind && isSame(text)) return text;
  }
  if (subject === 'never' || (others.length > 0 && subject !== 'always')) return undefined;
  return fields.subject.flat().filter(({ oid }) => oid === attribute).map(stringOf).find((text) => isSame(text));
}

// Returns the index of the wildcard in a pattern, or -1 if there is no valid one. A wildcard must be in the first label, at its start or end, and at
// least two more labels must follow.
function starOf(pattern, partialWildcards) {
  const [first, ...rest] = pattern.split('.');
  const at = first.indexOf('*');
  if (at < 0 || pattern.indexOf('*', at + 1) >= 0 || /^xn--/i.test(first) || rest.length < 2) return -1;
  if (at > 0 && at < first.length - 1) return -1;
  if (!partialWildcards && first.length > 1) return -1;
  const isLabel = (label) => /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/.test(label);
  return rest.every(isLabel) && /^[A-Za-z0-9-]*$/.test(first.replace('*', '')) ? at : -1;
}

function matchesPattern(pattern, name, at, multiLabelWildcards) {
  const before = pattern.slice(0, at);
  const after = pattern.slice(at + 1);
  if (name.length < before.length + after.length || !name.startsWith(before) || !name.endsWith(after)) return false;
  const matched = name.slice(before.length, name.length - after.length);
  const isWhole = before === '' && after.startsWith('.');
  if (isWhole && matched === '') return false;
  if (!isWhole && name.startsWith('xn--')) return false;
  if (matched === '*') return true;
  return (isWhole && multiLabelWildcards ? /^[a-z0-9.-]*$/ : /^[a-z0-9-]*$/).test(matched);
}

function host(fields, name, options) {
  // A trailing NUL is ignored, as in OpenSSL.
  if (name.slice(0, -1).includes('\0')) throw codedError('ERR_INVALID_ARG_VALUE', 'Invalid name', TypeError);
  if (name === '') return undefined;
  const wanted = lower(name.replace(/\0$/, ''));
  return find(fields, kDns, common, options, (found) => {
    const pattern = lower(found);
    // A name that starts with a dot matches all subdomains.
    if (wanted.length > 1 && wanted.startsWith('.')) {
      if (!pattern.endsWith(wanted)) return false;
      return !options.singleLabelSubdomains || !pattern.slice(0, -wanted.length).includes('.');
    }
    if (pattern === wanted) return true;
    const at = options.wildcards ? starOf(pattern, options.partialWildcards) : -1;
    return at >= 0 && matchesPattern(pattern, wanted, at, options.multiLabelWildcards);
  });
}

// The local part is case-sensitive, the host is not.
function email(fields, address, options) {
  if (address.slice(0, -1).includes('\0')) throw codedError('ERR_INVALID_ARG_VALUE', 'Invalid name', TypeError);
  const spelled = (text) => {
    const at = text.lastIndexOf('@');
    return at < 0 ? text : text.slice(0, at) + lower(text.slice(at));
  };
  const wanted = spelled(address);
  if (address === '') return undefined;
  return find(fields, kEmail, mail, options, (found) => spelled(found) === wanted) === undefined ? undefined : address;
}

function bytesOf(ip) {
  if (isIP(ip) === 4) return Buffer.from(ip.split('.').map(Number));
  const [head, tail] = ip.replace(/\d+\.\d+\.\d+\.\d+$/, (dotted) => {
    const [a, b, c, d] = dotted.split('.').map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  }).split('::').map((part) => (part === '' ? [] : part.split(':')));
  const groups = tail === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  const bytes = Buffer.alloc(16);
  groups.forEach((group, at) => bytes.writeUInt16BE(Number(`0x${group}`), at * 2));
  return bytes;
}

function address(fields, ip) {
  if (isIP(ip) === 0 || ip.includes('%')) throw codedError('ERR_INVALID_ARG_VALUE', 'Invalid IP', TypeError);
  const wanted = bytesOf(ip);
  return alternatives(fields)?.some(({ tag, body }) => tag === kAddress && body.equals(wanted)) ? ip : undefined;
}

module.exports = { address, email, host, optionsOf };
