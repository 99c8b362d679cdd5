// `length` of typed arrays, `instanceof` and properties with symbols, where the usual answer is the right one and where it is not.
const say = (name, f) => {
  try {
    console.log(name, f());
  } catch (error) {
    console.log(name, error.name);
  }
};

const bytes = new Uint8Array(3);
class Counted extends Uint8Array {
  get length() { return 'counted'; }
}
class Plain extends Float64Array {}
say('lengths', () => [bytes.length, new Plain(2).length, Buffer.alloc(5).length, new BigInt64Array(4).length].join());
say('a getter of a class', () => new Counted(2).length);
say('its own', () => Object.defineProperty(new Uint8Array(2), 'length', { value: 'own' }).length);
say('no prototype', () => { const array = new Uint8Array(2); Object.setPrototypeOf(array, null); return array.length; });
say('a proxy for a prototype', () => {
  const array = new Uint8Array(2);
  Object.setPrototypeOf(array, new Proxy({}, { get: (target, name) => `got ${String(name)}` }));
  return array.length;
});
say('who inherits', () => Object.create(bytes).length);
say('a view', () => new DataView(new ArrayBuffer(4)).length);
say('detached', () => { const array = new Uint8Array(8); structuredClone(array.buffer, { transfer: [array.buffer] }); return array.length; });
say('resizable', () => {
  const buffer = new ArrayBuffer(8, { maxByteLength: 16 });
  const tracking = new Uint8Array(buffer);
  const fixed = new Uint8Array(buffer, 4, 4);
  const seen = [tracking.length, fixed.length];
  buffer.resize(16);
  seen.push(tracking.length, fixed.length);
  buffer.resize(6);
  seen.push(tracking.length, fixed.length);
  return seen.join();
});
say('assigned', () => { 'use strict'; bytes.length = 1; });
say('deleted', () => { delete bytes.length; return bytes.length; });
say('others', () => ['abc'.length, [1, 2].length, ((a, b) => a).length, ({ length: 7 }).length, new String('xy').length].join());
const getter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'length');
Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), 'length', { get: () => 'replaced', configurable: true });
say('replaced', () => bytes.length);
Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), 'length', getter);
say('put back', () => bytes.length);

class A {}
class B extends A {}
const bound = A.bind(null);
say('classes', () => [new B() instanceof A, new A() instanceof B, {} instanceof A, null instanceof A, 1 instanceof Number].join());
say('bound', () => [new B() instanceof bound, {} instanceof bound].join());
say('told', () => [1 instanceof { [Symbol.hasInstance]: () => true }, 1 instanceof class { static [Symbol.hasInstance](n) { return n > 1; } }].join());
say('told by the one before', () => { class Even { static [Symbol.hasInstance](n) { return n % 2 === 0; } } class Four extends Even {} return 4 instanceof Four; });
say('told by a getter', () => 1 instanceof { get [Symbol.hasInstance]() { return () => 'yes'; } });
say('told by nothing', () => 1 instanceof { [Symbol.hasInstance]: undefined });
say('no function', () => 1 instanceof {});
say('a function without a prototype', () => ({}) instanceof (() => {}));
say('a prototype that is none', () => { function F() {} F.prototype = 3; return {} instanceof F; });
say('a number is never one', () => { function F() {} F.prototype = 3; return 1 instanceof F; });
say('a proxy', () => { const seen = []; new B() instanceof new Proxy(A, { get(target, name) { seen.push(String(name)); return target[name]; } }); return seen.join(); });
say('an object behind a proxy', () => new Proxy(new B(), { getPrototypeOf: () => Array.prototype }) instanceof Array);
say('without any', () => { const f = function() {}; Object.setPrototypeOf(f, null); return {} instanceof f; });
say('streams', () => { const { Writable, Duplex } = require('stream'); return [new Duplex() instanceof Writable, {} instanceof Writable].join(); });

const key = Symbol('key');
say('put', () => { const o = { [key]: 1 }; o[key] += 2; o[key]++; return o[key]; });
say('new', () => { const o = {}; o[key] = 1; return Object.getOwnPropertySymbols(o).length; });
say('a setter', () => { let seen; const o = { set [key](value) { seen = value; } }; o[key] = 5; return [seen, o[key]].join(); });
say('an inherited setter', () => { let seen; const o = Object.create({ set [key](value) { seen = value; } }); o[key] = 6; return seen; });
say('frozen', () => { 'use strict'; const o = Object.freeze({ [key]: 1 }); o[key] = 2; });
say('frozen, sloppy', () => Function('o', 'key', 'o[key] = 2; return o[key];')(Object.freeze({ [key]: 1 }), key));
say('inherited and frozen', () => { 'use strict'; const o = Object.create(Object.freeze({ [key]: 1 })); o[key] = 2; });
say('of a string', () => { 'use strict'; 'text'[key] = 1; });
say('of nothing', () => undefined[key]);
say('put on nothing', () => { null[key] = 1; });
say('well known', () => { const o = { [Symbol.toPrimitive]: () => 4 }; o[Symbol.toPrimitive] = () => 5; return o * 2; });
say('shared', () => { const o = { [Symbol.for('shared')]: 1 }; o[Symbol.for('shared')] += 1; return o[Symbol.for('shared')]; });
say('private', () => { class P { #x = 1; bump() { this.#x += 1; return this.#x; } } return new P().bump(); });
say('freed on the way', () => {
  const o = { [key]: null };
  for (let i = 0; i < 3; i++) o[key] = { before: o[key] };
  return JSON.stringify(o[key]);
});
