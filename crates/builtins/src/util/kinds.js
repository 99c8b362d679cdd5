'use strict';

// The braces, keys and contents that `inspect` prints for each internal class of the engine. `iterables` has the classes with an iterator, `others`
// all other classes.

const contents = require('internal/util/contents');
const { keysBeside, keysOf, prefixOf } = require('internal/util/names');

const plainText = (text) => text;

const sizeOfMap = Object.getOwnPropertyDescriptor(SafeMap.prototype, 'size').get;
const sizeOfSet = Object.getOwnPropertyDescriptor(SafeSet.prototype, 'size').get;
const lengthOfTyped = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'length').get;

function describeArray(printer, shape, value, constructor, extra) {
  const prefix = constructor !== 'Array' || shape.tag !== '' ?
    prefixOf(constructor, shape.tag, 'Array', `(${value.length})`) : '';
  shape.keys = keysBeside(value, printer.showHidden);
  shape.open = `${prefix}[`;
  shape.close = ']';
  shape.isList = true;
  if (value.length === 0 && shape.keys.length === 0 && extra === undefined) shape.text = `${prefix}[]`;
  shape.inside = (level) => contents.list(printer, value, level);
}

function describeCollection(printer, shape, value, constructor, extra, kind) {
  const isMap = kind === 'Map';
  const size = (isMap ? sizeOfMap : sizeOfSet).call(value);
  const prefix = prefixOf(constructor, shape.tag, kind, `(${size})`);
  shape.keys = keysOf(value, printer.showHidden);
  shape.open = `${prefix}{`;
  if (size === 0 && shape.keys.length === 0 && extra === undefined) shape.text = `${prefix}{}`;
  // An object with a null prototype has no iterator, so the builtin iterator is used. It has no `size`, so all entries are printed
  // (`lib/internal/util/inspect.js: formatRaw`).
  const walked = constructor !== null ? value :
    (isMap ? SafeMap.prototype.entries : SafeSet.prototype.values).call(value);
  shape.inside = (level) => (isMap ? contents.map(printer, walked, level) : contents.set(printer, walked, level));
}

function describeTypedArray(printer, shape, value, constructor, extra, kind) {
  const size = lengthOfTyped.call(value);
  const prefix = prefixOf(constructor, shape.tag, constructor === null ? kind : '', `(${size})`);
  const walked = constructor === null ? new globalThis[kind](value) : value;
  shape.keys = keysBeside(value, printer.showHidden);
  shape.open = `${prefix}[`;
  shape.close = ']';
  shape.isList = true;
  if (size === 0 && shape.keys.length === 0 && !printer.showHidden) shape.text = `${prefix}[]`;
  shape.inside = () => contents.typedArray(printer, walked);
  if (printer.showHidden) {
    shape.getters = ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer'];
    shape.isInView = true;
  }
}

function describeIterator(printer, shape, value, constructor, extra, kind) {
  const { tag } = shape;
  const name = tag === kind ? tag : `${tag === '' ? '' : `${tag}] [`}${kind}`;
  shape.keys = keysOf(value, printer.showHidden);
  shape.open = `[${name}] {`;
  shape.inside = (level) => contents.iterator(printer, shape, value, level);
}

const iterables = {
  '__proto__': null,
  'Array': describeArray,
  'Map': describeCollection,
  'Set': describeCollection,
  'Map Iterator': describeIterator,
  'Set Iterator': describeIterator,
};
for (const kind of [
  'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
  'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array',
]) iterables[kind] = describeTypedArray;

function describeBuffer(kind) {
  return (printer, shape, value, constructor, isBare, isInView) => {
    const prefix = prefixOf(constructor, shape.tag, kind);
    if (!isInView) {
      shape.inside = () => contents.bytes(printer, value);
    } else if (isBare()) {
      shape.text = `${prefix}{ [byteLength]: ${printer.stylize(`${value.byteLength}`, 'number')} }`;
    }
    shape.open = `${prefix}{`;
    shape.getters = ['byteLength'];
  };
}

function describeBox(type) {
  const { valueOf } = { BigInt, Boolean, Number, String, Symbol }[type].prototype;
  return (printer, shape, value, constructor, isBare) => {
    // The characters of a String object are own properties, but they are not printed as properties.
    if (type === 'String') shape.keys.splice(0, value.length);
    let base = `[${type}`;
    if (type !== constructor) base += constructor === null ? ' (null prototype)' : ` (${constructor})`;
    base += `: ${printer.primitive(valueOf.call(value), plainText)}]`;
    if (shape.tag !== '' && shape.tag !== constructor) base += ` [${shape.tag}]`;
    shape.base = shape.keys.length > 0 ? base : printer.stylize(base, type.toLowerCase());
    if (isBare()) shape.text = shape.base;
  };
}

function describeInside(kind, inside) {
  return (printer, shape, value, constructor) => {
    shape.open = `${prefixOf(constructor, shape.tag, kind)}{`;
    shape.inside = (level) => inside(printer, value, level, shape);
  };
}

const others = {
  __proto__: null,
  RegExp(printer, shape, value, constructor, isBare, isInView, level) {
    const text = RegExp.prototype.toString.call(constructor === null ? new RegExp(value) : value);
    const prefix = prefixOf(constructor, shape.tag, 'RegExp');
    shape.base = prefix === 'RegExp ' ? text : `${prefix}${text}`;
    if (isBare() || printer.isTooDeep(level)) shape.text = printer.stylize(shape.base, 'regexp');
  },
  Date(printer, shape, value, constructor, isBare) {
    const { getTime, toString, toISOString } = Date.prototype;
    const text = (Number.isNaN(getTime.call(value)) ? toString : toISOString).call(value);
    const prefix = prefixOf(constructor, shape.tag, 'Date');
    shape.base = prefix === 'Date ' ? text : `${prefix}${text}`;
    if (isBare()) shape.text = printer.stylize(shape.base, 'date');
  },
  ArrayBuffer: describeBuffer('ArrayBuffer'),
  SharedArrayBuffer: describeBuffer('SharedArrayBuffer'),
  DataView(printer, shape, value, constructor) {
    shape.open = `${prefixOf(constructor, shape.tag, 'DataView')}{`;
    shape.getters = ['byteLength', 'byteOffset', 'buffer'];
  },
  Promise: describeInside('Promise', (printer, value, level) => contents.promise(printer, value, level)),
  WeakSet: describeInside('WeakSet', (printer, value, level) => contents.weak(printer, value, level, false)),
  WeakMap: describeInside('WeakMap', (printer, value, level) => contents.weak(printer, value, level, true)),
  Module: describeInside('Module', (printer, value, level, shape) => contents.namespace(printer, value, shape.keys, level)),
  Number: describeBox('Number'),
  String: describeBox('String'),
  Boolean: describeBox('Boolean'),
  BigInt: describeBox('BigInt'),
  Symbol: describeBox('Symbol'),
};

module.exports = { iterables, others };
