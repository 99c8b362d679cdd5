'use strict';
// `vm` contexts: an engine realm for each sandbox object. Realms themselves are in `phasor-js`; this file adds the
// globals that V8's contexts have and removes those that only QuickJS has.

const engine = require('internal/vm/engine');

// Stores a private field on foreign objects: invisible, and collected together with the object, which a map entry
// whose value refers back to its key would prevent.
class Given {
  constructor(object) { return object; }
}
class Realm extends Given {
  #handle;
  constructor(object, handle) {
    super(object);
    this.#handle = handle;
  }
  static of(object) { return #handle in object ? object.#handle : fixed.get(object); }
}

// Non-extensible sandboxes, which cannot get a private field. They leak: the map holds the realm, which holds the
// sandbox.
const fixed = new WeakMap();

function marked(object, handle) {
  if (Object.isExtensible(object)) return new Realm(object, handle);
  fixed.set(object, handle);
  return object;
}

// Globals of a new QuickJS realm that are not part of ECMAScript.
const others = ['InternalError', 'DOMException', 'performance', 'queueMicrotask', 'atob', 'btoa', 'navigator'];

// Methods of V8's console, which in a context has no output.
const consoleMethods = ('debug error info log warn dir dirxml table trace group groupCollapsed groupEnd clear count countReset assert profile ' +
  'profileEnd time timeLog timeEnd timeStamp').split(' ');

// Runs inside the realm, so that the objects it creates belong to it, before the sandbox is attached.
const SETUP = `(function (given) {
  'use strict';
  const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const Class = Error;
  const hide = (object, key, value) =>
    defineProperty(object, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  const { get: read } = getOwnPropertyDescriptor(Class.prototype, 'stack');
  defineProperty(Class.prototype, 'stack', {
    __proto__: null, configurable: true, enumerable: false,
    get() { return given.first(this, read, Class); },
    set(value) { given.set(this, value); },
  });
  const capture = Class.captureStackTrace;
  hide(Class, 'captureStackTrace', function captureStackTrace(target, above) {
    const below = typeof above === 'function' ? above : captureStackTrace;
    capture(target, below);
    given.captured(target, below.name, Class);
  });
  for (const name of given.others) delete globalThis[name];
  for (const name of ['fileName', 'lineNumber', 'columnNumber']) delete Function.prototype[name];
  delete globalThis[Symbol.toStringTag];
  const console = {};
  for (const name of given.consoleMethods) console[name] = { [name]() {} }[name];
  defineProperty(console, Symbol.toStringTag, { __proto__: null, value: 'console', configurable: true });
  hide(globalThis, 'console', console);
  defineProperty(globalThis, 'Intl', {
    __proto__: null, configurable: true, enumerable: false,
    get() { const value = given.intl(); hide(globalThis, 'Intl', value); return value; },
    set(value) { hide(globalThis, 'Intl', value); },
  });
  given.localize(globalThis);
  if (given.gc !== undefined) hide(globalThis, 'gc', function gc() { given.gc(); });
  if (given.strings) return;
  const { EvalError } = globalThis;
  const refuse = () => { throw new EvalError('Code generation from strings disallowed for this context'); };
  hide(globalThis, 'eval', { eval(text) { refuse(); } }.eval);
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

const stack = () => require('internal/stack');
const first = (error, read, Class) => stack().first(error, read, Class);
const set = (error, value) => stack().set(error, value);
const captured = (target, called, Class) => stack().captured(target, called, Class);
const intl = () => require('internal/intl').Intl;
const { localize } = require('internal/bootstrap');
const explain = (error, given, parsing) => require('internal/json')(error, given, parsing);

// Creates a context for a sandbox; without one, returns the realm's global object.
function make(sandbox, strings) {
  const { 0: handle, 1: inner } = engine.makeRealm();
  engine.compile(SETUP, 'node:internal/vm/realm', 0, handle)()({
    first, set, captured, others, consoleMethods, intl, localize, strings, gc: require('internal/gc').inContexts(),
  });
  engine.equipErrors(handle, native.thrown, explain);
  if (sandbox === undefined) return marked(inner, handle);
  engine.attachSandbox(handle, sandbox);
  return marked(sandbox, handle);
}

module.exports = { make, of: Realm.of };
