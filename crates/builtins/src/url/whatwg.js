'use strict';
// The WHATWG URL class, on top of the native parser's record.

const { ERR_INVALID_URL, ERR_MISSING_ARGS } = require('internal/errors');
const { kUncloneable } = require('internal/clone_symbols');
const { URLSearchParams, adopt, listOf, makeEnumerable, usv } = require('internal/url/search_params');
const { kValidateObjectAllowObjects, validateObject } = require('internal/validators');

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const inspect = (value, options) => require('internal/util/inspect').inspect(value, options);

// Indexes into the record of the native parser.
const HREF = 0;
const AFTER_SCHEME = 1;
const BEFORE_USERNAME = 2;
const AFTER_USERNAME = 3;
const BEFORE_PASSWORD = 4;
const AFTER_PASSWORD = 5;
const BEFORE_HOST = 6;
const AFTER_HOST = 7;
const BEFORE_PORT = 8;
const AFTER_PORT = 9;
const BEFORE_PATH = 10;
const AFTER_PATH = 11;
const AFTER_QUERY = 12;

const originSchemes = new SafeSet(['http:', 'https:', 'ftp:', 'ws:', 'wss:']);

class URL {
  #record;
  #searchParams;
  // True if the parameters have changed since the last parse: many changes cost one parse, at the next access.
  #isStale = false;

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#record in value)) {
      // V8's message: in Node the private field access of the language throws this error.
      throw new TypeError('Receiver must be an instance of class URL');
    }
  }

  constructor(input, base = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('url');
    input = `${input}`;
    if (base !== undefined) base = `${base}`;
    this.#record = native.parse(input, base);
    if (this.#record == null) throw new ERR_INVALID_URL(input, base);
  }

  static parse(input, base = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('url');
    input = `${input}`;
    if (base !== undefined) base = `${base}`;
    return native.canParse(input, base) ? new URL(input, base) : null;
  }

  static canParse(url, base = undefined) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('url');
    return native.canParse(`${url}`, base === undefined ? undefined : `${base}`);
  }

  static createObjectURL(blob) {
    return require('internal/blob').createObjectURL(blob);
  }

  static revokeObjectURL(url) {
    if (arguments.length === 0) throw new ERR_MISSING_ARGS('url');
    require('internal/blob').revokeObjectURL(`${url}`);
  }

  #current() {
    if (this.#isStale) {
      this.#isStale = false;
      this.#update('search', this.#searchParams.toString());
    }
    return this.#record;
  }

  #part(from, to) {
    const record = this.#current();
    return record[HREF].slice(record[from], record[to]);
  }

  #update(name, value) {
    const record = native.update(this.#current()[HREF], name, value);
    if (record != null) this.#record = record;
    return record != null;
  }

  toString() {
    URL.#check(this);
    return this.#current()[HREF];
  }

  get href() {
    URL.#check(this);
    return this.#current()[HREF];
  }

  set href(value) {
    URL.#check(this);
    value = `${value}`;
    const record = native.parse(value, undefined);
    if (record == null) throw new ERR_INVALID_URL(value);
    this.#record = record;
    this.#isStale = false;
    this.#refresh();
  }

  get origin() {
    URL.#check(this);
    const { protocol } = this;
    if (originSchemes.has(protocol)) return `${protocol}//${this.host}`;
    if (protocol === 'blob:') {
      const record = native.parse(this.pathname, undefined);
      if (record != null && /^https?:/.test(record[HREF])) return new URL(record[HREF]).origin;
    }
    return 'null';
  }

  get protocol() {
    URL.#check(this);
    // Parameters never change the protocol: a stale record is good enough.
    return this.#record[HREF].slice(0, this.#record[AFTER_SCHEME] + 1);
  }

  set protocol(value) {
    URL.#check(this);
    this.#update('protocol', `${value}`);
  }

  get username() {
    URL.#check(this);
    return this.#part(BEFORE_USERNAME, AFTER_USERNAME);
  }

  set username(value) {
    URL.#check(this);
    this.#update('username', `${value}`);
  }

  get password() {
    URL.#check(this);
    return this.#part(BEFORE_PASSWORD, AFTER_PASSWORD);
  }

  set password(value) {
    URL.#check(this);
    this.#update('password', `${value}`);
  }

  get host() {
    URL.#check(this);
    return this.#part(BEFORE_HOST, AFTER_PORT);
  }

  set host(value) {
    URL.#check(this);
    this.#update('host', `${value}`);
  }

  get hostname() {
    URL.#check(this);
    return this.#part(BEFORE_HOST, AFTER_HOST);
  }

  set hostname(value) {
    URL.#check(this);
    this.#update('hostname', `${value}`);
  }

  get port() {
    URL.#check(this);
    return this.#part(BEFORE_PORT, AFTER_PORT);
  }

  set port(value) {
    URL.#check(this);
    this.#update('port', `${value}`);
  }

  get pathname() {
    URL.#check(this);
    return this.#part(BEFORE_PATH, AFTER_PATH);
  }

  set pathname(value) {
    URL.#check(this);
    this.#update('pathname', `${value}`);
  }

  get search() {
    URL.#check(this);
    const search = this.#part(AFTER_PATH, AFTER_QUERY);
    return search.length > 1 ? search : '';
  }

  set search(value) {
    URL.#check(this);
    if (this.#update('search', usv(value))) this.#refresh();
  }

  get searchParams() {
    URL.#check(this);
    if (this.#searchParams === undefined) {
      this.#searchParams = new URLSearchParams(this.search);
      adopt(this.#searchParams, () => { this.#isStale = true; });
    }
    return this.#searchParams;
  }

  get hash() {
    URL.#check(this);
    const record = this.#current();
    const hash = record[HREF].slice(record[AFTER_QUERY]);
    return hash.length > 1 ? hash : '';
  }

  set hash(value) {
    URL.#check(this);
    this.#update('hash', `${value}`);
  }

  // Updates the URLSearchParams object after a change of the query.
  #refresh() {
    if (this.#searchParams !== undefined) listOf(this.#searchParams, native.parseForm(this.search.slice(1)));
  }

  toJSON() {
    URL.#check(this);
    return this.#current()[HREF];
  }

  [inspectSymbol](depth, opts) {
    URL.#check(this);
    if (typeof depth === 'number' && depth < 0) return this;
    const { constructor } = this;
    const name = typeof constructor === 'function' && constructor.name ? constructor.name : 'URL';
    const shown = {};
    for (const key of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname',
      'search', 'searchParams', 'hash']) shown[key] = this[key];
    return `${name} ${inspect(shown, opts)}`;
  }
}

