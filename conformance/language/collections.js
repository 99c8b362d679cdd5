'use strict';
// A Map and a Set find what they hold, whatever a key is and however many there are, and keep the order in which it came.
const keys = [0, -0, 1, -1, 0.5, NaN, -NaN, Infinity, -Infinity, 2 ** 31, 2 ** 31 - 1, -(2 ** 31), 2 ** 32, 2 ** 53, 5e-324, 1n, -1n, 0n,
  2n ** 31n, 2n ** 64n, -(2n ** 100n), '', '0', '1', 'ж', true, false, null, undefined, Symbol.iterator, Symbol.for('x'), [], {}, () => {}];
const map = new Map();
keys.forEach((key, at) => map.set(key, at));
console.log(map.size, keys.map((key) => map.get(key)).join());
console.log(map.get(1.0), map.get(BigInt('1')), map.get('a' + '' || 'a'), map.get(`${''}`), map.has({}), map.has([]));
console.log([...map.values()].join());

for (const step of [1, -1, 0.5, 1000, 65536, 2 ** 33]) {
  const set = new Set();
  for (let i = 0; i < 5000; i++) set.add(i * step);
  for (let i = 0; i < 5000; i += 2) set.delete(i * step);
  let found = 0;
  for (let i = 0; i < 5000; i++) if (set.has(i * step)) found++;
  console.log(step, set.size, found, [...set].slice(0, 3).join(), [...set].at(-1));
}

const objects = Array.from({ length: 5000 }, (_, i) => (i % 3 === 0 ? { i } : i % 3 === 1 ? () => i : Symbol(i)));
const held = new Map(objects.map((object, i) => [object, i]));
const weak = new WeakMap(objects.map((object, i) => [object, i]));
console.log(objects.every((object, i) => held.get(object) === i && weak.get(object) === i), held.get({}), weak.has({}));
for (const object of objects) held.delete(object);
console.log(held.size, held.keys().next().done);

// What is changed while it is walked over.
const walked = new Set([1, 2, 3]);
const seen = [];
for (const one of walked) {
  seen.push(one);
  walked.delete(one);
  if (seen.length < 6) walked.add(one + 10);
}
console.log(seen.join(), walked.size);
