'use strict';
// What a worker threw, as data that a parent makes the same of again: errors keep their class as far as it is the
// language's, and their own properties.

const kInspect = Symbol.for('nodejs.util.inspect.custom');
const classes = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

// The properties of an object and of its prototypes, the nearest first; what a getter gives is its value.
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
        // A property that cannot be had is none.
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

function toData(thrown, seen = new Set()) {
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
    // Something of it throws when it is looked at.
  }
  try {
    if (thrown !== null && thrown !== undefined && kInspect in thrown) return { kind: 'shown', value: inspect(thrown) };
  } catch {
    // As above, or it is no object.
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
      // One that had none gets none.
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
