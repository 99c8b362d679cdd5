'use strict';
// What errors are about: keys that cannot be set, made or taken away, arguments that are no functions. Nothing of the program runs for their words.
const say = (name, make) => {
  try { console.log(name, make()); } catch (error) { console.log(`${name}: ${error.name}: ${error.message}`); }
};
const each = (name, makes) => makes.forEach((make, at) => say(`${name} ${at}`, make));

class Foo {
  constructor() { this.x = 1; Object.freeze(this); }
  get got() { return 1; }
  static get shared() { return 1; }
}
const key = Symbol('key'), nameless = Symbol(), text = 'x';
const foo = new Foo();
const list = Object.freeze([1, 2]);
const fun = Object.freeze(function named(a) {});
const bare = Object.freeze(Object.assign(Object.create(null), { x: 1 }));
const map = Object.freeze(new Map());
const error = Object.freeze(new Error('boo'));
const plain = Object.freeze({ [key]: 1, [nameless]: 1, x: 1, 5: 1 });
const tricky = Object.freeze({ get constructor() { throw new Error('asked'); }, x: 1 });

each('written', [
  () => { list[0] = 2; }, () => { plain[key] = 2; },
  () => { plain[nameless] = 2; }, () => { list.length = 0; }, () => { plain[text] = 2; }, () => { plain[text]++; },
  () => { ({ a: plain.x } = { a: 1 }); }, () => { Math.PI = 1; },
  () => { 'abc'[3] = 1; }, () => { (5).x = 1; }, () => { Symbol.iterator.x = 1; }, () => { true.x = 1; },
  () => { 'abc'.foo = 1; }, () => { (5n).x = 1; }, () => { 'abc'[key] = 1; }, () => { Object.create(plain).x = 1; },
]);
each('added', [
  () => { foo.y = 2; }, () => { plain[Symbol('z')] = 2; }, () => { map.x = 1; },
  () => { fun.q = 1; }, () => { plain[text + '1'] = 1; }, () => { list.foo = 1; }, () => list.shift(),
  () => list.splice(0, 1), () => list.sort(), () => list.reverse(), () => list.fill(1), () => list.copyWithin(0, 1),
  () => Object.assign(plain, { x: 2 }), () => Object.assign(plain, { [key]: 2 }),
]);
each('only a getter', [
  () => { ({ get x() { return 1; } }).x = 2; }, () => { ({ get [key]() { return 1; } })[key] = 2; },
  () => { Object.create({ get x() { return 1; } }).x = 2; },
  () => { ({ get 5() { return 1; } })[5] = 1; }, () => Object.assign({ get x() { return 1; } }, { x: 1 }),
  () => Reflect.set({ get x() { return 1; } }, 'x', 1), () => { ({ get [nameless]() { return 1; } })[nameless] = 1; },
]);
each('deleted', [
  () => { delete plain[key]; },
  () => { delete plain[text]; }, () => { delete Math.PI; },
]);
each('defined', [
  () => Object.defineProperty(foo, 'x', { value: 5 }), () => Object.defineProperty(plain, key, { value: 5 }),
  () => Object.defineProperty(foo, 'zz', { value: 5 }), () => Object.defineProperty(list, '0', { value: 5 }),
  () => Object.defineProperty(plain, Symbol('n'), { value: 5 }), () => Object.defineProperty({}, 'x', 5),
  () => Object.defineProperty({}, 'x'),
  () => Object.defineProperties({}, { x: 5 }), () => Object.setPrototypeOf(plain, {}), () => { plain.__proto__ = {}; },
  () => Object.create(),
]);
each('of nothing', [
  () => undefined[key], () => { null[key] = 1; }, () => undefined[nameless], () => { undefined[nameless] = 1; },
  () => undefined[Symbol.for('shared')], () => undefined[Symbol.asyncIterator], () => undefined[Symbol.iterator], () => plain[key](),
]);
each('no function', [
  () => [].map(5), () => [].map({}), () => [].map(undefined),
  () => [].reduce(null), () => Array.from([], 5), () => new Promise(5), () => new Promise(), () => new Promise({}), () => [].find(),
  () => [].flatMap('x'), () => [].every(true),
]);
each('no constructor', [
  () => Reflect.construct(() => {}, []), () => Reflect.construct(),
  () => Reflect.construct(Object, [], () => {}),
  () => (() => {}).apply(null, 5),
  () => new BigInt(1), () => new Symbol(), () => new (class extends Object { constructor() { return 5; } })(),
]);
each('no object', [
  () => Reflect.get(5), () => Reflect.set(5), () => Reflect.getPrototypeOf(5), () => Reflect.isExtensible(5), () => Reflect.has(5),
  () => Reflect.preventExtensions(5), () => Reflect.ownKeys(5), () => Reflect.deleteProperty(5),
]);

const registry = new FinalizationRegistry(() => {});
const itself = {};
each('weak', [
  () => FinalizationRegistry(() => {}), () => registry.register(),
  () => registry.register('s', 1), () => registry.register(registry, registry), () => registry.register(registry, 1),
  () => registry.register(itself, itself), () => registry.register(Symbol.for('x')),
  () => registry.unregister({}),
  () => WeakRef({}), () => new WeakRef(5),
]);
each('of numbers', [() => 2n ** -1n]);

// As many arguments as a stack has room for.
const many = new Array(100_000).fill(1), tooMany = new Array(1_000_000).fill(1);
const count = (...given) => given.length;
each('arguments', [
  () => count(...many), () => Math.max.apply(null, many), () => { const all = []; all.push(...many); return all.length; },
  () => String.fromCharCode.apply(null, new Uint8Array(100_000)).length, () => (function() { return arguments.length; })(...many),
  () => count.bind(null, 1)(...many),
  () => count(...tooMany), () => Math.max.apply(null, tooMany), () => Reflect.apply(count, null, tooMany), () => [].push(...tooMany),
]);

// What the engine throws and a loop forgets is not what a program's own error is about.
const unclosed = { [Symbol.iterator]: () => ({ next: () => ({ done: false }), return: 5 }) };
const later = () => () => () => { throw new Error('left'); };
for (const words of ['property is not configurable', 'object is not extensible', 'parent class must be constructor']) {
  each('forgotten', [() => { for (const one of unclosed) later()()(); }, () => { throw new TypeError(words); }]);
}

// Objects that say what they are, and turn into texts in a way of their own.
for (const work of [
  () => { globalThis.crypto = 1; },
  () => { globalThis.navigator = 1; },
]) {
  try {
    (function () { 'use strict'; work(); })();
    console.log('nothing');
  } catch (error) {
    console.log(`${error}`);
  }
}
