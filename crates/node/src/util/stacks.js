'use strict';

// Stacks of errors as inspect prints them: shorter where they repeat themselves or their cause, marked in colour.

const process = require('process');
const { prefixOf } = require('internal/util/names');

// Length and start in `a` of the first run of more than three lines that is in `b` as well.
function identicalSequenceRange(a, b) {
  for (let start = 0; start < a.length - 3; start++) {
    const from = b.indexOf(a[start]);
    if (from === -1 || b.length - from <= 3) continue;
    const most = Math.min(a.length - start, b.length - from);
    let length = 1;
    while (length < most && a[start + length] === b[from + length]) length++;
    if (length > 3) return [length, start];
  }
  return [0, 0];
}

// Replaces what repeats in a long stack by one line.
function collapseRepeats(frames, stylize) {
  const places = new Map();
  frames.forEach((frame, at) => {
    if (places.has(frame)) places.get(frame).push(at);
    else places.set(frame, [at]);
  });
  if (frames.length - places.size <= 3) return frames;
  const result = [];
  for (let at = 0; at < frames.length; at++) {
    let best = { range: 0, times: 0 };
    for (const next of places.get(frames[at])) {
      const range = next - at;
      if (range <= 0 || at >= frames.length - 3) continue;
      let times = 0;
      while (repeats(frames, at, at + range * (times + 1), range)) times++;
      if (times * range > best.times * best.range) best = { range, times };
    }
    const { range, times } = best;
    if (range * times < 3) {
      result.push(frames[at]);
      continue;
    }
    result.push(...frames.slice(at, at + range));
    const what = times > 1 ? `${range} lines ${times} times...` : 'lines ...';
    result.push(stylize(`    ... collapsed ${range * times} duplicate lines matching above ${what}`, 'undefined'));
    at += range * (times + 1) - 1;
  }
  return result;
}

function repeats(frames, at, next, range) {
  if (next + range > frames.length) return false;
  for (let step = 0; step < range; step++) {
    if (frames[at + step] !== frames[next + step]) return false;
  }
  return true;
}

// Makes the first line name the class where the stack does not.
function nameStack(stack, constructor, name, tag) {
  let length = name.length;
  if (typeof name !== 'string') {
    stack = stack.replace(`${name}`, `${name} [${prefixOf(constructor, tag, 'Error').slice(0, -1)}]`);
  }
  const regular = typeof name === 'string' && name.endsWith('Error') && stack.startsWith(name) &&
    (stack.length === length || stack[length] === ':' || stack[length] === '\n');
  if (constructor !== null && !regular) return stack;
  let fallback = 'Error';
  if (constructor === null) {
    const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n {4}at)/.exec(stack) ?? /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
    fallback = start?.[1] || '';
    length = fallback.length;
    fallback ||= 'Error';
  }
  const prefix = prefixOf(constructor, tag, fallback).slice(0, -1);
  if (name === prefix) return stack;
  if (!prefix.includes(name)) return `${prefix} [${name}]${stack.slice(length)}`;
  return length === 0 ? `${prefix}: ${stack}` : `${prefix}${stack.slice(length)}`;
}

// Underlines the names of packages in a frame.
function markPackages(line, stylize) {
  return line.replace(/([/\\])node_modules[/\\](@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/g, (match) => {
    const start = match.indexOf('node_modules') + 13;
    return match.slice(0, start) + stylize(match.slice(start), 'module');
  });
}

// Greys out the working directory in a frame.
function markDirectory(line, directory, stylize) {
  let at = line.indexOf(directory);
  if (at === -1) return line;
  let { length } = directory;
  if (line.slice(at - 7, at) === 'file://') {
    length += 7;
    at -= 7;
  }
  const start = line[at - 1] === '(' ? at - 1 : at;
  const hasEnd = start !== at && line.endsWith(')');
  const end = at + length + 1;
  return line.slice(0, start) + stylize(line.slice(start, end), 'undefined') +
    line.slice(end, hasEnd ? -1 : line.length) + (hasEnd ? stylize(')', 'undefined') : '');
}

function currentDirectory() {
  try {
    return process.cwd();
  } catch {
    // The directory may be gone: then nothing is marked.
    return undefined;
  }
}

module.exports = {
  collapseRepeats,
  currentDirectory,
  identicalSequenceRange,
  markDirectory,
  markPackages,
  nameStack,
};
