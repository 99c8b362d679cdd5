'use strict';

// Puts the formatted entries of an object on one line, into columns, or on a line each (`lib/internal/util/inspect.js: reduceToSingleString`).
//
// Strings are concatenated with `+`, which does not copy: each level of a deep tree extends the string of the levels below it.

const { getStringWidth, withoutColors } = require('internal/util/text');

function layOut(printer, output, base, open, close, isList, level, value) {
  const lead = base ? `${base} ` : '';
  const indentation = ' '.repeat(printer.indentationLvl);
  if (printer.compact === true) {
    if (fits(printer, output, 0, base)) return `${open}${base ? ` ${base}` : ''} ${output.join(', ')} ${close}`;
    const start = base === '' && open.length === 1 ? ' ' : `${base ? ` ${base}` : ''}\n${indentation}  `;
    return open + start + glue(output, `,\n${indentation}  `) + ' ' + close;
  }
  if (typeof printer.compact === 'number' && printer.compact >= 1) {
    const count = output.length;
    if (isList && count > 6) output = inColumns(printer, output, value);
    // Only the `compact` innermost levels are put on one line, and only entries that are not in columns.
    if (printer.currentDepth - level < printer.compact && count === output.length) {
      const start = output.length + printer.indentationLvl + open.length + base.length + 10;
      if (fits(printer, output, start, base)) {
        const line = output.join(', ');
        if (!line.includes('\n')) return `${lead}${open} ${line} ${close}`;
      }
    }
  }
  return `${lead}${open}\n${indentation}  ` + glue(output, `,\n${indentation}  `) + `\n${indentation}${close}`;
}

const isLong = (text) => text.length > 2000;

function glue(output, separator) {
  return output.some(isLong) ? output.reduce((text, entry) => text + separator + entry) : output.join(separator);
}

function fits(printer, output, start, base) {
  let total = output.length + start;
  if (total + output.length > printer.breakLength) return false;
  for (const text of output) {
    // A string with escape codes is at most twelve times as long as its text. A longer string cannot fit: its codes need not be removed.
    const isPlain = !printer.colors || text.length > printer.breakLength * 12;
    total += isPlain ? text.length : withoutColors(text).length;
    if (total > printer.breakLength) return false;
  }
  return base === '' || !base.includes('\n');
}

// Puts the entries of a long array into columns, so that the result is about as wide as high; a character is 2.5 times as high as wide
// (`lib/internal/util/inspect.js: groupArrayElements`).
function inColumns(printer, output, value) {
  const hasRest = printer.maxArrayLength < output.length;
  const count = hasRest ? output.length - 1 : output.length;
  const widths = [];
  let total = 0;
  let widest = 0;
  for (let at = 0; at < count; at++) {
    widths[at] = getStringWidth(output[at], printer.colors);
    total += widths[at] + 2;
    widest = Math.max(widest, widths[at]);
  }
  const cell = widest + 2;
  // At least three columns must fit, and no entry may be much longer than the others.
  if (cell * 3 + printer.indentationLvl >= printer.breakLength || (total / cell <= 5 && widest > 6)) return output;
  const bias = Math.max(cell - 3 - Math.sqrt(cell - total / output.length), 1);
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * bias * count) / bias),
    Math.floor((printer.breakLength - printer.indentationLvl) / cell),
    printer.compact * 4,
    15);
  if (columns <= 1) return output;
  const columnWidths = [];
  for (let column = 0; column < columns; column++) {
    let width = 0;
    for (let at = column; at < count; at += columns) width = Math.max(width, widths[at]);
    columnWidths.push(width + 2);
  }
  const isNumbers = value === undefined ||
    output.every((_, at) => typeof value[at] === 'number' || typeof value[at] === 'bigint');
  const lines = [];
  for (let start = 0; start < count; start += columns) {
    const end = Math.min(start + columns, count);
    let line = '';
    for (let at = start; at < end; at++) {
      const isLast = at === end - 1;
      const text = isLast ? output[at] : `${output[at]}, `;
      // `padStart` and `padEnd` count the escape codes, which take no columns: increase the width by their length.
      const width = columnWidths[at - start] + output[at].length - widths[at] - (isLast ? 2 : 0);
      if (isNumbers) line += text.padStart(width);
      else line += isLast ? text : text.padEnd(width);
    }
    lines.push(line);
  }
  if (hasRest) lines.push(output[count]);
  return lines;
}

module.exports = { layOut };
