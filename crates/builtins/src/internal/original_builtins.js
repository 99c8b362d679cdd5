'use strict';
// Repeats a call with the original builtins of ECMAScript, if the program has replaced or deleted some of them. Builtin modules capture the functions
// of their hot paths (crates/js/src/primordials.rs), and call other methods by name. Only for code that may run twice.
//
// The originals come from a new realm, because capturing them all would take a tenth of the time of every start. This file itself uses only captured
// functions and loops over indices.

// The classes whose functions are restored, with those of their prototypes. Collections are not included: their functions accept only collections of
// their own realm, and programs cannot reach the methods of `SafeMap` and the other safe collections. `Error` and `JSON` are not included, because
// the runtime itself has changed them.
const names = [
  'Array', 'ArrayBuffer', 'BigInt', 'Boolean', 'DataView', 'Date', 'Function', 'Math', 'Number', 'Object', 'Promise', 'Reflect', 'RegExp', 'String',
  'Symbol', 'Uint8Array',
];

const own = [Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Function, Math, Number, Object, Promise, Reflect, RegExp, String, Symbol, Uint8Array];
const arrayPrototype = Array.prototype;
const { iteratorPrototypeOf, iteratorPrototypes: ownIterators } = require('internal/primordials');

const isNative = (value) => typeof value === 'function' && StringPrototypeIncludes(FunctionPrototypeToString(value), '[native code]');

// A function of the other realm creates arrays of that realm: give them the `Array.prototype` of this realm.
function adapted(original, foreignPrototype) {
  return function(...args) {
    const result = new.target === undefined ? Reflect.apply(original, this, args) : Reflect.construct(original, args, new.target);
    if (Array.isArray(result) && Object.getPrototypeOf(result) === foreignPrototype) Object.setPrototypeOf(result, arrayPrototype);
    return result;
  };
}

// Adds an entry to `changes` for each function of `object` that is not native.
function collect(object, from, foreignPrototype, changes) {
  const keys = Reflect.ownKeys(from);
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at];
    if (key === 'prototype' || key === 'constructor') continue;
    const original = Reflect.getOwnPropertyDescriptor(from, key);
    const found = Reflect.getOwnPropertyDescriptor(object, key);
    const part = typeof original.value === 'function' ? 'value' : 'get';
    if (typeof original[part] !== 'function' || isNative(found?.[part])) continue;
    if (part === 'value') original.value = adapted(original.value, foreignPrototype);
    changes[changes.length] = { __proto__: null, object, key, found, original };
  }
}

function findChanges() {
  const realm = require('internal/vm/engine').makeRealm();
  const foreignPrototype = realm.Array.prototype;
  const changes = [];
  const look = (object, from) => collect(object, from, foreignPrototype, changes);
  for (let at = 0; at < names.length; at++) {
    const from = realm[names[at]];
    look(own[at], from);
    if (from.prototype !== undefined) look(own[at].prototype, from.prototype);
  }
  look(Object.getPrototypeOf(Uint8Array).prototype, Object.getPrototypeOf(realm.Uint8Array).prototype);
  const foreignIterators = [iteratorPrototypeOf(new realm.Array()), iteratorPrototypeOf(new realm.String())];
  for (let at = 0; at < ownIterators.length; at++) look(ownIterators[at], foreignIterators[at]);
  return changes;
}

// `act` has thrown `error`. Calls `act` again with the originals in place of the builtins that the program has changed, and returns its result.
// Throws `error` if the program has changed none.
function retry(error, act) {
  // An error with a code is intended: errors of the engine and of replaced functions have no code.
  if (error?.code !== undefined) throw error;
  const changes = findChanges();
  if (changes.length === 0) throw error;
  for (let at = 0; at < changes.length; at++) Reflect.defineProperty(changes[at].object, changes[at].key, changes[at].original);
  try {
    return act();
  } finally {
    for (let at = 0; at < changes.length; at++) {
      const { object, key, found } = changes[at];
      if (found === undefined) Reflect.deleteProperty(object, key);
      else Reflect.defineProperty(object, key, found);
    }
  }
}

module.exports = { retry };
