'use strict';
// Rewrites the engine's SyntaxErrors in V8's words, using the tables in `stack/syntax.rs`.

// The engine does not report the position of an undeclared private name. V8 reports the dot.
function placePrivate(error, text, file) {
  const name = /^(?:undefined private|Private) field '(.+?)'/.exec(error.message)?.[1];
  const at = name === undefined || error.stack.includes(`${file}:`) ? -1 : text.indexOf(`.${name}`);
  if (at === -1) return;
  const head = text.slice(0, at).split('\n');
  error.stack = error.stack.replace(/\n|$/, `\n    at ${file}:${head.length}:${head.at(-1).length + 1}\n`);
}

// Rewrites the message. `text` is the compiled source.
function polish(error, text, isModule = false, file = '') {
  // Not `instanceof`: the error may come from another realm.
  if (error?.name !== 'SyntaxError') return;
  const { message } = error;
  placePrivate(error, text, file);
  const place = /:(\d+):(\d+)\)?$/m.exec(error.stack);
  const lines = text.split('\n');
  const line = place === null ? undefined : lines[place[1] - 1];
  // The reported position may be behind the end of the text.
  const at = line === undefined ? text.length :
    lines.slice(0, place[1] - 1).reduce((sum, one) => sum + one.length + 1, 0) + Math.min(place[2] - 1, line.length);
  const before = text.slice(0, at);
  // An extra closing brace ends the wrapper function; the engine accepts what follows.
  const extra = isModule ? undefined : native.unopenedBrace(before) ?? undefined;
  const better = extra === undefined ? native.syntaxWords(message, before, text.slice(at), isModule) : "Unexpected token '}'";
  if (better == null) return;
  const { stack } = error;
  error.message = better;
  error.stack = stack.replace(message, () => better);
  if (extra === undefined || place === null) return;
  const head = text.slice(0, extra).split('\n');
  error.stack = error.stack.replace(place[0], `:${head.length}:${head.at(-1).length + 1}${place[0].endsWith(')') ? ')' : ''}`);
}

const words = /#?[\p{ID_Start}$_][\p{ID_Continue}$]*|"[^"]*"?|'[^']*'?|\d\w*/u;
const signs = />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|[=!<>+\-*/%&|^]=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|<<|>>|\*\*|\S/;
const tokenAtStart = new RegExp(`^(?:${words.source}|${signs.source})`, 'u');
const tokenAtEnd = new RegExp(`(?:${words.source}|${signs.source})\\s*$`, 'u');

const pattern = /^\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\[/])*\/[a-z]*/;

// How many carets V8 prints for the token at the start of a text, which may be a pattern.
function lengthOfToken(rest, isPattern = false) {
  const token = (isPattern ? pattern.exec(rest) : null) ?? tokenAtStart.exec(rest);
  return Math.max(token?.[0].length ?? 1, 1);
}

module.exports = { lengthOfToken, polish, tokenAtEnd };
