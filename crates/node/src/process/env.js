'use strict';
// `process.env`: an object whose changes are the environment's. Everything in it is text.

function check(key, value) {
  // As Node: a symbol cannot be text, on either side.
  return `${typeof key === 'symbol' ? String.prototype.concat.call('', key) : key}` && `${value}`;
}

module.exports = new Proxy(native.env(), {
  set(target, key, value) {
    const text = check(key, value);
    target[key] = text;
    native.setEnv(key, text);
    return true;
  },
  defineProperty(target, key, descriptor) {
    if ('value' in descriptor && !('get' in descriptor)) {
      const { configurable, writable, enumerable } = descriptor;
      // The set above comes here too, with nothing but the value.
      const own = Object.hasOwn(target, key);
      if ((configurable && writable && enumerable) ||
          (own && configurable === undefined && writable === undefined && enumerable === undefined)) {
        const text = check(key, descriptor.value);
        native.setEnv(key, text);
        return Reflect.defineProperty(target, key, { value: text, configurable: true, writable: true, enumerable: true });
      }
      const { ERR_INVALID_OBJECT_DEFINE_PROPERTY } = require('internal/errors');
      throw new ERR_INVALID_OBJECT_DEFINE_PROPERTY(
        `'process.env' only accepts a configurable, writable, and enumerable data descriptor`);
    }
    const { ERR_INVALID_OBJECT_DEFINE_PROPERTY } = require('internal/errors');
    throw new ERR_INVALID_OBJECT_DEFINE_PROPERTY(`'process.env' does not accept an accessor(getter/setter) descriptor`);
  },
  deleteProperty(target, key) {
    if (typeof key === 'string' && Object.hasOwn(target, key)) native.setEnv(key, undefined);
    delete target[key];
    return true;
  },
});
