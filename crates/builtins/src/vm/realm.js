'use strict';
// `vm` contexts: an engine realm for each sandbox object. This file adds the globals that V8's contexts have and removes those that only this
// engine has.

const engine = require('internal/vm/engine');

// A base class whose constructor returns its argument: a derived class adds its private fields to that object. The field is invisible to the
// program and is collected together with the object.
class ReturnOverride {
  constructor(object) { return object; }
}
class Context extends ReturnOverride {
  #realm;
  constructor(object, realm) {
    super(object);
    this.#realm = realm;
  }
  static realmOf(object) { return #realm in object ? object.#realm : fixed.get(object); }
}

// The realms of non-extensible sandboxes. Engines may refuse to add a private field to a non-extensible object.
const fixed = new WeakMap();

function marked(object, realm) {
  if (Object.isExtensible(object)) return new Context(object, realm);
  fixed.set(object, realm);
  return object;
}

// Globals of the engine that V8 does not have.
const others = ['InternalError'];

// Methods of the `console` of a V8 context. They print nothing.
const consoleMethods = ('debug error info log warn dir dirxml table trace group groupCollapsed groupEnd clear count countReset assert profile ' +
  'profileEnd time timeLog timeEnd timeStamp').split(' ');

// Runs in the new realm before the sandbox is attached, so that the objects that it creates belong to the realm.
const SETUP = `(function (given) {
  'use strict';
  const { defineProperty, getPrototypeOf } = Object;
  const hide = (object, key, value) =>
    defineProperty(object, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  for (const name of given.others) delete globalThis[name];
  // Errors have a stack of their own.
  delete globalThis.Error.prototype.stack;
  const console = {};
  for (const name of given.consoleMethods) console[name] = { [name]() {} }[name];
  defineProperty(console, Symbol.toStringTag, { __proto__: null, value: 'console', configurable: true });
  hide(globalThis, 'console', console);
  const { Error } = globalThis;
  given.knowRealm(Error);
  const { captureStackTrace } = {
    captureStackTrace(target, above) { given.capture(target, above, captureStackTrace, Error); },
  };
  hide(Error, 'captureStackTrace', captureStackTrace);
  const { parse, stringify } = JSON;
  const json = {
    parse(text, reviver) {
      try {
        return parse(text, reviver);
      } catch (error) {
        given.explain(error, text, true);
        throw error;
      }
    },
    stringify(value, replacer, space) {
      try {
        return stringify(value, replacer, space);
      } catch (error) {
        given.explain(error, value, false);
        throw error;
      }
    },
  };
  hide(JSON, 'parse', json.parse);
  hide(JSON, 'stringify', json.stringify);
  if (given.gc !== undefined) hide(globalThis, 'gc', function gc() { given.gc(); });
  if (given.strings) return;
  const { EvalError } = globalThis;
  // V8 refuses any argument.
  const refuse = () => { throw new EvalError('Code generation from strings disallowed for this context'); };
  hide(globalThis, 'eval', { eval(text) { return refuse(); } }.eval);
  const kinds = [function() {}, function* () {}, async function() {}, async function* () {}];
  for (const kind of kinds) {
    const prototype = getPrototypeOf(kind);
    const { name } = prototype.constructor;
    const made = { [name]: function() { refuse(); } }[name];
    defineProperty(made, 'prototype', { __proto__: null, value: prototype, writable: false });
    defineProperty(made, 'length', { __proto__: null, value: 1, configurable: true });
    hide(prototype, 'constructor', made);
    if (kind === kinds[0]) hide(globalThis, 'Function', made);
  }
})`;

// Moves the globals of a realm to a new object and returns it. As a global object of V8, the object has a prototype whose own prototype is
// `Object.prototype`.
const MOVE = `(function () {
  'use strict';
  const { create, defineProperty, getOwnPropertyDescriptor } = Object;
  const { deleteProperty, ownKeys } = Reflect;
  const global = globalThis;
  const inner = create(create(Object.prototype));
  const keys = ownKeys(global);
  for (let i = 0; i < keys.length; i++) {
    defineProperty(inner, keys[i], getOwnPropertyDescriptor(global, keys[i]));
    deleteProperty(global, keys[i]);
  }
  return inner;
})()`;

// Creates a context for a sandbox; without one, returns the realm's global object.
function make(sandbox, strings) {
  try {
    return makeContext(sandbox, strings);
  } catch (error) {
    // The code of this file fails only without stack or memory. An error of the new realm becomes one of the calling realm.
    throw typeof error === 'object' && !(error instanceof RangeError) ? new RangeError(error.message) : error;
  }
}

function makeContext(sandbox, strings) {
  const realm = engine.makeRealm();
  const run = (text) => engine.compile(text, 'node:internal/vm/realm', 0, realm)();
  // Rewrites messages of JSON errors to V8's.
  const explain = (error, value, isParse) => { require('internal/json')(error, value, isParse); };
  const { capture, knowRealm } = require('internal/stack');
  run(SETUP)({ others, consoleMethods, strings, explain, capture, knowRealm, gc: require('internal/gc').inContexts() });
  if (sandbox === undefined) return marked(realm, realm);
  const inner = run(MOVE);
  inner.globalThis = engine.attachSandbox(realm, sandbox, inner);
  return marked(sandbox, realm);
}

module.exports = { make, of: Context.realmOf };
