'use strict';
// URLSearchParams, alone or as the parameters of a URL.

const {
  ERR_ARG_NOT_ITERABLE,
  ERR_INVALID_THIS,
  ERR_INVALID_TUPLE,
  ERR_MISSING_ARGS,
} = require('internal/errors');
const { kUncloneable } = require('internal/clone_symbols');
const { validateFunction } = require('internal/validators');

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const inspect = (value, options) => require('internal/util/inspect').inspect(value, options);
const usv = (value) => StringPrototypeToWellFormed(`${value}`);

// Internal access for URL: attach the parameters to a URL, and get or set their list.
let adopt;
let listOf;

class URLSearchParams {
  // Names and values, alternating.
  #list = [];
  // Called after each change, if the parameters are those of a URL.
  #changed;

  static {
    adopt = (params, changed) => { params.#changed = changed; };
    listOf = (params, list) => {
      if (list !== undefined) params.#list = list;
      return params.#list;
    };
  }

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#list in value)) throw new ERR_INVALID_THIS('URLSearchParams');
  }

  constructor(init = undefined) {
    if (init == null) return;
    if (typeof init === 'object' || typeof init === 'function') {
      const method = init[Symbol.iterator];
      if (method === this[Symbol.iterator] && #list in init) {
        this.#list = init.#list.slice();
      } else if (method != null) {
        this.#fromPairs(init, method);
      } else {
        this.#fromRecord(init);
      }
    } else {
      init = usv(init);
      if (init[0] === '?') init = init.slice(1);
      this.#list = native.parseForm(init);
    }
  }

