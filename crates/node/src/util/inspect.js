'use strict';

// util.inspect and util.format: how Node prints values. A `Printer` holds the options and the place in the tree while
// one value is printed. A value is first described (which braces, which keys, what is inside), then its entries are
// printed, then laid out on one line, in columns, or one entry on each line. Which kind a value is comes from the
// engine's inner class, so that nothing a program does to prototypes, and no proxy, runs code of the program.

const { classOf, iteratorPreview, nonIndexKeys, promiseParts, proxyParts, weakEntries } = native;

const custom = Symbol.for('nodejs.util.inspect.custom');
const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const isEnumerable = (object, key) => Object.prototype.propertyIsEnumerable.call(object, key);

const defaultOptions = Object.seal({
  showHidden: false,
  depth: 2,
  colors: false,
  customInspect: true,
  showProxy: false,
  maxArrayLength: 100,
  maxStringLength: 10000,
  breakLength: 80,
  compact: 3,
  sorted: false,
  getters: false,
  numericSeparator: false,
});
const optionNames = Object.keys(defaultOptions);

// Where a property stands: in an object, as an element of a list, beside the elements of a list.
const IN_OBJECT = 0;
const ELEMENT = 1;
const BESIDE_ELEMENTS = 2;

const plainText = (text) => text;

function colorText(text, style) {
  const color = inspect.colors[inspect.styles[style]];
  return color === undefined ? text : `\u001b[${color[0]}m${text}\u001b[${color[1]}m`;
}

// The classes of the language, whose prototypes are not worth printing. As in Node without SharedArrayBuffer.
let builtinNames;

function isBuiltinName(name) {
  builtinNames ??= new Set((
    'Object Function Array Number Infinity NaN Boolean String Symbol Date Promise RegExp Error AggregateError ' +
    'EvalError RangeError ReferenceError SyntaxError TypeError URIError JSON Math Intl ArrayBuffer Atomics Uint8Array ' +
    'Int8Array Uint16Array Int16Array Uint32Array Int32Array Float16Array Float32Array Float64Array ' +
    'Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap WeakSet Proxy Reflect ' +
    'FinalizationRegistry WeakRef Iterator').split(' '));
  return builtinNames.has(name);
}

// ---- texts ----------------------------------------------------------------------------------------------------------

const lone = '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]';
const escaped = new RegExp(`[\\x00-\\x1f\\x27\\x5c\\x7f-\\x9f]|${lone}`);
const escapedAll = new RegExp(escaped.source, 'g');
const escapedNoQuote = new RegExp(`[\\x00-\\x1f\\x5c\\x7f-\\x9f]|${lone}`);
const escapedNoQuoteAll = new RegExp(escapedNoQuote.source, 'g');
const shortEscapes = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 39: "\\'", 92: '\\\\' };

function escape(char) {
  const code = char.charCodeAt(0);
  return shortEscapes[code] ??
    (code < 160 ? `\\x${code.toString(16).toUpperCase().padStart(2, '0')}` : `\\u${code.toString(16)}`);
}

// Single quotes unless the text has one and another kind of quote serves without escaping.
function quote(text) {
  let mark = "'";
  if (text.includes("'")) {
    if (!text.includes('"')) mark = '"';
    else if (!text.includes('`') && !text.includes('${')) mark = '`';
  }
  if (mark === "'") {
    if (escaped.test(text)) text = text.replace(escapedAll, escape);
  } else if (escapedNoQuote.test(text)) {
    text = text.replace(escapedNoQuoteAll, escape);
  }
  return mark + text + mark;
}

function separateThousands(digits) {
  return require('internal/errors').addNumericalSeparator(digits);
}

function numberText(number, separate) {
  if (!separate) return Object.is(number, -0) ? '-0' : `${number}`;
  const text = String(number);
  if (!Number.isFinite(number) || text.includes('e')) return text;
  const [whole, fraction] = text.split('.');
  if (fraction === undefined) return separateThousands(whole);
  return `${separateThousands(whole)}.${fraction.replace(/\d{3}(?=\d)/g, '$&_')}`;
}

function bigintText(bigint, separate) {
  return `${separate ? separateThousands(String(bigint)) : bigint}n`;
}

const ansi = new RegExp(
  '[\\u001B\\u009B][[\\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\\d\\/\\#&.:=?%@~_]+)*' +
  '|[a-zA-Z\\d]+(?:;[-a-zA-Z\\d\\/\\#&.:=?%@~_]*)*)?(?:\\u0007|\\u001B\\u005C|\\u009C))' +
  '|(?:(?:\\d{1,4}(?:;\\d{0,4})*)?[\\dA-PR-TZcf-nq-uy=><~]))', 'g');

function stripVTControlCharacters(str) {
  require('internal/validators').validateString(str, 'str');
  return str.replace(ansi, '');
}

