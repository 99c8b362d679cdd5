'use strict';
// Primordials of other builtins that the engine does not have as they are needed. Loaded before any other builtin.
//
// Collections, and classes of weak references, whose methods no program can replace or delete, as
// `lib/internal/per_context/primordials.js: makeSafe`. Other sources use `SafeMap` and the like without
// importing them (crates/js/src/primordials.rs).
//
// Each class has copies of the methods on its own prototype, so a call costs the same as one of the original. A collection that
// programs can see must be of the original class.

// Methods that are JavaScript of the engine, as functions that take the receiver first.
const { apply } = Reflect;
const uncurry = (method) => (self, ...args) => apply(method, self, args);
for (let at = primordials.firstUnbound; at < primordials.length; at++) primordials[at] = uncurry(primordials[at]);

for (const Class of [FinalizationRegistry, Map, Set, WeakMap, WeakRef, WeakSet]) {
  const { prototype } = Class;
  const Safe = class extends Class {};
  for (const key of [...Object.getOwnPropertyNames(prototype), Symbol.iterator]) {
    // An assignment costs a tenth of a definition, and every start pays for it. The methods become enumerable, which nothing sees.
    if (key === 'size') Object.defineProperty(Safe.prototype, key, Object.getOwnPropertyDescriptor(prototype, key));
    else if (key !== 'constructor' && key in prototype) Safe.prototype[key] = prototype[key];
  }
  primordials.push(Safe);
}

// `JSON.parse` and `JSON.stringify` with V8's messages. The captured functions are replaced too: builtins pass errors of JSON on.
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
// Prototypes that no global name leads to.
const iteratorPrototypeOf = (value) => Object.getPrototypeOf(value[Symbol.iterator]());

module.exports = { iteratorPrototypeOf, iteratorPrototypes: [iteratorPrototypeOf([]), iteratorPrototypeOf('')], json };
