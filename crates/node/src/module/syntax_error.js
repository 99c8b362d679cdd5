'use strict';
// V8's words for what the engine has against a text. Only where the two say the same thing.

// The engine's words that mean the same whatever is around them are in `stack/words.rs`.
const sameWords = (message) => native.syntaxWords(message) ?? undefined;

// What the engine says of tokens that cannot be where they are.
const misplaced = new Set(['variable name expected', 'invalid property name', 'identifier expected', 'class statement requires a name',
  'from clause expected']);

const END = 'Unexpected end of input';

// Words that are no names.
const keywords = new Set(('break case catch class const continue debugger default delete do else export extends false finally ' +
  'for function if import in instanceof new null return super switch this throw true try typeof var void while with').split(' '));

function unexpected(rest) {
  const token = /^\s*(?:([\p{ID_Start}$_][\p{ID_Continue}$]*)|(\d)|(["'])|(`)|(=>|[{}()[\];,<>+*/%&|^!~?:=.-]))/u.exec(rest);
  if (token === null) return 'Invalid or unexpected token';
  if (token[1] !== undefined) return `Unexpected ${keywords.has(token[1]) ? 'token' : 'identifier'} '${token[1]}'`;
  if (token[2] !== undefined) return 'Unexpected number';
  if (token[3] !== undefined) return 'Unexpected string';
  return token[4] !== undefined ? 'Unexpected template string' : `Unexpected token '${token[5]}'`;
}

// Gives the error its message. `text` is what was compiled.
function polish(error, text, isModule = false) {
  // That of another realm is none of this one's class.
  if (error?.name !== 'SyntaxError') return;
  const { message } = error;
  const place = /:(\d+):(\d+)\)?$/m.exec(error.stack);
  const lines = text.split('\n');
  const line = place === null ? undefined : lines[place[1] - 1];
  const rest = line === undefined ? '' : [line.slice(place[2] - 1), ...lines.slice(+place[1])].join('\n');
  const token = /^unexpected token in expression: '([^]*)'$/.exec(message);
  let better = sameWords(message);
  if (token !== null) {
    if (rest.trim() === '') better = END;
    else better = native.isToken(token[1]) ? `Unexpected token '${token[1]}'` : 'Invalid or unexpected token';
  } else if (!isModule && /^\s*import\b(?!\s*[(.])/.test(line ?? '') && /^Unexpected (?:identifier|token|string)|^expecting '/.test(message)) {
    better = 'Cannot use import statement outside a module';
  } else if (/^'.+' already declared$/.test(message)) {
    better = message.replace(/^'(.+)' already declared$/, "Identifier '$1' has already been declared");
  } else if (misplaced.has(message)) {
    better = rest.trim() === '' ? END : unexpected(rest);
  } else if (/^expecting '/.test(message)) {
    const before = line === undefined ? '' : line.slice(0, place[2] - 1).trimEnd();
    if (/\bawait$/.test(before)) better = 'await is only valid in async functions and the top level bodies of modules';
    else better = rest.trim() === '' ? END : unexpected(rest);
  } else if (/^invalid redefinition of (?:lexical|global) identifier$/.test(message)) {
    // It may be found only behind the end.
    const last = line === undefined ? lines.findLast((one) => one.trim() !== '') ?? '' : line.slice(0, place[2] - 1);
    const name = /^\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)/u.exec(rest) ??
      /([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*$/u.exec(last);
    if (name !== null) better = `Identifier '${name[1]}' has already been declared`;
  }
  if (better === undefined) return;
  const { stack } = error;
  error.message = better;
  error.stack = stack.replace(message, () => better);
}

// How many carets V8 puts under what stands at the beginning of a text.
function lengthOfToken(rest) {
  const token = /^(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|"[^"]*"?|'[^']*'?|\d\w*|=>|.)/u.exec(rest);
  return Math.max(token?.[0].length ?? 1, 1);
}

module.exports = { lengthOfToken, polish };