const withoutColors = (text) => text.replace(/\u001b\[\d\d?m/g, '');

function isZeroWidthCodePoint(code) {
  return code <= 0x1f || (code >= 0x7f && code <= 0x9f) || (code >= 0x300 && code <= 0x36f) ||
    (code >= 0x200b && code <= 0x200f) || (code >= 0x20d0 && code <= 0x20ff) ||
    (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xfe20 && code <= 0xfe2f) ||
    (code >= 0xe0100 && code <= 0xe01ef);
}

// First and last code points of what takes two columns (East Asian wide and full width, emoji).
const wideRanges = [
  0x1100, 0x115f, 0x231a, 0x231b, 0x2329, 0x232a, 0x23e9, 0x23ec, 0x23f0, 0x23f0, 0x23f3, 0x23f3, 0x25fd, 0x25fe,
  0x2614, 0x2615, 0x2648, 0x2653, 0x267f, 0x267f, 0x2693, 0x2693, 0x26a1, 0x26a1, 0x26aa, 0x26ab, 0x26bd, 0x26be,
  0x26c4, 0x26c5, 0x26ce, 0x26ce, 0x26d4, 0x26d4, 0x26ea, 0x26ea, 0x26f2, 0x26f3, 0x26f5, 0x26f5, 0x26fa, 0x26fa,
  0x26fd, 0x26fd, 0x2705, 0x2705, 0x270a, 0x270b, 0x2728, 0x2728, 0x274c, 0x274c, 0x274e, 0x274e, 0x2753, 0x2755,
  0x2757, 0x2757, 0x2795, 0x2797, 0x27b0, 0x27b0, 0x27bf, 0x27bf, 0x2b1b, 0x2b1c, 0x2b50, 0x2b50, 0x2b55, 0x2b55,
  0x2e80, 0x303e, 0x3041, 0x3247, 0x3250, 0x4dbf, 0x4e00, 0xa4c6, 0xa960, 0xa97c, 0xac00, 0xd7a3, 0xf900, 0xfaff,
  0xfe10, 0xfe19, 0xfe30, 0xfe6b, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x18aff, 0x1b000, 0x1b2ff,
  0x1f004, 0x1f004, 0x1f0cf, 0x1f0cf, 0x1f18e, 0x1f18e, 0x1f191, 0x1f19a, 0x1f200, 0x1f320, 0x1f32d, 0x1f335,
  0x1f337, 0x1f37c, 0x1f37e, 0x1f393, 0x1f3a0, 0x1f3ca, 0x1f3cf, 0x1f3d3, 0x1f3e0, 0x1f3f0, 0x1f3f4, 0x1f3f4,
  0x1f3f8, 0x1f43e, 0x1f440, 0x1f440, 0x1f442, 0x1f4fc, 0x1f4ff, 0x1f53d, 0x1f54b, 0x1f54e, 0x1f550, 0x1f567,
  0x1f57a, 0x1f57a, 0x1f595, 0x1f596, 0x1f5a4, 0x1f5a4, 0x1f5fb, 0x1f64f, 0x1f680, 0x1f6c5, 0x1f6cc, 0x1f6cc,
  0x1f6d0, 0x1f6d2, 0x1f6d5, 0x1f6d7, 0x1f6dc, 0x1f6df, 0x1f6eb, 0x1f6ec, 0x1f6f4, 0x1f6fc, 0x1f7e0, 0x1f7f0,
  0x1f90c, 0x1f93a, 0x1f93c, 0x1f945, 0x1f947, 0x1f9ff, 0x1fa70, 0x1faff, 0x20000, 0x3fffd,
];

function isWide(code) {
  if (code < 0x1100) return false;
  for (let at = 0; at < wideRanges.length && wideRanges[at] <= code; at += 2) {
    if (code <= wideRanges[at + 1]) return true;
  }
  return false;
}

// How many columns of a terminal a text takes.
function getStringWidth(text, removeControlChars = true) {
  if (removeControlChars) text = text.replace(ansi, '');
  // Only printable ASCII: nothing to look at.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text.normalize('NFC')) {
    const code = char.codePointAt(0);
    if (isWide(code)) width += 2;
    else if (!isZeroWidthCodePoint(code)) width++;
  }
  return width;
}

const plural = (count, word) => `${count} ${word}${count > 1 ? 's' : ''}`;
const moreItems = (count) => `... more item${count > 1 ? 's' : ''}`.replace('...', `... ${count}`);

// ---- names of classes -----------------------------------------------------------------------------------------------

// "Foo ", "Foo(2) [tag] ", "[Object: null prototype] ": what stands before the braces.
function prefixOf(constructor, tag, fallback, size = '') {
  if (constructor === null) {
    const name = `[${fallback}${size}: null prototype] `;
    return tag !== '' && fallback !== tag ? `${name}[${tag}] ` : name;
  }
  const name = `${constructor}${size} `;
  if (tag === '') return name;
  // A tag that is a word of the class's name says nothing new.
  const at = constructor.indexOf(tag);
  const next = at === -1 ? undefined : constructor[at + tag.length];
  const isNews = at === -1 || (next !== undefined && next === next.toLowerCase());
  return isNews ? `${name}[${tag}] ` : name;
}

function engineName(value) {
  const name = typeof value === 'function' ? 'Function' : classOf(value);
  return name === 'Arguments' || name === undefined ? 'Object' : name;
}

function styledPrefix(value, constructor, tag) {
  let fallback = '';
  if (constructor === null) {
    fallback = engineName(value);
    if (fallback === tag) fallback = 'Object';
  }
  return prefixOf(constructor, tag, fallback);
}

function isInstance(value, constructor) {
  try {
    return value instanceof constructor;
  } catch {
    return false;
  }
}

let knownPrototypes;

// Classes whose name holds even when a program has put another `constructor` on the prototype.
function known() {
  if (knownPrototypes === undefined) {
    knownPrototypes = new Map();
    for (const Class of [
      Array, ArrayBuffer, Function, Map, Set, Object, Object.getPrototypeOf(Uint8Array), RegExp, Date, DataView, Error,
      AggregateError, RangeError, TypeError, Boolean, Number, String, Promise, WeakMap, WeakSet,
    ]) knownPrototypes.set(Class.prototype, Class);
  }
  return knownPrototypes;
}

function isError(value) {
  return classOf(value) === 'Error' || isInstance(value, Error);
}

function keysOf(value, showHidden) {
  const symbols = Object.getOwnPropertySymbols(value);
  let keys;
  if (showHidden) {
    keys = Object.getOwnPropertyNames(value);
    return symbols.length > 0 ? keys.concat(symbols) : keys;
  }
  try {
    keys = Object.keys(value);
  } catch {
    // A module that has not run yet: its exports cannot be looked at.
    keys = Object.getOwnPropertyNames(value);
  }
  return symbols.length > 0 ? keys.concat(symbols.filter((key) => isEnumerable(value, key))) : keys;
}

// Those of a list that are not its elements.
function keysBeside(value, showHidden) {
  const keys = nonIndexKeys(value, !showHidden);
  const symbols = Object.getOwnPropertySymbols(value);
  if (symbols.length === 0) return keys;
  return keys.concat(showHidden ? symbols : symbols.filter((key) => isEnumerable(value, key)));
}

// ---- stacks of errors -----------------------------------------------------------------------------------------------

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

// ---- the printer ----------------------------------------------------------------------------------------------------

const thrown = Symbol('thrown');

// What a getter of the program gives; `otherwise` if it throws.
function attempt(get, otherwise) {
  try {
    return get();
  } catch {
    return otherwise;
  }
}

function drop(keys, key) {
  const at = keys.indexOf(key);
  if (at !== -1) keys.splice(at, 1);
}

