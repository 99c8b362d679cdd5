'use strict';
// Walks over arrays: loops, patterns and spreads, with what may happen to the array, and to what it is asked by, on the way.
const vm = require('vm');
const log = (name, ...values) => console.log(name, ...values);
const ArrayIterator = Object.getPrototypeOf([][Symbol.iterator]());
const tried = (f) => { try { return f(); } catch (error) { return error.name; } };

// The array changes.
{
  const seen = [], array = [1, 2, 3];
  for (const x of array) { seen.push(x); if (seen.length < 6) array.push(x * 10); }
  log('grows', seen);
}
{
  const seen = [], array = [1, 2, 3, 4, 5];
  for (const x of array) { seen.push(x); array.pop(); }
  log('shrinks', seen, array);
}
{
  const seen = [], array = [1, 2, 3];
  for (const x of array) { seen.push(x); array.length = 0; array.push('a', 'b', 'c', 'd'); if (seen.length > 6) break; }
  log('is another', seen);
}
{
  const seen = [], array = [1, 2, 3, 4];
  for (const x of array) { seen.push(x); delete array[2]; Object.defineProperty(array, 3, { get: () => 'got', configurable: true }); }
  log('has holes and accessors', seen);
}
{
  const seen = [], array = [0, 1, 2];
  for (const x of array) { seen.push(x); array[10] = 'far'; }
  log('is sparse', seen.length, seen.at(-1));
}
{
  const seen = [], array = [1, 2, 3];
  log('throws', tried(() => { for (const x of array) { seen.push(x); Object.defineProperty(array, 2, { get() { throw new Error('no'); } }); } }), seen);
}
{
  const array = [1, 2, 3], seen = [];
  Object.freeze(array);
  for (const x of array) seen.push(x);
  const [a, ...rest] = array;
  log('is frozen', seen, a, rest, [...array, ...array]);
}
{
  const array = [1, , 3];
  Array.prototype[1] = 'inherited';
  const [a, b, c, d] = array;
  const copy = [...array];
  delete Array.prototype[1];
  log('inherits', a, b, c, d, copy);
}
{
  let array = [1, 2, 3];
  const seen = [];
  for (const x of array) { seen.push(x); array = null; }
  log('is given up', seen);
}

// Patterns.
{
  const [a, b = 'b', [c, d] = [3, 4], { e } = { e: 5 }, ...[f, ...g]] = [1, undefined, undefined, undefined, 6, 7, 8];
  log('pattern', a, b, c, d, e, f, g);
  const [] = [1];
  const [, , third] = [1, 2, 3];
  const [none] = [];
  log('parts', third, none);
  let x = 1, y = 2;
  [x, y] = [y, x];
  const object = {};
  [object.a, object['b'], ...object.rest] = [1, 2, 3, 4];
  log('assigned', x, y, object);
  log('default throws', tried(() => { const [q = (() => { throw new TypeError('default'); })()] = []; }));
  log('setter throws', tried(() => { [{ set s(v) { throw new RangeError('set ' + v); } }.s] = [5]; }));
  for (const [k, v] of [['a', 1], ['b', 2]]) log('pair', k, v);
  for (const [k, v] of Object.entries({ a: 1, b: { c: 2 } })) log('entry', k, v);
  for (const [i, v] of ['x', 'y'].entries()) log('index', i, v);
  for (const [k, v] of new Map([['m', 1], ['n', 2]])) log('map', k, v);
  log('parameters', (([a, [b]], { c: [d] }, ...[e, f]) => [a, b, d, e, f])([1, [2]], { c: [3] }, 4, 5));
}

// Ways out.
{
  const out = [];
  outer: for (const x of [1, 2, 3]) {
    for (const y of [1, 2, 3]) {
      if (y === 2) continue outer;
      if (x === 3) break outer;
      try { if (x === 2) throw x; } catch { out.push('caught'); continue; } finally { out.push([x, y]); }
    }
  }
  log('ways out', out);
  const f = () => { for (const x of [1, 2]) { for (const y of [x]) { try { return x; } finally { for (const z of [9]) out.push(z); } } } };
  log('returns', f(), out.at(-1));
}

