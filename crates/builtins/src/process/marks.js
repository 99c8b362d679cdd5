'use strict';
// Source lines with carets, for error reports. `lineOf(file, number)` returns a source line.

// V8 puts the caret at the `throw` statement if the error was created there.
const throwOfError = /\bthrow\b[^;{}]*$/;
const throwOfValue = /\bthrow\b(?!.*\bthrow\b).*$/;

// A source line with a caret under a column, or at the statement before it; that of the original source if there is a source map.
function marked(lineOf, file, number, column, statement) {
  const line = lineOf(file, number);
  if (line === undefined) return '';
  let before = line.slice(0, Math.max(0, column - 1));
  const isThere = line.startsWith('throw', column - 1);
  const at = isThere ? null : statement?.exec(before) ?? null;
  if (at !== null) before = before.slice(0, at.index);
  const original = require('internal/stack').originalLine(file, number, before.length);
  if (original !== undefined) return original;
  return `${file}:${number}\n${line}\n${before.replace(/[^\t]/g, ' ')}^\n\n`;
}

// The end of a source text: an empty line if that is its last one.
function markedEnd(lineOf, file, number) {
  while (number > 1 && lineOf(file, number) === undefined) number--;
  while (lineOf(file, number + 1) !== undefined) number++;
  const line = lineOf(file, number);
  return line === undefined ? '' : `${file}:${number}\n${line}\n${' '.repeat(line.length)}\n\n`;
}

// The last token before a position, on any line: `[number, column]`.
function tokenBefore(lineOf, file, number, column) {
  const { tokenAtEnd } = require('internal/modules/syntax_error');
  let before = (lineOf(file, number) ?? '').slice(0, column - 1);
  while (before.trim() === '' && number > 1) before = lineOf(file, --number) ?? '';
  return [number, (tokenAtEnd.exec(before)?.index ?? 0) + 1];
}

// Where V8 reports the token before the place of the engine.
const atTokenBefore = /^missing \) after argument list|^'super' keyword|^Unexpected token '\}'$/;

// Where a string begins that does not end on its line; -1 if there is none.
function openString(line) {
  let start = -1;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at];
    if (letter === '\\' && start !== -1) at++;
    else if (start === -1 && (letter === '"' || letter === "'")) start = at;
    else if (start !== -1 && letter === line[start]) start = -1;
  }
  return start;
}

// The same for a SyntaxError: carets under the token.
function markedSyntax(lineOf, file, number, column, message) {
  const { lengthOfToken } = require('internal/modules/syntax_error');
  if (message === 'Unexpected end of input') return markedEnd(lineOf, file, number);
  const named = /^(?:'(super)'|Unexpected token '(\})')/.exec(message);
  const token = named?.[1] ?? named?.[2];
  let line = lineOf(file, number);
  if (line === undefined || atTokenBefore.test(message) && (token === undefined || !line.startsWith(token, column - 1))) {
    [number, column] = tokenBefore(lineOf, file, number, column);
    line = lineOf(file, number);
    if (line === undefined) return '';
  }
  // The engine is at the end of a string without an end, V8 marks the whole.
  const open = message === 'Invalid or unexpected token' && column > line.length ? openString(line) : -1;
  if (open !== -1) {
    return `${file}:${number}\n${line}\n${line.slice(0, open).replace(/[^\t]/g, ' ')}${'^'.repeat(line.length - open)}\n\n`;
  }
  const isPattern = message.startsWith('Invalid regular expression: ');
  // V8 marks the whole literal.
  if (isPattern) column = Math.max(line.lastIndexOf('/', column - 1) + 1, 1);
  const length = lengthOfToken(line.slice(column - 1), isPattern);
  const before = line.slice(0, column - 1).replace(/[^\t]/g, ' ');
  return `${file}:${number}\n${line}\n${before}${'^'.repeat(length)}\n\n`;
}

module.exports = { marked, markedSyntax, throwOfError, throwOfValue };
