'use strict';
// StringDecoder, TextEncoder and TextDecoder in pieces; querystring; punycode.
const { StringDecoder } = require('string_decoder');
let seed = 99;
const random = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % n; };
const show = (text) => JSON.stringify(text)?.replace(/[\u007f-\uffff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
const attempt = (run) => { try { return show(run()); } catch (e) { return `${e.name} ${e.code} ${e.message}`; } };
function bytes(length) {
  const made = Buffer.alloc(length);
  const kind = random(3);
  const some = [0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0x61, 0xc3, 0xa9, 0xff, 0xef, 0xbb, 0xbf, 0xd8, 0x3d, 0xdc];
  for (let i = 0; i < length; i++) made[i] = kind === 0 ? random(256) : some[(kind === 2 ? i + kind : 0) % some.length + (kind === 1 ? random(some.length) : 0)];
  return made;
}
let digest = 0;
let count = 0;
function out(line, always) {
  for (let i = 0; i < line.length; i++) digest = (Math.imul(digest, 31) + line.charCodeAt(i)) | 0;
  if (always || count++ % 8 === 0) console.log(line);
}
for (let round = 0; round < 300; round++) {
  const encoding = ['utf8', 'utf16le', 'base64', 'base64url', 'hex', 'latin1', 'ascii'][random(7)];
  const decoder = new StringDecoder(encoding);
  let line = encoding;
  for (let k = random(5); k >= 0; k--) {
    const b = bytes(random(6));
    line += ` ${b.toString('hex')}:${show(decoder.write(b))}[${decoder.lastNeed},${decoder.lastTotal}]`;
  }
  out(`${line} ${show(decoder.end(random(2) ? bytes(random(3)) : undefined))}`);
}
out(attempt(() => new StringDecoder('nope')), true); out(attempt(() => new StringDecoder('UCS-2').encoding), true); out(attempt(() => new StringDecoder().write(5)), true); out(attempt(() => new StringDecoder().write('str')), true); out(attempt(() => new StringDecoder(null).encoding), true);

const labels = ['utf8', 'UTF-8', ' utf-8 ', 'unicode-1-1-utf-8', 'latin1', 'ascii', 'us-ascii', 'iso-8859-1', 'windows-1252', 'utf-16', 'utf-16le', 'utf-16be', 'ucs-2', 'iso-8859-2', 'iso-8859-8-i', 'logical', 'koi8-r', 'koi8-u', 'macintosh',
  'windows-1251', 'x-mac-cyrillic', 'gbk', 'gb2312', 'gb18030', 'big5', 'euc-jp', 'iso-2022-jp', 'shift_jis', 'sjis', 'euc-kr', 'nope', '', 'utf-7', 'utf-32', 'windows-874'];
for (const label of labels) out(`${label} ${attempt(() => new TextDecoder(label).encoding)}`, true);
for (let round = 0; round < 400; round++) {
  const label = ['utf-8', 'utf-8', 'utf-16le', 'utf-16be', 'shift_jis', 'gbk', 'euc-kr', 'windows-1251', 'big5'][random(round < 250 ? 4 : 1)];
  const options = { fatal: random(4) === 0, ignoreBOM: random(2) === 0 };
  const decoder = new TextDecoder(label, options);
  let line = `${label} ${options.fatal} ${options.ignoreBOM}`;
  for (let k = random(4); k >= 0; k--) {
    const b = bytes(random(6));
    const stream = random(3) > 0;
    line += ` ${b.toString('hex')}:${stream}:${attempt(() => decoder.decode(b, { stream }))}`;
  }
  out(line);
}
const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
for (const label of ['windows-1252', 'iso-8859-2', 'koi8-r', 'windows-1251', 'macintosh', 'iso-8859-7', 'windows-1257']) out(`${label} ${show(new TextDecoder(label).decode(every))}`, true);
for (const [label, hex] of [['shift_jis', '93fa967b8cea'], ['euc-jp', 'c6fccbdcb8ec'], ['gbk', 'd6d0b9fa'], ['gb18030', '8130813084318230'], ['big5', 'a4a4a4e5'], ['euc-kr', 'c7d1b1db'], ['iso-2022-jp', '1b24424b2d1b2842']]) out(`${label} ${show(new TextDecoder(label).decode(Buffer.from(hex, 'hex')))}`, true);
const d = (...args) => attempt(() => new TextDecoder().decode(...args));
out([d(), d(undefined), d(null), d('x'), d(new ArrayBuffer(2)), d(new DataView(new ArrayBuffer(1))), d(new Uint16Array([0x4142])), d(new Uint8Array(1), 5), d(new Uint8Array(1), null)].join(' | '), true);
out(attempt(() => new TextDecoder('utf-8', 5)), true); out(attempt(() => new TextDecoder('utf-8', null).fatal), true);
out(attempt(() => Object.prototype.toString.call(new TextDecoder()) + Object.prototype.toString.call(new TextEncoder())), true); out(attempt(() => TextDecoder.prototype.decode.call({})), true);
const e = new TextEncoder();
out([e.encoding, attempt(() => Array.from(e.encode('aé€😀\ud800'))), attempt(() => Array.from(e.encode())), attempt(() => Array.from(e.encode(null))), attempt(() => e.encode(undefined).length)].join(' '), true);
for (let size = 0; size < 12; size++) { const b = new Uint8Array(size); out(attempt(() => e.encodeInto('aé€😀\ud800b', b)) + Buffer.from(b).toString('hex'), true); }
out(attempt(() => e.encodeInto(5, new Uint8Array(1))), true); out(attempt(() => e.encodeInto('a', [])), true); out(attempt(() => e.encodeInto('a')), true);

const qs = require('querystring');
for (const q of ['', 'a', 'a=1', 'a=1&a=2&a=3', 'a=1&b', '&&a=1&&', '=', '=x', 'a==b', 'a=b=c', 'a+b=c+d', 'a%20b=%41', 'a=%', 'a=%zz', 'a=%e4%bd', '%E4%BD%A0=1', 'a=%ff', '__proto__=1', 'hasOwnProperty=2&toString=3', 'a[]=1&a[]=2', 'a=1;b=2', 'a=%2B+%2b', 'a&a&a', 'x=%u0041', '%=%', 'a=1&', '+=+', 'a=%2', 'a=%C3%A9%', 'a%=b'])
  out(`${show(q)} ${show(qs.parse(q))} ${show(qs.parse(q, ';', ':'))} ${show(qs.parse(q, null, null, { maxKeys: 2 }))} ${show(qs.parse(q, '&', '=', { decodeURIComponent: (s) => `<${s}>` }))}`, true);
out(Object.keys(qs.parse(Array.from({ length: 1100 }, (_, i) => `k${i}=1`).join('&'))).length + ' ' + Object.keys(qs.parse(Array.from({ length: 1100 }, (_, i) => `k${i}=1`).join('&'), null, null, { maxKeys: 0 })).length, true);
for (const o of [{}, { a: 1 }, { a: [1, 2], b: 'x y' }, { a: null, b: undefined, c: true, d: NaN, e: Infinity, f: 1n, g: {} }, { 'é&': '=+' }, { a: [] }, { a: "!~*'()-_.", b: '\u20ac😀' }, null, 5, 'x', [1, 2], { a: '\ud800' }, { a: [null, [1]] }])
  out(`${attempt(() => qs.stringify(o))} ${attempt(() => qs.stringify(o, ';', ':'))} ${attempt(() => qs.stringify(o, null, null, { encodeURIComponent: (s) => `<${s}>` }))}`, true);
out([qs.escape('a b&ü'), qs.escape(5), qs.escape({}), qs.unescape('a%20b%zz'), qs.unescape('%e4'), qs.unescapeBuffer('a%20%zz%').toString('hex'), qs.unescapeBuffer('%41%4').toString()].map(show).join(' '), true);

const puny = require('punycode');
for (const s of ['', 'abc', 'mañana', 'bücher', '☃', '他们为什么不说中文', 'ليهمابتكلموشعربي؟', 'a-b', '-', '\u{1f4a9}', 'ü-ß', 'A\ud800b']) out(`${attempt(() => puny.encode(s))} ${attempt(() => puny.decode(puny.encode(s)))} ${attempt(() => puny.toASCII(`x@${s}.example。com`))} ${attempt(() => puny.toUnicode(`xn--${puny.encode(s)}.com`))}`, true);
for (const s of ['maana-pta', 'ls8h', 'é', '!', '99999999', 'a-', 'Bcher-kva']) out(attempt(() => puny.decode(s)), true);
out(`${puny.version} ${puny.ucs2.decode('a😀\ud800')} ${puny.ucs2.encode([97, 0x1f600])}`, true);
console.log(digest);
