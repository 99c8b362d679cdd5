'use strict';
// JavaScript part of the structured clone (the traversal is in crates/js/src/clone.rs): reading and creating objects
// with the original builtins, and `structuredClone`.

const { ERR_MISSING_ARGS } = require('internal/errors');

const uncurry = (method) => Function.prototype.call.bind(method);
const getter = (Class, name) => uncurry(Object.getOwnPropertyDescriptor(Class.prototype, name).get);
const TypedArray = Object.getPrototypeOf(Uint8Array);

const mapForEach = uncurry(SafeMap.prototype.forEach);
const mapSet = uncurry(SafeMap.prototype.set);
const setForEach = uncurry(SafeSet.prototype.forEach);
const setAdd = uncurry(SafeSet.prototype.add);
const dateValue = uncurry(Date.prototype.getTime);
const regexpSource = getter(RegExp, 'source');
const regexpFlags = getter(RegExp, 'flags');
const functionText = uncurry(Function.prototype.toString);
const symbolText = uncurry(Symbol.prototype.toString);
const bigintText = uncurry(BigInt.prototype.toString);
const unbox = [String, Number, Boolean, BigInt].map((Class) => uncurry(Class.prototype.valueOf));
const typedTag = uncurry(Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get);
const typedParts = ['buffer', 'byteOffset', 'length'].map((name) => getter(TypedArray, name));
const viewParts = ['buffer', 'byteOffset', 'byteLength'].map((name) => getter(DataView, name));
const resizable = getter(ArrayBuffer, 'resizable');
const maxByteLength = getter(ArrayBuffer, 'maxByteLength');
const detached = getter(ArrayBuffer, 'detached');
const growable = getter(SharedArrayBuffer, 'growable');
const hasOwn = Object.hasOwn;
const objectToString = Object.prototype.toString;

const classes = {
  __proto__: null, DataView, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array,
  Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array,
};
if (typeof Float16Array === 'function') classes.Float16Array = Float16Array;
const errors = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

const {
  kClone, kDeserialize, kMoved, kPacked, kStayed, kTransfer, kTransferList, kTransferOnly, kUncloneable, kUntransferable,
} = require('internal/clone_symbols');

// Objects transferred with the message being written, their replacements, and which of them the message contains.
let moving;
let met;

// The class of a `module:Name` reference. Only some classes can be deserialized.
function classAt(place) {
  const at = place.lastIndexOf(':');
  const [module, name] = [place.slice(0, at), place.slice(at + 1)];
  if (module.startsWith('/') || module.startsWith('.')) throw new Error(`Missing internal module '${module}'`);
  const Class = require(module)[name];
  if (Class?.[kDeserialize] === undefined) throw new Error(`Unknown deserialize spec ${place}`);
  return Class[kDeserialize];
}

function dataCloneError(message) {
  const { DOMException } = require('internal/domexception');
  return new DOMException(message, 'DataCloneError');
}

// The text of a value as V8 shows it, without running its code.
function describe(value) {
  if (typeof value === 'function') return functionText(value).replace(/\{\s+\[native code\]\s+\}$/, '{ [native code] }');
  if (typeof value === 'symbol') return symbolText(value);
  if (value.toString === objectToString) {
    const Class = dataProperty(value, 'constructor');
    if (typeof Class === 'function' && Class.name !== '') return `#<${Class.name}>`;
  }
  return objectToString.call(value);
}

// Reads a data property without running a getter.
function dataProperty(object, name) {
  for (; object !== null; object = Object.getPrototypeOf(object)) {
    const property = Object.getOwnPropertyDescriptor(object, name);
    if (property !== undefined) return property.value;
  }
  return undefined;
}

function refuse(value) {
  let name = 'null';
  try {
    // Throws for a revoked proxy, which V8 shows as null; traps of other proxies throw in `describe`.
    Array.isArray(value);
    name = '#<Object>';
    name = describe(value);
  } catch {
    // Use the name found so far.
  }
  throw dataCloneError(`${name} could not be cloned.`);
}

