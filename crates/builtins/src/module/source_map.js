'use strict';
// `module.SourceMap`: lookup in source maps of version 3 (`lib/internal/source_map/source_map.js`).

const { validateObject } = require('internal/validators');

// An entry is six numbers: line and column of the generated text, source, line and column in the source, name. A missing number is -2^31, or NaN in a
// map with numbers of more than 32 bits.
const ENTRY = 6;
const NONE = -(2 ** 31);
const isNone = (number) => number === NONE || number !== number;

function copyOf(payload) {
  validateObject(payload, 'payload');
  const copy = { ...payload };
  for (const key of Object.keys(copy)) if (Array.isArray(copy[key])) copy[key] = [...copy[key]];
  return copy;
}

// The entries of one map: `{ numbers, sources, names, at }`, where `at` is the offset in the generated text.
function partOf(map, at) {
  const sources = [];
  for (let index = 0; index < map.sources.length; index++) sources.push(map.sources[index]);
  let { mappings } = map;
  if (mappings === undefined || mappings === null) throw new TypeError('String.prototype.charAt called on null or undefined');
  // Like Node, convert a value that is not a string to a string, or to '' if it has no `length`.
  if (typeof mappings !== 'string') mappings = mappings.length > 0 ? `${mappings}` : '';
  return { numbers: native.decodeMappings(mappings), sources, names: map.names, at };
}

// The sections of a map. Node reads them by index, so `sections` need not be iterable.
function partsOf(sections) {
  const parts = [];
  for (let index = 0; index < sections.length; index++) {
    const section = sections[index];
    const { map } = section;
    const { line, column } = section.offset;
    parts.push(partOf(map, { line, column }));
  }
  return parts;
}

const compare = (one, other) => one[0] - other[0] || one[1] - other[1];

class SourceMap {
  #payload;
  // Entries sorted by position: `[line, column, index, part]`. Undefined if the map has no sections and its entries are in order.
  #sorted;
  #part;
  #lineLengths;

  constructor(payload, { lineLengths } = { __proto__: null }) {
    this.#payload = copyOf(payload);
    const { sections } = this.#payload;
    const none = { line: 0, column: 0 };
    const parts = sections ? partsOf(sections) : [partOf(this.#payload, none)];
    if (sections || !isSorted(parts[0].numbers)) this.#sorted = sorted(parts);
    else this.#part = parts[0];
    if (Array.isArray(lineLengths) && lineLengths.length > 0) this.#lineLengths = lineLengths;
  }

  get payload() { return copyOf(this.#payload); }

  get lineLengths() { return this.#lineLengths?.slice(); }

  // Returns the last entry that begins at or before a position. Both arguments are zero-based.
  findEntry(lineOffset, columnOffset) {
    const all = this.#sorted;
    const numbers = this.#part?.numbers;
    let first = 0;
    let count = all?.length ?? numbers.length / ENTRY;
    const isBehind = (at) => {
      const line = all === undefined ? numbers[at * ENTRY] : all[at][0];
      return lineOffset < line || (lineOffset === line && columnOffset < (all === undefined ? numbers[at * ENTRY + 1] : all[at][1]));
    };
    if (count === 0) return {};
    while (count > 1) {
      const step = count >> 1;
      const middle = first + step;
      if (isBehind(middle)) {
        count = step;
      } else {
        first = middle;
        count -= step;
      }
    }
    if (first === 0 && isBehind(0)) return {};
    return all === undefined ? entryOf(this.#part, first) : entryOf(all[first][3], all[first][2]);
  }

  // Line and column are one-based.
  findOrigin(lineNumber, columnNumber) {
    const range = this.findEntry(lineNumber - 1, columnNumber - 1);
    if (range.originalSource === undefined || range.originalLine === undefined || range.originalColumn === undefined ||
        range.generatedLine === undefined || range.generatedColumn === undefined) {
      return {};
    }
    return {
      name: range.name,
      fileName: range.originalSource,
      lineNumber: lineNumber - range.generatedLine + range.originalLine,
      columnNumber: columnNumber - range.generatedColumn + range.originalColumn,
    };
  }
}

function isSorted(numbers) {
  for (let at = ENTRY; at < numbers.length; at += ENTRY) {
    const before = at - ENTRY;
    if (numbers[at] < numbers[before] || (numbers[at] === numbers[before] && numbers[at + 1] < numbers[before + 1])) return false;
  }
  return true;
}

function sorted(parts) {
  const all = [];
  for (const part of parts) {
    const { numbers, at: { line, column } } = part;
    for (let at = 0; at < numbers.length; at += ENTRY) {
      // The column offset of a section applies only to its first line.
      all.push([numbers[at] === 0 ? line : numbers[at] + line, numbers[at + 1] + (numbers[at] === 0 ? column : 0), at / ENTRY, part]);
    }
  }
  return all.sort(compare);
}

function entryOf({ numbers, sources, names, at: { line, column } }, index) {
  const [own, ownColumn, source, originalLine, originalColumn, name] = numbers.subarray(index * ENTRY, (index + 1) * ENTRY);
  const generatedLine = own === 0 ? line : own + line;
  const generatedColumn = ownColumn + (own === 0 ? column : 0);
  if (isNone(source)) {
    return {
      generatedLine, generatedColumn, originalSource: undefined, originalLine: undefined, originalColumn: undefined, name: undefined,
    };
  }
  return {
    generatedLine, generatedColumn, originalSource: sources[source], originalLine, originalColumn,
    name: isNone(name) ? undefined : names?.[name],
  };
}

module.exports = { SourceMap };
