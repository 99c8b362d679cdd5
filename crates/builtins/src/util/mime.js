'use strict';

// MIMEType and MIMEParams, by the MIME Sniffing Standard (section 4.4, parsing a MIME type), with Node's errors (`lib/internal/mime.js`).

const { ERR_INVALID_MIME_SYNTAX } = require('internal/errors');

const notToken = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/;
const notQuoted = /[^\t\u0020-~\u0080-\u00FF]/;
const lower = (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const trimEnd = (text) => text.replace(/[\r\n\t ]+$/, '');

// Returns `text` if it is an HTTP token (RFC 9110 section 5.6.2), else throws.
function checkToken(text, what, whole = text) {
  const at = text.search(notToken);
  if (text === '' || at !== -1) throw new ERR_INVALID_MIME_SYNTAX(what, whole, at);
  return text;
}

function parseEssence(text) {
  const start = text.search(/[^\r\n\t ]|$/);
  const slash = text.indexOf('/', start);
  const type = slash === -1 ? text.slice(start) : text.slice(start, slash);
  if (slash === -1) throw new ERR_INVALID_MIME_SYNTAX('type', text, type.search(notToken));
  checkToken(type, 'type', text);
  const end = text.indexOf(';', slash + 1);
  const subtype = trimEnd(end === -1 ? text.slice(slash + 1) : text.slice(slash + 1, end));
  checkToken(subtype, 'subtype', text);
  return { type: lower(type), subtype: lower(subtype), rest: end === -1 ? '' : text.slice(end + 1) };
}

// Parses a quoted value. `at` is the index after the opening quote. Returns [value, end].
function parseQuoted(text, at) {
  let value = '';
  for (; at < text.length; at++) {
    if (text[at] === '"') return [value, at + 1];
    if (text[at] === '\\' && at + 1 < text.length) at++;
    value += text[at];
  }
  return [value, at];
}

// Ignores parameters that are repeated, have an invalid value, or have an empty value without quotes.
function parseParameters(source, data) {
  const text = trimEnd(source);
  let at = 0;
  while (at < text.length) {
    at += text.slice(at).search(/[^\r\n\t ]|$/);
    const end = at + text.slice(at).search(/[;=]|$/);
    const name = lower(text.slice(at, end));
    at = end + 1;
    if (text[end] === ';') continue;
    if (at >= text.length) break;
    let value;
    if (text[at] === '"') {
      [value, at] = parseQuoted(text, at + 1);
      // Characters between the closing quote and the next semicolon are ignored.
      const next = text.indexOf(';', at);
      at = next === -1 ? text.length : next + 1;
    } else {
      const next = text.indexOf(';', at);
      value = trimEnd(text.slice(at, next === -1 ? text.length : next));
      at = next === -1 ? text.length : next + 1;
      if (value === '') continue;
    }
    if (name !== '' && !notToken.test(name) && !notQuoted.test(value) && !data.has(name)) data.set(name, value);
  }
}

const encode = (value) => (value !== '' && !notToken.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`);

let fill;

class MIMEParams {
  #data = new SafeMap();

  static {
    fill = (params, text) => {
      parseParameters(text, params.#data);
      return params;
    };
  }

  delete(name) {
    this.#data.delete(name);
  }

  get(name) {
    return this.#data.has(name) ? this.#data.get(name) : null;
  }

  has(name) {
    return this.#data.has(name);
  }

  set(name, value) {
    name = checkToken(`${name}`, 'parameter name');
    value = `${value}`;
    const at = value.search(notQuoted);
    if (at !== -1) throw new ERR_INVALID_MIME_SYNTAX('parameter value', value, at);
    this.#data.set(name, value);
  }

  *entries() {
    yield* this.#data.entries();
  }

  *keys() {
    yield* this.#data.keys();
  }

  *values() {
    yield* this.#data.values();
  }

  toString() {
    return Array.from(this.#data, ([name, value]) => `${name}=${encode(value)}`).join(';');
  }
}

const hidden = (object, key, value) =>
  Object.defineProperty(object, key, { __proto__: null, value, writable: true, configurable: true });

hidden(MIMEParams.prototype, Symbol.iterator, MIMEParams.prototype.entries);
hidden(MIMEParams.prototype, 'toJSON', MIMEParams.prototype.toString);

class MIMEType {
  #type;
  #subtype;
  #params;

  constructor(string) {
    const { type, subtype, rest } = parseEssence(`${string}`);
    this.#type = type;
    this.#subtype = subtype;
    this.#params = fill(new MIMEParams(), rest);
  }

  get type() {
    return this.#type;
  }

  set type(value) {
    this.#type = lower(checkToken(`${value}`, 'type'));
  }

  get subtype() {
    return this.#subtype;
  }

  set subtype(value) {
    this.#subtype = lower(checkToken(`${value}`, 'subtype'));
  }

  get essence() {
    return `${this.#type}/${this.#subtype}`;
  }

  get params() {
    return this.#params;
  }

  toString() {
    const params = MIMEParams.prototype.toString.call(this.#params);
    return params === '' ? this.essence : `${this.essence};${params}`;
  }
}

hidden(MIMEType.prototype, 'toJSON', MIMEType.prototype.toString);

module.exports = { MIMEParams, MIMEType };
