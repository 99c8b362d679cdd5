'use strict';
// The module `punycode` (RFC 3492) and its domain name functions. Deprecated, as in Node.

const process = require('process');
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const MAX_INT = 2147483647;

function rangeError(kind) {
  throw new RangeError({
    'overflow': 'Overflow: input needs wider integers to process',
    'not-basic': 'Illegal input >= 0x80 (not a basic code point)',
    'invalid-input': 'Invalid input',
  }[kind]);
}

// Maps each label of a domain name, or of the part after the @ of an email address.
function mapDomain(domain, map) {
  const at = domain.split('@');
  const prefix = at.length > 1 ? `${at[0]}@` : '';
  if (at.length > 1) domain = at[1];
  return prefix + domain.replace(/[\x2E\u3002\uFF0E\uFF61]/g, '.').split('.').map(map).join('.');
}

function ucs2decode(string) {
  const points = [];
  for (let i = 0; i < string.length; i++) {
    const point = string.codePointAt(i);
    if (point > 0xFFFF) i++;
    points.push(point);
  }
  return points;
}

const ucs2encode = (points) => String.fromCodePoint(...points);

function digitOf(code) {
  if (code >= 0x30 && code < 0x3A) return 26 + (code - 0x30);
  if (code >= 0x41 && code < 0x5B) return code - 0x41;
  if (code >= 0x61 && code < 0x7B) return code - 0x61;
  return BASE;
}

const charOf = (digit) => String.fromCharCode(digit < 26 ? digit + 97 : digit + 22);

function adapt(delta, points, first) {
  delta = first ? Math.floor(delta / 700) : delta >> 1;
  delta += Math.floor(delta / points);
  let k = 0;
  for (; delta > (BASE - T_MIN) * T_MAX >> 1; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
  return Math.floor(k + (BASE - T_MIN + 1) * delta / (delta + 38));
}

const threshold = (k, bias) => (k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias);

function decode(input) {
  const output = [];
  let basic = input.lastIndexOf('-');
  if (basic < 0) basic = 0;
  for (let j = 0; j < basic; j++) {
    if (input.charCodeAt(j) >= 0x80) rangeError('not-basic');
    output.push(input.charCodeAt(j));
  }
  let n = 128;
  let i = 0;
  let bias = 72;
  for (let index = basic > 0 ? basic + 1 : 0; index < input.length;) {
    const before = i;
    for (let w = 1, k = BASE; ; k += BASE) {
      if (index >= input.length) rangeError('invalid-input');
      const digit = digitOf(input.charCodeAt(index++));
      if (digit >= BASE) rangeError('invalid-input');
      if (digit > Math.floor((MAX_INT - i) / w)) rangeError('overflow');
      i += digit * w;
      const t = threshold(k, bias);
      if (digit < t) break;
      if (w > Math.floor(MAX_INT / (BASE - t))) rangeError('overflow');
      w *= BASE - t;
    }
    const length = output.length + 1;
    bias = adapt(i - before, length, before === 0);
    if (Math.floor(i / length) > MAX_INT - n) rangeError('overflow');
    n += Math.floor(i / length);
    i %= length;
    output.splice(i++, 0, n);
  }
  return String.fromCodePoint(...output);
}

function encode(input) {
  const points = ucs2decode(input);
  let output = points.filter((point) => point < 0x80).map((point) => String.fromCharCode(point)).join('');
  const basic = output.length;
  let handled = basic;
  if (basic) output += '-';
  let n = 128;
  let delta = 0;
  let bias = 72;
  while (handled < points.length) {
    let next = MAX_INT;
    for (const point of points) if (point >= n && point < next) next = point;
    if (next - n > Math.floor((MAX_INT - delta) / (handled + 1))) rangeError('overflow');
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of points) {
      if (point < n && ++delta > MAX_INT) rangeError('overflow');
      if (point !== n) continue;
      let q = delta;
      for (let k = BASE; ; k += BASE) {
        const t = threshold(k, bias);
        if (q < t) break;
        output += charOf(t + (q - t) % (BASE - t));
        q = Math.floor((q - t) / (BASE - t));
      }
      output += charOf(q);
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return output;
}

const toUnicode = (input) => mapDomain(input, (label) => (
  /^xn--/.test(label) ? decode(label.slice(4).toLowerCase()) : label));

const toASCII = (input) => mapDomain(input, (label) => (/[^\0-\x7F]/.test(label) ? `xn--${encode(label)}` : label));

module.exports = {
  version: '2.1.0',
  ucs2: { decode: ucs2decode, encode: ucs2encode },
  decode,
  encode,
  toASCII,
  toUnicode,
};

if (!require('internal/util/packages').isCalledByPackage()) {
  process.emitWarning(
    'The `punycode` module is deprecated. Please use a userland alternative instead.', 'DeprecationWarning', 'DEP0040');
}
