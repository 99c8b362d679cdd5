'use strict';
// Adds captured functions that the engine does not have in the required form. Loaded before any other builtin.
//
// Safe collections and weak references: classes such as `SafeMap`, whose methods no program can replace or delete
// (`lib/internal/per_context/primordials.js: makeSafe`). Other files use them without importing them (crates/js/src/primordials.rs).
//
// Each class has copies of the methods on its own prototype, so a call is as fast as a call of the original. A collection that programs can see must
// be of the original class.

// Methods that the engine implements in JavaScript: convert them to functions whose first argument is the receiver.
const { apply } = Reflect;
const uncurry = (method) => (self, ...args) => apply(method, self, args);
for (let at = primordials.firstUnbound; at < primordials.length; at++) primordials[at] = uncurry(primordials[at]);

for (const Class of [FinalizationRegistry, Map, Set, WeakMap, WeakRef, WeakSet]) {
  const { prototype } = Class;
  const Safe = class extends Class {};
  for (const key of [...Object.getOwnPropertyNames(prototype), Symbol.iterator]) {
    // An assignment is ten times as fast as a definition, and runs at every start. It makes the methods enumerable, which is not observable.
    if (key === 'size') Object.defineProperty(Safe.prototype, key, Object.getOwnPropertyDescriptor(prototype, key));
    else if (key !== 'constructor' && key in prototype) Safe.prototype[key] = prototype[key];
  }
  primordials.push(Safe);
}

// `JSON.parse` and `JSON.stringify` with V8's error messages. They also replace the captured functions, because builtins pass errors of JSON to
// programs.
const { parse, stringify } = JSON;
const json = {
  parse(text, reviver) {
    try {
      return parse(text, reviver);
    } catch (error) {
      require('internal/json')(error, text, true);
      throw error;
    }
  },
  stringify(value, replacer, space) {
    try {
      return stringify(value, replacer, space);
    } catch (error) {
      require('internal/json')(error, value, false);
      throw error;
    }
  },
};
primordials[primordials.indexOf(parse)] = json.parse;
primordials[primordials.indexOf(stringify)] = json.stringify;
// Prototypes of iterators: no global name leads to them.
const iteratorPrototypeOf = (value) => Object.getPrototypeOf(value[Symbol.iterator]());

module.exports = { iteratorPrototypeOf, iteratorPrototypes: [iteratorPrototypeOf([]), iteratorPrototypeOf('')], json };
