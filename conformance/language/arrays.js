'use strict';
// What `splice` and its like leave of an array: elements, holes, length, and what the prototype shows through a hole.
const show = (name, array) => console.log(name.padEnd(12), array.length, Object.keys(array).join(), array.map(String));
const of = (count) => Array.from({ length: count }, (_, i) => i);
const cases = {
  'del first': (a) => a.splice(0, 1), 'del mid': (a) => a.splice(3, 2), 'del last': (a) => a.splice(-1), 'del all': (a) => a.splice(0),
  'del none': (a) => a.splice(2, 0), 'swap': (a) => a.splice(2, 2, 'x', 'y'), 'grow': (a) => a.splice(2, 1, 'x', 'y', 'z'),
  'shrink': (a) => a.splice(1, 4, 'x'), 'past end': (a) => a.splice(20, 1, 'e'), 'no args': (a) => a.splice(), 'nan': (a) => a.splice(NaN, NaN),
  'copy': (a) => a.copyWithin(1, 4), 'shift': (a) => a.shift(), 'pop': (a) => a.pop(), 'unshift': (a) => a.unshift('u', 'v'),
  'reverse': (a) => a.reverse(), 'length': (a) => { a.length = 3; }, 'delete last': (a) => delete a[7], 'delete mid': (a) => delete a[3],
};
for (const [name, change] of Object.entries(cases)) {
  const array = of(8);
  const result = change(array);
  show(name, array);
  if (Array.isArray(result) && result !== array) console.log('  removed', result);
  // And again, as another has been there before.
  change(array);
  array.push('end');
  show('  again', array);
}

const holed = [0, , 2, , 4, , ,];
console.log(holed.length, holed.splice(1, 2), holed, holed.reverse(), holed.splice(-2, 2), holed);
const far = of(3);
far.length = 6;
console.log(far.splice(1, 1), far, far.splice(4, 1), far, far.length);

Array.prototype[2] = 'shown';
const short = [1, 2, 3];
console.log(short.splice(0, 1), short, short[2], Object.hasOwn(short, 2), short.splice(1, 1), short.length, short[2]);
delete Array.prototype[2];

const tries = (change) => { try { return change(); } catch (error) { return `${error.name}`; } };
console.log(tries(() => Object.freeze(of(3)).splice(0, 1)), tries(() => Object.seal(of(3)).splice(0, 1)),
  tries(() => Object.preventExtensions(of(3)).splice(0, 1)));
const fixed = Object.defineProperty(of(4), 'length', { writable: false });
console.log(tries(() => fixed.splice(3, 1)), fixed.length, Object.keys(fixed).join());
const pinned = Object.defineProperty(of(4), 3, { value: 'p', configurable: false });
console.log(tries(() => pinned.splice(3, 1)), pinned.length, pinned[3]);
const like = { length: 3, 0: 'a', 1: 'b', 2: 'c' };
console.log(Array.prototype.splice.call(like, 0, 1), like);
class Own extends Array {}
console.log(Own.from([1, 2, 3]).splice(1, 1) instanceof Own, Own.from([1, 2, 3]).splice(0, 2));
const calls = [];
new Proxy(of(3), { deleteProperty(target, key) { calls.push(`delete ${key}`); return Reflect.deleteProperty(target, key); },
  set(target, key, value) { calls.push(`${key}=${value}`); target[key] = value; return true; } }).splice(0, 1);
console.log(calls.join(' '));

// A queue that lives for long.
const queue = [];
let sum = 0;
for (let i = 0; i < 20000; i++) {
  queue.push({ i });
  if (queue.length > 50) sum += queue.splice(i % 50, 1)[0].i;
}
console.log(sum, queue.length, queue.at(-1));
