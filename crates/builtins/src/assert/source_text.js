'use strict';
// Finds the source text of a failed call from its position in the source: the message of `assert.ok`.

const escapes = {
  '\b': '\\b', '\t': '', '\n': '\\n', '\f': '\\f', '\r': '',
};

// The source text of the innermost call around the caller of `above`; undefined if the source is not available.
function callText(above) {
  const frame = {};
  const limit = Error.stackTraceLimit;
  Reflect.set(Error, 'stackTraceLimit', 1);
  Error.captureStackTrace(frame, above);
  const { stack } = frame;
  Reflect.set(Error, 'stackTraceLimit', limit);
  const place = /^ +at (?:.*\()?(.*):(\d+):(\d+)\)?$/m.exec(stack);
  if (place === null) return undefined;
  const [, file, line, column] = place;
  const text = native.sourceText(file.startsWith('file://') ? decodeURIComponent(file.slice(7)) : file);
  if (text == null) return undefined;
  const at = offsetOf(text, Number(line), Number(column));
  const call = at === -1 ? undefined : callAround(text, at);
  return call?.replace(/[\x00-\x09\x0b\x0c\x0e-\x1f]/g, (letter) =>
    escapes[letter] ?? `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function offsetOf(text, line, column) {
  let start = 0;
  for (; line > 1; line--) {
    start = text.indexOf('\n', start) + 1;
    if (start === 0) return -1;
  }
  return start + column - 1;
}

// The source text of the call around a position, from the line on which the call begins. The engine's position is that
// of the callee or of the expression evaluated last before the call, which may be an argument.
function callAround(text, place) {
  const open = openParens(text, place);
  const calls = [];
  for (let i = open.length - 1; i >= 0; i--) {
    const start = chainStart(text, open[i]);
    const callee = text.slice(start, open[i]).trim();
    if (callee !== '' && !keywords.has(callee)) calls.push({ start, paren: open[i], callee });
  }
  const here = /^[\s\w$.?[\]'"]*?\(/.exec(text.slice(place, place + 200));
  if (here !== null) {
    const paren = place + here[0].length - 1;
    const start = chainStart(text, paren);
    calls.unshift({ start, paren, callee: text.slice(start, paren).trim() });
  }
  const call = calls.find(({ callee }) => /(?:^|[.\s])(?:assert|ok|strict)$|\[\s*(['"])ok\1\s*\]$/.test(callee)) ?? calls[0];
  if (call === undefined) return undefined;
  let lineEnd = text.indexOf('\n', call.start);
  if (lineEnd === -1) lineEnd = text.length;
  const line = text.slice(0, lineEnd).replace(/\r$/, '');
  return line.slice(call.start, callEnd(line, Math.max(call.paren, call.start)));
}

// The positions of the parentheses that are open at `place`, outermost first.
function openParens(text, place) {
  const open = [];
  for (let at = 0; at < place; at++) {
    switch (text[at]) {
      case '(':
        open.push(at);
        break;
      case ')':
        open.pop();
        break;
      case '"':
      case "'":
      case '`':
        at = stringEnd(text, at);
        break;
      case '/':
        if (text[at + 1] === '/') {
          at = text.indexOf('\n', at);
          if (at === -1) return open;
        } else if (text[at + 1] === '*') {
          at = text.indexOf('*/', at + 2) + 1;
          if (at === 0) return open;
        } else if (startsRegExp(text, at)) {
          at = regExpEnd(text, at);
        }
    }
  }
  return open;
}

const name = /[\p{ID_Continue}$\u200c\u200d]/u;

function chainStart(text, column) {
  let at = column;
  // Walks back over a member chain such as `a.b['c']`. The engine's position may be that of the name, the dot or the
  // parenthesis.
  for (;;) {
    let before = at;
    while (before > 0 && /\s/.test(text[before - 1])) before--;
    const last = text[before - 1];
    if (last === undefined) break;
    if (name.test(last)) {
      // A word before another word is not part of the chain: `return assert(…)`.
      if (before !== at && at < text.length && name.test(text[at])) break;
      let start = before;
      while (start > 0 && name.test(text[start - 1])) start--;
      if (before !== at && keywords.has(text.slice(start, before))) break;
      at = start;
    } else if (last === '.') {
      at = text[before - 2] === '?' ? before - 2 : before - 1;
    } else if (last === ']') {
      let depth = 0;
      let start = before;
      do {
        start--;
        if (text[start] === ']') depth++;
        else if (text[start] === '[') depth--;
      } while (depth > 0 && start > 0);
      // Only members with a plain name or number are accepted; anything else ends the chain.
      if (!/^\[\s*(?:'[^']*'|"[^"]*"|[\w$]+)\s*\]$/.test(text.slice(start, before))) break;
      at = start;
    } else {
      break;
    }
  }
  while (/\s/.test(text[at] ?? '')) at++;
  return at;
}

const keywords = new Set(['return', 'await', 'yield', 'typeof', 'void', 'new', 'delete', 'throw', 'else', 'do', 'in',
                          'of', 'case', 'for', 'if', 'while', 'with', 'switch', 'catch', 'function']);

function callEnd(text, column) {
  let depth = 0;
  for (let at = column; at < text.length; at++) {
    switch (text[at]) {
      case '(':
        depth++;
        break;
      case ')':
        if (--depth <= 0) return at + 1;
        break;
      case ';':
        return at;
      case '"':
      case "'":
      case '`':
        at = stringEnd(text, at);
        break;
      case '/':
        if (text[at + 1] === '/') return text.length;
        if (text[at + 1] === '*') {
          const end = text.indexOf('*/', at + 2);
          if (end === -1) return text.length;
          at = end + 1;
        } else if (startsRegExp(text, at)) {
          at = regExpEnd(text, at);
        }
    }
  }
  return text.length;
}

function stringEnd(text, start) {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === text[start]) return at;
  }
  return text.length;
}

// After a value, a slash is a division.
function startsRegExp(text, at) {
  const before = text.slice(Math.max(0, at - 50), at).trimEnd();
  return before === '' || /[([{,;=:?!&|^~+\-*%<>]$/.test(before) || keywords.has(/\w*$/.exec(before)[0]);
}

function regExpEnd(text, start) {
  let inClass = false;
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '[') inClass = true;
    else if (text[at] === ']') inClass = false;
    else if (text[at] === '/' && !inClass) return at;
    // A regular expression cannot span lines: the slash was a division.
    else if (text[at] === '\n') return start;
  }
  return start;
}

module.exports = { callText };