  #fromPairs(init, method) {
    if (typeof method !== 'function') throw new ERR_ARG_NOT_ITERABLE('Query pairs');
    for (const pair of init) {
      if (pair == null) throw new ERR_INVALID_TUPLE('Each query pair', '[name, value]');
      const isObject = typeof pair === 'object' || typeof pair === 'function';
      if (!isObject || typeof pair[Symbol.iterator] !== 'function') {
        throw new ERR_INVALID_TUPLE('Each query pair', '[name, value]');
      }
      const items = Array.isArray(pair) ? pair : Array.from(pair);
      if (items.length !== 2) throw new ERR_INVALID_TUPLE('Each query pair', '[name, value]');
      this.#list.push(usv(items[0]), usv(items[1]));
    }
  }

  #fromRecord(init) {
    // Keys that become equal by replacing lone surrogates share one entry.
    const seen = new SafeMap();
    for (const key of Reflect.ownKeys(init)) {
      const descriptor = Reflect.getOwnPropertyDescriptor(init, key);
      if (descriptor === undefined || !descriptor.enumerable) continue;
      const name = usv(key);
      const value = usv(init[key]);
      const at = seen.get(name);
      if (at !== undefined) this.#list[at] = value;
      else seen.set(name, this.#list.push(name, value) - 1);
    }
  }

  get size() {
    URLSearchParams.#check(this);
    return this.#list.length / 2;
  }

  append(name, value) {
    URLSearchParams.#check(this);
    if (arguments.length < 2) throw new ERR_MISSING_ARGS('name', 'value');
    this.#list.push(usv(name), usv(value));
    this.#changed?.();
  }

  delete(name, value = undefined) {
    URLSearchParams.#check(this);
    if (arguments.length < 1) throw new ERR_MISSING_ARGS('name');
    name = usv(name);
    if (value !== undefined) value = usv(value);
    const list = this.#list;
    const kept = [];
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] !== name || (value !== undefined && list[i + 1] !== value)) kept.push(list[i], list[i + 1]);
    }
    list.length = 0;
    for (const item of kept) list.push(item);
    this.#changed?.();
  }

  get(name) {
    URLSearchParams.#check(this);
    if (arguments.length < 1) throw new ERR_MISSING_ARGS('name');
    name = usv(name);
    const list = this.#list;
    for (let i = 0; i < list.length; i += 2) if (list[i] === name) return list[i + 1];
    return null;
  }

  getAll(name) {
    URLSearchParams.#check(this);
    if (arguments.length < 1) throw new ERR_MISSING_ARGS('name');
    name = usv(name);
    const values = [];
    const list = this.#list;
    for (let i = 0; i < list.length; i += 2) if (list[i] === name) values.push(list[i + 1]);
    return values;
  }

  has(name, value = undefined) {
    URLSearchParams.#check(this);
    if (arguments.length < 1) throw new ERR_MISSING_ARGS('name');
    name = usv(name);
    if (value !== undefined) value = usv(value);
    const list = this.#list;
    for (let i = 0; i < list.length; i += 2) {
      if (list[i] === name && (value === undefined || list[i + 1] === value)) return true;
    }
    return false;
  }

  set(name, value) {
    URLSearchParams.#check(this);
    if (arguments.length < 2) throw new ERR_MISSING_ARGS('name', 'value');
    name = usv(name);
    value = usv(value);
    const list = this.#list;
    let found = false;
    for (let i = 0; i < list.length;) {
      if (list[i] !== name) {
        i += 2;
      } else if (found) {
        list.splice(i, 2);
      } else {
        list[i + 1] = value;
        found = true;
        i += 2;
      }
    }
    if (!found) list.push(name, value);
    this.#changed?.();
  }

  sort() {
    URLSearchParams.#check(this);
    const list = this.#list;
    const pairs = [];
    for (let i = 0; i < list.length; i += 2) pairs.push([list[i], list[i + 1]]);
    // Compares UTF-16 code units; the sort is stable.
    pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    list.length = 0;
    for (const [name, value] of pairs) list.push(name, value);
    this.#changed?.();
  }

  entries() {
    URLSearchParams.#check(this);
    return new URLSearchParamsIterator(this, 'key+value');
  }

  forEach(callback, thisArg = undefined) {
    URLSearchParams.#check(this);
    validateFunction(callback, 'callback');
    for (let i = 0; i < this.#list.length; i += 2) callback.call(thisArg, this.#list[i + 1], this.#list[i], this);
  }

  keys() {
    URLSearchParams.#check(this);
    return new URLSearchParamsIterator(this, 'key');
  }

  values() {
    URLSearchParams.#check(this);
    return new URLSearchParamsIterator(this, 'value');
  }

  toString() {
    URLSearchParams.#check(this);
    return native.serializeForm(this.#list);
  }

  [inspectSymbol](recurseTimes, ctx) {
    URLSearchParams.#check(this);
    if (typeof recurseTimes === 'number' && recurseTimes < 0) return ctx.stylize('[Object]', 'special');
    const list = this.#list;
    const parts = [];
    const inner = { ...ctx, depth: ctx.depth === null ? null : recurseTimes - 1 };
    for (let i = 0; i < list.length; i += 2) parts.push(`${inspect(list[i], inner)} => ${inspect(list[i + 1], inner)}`);
    return showParts('URLSearchParams', parts, ctx);
  }
}

function showParts(name, parts, ctx) {
  if (parts.length === 0) return `${name} {}`;
  const length = parts.reduce((sum, part) => sum + part.replace(/\u001b\[\d\d?m/g, '').length + 2, -2);
  if (length > ctx.breakLength) return `${name} {\n  ${parts.join(',\n  ')} }`;
  return `${name} { ${parts.join(', ')} }`;
}

const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

class URLSearchParamsIterator {
  #target;
  #kind;
  #index = 0;

  constructor(target, kind) {
    this.#target = target;
    this.#kind = kind;
  }

  next() {
    if (typeof this !== 'object' || this === null || !(#target in this)) {
      throw new ERR_INVALID_THIS('URLSearchParamsIterator');
    }
    const list = listOf(this.#target);
    const index = this.#index;
    if (index >= list.length) return { value: undefined, done: true };
    this.#index += 2;
    return { value: this.#item(list, index), done: false };
  }

  #item(list, index) {
    if (this.#kind === 'key') return list[index];
    if (this.#kind === 'value') return list[index + 1];
    return [list[index], list[index + 1]];
  }

  [inspectSymbol](recurseTimes, ctx) {
    if (typeof recurseTimes === 'number' && recurseTimes < 0) return ctx.stylize('[Object]', 'special');
    const list = listOf(this.#target);
    const rest = [];
    for (let i = this.#index; i < list.length; i += 2) rest.push(this.#item(list, i));
    const inner = { ...ctx, depth: ctx.depth === null ? null : recurseTimes - 1 };
    const parts = rest.map((item) => inspect(item, inner));
    return parts.length === 0 ? 'URLSearchParams Iterator {  }' : showParts('URLSearchParams Iterator', parts, ctx);
  }
}
Object.setPrototypeOf(URLSearchParamsIterator.prototype, iteratorPrototype);
delete URLSearchParamsIterator.prototype.constructor;
Object.defineProperties(URLSearchParamsIterator.prototype, {
  next: { __proto__: null, enumerable: true },
  [Symbol.toStringTag]: { __proto__: null, configurable: true, value: 'URLSearchParams Iterator' },
});

const makeEnumerable = (prototype, names) => {
  for (const name of names) Object.defineProperty(prototype, name, { __proto__: null, enumerable: true });
};

makeEnumerable(URLSearchParams.prototype, ['append', 'delete', 'get', 'getAll', 'has', 'set', 'sort', 'size', 'entries',
  'forEach', 'keys', 'values', 'toString']);
Object.defineProperties(URLSearchParams.prototype, {
  [Symbol.iterator]: {
    __proto__: null, configurable: true, writable: true, value: URLSearchParams.prototype.entries,
  },
  [Symbol.toStringTag]: { __proto__: null, configurable: true, value: 'URLSearchParams' },
});

// `structuredClone` throws: `lib/internal/url.js: markTransferMode`.
Object.defineProperty(URLSearchParams.prototype, kUncloneable, { __proto__: null, value: true });

module.exports = { URLSearchParams, adopt, listOf, makeEnumerable, usv };
