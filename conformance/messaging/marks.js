// What a mark against cloning counts for: plain objects, errors and Node's own, nothing else.
'use strict';
const { markAsUncloneable } = require('node:worker_threads');
const values = [
  new ArrayBuffer(1), [1], new Map(), new Date(0), /a/, new Uint8Array(1), new Error('x'), {}, Object(1), new SharedArrayBuffer(1),
  new DataView(new ArrayBuffer(1)), Object.create(null), new (class A {})(), Object.create({ a: 1 }), new DOMException('x'), new Blob([]),
];
for (const value of values) {
  const name = Object.prototype.toString.call(value);
  markAsUncloneable(value);
  try {
    structuredClone(value);
    console.log(name, 'cloned');
  } catch (e) {
    console.log(name, e.name, e.message);
  }
}
