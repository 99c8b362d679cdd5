'use strict';
// AssertionError, and its messages, which it computes from actual, expected and operator. As
// `lib/internal/assert/assertion_error.js: createErrDiff`.

const process = require('process');
const { captureStack } = require('internal/errors');
const { shouldColorize } = require('internal/util');
const { validateObject } = require('internal/validators');
const { inspect } = require('internal/util/inspect');
const { myersDiff } = require('internal/util/diff');
const { printDiff, printLetters } = require('internal/assert/diff');

const headlines = {
  __proto__: null,
  deepStrictEqual: 'Expected values to be strictly deep-equal:',
  partialDeepStrictEqual: 'Expected values to be partially and strictly deep-equal:',
  strictEqual: 'Expected values to be strictly equal:',
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
  deepEqual: 'Expected values to be loosely deep-equal:',
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  notIdentical: 'Values have same structure but are not reference-equal:',
  notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:',
};

const withDiff = new Set(['deepStrictEqual', 'strictEqual', 'partialDeepStrictEqual']);

// An object is cut after this many lines.
const MOST_LINES = 50;
// In a message without a diff, an object is cut after this many characters.
const MOST_LETTERS = 512;
// Two values with at most this many characters together are shown on one line.
const ONE_LINE = 12;

const noColors = { hasColors: false, blue: '', green: '', white: '', red: '', gray: '' };
const someColors = {
  hasColors: true, blue: '\u001b[34m', green: '\u001b[32m', white: '\u001b[39m', red: '\u001b[31m', gray: '\u001b[90m',
};

const colorsNow = () => (shouldColorize(process.stderr) ? someColors : noColors);

const isObject = (value) => typeof value === 'object' && value !== null;

// Formats a value for the diff: expanded, with sorted keys, and independent of `inspect.defaultOptions`.
function show(value) {
  return inspect(value, {
    compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, showHidden: false, showProxy: false,
    sorted: true, getters: true,
  });
}

// Copies an error without its stack, which the message must not show.
function withoutStack(error) {
  const copy = Object.assign({ __proto__: Object.getPrototypeOf(error) }, error);
  Object.defineProperty(copy, 'message', { __proto__: null, value: error.message });
  if (Object.hasOwn(error, 'cause')) {
    const { cause } = error;
    Object.defineProperty(copy, 'cause', {
      __proto__: null, value: cause instanceof Error ? withoutStack(cause) : cause,
    });
  }
  return copy;
}

function twoValues(actual, shownActual, expected, shownExpected, colors) {
  const strings = typeof actual === 'string' && typeof expected === 'string';
  let letters = shownActual.length + shownExpected.length;
  if (typeof actual === 'string') letters -= 2;
  if (typeof expected === 'string') letters -= 2;
  if (letters <= ONE_LINE && (actual !== 0 || expected !== 0)) {
    return { message: `${shownActual} !== ${shownExpected}`, header: '' };
  }
  if (strings && colors.hasColors) {
    const header = `${colors.green}actual${colors.white} ${colors.red}expected${colors.white}`;
    return { message: printLetters(myersDiff(shownActual.split(''), shownExpected.split('')), colors), header };
  }
  let message =
    `\n${colors.green}+${colors.white} ${shownActual}\n${colors.red}- ${colors.white}${shownExpected}`;
  const room = process.stderr?.isTTY ? process.stderr.columns : 80;
  // Compares the formatted strings, with their quotes.
  if (typeof shownActual === 'string' && shownActual.length + shownExpected.length <= room) {
    let at = 0;
    while (at < shownActual.length && shownActual[at] === shownExpected[at]) at++;
    // Point at the first different character, unless it is one of the first three.
    if (at < shownActual.length && at >= 3) message += `\n${' '.repeat(at + 2)}^`;
  }
  return { message };
}

function diffMessage(actual, expected, operator, headline, diff) {
  const colors = colorsNow();
  if (operator === 'strictEqual' && ((isObject(actual) && isObject(expected)) ||
      (typeof actual === 'function' && typeof expected === 'function'))) {
    operator = 'strictEqualObject';
  }
  const textActual = show(actual);
  const textExpected = show(expected);
  const linesActual = textActual.split('\n');
  const linesExpected = textExpected.split('\n');
  let header = `${colors.green}+ actual${colors.white} ${colors.red}- expected${colors.white}`;
  let message;
  let skipped = false;

  if (linesActual.length === 1 && linesExpected.length === 1 && (!isObject(actual) || !isObject(expected))) {
    const two = twoValues(actual, textActual, expected, textExpected, colors);
    message = two.message;
    header = two.header ?? header;
  } else if (textActual === textExpected) {
    operator = 'notIdentical';
    skipped = linesActual.length > MOST_LINES && diff !== 'full';
    message = skipped ? `${linesActual.slice(0, MOST_LINES).join('\n')}\n...}` : textActual;
    header = '';
  } else {
    const partial = operator === 'partialDeepStrictEqual';
    const steps = myersDiff(linesActual, linesExpected, isObject(actual));
    ({ message, skipped } = printDiff(steps, colors, partial));
    if (partial) {
      header = `${colors.gray}${colors.hasColors ? '' : '+ '}actual${colors.white} ` +
        `${colors.red}- expected${colors.white}`;
    }
  }
  return `${headline || headlines[operator]}\n${header}${skipped ? '\n... Skipped lines' : ''}\n${message}\n`;
}

