'use strict';
// Buffer's other methods and statics, and what they say of wrong arguments.
const buffer = require('buffer');
const show = (value) => {
  if (Buffer.isBuffer(value)) return `<${value.toString('hex')}>`;
  if (typeof value === 'string') return JSON.stringify(value);
  if (value && typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'function' ? value.name : String(value);
};
function t(run) {
  let result;
  try { result = show(run()); } catch (e) { result = `${e.name} ${e.code} ${e.message}`; }
  console.log(String(run).replace(/^\(\) => /, ''), '->', result);
}
const b = (...items) => Buffer.from(items);
t(() => Object.keys(buffer));
t(() => Object.getOwnPropertyNames(Buffer).sort());
t(() => Object.getOwnPropertyNames(Buffer.prototype).sort());
t(() => Buffer.prototype.constructor === Buffer);
t(() => Object.getPrototypeOf(Buffer) === Uint8Array);
t(() => Buffer.name + Buffer.length);
t(() => Buffer.from([1, 2]).constructor.name);
t(() => Buffer.from([1, 2, 3]).map((x) => x * 2) instanceof Buffer);
t(() => Buffer.from([1, 2, 3]).filter((x) => x > 1));
t(() => buffer.constants);
t(() => buffer.kMaxLength); t(() => buffer.kStringMaxLength); t(() => buffer.INSPECT_MAX_BYTES);
// from
t(() => Buffer.from('abc')); t(() => Buffer.from('')); t(() => Buffer.from('abc', 'nope')); t(() => Buffer.from('', 'nope'));
t(() => Buffer.from('ff', 'HEX')); t(() => Buffer.from('abc', '')); t(() => Buffer.from('abc', null)); t(() => Buffer.from('abc', 5));
t(() => Buffer.from()); t(() => Buffer.from(null)); t(() => Buffer.from(5)); t(() => Buffer.from(true)); t(() => Buffer.from({}));
t(() => Buffer.from(() => {})); t(() => Buffer.from(Symbol('x'))); t(() => Buffer.from(5n));
t(() => Buffer.from([1, 256, -1, 1.7, '3', 'x', null]));
t(() => Buffer.from({ length: 2, 0: 7, 1: 8 })); t(() => Buffer.from({ length: '2' })); t(() => Buffer.from({ length: -1 }));
t(() => Buffer.from({ type: 'Buffer', data: [1, 2] })); t(() => Buffer.from({ type: 'Buffer', data: 'x' }));
t(() => Buffer.from(JSON.parse(JSON.stringify(Buffer.from('hey')))));
t(() => Buffer.from(new String('boxed'))); t(() => Buffer.from({ valueOf() { return 'vo'; } })); t(() => Buffer.from({ valueOf() { return null; } }));
t(() => Buffer.from({ [Symbol.toPrimitive]() { return 'prim'; } })); t(() => Buffer.from(new Number(1)));
t(() => Buffer.from(new Uint16Array([1, 258]))); t(() => Buffer.from(new Uint8Array([1, 2]).buffer));
t(() => Buffer.from(new ArrayBuffer(4), 1)); t(() => Buffer.from(new ArrayBuffer(4), 1, 2)); t(() => Buffer.from(new ArrayBuffer(4), 5));
t(() => Buffer.from(new ArrayBuffer(4), 1, 9)); t(() => Buffer.from(new ArrayBuffer(4), 'x', -1)); t(() => Buffer.from(new ArrayBuffer(4), 4));
t(() => Buffer.from(new SharedArrayBuffer(2))); t(() => Buffer.from(new DataView(new ArrayBuffer(3)))); t(() => Buffer.from(new Map()));
t(() => Buffer.from('x').buffer.byteLength); t(() => Buffer.allocUnsafe(10).buffer.byteLength); t(() => Buffer.allocUnsafeSlow(10).buffer.byteLength);
t(() => Buffer.allocUnsafe(4096).buffer.byteLength); t(() => Buffer.poolSize);
t(() => { const x = Buffer.allocUnsafe(3); const y = Buffer.allocUnsafe(3); return y.byteOffset - x.byteOffset; });
t(() => Buffer.of(1, 2, 300)); t(() => Buffer.of());
t(() => Buffer.copyBytesFrom(new Uint16Array([0, 0xffff]), 1)); t(() => Buffer.copyBytesFrom(new Uint16Array([1, 2, 3]), 1, 1));
t(() => Buffer.copyBytesFrom(new Uint16Array(2), 9)); t(() => Buffer.copyBytesFrom([1])); t(() => Buffer.copyBytesFrom(new Uint8Array(2), -1));
// alloc
t(() => Buffer.alloc(3)); t(() => Buffer.alloc(5, 'ab')); t(() => Buffer.alloc(5, 'YWI=', 'base64')); t(() => Buffer.alloc(3, 1));
t(() => Buffer.alloc(3, 257)); t(() => Buffer.alloc(3, '')); t(() => Buffer.alloc(3, null)); t(() => Buffer.alloc(3, Buffer.alloc(0)));
t(() => Buffer.alloc('5')); t(() => Buffer.alloc(-1)); t(() => Buffer.alloc(NaN)); t(() => Buffer.alloc(1.5)); t(() => Buffer.alloc(2 ** 53));
t(() => Buffer.alloc(3, 'x', 'nope')); t(() => Buffer.alloc(3, 'x', 5)); t(() => Buffer.alloc(3, new Uint16Array([0x0102])));
t(() => Buffer.allocUnsafe('x')); t(() => Buffer.allocUnsafeSlow(-5)); t(() => Buffer.allocUnsafe(0)); t(() => buffer.SlowBuffer(3).length);
// statics
t(() => Buffer.isBuffer(new Uint8Array(1))); t(() => Buffer.isBuffer(Buffer.alloc(1))); t(() => Buffer.isEncoding('UTF-8'));
t(() => Buffer.isEncoding('utf16LE')); t(() => Buffer.isEncoding('nope')); t(() => Buffer.isEncoding('')); t(() => Buffer.isEncoding(5));
t(() => ['hex', 'utf8', 'utf-8', 'ascii', 'latin1', 'binary', 'base64', 'base64url', 'ucs2', 'ucs-2', 'utf16le', 'utf-16le', 'Base64', 'utf32'].map(Buffer.isEncoding));
t(() => Buffer.byteLength('é')); t(() => Buffer.byteLength('é', 'latin1')); t(() => Buffer.byteLength(new ArrayBuffer(7)));
t(() => Buffer.byteLength(5)); t(() => Buffer.byteLength('abc', 'nope')); t(() => Buffer.byteLength(new DataView(new ArrayBuffer(3))));
t(() => Buffer.compare(b(1), b(1, 2))); t(() => Buffer.compare(b(2), b(1, 2))); t(() => Buffer.compare(b(2), 'x')); t(() => Buffer.compare(1, b(2)));
t(() => Buffer.concat([])); t(() => Buffer.concat([b(1), new Uint8Array([2])])); t(() => Buffer.concat([b(1, 2, 3)], 2)); t(() => Buffer.concat([b(1)], 3));
t(() => Buffer.concat('x')); t(() => Buffer.concat([1])); t(() => Buffer.concat([b(1), 'x'])); t(() => Buffer.concat([b(1)], -1)); t(() => Buffer.concat([b(1)], 1.5));
// methods
t(() => b(1, 2, 3).slice(1)); t(() => b(1, 2, 3).slice(-2, -1)); t(() => b(1, 2, 3).subarray('1', 9)); t(() => b(1, 2, 3).subarray(2, 1));
t(() => b(1, 2, 3).slice(NaN, undefined)); t(() => b(1, 2, 3).slice(1.9)); t(() => b(1, 2, 3).slice(0, null));
t(() => b(1, 2, 3, 4).swap16()); t(() => b(1, 2, 3, 4).swap32()); t(() => b(1, 2, 3, 4, 5, 6, 7, 8).swap64());
t(() => b(1, 2, 3).swap16()); t(() => b(1, 2).swap32()); t(() => b(1, 2, 3, 4).swap64());
t(() => b(1, 2).toJSON()); t(() => b().toJSON()); t(() => JSON.stringify({ x: b(1) }));
t(() => b(1).equals(new Uint8Array([1]))); t(() => b(1).equals('x')); t(() => b(1).equals());
t(() => b(1, 2, 3).compare(b(2, 3), 0, 2, 1)); t(() => b(1, 2, 3).compare(b(2, 3), 0, 5)); t(() => b(1, 2, 3).compare(b(2, 3), 5));
t(() => b(1, 2, 3).compare(b(2, 3), 0, 2, 9)); t(() => b(1, 2, 3).compare(b(2, 3), -1)); t(() => b(1).compare('x')); t(() => b(1).compare(b(1), '0'));
t(() => { const x = Buffer.alloc(4); return [b(1, 2, 3).copy(x, 2), x]; }); t(() => { const x = b(1, 2, 3, 4); x.copy(x, 1); return x; });
t(() => b(1, 2, 3).copy(Buffer.alloc(4), -1)); t(() => b(1, 2, 3).copy(Buffer.alloc(4), 0, 4)); t(() => b(1, 2, 3).copy(Buffer.alloc(4), 0, 0, -1));
t(() => b(1, 2, 3).copy('x')); t(() => b(1, 2, 3).copy(new Uint16Array(1))); t(() => b(1, 2, 3).copy(Buffer.alloc(4), 9)); t(() => b(1, 2, 3).copy(Buffer.alloc(4), 0, 2, 1));
t(() => b(1, 2, 3).copy(Buffer.alloc(4), 'x', 1.5, '3'));
t(() => Buffer.alloc(3).fill('é')); t(() => Buffer.alloc(3).fill('zz', 'hex')); t(() => Buffer.alloc(3).fill('ab', 1)); t(() => Buffer.alloc(3).fill('ab', 1, 2));
t(() => Buffer.alloc(3).fill('a', 'nope')); t(() => Buffer.alloc(3).fill('a', 0, 9)); t(() => Buffer.alloc(3).fill('a', -1)); t(() => Buffer.alloc(3).fill('a', 0, 3, 5));
t(() => Buffer.alloc(3).fill(true)); t(() => Buffer.alloc(3).fill('é', 'latin1')); t(() => Buffer.alloc(3).fill('aé', 0, 3, 'ucs2')); t(() => Buffer.alloc(3).fill(b(1, 2)));
t(() => Buffer.alloc(3).fill(b())); t(() => Buffer.alloc(3).fill(-1, 1)); t(() => Buffer.alloc(3).fill('a', '1')); t(() => Buffer.alloc(3).fill(1, '1')); t(() => Buffer.alloc(3).fill(1, 2.5));
t(() => Buffer.alloc(3).fill('\u0222')); t(() => Buffer.alloc(4).fill('\u0222', 'latin1')); t(() => Buffer.alloc(2).fill({})); t(() => Buffer.alloc(2).fill('', 'hex'));
t(() => Buffer.alloc(3).write('abcdef')); t(() => Buffer.alloc(3).write('abc', 1)); t(() => Buffer.alloc(3).write('abc', 4)); t(() => Buffer.alloc(3).write('abc', -1));
t(() => Buffer.alloc(3).write('abc', 0, 9)); t(() => Buffer.alloc(3).write('abc', 'hex')); t(() => Buffer.alloc(3).write('abc', 'nope')); t(() => Buffer.alloc(3).write(5));
t(() => Buffer.alloc(3).write('abc', 0, 2, 'nope')); t(() => Buffer.alloc(3).write('abc', '1')); t(() => Buffer.alloc(3).write('abc', null)); t(() => Buffer.alloc(3).write('abc', 0, 'latin1'));
t(() => Buffer.alloc(3).write('abc', 1.5)); t(() => Buffer.alloc(3).write());
t(() => b(97, 98, 99).toString('nope')); t(() => b(97, 98, 99).toString(null)); t(() => b(97, 98, 99).toString(undefined, 1)); t(() => b(97, 98, 99).toString('utf8', -5, 2));
t(() => b(97, 98, 99).toString('utf8', 1.9, 2.9)); t(() => b(97, 98, 99).toString('utf8', 'x', '2')); t(() => b(97, 98, 99).toString('utf8', 5, 1)); t(() => b(97, 98).toLocaleString());
t(() => b().toString('nope')); t(() => b(1, 2).toString('utf8', 0, null)); t(() => `${b(104, 105)}`);
t(() => b(1, 2, 1).indexOf(1, -1)); t(() => b(1, 2, 1).lastIndexOf(1, -2)); t(() => b(1, 2, 1).indexOf('')); t(() => b(1, 2, 1).indexOf('', 9)); t(() => b(1, 2, 1).lastIndexOf(''));
t(() => b(1, 2, 1).indexOf({})); t(() => b(1, 2, 1).indexOf('a', 0, 'nope')); t(() => b(1, 2, 1).indexOf(257)); t(() => b(1, 2, 1).indexOf(1, NaN)); t(() => b(1, 2, 1).lastIndexOf(1, NaN));
t(() => b(1, 2, 1).lastIndexOf(1, undefined)); t(() => b(1, 2, 1).lastIndexOf(1, null)); t(() => b(1, 2, 1).indexOf(b(2, 1), 'nope')); t(() => b(1, 2, 1).includes(2, 2)); t(() => b(1, 2, 1).indexOf(-255)); t(() => b(99).indexOf(99.9));
t(() => b(1, 2).parent.byteLength === b(1).buffer.byteLength); t(() => Buffer.prototype.parent); t(() => typeof b(1).offset);
t(() => b(97, 0xff).asciiSlice() + b(97, 0xff).latin1Slice(0, 1) + b(97).utf8Slice()); t(() => Buffer.alloc(3).utf8Write('abc', 1)); t(() => Buffer.alloc(3).hexWrite('ffff', 2));
t(() => Array.from(b(1, 2).entries())); t(() => [...b(1, 2).keys(), ...b(5).values()]);
// the module's functions
const tr = buffer.transcode;
t(() => tr(Buffer.from('€é'), 'utf8', 'latin1')); t(() => tr(Buffer.from('€é😀'), 'utf8', 'ascii')); t(() => tr(Buffer.from('€é'), 'utf8', 'ucs2'));
t(() => tr(b(0xe9), 'latin1', 'utf8')); t(() => tr(b(0xac, 0x20), 'ucs2', 'utf8')); t(() => tr(b(1), 'utf8', 'hex')); t(() => tr('x', 'utf8', 'latin1')); t(() => tr(b(), 'x', 'y')); t(() => tr(b(0xe9), 'binary', 'utf16le'));
t(() => buffer.isUtf8(b(0xc3))); t(() => buffer.isUtf8(new Uint16Array(1))); t(() => buffer.isAscii(new ArrayBuffer(2))); t(() => buffer.isUtf8('x')); t(() => buffer.isAscii(b(0x80)));
t(() => btoa('abc')); t(() => btoa('é')); t(() => btoa(null)); t(() => btoa(5)); t(() => atob('YWJj')); t(() => atob(' YW Jj\n')); t(() => atob('6Q==')); t(() => atob('YQ')); t(() => atob('')); t(() => atob('YQ='));
