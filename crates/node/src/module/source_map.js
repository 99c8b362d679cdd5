'use strict';
// `module.SourceMap`: lookup in source maps of version 3.

const { validateObject } = require('internal/validators');

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

// Decodes the base64 VLQ numbers of a segment.
function numbersOf(segment) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value += (bits & 31) << shift;
    if (bits & 32) {
      shift += 5;
      continue;
    }
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    value = shift = 0;
  }
  return numbers;
}

function copyOf(payload) {
  validateObject(payload, 'payload');
  const copy = { ...payload };
  for (const key of Object.keys(copy)) if (Array.isArray(copy[key])) copy[key] = [...copy[key]];
  return copy;
}

// Entries are `[line, column, source, line, column, name]`; the first two refer to the generated code.
function entriesOf({ sources, names, mappings }, lineOffset, columnOffset) {
  const entries = [];
  let [source, line, column, name] = [0, 0, 0, 0];
  for (const [at, text] of mappings.split(';').entries()) {
    let generated = at === 0 ? columnOffset : 0;
    for (const segment of text.split(',')) {
      if (segment === '') continue;
      const numbers = numbersOf(segment);
      generated += numbers[0];
      if (numbers.length < 4) {
        entries.push([at + lineOffset, generated]);
        continue;
      }
      source += numbers[1];
      line += numbers[2];
      column += numbers[3];
      if (numbers.length > 4) name += numbers[4];
      const called = numbers.length > 4 ? names?.[name] : undefined;
      entries.push([at + lineOffset, generated, sources[source], line, column, called]);
    }
  }
  return entries;
}

class SourceMap {
  #payload;
  #entries;
  #lineLengths;

  constructor(payload, { lineLengths } = { __proto__: null }) {
    this.#payload = copyOf(payload);
    const { sections } = this.#payload;
    const parts = sections ?? [{ map: this.#payload, offset: { line: 0, column: 0 } }];
    this.#entries = parts.flatMap(({ map, offset }) => entriesOf(map, offset.line, offset.column))
      .sort((one, other) => one[0] - other[0] || one[1] - other[1]);
    if (Array.isArray(lineLengths) && lineLengths.length > 0) this.#lineLengths = lineLengths;
  }

  get payload() { return copyOf(this.#payload); }

  get lineLengths() { return this.#lineLengths?.slice(); }

  // Both arguments are zero-based.
  findEntry(lineOffset, columnOffset) {
    const isBefore = ([line, column]) => line < lineOffset || (line === lineOffset && column <= columnOffset);
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(this.#entries[middle])) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return {};
    const [generatedLine, generatedColumn, originalSource, originalLine, originalColumn, name] = this.#entries[low - 1];
    return { generatedLine, generatedColumn, originalSource, originalLine, originalColumn, name };
  }

  // Both arguments are one-based.
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

module.exports = { SourceMap };
