'use strict';
// What is put into an array, where others have to make room: elements, length, and who hears of it.
const of = (count) => Array.from({ length: count }, (_, i) => i);
const tries = (change) => { try { return change(); } catch (error) { return error.name; } };

for (const [start, gone, items] of [[0, 0, 1], [0, 0, 5], [3, 0, 2], [3, 1, 3], [7, 1, 4], [8, 0, 3], [0, 8, 9], [2, 3, 3], [5, 3, 1]]) {
  const array = of(8);
  const taken = array.splice(start, gone, ...of(items).map((i) => `n${i}`));
  console.log(start, gone, items, array.length, array.join(), '|', taken.join());
}
const front = [];
for (let i = 0; i < 5; i++) console.log(front.unshift(i, -i, { i }), front.length);
console.log(front);

const holed = [0, , 2, ,];
console.log(holed.unshift('a', 'b'), holed, holed.splice(3, 0, 'c', 'd'), holed);
const far = of(2);
far.length = 4;
console.log(far.unshift('a'), far, far.splice(1, 0, 'b', 'c'), far);

const fixed = Object.defineProperty(of(3), 'length', { writable: false });
console.log(tries(() => fixed.unshift('a')), tries(() => fixed.splice(1, 0, 'b')), fixed.length, fixed);
for (const hold of [Object.freeze, Object.seal, Object.preventExtensions]) {
  const held = hold(of(3));
  console.log(tries(() => held.unshift('a', 'b')), held, tries(() => held.splice(1, 0, 'c')), held);
}

const calls = [];
Object.defineProperty(Array.prototype, 4, { set(value) { calls.push(value); }, configurable: true });
const heard = of(3);
const told = tries(() => heard.unshift('a', 'b'));
const seen = [heard.length, heard.join()];
delete Array.prototype[4];
console.log(told, seen, calls);

class Own extends Array {}
const own = Own.from([1, 2, 3]);
own.unshift(-1, 0);
console.log(own, own.splice(1, 0, 'x', 'y') instanceof Own, own);

// Whoever is asked for the array of what is taken out may change the one it is taken from.
const changing = (change) => {
  const array = of(6);
  array.constructor = { [Symbol.species]: function() { change(array); return []; } };
  array.splice(1, 2, 'x', 'y', 'z');
  return [array.length, ...Array.from(array, String)].join();
};
console.log(changing(() => {}), changing((a) => { a.length = 3; }), changing((a) => { a.push('p', 'q'); }), changing((a) => { a.length = 0; }));
const removing = (change) => {
  const array = of(6);
  array.constructor = { [Symbol.species]: function() { change(array); return []; } };
  array.splice(1, 2);
  return [array.length, ...Array.from(array, String)].join();
};
console.log(removing(() => {}), removing((a) => { a.length = 3; }), removing((a) => { a.push('p', 'q'); }), removing((a) => { a.length = 0; }));

// A list that is kept in order, and emptied from the front.
const sorted = [];
for (let i = 0; i < 3000; i++) {
  const value = (i * 7919) % 3001;
  const at = sorted.findIndex((other) => other > value);
  sorted.splice(at === -1 ? sorted.length : at, 0, value);
}
console.log(sorted.length, sorted.every((value, i) => i === 0 || sorted[i - 1] < value));
let sum = 0;
while (sorted.length > 0) sum += sorted.splice(0, 7).length;
console.log(sum, sorted);
