'use strict';
// Every reader and writer of numbers, at good and bad offsets, with good and bad values.
const show = (value) => typeof value === 'bigint' ? `${value}n` : Object.is(value, -0) ? '-0' : String(value);
const attempt = (run) => { try { return show(run()); } catch (e) { return `${e.name} ${e.code} ${e.message}`; } };
let digest = 0;
let count = 0;
function out(line) {
  for (let i = 0; i < line.length; i++) digest = (Math.imul(digest, 31) + line.charCodeAt(i)) | 0;
  if (count++ % 23 === 0) console.log(line);
}
const bytes = [0x00, 0xff, 0x80, 0x7f, 0x01, 0xfe, 0xc0, 0x3f, 0x12, 0x81, 0xf0, 0x0f];
const names = Object.keys(Buffer.prototype).filter((name) => /^(read|write)/.test(name)).sort();
console.log(names.join());
const offsets = [undefined, 0, 1, 3, 4, 5, 8, 9, 10, 11, 12, -1, 1.5, NaN, Infinity, '1', null, {}];
const values = [0, -0, 1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, 65535, 65536, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32 - 1,
  2 ** 32, 2 ** 40 - 1, -(2 ** 39), 2 ** 48 - 1, 2 ** 48, -(2 ** 47), 1.9, -1.9, NaN, Infinity, '5', null, undefined, 1e300, 3.5e38];
const bigs = [0n, 1n, -1n, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n, 2n ** 64n - 1n, 2n ** 64n, 5];
for (const name of names) {
  const buffer = Buffer.from(bytes);
  const sized = /Int[LB]E$/.test(name);
  const lengths = sized ? [1, 2, 3, 4, 5, 6, 0, 7, 1.5, '2', undefined] : [undefined];
  if (name.startsWith('read')) {
    for (const length of lengths) for (const offset of offsets) {
      out(`${name}(${show(offset)}, ${show(length)}) ${attempt(() => buffer[name](offset, length))}`);
    }
    continue;
  }
  for (const length of lengths) {
    for (const value of name.includes('Big') ? bigs : values) {
      buffer.set(bytes);
      const result = attempt(() => buffer[name](value, 2, length));
      out(`${name}(${show(value)}, 2, ${show(length)}) ${result} ${buffer.toString('hex')}`);
    }
    for (const offset of offsets) {
      buffer.set(bytes);
      const result = attempt(() => buffer[name](name.includes('Big') ? 1n : 1, offset, length));
      out(`${name}(1, ${show(offset)}, ${show(length)}) ${result} ${buffer.toString('hex')}`);
    }
  }
}
console.log(attempt(() => Buffer.alloc(1).readInt32LE(0)), attempt(() => Buffer.alloc(0).readInt8()), attempt(() => Buffer.alloc(3).writeDoubleBE(1)));
console.log(digest);