class Printer {
  constructor() {
    // How much was printed at each indentation: past a limit nothing deep is printed any more.
    this.budget = {};
    this.indentationLvl = 0;
    // The objects around the one that is being printed.
    this.seen = [];
    // Number of each object that is met again inside itself.
    this.circular = undefined;
    this.currentDepth = 0;
    this.stylize = plainText;
    for (const name of optionNames) this[name] = defaultOptions[name];
    this.userOptions = undefined;
  }

  take(options) {
    for (const key of Object.keys(options)) {
      if (hasOwn(defaultOptions, key) || key === 'stylize') this[key] = options[key];
      // What is not ours is handed on to custom functions.
      else this.userOptions ??= options;
    }
  }

  isTooDeep(level) {
    return this.depth !== null && level > this.depth;
  }

  value(value, level, isInView = false) {
    if (typeof value !== 'object' && typeof value !== 'function') return this.primitive(value, this.stylize);
    if (value === null) return this.stylize('null', 'null');
    const original = value;
    let parts = proxyParts(value);
    const isProxy = parts !== undefined;
    while (parts !== undefined) {
      if (parts[0] === null) return this.stylize('<Revoked Proxy>', 'special');
      if (this.showProxy) return this.proxy(parts, level);
      value = parts[0];
      parts = proxyParts(value);
    }
    if (this.customInspect) {
      const text = this.custom(value, original, isProxy, level);
      if (text !== undefined) return text;
    }
    if (this.seen.includes(value)) {
      this.circular ??= new Map();
      let index = this.circular.get(value);
      if (index === undefined) this.circular.set(value, index = this.circular.size + 1);
      return this.stylize(`[Circular *${index}]`, 'special');
    }
    return this.object(value, level, isInView);
  }

  // What the object's own function for this says; undefined if it has none.
  custom(value, original, isProxy, level) {
    const method = value[custom];
    if (typeof method !== 'function' || method === inspect ||
        Object.getOwnPropertyDescriptor(value, 'constructor')?.value?.prototype === value) return undefined;
    const depth = this.depth === null ? null : this.depth - level;
    const isForeign = isProxy || !Function.prototype[Symbol.hasInstance].call(Object, original);
    const result = method.call(original, depth, this.optionsForCustom(isForeign), inspect);
    if (result === original) return undefined;
    if (typeof result !== 'string') return this.value(result, level);
    return result.replaceAll('\n', `\n${' '.repeat(this.indentationLvl)}`);
  }

  // An object without our prototype (of another realm, or behind a proxy) gets options without our objects in them.
  optionsForCustom(isForeign) {
    const options = { stylize: this.stylize };
    for (const name of optionNames) options[name] = this[name];
    Object.assign(options, this.userOptions);
    if (!isForeign) return options;
    Object.setPrototypeOf(options, null);
    for (const key of Object.keys(options)) {
      if (options[key] !== null && (typeof options[key] === 'object' || typeof options[key] === 'function')) {
        delete options[key];
      }
    }
    options.stylize = Object.setPrototypeOf((text, style) => {
      try {
        return `${this.stylize(text, style)}`;
      } catch {
        return text;
      }
    }, null);
    return options;
  }

  primitive(value, stylize) {
    switch (typeof value) {
      case 'string':
        return this.string(value, stylize);
      case 'number':
        return stylize(numberText(value, this.numericSeparator), 'number');
      case 'bigint':
        return stylize(bigintText(value, this.numericSeparator), 'bigint');
      case 'symbol':
        return stylize(Symbol.prototype.toString.call(value), 'symbol');
      default:
        return stylize(`${value}`, typeof value);
    }
  }

  string(text, stylize) {
    let trailer = '';
    if (text.length > this.maxStringLength) {
      trailer = `... ${plural(text.length - this.maxStringLength, 'more character')}`;
      text = text.slice(0, this.maxStringLength);
    }
    // Too long for a line: one piece for each line of the text.
    if (this.compact !== true && text.length > 16 && text.length > this.breakLength - this.indentationLvl - 4) {
      const pieces = text.split(/(?<=\n)/).map((line) => stylize(quote(line), 'string'));
      return pieces.join(` +\n${' '.repeat(this.indentationLvl + 2)}`) + trailer;
    }
    return stylize(quote(text), 'string') + trailer;
  }

  proxy(parts, level) {
    if (this.isTooDeep(level)) return this.stylize('Proxy [Array]', 'special');
    this.indentationLvl += 2;
    const entries = parts.map((part) => this.value(part, level + 1));
    this.indentationLvl -= 2;
    return this.layOut(entries, '', 'Proxy [', ']', true, level + 1);
  }

  object(value, level, isInView) {
    const inherited = this.showHidden && !this.isTooDeep(level) ? [] : undefined;
    const constructor = this.constructorName(value, level, inherited);
    const extra = inherited !== undefined && inherited.length > 0 ? inherited : undefined;
    const shape = this.describe(value, constructor, tagOf(value, this.showHidden), level, isInView, extra);
    if (shape.text !== undefined) return shape.text;
    if (this.isTooDeep(level)) {
      const name = styledPrefix(value, constructor, shape.tag).slice(0, -1);
      return this.stylize(constructor === null ? name : `[${name}]`, 'special');
    }
    return this.entries(value, shape, constructor, extra, level + 1);
  }

  entries(value, shape, constructor, extra, level) {
    const { keys } = shape;
    this.seen.push(value);
    this.currentDepth = level;
    const { indentationLvl } = this;
    let output;
    try {
      output = shape.inside === undefined ? [] : shape.inside(level);
      for (const key of shape.getters ?? []) output.push(this.classGetter(value, level, key, shape.isInView));
      for (const key of keys) {
        output.push(this.property(value, level, key, shape.isList ? BESIDE_ELEMENTS : IN_OBJECT));
      }
      if (extra !== undefined) output.push(...extra);
    } catch (error) {
      if (!require('internal/errors').isStackOverflowError(error)) throw error;
      this.seen.pop();
      this.indentationLvl = indentationLvl;
      const name = styledPrefix(value, constructor, shape.tag).slice(0, -1);
      return this.stylize(
        `[${name}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`, 'special');
    }
    const index = this.circular?.get(value);
    if (index !== undefined) {
      const reference = this.stylize(`<ref *${index}>`, 'special');
      if (this.compact === true) shape.open = `${reference} ${shape.open}`;
      else shape.base = shape.base === '' ? reference : `${reference} ${shape.base}`;
    }
    this.seen.pop();
    if (this.sorted) output = this.sort(output, shape.isList ? keys.length : output.length);
    const text = this.layOut(output, shape.base, shape.open, shape.close, shape.isList, level, value);
    const printed = (this.budget[this.indentationLvl] ?? 0) + text.length;
    this.budget[this.indentationLvl] = printed;
    // As Node: a tree that prints to more than this would exhaust the memory; only its top is printed.
    if (printed > 2 ** 27) this.depth = -1;
    return text;
  }

