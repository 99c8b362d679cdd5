'use strict';
// Structured clone: checks which objects a message may contain, and handles errors, Node's own classes and transferred objects.
//
// `encode` converts a value to a copy that the engine can serialize without running JavaScript, and `decode` converts a received copy back.
// Plain objects, arrays, maps and sets are copied. Dates, regular expressions, boxed values, buffers and views are left to the engine. Errors,
// objects of Node's classes and ports are *specials*: the copy has `undefined` in their place, and the message has a list of the specials
// and of their places.

const { ERR_MISSING_ARGS } = require('internal/errors');

const uncurry = (method) => Function.prototype.call.bind(method);
const getter = (Class, name) => uncurry(Object.getOwnPropertyDescriptor(Class.prototype, name).get);
const TypedArray = Object.getPrototypeOf(Uint8Array);

const mapForEach = uncurry(SafeMap.prototype.forEach);
const mapSet = uncurry(SafeMap.prototype.set);
const setForEach = uncurry(SafeSet.prototype.forEach);
const setAdd = uncurry(SafeSet.prototype.add);
const functionText = uncurry(Function.prototype.toString);
const symbolText = uncurry(Symbol.prototype.toString);
const typedTag = uncurry(Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get);
const typedBuffer = getter(TypedArray, 'buffer');
const viewBuffer = getter(DataView, 'buffer');
const detached = getter(ArrayBuffer, 'detached');
const hasOwn = Object.hasOwn;
const objectToString = Object.prototype.toString;

const errors = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

// Classes of objects (`BuiltinClass` of crates/engine). The others are left to the engine: boxed values, dates, shared buffers.
const kPlain = 0, kArray = 1, kError = 3, kMap = 6, kSet = 7, kArrayBuffer = 8, kView = 10, kProxy = 11, kOther = 12;

const {
  kClone, kDeserialize, kMoved, kPacked, kStayed, kTransfer, kTransferList, kTransferOnly, kUncloneable, kUntransferable,
} = require('internal/clone_symbols');

// `moving` maps the objects that the message being written transfers to their data; `met` lists those that the message contains.
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

// Kinds of specials: a port, an error, an object of one of Node's classes.
const kPort = 0, kErrorParts = 1, kHost = 2;

// The state of one `encode` call.
class Encoder {
  // The copy of each visited object.
  copies = new SafeMap();
  // The data of each special: `[kPort, index]`, `[kErrorParts, class, message, stack, cause]` or `[kHost, class, data]`.
  specials = [];
  // Triples of a container, a key and the index of the special that belongs there.
  patches = [];
  // Pairs of an empty map or set and its items, if some of these are specials.
  fills = [];
  // The objects whose contents are being copied, the innermost last.
  stack = [];
}

class Special {
  constructor(index) { this.index = index; }
}

// An object whose contents are being copied. `at` is the index of the next element, item or key.
class Frame {
  length = 0;
  keys = undefined;
  at = 0;
  isPatched = false;

  constructor(step, source, copy) {
    this.step = step;
    this.source = source;
    this.copy = copy;
  }
}

const kData = { __proto__: null, writable: true, enumerable: true, configurable: true };

function begin(encoder, step, source, copy) {
  const frame = new Frame(step, source, copy);
  encoder.stack.push(frame);
  return frame;
}

// Puts a copy into its container.
function put(encoder, container, key, copy) {
  if (copy instanceof Special) {
    encoder.patches.push(container, key, copy.index);
    copy = undefined;
  }
  if (key === '__proto__') Object.defineProperty(container, key, { ...kData, value: copy });
  else container[key] = copy;
}

function addSpecial(encoder, value, special) {
  const copy = new Special(encoder.specials.length);
  encoder.specials.push(special);
  if (value !== undefined) encoder.copies.set(value, copy);
  return copy;
}

// Returns the copy of a value. If the value has contents, this pushes a frame, and the loop of `encode` copies the contents.
function enter(encoder, value) {
  switch (typeof value) {
    case 'object':
      return value === null ? null : enterObject(encoder, value);
    case 'function':
    case 'symbol':
      return refuse(value);
    default:
      return value;
  }
}