// The message of a failed `notStrictEqual` or `notDeepStrictEqual`. Both values are equal, so the message shows one.
function unequalMessage(actual, operator, diff) {
  const colors = colorsNow();
  const lines = show(actual).split('\n');
  const base = operator === 'notStrictEqual' && (isObject(actual) || typeof actual === 'function') ?
    headlines.notStrictEqualObject : headlines[operator];
  if (lines.length > MOST_LINES && diff !== 'full') lines.splice(46, lines.length, `${colors.blue}...${colors.white}`);
  if (lines.length === 1) return `${base}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}`;
  return `${base}\n\n${lines.join('\n')}\n`;
}

function cut(text, most, diff) {
  return text.length > most && diff !== 'full' ? `${text.slice(0, most - 3)}...` : text;
}

function plainMessage(actual, expected, operator, diff) {
  const one = show(actual);
  const other = show(expected);
  if (operator === 'notDeepEqual' && one === other) return cut(`${headlines.notDeepEqual}\n\n${one}`, 1024, diff);
  const left = cut(one, MOST_LETTERS, diff);
  const right = cut(other, MOST_LETTERS, diff);
  if (operator === 'deepEqual') {
    return `${headlines.deepEqual}\n\n${left}\n\nshould loosely deep-equal\n\n${right}`;
  }
  const headline = headlines[`${operator}Unequal`];
  if (headline) return `${headline}\n\n${left}\n\nshould not loosely deep-equal\n\n${right}`;
  return `${left} ${operator} ${right}`;
}

function messageOf(options, diff) {
  const { message, operator, actual, expected } = options;
  if (message != null) {
    return withDiff.has(operator) ? diffMessage(actual, expected, operator, message, diff) : String(message);
  }
  if (withDiff.has(operator)) return diffMessage(actual, expected, operator, message, diff);
  if (operator === 'notDeepStrictEqual' || operator === 'notStrictEqual') return unequalMessage(actual, operator, diff);
  return plainMessage(actual, expected, operator, diff);
}

function shorten(text) {
  const lines = text.split('\n', 11);
  if (lines.length > 10) return `${lines.slice(0, 10).join('\n')}\n...`;
  // Bug of Node: this drops the first 512 characters instead of keeping them (`lib/internal/assert/assertion_error.js:
  // addEllipsis`).
  return text.length > MOST_LETTERS ? `${text.slice(MOST_LETTERS)}...` : text;
}

class AssertionError extends Error {
  constructor(options) {
    validateObject(options, 'options');
    const { message, operator, details, diff = 'simple' } = options;
    let { actual, expected } = options;
    if (message == null && isObject(actual) && isObject(expected) && 'stack' in actual && actual instanceof Error &&
        'stack' in expected && expected instanceof Error) {
      actual = withoutStack(actual);
      expected = withoutStack(expected);
    }
    super(messageOf({ message, operator, actual, expected }, diff));
    this.generatedMessage = !message;
    Object.defineProperty(this, 'name', {
      __proto__: null, value: 'AssertionError', enumerable: false, writable: true, configurable: true,
    });
    this.code = 'ERR_ASSERTION';
    if (details) {
      this.actual = undefined;
      this.expected = undefined;
      this.operator = undefined;
      for (let i = 0; i < details.length; i++) {
        for (const part of ['message', 'actual', 'expected', 'operator']) this[`${part} ${i}`] = details[i][part];
        this[`stack trace ${i}`] = details[i].stack;
      }
    } else {
      this.actual = actual;
      this.expected = expected;
      this.operator = operator;
    }
    captureStack(this, `AssertionError [ERR_ASSERTION]: ${this.message}`,
                 options.stackStartFn || options.stackStartFunction);
    this.diff = diff;
  }

  toString() {
    return `${this.name} [${this.code}]: ${this.message}`;
  }

  [inspect.custom](recurseTimes, context) {
    // The message contains both values: abbreviate the properties.
    const { actual, expected } = this;
    if (typeof actual === 'string') this.actual = shorten(actual);
    if (typeof expected === 'string') this.expected = shorten(expected);
    const text = inspect(this, { ...context, customInspect: false, depth: 0 });
    this.actual = actual;
    this.expected = expected;
    return text;
  }
}

module.exports = AssertionError;