const take = {
  __proto__: null,
  bigint: (value) => [bigintText(value)],
  date: (value) => [dateValue(value)],
  regexp: (value) => [regexpSource(value), regexpFlags(value)],
  map(value) {
    const items = [];
    mapForEach(value, (item, key) => items.push(key, item));
    return items;
  },
  set(value) {
    const items = [];
    setForEach(value, (item) => items.push(item));
    return items;
  },
  boxed(value) {
    for (const open of unbox) {
      try {
        return [open(value)];
      } catch {
        // The object has another class: try the next.
      }
    }
    return refuse(value);
  },
  error(value) {
    const { name, stack } = value;
    const parts = [typeof name === 'string' && name in errors ? name : 'Error', undefined, undefined];
    const message = Object.getOwnPropertyDescriptor(value, 'message');
    if (message !== undefined && 'value' in message) parts[1] = `${message.value}`;
    if (typeof stack === 'string') parts[2] = stack;
    if (hasOwn(value, 'cause')) parts.push(value.cause);
    return parts;
  },
  view(value) {
    const name = typedTag(value);
    const [buffer, offset, length] = name === undefined ? viewParts : typedParts;
    return [name ?? 'DataView', buffer(value), offset(value), length(value)];
  },
  buffer(value) {
    if (value instanceof SharedArrayBuffer) return [false, growable(value) ? value.maxByteLength : undefined];
    if (detached(value)) throw dataCloneError('An ArrayBuffer is detached and could not be cloned.');
    return [false, resizable(value) ? maxByteLength(value) : undefined];
  },
};

const make = {
  __proto__: null,
  bigint: ([digits]) => BigInt(digits),
  date: ([time]) => new Date(time),
  regexp: ([source, flags]) => new RegExp(source, flags),
  map: () => new Map(),
  set: () => new Set(),
  boxed: ([value]) => Object(value),
  error([name, message, stack]) {
    const error = new errors[name](message);
    Object.defineProperty(error, 'stack', {
      __proto__: null, value: stack, writable: true, enumerable: false, configurable: true,
    });
    return error;
  },
  view: ([name, buffer, offset, length]) => new classes[name](buffer, offset, length),
  resizable([bytes, maxByteLength]) {
    const buffer = new ArrayBuffer(bytes.byteLength, { maxByteLength });
    new Uint8Array(buffer).set(new Uint8Array(bytes));
    return buffer;
  },
  host([place]) {
    return classAt(place).shell();
  },
};

const fill = {
  __proto__: null,
  map(map, items) {
    for (let i = 0; i < items.length; i += 2) mapSet(map, items[i], items[i + 1]);
  },
  set(set, items) {
    for (let i = 0; i < items.length; i++) setAdd(set, items[i]);
  },
  cause(error, [cause]) {
    Object.defineProperty(error, 'cause', {
      __proto__: null, value: cause, writable: true, enumerable: false, configurable: true,
    });
  },
  host(object, [place, data]) {
    classAt(place).fill(object, data);
  },
};

// Callbacks of the traversal, by type.
const parts = {
  __proto__: null,
  refuse,
  // `process.env` is a proxy here, but not in Node.
  plain: (proxy) => (proxy === require('process').env ? { ...proxy } : refuse(proxy)),
  // Set when an object is first marked as uncloneable or untransferable.
  marked: false,
  // Creates the port of a transferred end.
  adopt: (end) => require('internal/messaging').portOf(end),
  take: (kind, value) => take[kind](value),
  make: (kind, given) => make[kind](given),
  fill(kind, value, items) {
    fill[kind](value, items);
  },
  host(value) {
    const moved = moving?.get(value);
    if (moved !== undefined) {
      const { deserializeInfo, data } = moved;
      met.push(value);
      value[kPacked]?.();
      return [deserializeInfo, data];
    }
    if (value[kUncloneable]) throw dataCloneError('Cannot clone object of unsupported type.');
    const clone = value[kClone];
    if (clone !== undefined && typeof clone === 'function') {
      const made = clone.call(value);
      if (made !== undefined) return [made.class, made.data];
    }
    if (value[kTransferOnly] || typeof value[kTransfer] === 'function') {
      throw dataCloneError('Object that needs transfer was found in message but not listed in transferList');
    }
    return undefined;
  },
};

function invalid(message) {
  const error = new TypeError(message);
  error.code = 'ERR_INVALID_ARG_TYPE';
  return error;
}

