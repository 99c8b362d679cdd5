'use strict';
// Random bytes and texts through every encoding, over random ranges. The generator is fixed, so the output is.
let seed = 12345;
const random = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % n; };
const encodings = ['utf8', 'utf-8', 'UTF8', 'ucs2', 'utf16le', 'latin1', 'binary', 'ascii', 'base64', 'base64url', 'hex'];
const show = (text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
let digest = 0;
const sum = (text) => { for (let i = 0; i < text.length; i++) digest = (Math.imul(digest, 31) + text.charCodeAt(i)) | 0; };

const alphabets = ['abc', 'aé€😀\ud800\udc00', 'YWJj=+/-_ \n', '0123456789abcdefABCDEFg', '\u0130\u0131\u0141ab', '\x00\x7f\x80\xff'];
function text(length) {
  const units = alphabets[random(alphabets.length)];
  let made = '';
  for (let i = 0; i < length; i++) made += units[random(units.length)];
  return made;
}
function bytes(length) {
  const made = Buffer.alloc(length);
  const kind = random(3);
  for (let i = 0; i < length; i++) made[i] = kind === 0 ? random(256) : kind === 1 ? random(128) : [0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0x61, 0xc3, 0xa9, 0xff, 0xc0][random(14)];
  return made;
}

for (let round = 0; round < 400; round++) {
  const encoding = encodings[random(encodings.length)];
  const b = bytes(random(40));
  const start = random(45) - 2;
  const end = random(45) - 2;
  const line = `${b.toString('hex')} ${encoding} ${start} ${end} ${show(b.toString(encoding, start, end))}`;
  sum(line);
  if (round % 10 === 0) console.log(line);
}
for (let round = 0; round < 400; round++) {
  const encoding = encodings[random(encodings.length)];
  const t = text(random(24));
  const made = Buffer.from(t, encoding);
  const target = Buffer.alloc(12, 0x2e);
  const offset = random(13);
  const length = random(13);
  const written = target.write(t, offset, length, encoding);
  const line = `${show(t)} ${encoding} ${made.toString('hex')} ${Buffer.byteLength(t, encoding)} ${offset} ${length} ${written} ${target.toString('hex')}`;
  sum(line);
  if (round % 10 === 0) console.log(line);
}
for (let round = 0; round < 600; round++) {
  const encoding = encodings[random(encodings.length)];
  const hay = Buffer.from(text(random(60)), encoding);
  let needle = random(2) ? hay.toString(encoding, random(hay.length + 1), random(hay.length + 1)) : text(random(4));
  const offset = random(80) - 40;
  if (random(4) === 0) needle = Buffer.from(needle, encoding);
  else if (random(8) === 0) needle = random(256);
  const line = `${hay.toString('hex')} ${typeof needle} ${encoding} ${offset} ${hay.indexOf(needle, offset, encoding)} ${hay.lastIndexOf(needle, offset, encoding)} ${hay.includes(needle, encoding)} ${hay.lastIndexOf(needle)}`;
  sum(line);
  if (round % 10 === 0) console.log(line);
}
for (let round = 0; round < 200; round++) {
  const encoding = encodings[random(encodings.length)];
  const t = text(random(6));
  const target = Buffer.alloc(10, 0x2e);
  let line = `${show(t)} ${encoding} `;
  try { line += target.fill(t, random(6), random(11), encoding).toString('hex'); } catch (e) { line += e.code; }
  const a = bytes(random(6));
  const b = bytes(random(6));
  line += ` ${a.compare(b)} ${a.equals(b)} ${Buffer.compare(b, a)} ${Buffer.concat([a, b, a], random(20)).toString('hex')}`;
  line += ` ${require('buffer').isUtf8(b)} ${require('buffer').isAscii(b)}`;
  sum(line);
  if (round % 10 === 0) console.log(line);
}
console.log(digest);
