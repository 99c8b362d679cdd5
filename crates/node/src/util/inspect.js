'use strict';

// util.inspect: how Node prints values. A `Printer` holds the options and the place in the tree while
// one value is printed. A value is first described (which braces, which keys, what is inside), then its entries are
// printed, then laid out on one line, in columns, or one entry on each line. Which kind a value is comes from the
// engine's inner class, so that nothing a program does to prototypes, and no proxy, runs code of the program.

const {
  engineName, hasOwn, isBuiltinName, isEnumerable, isError, isInstance, keysOf, known, prefixOf, styledPrefix,
} = require('internal/util/names');
const { iterables, others } = require('internal/util/kinds');
const { layOut } = require('internal/util/layout');
const {
  bigintText, escape, escapedAll, getStringWidth, isZeroWidthCodePoint, moreItems, numberText, plural, quote,
  stripVTControlCharacters,
} = require('internal/util/text');

const { classOf, iteratorPreview, promiseParts, proxyParts, weakEntries } = native;

const custom = Symbol.for('nodejs.util.inspect.custom');

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
    return layOut(this, entries, '', 'Proxy [', ']', true, level + 1);
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
    const text = layOut(this, output, shape.base, shape.open, shape.close, shape.isList, level, value);
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
    stack = require('internal/util/stacks').nameStack(stack, constructor, name, tag);
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
    const stacks = require('internal/util/stacks');
    let frames = text.split('\n');
    const cause = attempt(() => error.cause);
    if (cause != null && isError(cause)) {
      const causeStack = this.stackOf(cause);
      const start = causeStack.indexOf('\n    at');
      if (start !== -1) {
        const [length, offset] = stacks.identicalSequenceRange(frames, causeStack.slice(start + 1).split('\n'));
        if (length > 0) {
          const words = `    ... ${length - 2} lines matching cause stack trace ...`;
          frames.splice(offset + 1, length - 2, this.stylize(words, 'undefined'));
        }
      }
    }
    if (frames.length > 10) frames = stacks.collapseRepeats(frames, this.stylize);
    if (!this.colors) return frames;
    const directory = stacks.currentDirectory();
    return frames.map((line) => {
      if (/^ {4}at (?:[^/\\(]+ \(|)node:(.+):\d+:\d+\)?$/.test(line)) return this.stylize(line, 'undefined');
      const marked = stacks.markPackages(line, this.stylize);
      return directory === undefined ? marked : stacks.markDirectory(marked, directory, this.stylize);
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
      layOut(this, pair.map((part) => this.value(part, level)), '', '[', ']', true, level));
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

// The console prints plain numbers itself, unless these say otherwise.
require('internal/console').state.inspectDefaults = defaultOptions;

module.exports = {
  getStringWidth,
  inspect,
  inspectDefaultOptions: defaultOptions,
  isError,
  isZeroWidthCodePoint,
  stripVTControlCharacters,
};

// Loaded with their first use.
for (const [id, names] of [
  ['internal/util/format', ['format', 'formatWithOptions']],
  ['internal/util/stacks', ['identicalSequenceRange']],
]) {
  for (const name of names) {
    Object.defineProperty(module.exports, name, { __proto__: null, enumerable: true, get: () => require(id)[name] });
  }
}
