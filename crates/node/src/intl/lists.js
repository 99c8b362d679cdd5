'use strict';
// `toLocaleString` of arrays and typed arrays.

// Arrays being converted: a cyclic reference gives an empty string.
const converting = new Set();

function joined(list, length, locales, options) {
  if (converting.has(list)) return '';
  converting.add(list);
  try {
    let text = '';
    for (let index = 0; index < length; index++) {
      const element = list[index];
      if (index > 0) text += ',';
      if (element !== undefined && element !== null) text += `${element.toLocaleString(locales, options)}`;
    }
    return text;
  } finally {
    converting.delete(list);
  }
}

// Implements `Array.prototype.toLocaleString`.
function ofArray(value, locales, options) {
  if (value === undefined || value === null) throw new TypeError('Cannot convert undefined or null to object');
  const list = Object(value);
  const length = Math.min(Math.max(Math.trunc(Number(list.length)) || 0, 0), Number.MAX_SAFE_INTEGER);
  return joined(list, length, locales, options);
}

const { get: lengthOf } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'length');

// Implements `%TypedArray%.prototype.toLocaleString`.
function ofTypedArray(value, locales, options) {
  let length;
  try {
    length = Reflect.apply(lengthOf, value, []);
  } catch {
    const shown = typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value);
    throw new TypeError(`Method %TypedArray%.prototype.toLocaleString called on incompatible receiver ${shown}`);
  }
  return joined(value, length, locales, options);
}

module.exports = { ofArray, ofTypedArray };
