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
