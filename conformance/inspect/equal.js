// util.isDeepStrictEqual on all pairs of many values.
'use strict';
const util = require('util');

class A { constructor(x) { this.x = x; } }
class B extends A {}
const ring = (n) => { const o = { n }; o.self = o; return o; };
const ring2 = (n) => { const o = { n, self: { n } }; o.self.self = o; return o; };
const errorWith = (properties, ...args) => Object.assign(new Error(...args), properties);
const sparse = [1, , 3];
const s = Symbol('s');
const makers = [
  () => undefined, () => null, () => 0, () => -0, () => NaN, () => 1, () => '1', () => true, () => 1n, () => 'a', () => s,
  () => ({}), () => ({ a: 1 }), () => ({ a: 1, b: undefined }), () => ({ a: undefined }), () => ({ b: 1 }), () => ({ a: '1' }), () => Object.create(null),
  () => Object.assign(Object.create(null), { a: 1 }), () => ({ [s]: 1 }), () => ({ [s]: 2 }), () => Object.defineProperty({}, 'h', { value: 1 }),
  () => [], () => [1], () => [1, undefined, 3], () => sparse, () => [1, 2, 3], () => Object.assign([1, 2, 3], { x: 1 }), () => ({ 0: 1, length: 1 }),
  () => new A(1), () => new B(1), () => new A(2), () => new Date(0), () => new Date(1), () => new Date(NaN), () => Object.assign(new Date(0), { x: 1 }),
  () => /a/, () => /a/g, () => /b/, () => Object.assign(/a/g, { lastIndex: 1 }), () => new Map(), () => new Map([[1, 2]]), () => new Map([['1', 2]]),
  () => new Map([[{ a: 1 }, { b: 2 }]]), () => new Map([[{ a: 1 }, { b: 3 }]]), () => new Map([[1, 2], [3, 4]]), () => new Map([[3, 4], [1, 2]]),
  () => new Map([[undefined, undefined]]), () => new Map([[null, undefined]]), () => new Map([[{}, 1], [{}, 2]]), () => new Map([[{}, 2], [{}, 1]]),
  () => new Set(), () => new Set([1]), () => new Set(['1']), () => new Set([{ a: 1 }]), () => new Set([{ a: 1 }, { a: 1 }]), () => new Set([{ a: 1 }, { a: 2 }]),
  () => new Set([{ a: 2 }, { a: 1 }]), () => new Set([1, 2]), () => new Set([2, 1]), () => new Set([[1], [2]]), () => new Set([NaN]), () => new Set([-0]), () => new Set([0]),
  () => new Uint8Array([1, 2]), () => new Uint8Array([1, 3]), () => new Int8Array([1, 2]), () => new Float32Array([0]), () => new Float32Array([-0]), () => new Float64Array([NaN]),
  () => new Uint8Array([1, 2]).buffer, () => new Uint8Array([1, 3]).buffer, () => new DataView(new ArrayBuffer(2)), () => new SharedArrayBuffer(2),
  () => new Error('a'), () => new Error('b'), () => new TypeError('a'), () => errorWith({ code: 1 }, 'a'), () => new Error('a', { cause: 1 }), () => new Error('a', { cause: { x: 1 } }),
  () => new AggregateError([1], 'a'), () => new AggregateError([2], 'a'), () => Object.assign(new Error('a'), { name: 'N' }),
  () => Object(1), () => Object(-0), () => Object(0), () => Object('1'), () => Object('a'), () => Object(true), () => Object(1n), () => Object(s), () => Object.assign(Object('a'), { x: 1 }),
  () => ring(1), () => ring(2), () => ring2(1), () => [ring(1)], () => (function() { return arguments; })(1), () => (function() { return arguments; })(2),
  () => new WeakMap(), () => new WeakSet(), () => Promise.resolve(1), () => () => {}, () => Math, () => JSON, () => ({ [Symbol.toStringTag]: 'x' }),
  () => new Proxy({ a: 1 }, {}), () => new Proxy([1], {}), () => new (class extends Array {})(1, 2, 3), () => new (class extends Map {})([[1, 2]]), () => ({ a: { b: { c: [1, { d: 2 }] } } }),
];
const left = makers.map((make) => make());
const right = makers.map((make) => make());
for (let i = 0; i < left.length; i++) {
  console.log(`${i} ${right.map((value) => (util.isDeepStrictEqual(left[i], value) ? '1' : '.')).join('')}`);
}
