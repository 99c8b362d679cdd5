'use strict';
// Source lines with carets, for error reports. `lineOf(file, number)` returns a source line.

// Statements before the position at which V8 puts the caret at `throw`: for an error that is created in a `throw` statement, and for other values.
const throwOfError = /\bthrow\b[^;{}]*$/;
const throwOfValue = /\bthrow\b(?!.*\bthrow\b).*$/;

// Returns a source line with a caret under a column, or under the `statement` before the column. With a source map, the line is that of the original
// source.
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

// Marks the end of a source text, for a source text that ends too early.
function markedEnd(lineOf, file, number) {
  while (number > 1 && lineOf(file, number) === undefined) number--;
  while (lineOf(file, number + 1) !== undefined) number++;
  const line = lineOf(file, number);
  return line === undefined ? '' : `${file}:${number}\n${line}\n${' '.repeat(line.length)}\n\n`;
}

// The position of the last token before a position, which may be on an earlier line: `[number, column]`.
function tokenBefore(lineOf, file, number, column) {
  const { tokenAtEnd } = require('internal/modules/syntax_error');
  let before = (lineOf(file, number) ?? '').slice(0, column - 1);
  while (before.trim() === '' && number > 1) before = lineOf(file, --number) ?? '';
  return [number, (tokenAtEnd.exec(before)?.index ?? 0) + 1];
}

// Messages for which V8 marks the token before the position that the engine reports.
const atTokenBefore = /^missing \) after argument list|^'super' keyword|^Unexpected token '\}'$/;

// The start of a string literal that does not end on its line; -1 if there is none.
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

// Like `marked`, for a SyntaxError: carets mark the whole token.
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
  // For an unterminated string the engine reports the end of the line; V8 marks the string.
  const open = message === 'Invalid or unexpected token' && column > line.length ? openString(line) : -1;
  if (open !== -1) {
    return `${file}:${number}\n${line}\n${line.slice(0, open).replace(/[^\t]/g, ' ')}${'^'.repeat(line.length - open)}\n\n`;
  }
  const isPattern = message.startsWith('Invalid regular expression: ');
  // V8 marks the whole literal, so the column is that of its first slash.
  if (isPattern) column = Math.max(line.lastIndexOf('/', column - 1) + 1, 1);
  const length = lengthOfToken(line.slice(column - 1), isPattern);
  const before = line.slice(0, column - 1).replace(/[^\t]/g, ' ');
  return `${file}:${number}\n${line}\n${before}${'^'.repeat(length)}\n\n`;
}

module.exports = { marked, markedSyntax, throwOfError, throwOfValue };
