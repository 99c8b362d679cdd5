'use strict';
// Error locations in `vm` scripts: puts the source line and a caret above the stack, as Node does.

const { kPlace, captureStack, define } = require('internal/errors');
const { marked, markedSyntax, throwOfError } = require('internal/process/marks');

// Prepends a location to a stack and marks the error, so that the printer does not add one.
function decorate(error, place, stack) {
  try {
    define(error, 'stack', place + stack, false);
    define(error, kPlace, '', false);
  } catch {
    // A frozen error stays unchanged.
  }
  return error;
}

// Adds the source line and a caret to a SyntaxError of the engine, at the position that the error reports.
function unread(error, { code, file, lineOffset }, from) {
  const found = native.isError(error) ? require('internal/stack').placeOfSyntax(error, file === '') : undefined;
  if (found === undefined) return error;
  const lines = code.split('\n');
  const text = markedSyntax((_, at) => lines[at - 1], file, found.line - lineOffset, found.column, error.message);
  const place = text.replace(/^(.*):(\d+)\n/, (_, name, at) => `${name}:${+at + lineOffset}\n`);
  captureStack(error, `${error.name}: ${error.message}`, from);
  return decorate(error, place, error.stack);
}

// The error for an unexpected token at a position.
function unexpected(token, at, { code, file, lineOffset }, from) {
  const before = code.slice(0, at).split('\n');
  const error = new SyntaxError(`Unexpected token '${token}'`);
  captureStack(error, `${error.name}: ${error.message}`, from);
  const line = code.split('\n')[before.length - 1];
  const place = `${file}:${before.length + lineOffset}\n${line}\n${before.at(-1).replace(/[^\t]/g, ' ')}^\n\n`;
  return decorate(error, place, error.stack);
}

// Handles an exception thrown while a script ran.
function thrown(error) {
  if (typeof error !== 'object' || error === null || !native.isError(error) || error[kPlace] !== undefined) return error;
  const { stack } = error;
  if (typeof stack !== 'string') return error;
  const found = /^ {4}at (?:.* \()?(.*?):(\d+):(\d+)\)?$/m.exec(stack);
  if (found === null || found[1].startsWith('node:')) return error;
  const [, file, line, column] = found;
  // V8 detects a redeclared global before the script starts, so there is no frame.
  if (error.name === 'SyntaxError' && / has already been declared$/.test(error.message)) {
    const text = native.line(file, native.firstLine(file)) ?? '';
    return decorate(error, `${file}:${native.firstLine(file)}\n${text}\n^\n\n`, stack.replace(`${found[0]}\n`, ''));
  }
  const offset = native.columnOffset(file, +line);
  const place = marked((name, number) => native.line(name, number) ?? undefined, file, +line, +column - offset, throwOfError);
  return place === '' ? error : decorate(error, place, stack);
}

module.exports = { know: native.know, thrown, unexpected, unread };
