'use strict';

// Text as `inspect` prints it: quotes and escapes, and numbers with separators. Also the width of a string on a terminal.

const lone = '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]';
const escaped = new RegExp(`[\\x00-\\x1f\\x27\\x5c\\x7f-\\x9f]|${lone}`);
const escapedAll = new RegExp(escaped.source, 'g');
const escapedNoQuote = new RegExp(`[\\x00-\\x1f\\x5c\\x7f-\\x9f]|${lone}`);
const escapedNoQuoteAll = new RegExp(escapedNoQuote.source, 'g');
const shortEscapes = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 39: "\\'", 92: '\\\\' };

function escape(char) {
  const code = char.charCodeAt(0);
  return shortEscapes[code] ??
    (code < 160 ? `\\x${code.toString(16).toUpperCase().padStart(2, '0')}` : `\\u${code.toString(16)}`);
}

// Encloses text in single quotes; if it contains single quotes, in double quotes or backticks if these need no escapes
// (`lib/internal/util/inspect.js: strEscape`).
function quote(text) {
  let mark = "'";
  if (text.includes("'")) {
    if (!text.includes('"')) mark = '"';
    else if (!text.includes('`') && !text.includes('${')) mark = '`';
  }
  if (mark === "'") {
    if (escaped.test(text)) text = text.replace(escapedAll, escape);
  } else if (escapedNoQuote.test(text)) {
    text = text.replace(escapedNoQuoteAll, escape);
  }
  return mark + text + mark;
}

function separateThousands(digits) {
  return require('internal/errors/messages').addNumericalSeparator(digits);
}

function numberText(number, separate) {
  if (!separate) return Object.is(number, -0) ? '-0' : `${number}`;
  const text = String(number);
  if (!Number.isFinite(number) || text.includes('e')) return text;
  const [whole, fraction] = text.split('.');
  if (fraction === undefined) return separateThousands(whole);
  return `${separateThousands(whole)}.${fraction.replace(/\d{3}(?=\d)/g, '$&_')}`;
}

function bigintText(bigint, separate) {
  return `${separate ? separateThousands(String(bigint)) : bigint}n`;
}

const ansi = new RegExp(
  '[\\u001B\\u009B][[\\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\\d\\/\\#&.:=?%@~_]+)*' +
  '|[a-zA-Z\\d]+(?:;[-a-zA-Z\\d\\/\\#&.:=?%@~_]*)*)?(?:\\u0007|\\u001B\\u005C|\\u009C))' +
  '|(?:(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PR-TZcf-nq-uy=><~]))', 'g');

function stripVTControlCharacters(str) {
  require('internal/validators').validateString(str, 'str');
  return str.replace(ansi, '');
}

const withoutColors = (text) => text.replace(/\u001b\[\d\d?m/g, '');

function isZeroWidthCodePoint(code) {
  return code <= 0x1f || (code >= 0x7f && code <= 0x9f) || (code >= 0x300 && code <= 0x36f) ||
    (code >= 0x200b && code <= 0x200f) || (code >= 0x20d0 && code <= 0x20ff) ||
    (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xfe20 && code <= 0xfe2f) ||
    (code >= 0xe0100 && code <= 0xe01ef);
}

// Ranges of code points (first, last) that take two columns: East Asian wide and fullwidth characters, and emoji.
const wideRanges = [
  0x1100, 0x115f, 0x231a, 0x231b, 0x2329, 0x232a, 0x23e9, 0x23ec, 0x23f0, 0x23f0, 0x23f3, 0x23f3, 0x25fd, 0x25fe,
  0x2614, 0x2615, 0x2648, 0x2653, 0x267f, 0x267f, 0x2693, 0x2693, 0x26a1, 0x26a1, 0x26aa, 0x26ab, 0x26bd, 0x26be,
  0x26c4, 0x26c5, 0x26ce, 0x26ce, 0x26d4, 0x26d4, 0x26ea, 0x26ea, 0x26f2, 0x26f3, 0x26f5, 0x26f5, 0x26fa, 0x26fa,
  0x26fd, 0x26fd, 0x2705, 0x2705, 0x270a, 0x270b, 0x2728, 0x2728, 0x274c, 0x274c, 0x274e, 0x274e, 0x2753, 0x2755,
  0x2757, 0x2757, 0x2795, 0x2797, 0x27b0, 0x27b0, 0x27bf, 0x27bf, 0x2b1b, 0x2b1c, 0x2b50, 0x2b50, 0x2b55, 0x2b55,
  0x2e80, 0x303e, 0x3041, 0x3247, 0x3250, 0x4dbf, 0x4e00, 0xa4c6, 0xa960, 0xa97c, 0xac00, 0xd7a3, 0xf900, 0xfaff,
  0xfe10, 0xfe19, 0xfe30, 0xfe6b, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x18aff, 0x1b000, 0x1b2ff,
  0x1f004, 0x1f004, 0x1f0cf, 0x1f0cf, 0x1f18e, 0x1f18e, 0x1f191, 0x1f19a, 0x1f200, 0x1f320, 0x1f32d, 0x1f335,
  0x1f337, 0x1f37c, 0x1f37e, 0x1f393, 0x1f3a0, 0x1f3ca, 0x1f3cf, 0x1f3d3, 0x1f3e0, 0x1f3f0, 0x1f3f4, 0x1f3f4,
  0x1f3f8, 0x1f43e, 0x1f440, 0x1f440, 0x1f442, 0x1f4fc, 0x1f4ff, 0x1f53d, 0x1f54b, 0x1f54e, 0x1f550, 0x1f567,
  0x1f57a, 0x1f57a, 0x1f595, 0x1f596, 0x1f5a4, 0x1f5a4, 0x1f5fb, 0x1f64f, 0x1f680, 0x1f6c5, 0x1f6cc, 0x1f6cc,
  0x1f6d0, 0x1f6d2, 0x1f6d5, 0x1f6d7, 0x1f6dc, 0x1f6df, 0x1f6eb, 0x1f6ec, 0x1f6f4, 0x1f6fc, 0x1f7e0, 0x1f7f0,
  0x1f90c, 0x1f93a, 0x1f93c, 0x1f945, 0x1f947, 0x1f9ff, 0x1fa70, 0x1faff, 0x20000, 0x3fffd,
];

function isWide(code) {
  if (code < 0x1100) return false;
  for (let at = 0; at < wideRanges.length && wideRanges[at] <= code; at += 2) {
    if (code <= wideRanges[at + 1]) return true;
  }
  return false;
}

// The number of terminal columns that a string takes (`lib/internal/util/inspect.js: getStringWidth`).
function getStringWidth(text, removeControlChars = true) {
  if (removeControlChars) text = text.replace(ansi, '');
  // Fast path for printable ASCII.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text.normalize('NFC')) {
    const code = char.codePointAt(0);
    if (isWide(code)) width += 2;
    else if (!isZeroWidthCodePoint(code)) width++;
  }
  return width;
}

const plural = (count, word) => `${count} ${word}${count > 1 ? 's' : ''}`;
const moreItems = (count) => `... more item${count > 1 ? 's' : ''}`.replace('...', `... ${count}`);

module.exports = {
  bigintText,
  escape,
  escapedAll,
  getStringWidth,
  isZeroWidthCodePoint,
  moreItems,
  numberText,
  plural,
  quote,
  stripVTControlCharacters,
  withoutColors,
};
