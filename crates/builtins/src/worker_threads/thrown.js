'use strict';
// Serialization of uncaught errors: built-in error classes and own properties are restored in the parent.

const kInspect = Symbol.for('nodejs.util.inspect.custom');
const classes = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

// Properties of an object and its prototypes, nearest first; getters are read.
function propertiesOf(error, seen) {
  const all = { __proto__: null };
  for (let object = error; object !== null && object !== Object.prototype; object = Object.getPrototypeOf(object)) {
    for (const key of Object.getOwnPropertyNames(object)) {
      if (key in all || key === '__proto__') continue;
      try {
        const { value: own, get, enumerable } = Object.getOwnPropertyDescriptor(object, key);
        const value = get === undefined ? own : get.call(error);
        if (typeof value === 'function' || typeof value === 'symbol') continue;
        all[key] = { value: key === 'cause' ? toData(value, seen) : value, enumerable };
      } catch {
        // Skip a property whose getter throws.
      }
    }
  }
  return all;
}

function className(error) {
  for (let object = error; object !== null; object = Object.getPrototypeOf(object)) {
    const name = Object.getOwnPropertyDescriptor(object, 'constructor')?.value?.name;
    if (typeof name === 'string' && Object.hasOwn(classes, name)) return name;
  }
  return undefined;
}

function isCloneable(value) {
  try {
    require('internal/clone').structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

const inspect = (value) => require('internal/util/inspect').inspect(value);

function toData(thrown, seen = new SafeSet()) {
  if (typeof thrown === 'symbol') return { kind: 'symbol', value: thrown.description };
  try {
    if (typeof thrown === 'object' && thrown !== null && Object.prototype.toString.call(thrown) === '[object Error]') {
      if (seen.has(thrown)) return { kind: 'shown', value: '[Circular object]' };
      seen.add(thrown);
      const name = className(thrown);
      const properties = name === undefined ? undefined : propertiesOf(thrown, seen);
      if (name !== undefined && isCloneable(properties)) return { kind: 'error', name, properties };
    }
  } catch {
    // A getter threw: try the next form.
  }
  try {
    if (thrown !== null && thrown !== undefined && kInspect in thrown) return { kind: 'shown', value: inspect(thrown) };
  } catch {
    // The value is a primitive, for which `in` throws, or a getter threw.
  }
  if (isCloneable(thrown)) return { kind: 'value', value: thrown };
  return { kind: 'value', value: inspect(thrown) };
}

function fromData({ kind, name, properties, value }) {
  switch (kind) {
    case 'symbol': return Symbol.for(value);
    case 'shown': return { __proto__: null, [kInspect]: () => value };
    case 'value': return value;
    default: {
      const error = new classes[name]();
      for (const key of Object.getOwnPropertyNames(error)) delete error[key];
      // An error without a stack stays without one.
      Object.defineProperty(error, 'stack', { __proto__: null, value: undefined, writable: true, configurable: true });
      for (const key of Object.keys(properties)) {
        const { value: given, enumerable } = properties[key];
        const own = key === 'cause' && given !== undefined ? fromData(given) : given;
        Object.defineProperty(error, key, { __proto__: null, value: own, enumerable, writable: true, configurable: true });
      }
      return error;
    }
  }
}

module.exports = { fromData, toData };
