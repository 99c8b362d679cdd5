'use strict';
// A line of source with a mark under a place. `lineOf(file, number)` is whoever knows the lines.

// As V8, which knows where it was thrown: there is the caret, if the error was made there.
const throwOfError = /\bthrow\b[^;{}]*$/;
const throwOfValue = /\bthrow\b(?!.*\bthrow\b).*$/;

// What V8 calls a text that is no file.
const shown = (file) => (require('internal/stack').isEvaluatedFile(file) ? '<anonymous_script>' : file);

// A line of source with a caret under a place, or at the statement before it.
function marked(lineOf, file, number, column, statement) {
  const line = lineOf(file, number);
  if (line === undefined) return '';
  let before = line.slice(0, Math.max(0, column - 1));
  const at = statement?.exec(before) ?? null;
  if (at !== null) before = before.slice(0, at.index);
  return `${shown(file)}:${number}\n${line}\n${before.replace(/[^\t]/g, ' ')}^\n\n`;
}

// The same for what could not be read. The engine finds some of it only behind the end: then it is the last token.
function markedSyntax(lineOf, file, number, column, message) {
  const { lengthOfToken } = require('internal/modules/syntax_error');
  let line = lineOf(file, number);
  if (line === undefined || (line.slice(column - 1).trim() === '' && lineOf(file, number + 1) === undefined)) {
    const isEnd = message === 'Unexpected end of input';
    while ((line === undefined || (!isEnd && line.trim() === '')) && number > 1) line = lineOf(file, --number);
    if (line === undefined) return '';
    if (isEnd) return `${shown(file)}:${number}\n${line}\n${' '.repeat(line.length)}\n\n`;
    column = (/(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|.)\s*$/u.exec(line)?.index ?? 0) + 1;
  }
  // The engine has read on.
  const declared = /^Identifier '(.+)' has already been declared$/.exec(message)?.[1];
  if (declared !== undefined && !line.startsWith(declared, column - 1)) {
    let before = line.slice(0, column - 1).trimEnd();
    if (before === '' && number > 1) before = (line = lineOf(file, --number) ?? '').trimEnd();
    if (before.endsWith(declared)) column = before.length - declared.length + 1;
  }
  if (message.startsWith('Cannot use import statement')) column = Math.max(line.indexOf('import'), 0) + 1;
  const before = line.slice(0, column - 1).replace(/[^\t]/g, ' ');
  return `${shown(file)}:${number}\n${line}\n${before}${'^'.repeat(lengthOfToken(line.slice(column - 1)))}\n\n`;
}

module.exports = { marked, markedSyntax, throwOfError, throwOfValue };
