'use strict';
// URL and URLSearchParams, and the ways between URLs and files.

const {
  ERR_ARG_NOT_ITERABLE,
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_INVALID_FILE_URL_HOST,
  ERR_INVALID_FILE_URL_PATH,
  ERR_INVALID_THIS,
  ERR_INVALID_TUPLE,
  ERR_INVALID_URL,
  ERR_INVALID_URL_SCHEME,
  ERR_MISSING_ARGS,
} = require('internal/errors');
const { kValidateObjectAllowObjects, validateFunction, validateObject, validateString } =
  require('internal/validators');

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');
const inspect = (value, options) => require('internal/util/inspect').inspect(value, options);
const usv = (value) => `${value}`.toWellFormed();

// Places in the record that the parser gives.
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

// Set by URL: tells its URLSearchParams apart from those that stand alone.
let adopt;
let listOf;

class URLSearchParams {
  // Names and values in turn.
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
    // Names that are the same once made well-formed take one place.
    const seen = new Map();
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
    // By code units, and stable.
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

const originSchemes = new Set(['http:', 'https:', 'ftp:', 'ws:', 'wss:']);

class URL {
  #record;
  #searchParams;

  static #check(value) {
    if (typeof value !== 'object' || value === null || !(#record in value)) {
      // V8's words: Node leaves this one to the language.
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

  #part(from, to) {
    const record = this.#record;
    return record[HREF].slice(record[from], record[to]);
  }

  #update(name, value) {
    const record = native.update(this.#record[HREF], name, value);
    if (record != null) this.#record = record;
    return record != null;
  }

  get href() {
    URL.#check(this);
    return this.#record[HREF];
  }

  set href(value) {
    URL.#check(this);
    value = `${value}`;
    const record = native.parse(value, undefined);
    if (record == null) throw new ERR_INVALID_URL(value);
    this.#record = record;
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
      adopt(this.#searchParams, () => this.#update('search', this.#searchParams.toString()));
    }
    return this.#searchParams;
  }

  get hash() {
    URL.#check(this);
    const hash = this.#record[HREF].slice(this.#record[AFTER_QUERY]);
    return hash.length > 1 ? hash : '';
  }

  set hash(value) {
    URL.#check(this);
    this.#update('hash', `${value}`);
  }

  // The parameters follow the query.
  #refresh() {
    if (this.#searchParams !== undefined) listOf(this.#searchParams, native.parseForm(this.search.slice(1)));
  }

  toString() {
    URL.#check(this);
    return this.#record[HREF];
  }

  toJSON() {
    URL.#check(this);
    return this.#record[HREF];
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

// As Node: by its looks, so that URLs of other realms and libraries pass.
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

function pathFromURL(url, windows, encodedSlashes = false) {
  const { hostname, pathname } = url;
  for (let i = 0; i < pathname.length && !encodedSlashes; i++) {
    if (pathname[i] !== '%') continue;
    const third = pathname.charCodeAt(i + 2) | 0x20;
    if (pathname[i + 1] === '2' && third === 0x66) {
      throw new ERR_INVALID_FILE_URL_PATH(
        windows ? 'must not include encoded \\ or / characters' : 'must not include encoded / characters', url);
    }
    if (windows && pathname[i + 1] === '5' && third === 0x63) {
      throw new ERR_INVALID_FILE_URL_PATH('must not include encoded \\ or / characters', url);
    }
  }
  if (!windows) {
    if (hostname !== '') throw new ERR_INVALID_FILE_URL_HOST(require('process').platform);
    return pathname;
  }
  return { hostname, pathname: pathname.replaceAll('/', '\\') };
}

function decodePath(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new URIError('URI malformed');
  }
}

function decodeWindows({ hostname, pathname }, url, decode) {
  const path = decode(pathname);
  if (hostname !== '') return `\\\\${domainToUnicode(hostname)}${path}`;
  const letter = path.charCodeAt(1) | 0x20;
  if (letter < 0x61 || letter > 0x7A || path[2] !== ':') throw new ERR_INVALID_FILE_URL_PATH('must be absolute', url);
  return path.slice(1);
}

function checkFileURL(path) {
  if (typeof path === 'string') path = new URL(path);
  else if (!isURL(path)) throw new ERR_INVALID_ARG_TYPE('path', ['string', 'URL'], path);
  if (path.protocol !== 'file:') throw new ERR_INVALID_URL_SCHEME('file');
  return path;
}

function fileURLToPath(path, options = undefined) {
  const windows = options?.windows ?? require('process').platform === 'win32';
  const url = checkFileURL(path);
  const found = pathFromURL(url, windows);
  return windows ? decodeWindows(found, url, decodePath) : decodePath(found);
}

function fileURLToPathBuffer(path, options = undefined) {
  const windows = options?.windows ?? require('process').platform === 'win32';
  const url = checkFileURL(path);
  // As Node: as bytes, a POSIX path may have a slash that was encoded.
  const found = pathFromURL(url, windows, !windows);
  const { unescapeBuffer } = require('querystring');
  const { Buffer } = require('buffer');
  if (!windows) return Buffer.from(unescapeBuffer(found));
  return Buffer.from(decodeWindows(found, url, (text) => unescapeBuffer(text).toString('latin1')), 'latin1');
}

// What a path may hold and a URL may not, or would take for something else.
const pathEscapes = {
  '%': '%25', '\\': '%5C', '\n': '%0A', '\r': '%0D', '\t': '%09', '?': '%3F', '#': '%23', '[': '%5B', ']': '%5D', '^': '%5E',
  '|': '%7C', '~': '%7E',
};

function pathToFileURL(filepath, options = undefined) {
  validateString(filepath, 'path');
  const windows = options?.windows ?? require('process').platform === 'win32';
  const path = require('path');
  if (windows && filepath.startsWith('\\\\')) return uncToFileURL(filepath);
  let resolved = windows ? path.win32.resolve(filepath) : path.posix.resolve(filepath);
  const last = filepath.charCodeAt(filepath.length - 1);
  const trailing = last === 47 || (windows && last === 92);
  // As Node: this system's separator, even for a path of the other kind.
  if (trailing && !resolved.endsWith(path.sep)) resolved += '/';
  if (windows) resolved = resolved.replaceAll('\\', '/');
  resolved = resolved.replace(/[%\\\n\r\t?#[\]^|~]/g, (character) => pathEscapes[character]);
  return new URL(`file://${windows && resolved[0] !== '/' ? '/' : ''}${resolved}`);
}

function uncToFileURL(filepath) {
  const extended = filepath.startsWith('\\\\?\\UNC\\');
  const start = extended ? 8 : 2;
  const end = filepath.indexOf('\\', start);
  if (end === -1) throw new ERR_INVALID_ARG_VALUE('path', filepath, 'Missing UNC resource path');
  if (end === 2) throw new ERR_INVALID_ARG_VALUE('path', filepath, 'Empty UNC servername');
  const url = new URL('file://');
  url.hostname = domainToASCII(filepath.slice(start, end));
  url.pathname = filepath.slice(end).replaceAll('\\', '/').replace(/[%\n\r\t]/g, (character) => pathEscapes[character]);
  return url;
}

function domainToASCII(domain) {
  if (arguments.length < 1) throw new ERR_MISSING_ARGS('domain');
  return native.domainToASCII(`${domain}`);
}

function domainToUnicode(domain) {
  if (arguments.length < 1) throw new ERR_MISSING_ARGS('domain');
  return native.domainToUnicode(`${domain}`);
}

// As Node: neither can be cloned.
for (const Class of [URL, URLSearchParams]) {
  const { kUncloneable } = require('internal/clone_symbols');
  Object.defineProperty(Class.prototype, kUncloneable, { __proto__: null, value: true });
}

module.exports = {
  URL,
  URLSearchParams,
  domainToASCII,
  domainToUnicode,
  fileURLToPath,
  fileURLToPathBuffer,
  isURL,
  pathToFileURL,
  toASCII: native.toASCII,
  urlToHttpOptions,
};
