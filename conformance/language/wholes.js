'use strict';
// All properties of an object at once: spreads, rests, `Object.assign`, `Object.keys`, `values` and `entries`, of plain and of odd objects.
const tried = (f) => { try { return f(); } catch (error) { return `${error.name}`; } };
const show = (name, ...values) => console.log(name, ...values);
// Not the properties of errors that an engine adds.
const isFixed = (name) => !['stack', 'fileName', 'lineNumber', 'columnNumber'].includes(name);
const symbol = Symbol('s'), registered = Symbol.for('r');

const hidden = Object.defineProperty({ a: 1, c: 3 }, 'b', { value: 2, enumerable: false });
const fixed = Object.defineProperties({}, { x: { value: 1, enumerable: true }, y: { value: 2, enumerable: true, writable: true } });
const gone = { a: 1, b: 2, c: 3 };
delete gone.b;
gone.d = 4;
const odd = {
  plain: { a: 1, b: 'two', c: undefined, d: null },
  empty: {},
  numbers: { b: 1, 10: 'ten', 9: 'nine', a: 2, '-1': 'minus', '01': 'zero one', 4294967295: 'large', 4294967294: 'less', 1.5: 'half' },
  symbols: { [symbol]: 1, z: 2, [registered]: 3, a: 4 },
  hidden, fixed, gone,
  accessors: { get g() { return this.h * 2; }, h: 4, set i(v) {} },
  inherits: Object.create({ above: 1 }, { own: { value: 2, enumerable: true, writable: true, configurable: true } }),
  bare: Object.assign(Object.create(null), { a: 1, toString: 2 }),
  named: JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3, "": 4}'),
  frozen: Object.freeze({ a: 1, b: [2] }),
  array: [1, , 3],
  text: 'ab',
  text_object: Object.assign(new String('xy'), { more: 1 }),
  func: Object.assign(function f() {}, { p: 1 }),
  args: (function () { return arguments; })(1, 2),
  error: Object.assign(new Error('e'), { code: 'E' }),
  map: Object.assign(new Map([[1, 2]]), { p: 1 }),
  instance: new (class { #private = 1; a = 1; static s = 2; get x() { return this.#private; } })(),
  proxy: new Proxy({ a: 1, b: 2 }, { ownKeys: () => ['b', 'a'], getOwnPropertyDescriptor: (t, k) => ({ value: t[k], enumerable: k === 'b', configurable: true }) }),
  number: 5, nothing: null,
};

for (const [name, value] of Object.entries(odd)) {
  show(name, { ...value }, Object.assign({}, value));
  show(' lists', tried(() => Object.keys(value)), tried(() => Object.values(value)), tried(() => Object.entries(value)));
  show(' more', { first: 0, ...value, last: 1 }, { ...value, a: 'after', ...value });
  show(' rest', tried(() => { const { a, b: renamed, ['c']: computed, ...rest } = value; return [a, renamed, computed, rest]; }));
  show(' names', tried(() => Reflect.ownKeys({ ...value })), tried(() => Object.getOwnPropertyNames(value).filter(isFixed).sort()));
  for (const descriptor of Object.values(Object.getOwnPropertyDescriptors({ ...value })))
    if (!descriptor.writable || !descriptor.enumerable || !descriptor.configurable) show(' odd copy', descriptor);
}

// The copy is another object, and neither minds the other.
{
  const one = { a: 1, b: { c: 2 } }, two = { ...one };
  two.a = 3;
  two.d = 4;
  delete two.b;
  one.e = 5;
  show('apart', one, two, Object.getPrototypeOf(two) === Object.prototype, Object.isExtensible({ ...Object.freeze({ f: 1 }) }));
  const three = Object.assign({}, one);
  Object.setPrototypeOf(three, { p: 1 });
  show('of another kind', three, three.p, Object.assign(Object.create({ set a(v) { show('set', v); } }), { a: 1, z: 2 }));
  show('onto itself', Object.assign(one, one), Object.assign({ a: 0, q: 1 }, one, null, { a: 9 }));
  show('refused', tried(() => Object.assign(Object.freeze({}), { a: 1 })), tried(() => Object.assign(Object.preventExtensions({}), { a: 1 })));
}
{
  const copy = { ...JSON.parse('{"__proto__": {"polluted": 1}}') };
  show('__proto__', copy.polluted, Object.keys(copy), Object.assign({}, JSON.parse('{"__proto__": {"inherited": 1}}')).inherited);
  Object.defineProperty(Object.prototype, 'heard', { set(v) { show('heard', v); }, configurable: true });
  Object.assign({}, { heard: 1, other: 2 });
  show('spread is not heard', { ...{ heard: 2 } });
  delete Object.prototype.heard;
}
{
  const large = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => ['k' + i, i]));
  const copies = Array.from({ length: 5 }, () => ({ ...large, extra: 1 }));
  show('large', copies.map((copy) => Object.keys(copy).length), Object.values(copies[4]).reduce((a, b) => a + b, 0));
  const keys = Object.keys(large);
  keys.push('more');
  show('lists are new', keys.length, Object.keys(large).length, Object.entries(large)[1999]);
}