  // Sorts the last `count` entries: the elements of a list keep their order.
  sort(output, count) {
    const start = output.length - count;
    const compare = this.sorted === true ? undefined : this.sorted;
    return output.slice(0, start).concat(output.slice(start).sort(compare));
  }

  // The name of the class, null without a prototype. Collects what prototypes of the program's own classes hold.
  constructorName(value, level, inherited) {
    let object = value;
    let first;
    while (object) {
      const Known = known().get(object);
      if (Known !== undefined && Function.prototype[Symbol.hasInstance].call(Known, value)) {
        if (inherited !== undefined && first !== object) this.inherited(value, first || value, level, inherited);
        return Known.name;
      }
      const found = Object.getOwnPropertyDescriptor(object, 'constructor')?.value;
      if (typeof found === 'function' && found.name !== '' && isInstance(value, found)) {
        if (inherited !== undefined && (first !== object || !isBuiltinName(found.name))) {
          this.inherited(value, first || value, level, inherited);
        }
        return String(found.name);
      }
      object = Object.getPrototypeOf(object);
      if (first === undefined) first = object;
    }
    if (first === null) return null;
    const name = engineName(value);
    if (this.isTooDeep(level)) return `${name} <Complex prototype>`;
    const above = this.constructorName(first, level + 1, inherited);
    if (above !== null) return `${name} <${above}>`;
    const options = { depth: -1, customInspect: false };
    for (const key of optionNames) if (!(key in options)) options[key] = this[key];
    return `${name} <${inspect(first, options)}>`;
  }

  // Properties (no methods) of up to three prototypes that the program made.
  inherited(main, object, level, output) {
    const taken = new Set();
    for (let layer = 0; layer < 3; layer++) {
      if (layer > 0 || main === object) {
        object = Object.getPrototypeOf(object);
        if (object === null) return;
        const found = Object.getOwnPropertyDescriptor(object, 'constructor')?.value;
        if (typeof found === 'function' && isBuiltinName(found.name)) return;
      }
      const keys = Reflect.ownKeys(object);
      this.seen.push(main);
      for (const key of keys) {
        if (key === 'constructor' || hasOwn(main, key) || taken.has(key)) continue;
        const descriptor = Object.getOwnPropertyDescriptor(object, key);
        if (typeof descriptor.value === 'function') continue;
        const text = this.property(object, level, key, IN_OBJECT, descriptor, main);
        output.push(this.colors ? `\u001b[2m${text}\u001b[22m` : text);
      }
      this.seen.pop();
      for (const key of keys) taken.add(key);
    }
  }

  // What there is to print: `text` if that is all; else braces, keys, and a function for what is no property.
  describe(value, constructor, tag, level, isInView, extra) {
    const shape = {
      text: undefined, base: '', open: '{', close: '}', keys: undefined, inside: undefined, isList: false, tag,
      // Getters of the class that are printed before the keys, and whether buffers among them show no bytes.
      getters: undefined, isInView,
    };
    const kind = classOf(value);
    if (constructor === null || Symbol.iterator in value) {
      const describeIterable = iterables[kind];
      if (describeIterable !== undefined) {
        describeIterable(this, shape, value, constructor, extra, kind);
        return shape;
      }
    }
    shape.keys = keysOf(value, this.showHidden);
    const isBare = () => shape.keys.length === 0 && extra === undefined;
    if (typeof value === 'function') {
      shape.base = this.functionBase(value, constructor, tag, kind);
      if (isBare()) shape.text = this.stylize(shape.base, 'special');
    } else if (constructor === 'Object') {
      if (kind === 'Arguments') shape.open = '[Arguments] {';
      else if (tag !== '') shape.open = `${prefixOf(constructor, tag, 'Object')}{`;
      if (isBare()) shape.text = `${shape.open}}`;
    } else if (kind !== 'Error' && others[kind] !== undefined) {
      others[kind](this, shape, value, constructor, isBare, isInView, level);
    } else if (kind === 'Error' || isInstance(value, Error)) {
      shape.base = this.error(value, constructor, tag, shape.keys);
      if (isBare()) shape.text = shape.base;
    } else if (!this.isTooDeep(level) && isURL(value)) {
      shape.base = value.href;
      if (isBare()) shape.text = shape.base;
    } else {
      shape.open = `${styledPrefix(value, constructor, tag)}{`;
      if (isBare()) shape.text = `${shape.open}}`;
    }
    return shape;
  }

  functionBase(value, constructor, tag, kind) {
    const source = Function.prototype.toString.call(value);
    if (source.startsWith('class') && source.endsWith('}') && isClassSource(source.slice(5, -1))) {
      return classBase(value, constructor, tag);
    }
    const type = kind === 'GeneratorFunction' || kind === 'AsyncFunction' || kind === 'AsyncGeneratorFunction' ?
      kind : 'Function';
    let base = `[${type}${constructor === null ? ' (null prototype)' : ''}`;
    const { name } = value;
    if (name === '') base += ' (anonymous)]';
    else base += `: ${typeof name === 'string' ? name : this.value(name, 0)}]`;
    if (constructor !== type && constructor !== null) base += ` ${constructor}`;
    if (tag !== '' && constructor !== tag) base += ` [${tag}]`;
    return base;
  }

