'use strict';
// Web IDL conversions for the Web Cryptography API: method arguments and JsonWebKey members.

const { codedError } = require('internal/crypto/arguments');
const known = require('internal/crypto/known');
const { copyBytes, isDictionary, mustBeNumeric, textOf } = require('internal/crypto/web_algorithms');

const formats = ['raw', 'pkcs8', 'spki', 'jwk'];
const allUsages = ['encrypt', 'decrypt', 'sign', 'verify', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey'];

const wrongAt = (where) => (words) => codedError('ERR_INVALID_ARG_TYPE', `${where} ${words}`, TypeError);

function listOf(value, where) {
  if (value === null || typeof value !== 'object' || typeof value[Symbol.iterator] !== 'function') {
    throw wrongAt(where)('can not be converted to sequence.');
  }
  return [...value];
}

// Converts a value to a Web IDL type. Error messages start with `where`, those for an invalid enum value with `whereWords`.
function converted(value, kind, where, whereWords = where) {
  const wrong = wrongAt(where);
  const outside = (words) => codedError('ERR_INVALID_ARG_VALUE', `${whereWords}${words}`, TypeError);
  switch (kind) {
    case 'bytes':
      return copyBytes(value, wrong);
    case 'key':
      if (!known.isCryptoKey(value)) throw wrong('is not of type CryptoKey.');
      return value;
    case 'format': {
      const format = String(value);
      if (!formats.includes(format)) throw outside(` value '${format}' is not a valid enum value of type KeyFormat.`);
      return format;
    }
    case 'usages': {
      const usages = listOf(value, where).map(String);
      const index = usages.findIndex((usage) => !allUsages.includes(usage));
      if (index >= 0) throw outside(`, index ${index} value '${usages[index]}' is not a valid enum value of type KeyUsage.`);
      return usages;
    }
    case 'boolean': return Boolean(value);
    case 'text': return textOf(value, wrong);
    case 'texts': return listOf(value, where).map((one, at) => textOf(one, wrongAt(`${where}, index ${at}`)));
    case 'length?': {
      if (value === null || value === undefined) return null;
      mustBeNumeric(value, wrong);
      return value >>> 0;
    }
    case 'algorithm':
      return isDictionary(value) ? value : textOf(value, wrong);
    default: return value;
  }
}

// Members of JsonWebKey and their types, in the order in which Web IDL reads them.
const members = { __proto__: null };
for (const name of ['alg', 'crv', 'd', 'dp', 'dq', 'e', 'ext', 'k', 'key_ops', 'kty', 'n', 'p', 'q', 'qi', 'use', 'x', 'y']) {
  members[name] = { ext: 'boolean', key_ops: 'texts' }[name] ?? 'text';
}

// Converts a JsonWebKey dictionary; unknown members are ignored.
function jsonWebKey(value, where, argument) {
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object') throw wrongAt(`${where} ${argument}`)('can not be converted to a dictionary');
  const jwk = {};
  for (const name of Object.keys(members)) {
    const given = value[name];
    if (given !== undefined) jwk[name] = converted(given, members[name], `${where} '${name}' of 'JsonWebKey' (${argument})`);
  }
  return jwk;
}

module.exports = { allUsages, converted, jsonWebKey };
