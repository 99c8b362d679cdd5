'use strict';
// A property that is set on a proxy is defined on it, and a trap that refuses it is heard of.
const log = [];
const told = new Proxy({}, {
  defineProperty(target, key, given) { log.push(`${key} ${JSON.stringify(given)}`); return Reflect.defineProperty(target, key, given); },
  getOwnPropertyDescriptor(target, key) { log.push(`look at ${key}`); return Reflect.getOwnPropertyDescriptor(target, key); },
});
told.a = 1;
told.a = 2;
console.log(log, told.a);

const closed = new Proxy({ old: 1 }, { defineProperty: () => false });
const tries = {
  strict() { closed.a = 1; },
  'strict, of one that is there': () => { closed.old = 2; },
  sloppy: new Function('closed', 'closed.a = 1; return Object.keys(closed)'),
  'Reflect.set': () => Reflect.set(closed, 'a', 1),
  'Object.assign': () => Object.assign(closed, { b: 1 }),
  'inherited by': () => { Object.create(closed).c = 1; },
  field: () => new (class extends (function () { return closed; }) { d = 1; })(),
  'Array.prototype.push': () => Array.prototype.push.call(new Proxy([], { defineProperty: () => false }), 1),
};
for (const name of Object.keys(tries)) {
  try {
    console.log(name, tries[name](closed));
  } catch (error) {
    console.log(name, `${error}`);
  }
}
