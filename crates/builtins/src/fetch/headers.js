'use strict';
// The global `Headers` of the Fetch Standard.

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const badName = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/;
// Characters that are forbidden in a value: they would end its line.
const badValue = /[\0\r\n]/;

let freeze;
let isHeaders;

// Web IDL ByteString conversion: throws for characters above 0xff.
function byteString(value) {
  const text = `${value}`;
  const at = text.search(/[^\0-\xff]/);
  if (at < 0) return text;
  throw new TypeError('Cannot convert argument to a ByteString because the character at ' +
    `index ${at} has a value of ${text.charCodeAt(at)} which is greater than 255.`);
}

function nameOf(value, method) {
  const name = byteString(value);
  if (name === '' || badName.test(name)) throw new TypeError(`Headers.${method}: "${name}" is an invalid header name.`);
  return name;
}

function valueOf(value, method) {
  const text = byteString(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (badValue.test(text)) throw new TypeError(`Headers.${method}: "${text}" is an invalid header value.`);
  return text;
}

function check(value, method = undefined, given = 0, needed = 0) {
  if (!isHeaders(value)) throw new TypeError('Illegal invocation');
  if (given < needed) {
    const plural = needed === 1 ? '' : 's';
    throw new TypeError(`Headers.${method}: ${needed} argument${plural} required, but${given > 0 ? ' only' : ''} ${given} found.`);
  }
}

class Headers {
  // By lower-case name: the original name and the value; cookies are stored separately.
  #list = new SafeMap();
  #cookies = [];
  #isFrozen = false;

  static {
    freeze = (headers) => { headers.#isFrozen = true; };
    isHeaders = (value) => typeof value === 'object' && value !== null && #list in value;
  }

  constructor(init = undefined) {
    if (init === undefined) return;
    if (init === null || (typeof init !== 'object' && typeof init !== 'function')) {
      throw new TypeError('Headers constructor: Argument 1 could not be converted to one of: ' +
        'sequence<sequence<ByteString>>, record<ByteString, ByteString>.');
    }
    if (isHeaders(init)) {
      this.#list = new SafeMap(init.#list);
      this.#cookies = [...init.#cookies];
    } else if (typeof init[Symbol.iterator] === 'function') {
      this.#fill(init);
    } else {
      for (const key of Reflect.ownKeys(init)) {
        if (Object.prototype.propertyIsEnumerable.call(init, key)) this.append(key, init[key]);
      }
    }
  }

  #fill(pairs) {
    let at = 0;
    for (const pair of pairs) {
      if (typeof pair?.[Symbol.iterator] !== 'function' || typeof pair === 'string') {
        // The typo is Node's.
        throw new TypeError(`Headers contructor: init[${at}] (${String(pair)}) is not iterable.`);
      }
      const parts = [...pair];
      if (parts.length !== 2) {
        throw new TypeError(`Headers constructor: expected name/value pair to be length 2, found ${parts.length}.`);
      }
      this.append(parts[0], parts[1]);
      at++;
    }
  }

  #change() {
    if (this.#isFrozen) throw new TypeError('immutable');
  }

  append(name, value) {
    check(this, 'append', arguments.length, 2);
    const given = nameOf(name, 'append');
    const text = valueOf(value, 'append');
    this.#change();
    const key = given.toLowerCase();
    const before = this.#list.get(key);
    if (key === 'set-cookie') this.#cookies.push(text);
    this.#list.set(key, before ? [before[0], `${before[1]}${key === 'cookie' ? '; ' : ', '}${text}`] : [given, text]);
  }

  delete(name) {
    check(this, 'delete', arguments.length, 1);
    const key = nameOf(name, 'delete').toLowerCase();
    this.#change();
    this.#list.delete(key);
    if (key === 'set-cookie') this.#cookies = [];
  }

  get(name) {
    check(this, 'get', arguments.length, 1);
    return this.#list.get(nameOf(name, 'get').toLowerCase())?.[1] ?? null;
  }

  has(name) {
    check(this, 'has', arguments.length, 1);
    return this.#list.has(nameOf(name, 'has').toLowerCase());
  }

  set(name, value) {
    check(this, 'set', arguments.length, 2);
    const given = nameOf(name, 'set');
    const text = valueOf(value, 'set');
    this.#change();
    const key = given.toLowerCase();
    if (key === 'set-cookie') this.#cookies = [text];
    this.#list.set(key, [given, text]);
  }

  getSetCookie() {
    check(this);
    return [...this.#cookies];
  }

  // Sorted by name, each cookie as its own entry.
  #sorted() {
    const pairs = [];
    for (const key of [...this.#list.keys()].sort()) {
      if (key === 'set-cookie') for (const cookie of this.#cookies) pairs.push([key, cookie]);
      else pairs.push([key, this.#list.get(key)[1]]);
    }
    return pairs;
  }

  // The list may change during iteration: look it up at each step.
  * #walk(pick) {
    for (let at = 0; ; at++) {
      const pairs = this.#sorted();
      if (at >= pairs.length) return;
      yield pick(pairs[at]);
    }
  }

  keys() {
    check(this);
    return this.#walk(([name]) => name);
  }

  values() {
    check(this);
    return this.#walk(([, value]) => value);
  }

  entries() {
    check(this);
    return this.#walk((pair) => pair);
  }

  forEach(callback, thisArg = undefined) {
    check(this, 'forEach', arguments.length, 1);
    if (typeof callback !== 'function') {
      throw new TypeError("Failed to execute 'forEach' on 'Headers': parameter 1 is not of type 'Function'.");
    }
    for (const [name, value] of this.entries()) callback.call(thisArg, value, name, this);
  }

  [inspectSymbol](depth, options) {
    const shown = Object.fromEntries(this.#list.values());
    return `Headers ${require('internal/util/inspect').inspect(shown, { ...options, depth: options.depth ?? depth })}`;
  }
}

for (const name of ['append', 'delete', 'get', 'has', 'set', 'getSetCookie', 'keys', 'values', 'entries', 'forEach']) {
  Object.defineProperty(Headers.prototype, name, { __proto__: null, enumerable: true });
}
Object.defineProperty(Headers.prototype, Symbol.iterator, {
  __proto__: null, value: Headers.prototype.entries, writable: true, configurable: true,
});
Object.defineProperty(Headers.prototype, Symbol.toStringTag, { __proto__: null, value: 'Headers', configurable: true });
Object.defineProperty(Headers.prototype, require('internal/clone_symbols').kUncloneable, { __proto__: null, value: true });
Object.defineProperty(Headers, 'length', { __proto__: null, value: 0 });

module.exports = { Headers, freeze };
