'use strict';
// Messages that are clones.
const { fork } = require('child_process');

if (process.argv[2] === 'child') {
  process.on('message', (message) => process.send(message));
  return;
}

const child = fork(__filename, ['child'], { serialization: 'advanced' });
child.on('message', (message) => {
  if (message === 'end') child.disconnect();
  if (message instanceof Error) console.log(message.name, message.message, message.cause);
  else if (message instanceof DataView) console.log('DataView', message.byteLength);
  else if (message?.length > 1000) console.log(message.constructor.name, message.length, message[0], message.at(-1));
  else console.dir(message, { depth: 5 });
});
class Point {
  constructor() { this.x = 1; }
  get y() { return 2; }
}
const ring = { list: [] };
ring.list.push(ring);
const values = [
  new Map([[1, { big: 2n ** 70n }]]), new Set(['a', new Set()]), Buffer.from('abc'), new Uint16Array([1, 2, 3]).subarray(1),
  new DataView(new ArrayBuffer(3), 1), new RangeError('x', { cause: 'why' }), new Point(), /a/gi, new Date(0), [1, , 3], -0, NaN,
  'lone \ud800', new ArrayBuffer(4), Object('boxed'), [undefined, null, true], Object.assign([1], { p: 2 }), ring,
  Buffer.alloc(300000, 'z'), 'text', { a: { b: { c: 1.5 } } }, {
    shared: new SharedArrayBuffer(4) }, { method() {} }, { symbol: Symbol('x') }, new WeakMap(), Promise.resolve(), 1n, undefined, () => {},
];
for (const value of values) {
  try {
    child.send(value);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
child.send('end');
child.on('exit', (code, signal) => console.log('exit', code, signal));
