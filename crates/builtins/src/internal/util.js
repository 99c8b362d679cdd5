'use strict';

// Utilities shared by many modules: promisify, deprecate, lazily loaded properties, names of system errors.

const kEmptyObject = Object.freeze({ __proto__: null });
const customInspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const kCustomPromisified = Symbol.for('nodejs.util.promisify.custom');
// Key of the names of a callback's values, for functions whose callback receives several values (`fs.read`).
const customPromisifyArgs = Symbol('customPromisifyArgs');

const warnedCodes = new SafeSet();

// Returns a function that emits a deprecation warning once: functions with the same code share the warning.
function deprecationWarning(message, code, above) {
  let isWarned = false;
  return () => {
    if (isWarned) return;
    isWarned = true;
    if (code === undefined) {
      require('process').emitWarning(message, 'DeprecationWarning', above);
    } else if (!warnedCodes.has(code)) {
      require('process').emitWarning(message, 'DeprecationWarning', code, above);
      warnedCodes.add(code);
    }
  };
}

function deprecate(fn, message, code, useEmitSync, modifyPrototype = true) {
  if (code !== undefined) require('internal/validators').validateString(code, 'code');
  const warn = deprecationWarning(message, code, deprecated);
  function deprecated(...args) {
    if (!require('process').noDeprecation) warn();
    return new.target ? Reflect.construct(fn, args, new.target) : Reflect.apply(fn, this, args);
  }
  if (modifyPrototype) {
    // The wrapper keeps the prototype of the original function, so that `instanceof` and static properties work (`lib/internal/util.js: deprecate`).
    Object.setPrototypeOf(deprecated, fn);
    if (fn.prototype) deprecated.prototype = fn.prototype;
    const length = Object.getOwnPropertyDescriptor(fn, 'length');
    if (length !== undefined) Object.defineProperty(deprecated, 'length', Object.setPrototypeOf(length, null));
  }
  return deprecated;
}

function promisify(original) {
  const { validateFunction } = require('internal/validators');
  validateFunction(original, 'original');
  const own = original[kCustomPromisified];
  const mark = (fn) => Object.defineProperty(fn, kCustomPromisified, {
    __proto__: null, value: fn, enumerable: false, writable: false, configurable: true,
  });
  if (own) {
    validateFunction(own, 'util.promisify.custom');
    return mark(own);
  }
  const names = original[customPromisifyArgs];
  function fn(...args) {
    return new Promise((resolve, reject) => {
      const result = Reflect.apply(original, this, [...args, (error, ...values) => {
        if (error) reject(error);
        else if (names === undefined || values.length < 2) resolve(values[0]);
        else resolve(Object.fromEntries(names.map((name, at) => [name, values[at]])));
      }]);
      if (result !== null && typeof result === 'object' && require('internal/util/types').isPromise(result)) {
        require('process').emitWarning('Calling promisify on a function that returns a Promise is likely a mistake.',
                            'DeprecationWarning', 'DEP0174');
      }
    });
  }
  Object.setPrototypeOf(fn, Object.getPrototypeOf(original));
  mark(fn);
  return copyProperties(fn, Object.getOwnPropertyDescriptors(original));
}

// Defines properties from descriptors. The descriptors must not inherit `get` or `value` from a polluted Object.prototype.
function copyProperties(target, descriptors) {
  for (const key of Reflect.ownKeys(descriptors)) Object.setPrototypeOf(descriptors[key], null);
  return Object.defineProperties(target, descriptors);
}
promisify.custom = kCustomPromisified;

function once(callback) {
  let isCalled = false;
  return function(...args) {
    if (isCalled) return undefined;
    isCalled = true;
    return Reflect.apply(callback, this, args);
  };
}

const getSystemErrorMap = () => require('internal/errors').errnos();
const getSystemErrorName = (errno) => getSystemErrorMap().get(errno)?.[0] ?? `Unknown system error ${errno}`;
const getSystemErrorMessage = (errno) => getSystemErrorMap().get(errno)?.[1] ?? `Unknown system error ${errno}`;

// Defines read-only enumerable properties, like the constants of Node's bindings.
function defineConstants(target, values) {
  for (const key of Object.keys(values)) Object.defineProperty(target, key, { __proto__: null, value: values[key], enumerable: true });
}

// Defines properties whose module is loaded at the first read. Writing replaces the accessor by the value.
function defineLazyProperties(target, id, keys, enumerable = true) {
  for (const key of keys) {
    const put = (value) => Object.defineProperty(target, key, {
      __proto__: null, value, writable: true, enumerable, configurable: true,
    });
    Object.defineProperty(target, key, {
      __proto__: null,
      enumerable,
      configurable: true,
      get() {
        const value = require(id)[key];
        put(value);
        return value;
      },
      set: put,
    });
  }
}

// True if output to a stream is colored. FORCE_COLOR takes precedence over the color depth of the terminal
// (`lib/internal/util/colors.js: shouldColorize`).
function shouldColorize(stream) {
  const { FORCE_COLOR } = require('process').env;
  if (FORCE_COLOR !== undefined) {
    return FORCE_COLOR === '' || FORCE_COLOR === 'true' || FORCE_COLOR === '1' || FORCE_COLOR === '2' ||
      FORCE_COLOR === '3';
  }
  return Boolean(stream?.isTTY && (typeof stream.getColorDepth === 'function' ? stream.getColorDepth() > 2 : true));
}

module.exports = {
  copyProperties,
  customInspectSymbol,
  customPromisifyArgs,
  defineConstants,
  defineLazyProperties,
  deprecate,
  deprecationWarning,
  getSystemErrorMap,
  getSystemErrorMessage,
  getSystemErrorName,
  kEmptyObject,
  once,
  promisify,
  shouldColorize,
};