// Sorts a transfer list into buffers, ports and other objects; throws for anything else.
function sortTransfers(list, sourcePort) {
  const sorted = { buffers: [], ports: [], others: undefined };
  if (list.length === 0) return sorted;
  sortInto(sorted, list, sourcePort);
  if (sorted.others === undefined) return sorted;
  try {
    // Transferred objects may have transfer lists of their own.
    for (let at = 0; at < sorted.others.length; at++) {
      const more = sorted.others[at][kTransferList]?.();
      if (more !== undefined) sortInto(sorted, more, sourcePort);
    }
  } catch (error) {
    stay(sorted.others);
    throw error;
  }
  return sorted;
}

function stay(others) {
  for (const one of others) one[kStayed]?.();
}

function sortInto(sorted, list, sourcePort) {
  const { buffers, ports } = sorted;
  for (const item of list) {
    if (item?.[kUntransferable]) throw dataCloneError('Cannot transfer object of unsupported type.');
    if (item !== null && typeof item === 'object' && typeof item[kTransfer] === 'function') {
      if (sorted.others?.includes(item)) {
        throw dataCloneError(`Transfer list contains duplicate ${item.constructor?.name ?? 'Object'}`);
      }
      (sorted.others ??= []).push(item);
      continue;
    }
    const isPort = item !== null && typeof item === 'object' && item[kTransferOnly] === true;
    if (isPort) {
      if (item === sourcePort) throw dataCloneError('Transfer list contains source port');
      if (ports.includes(item)) throw dataCloneError('Transfer list contains duplicate MessagePort');
      if (require('internal/messaging').handleOf(item) === undefined) throw dataCloneError('MessagePort in transfer list is already detached');
      ports.push(item);
    } else if (item instanceof ArrayBuffer) {
      if (buffers.includes(item)) throw dataCloneError('Transfer list contains duplicate ArrayBuffer');
      if (detached(item)) throw dataCloneError('Cannot transfer object of unsupported type.');
      buffers.push(item);
    } else {
      throw dataCloneError('Found invalid value in transferList.');
    }
  }
}

// Writes a message with transferred objects: they are detached only if writing succeeds.
function withMoving(ports, others, write) {
  if (others === undefined) {
    const result = write();
    detachPorts(ports);
    return result;
  }
  met = [];
  const found = met;
  let result;
  try {
    moving = new Map();
    for (const one of others) moving.set(one, one[kTransfer]());
    result = write();
  } catch (error) {
    stay(others);
    throw error;
  } finally {
    moving = undefined;
    met = undefined;
  }
  detachPorts(ports);
  for (const one of others) one[kMoved]?.(found.includes(one));
  return result;
}

function structuredClone(value, options) {
  if (arguments.length === 0) throw new ERR_MISSING_ARGS('The value argument must be specified');
  let list = [];
  if (options !== undefined && options !== null) {
    if (typeof options !== 'object' && typeof options !== 'function') {
      throw invalid("Failed to execute 'structuredClone': Options cannot be converted to a dictionary");
    }
    const { transfer } = options;
    if (transfer !== undefined) {
      if (transfer === null || typeof transfer !== 'object' || typeof transfer[Symbol.iterator] !== 'function') {
        throw invalid("Failed to execute 'structuredClone': transfer in Options can not be converted to sequence.");
      }
      list = [...transfer];
      for (const item of list) {
        if ((typeof item !== 'object' && typeof item !== 'function') || item === null) {
          throw invalid('Value is not an object');
        }
      }
    }
  }
  // Fast path: primitives need no traversal.
  if (list.length === 0 && (value === null || (typeof value !== 'object' && typeof value !== 'function' &&
      typeof value !== 'symbol'))) {
    return value;
  }
  const { buffers, ports, others } = sortTransfers(list);
  return withMoving(ports, others, () => native.structuredClone(parts, value, buffers, ports, handlesOf(ports)));
}

function handlesOf(ports) {
  return ports.length === 0 ? ports : ports.map(require('internal/messaging').handleOf);
}

// A transferred port cannot be transferred again.
function detachPorts(ports) {
  if (ports.length > 0) ports.forEach(require('internal/messaging').detach);
}

// Serializes for another process. `using` replaces `parts` to customize some types.
const toBytes = (value, using = parts) => native.toBytes(using, value);
const fromBytes = (bytes, using = parts) => native.fromBytes(using, bytes);

module.exports = { describe, fromBytes, handlesOf, invalid, parts, sortTransfers, structuredClone, toBytes, withMoving };