  stackOf(error) {
    const stack = attempt(() => error.stack);
    if (!stack) return Error.prototype.toString.call(error);
    if (typeof stack === 'string') {
      // The engine's own text has no first line.
      return stack.startsWith('    at ') ? `${Error.prototype.toString.call(error)}\n${stack.trimEnd()}` : stack;
    }
    this.seen.push(error);
    this.indentationLvl += 4;
    const text = this.value(stack, 0);
    this.indentationLvl -= 4;
    this.seen.pop();
    return `${Error.prototype.toString.call(error)}\n    ${text}`;
  }

  error(error, constructor, tag, keys) {
    let stack;
    try {
      stack = this.stackOf(error);
    } catch {
      return Object.prototype.toString.call(error);
    }
    const message = attempt(() => error.message, thrown);
    const named = attempt(() => error.name, thrown);
    if (!this.showHidden) {
      // What the stack says already is not said again; a getter that throws is.
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
      stack = `${stack.slice(0, start)}\n${this.frames(error, stack.slice(start + 1)).join('\n')}`;
    }
    return this.indentationLvl === 0 ? stack : stack.replaceAll('\n', `\n${' '.repeat(this.indentationLvl)}`);
  }

  frames(error, text) {
    let frames = text.split('\n');
    const cause = attempt(() => error.cause);
    if (cause != null && isError(cause)) {
      const causeStack = this.stackOf(cause);
      const start = causeStack.indexOf('\n    at');
      if (start !== -1) {
        const [length, offset] = identicalSequenceRange(frames, causeStack.slice(start + 1).split('\n'));
        if (length > 0) {
          const words = `    ... ${length - 2} lines matching cause stack trace ...`;
          frames.splice(offset + 1, length - 2, this.stylize(words, 'undefined'));
        }
      }
    }
    if (frames.length > 10) frames = collapseRepeats(frames, this.stylize);
    if (!this.colors) return frames;
    const directory = currentDirectory();
    return frames.map((line) => {
      if (/^ {4}at (?:[^/\\(]+ \(|)node:(.+):\d+:\d+\)?$/.test(line)) return this.stylize(line, 'undefined');
      const marked = markPackages(line, this.stylize);
      return directory === undefined ? marked : markDirectory(marked, directory, this.stylize);
    });
  }

  list(value, level) {
    const length = Math.min(Math.max(0, this.maxArrayLength), value.length);
    const output = [];
    for (let at = 0; at < length; at++) {
      const descriptor = Object.getOwnPropertyDescriptor(value, at);
      if (descriptor === undefined) return this.holes(value, level, length, output, at);
      output.push(this.property(value, level, at, ELEMENT, descriptor));
    }
    if (value.length > length) output.push(moreItems(value.length - length));
    return output;
  }

  // The rest of an array with holes, from element `start` on; a run of holes counts as one entry.
  holes(value, level, most, output, start) {
    const hole = (count) => this.stylize(`<${plural(count, 'empty item')}>`, 'undefined');
    const keys = Object.keys(value);
    let index = start;
    for (let at = start; at < keys.length && output.length < most; at++) {
      const key = keys[at];
      const number = +key;
      if (number > 2 ** 32 - 2) break;
      if (`${index}` !== key) {
        if (!/^(0|[1-9][0-9]*)$/.test(key)) break;
        output.push(hole(number - index));
        index = number;
        if (output.length === most) break;
      }
      output.push(this.property(value, level, key, ELEMENT));
      index++;
    }
    const remaining = value.length - index;
    if (remaining > 0) output.push(output.length === most ? moreItems(remaining) : hole(remaining));
    return output;
  }

  typedArray(value) {
    const length = Math.min(Math.max(0, this.maxArrayLength), value.length);
    const output = [];
    for (let at = 0; at < length; at++) output.push(this.primitive(value[at], this.stylize));
    if (value.length > length) output.push(moreItems(value.length - length));
    return output;
  }

  classGetter(value, level, key, isInView) {
    this.indentationLvl += 2;
    let found;
    try {
      found = value[key];
    } catch {
      // A view of a buffer that is gone: the buffer itself still answers.
      found = value.buffer[key];
    }
    const text = this.value(found, level, isInView);
    this.indentationLvl -= 2;
    return `${this.stylize(`[${key}]`, 'string')}: ${text}`;
  }

  bytes(value) {
    let bytes;
    try {
      bytes = new Uint8Array(value);
    } catch {
      return [this.stylize('(detached)', 'special')];
    }
    const shown = bytes.subarray(0, Math.max(0, Math.min(this.maxArrayLength, bytes.length)));
    let text = Array.from(shown, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const remaining = bytes.length - this.maxArrayLength;
    if (remaining > 0) text += ` ... ${plural(remaining, 'more byte')}`;
    return [`${this.stylize('[Uint8Contents]', 'special')}: <${text}>`];
  }

  // At most `maxArrayLength` of `count` things, each printed by `print`.
  some(count, things, print) {
    const most = Math.min(Math.max(0, this.maxArrayLength), count);
    const output = [];
    this.indentationLvl += 2;
    for (const thing of things) {
      if (output.length >= most) break;
      output.push(print(thing));
    }
    this.indentationLvl -= 2;
    if (count > most) output.push(moreItems(count - most));
    return output;
  }

  set(value, level) {
    return this.some(value.size, value, (entry) => this.value(entry, level));
  }

  map(value, level) {
    return this.some(value.size, value, ([key, entry]) => `${this.value(key, level)} => ${this.value(entry, level)}`);
  }

  iterator(shape, value, level) {
    const [entries, isPairs] = iteratorPreview(value) ?? [[], false];
    if (!isPairs) return this.some(entries.length, entries, (entry) => this.value(entry, level));
    shape.open = shape.open.replace(/ Iterator] {$/, ' Entries] {');
    return this.some(entries.length / 2, pairs(entries), (pair) =>
      this.layOut(pair.map((part) => this.value(part, level)), '', '[', ']', true, level));
  }

  // Sorted, because the engine's order has no meaning.
  weak(value, level, isMap) {
    if (!this.showHidden) return [this.stylize('<items unknown>', 'special')];
    const entries = weakEntries(value) ?? [];
    const print = isMap ?
      ([key, entry]) => `${this.value(key, level)} => ${this.value(entry, level)}` :
      (entry) => this.value(entry, level);
    const output = this.some(isMap ? entries.length / 2 : entries.length, isMap ? pairs(entries) : entries, print);
    return this.sorted ? output : output.sort();
  }

  promise(value, level) {
    const [state, result] = promiseParts(value);
    if (state === 0) return [this.stylize('<pending>', 'special')];
    this.indentationLvl += 2;
    const text = this.value(result, level);
    this.indentationLvl -= 2;
    return [state === 2 ? `${this.stylize('<rejected>', 'special')} ${text}` : text];
  }

  namespace(value, keys, level) {
    const output = keys.map((key) => {
      try {
        return this.property(value, level, key, IN_OBJECT);
      } catch {
        // An export that has no value yet.
        const text = this.property({ [key]: '' }, level, key, IN_OBJECT);
        return text.slice(0, text.lastIndexOf(' ') + 1) + this.stylize('<uninitialized>', 'special');
      }
    });
    keys.length = 0;
    return output;
  }

  property(object, level, key, place, descriptor, receiver = object) {
    descriptor ??= Object.getOwnPropertyDescriptor(object, key) ?? { value: object[key], enumerable: true };
    let text;
    let gap = ' ';
    if (descriptor.value !== undefined) {
      const step = this.compact !== true || place !== IN_OBJECT ? 2 : 3;
      this.indentationLvl += step;
      text = this.value(descriptor.value, level);
      if (step === 3 && this.breakLength < getStringWidth(text, this.colors)) {
        gap = `\n${' '.repeat(this.indentationLvl)}`;
      }
      this.indentationLvl -= step;
    } else if (descriptor.get !== undefined) {
      text = this.getter(descriptor, receiver, level);
    } else if (descriptor.set !== undefined) {
      text = this.stylize('[Setter]', 'special');
    } else {
      text = this.stylize('undefined', 'undefined');
    }
    return place === ELEMENT ? text : `${this.keyText(key, descriptor)}:${gap}${text}`;
  }

  keyText(key, descriptor) {
    if (typeof key === 'symbol') {
      const text = Symbol.prototype.toString.call(key).replace(escapedAll, escape);
      return `[${this.stylize(text, 'symbol')}]`;
    }
    if (key === '__proto__') return "['__proto__']";
    if (descriptor.enumerable === false) return `[${key.replace(escapedAll, escape)}]`;
    if (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)) return this.stylize(key, 'name');
    return this.stylize(quote(key), 'string');
  }

  getter(descriptor, receiver, level) {
    const label = descriptor.set === undefined ? 'Getter' : 'Getter/Setter';
    const special = (text) => this.stylize(text, 'special');
    const isCalled = this.getters === true || (this.getters === 'get' && descriptor.set === undefined) ||
      (this.getters === 'set' && descriptor.set !== undefined);
    if (!isCalled) return special(`[${label}]`);
    try {
      const value = descriptor.get.call(receiver);
      if (value === null) return `${special(`[${label}:`)} ${this.stylize('null', 'null')}${special(']')}`;
      this.indentationLvl += 2;
      const text = typeof value === 'object' ?
        `${special(`[${label}]`)} ${this.value(value, level)}` :
        `${special(`[${label}:`)} ${
          typeof value === 'function' ? this.value(value, level) : this.primitive(value, this.stylize)}${special(']')}`;
      this.indentationLvl -= 2;
      return text;
    } catch (error) {
      return `${special(`[${label}:`)} <Inspection threw (${error.message})>${special(']')}`;
    }
  }

  // ---- lines --------------------------------------------------------------------------------------------------------

  layOut(output, base, open, close, isList, level, value) {
    const lead = base ? `${base} ` : '';
    const indentation = ' '.repeat(this.indentationLvl);
    if (this.compact === true) {
      if (this.fits(output, 0, base)) return `${open}${base ? ` ${base}` : ''} ${output.join(', ')} ${close}`;
      const start = base === '' && open.length === 1 ? ' ' : `${base ? ` ${base}` : ''}\n${indentation}  `;
      return `${open}${start}${output.join(`,\n${indentation}  `)} ${close}`;
    }
    if (typeof this.compact === 'number' && this.compact >= 1) {
      const count = output.length;
      if (isList && count > 6) output = this.columns(output, value);
      // Only the innermost levels go on one line, and a list in columns does not.
      if (this.currentDepth - level < this.compact && count === output.length) {
        const start = output.length + this.indentationLvl + open.length + base.length + 10;
        if (this.fits(output, start, base)) {
          const line = output.join(', ');
          if (!line.includes('\n')) return `${lead}${open} ${line} ${close}`;
        }
      }
    }
    return `${lead}${open}\n${indentation}  ${output.join(`,\n${indentation}  `)}\n${indentation}${close}`;
  }

  fits(output, start, base) {
    let total = output.length + start;
    if (total + output.length > this.breakLength) return false;
    for (const text of output) {
      total += this.colors ? withoutColors(text).length : text.length;
      if (total > this.breakLength) return false;
    }
    return base === '' || !base.includes('\n');
  }

  // Puts the entries of a long list into columns, about as high as wide (a character is 2.5 times as high as wide).
  columns(output, value) {
    const hasRest = this.maxArrayLength < output.length;
    const count = hasRest ? output.length - 1 : output.length;
    const widths = [];
    let total = 0;
    let widest = 0;
    for (let at = 0; at < count; at++) {
      widths[at] = getStringWidth(output[at], this.colors);
      total += widths[at] + 2;
      widest = Math.max(widest, widths[at]);
    }
    const cell = widest + 2;
    // At least three must fit, and no entry may be much longer than the others.
    if (cell * 3 + this.indentationLvl >= this.breakLength || (total / cell <= 5 && widest > 6)) return output;
    const bias = Math.max(cell - 3 - Math.sqrt(cell - total / output.length), 1);
    const columns = Math.min(
      Math.round(Math.sqrt(2.5 * bias * count) / bias),
      Math.floor((this.breakLength - this.indentationLvl) / cell),
      this.compact * 4,
      15);
    if (columns <= 1) return output;
    const columnWidths = [];
    for (let column = 0; column < columns; column++) {
      let width = 0;
      for (let at = column; at < count; at += columns) width = Math.max(width, widths[at]);
      columnWidths.push(width + 2);
    }
    const isNumbers = value === undefined ||
      output.every((_, at) => typeof value[at] === 'number' || typeof value[at] === 'bigint');
    const lines = [];
    for (let start = 0; start < count; start += columns) {
      const end = Math.min(start + columns, count);
      let line = '';
      for (let at = start; at < end; at++) {
        const isLast = at === end - 1;
        const text = isLast ? output[at] : `${output[at]}, `;
        // Colours take no columns.
        const width = columnWidths[at - start] + output[at].length - widths[at] - (isLast ? 2 : 0);
        if (isNumbers) line += text.padStart(width);
        else line += isLast ? text : text.padEnd(width);
      }
      lines.push(line);
    }
    if (hasRest) lines.push(output[count]);
    return lines;
  }
}

function* pairs(entries) {
  for (let at = 0; at < entries.length; at += 2) yield [entries[at], entries[at + 1]];
}

// The tag, unless it is printed among the properties anyway.
function tagOf(value, showHidden) {
  const tag = value[Symbol.toStringTag];
  if (typeof tag !== 'string' || tag === '') return '';
  return (showHidden ? hasOwn : isEnumerable)(value, Symbol.toStringTag) ? '' : tag;
}

function isURL(value) {
  return typeof value.href === 'string' && typeof globalThis.URL === 'function' && value instanceof globalThis.URL;
}

// Whether what stands between "class" and the last brace begins a class, not a call of a function of such a name.
function isClassSource(source) {
  const brace = source.indexOf('{');
  if (brace === -1) return false;
  if (!source.slice(0, brace).includes('(')) return true;
  return /^(\s+[^(]*?)\s*{/.test(source.replace(/(\/\/.*?\n)|(\/\*(.|\n)*?\*\/)/g, ''));
}

function classBase(value, constructor, tag) {
  let base = `class ${(hasOwn(value, 'name') && value.name) || '(anonymous)'}`;
  if (constructor !== 'Function' && constructor !== null) base += ` [${constructor}]`;
  if (tag !== '' && constructor !== tag) base += ` [${tag}]`;
  if (constructor === null) return `[${base} extends [null prototype]]`;
  const { name } = Object.getPrototypeOf(value);
  return name ? `[${base} extends ${name}]` : `[${base}]`;
}

// ---- kinds ----------------------------------------------------------------------------------------------------------

const sizeOfMap = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get;
const sizeOfSet = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;
const lengthOfTyped = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'length').get;

function describeArray(printer, shape, value, constructor, extra) {
  const prefix = constructor !== 'Array' || shape.tag !== '' ?
    prefixOf(constructor, shape.tag, 'Array', `(${value.length})`) : '';
  shape.keys = keysBeside(value, printer.showHidden);
  shape.open = `${prefix}[`;
  shape.close = ']';
  shape.isList = true;
  if (value.length === 0 && shape.keys.length === 0 && extra === undefined) shape.text = `${prefix}[]`;
  shape.inside = (level) => printer.list(value, level);
}

function describeCollection(printer, shape, value, constructor, extra, kind) {
  const isMap = kind === 'Map';
  const size = (isMap ? sizeOfMap : sizeOfSet).call(value);
  const prefix = prefixOf(constructor, shape.tag, kind, `(${size})`);
  shape.keys = keysOf(value, printer.showHidden);
  shape.open = `${prefix}{`;
  if (size === 0 && shape.keys.length === 0 && extra === undefined) shape.text = `${prefix}{}`;
  // Without a prototype there is nothing to walk over it with. As in Node the iterator has no size: all is printed.
  const walked = constructor !== null ? value :
    (isMap ? Map.prototype.entries : Set.prototype.values).call(value);
  shape.inside = (level) => (isMap ? printer.map(walked, level) : printer.set(walked, level));
}

function describeTypedArray(printer, shape, value, constructor, extra, kind) {
  const size = lengthOfTyped.call(value);
  const prefix = prefixOf(constructor, shape.tag, constructor === null ? kind : '', `(${size})`);
  const walked = constructor === null ? new globalThis[kind](value) : value;
  shape.keys = keysBeside(value, printer.showHidden);
  shape.open = `${prefix}[`;
  shape.close = ']';
  shape.isList = true;
  if (size === 0 && shape.keys.length === 0 && !printer.showHidden) shape.text = `${prefix}[]`;
  shape.inside = () => printer.typedArray(walked);
  if (printer.showHidden) {
    shape.getters = ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer'];
    shape.isInView = true;
  }
}

function describeIterator(printer, shape, value, constructor, extra, kind) {
  const { tag } = shape;
  const name = tag === kind ? tag : `${tag === '' ? '' : `${tag}] [`}${kind}`;
  shape.keys = keysOf(value, printer.showHidden);
  shape.open = `[${name}] {`;
  shape.inside = (level) => printer.iterator(shape, value, level);
}

const iterables = {
  '__proto__': null,
  'Array': describeArray,
  'Map': describeCollection,
  'Set': describeCollection,
  'Map Iterator': describeIterator,
  'Set Iterator': describeIterator,
};
for (const kind of [
  'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
  'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array',
]) iterables[kind] = describeTypedArray;

function describeBuffer(kind) {
  return (printer, shape, value, constructor, isBare, isInView) => {
    const prefix = prefixOf(constructor, shape.tag, kind);
    if (!isInView) {
      shape.inside = () => printer.bytes(value);
    } else if (isBare()) {
      shape.text = `${prefix}{ [byteLength]: ${printer.stylize(`${value.byteLength}`, 'number')} }`;
    }
    shape.open = `${prefix}{`;
    shape.getters = ['byteLength'];
  };
}

function describeBox(type) {
  const { valueOf } = globalThis[type].prototype;
  return (printer, shape, value, constructor, isBare) => {
    // The characters of a text are no properties worth naming.
    if (type === 'String') shape.keys.splice(0, value.length);
    let base = `[${type}`;
    if (type !== constructor) base += constructor === null ? ' (null prototype)' : ` (${constructor})`;
    base += `: ${printer.primitive(valueOf.call(value), plainText)}]`;
    if (shape.tag !== '' && shape.tag !== constructor) base += ` [${shape.tag}]`;
    shape.base = shape.keys.length > 0 ? base : printer.stylize(base, type.toLowerCase());
    if (isBare()) shape.text = shape.base;
  };
}

function describeInside(kind, inside) {
  return (printer, shape, value, constructor) => {
    shape.open = `${prefixOf(constructor, shape.tag, kind)}{`;
    shape.inside = (level) => inside(printer, value, level, shape);
  };
}

const others = {
  __proto__: null,
  RegExp(printer, shape, value, constructor, isBare, isInView, level) {
    const text = RegExp.prototype.toString.call(constructor === null ? new RegExp(value) : value);
    const prefix = prefixOf(constructor, shape.tag, 'RegExp');
    shape.base = prefix === 'RegExp ' ? text : `${prefix}${text}`;
    if (isBare() || printer.isTooDeep(level)) shape.text = printer.stylize(shape.base, 'regexp');
  },
  Date(printer, shape, value, constructor, isBare) {
    const { getTime, toString, toISOString } = Date.prototype;
    const text = (Number.isNaN(getTime.call(value)) ? toString : toISOString).call(value);
    const prefix = prefixOf(constructor, shape.tag, 'Date');
    shape.base = prefix === 'Date ' ? text : `${prefix}${text}`;
    if (isBare()) shape.text = printer.stylize(shape.base, 'date');
  },
  ArrayBuffer: describeBuffer('ArrayBuffer'),
  SharedArrayBuffer: describeBuffer('SharedArrayBuffer'),
  DataView(printer, shape, value, constructor) {
    shape.open = `${prefixOf(constructor, shape.tag, 'DataView')}{`;
    shape.getters = ['byteLength', 'byteOffset', 'buffer'];
  },
  Promise: describeInside('Promise', (printer, value, level) => printer.promise(value, level)),
  WeakSet: describeInside('WeakSet', (printer, value, level) => printer.weak(value, level, false)),
  WeakMap: describeInside('WeakMap', (printer, value, level) => printer.weak(value, level, true)),
  Module: describeInside('Module', (printer, value, level, shape) => printer.namespace(value, shape.keys, level)),
  Number: describeBox('Number'),
  String: describeBox('String'),
  Boolean: describeBox('Boolean'),
  BigInt: describeBox('BigInt'),
  Symbol: describeBox('Symbol'),
};

// ---- inspect --------------------------------------------------------------------------------------------------------

function inspect(value, options) {
  const printer = new Printer();
  if (arguments.length > 1) {
    // The form of the first days: inspect(value, showHidden, depth, colors).
    if (arguments.length > 2) {
      if (arguments[2] !== undefined) printer.depth = arguments[2];
      if (arguments.length > 3 && arguments[3] !== undefined) printer.colors = arguments[3];
    }
    if (typeof options === 'boolean') printer.showHidden = options;
    else if (options) printer.take(options);
  }
  if (printer.colors) printer.stylize = colorText;
  if (printer.maxArrayLength === null) printer.maxArrayLength = Infinity;
  if (printer.maxStringLength === null) printer.maxStringLength = Infinity;
  return printer.value(value, 0);
}
inspect.custom = custom;

Object.defineProperty(inspect, 'defaultOptions', {
  __proto__: null,
  get() {
    return defaultOptions;
  },
  set(options) {
    require('internal/validators').validateObject(options, 'options');
    return Object.assign(defaultOptions, options);
  },
});

inspect.colors = {
  __proto__: null,
  reset: [0, 0],
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  blink: [5, 25],
  inverse: [7, 27],
  hidden: [8, 28],
  strikethrough: [9, 29],
  doubleunderline: [21, 24],
  black: [30, 39],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  white: [37, 39],
  bgBlack: [40, 49],
  bgRed: [41, 49],
  bgGreen: [42, 49],
  bgYellow: [43, 49],
  bgBlue: [44, 49],
  bgMagenta: [45, 49],
  bgCyan: [46, 49],
  bgWhite: [47, 49],
  framed: [51, 54],
  overlined: [53, 55],
  gray: [90, 39],
  redBright: [91, 39],
  greenBright: [92, 39],
  yellowBright: [93, 39],
  blueBright: [94, 39],
  magentaBright: [95, 39],
  cyanBright: [96, 39],
  whiteBright: [97, 39],
  bgGray: [100, 49],
  bgRedBright: [101, 49],
  bgGreenBright: [102, 49],
  bgYellowBright: [103, 49],
  bgBlueBright: [104, 49],
  bgMagentaBright: [105, 49],
  bgCyanBright: [106, 49],
  bgWhiteBright: [107, 49],
};

for (const [target, ...aliases] of [
  ['gray', 'grey', 'blackBright'],
  ['bgGray', 'bgGrey', 'bgBlackBright'],
  ['dim', 'faint'],
  ['strikethrough', 'crossedout', 'strikeThrough', 'crossedOut'],
  ['hidden', 'conceal'],
  ['inverse', 'swapColors', 'swapcolors'],
  ['doubleunderline', 'doubleUnderline'],
]) {
  for (const alias of aliases) {
    Object.defineProperty(inspect.colors, alias, {
      __proto__: null,
      get() {
        return this[target];
      },
      set(value) {
        this[target] = value;
      },
      configurable: true,
      enumerable: false,
    });
  }
}

inspect.styles = {
  __proto__: null,
  special: 'cyan',
  number: 'yellow',
  bigint: 'yellow',
  boolean: 'yellow',
  undefined: 'grey',
  null: 'bold',
  string: 'green',
  symbol: 'green',
  date: 'magenta',
  regexp: 'red',
  module: 'underline',
};

// ---- format ---------------------------------------------------------------------------------------------------------

// Whether turning the object into a text would run only the language's own code.
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
  return formatArguments(undefined, args);
}

function formatWithOptions(inspectOptions, ...args) {
  const { validateObject, kValidateObjectAllowArray } = require('internal/validators');
  validateObject(inspectOptions, 'inspectOptions', kValidateObjectAllowArray);
  return formatArguments(inspectOptions, args);
}

// One directive: what it makes of an argument, or undefined if it is none.
function directive(char, arg, options) {
  const separate = options?.numericSeparator ?? defaultOptions.numericSeparator;
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

require('internal/console').state.inspectDefaults = defaultOptions;

module.exports = {
  format,
  formatWithOptions,
  getStringWidth,
  identicalSequenceRange,
  inspect,
  inspectDefaultOptions: defaultOptions,
  isError,
  isZeroWidthCodePoint,
  stripVTControlCharacters,
};