makeEnumerable(URL.prototype, ['toString', 'href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port',
  'pathname', 'search', 'searchParams', 'hash', 'toJSON']);
makeEnumerable(URL, ['canParse', 'createObjectURL', 'parse', 'revokeObjectURL']);
Object.defineProperty(URL.prototype, Symbol.toStringTag, { __proto__: null, configurable: true, value: 'URL' });

// Duck typing, so that URL objects of other realms and libraries are accepted: `lib/internal/url.js: isURL`.
const isURL = (self) => Boolean(self?.href && self.protocol && self.auth === undefined && self.path === undefined);

function urlToHttpOptions(url) {
  validateObject(url, 'url', kValidateObjectAllowObjects);
  const { hostname, pathname, port, username, password, search } = url;
  const options = {
    __proto__: null,
    ...url,
    protocol: url.protocol,
    hostname: hostname && hostname[0] === '[' ? hostname.slice(1, -1) : hostname,
    hash: url.hash,
    search,
    pathname,
    path: `${pathname || ''}${search || ''}`,
    href: url.href,
  };
  if (port !== '') options.port = Number(port);
  if (username || password) options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return options;
}

function domainToASCII(domain) {
  if (arguments.length < 1) throw new ERR_MISSING_ARGS('domain');
  return native.domainToASCII(`${domain}`);
}

function domainToUnicode(domain) {
  if (arguments.length < 1) throw new ERR_MISSING_ARGS('domain');
  return native.domainToUnicode(`${domain}`);
}

// `structuredClone` throws: `lib/internal/url.js: markTransferMode`.
Object.defineProperty(URL.prototype, kUncloneable, { __proto__: null, value: true });

module.exports = {
  URL,
  URLSearchParams,
  domainToASCII,
  domainToUnicode,
  isURL,
  toASCII: native.toASCII,
  urlToHttpOptions,
};
