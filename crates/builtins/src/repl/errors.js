'use strict';
// How the REPL prints exceptions: trimmed stacks, the marked source line of a syntax error.

const { isError } = require('internal/util/inspect');

function interrupted() {
  const error = new Error('Script execution was interrupted by `SIGINT`');
  error.code = 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
  error.stack = `Error [${error.code}]: ${error.message}`;
  return error;
}

// Replaces the engine's error for interrupted code by Node's error.
function toNodeError(error) {
  const stopped = error instanceof Error && error.name === 'InternalError' && error.message === 'interrupted';
  if (stopped) return interrupted();
  return error;
}

// Removes the frames of the runtime below the typed code, and the top-level frame of the typed code. As `lib/repl.js: debugDomainError`.
function trimStack(error) {
  if (!isError(error) || typeof error.stack !== 'string') return;
  let frames = error.stack.split('\n');
  // An error of `vm` for code that does not compile has its location as the first line.
  const isMarked = /^REPL\d+:\d+$/.test(frames[0]);
  if (isMarked) frames = frames.slice(1).filter((frame) => !/^ {4}at /.test(frame));
  if (error instanceof SyntaxError && frames.some((frame) => /^ {4}at .*\bREPL\d+:/.test(frame))) {
    frames = frames.filter((frame) => !/^ {4}at /.test(frame));
  }
  const top = frames.findLastIndex((frame) => /^ {4}at .*\bREPL\d+:/.test(frame));
  if (top !== -1) {
    const isTop = /^ {4}at REPL\d+:/.test(frames[top]);
    frames.length = isTop ? top : top + 1;
  } else {
    // Without a frame of typed code: cut at the last frame without a function name, the caller of a custom `eval`.
    const nameless = frames.findLastIndex((frame) => /^ {4}at (?:[^(]*$|.*<anonymous> \()/.test(frame));
    if (nameless !== -1) frames.length = nameless;
  }
  try {
    Object.defineProperty(error, 'stack', { __proto__: null, value: frames.join('\n'), writable: true, configurable: true });
  } catch {
    // A frozen error is printed unchanged.
  }
}

// The source line of a syntax error with a caret below the position, and V8's message for it.
function markSyntax(error, text) {
  // Another SyntaxError, thrown at run time, has no position in the text.
  if (!(error instanceof SyntaxError)) return '';
  const place = require('internal/stack').placeOfSyntax(error);
  if (place === undefined || !/^REPL\d+$/.test(place.file)) return '';
  const lines = text.split('\n');
  const marked = require('internal/process/marks')
    .markedSyntax((_, number) => lines[number - 1], '', place.line, place.column, error.message);
  if (error.message === 'Cannot use import statement outside a module') {
    error.message = 'Cannot use import statement inside the Node.js REPL, alternatively use dynamic import: ' +
      asDynamicImport(lines[place.line - 1] ?? '');
  }
  error.stack = `SyntaxError: ${error.message}`;
  return marked.slice(marked.indexOf('\n') + 1);
}

// Rewrites `import a, { b as c } from 'd'` as a dynamic import, which the error message suggests.
function asDynamicImport(line) {
  const parts = /^\s*import\s*(?:([^'"]*?)\s*from\s*)?(["'][^"']*["'])/.exec(line);
  if (parts === null) return '';
  const [, names, from] = parts;
  const call = `await import(${JSON.stringify(from.slice(1, -1))});`;
  if (names === undefined) return call;
  const star = /\*\s*as\s+([\w$]+)/.exec(names);
  if (star !== null) return `const ${star[1]} = ${call}`;
  const own = /^([\w$]+)/.exec(names);
  const list = own === null ? [] : [`default: ${own[1]}`];
  for (const one of (/\{([^}]*)\}/.exec(names)?.[1] ?? '').split(',')) {
    const name = one.trim().replace(/\s+as\s+/, ': ');
    if (name !== '') list.push(name);
  }
  return `const { ${list.join(', ')} } = ${call}`;
}

// If the first line of the error is longer, it is printed on a line of its own after "Uncaught:".
const BREAK_LENGTH = 80;

// Formats an uncaught exception; `show` is the inspect function.
function textOfUncaught(error, show) {
  let text;
  try {
    trimStack(error);
    text = show(error);
    // `inspect` puts errors without a stack in brackets, the REPL does not: `lib/repl.js: debugDomainError`.
    if (isError(error)) text = text.replace(/^\[([^]*)\]$/, '$1');
  } catch {
    text = '<an exception that cannot be shown>';
  }
  const lines = text.split('\n');
  const at = lines.findIndex((line) => /^\[?(?:[A-Z][a-z0-9_]*)*Error/.test(line));
  if (at === -1) return `Uncaught${lines.length === 1 ? ' ' : ':\n'}${text}`;
  lines[at] = `Uncaught${lines[at].length <= BREAK_LENGTH ? ' ' : ':\n'}${lines[at]}`;
  return lines.join('\n');
}

module.exports = { interrupted, toNodeError, markSyntax, textOfUncaught };
