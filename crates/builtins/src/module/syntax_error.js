'use strict';
// Tokens of source text, for carets under them.

const words = /#?[\p{ID_Start}$_][\p{ID_Continue}$]*|"[^"]*"?|'[^']*'?|\d\w*/u;
const signs = />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|[=!<>+\-*/%&|^]=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|<<|>>|\*\*|\S/;
const tokenAtStart = new RegExp(`^(?:${words.source}|${signs.source})`, 'u');
const tokenAtEnd = new RegExp(`(?:${words.source}|${signs.source})\\s*$`, 'u');

const pattern = /^\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\[/])*\/[a-z]*/;

// The number of carets that V8 prints under the token at the start of a text. The token may be a regular expression if `isPattern` is true.
function lengthOfToken(rest, isPattern = false) {
  const token = (isPattern ? pattern.exec(rest) : null) ?? tokenAtStart.exec(rest);
  return Math.max(token?.[0].length ?? 1, 1);
}

module.exports = { lengthOfToken, tokenAtEnd };
