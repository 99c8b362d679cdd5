'use strict';

// `util.inspect`. A `Printer` has the options and the state of one call. A value is first described (braces, keys, contents); then its entries are
// formatted; then layout.js puts the entries on one line, into columns, or on a line each. The kind of a value is the engine's internal class, so
// replaced prototypes and proxies cannot make `inspect` run code of the program.

const {
  engineName, functionBase, hasOwn, isBuiltinName, isEnumerable, isError, isInstance, keysOf, known, prefixOf,
  styledPrefix,
} = require('internal/util/names');
const { BESIDE_ELEMENTS, ELEMENT, IN_OBJECT } = require('internal/util/contents');
const { iterables, others } = require('internal/util/kinds');
const { layOut } = require('internal/util/layout');
const {
  bigintText, escape, escapedAll, getStringWidth, isZeroWidthCodePoint, numberText, plural, quote,
  stripVTControlCharacters,
} = require('internal/util/text');

const { classOf, proxyParts } = native;

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

const plainText = (text) => text;

function colorText(text, style) {
  const color = inspect.colors[inspect.styles[style]];
  return color === undefined ? text : `\u001b[${color[0]}m${text}\u001b[${color[1]}m`;
}

// ---- Printer --------------------------------------------------------------------------------------------------------

class Printer {
  constructor() {
    // Number of characters printed so far, by indentation level. Above a limit, deeper objects are abbreviated.
    this.budget = {};
    this.indentationLvl = 0;
    // The objects that contain the current value, outermost first, to detect cycles.
    this.seen = [];
    // Maps each object that contains itself to its number in `<ref *1>` and `[Circular *1]`.
    this.circular = undefined;
    this.currentDepth = 0;
    this.stylize = plainText;
    for (const name of optionNames) this[name] = defaultOptions[name];
    this.userOptions = undefined;
  }

  take(options) {
    for (const key of Object.keys(options)) {
      if (hasOwn(defaultOptions, key) || key === 'stylize') this[key] = options[key];
      // Custom inspect functions receive unknown options as well.
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
      this.circular ??= new SafeMap();
      let index = this.circular.get(value);
      if (index === undefined) this.circular.set(value, index = this.circular.size + 1);
      return this.stylize(`[Circular *${index}]`, 'special');
    }
    return this.object(value, level, isInView);
  }

  // Calls the object's method `Symbol.for('nodejs.util.inspect.custom')`. Returns undefined if there is no such method, or if it returns the object
  // itself.
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

  // Options for a custom inspect function. For a function of another realm, or behind a proxy, they contain no objects of this realm: the function
  // could reach the globals of this realm through them (`lib/internal/util/inspect.js: getUserOptions`).
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
    // A string that does not fit on the line is printed as string literals joined with `+`, one for each line of the string.
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
    // After 128 MiB of output only the top level is printed, so that memory is not exhausted (`lib/internal/util/inspect.js: formatValue`).
    if (printed > 2 ** 27) this.depth = -1;
    return text;
  }

  // Sorts the last `count` entries. The array elements before them keep their order.
  sort(output, count) {
    const start = output.length - count;
    const compare = this.sorted === true ? undefined : this.sorted;
    return output.slice(0, start).concat(output.slice(start).sort(compare));
  }

  // The name of the class, or null if the object has a null prototype. Also collects the properties that the object inherits from prototypes of the
  // program's classes (`lib/internal/util/inspect.js: getConstructorName`).
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

  // Formats the properties, except methods, of up to three prototypes of the program's classes
  // (`lib/internal/util/inspect.js: addPrototypeProperties`).
  inherited(main, object, level, output) {
    const taken = new SafeSet();
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

  // Describes how a value is printed: `text` if nothing else is printed, else the braces, the keys, and `inside`, which
  // formats the contents.
  describe(value, constructor, tag, level, isInView, extra) {
    const shape = {
      text: undefined, base: '', open: '{', close: '}', keys: undefined, inside: undefined, isList: false, tag,
      // Getters of the class (such as `byteLength`), which are printed before the keys. `isInView`: the value is the buffer of a view, whose bytes
      // have already been printed.
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
      shape.base = functionBase(this, value, constructor, tag, kind);
      if (isBare()) shape.text = this.stylize(shape.base, 'special');
    } else if (constructor === 'Object') {
      if (kind === 'Arguments') shape.open = '[Arguments] {';
      else if (tag !== '') shape.open = `${prefixOf(constructor, tag, 'Object')}{`;
      if (isBare()) shape.text = `${shape.open}}`;
    } else if (kind !== 'Error' && others[kind] !== undefined) {
      others[kind](this, shape, value, constructor, isBare, isInView, level);
    } else if (kind === 'Error' || isInstance(value, Error)) {
      shape.base = require('internal/util/stacks').errorText(this, value, constructor, tag, shape.keys);
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

  classGetter(value, level, key, isInView) {
    this.indentationLvl += 2;
    let found;
    try {
      found = value[key];
    } catch {
      // The getter throws for a DataView of a detached buffer; the buffer has the same property.
      found = value.buffer[key];
    }
    const text = this.value(found, level, isInView);
    this.indentationLvl -= 2;
    return `${this.stylize(`[${key}]`, 'string')}: ${text}`;
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
    // Concatenated with `+`, because a template literal copies a long string in this engine.
    return place === ELEMENT ? text : this.keyText(key, descriptor) + ':' + gap + text;
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

// The value of Symbol.toStringTag; '' if the property is printed among the others.
function tagOf(value, showHidden) {
  const tag = value[Symbol.toStringTag];
  if (typeof tag !== 'string' || tag === '') return '';
  return (showHidden ? hasOwn : isEnumerable)(value, Symbol.toStringTag) ? '' : tag;
}

function isURL(value) {
  return typeof value.href === 'string' && value instanceof require('internal/url').URL;
}

// ---- inspect --------------------------------------------------------------------------------------------------------

function inspect(value, options) {
  try {
    return print(arguments);
  } catch (error) {
    return require('internal/original_builtins').retry(error, () => print(arguments));
  }
}

function print(args) {
  const { 0: value, 1: options } = args;
  const printer = new Printer();
  if (args.length > 1) {
    // Legacy signature: `inspect(value, showHidden, depth, colors)`.
    if (args.length > 2) {
      if (args[2] !== undefined) printer.depth = args[2];
      if (args.length > 3 && args[3] !== undefined) printer.colors = args[3];
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

Object.assign(inspect, require('internal/util/colors'));

// While these defaults are unchanged, the native console prints plain numbers itself.
require('internal/console').state.inspectDefaults = defaultOptions;

module.exports = {
  getStringWidth,
  inspect,
  inspectDefaultOptions: defaultOptions,
  isError,
  isZeroWidthCodePoint,
  stripVTControlCharacters,
};

// These functions are loaded at their first access.
for (const [id, names] of [
  ['internal/util/format', ['format', 'formatWithOptions']],
  ['internal/util/stacks', ['identicalSequenceRange']],
]) {
  for (const name of names) {
    Object.defineProperty(module.exports, name, { __proto__: null, enumerable: true, get: () => require(id)[name] });
  }
}