// What is asked.
{
  const own = [1, 2];
  own[Symbol.iterator] = function* () { yield 'own'; };
  class More extends Array { *[Symbol.iterator]() { yield 'more'; } }
  class Less extends Array {}
  log('own', [...own], [...More.of(1)], [...Less.of(1, 2)], (([a]) => a)(own));
  const values = Array.prototype[Symbol.iterator];
  Array.prototype[Symbol.iterator] = function () { const it = values.call(this); return { next: () => { const r = it.next(); return { done: r.done, value: r.done ? r.value : r.value * 2 }; } }; };
  const seen = [];
  for (const x of [1, 2]) seen[seen.length] = x;
  const [p, q] = [3, 4], s = [...[5, 6]];
  Array.prototype[Symbol.iterator] = values;
  log('replaced', seen, p, q, s);
}
{
  const { next } = ArrayIterator;
  let count = 0;
  ArrayIterator.next = function () { count++; return next.call(this); };
  const [a] = [1];
  const all = [...[1, 2, 3]];
  for (const x of [1, 2]) if (x === 1) ArrayIterator.next = next;
  ArrayIterator.next = next;
  log('next', count, a, all);
}
{
  const heard = [];
  ArrayIterator.return = function () { heard.push([Object.prototype.toString.call(this), this.next()]); return {}; };
  const [a] = [1, 2];
  for (const x of [1, 2, 3]) break;
  tried(() => { for (const x of [1, 2, 3]) throw x; });
  for (const x of [1]) ;
  [...[1]];
  delete ArrayIterator.return;
  log('return', heard);
}
{
  let heard = 0;
  for (const x of [1, 2, 3]) { ArrayIterator.return = function () { heard++; return {}; }; break; }
  delete ArrayIterator.return;
  log('return since', heard);
  Object.prototype.return = () => { heard++; return 1; };
  log('return of all', tried(() => { const [a] = [1, 2]; }), heard);
  delete Object.prototype.return;
  Number.prototype.return = () => { throw new Error('nobody asks a number'); };
  const [n] = [1, 2];
  delete Number.prototype.return;
}
{
  const other = vm.runInNewContext('[1, 2, 3]');
  const [a, ...b] = other;
  log('of another realm', a, b.length, [...other].length, vm.runInNewContext('let s = 0; for (const x of a) s += x; s', { a: [1, 2, 3] }));
}

// Generators and async functions.
{
  function* g(array) { const got = yield* array; for (const x of array) yield x; const [a, b] = array; yield [a, b]; return got; }
  log('generator', [...g([1, 2])]);
  const it = g([1, 2, 3]);
  it.next();
  log('returns from yield*', it.return(5), it.next());
  const it2 = g([1, 2, 3]);
  it2.next();
  log('throws into yield*', tried(() => it2.throw(new Error('in'))));
}
(async () => {
  const seen = [];
  for (const x of [1, 2, 3]) { const [a, b] = [await x, await (x * 2)]; seen.push(a + b); }
  for await (const x of [4, Promise.resolve(5)]) seen.push(x);
  log('async', seen);
  const f = async () => { for (const x of [1, 2]) { try { await Promise.reject(new Error('r' + x)); } finally { seen.push('f'); } } };
  await f().catch((error) => log('rejected', error.message, seen.at(-1)));
})();

// Spreads.
{
  const big = Array.from({ length: 5000 }, (_, i) => i);
  log('spread', [...big, ...[], ...big].length, Math.max(...big), [...[, 1]], [0, ...'ab', ...new Set([1, 1, 2]), ...[3]]);
  const self = [1, 2];
  self.push(...self, ...self);
  log('itself', self, ((...rest) => rest)(...self, 0));
  log('not iterable', tried(() => [...1]), tried(() => { const [a] = {}; }), tried(() => { for (const x of 5); }));
}

// Literals, and the names of functions.
{
  const make = (n) => ({ a: n, b: { c: n }, ['d' + n]: 1, get e() { return n; }, f() {}, g: () => {}, h: class {}, i: function () {}, a: -n });
  for (let i = 0; i < 3; i++) log('literal', make(i));
  const named = { one: () => {}, ['two']: () => {}, [Symbol('three')]: () => {}, four: function five() {}, six: class { static name = 'seven'; } };
  log('names', Reflect.ownKeys(named).map((key) => named[key].name), (() => {}).name, (function () {}).name);
  let a = () => {};
  const b = a;
  const { c = () => {} } = {};
  const [d = () => {}] = [];
  log('given names', a.name, b.name, c.name, d.name, Object.getOwnPropertyDescriptor(a, 'name'));
  const proto = { __proto__: { set x(v) { log('never called', v); } }, x: 1 };
  log('defined, not set', Object.keys(proto), { __proto__: null, 0: 'zero', 1e3: 'k', a: 1 });
  log('frozen result', tried(() => { const o = Object.freeze({ a: 1 }); return { ...o, b: 2 }; }));
  class Fields { a = 1; [`b`] = 2; 'c d' = 3; #e = 4; static f = () => {}; get e() { return this.#e; } }
  log('fields', new Fields(), new Fields().e, Fields.f.name, Object.keys(new Fields()));
  log('results', (function* () { yield 1; })().next(), Object.keys([1].values().next()));
}
