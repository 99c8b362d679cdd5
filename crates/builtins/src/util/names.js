'use strict';

// Names of classes, prefixes and keys of objects, as `inspect` prints them.

const { classOf, nonIndexKeys } = native;

const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const isEnumerable = (object, key) => Object.prototype.propertyIsEnumerable.call(object, key);

// Names of the builtin classes, whose prototypes `inspect` does not print. Node's list has no SharedArrayBuffer either
// (`lib/internal/util/inspect.js: builtInObjects`).
let builtinNames;

function isBuiltinName(name) {
  builtinNames ??= new SafeSet((
    'Object Function Array Number Infinity NaN Boolean String Symbol Date Promise RegExp Error AggregateError ' +
    'EvalError RangeError ReferenceError SyntaxError TypeError URIError JSON Math Intl ArrayBuffer Atomics Uint8Array ' +
    'Int8Array Uint16Array Int16Array Uint32Array Int32Array Float16Array Float32Array Float64Array ' +
    'Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap WeakSet Proxy Reflect ' +
    'FinalizationRegistry WeakRef Iterator').split(' '));
  return builtinNames.has(name);
}

// The text before the braces: "Foo ", "Foo(2) [tag] ", "[Object: null prototype] " (`lib/internal/util/inspect.js: getPrefix`).
function prefixOf(constructor, tag, fallback, size = '') {
  if (constructor === null) {
    const name = `[${fallback}${size}: null prototype] `;
    return tag !== '' && fallback !== tag ? `${name}[${tag}] ` : name;
  }
  const name = `${constructor}${size} `;
  if (tag === '') return name;
  // A tag is not repeated if it is one of the words of the class name.
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

// Builtin classes by prototype. Their names are found even if a program has replaced the `constructor` property.
function known() {
  if (knownPrototypes === undefined) {
    knownPrototypes = new SafeMap();
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
    // The value is a module namespace with uninitialized exports: Object.keys reads the exports, and throws.
    keys = Object.getOwnPropertyNames(value);
  }
  return symbols.length > 0 ? keys.concat(symbols.filter((key) => isEnumerable(value, key))) : keys;
}

// The keys of an array or typed array that are not elements.
function keysBeside(value, showHidden) {
  const keys = nonIndexKeys(value, !showHidden);
  const symbols = Object.getOwnPropertySymbols(value);
  if (symbols.length === 0) return keys;
  return keys.concat(showHidden ? symbols : symbols.filter((key) => isEnumerable(value, key)));
}

function functionBase(printer, value, constructor, tag, kind) {
  const source = Function.prototype.toString.call(value);
  if (source.startsWith('class') && source.endsWith('}') && isClassSource(source.slice(5, -1))) {
    return classBase(value, constructor, tag);
  }
  const type = kind === 'GeneratorFunction' || kind === 'AsyncFunction' || kind === 'AsyncGeneratorFunction' ?
    kind : 'Function';
  let base = `[${type}${constructor === null ? ' (null prototype)' : ''}`;
  const { name } = value;
  if (name === '') base += ' (anonymous)]';
  else base += `: ${typeof name === 'string' ? name : printer.value(name, 0)}]`;
  if (constructor !== type && constructor !== null) base += ` ${constructor}`;
  if (tag !== '' && constructor !== tag) base += ` [${tag}]`;
  return base;
}

// `source` is the text between "class" and the last brace. True if it is that of a class, and not of a method named `class`
// (`lib/internal/util/inspect.js: getFunctionBase`).
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

module.exports = {
  engineName,
  functionBase,
  hasOwn,
  isBuiltinName,
  isEnumerable,
  isError,
  isInstance,
  keysBeside,
  keysOf,
  known,
  prefixOf,
  styledPrefix,
};
