'use strict';

// `util.format` and `util.formatWithOptions`: strings with directives such as %s and %d.

const { inspect, inspectDefaultOptions } = require('internal/util/inspect');
const { hasOwn, isBuiltinName } = require('internal/util/names');
const { bigintText, numberText } = require('internal/util/text');

const { proxyParts } = native;

// True if converting the object to a string runs only builtin code (`lib/internal/util/inspect.js: hasBuiltInToString`).
function hasBuiltinToString(value) {
  let parts = proxyParts(value);
  while (parts !== undefined) {
    if (parts[0] === null) return true;
    value = parts[0];
    parts = proxyParts(value);
  }
  const keys = ['toString', Symbol.toPrimitive].filter((key) => typeof value[key] === 'function');
  if (keys.length === 0) return true;
  for (let object = value; object !== null; object = Object.getPrototypeOf(object)) {
    if (!keys.some((key) => hasOwn(object, key))) continue;
    if (object === value) return false;
    const found = Object.getOwnPropertyDescriptor(object, 'constructor')?.value;
    return typeof found === 'function' && isBuiltinName(found.name);
  }
  return false;
}

let circularMessage;

function jsonText(value) {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (circularMessage === undefined) {
      const ring = {};
      ring.ring = ring;
      try {
        JSON.stringify(ring);
      } catch (circular) {
        [circularMessage] = circular.message.split('\n', 1);
      }
    }
    if (error.name === 'TypeError' && error.message.split('\n', 1)[0] === circularMessage) return '[Circular]';
    throw error;
  }
}

function format(...args) {
  return formatted(undefined, args);
}

function formatWithOptions(inspectOptions, ...args) {
  const { validateObject, kValidateObjectAllowArray } = require('internal/validators');
  validateObject(inspectOptions, 'inspectOptions', kValidateObjectAllowArray);
  return formatted(inspectOptions, args);
}

function formatted(options, args) {
  try {
    return formatArguments(options, args);
  } catch (error) {
    return require('internal/original_builtins').retry(error, () => formatArguments(options, args));
  }
}

// Formats one argument for a directive. Returns undefined for an unknown directive.
function directive(char, arg, options) {
  const separate = options?.numericSeparator ?? inspectDefaultOptions.numericSeparator;
  switch (char) {
    case 's':
      if (typeof arg === 'number') return numberText(arg, separate);
      if (typeof arg === 'bigint') return bigintText(arg, separate);
      if (typeof arg !== 'object' || arg === null || !hasBuiltinToString(arg)) return String(arg);
      return inspect(arg, { ...options, compact: 3, colors: false, depth: 0 });
    case 'j':
      return `${jsonText(arg)}`;
    case 'd':
      if (typeof arg === 'bigint') return bigintText(arg, separate);
      return typeof arg === 'symbol' ? 'NaN' : numberText(Number(arg), separate);
    case 'i':
      if (typeof arg === 'bigint') return bigintText(arg, separate);
      return typeof arg === 'symbol' ? 'NaN' : numberText(Number.parseInt(arg), separate);
    case 'f':
      return typeof arg === 'symbol' ? 'NaN' : numberText(Number.parseFloat(arg), separate);
    case 'O':
      return inspect(arg, options);
    case 'o':
      return inspect(arg, { ...options, showHidden: true, showProxy: true, depth: 4 });
    case 'c':
      return '';
    default:
      return undefined;
  }
}

function formatArguments(options, args) {
  const [first] = args;
  let next = 0;
  let text = '';
  let joint = '';
  if (typeof first === 'string') {
    if (args.length === 1) return first;
    let done = 0;
    let used = 0;
    for (let at = first.indexOf('%'); at !== -1 && at < first.length - 1; at = first.indexOf('%', at + 2)) {
      const char = first[at + 1];
      let insert;
      if (char === '%') insert = '%';
      else if (used + 1 < args.length) {
        insert = directive(char, args[used + 1], options);
        if (insert !== undefined) used++;
      }
      if (insert === undefined) continue;
      text += first.slice(done, at) + insert;
      done = at + 2;
    }
    if (done > 0) {
      text += first.slice(done);
      joint = ' ';
      next = used + 1;
    }
  }
  for (; next < args.length; next++) {
    const arg = args[next];
    text += joint + (typeof arg === 'string' ? arg : inspect(arg, options));
    joint = ' ';
  }
  return text;
}

module.exports = { format, formatWithOptions };
