'use strict';
// Texts that would have more characters than there can be are refused at once. Engines differ in how many there can be: V8 allows 2 ** 29 - 24,
// SpiderMonkey 2 ** 30 - 2.
const say = (name, make) => {
  try { console.log(name, make().length); } catch (error) { console.log(name, error.name); }
};
const part = 'x'.repeat(1_000_000);
const large = part.repeat(300);
say('repeat, too many', () => 'x'.repeat(2 ** 30));
say('repeat, many', () => 'x'.repeat(2 ** 31));
say('repeat, very many', () => 'x'.repeat(1e30));
say('repeat, nothing', () => ''.repeat(2 ** 31));
say('repeat, endless', () => 'x'.repeat(Infinity));
say('repeat, endless nothing', () => ''.repeat(Infinity));
say('repeat, less than none', () => 'x'.repeat(-1));
say('pad, too many', () => 'x'.padStart(2 ** 30));
say('pad, many', () => 'x'.padEnd(2 ** 31, 'ab'));
say('pad, endless', () => 'x'.padEnd(Infinity));
say('pad, with nothing', () => 'x'.padEnd(2 ** 53, ''));
say('plus', () => large + large + large + large);
say('concat', () => large.concat(large, large, large));
say('concat, wide', () => 'x'.concat('\u1234', large, large, large, large));
say('template', () => `${large}${large}${large}${large}`);
say('raw', () => String.raw({ raw: [large, large, large, large] }));
say('join', () => new Array(10).fill(large).join(''));

for (const name of ['anchor', 'big', 'fontcolor', 'fontsize', 'link', 'sub']) {
  const call = (...args) => { try { return 'a'[name](...args); } catch (error) { return error.name; } };
  console.log(name, call(), call(undefined), call(null), call('"q"'), call(1, 2), call(Symbol('s')));
}

// Names that grow, and a long chain of prototypes.
let bound = function named() {};
for (let count = 0; count < 16_000; count++) bound = bound.bind(null);
console.log(bound.name.length, bound.name.slice(-17), bound.length);
console.log((() => {}).bind().name, Object.defineProperty(() => {}, 'name', { value: 5 }).bind().name, function f(a, b) {}.bind(null, 1).length);
let steps = 0;
const chain = new Proxy({}, { getPrototypeOf: () => (++steps < 1000 ? chain : Array.prototype) });
console.log(chain instanceof Array, steps);