function enterObject(encoder, value) {
  const known = encoder.copies.get(value);
  if (known !== undefined) return known;
  switch (native.classOf(value)) {
    case kPlain:
      if (parts.marked || Object.getPrototypeOf(value) !== Object.prototype) {
        const host = hostOf(value);
        if (host !== undefined) return enterHost(encoder, value, host);
      }
      return enterProperties(encoder, value);
    case kArray: {
      const copy = [];
      encoder.copies.set(value, copy);
      begin(encoder, stepArray, value, copy).length = value.length;
      return copy;
    }
    case kMap: {
      const items = [];
      mapForEach(value, (item, key) => items.push(key, item));
      return enterItems(encoder, value, new SafeMap(), items);
    }
    case kSet: {
      const items = [];
      setForEach(value, (item) => items.push(item));
      return enterItems(encoder, value, new SafeSet(), items);
    }
    case kError: {
      const host = hostOf(value);
      return host === undefined ? enterError(encoder, value) : enterHost(encoder, value, host);
    }
    case kView:
      checkBuffer(typedTag(value) === undefined ? viewBuffer(value) : typedBuffer(value));
      return value;
    case kArrayBuffer:
      checkBuffer(value);
      return value;
    case kProxy: {
      // `process.env` can be cloned in Node, where it is not a proxy.
      if (value !== require('process').env) return refuse(value);
      const copy = enterProperties(encoder, { ...value });
      encoder.copies.set(value, copy);
      return copy;
    }
    case kOther:
      return refuse(value);
    default:
      return value;
  }
}

function checkBuffer(buffer) {
  if (buffer instanceof ArrayBuffer && detached(buffer)) {
    throw dataCloneError('An ArrayBuffer is detached and could not be cloned.');
  }
}

function enterProperties(encoder, value) {
  // The copy has no prototype, so an own property `__proto__` is copied like any other.
  const copy = { __proto__: null };
  encoder.copies.set(value, copy);
  begin(encoder, stepProperties, value, copy).keys = Object.keys(value);
  return copy;
}

function enterItems(encoder, value, copy, items) {
  encoder.copies.set(value, copy);
  begin(encoder, stepItems, items, copy).keys = [];
  return copy;
}

function enterError(encoder, error) {
  const { name, stack } = error;
  const special = [kErrorParts, typeof name === 'string' && name in errors ? name : 'Error', undefined, undefined];
  const message = Object.getOwnPropertyDescriptor(error, 'message');
  if (message !== undefined && 'value' in message) special[2] = `${message.value}`;
  if (typeof stack === 'string') special[3] = stack;
  const copy = addSpecial(encoder, error, special);
  if (hasOwn(error, 'cause')) {
    special.push(undefined);
    begin(encoder, stepItem, error.cause, special).at = 4;
  }
  return copy;
}

function enterHost(encoder, value, { 0: place, 1: data }) {
  const special = [kHost, place, undefined];
  const copy = addSpecial(encoder, value, special);
  begin(encoder, stepItem, data, special).at = 2;
  return copy;
}

// Each step function copies the contents of a frame's object, starting at `frame.at`. It stops after a value that has contents itself, because
// those are copied first. It returns true when all contents are copied.

function stepProperties(encoder, frame) {
  const { source, copy, keys } = frame;
  const { length: depth } = encoder.stack;
  while (frame.at < keys.length) {
    const key = keys[frame.at++];
    const value = source[key];
    // A getter may have deleted the property.
    if (value === undefined && !hasOwn(source, key)) continue;
    put(encoder, copy, key, enter(encoder, value));
    if (encoder.stack.length !== depth) return false;
  }
  return true;
}

function stepArray(encoder, frame) {
  const { source, copy, length } = frame;
  const { length: depth } = encoder.stack;
  while (frame.keys === undefined) {
    const { at } = frame;
    if (at === length) {
      frame.keys = native.nonIndexKeys(source);
      frame.at = 0;
      break;
    }
    const value = source[at];
    if (value === undefined && !hasOwn(source, at)) {
      // The array is sparse: copy the rest by keys.
      copy.length = length;
      frame.keys = Object.keys(source);
      frame.at = 0;
      while (frame.at < frame.keys.length && Number(frame.keys[frame.at]) < at) frame.at++;
      break;
    }
    frame.at++;
    put(encoder, copy, at, enter(encoder, value));
    if (encoder.stack.length !== depth) return false;
  }
  return stepProperties(encoder, frame);
}

