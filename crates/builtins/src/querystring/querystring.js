'use strict';
// The module `querystring`, Node's legacy query string API.

const { ERR_INVALID_URI } = require('internal/errors');

const QueryString = module.exports = {
  unescapeBuffer,
  unescape: qsUnescape,
  escape: qsEscape,
  stringify,
  encode: stringify,
  parse,
  decode: parse,
};

const hexPair = /^[0-9A-Fa-f]{2}$/;

// Percent-decodes to bytes. Invalid escapes are kept as they are.
function unescapeBuffer(s, decodeSpaces) {
  const { Buffer } = require('buffer');
  const { length } = s;
  const out = Buffer.allocUnsafe(length);
  // A value that is not a string is converted, as `lib/querystring.js: unescapeBuffer` does with each `charCodeAt`.
  s = String(s);
  let written = 0;
  for (let i = 0; i < length; i++) {
    let code = s.charCodeAt(i);
    if (code === 43 && decodeSpaces) {
      code = 32;
    } else if (code === 37 && i + 2 < length) {
      const digits = s.slice(i + 1, i + 3);
      if (hexPair.test(digits)) {
        code = parseInt(digits, 16);
        i += 2;
      }
    }
    out[written++] = code;
  }
  return written === length ? out : out.slice(0, written);
}

function qsUnescape(s, decodeSpaces) {
  try {
    return decodeURIComponent(s);
  } catch {
    return QueryString.unescapeBuffer(s, decodeSpaces).toString();
  }
}

function qsEscape(str) {
  if (typeof str !== 'string') str = typeof str === 'object' ? String(str) : `${str}`;
  try {
    return encodeURIComponent(str);
  } catch {
    return encodeURIComponent(str.replace(/[\uD800-\uDFFF]([^])?/g, paired));
  }
}

// A lone surrogate is combined with whatever code unit follows (`lib/internal/querystring.js: encodeStr`).
function paired(units, second) {
  if (second === undefined) throw new ERR_INVALID_URI();
  const [high, low] = [units.charCodeAt(0) & 0x3FF, second.charCodeAt(0) & 0x3FF];
  return String.fromCodePoint(0x10000 + (high << 10 | low));
}

function primitive(value) {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return `${value}`;
  if (typeof value === 'bigint' || typeof value === 'boolean') return `${value}`;
  return '';
}

function stringify(obj, sep, eq, options) {
  sep ||= '&';
  eq ||= '=';
  let encode = QueryString.escape;
  if (options && typeof options.encodeURIComponent === 'function') encode = options.encodeURIComponent;
  if (obj === null || typeof obj !== 'object') return '';
  const pairs = [];
  for (const key of Object.keys(obj)) {
    const value = obj[key];
    const head = encode(primitive(key)) + eq;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) pairs.push(head + encode(primitive(value[i])));
    } else {
      pairs.push(head + encode(primitive(value)));
    }
  }
  return pairs.join(sep);
}

function parse(qs, sep, eq, options) {
  const result = { __proto__: null };
  if (typeof qs !== 'string' || qs.length === 0) return result;
  sep = sep ? String(sep) : '&';
  eq = eq ? `${eq}` : '=';
  let maxKeys = 1000;
  if (options && typeof options.maxKeys === 'number') maxKeys = options.maxKeys;
  let decode = QueryString.unescape;
  if (options && typeof options.decodeURIComponent === 'function') decode = options.decodeURIComponent;
  const custom = decode !== qsUnescape;
  // `lib/querystring.js: parse` decrements the limit until it equals 0, so a fractional maxKeys never takes effect.
  const pieces = qs.split(sep, maxKeys > 0 && Number.isInteger(maxKeys) ? Math.min(maxKeys, 0xFFFFFFFF) : undefined);
  const read = (text) => {
    if (text.includes('+')) text = text.replaceAll('+', custom ? '%20' : ' ');
    if (text.length === 0 || !(custom || /%[0-9A-Fa-f]{2}/.test(text))) return text;
    try {
      return decode(text);
    } catch {
      return QueryString.unescape(text, true);
    }
  };
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    const at = piece.indexOf(eq);
    const key = read(at < 0 ? piece : piece.slice(0, at));
    const value = at < 0 ? '' : read(piece.slice(at + eq.length));
    const before = result[key];
    if (before === undefined) result[key] = value;
    else if (typeof before === 'string') result[key] = [before, value];
    else before[before.length] = value;
  }
  return result;
}
