'use strict';
// Source lines with carets, for error reports. `lineOf(file, number)` returns a source line.

// V8 puts the caret at the `throw` statement if the error was created there.
const throwOfError = /\bthrow\b[^;{}]*$/;
const throwOfValue = /\bthrow\b(?!.*\bthrow\b).*$/;

// V8's name for code compiled from a string.
const shown = (file) => require('internal/stack').shownFile(file);

// A source line with a caret under a column, or at the statement before it; that of the original source if there is a source map.
function marked(lineOf, file, number, column, statement) {
  const line = lineOf(file, number);
  if (line === undefined) return '';
  let before = line.slice(0, Math.max(0, column - 1));
  const at = statement?.exec(before) ?? null;
  if (at !== null) before = before.slice(0, at.index);
  const original = require('internal/stack').originalLine(file, number, before.length);
  if (original !== undefined) return original;
  return `${shown(file)}:${number}\n${line}\n${before.replace(/[^\t]/g, ' ')}^\n\n`;
}

// The end of a source text: an empty line if that is its last one.
function markedEnd(lineOf, file, number) {
  while (number > 1 && lineOf(file, number) === undefined) number--;
  while (lineOf(file, number + 1) !== undefined) number++;
  const line = lineOf(file, number);
  return line === undefined ? '' : `${shown(file)}:${number}\n${line}\n${' '.repeat(line.length)}\n\n`;
}

// The last token before a position, on any line: `[number, column]`.
function tokenBefore(lineOf, file, number, column) {
  const { tokenAtEnd } = require('internal/modules/syntax_error');
  let before = (lineOf(file, number) ?? '').slice(0, column - 1);
  while (before.trim() === '' && number > 1) before = lineOf(file, --number) ?? '';
  return [number, (tokenAtEnd.exec(before)?.index ?? 0) + 1];
}

// The same for a SyntaxError. QuickJS reports some errors only at the end of the text; then mark the last token. `isExact`: the place is
// that of the token.
function markedSyntax(lineOf, file, number, column, message, isExact = false) {
  const { lengthOfToken } = require('internal/modules/syntax_error');
  if (message === 'Unexpected end of input') return markedEnd(lineOf, file, number);
  let line = lineOf(file, number);
  const isAtEnd = line === undefined || (line.slice(column - 1).trim() === '' && lineOf(file, number + 1) === undefined);
  if (isAtEnd) {
    while ((line === undefined || line.trim() === '') && number > 1) line = lineOf(file, --number);
    if (line === undefined) return '';
    column = (/(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|.)\s*$/u.exec(line)?.index ?? 0) + 1;
  } else if (!isExact && /^await is only valid|^missing \) after|^'super' keyword/.test(message)) {
    // V8 reports the token before this one.
    [number, column] = tokenBefore(lineOf, file, number, column);
    line = lineOf(file, number);
  }
  // QuickJS has parsed past the name.
  const declared = /^Identifier '(.+)' has already been declared$/.exec(message)?.[1];
  if (declared !== undefined && !line.startsWith(declared, column - 1)) {
    let before = line.slice(0, column - 1).trimEnd();
    if (before === '' && number > 1) before = (line = lineOf(file, --number) ?? '').trimEnd();
    if (before.endsWith(declared)) column = before.length - declared.length + 1;
  }
  if (message.startsWith('Cannot use import statement')) column = Math.max(line.indexOf('import'), 0) + 1;
  const [start, end] = (isAtEnd && declared === undefined ? undefined : require('internal/process/spans').spanOf(line, column, message)) ??
    [column - 1, column - 1 + lengthOfToken(line.slice(column - 1), message.startsWith('Invalid regular expression: '))];
  const before = line.slice(0, start).replace(/[^\t]/g, ' ');
  return `${shown(file)}:${number}\n${line}\n${before}${'^'.repeat(end - start)}\n\n`;
}

module.exports = { marked, markedSyntax, throwOfError, throwOfValue };
