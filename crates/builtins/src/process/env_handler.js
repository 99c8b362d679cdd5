'use strict';
// The proxy handler of `process.env`: all values are strings, and changes go to the environment. Reads use a local copy until threads share the
// environment; after that, each read asks the shared environment.

const { threadId } = require('internal/scheduler').options();

// Converts a name or value to a string. Symbols throw; the string is cut at NUL, and lone surrogates are replaced.
function textOf(key, value) {
  if (typeof key === 'symbol' || typeof value === 'symbol') {
    throw new TypeError('Cannot convert a Symbol value to a string');
  }
  const text = `${value}`.toWellFormed();
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

const DEP0104 = 'Assigning any value other than a string, number, or boolean to a process.env property is deprecated. ' +
  'Please make sure to convert the value to a string before setting process.env with it.';
let hasWarned = false;

function warnOfOddValue() {
  hasWarned = true;
  if (!require('internal/options').has('pending-deprecation')) return;
  require('process').emitWarning(DEP0104, 'DeprecationWarning', 'DEP0104');
}

function put(target, key, value) {
  if (!hasWarned && typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') warnOfOddValue();
  const text = textOf(key, value);
  // setenv(3) has rejected the name: ignore the assignment.
  if (native.setEnv(key, text) !== 0) return true;
  return Reflect.defineProperty(target, key, {
    __proto__: null, value: text, configurable: true, writable: true, enumerable: true,
  });
}

function refuse(message) {
  const { ERR_INVALID_OBJECT_DEFINE_PROPERTY } = require('internal/errors');
  throw new ERR_INVALID_OBJECT_DEFINE_PROPERTY(message);
}

// `process.env` has its own prototype object, as in Node.
const prototype = Object.create(Object.prototype, { constructor: { value: Object, configurable: true, writable: true } });

const target = Object.setPrototypeOf(native.env(), prototype);

const handler = {
  __proto__: null,
  set: put,
  defineProperty(target, key, descriptor) {
    if (Object.hasOwn(descriptor, 'get') || Object.hasOwn(descriptor, 'set')) {
      refuse(`'process.env' does not accept an accessor(getter/setter) descriptor`);
    }
    const { value, configurable, writable, enumerable } = descriptor;
    if (!('value' in descriptor) || !(configurable && writable && enumerable)) {
      refuse(`'process.env' only accepts a configurable, writable, and enumerable data descriptor`);
    }
    put(target, key, value);
    return true;
  },
  deleteProperty(target, key) {
    if (typeof key === 'string' && Object.hasOwn(target, key)) native.setEnv(key, undefined);
    delete target[key];
    return true;
  },
  preventExtensions() { throw new TypeError('Cannot freeze'); },
};

// Updates the local copy of a variable, which another thread may have changed.
function refresh(key) {
  const now = native.getEnv(key);
  if (typeof now !== 'string') delete target[key];
  else if (target[key] !== now) target[key] = now;
}

const live = {
  get(target, key, receiver) {
    if (typeof key === 'string') refresh(key);
    return Reflect.get(target, key, receiver);
  },
  has(target, key) {
    if (typeof key === 'string') refresh(key);
    return Reflect.has(target, key);
  },
  getOwnPropertyDescriptor(target, key) {
    if (typeof key === 'string') refresh(key);
    return Reflect.getOwnPropertyDescriptor(target, key);
  },
  deleteProperty(target, key) {
    if (typeof key === 'string') native.setEnv(key, undefined);
    delete target[key];
    return true;
  },
  ownKeys(target) {
    const names = native.envNames();
    for (const name of Object.keys(target)) if (!names.includes(name)) delete target[name];
    for (const name of names) if (!Object.hasOwn(target, name)) refresh(name);
    return Reflect.ownKeys(target);
  },
};

// Called when another thread will share this environment: the local copy of a worker becomes a shared environment.
function share() {
  if (threadId !== 0 && handler.get === undefined) native.shareEnv(Object.entries(target).flat());
  Object.assign(handler, live);
}

// A worker shares the environment of its parent with `SHARE_ENV`; otherwise it has a copy of its own.
if (threadId !== 0 && native.isSharedEnv()) Object.assign(handler, live);

module.exports = { handler, share, target };
