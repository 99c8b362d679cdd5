'use strict';

// Formats errors for `inspect`: abbreviates frames that are repeated or are also frames of the cause, and colors paths.

const process = require('process');
const { hasOwn, isError, prefixOf } = require('internal/util/names');

const thrown = Symbol('thrown');

// Calls a getter of the program. Returns `fallback` if the getter throws.
function attempt(get, fallback) {
  try {
    return get();
  } catch {
    return fallback;
  }
}

function drop(keys, key) {
  const at = keys.indexOf(key);
  if (at !== -1) keys.splice(at, 1);
}

function stackOf(printer, error) {
  const stack = attempt(() => error.stack);
  if (!stack) return Error.prototype.toString.call(error);
  if (typeof stack === 'string') {
    // This stack has only frames: put the usual first line before them.
    return stack.startsWith('    at ') ? `${Error.prototype.toString.call(error)}\n${stack.trimEnd()}` : stack;
  }
  printer.seen.push(error);
  printer.indentationLvl += 4;
  const text = printer.value(stack, 0);
  printer.indentationLvl -= 4;
  printer.seen.pop();
  return `${Error.prototype.toString.call(error)}\n    ${text}`;
}

function errorText(printer, error, constructor, tag, keys) {
  let stack;
  try {
    stack = stackOf(printer, error);
  } catch {
    return Object.prototype.toString.call(error);
  }
  const message = attempt(() => error.message, thrown);
  const named = attempt(() => error.name, thrown);
  if (!printer.showHidden) {
    // A key whose value is in the stack is not printed again. A key whose getter throws is printed.
    drop(keys, 'stack');
    if (message !== thrown && (typeof message !== 'string' || stack.includes(message))) drop(keys, 'message');
    if (named !== thrown && (typeof named !== 'string' || stack.includes(named))) drop(keys, 'name');
  }
  const name = named === thrown ? 'Error' : named ?? 'Error';
  if (hasOwn(error, 'cause') && !keys.includes('cause')) keys.push('cause');
  if (hasOwn(error, 'errors') && Array.isArray(attempt(() => error.errors)) && !keys.includes('errors')) {
    keys.push('errors');
  }
  stack = nameStack(stack, constructor, name, tag);
  let from = (message && message !== thrown && stack.indexOf(message)) || -1;
  if (from !== -1) from += message.length;
  const start = stack.indexOf('\n    at', from);
  if (start === -1) {
    stack = `[${stack}]`;
  } else {
    stack = `${stack.slice(0, start)}\n${frames(printer, error, stack.slice(start + 1)).join('\n')}`;
  }
  return printer.indentationLvl === 0 ? stack : stack.replaceAll('\n', `\n${' '.repeat(printer.indentationLvl)}`);
}

// The lines of the stack. Lines that are also in the stack of the cause are replaced by one line (`lib/internal/util/inspect.js: getStackFrames`).
function frames(printer, error, text) {
  let lines = text.split('\n');
  const cause = attempt(() => error.cause);
  if (cause != null && isError(cause)) {
    const causeStack = stackOf(printer, cause);
    const start = causeStack.indexOf('\n    at');
    if (start !== -1) {
      const [length, offset] = identicalSequenceRange(lines, causeStack.slice(start + 1).split('\n'));
      if (length > 0) {
        const words = `    ... ${length - 2} lines matching cause stack trace ...`;
        lines.splice(offset + 1, length - 2, printer.stylize(words, 'undefined'));
      }
    }
  }
  if (lines.length > 10) lines = collapseRepeats(lines, printer.stylize);
  if (!printer.colors) return lines;
  const directory = currentDirectory();
  return lines.map((line) => {
    if (/^ {4}at (?:[^/\\(]+ \(|)node:(.+):\d+:\d+\)?$/.test(line)) return printer.stylize(line, 'undefined');
    const marked = markPackages(line, printer.stylize);
    return directory === undefined ? marked : markDirectory(marked, directory, printer.stylize);
  });
}

// Returns [length, start in `a`] of the first run of more than three lines that `b` contains, too.
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

// Replaces runs of repeated frames by one line (`lib/internal/util/inspect.js: getDuplicateErrorFrameRanges`).
function collapseRepeats(frames, stylize) {
  const places = new SafeMap();
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

// Adds the class name to the first line of the stack if that line does not contain it (`lib/internal/util/inspect.js: improveStack`).
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

// Underlines package names in a frame (`lib/internal/util/inspect.js: markNodeModules`).
function markPackages(line, stylize) {
  return line.replace(/([/\\])node_modules[/\\](@[^/\\]+[/\\])?[^/\\]+(?=[/\\])/g, (match) => {
    const start = match.indexOf('node_modules') + 13;
    return match.slice(0, start) + stylize(match.slice(start), 'module');
  });
}

// Colors the working directory of a frame gray (`lib/internal/util/inspect.js: markCwd`).
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
    // The working directory has been deleted: it is not colored in any frame.
    return undefined;
  }
}

module.exports = { errorText, identicalSequenceRange };
