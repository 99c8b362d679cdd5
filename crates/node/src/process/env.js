'use strict';
// `process.env`: an object whose changes are the environment's. Everything in it is text.

// As Node: a symbol cannot be text, on either side; the system's texts end at a nul.
function textOf(key, value) {
  if (typeof key === 'symbol' || typeof value === 'symbol') {
    throw new TypeError('Cannot convert a Symbol value to a string');
  }
  const text = `${value}`;
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}

function put(target, key, value) {
  const text = textOf(key, value);
  // A name that the system does not take is not kept.
  if (native.setEnv(key, text) !== 0) return true;
  return Reflect.defineProperty(target, key, {
    __proto__: null, value: text, configurable: true, writable: true, enumerable: true,
  });
}

function refuse(message) {
  const { ERR_INVALID_OBJECT_DEFINE_PROPERTY } = require('internal/errors');
  throw new ERR_INVALID_OBJECT_DEFINE_PROPERTY(message);
}

// As Node: a prototype of its own, between it and Object's.
const prototype = Object.create(Object.prototype, { constructor: { value: Object, configurable: true, writable: true } });

module.exports = new Proxy(Object.setPrototypeOf(native.env(), prototype), {
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
});
