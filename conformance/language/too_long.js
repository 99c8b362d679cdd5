'use strict';
// Texts that would have more characters than there can be are refused at once; those that have just so many are not.
const kMost = require('buffer').constants.MAX_STRING_LENGTH;
const say = (name, make) => {
  try { console.log(name, make().length); } catch (error) { console.log(name, error.name, error.message); }
};
const part = 'x'.repeat(1_000_000);
const half = part.repeat(268) + 'x'.repeat(kMost / 2 - 268e6);
const large = part.repeat(300);
say('repeat, one more', () => 'x'.repeat(kMost + 1));
say('repeat, many', () => 'x'.repeat(2 ** 31));
say('repeat, very many', () => 'x'.repeat(1e30));
say('repeat, nothing', () => ''.repeat(2 ** 31));
say('repeat, endless', () => 'x'.repeat(Infinity));
say('repeat, endless nothing', () => ''.repeat(Infinity));
say('repeat, less than none', () => 'x'.repeat(-1));
say('pad, one more', () => 'x'.padStart(kMost + 1));
say('pad, many', () => 'x'.padEnd(2 ** 31, 'ab'));
say('pad, endless', () => 'x'.padEnd(Infinity));
say('pad, with nothing', () => 'x'.padEnd(2 ** 53, ''));
say('plus, the most', () => half + half);
say('plus, one more', () => half + half + 'y');
say('concat', () => large.concat(large));
say('concat, wide', () => 'x'.concat('\u1234', large, large));
say('template', () => `${large}${large}`);
say('raw', () => String.raw({ raw: [large, large] }));
say('join', () => new Array(10).fill(large).join(''));
say('join, nothing but commas', () => new Array(2 ** 31).join());
say('join, nothing but text', () => new Array(2 ** 28).join(', '));
say('text of an array', () => String(new Array(2 ** 32 - 1)));
say('replaceAll', () => part.replaceAll('x', part));

for (const name of ['anchor', 'big', 'fontcolor', 'fontsize', 'link', 'sub']) {
  const call = (...args) => { try { return 'a'[name](...args); } catch (error) { return error.message; } };
  console.log(name, call(), call(undefined), call(null), call('"q"'), call(1, 2), call(Symbol('s')));
}

// Names that grow, and prototypes that do not end.
let bound = function named() {};
for (let count = 0; count < 16_000; count++) bound = bound.bind(null);
console.log(bound.name.length, bound.name.slice(-17), bound.length);
console.log((() => {}).bind().name, Object.defineProperty(() => {}, 'name', { value: 5 }).bind().name, function f(a, b) {}.bind(null, 1).length);
const endless = new Proxy({}, { getPrototypeOf: () => endless });
say('instanceof', () => endless instanceof Array);
say('instanceof, further', () => Object.create(endless) instanceof Array);
say('isPrototypeOf', () => Array.prototype.isPrototypeOf(endless));
const asking = new Proxy({}, { getPrototypeOf: () => ([] instanceof Object && Object.prototype.isPrototypeOf([]) ? asking : null) });
say('instanceof, of another within', () => asking instanceof Array);
say('isPrototypeOf, of another within', () => Array.prototype.isPrototypeOf(asking));
let steps = 0;
const chain = new Proxy({}, { getPrototypeOf: () => (++steps < 1000 ? chain : Array.prototype) });
console.log(chain instanceof Array, steps);
