'use strict';
// A new function has its length and its name, and shares nothing with its like that one could change.
const show = (f) => console.log(Object.getOwnPropertyNames(f).sort().join(), f.length, JSON.stringify(f.name), Object.getPrototypeOf(f) === Function.prototype);
const arrow = () => {}, anonymous = function(a, b) {};
function declared(a, b = 1, ...c) {}
class Made { static method(x) {} #hidden() {} }
const object = { method(x) {}, get got() { return 1; }, 12() {}, ['computed' + 1]() {}, async later() {}, *all() {}, async *both() {} };
const got = Object.getOwnPropertyDescriptor(object, 'got').get;
[arrow, anonymous, declared, Made, Made.method, object.method, got, object[12], object.computed1, object.later, object.all, object.both,
  () => {}, (x) => x].forEach(show);
console.log(Object.getOwnPropertyDescriptors(() => {}));

const one = () => {}, other = () => {}, third = () => {};
delete one.name;
one.extra = 1;
Object.defineProperty(other, 'length', { value: 7 });
Object.setPrototypeOf(third, null);
console.log(Object.getOwnPropertyNames(one).sort(), other.length, Object.getPrototypeOf(third));
show(() => {});
console.log(Object.isFrozen(Object.freeze(one)), Object.isFrozen(() => {}));

const many = [];
for (let i = 0; i < 100000; i++) many.push(() => i);
many[7].mark = 'mine';
console.log(many[77](), many[99999].name, Object.keys(many[7]), Object.keys(many[8]));
const Old = function() { this.a = 1; };
console.log(new Old().a, typeof Old.prototype, 'prototype' in arrow);

// Texts of what has no source of its own. Nothing of the function runs for it.
const loud = Object.defineProperty(Old.bind(null), 'name', { get() { throw new Error('asked'); } });
for (const one of [Math.max, Map, Old.bind(null), loud, new Proxy(Old, {}), new Proxy(class {}, { get() { throw new Error('asked'); } }),
  Object.getOwnPropertyDescriptor(Map.prototype, 'size').get, Array.prototype[Symbol.iterator], Function.prototype]) {
  console.log(/^function .*\[native code\]\s*\}$/s.test(Function.prototype.toString.call(one).replace('(', ' (')));
}
console.log(String(Old), `${class Made { method() {} }}`);

// The rest does not count, however it is taken.
const counted = [(a, ...[b]) => {}, (...{ b }) => {}, (a = 1, ...[b]) => {}, function(a, b, ...[c]) {}, (a, b, ...c) => {}];
console.log(counted.map((f) => f.length), counted[0](1, 2), ((...[b, c]) => [b, c])(1, 2));
for (const text of ['({ set a(...b) {} })', 'class A { set a(...[b]) {} }', '[1,, 2 3]', `[${'1,'.repeat(40)} 2 3]`, '[,,1,]', '[...[1] 2]']) {
  try {
    console.log(JSON.stringify((0, eval)(text)));
  } catch ({ name }) {
    console.log(name);
  }
}
