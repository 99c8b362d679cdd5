'use strict';
// Gives what the engine has against a text V8's words, which are in `stack/syntax.rs`.

// Gives the error its message. `text` is what was compiled.
function polish(error, text, isModule = false) {
  // That of another realm is none of this one's class.
  if (error?.name !== 'SyntaxError') return;
  const { message } = error;
  const place = /:(\d+):(\d+)\)?$/m.exec(error.stack);
  const lines = text.split('\n');
  const line = place === null ? undefined : lines[place[1] - 1];
  // It may be found only behind the end.
  const at = line === undefined ? text.length :
    lines.slice(0, place[1] - 1).reduce((sum, one) => sum + one.length + 1, 0) + Math.min(place[2] - 1, line.length);
  const better = native.syntaxWords(message, text.slice(0, at), text.slice(at), isModule);
  if (better == null) return;
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
