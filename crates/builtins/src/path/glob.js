'use strict';
// `path.matchesGlob`: matches a path against a pattern with `*`, `?`, `[…]`, `**`, `{a,b}` and `@(…|…)`. Results are
// those of the minimatch package with the options of `lib/path.js: glob`. `fs.glob` uses it too.

// Expands `{a,b}` and `{1..3}` into a list of patterns.
function expandBraces(pattern) {
  const open = pattern.indexOf('{');
  if (open === -1) return [pattern];
  let depth = 0;
  const cuts = [open];
  for (let i = open; i < pattern.length; i++) {
    if (pattern[i] === '{') depth++;
    else if (pattern[i] === ',' && depth === 1) cuts.push(i);
    else if (pattern[i] === '}' && --depth === 0) return expandAt(pattern, open, cuts.concat(i));
  }
  return [pattern];
}

function expandAt(pattern, open, cuts) {
  const close = cuts[cuts.length - 1];
  const head = pattern.slice(0, open);
  const tails = expandBraces(pattern.slice(close + 1));
  let choices = [];
  if (cuts.length > 2) {
    for (let i = 1; i < cuts.length; i++) choices.push(...expandBraces(pattern.slice(cuts[i - 1] + 1, cuts[i])));
  } else {
    const range = /^(-?\d+)\.\.(-?\d+)$/.exec(pattern.slice(open + 1, close));
    if (range) {
      const [from, to] = [Number(range[1]), Number(range[2])];
      for (let n = from; from <= to ? n <= to : n >= to; n += from <= to ? 1 : -1) choices.push(`${n}`);
    } else {
      choices = expandBraces(pattern.slice(open + 1, close)).map((inner) => `{${inner}}`);
    }
  }
  return choices.flatMap((choice) => tails.map((tail) => head + choice + tail));
}

// Translates the pattern of one path segment into the source of a regular expression. `closing`: up to the closing
// parenthesis of a group; `end` is -1 if there is none.
function translate(pattern, from, closing) {
  let source = '';
  for (let i = from; i < pattern.length; i++) {
    const character = pattern[i];
    if (closing && (character === ')' || character === '|')) {
      if (character === ')') return { source, end: i };
      source += '|';
    } else if ('?*+@!'.includes(character) && pattern[i + 1] === '(') {
      const group = translate(pattern, i + 2, true);
      if (group.end === -1) {
        source += `\\${character}`;
        continue;
      }
      const count = character === '@' || character === '!' ? '' : character;
      source += character === '!' ? `(?:(?!(?:${group.source})$)[^/]*?)` : `(?:${group.source})${count}`;
      i = group.end;
    } else if (character === '*') {
      source += '[^/]*?';
    } else if (character === '?') {
      source += '[^/]';
    } else if (character === '[') {
      const set = /^\[([!^]?)(\]?[^\]]*)\]/.exec(pattern.slice(i));
      if (set) {
        source += `[${set[1] ? '^' : ''}${set[2].replace(/[\\[\]^]/g, '\\$&')}]`;
        i += set[0].length - 1;
      } else {
        source += '\\[';
      }
    } else {
      source += character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    }
  }
  return { source, end: closing ? -1 : pattern.length };
}

function partFits(part, pattern) {
  if (!/[*?[+@!]/.test(pattern)) return part === pattern;
  // A segment that begins with a dot matches only a pattern that begins with a dot.
  if (part[0] === '.' && pattern[0] !== '.') return false;
  if (part === '' && !/[?*+@!]\(/.test(pattern)) return false;
  return new RegExp(`^(?:${translate(pattern, 0, false).source})$`, 'u').test(part);
}

function segmentsMatch(parts, i, patterns, j, hadSlash) {
  for (; j < patterns.length; j++) {
    if (patterns[j] === '**') {
      // A final `**` must match at least one segment, or the empty one after a trailing slash.
      if (j + 1 === patterns.length) return (i < parts.length || hadSlash) && !parts.slice(i).some((part) => part[0] === '.');
      for (let k = i; k <= parts.length; k++) {
        if (segmentsMatch(parts, k, patterns, j + 1, hadSlash)) return true;
        if (k < parts.length && parts[k][0] === '.') return false;
      }
      return false;
    }
    if (i >= parts.length || !partFits(parts[i], patterns[j])) return false;
    i++;
  }
  return i === parts.length;
}

// Splits a path into segments; repeated slashes count as one. Returns [segments, whether there is a trailing slash].
function split(text, windows) {
  if (windows) text = text.replaceAll('\\', '/');
  const parts = text.split('/').filter((part, i, all) => part !== '' || i === 0 || i === all.length - 1);
  const hadSlash = parts.length > 1 && parts[parts.length - 1] === '';
  if (hadSlash) parts.pop();
  return [parts, hadSlash];
}

function matches(path, pattern, windows) {
  const [parts, hadSlash] = split(path, windows);
  return expandBraces(windows ? pattern.replaceAll('\\', '/') : pattern).some((one) => {
    const [patterns, wantsSlash] = split(one, windows);
    return (!wantsSlash || hadSlash) && segmentsMatch(parts, 0, patterns, 0, hadSlash);
  });
}

module.exports = { expandBraces, matches, partFits };
