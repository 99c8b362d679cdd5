// Offsets and encodings of the wrong kind are refused with Node's words, before anything of them is called.
const odd = {
  bigint: 1n, symbol: Symbol('s'), bare: Object.create(null), throwing: { toString() { throw new Error('called'); } },
  negative: -1, huge: 1e300, infinite: Infinity, beyond: 11, missing: NaN, fraction: 1.5, text: '1',
};
const tell = (name, call) => {
  try {
    console.log(name, call());
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};
const bytes = Buffer.from('abcdefghij');
for (const [kind, value] of Object.entries(odd)) {
  for (const method of ['readInt8', 'readUInt8', 'readInt16BE', 'readUInt16LE', 'readInt32BE', 'readUInt32LE']) {
    tell(`${method} ${kind}`, () => bytes[method](value));
  }
  if (typeof value !== 'number') continue;
  for (const method of ['asciiSlice', 'latin1Slice', 'utf8Slice', 'hexSlice', 'base64Slice', 'ucs2Slice']) {
    tell(`${method} ${kind}`, () => bytes[method](value));
    tell(`${method} 1 ${kind}`, () => bytes[method](1, value));
  }
}
for (const kind of ['bigint', 'symbol', 'bare', 'throwing', 'text']) {
  tell(`alloc ${kind}`, () => Buffer.alloc(4, 'x', odd[kind]));
  tell(`fill ${kind}`, () => Buffer.alloc(4).fill('x', 0, 4, odd[kind]));
}
const { isAscii, isUtf8 } = require('buffer');
tell('isAscii', () => isAscii(new DataView(new ArrayBuffer(1))));
tell('isUtf8', () => isUtf8(new DataView(new ArrayBuffer(1))));

// Parts of bytes, by whatever says where they begin and end.
const places = [undefined, 0, 1, 3, 9, -1, -3, -9, 1.9, -1.9, NaN, Infinity, -Infinity, '2', null, true, 2 ** 31, -(2 ** 31), 2 ** 53, { valueOf: () => 2 }];
const five = Buffer.from([0, 1, 2, 3, 4]).subarray(0, 5);
for (const start of places) {
  console.log(String(start), places.map((end) => five.subarray(start, end).toString('hex')).join());
}
console.log(five.subarray().length, five.subarray(1).subarray(1, 3).subarray(-1)[0], five.slice(2).toString('hex'));
console.log(five.subarray(1).buffer === five.buffer, five.subarray(1).byteOffset - five.byteOffset, five.subarray(5).byteOffset - five.byteOffset);
const { subarray } = Buffer.prototype;
console.log(subarray.name, subarray.length, subarray.call(new Uint8Array([1, 2, 3]), 1) instanceof Buffer);
console.log(subarray.call(new Uint16Array([1, 2, 3]), 1).toString('hex'), Object.getPrototypeOf(subarray.call(five, 1)) === Buffer.prototype);
for (const odd of [() => subarray.call({}), () => subarray.call(undefined), () => five.subarray(Symbol('x')), () => five.subarray(1n),
  () => five.subarray({ valueOf() { throw new Error('asked'); } })]) {
  try {
    console.log(odd());
  } catch (error) {
    console.log(error.name, error.message);
  }
}
const growing = Buffer.from(new ArrayBuffer(4, { maxByteLength: 8 }));
const before = growing.subarray(1);
growing.buffer.resize(8);
console.log(growing.length, before.length, growing.subarray(1).length);
const moved = Buffer.from(new ArrayBuffer(4));
structuredClone(moved.buffer, { transfer: [moved.buffer] });
try {
  console.log(moved.subarray(0, 1).length);
} catch (error) {
  console.log(error.name, error.message);
}
console.log(five.subarray(0, 2, 'more').length);

// Views that begin behind the end, again and again. Not all engines name the offset.
let refused = '';
for (let i = 0; i < 1000; i++) {
  try {
    new DataView(new ArrayBuffer(8), 100 + i);
  } catch (error) {
    refused = error.message;
  }
}
console.log(refused.replace(' 1099 ', ' '));
