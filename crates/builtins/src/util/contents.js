'use strict';

// Formats the contents of a printed object: array elements, map entries, the value of a promise. Each entry is one string. kinds.js and inspect.js
// format the braces and properties of an object.

const { layOut } = require('internal/util/layout');
const { moreItems, plural } = require('internal/util/text');

const { iteratorPreview, promiseParts, weakEntries } = native;

// How a property is formatted: as `key: value`, as an array element without its key, or as a property of an array that is not an element.
const IN_OBJECT = 0;
const ELEMENT = 1;
const BESIDE_ELEMENTS = 2;

function list(printer, value, level) {
  const length = Math.min(Math.max(0, printer.maxArrayLength), value.length);
  const output = [];
  for (let at = 0; at < length; at++) {
    const descriptor = Object.getOwnPropertyDescriptor(value, at);
    if (descriptor === undefined) return holes(printer, value, level, length, output, at);
    output.push(printer.property(value, level, at, ELEMENT, descriptor));
  }
  if (value.length > length) output.push(moreItems(value.length - length));
  return output;
}

// Formats a sparse array from element `start` on. A run of holes counts as one entry (`lib/internal/util/inspect.js: formatSpecialArray`).
function holes(printer, value, level, limit, output, start) {
  const hole = (count) => printer.stylize(`<${plural(count, 'empty item')}>`, 'undefined');
  const keys = Object.keys(value);
  let index = start;
  for (let at = start; at < keys.length && output.length < limit; at++) {
    const key = keys[at];
    const number = +key;
    if (number > 2 ** 32 - 2) break;
    if (`${index}` !== key) {
      if (!/^(0|[1-9][0-9]*)$/.test(key)) break;
      output.push(hole(number - index));
      index = number;
      if (output.length === limit) break;
    }
    output.push(printer.property(value, level, key, ELEMENT));
    index++;
  }
  const remaining = value.length - index;
  if (remaining > 0) output.push(output.length === limit ? moreItems(remaining) : hole(remaining));
  return output;
}

function typedArray(printer, value) {
  const length = Math.min(Math.max(0, printer.maxArrayLength), value.length);
  const output = [];
  for (let at = 0; at < length; at++) output.push(printer.primitive(value[at], printer.stylize));
  if (value.length > length) output.push(moreItems(value.length - length));
  return output;
}

function bytes(printer, value) {
  let all;
  try {
    all = new Uint8Array(value);
  } catch {
    return [printer.stylize('(detached)', 'special')];
  }
  const shown = all.subarray(0, Math.max(0, Math.min(printer.maxArrayLength, all.length)));
  let text = Array.from(shown, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const remaining = all.length - printer.maxArrayLength;
  if (remaining > 0) text += ` ... ${plural(remaining, 'more byte')}`;
  return [`${printer.stylize('[Uint8Contents]', 'special')}: <${text}>`];
}

// Formats at most `maxArrayLength` of `count` entries. `print` formats one entry.
function some(printer, count, things, print) {
  const limit = Math.min(Math.max(0, printer.maxArrayLength), count);
  const output = [];
  printer.indentationLvl += 2;
  for (const thing of things) {
    if (output.length >= limit) break;
    output.push(print(thing));
  }
  printer.indentationLvl -= 2;
  if (count > limit) output.push(moreItems(count - limit));
  return output;
}

function set(printer, value, level) {
  return some(printer, value.size, value, (entry) => printer.value(entry, level));
}

function map(printer, value, level) {
  return some(printer, value.size, value, (pair) => arrow(printer, pair, level));
}

const arrow = (printer, [key, entry], level) => printer.value(key, level) + ' => ' + printer.value(entry, level);

function iterator(printer, shape, value, level) {
  const [entries, isPairs] = iteratorPreview(value) ?? [[], false];
  if (!isPairs) return some(printer, entries.length, entries, (entry) => printer.value(entry, level));
  shape.open = shape.open.replace(/ Iterator] {$/, ' Entries] {');
  return some(printer, entries.length / 2, pairs(entries), (pair) =>
    layOut(printer, pair.map((part) => printer.value(part, level)), '', '[', ']', true, level));
}

// The entries of weak collections are sorted: the engine returns them in no defined order.
function weak(printer, value, level, isMap) {
  if (!printer.showHidden) return [printer.stylize('<items unknown>', 'special')];
  const entries = weakEntries(value) ?? [];
  const print = isMap ? (pair) => arrow(printer, pair, level) : (entry) => printer.value(entry, level);
  const output = some(printer, isMap ? entries.length / 2 : entries.length, isMap ? pairs(entries) : entries, print);
  return printer.sorted ? output : output.sort();
}

function promise(printer, value, level) {
  const [state, result] = promiseParts(value);
  if (state === 0) return [printer.stylize('<pending>', 'special')];
  printer.indentationLvl += 2;
  const text = printer.value(result, level);
  printer.indentationLvl -= 2;
  return [state === 2 ? `${printer.stylize('<rejected>', 'special')} ${text}` : text];
}

function namespace(printer, value, keys, level) {
  const output = keys.map((key) => {
    try {
      return printer.property(value, level, key, IN_OBJECT);
    } catch {
      // Reading an export that is not initialized yet throws a ReferenceError.
      const text = printer.property({ [key]: '' }, level, key, IN_OBJECT);
      return text.slice(0, text.lastIndexOf(' ') + 1) + printer.stylize('<uninitialized>', 'special');
    }
  });
  keys.length = 0;
  return output;
}

function* pairs(entries) {
  for (let at = 0; at < entries.length; at += 2) yield [entries[at], entries[at + 1]];
}

module.exports = {
  BESIDE_ELEMENTS, ELEMENT, IN_OBJECT, bytes, iterator, list, map, namespace, promise, set, typedArray, weak,
};