function stepItems(encoder, frame) {
  const { source, copy, keys: items } = frame;
  const { length: depth } = encoder.stack;
  while (frame.at < source.length) {
    const { at } = frame;
    frame.at++;
    const item = enter(encoder, source[at]);
    if (item instanceof Special) frame.isPatched = true;
    put(encoder, items, at, item);
    if (encoder.stack.length !== depth) return false;
  }
  if (frame.isPatched) encoder.fills.push(copy, items);
  else addItems(copy, items);
  return true;
}

// The cause of an error, or the data of a host object.
function stepItem(encoder, { copy, at, source }) {
  put(encoder, copy, at, enter(encoder, source));
  return true;
}

function addItems(collection, items) {
  if (collection instanceof SafeMap || native.classOf(collection) === kMap) {
    for (let i = 0; i < items.length; i += 2) mapSet(collection, items[i], items[i + 1]);
  } else {
    for (let i = 0; i < items.length; i++) setAdd(collection, items[i]);
  }
}

// Returns `[copy]`, or `[copy, specials, patches, fills]` if there are specials. `transferred` are the ports that the message transfers.
function encode(value, transferred) {
  const encoder = new Encoder();
  if (transferred !== undefined) {
    for (let i = 0; i < transferred.length; i++) addSpecial(encoder, transferred[i], [kPort, i]);
  }
  const message = [undefined];
  put(encoder, message, 0, enter(encoder, value));
  const { stack } = encoder;
  while (stack.length > 0) {
    const { length } = stack;
    const frame = stack[length - 1];
    // A frame that is complete may have pushed another: remove it by its index.
    if (frame.step(encoder, frame)) stack.splice(length - 1, 1);
  }
  if (encoder.patches.length > 0) message.push(encoder.specials, encoder.patches, encoder.fills);
  return message;
}

function makeSpecial(special, transferred) {
  const { 0: kind, 1: first } = special;
  if (kind === kPort) return transferred[first];
  if (kind === kHost) return classAt(first).shell();
  const error = new errors[first](special[2]);
  // SpiderMonkey's own properties of errors, which V8 does not have.
  delete error.fileName;
  delete error.lineNumber;
  delete error.columnNumber;
  Object.defineProperty(error, 'stack', {
    __proto__: null, value: special[3], writable: true, enumerable: false, configurable: true,
  });
  return error;
}

// Returns the value of an encoded message that has specials. All objects are created before any is filled, because they may refer to each
// other.
function decode(message, transferred) {
  const { 1: specials, 2: patches, 3: fills } = message;
  const made = [];
  for (let i = 0; i < specials.length; i++) made.push(makeSpecial(specials[i], transferred));
  for (let i = 0; i < patches.length; i += 3) patches[i][patches[i + 1]] = made[patches[i + 2]];
  for (let i = 0; i < fills.length; i += 2) addItems(fills[i], fills[i + 1]);
  for (let i = 0; i < specials.length; i++) {
    const special = specials[i];
    if (special[0] !== kErrorParts || special.length === 4) continue;
    Object.defineProperty(made[i], 'cause', {
      __proto__: null, value: special[4], writable: true, enumerable: false, configurable: true,
    });
  }
  // Objects of Node's classes read their data when they are filled, so they come last.
  for (let i = 0; i < specials.length; i++) {
    const special = specials[i];
    if (special[0] === kHost) classAt(special[1]).fill(made[i], special[2]);
  }
  return message[0];
}

// `[class, data]` of an object that is transferred, or of one of Node's cloneable classes.
function hostOf(value) {
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
}

// The functions that natives call, and the state that natives share with `markAsUncloneable`.
const parts = {
  __proto__: null,
  encode,
  decode,
  // Set when an object is first marked as uncloneable or untransferable.
  marked: false,
  // Creates the port of a transferred end.
  adopt: (end) => require('internal/messaging').portOf(end),
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

module.exports = { describe, handlesOf, invalid, parts, sortTransfers, structuredClone, withMoving };
