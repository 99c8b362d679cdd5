'use strict';
// Repeats a call with the original builtins of the language, if the program has replaced or deleted some. Builtin modules capture what
// their hot paths need (crates/js/src/primordials.rs); other methods they call by name. Only for code that may run twice.
//
// The originals come from a new realm, because to keep them all would cost a tenth of every start. This file uses captured functions and
// loops over indices only.

// The classes whose functions are put back, with their prototypes. Not those with a hash table, whose functions find the entries of their own
// realm only; programs cannot reach the methods of `SafeMap` and the like. Not `Error` and `JSON`, which the runtime has changed.
const names = [
  'Array', 'ArrayBuffer', 'BigInt', 'Boolean', 'DataView', 'Date', 'Function', 'Math', 'Number', 'Object', 'Promise', 'Reflect', 'RegExp', 'String',
  'Symbol', 'Uint8Array',
];

const own = [Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Function, Math, Number, Object, Promise, Reflect, RegExp, String, Symbol, Uint8Array];
const arrayPrototype = Array.prototype;
const { iteratorPrototypeOf, iteratorPrototypes: ownIterators } = require('internal/primordials');

const isNative = (value) => typeof value === 'function' && StringPrototypeIncludes(FunctionPrototypeToString(value), '[native code]');

// A function of the other realm makes arrays of that realm: give them the prototype that ours have.
function adapted(original, foreignPrototype) {
  return function(...args) {
    const result = new.target === undefined ? Reflect.apply(original, this, args) : Reflect.construct(original, args, new.target);
    if (Array.isArray(result) && Object.getPrototypeOf(result) === foreignPrototype) Object.setPrototypeOf(result, arrayPrototype);
    return result;
  };
}

// Adds an entry for each function of an object that is not the original one.
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

function again(error, act) {
  // An error with a code is intended. Errors of the engine and of replaced functions have none.
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

module.exports = { again };
