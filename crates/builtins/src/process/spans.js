'use strict';
// Caret positions of V8's syntax errors where QuickJS reports a later position: `[start, end]` in the line where it
// stopped.

const { tokenAtEnd } = require('internal/modules/syntax_error');

const opening = '([{';
const closing = ')]}';

// The index where the bracket at `at` closes, or the end of the text.
function endOfBracket(line, at) {
  let depth = 0;
  for (; at < line.length; at++) {
    if (opening.includes(line[at])) depth++;
    else if (closing.includes(line[at]) && --depth === 0) return at + 1;
  }
  return at;
}

// The end of the expression at `at`: before a comma or a closing bracket.
function endOfExpression(line, at) {
  for (; at < line.length && line[at] !== ',' && !closing.includes(line[at]); at++) {
    if (opening.includes(line[at])) at = endOfBracket(line, at) - 1;
  }
  return line.slice(0, at).trimEnd().length;
}

// The start of the expression that a text ends with: after one of the `stops` or an opening bracket.
function startOfExpression(text, stops) {
  let depth = 0;
  let at = text.length - 1;
  for (; at >= 0; at--) {
    const sign = text[at];
    if (closing.includes(sign)) depth++;
    else if (opening.includes(sign) && depth-- === 0 || depth === 0 && stops.includes(sign) && !text.startsWith('?.', at)) break;
  }
  // An arrow `=>` has two characters.
  const start = at + (text.startsWith('=>', at) ? 2 : 1);
  return start + /^\s*(?:(?:return|throw|case|else)\b\s*)?/.exec(text.slice(start))[0].length;
}

// The last match in a text.
function last(text, pattern) {
  const found = [...text.matchAll(pattern)].at(-1);
  return found === undefined ? undefined : [found.index, found.index + found[0].length];
}

function tokenBefore(before) {
  const found = tokenAtEnd.exec(before);
  return found === null ? undefined : [found.index, before.trimEnd().length];
}

// A redeclared function or class. QuickJS reports its end; V8 marks the name, or all of a class.
function redeclared(before, rest, [, name]) {
  if (rest.startsWith(name)) return undefined;
  const [start] = last(before, new RegExp(`\\b(?:function|class)[\\s*]+${name.replaceAll('$', '\\$')}(?![\\p{ID_Continue}$])`, 'gu')) ?? [];
  if (start === undefined) return undefined;
  const line = before + rest;
  return [start, line.startsWith('class', start) ? endOfBracket(line, line.indexOf('{', start)) : start + 1];
}

// The second of two parameters with the same name, in the last parentheses of a text.
function duplicate(before) {
  const end = before.lastIndexOf(')');
  const start = startOfExpression(before.slice(0, end), '');
  const seen = new SafeSet();
  for (const { 0: name, index } of before.slice(start, end).matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu)) {
    if (seen.has(name)) return [start + index, start + index + name.length];
    seen.add(name);
  }
  return undefined;
}

const assigning = /\s*(?:\*\*|<<|>>>?|&&|\|\||\?\?|[-+*/%&|^])?=$/;

function assigned(before) {
  const text = before.trimEnd().replace(assigning, '');
  return [startOfExpression(text, ';,=:?'), text.length];
}

// From the first variable of a loop head to the last.
function bindings(before, rest) {
  const [, start] = last(before, /\b(?:let|const|var)\s+/g) ?? [];
  const tail = /\s+(?:of|in)\b/.exec(rest);
  return start === undefined || tail === null ? undefined : [start, before.length + tail.index];
}

function parameters(before, rest) {
  const start = startOfExpression(before, '') - 1;
  return [before.lastIndexOf('(', start), endOfBracket(before + rest, before.lastIndexOf('(', start))];
}

// Rules: a pattern of the message, and a function from the text before and after QuickJS's position to V8's span.
const rules = [
  [/^(?:A class may only|Class constructor may not|Classes may not|Missing initializer in const|Function statements|Rest parameter must be)/,
    tokenBefore],
  [/^Illegal (?:break|continue) statement/, (before, rest) => (/^(?:break|continue)/.test(rest) ? undefined : tokenBefore(before))],
  [/^More than one default/, (before) => last(before, /\bdefault\b/g)],
  [/^Unexpected eval or arguments/, (before, rest) => (/^(?:eval|arguments)\b/.test(rest) ? undefined : last(before, /\b(?:eval|arguments)\b/g))],
  [/^Duplicate parameter name/, duplicate],
  [/^Identifier '(.+)' has already been declared$/, redeclared],
  [/^Duplicate __proto__/, (before) => last(before, /["']?__proto__["']?/g)],
  [/^Invalid left-hand side in /, (before, rest) => (rest.startsWith(',') ? bindings(before, rest) : assigned(before))],
  [/^Invalid left-hand side expression in postfix/, (before) => {
    const text = before.trimEnd();
    return [startOfExpression(text, ' ;,=:?+-*/%&|^!~<>'), text.length];
  }],
  [/^Invalid destructuring assignment target|^Illegal property in declaration/, (before, rest) => {
    const start = startOfExpression(before, ',:');
    return [start, endOfExpression(before + rest, Math.max(start, before.length))];
  }],
  [/^Invalid shorthand property initializer/, (before, rest) => {
    const [start] = tokenBefore(before) ?? [before.length];
    return [start, endOfExpression(before + rest, before.length)];
  }],
  [/^Missing initializer in destructuring/, (before, rest) => [before.length, endOfBracket(before + rest, before.length)]],
  [/^Unary operator used/, (before) => {
    const found = /(?:[-+~!]|\b(?:typeof|void|delete)\b)\s*[^\s;,=]+\s*$/.exec(before);
    return found === null ? undefined : [found.index, before.length + 2];
  }],
  [/loop variable declaration may not have an initializer/, (before) => {
    const [, start] = last(before, /\b(?:let|const|var)\s+/g) ?? [];
    return start === undefined ? undefined : [start, before.trimEnd().length];
  }],
  [/^Rest element must be/, (before) => (before.includes('...') ? [before.lastIndexOf('...'), before.trimEnd().length] : undefined)],
  [/^(?:Getter must not|Setter must have|Setter function)/, parameters],
  [/^Generators can only/, (before, rest) => {
    const at = before.length + rest.indexOf('*');
    return [at, at + 1];
  }],
  [/^Cannot use new with import/, (before) => last(before, /\bimport\b/g)],
  [/^import\(\) requires/, (before) => [before.length - 1, before.length]],
  [/^Invalid regular expression: (\/[^]*\/\w*): /, (before, rest, [, literal]) => {
    const at = (before + rest).indexOf(literal);
    return at === -1 ? undefined : [at, at + literal.length];
  }],
  [/^Invalid or unexpected token$/, (before, rest) => {
    const read = /^(?:\/\*.*|0[bB][01]*|0[oO][0-7]*|0[xX][\da-fA-F]*|\d+n|\d+(?:\.\d*)?(?:[eE][-+]?\d*)?)/.exec(rest);
    return read === null ? undefined : [before.length, before.length + read[0].length];
  }],
];

// V8's span for a message at a column of a line; undefined if QuickJS's position is right.
function spanOf(line, column, message) {
  for (const [pattern, find] of rules) {
    const said = pattern.exec(message);
    if (said !== null) return find(line.slice(0, column - 1), line.slice(column - 1), said);
  }
  return undefined;
}

module.exports = { spanOf };
