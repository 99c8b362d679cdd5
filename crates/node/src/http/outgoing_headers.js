'use strict';
// Headers of an OutgoingMessage: `setHeader` and friends, validation, and serialization of the head.

const { Buffer } = require('buffer');
const errors = require('internal/errors');
const { validateString } = require('internal/validators');

const kHeader = Symbol('kHeader');
const kOutHeaders = Symbol('kOutHeaders');
const kUniqueHeaders = Symbol('kUniqueHeaders');
// Flags that the native head builder reads; the same bits as in `head.rs`. Node's property names are accessors on
// them.
const kPlan = Symbol('kPlan');
const kPlanBits = {
  sendDate: 1,
  shouldKeepAlive: 2,
  _hasBody: 4,
  useChunkedEncodingByDefault: 8,
  _removedConnection: 16,
  _removedContLen: 32,
  _removedTE: 64,
  _defaultKeepAlive: 128,
  maxRequestsOnConnectionReached: 512,
  chunkedEncoding: 1024,
};
const { shouldKeepAlive: kShouldKeepAlive } = kPlanBits;
const kUsualPlan = kShouldKeepAlive | kPlanBits._hasBody | kPlanBits.useChunkedEncodingByDefault |
  kPlanBits._defaultKeepAlive;
const kHasAgent = 256;
const kIsBodiless = 2048;

const { isToken, isValue } = native;

function validateHeaderName(name, label) {
  if (typeof name !== 'string' || !isToken(name)) {
    throw new errors.ERR_INVALID_HTTP_TOKEN(label || 'Header name', name);
  }
}

function validateHeaderValue(name, value) {
  if (value === undefined) throw new errors.ERR_HTTP_INVALID_HEADER_VALUE(value, name);
  if (!isValue(typeof value === 'string' ? value : `${value}`)) throw new errors.ERR_INVALID_CHAR('header content', name);
}

// Converts a value once and returns the text that was checked. Node converts it a second time to send it (`lib/_http_outgoing.js:
// processHeader`, `storeHeader`): an object whose `toString` changes its mind then splits the response.
function checkedText(name, value) {
  const text = typeof value === 'string' ? value : `${value}`;
  if (!isValue(text)) throw new errors.ERR_INVALID_CHAR('header content', name);
  return text;
}

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

// The `uniqueHeaders` option: headers whose values are joined into one line.
function parseUniqueHeadersOption(names) {
  return Array.isArray(names) ? new SafeSet(names.map((name) => name.toLowerCase())) : null;
}

const fieldsOf = (headers) => Object.keys(headers);

const methods = {
  setHeader(name, value) {
    if (this[kHeader] !== null) throw new errors.ERR_HTTP_HEADERS_SENT('set');
    let field = native.field(name, value);
    const entry = [name, value];
    if (field === undefined) {
      validateHeaderName(name);
      if (value === undefined) throw new errors.ERR_HTTP_INVALID_HEADER_VALUE(value, name);
      const text = checkedText(name, value);
      // `getHeader` returns the object; the text is sent. The elements of an array may change: they are checked when they are sent.
      if (isObject(value) && !Array.isArray(value)) entry[2] = text;
      field = name.toLowerCase();
    }
    (this[kOutHeaders] ??= { __proto__: null })[field] = entry;
    return this;
  },

  setHeaders(headers) {
    if (this[kHeader] !== null) throw new errors.ERR_HTTP_HEADERS_SENT('set');
    if (!headers || Array.isArray(headers) || typeof headers.keys !== 'function' || typeof headers.get !== 'function') {
      throw new errors.ERR_INVALID_ARG_TYPE('headers', ['Headers', 'Map'], headers);
    }
    // A `Headers` iterator yields each cookie separately; collect them into one array.
    const cookies = [];
    for (const [name, value] of headers) {
      if (name !== 'set-cookie') this.setHeader(name, value);
      else if (Array.isArray(value)) cookies.push(...value);
      else cookies.push(value);
    }
    if (cookies.length > 0) this.setHeader('set-cookie', cookies);
    return this;
  },

  appendHeader(name, value) {
    if (this[kHeader] !== null) throw new errors.ERR_HTTP_HEADERS_SENT('append');
    validateHeaderName(name);
    const entry = this[kOutHeaders]?.[name.toLowerCase()];
    // `setHeader` checks the value, with one conversion.
    if (!entry) return this.setHeader(name, value);
    validateHeaderValue(name, value);
    if (!Array.isArray(entry[1])) entry[1] = [entry[1]];
    entry.length = 2;
    if (Array.isArray(value)) entry[1].push(...value);
    else entry[1].push(value);
    return this;
  },

  getHeader(name) {
    validateString(name, 'name');
    const headers = this[kOutHeaders];
    return headers === null ? undefined : headers[name.toLowerCase()]?.[1];
  },

  getHeaderNames() { return this[kOutHeaders] === null ? [] : fieldsOf(this[kOutHeaders]); },

  getRawHeaderNames() {
    const headers = this[kOutHeaders];
    return headers === null ? [] : fieldsOf(headers).map((field) => headers[field][0]);
  },

  getHeaders() {
    const headers = this[kOutHeaders];
    const copy = { __proto__: null };
    if (headers) for (const field of fieldsOf(headers)) copy[field] = headers[field][1];
    return copy;
  },

  hasHeader(name) {
    validateString(name, 'name');
    return this[kOutHeaders] !== null && Boolean(this[kOutHeaders][name.toLowerCase()]);
  },

  removeHeader(name) {
    validateString(name, 'name');
    if (this[kHeader] !== null) throw new errors.ERR_HTTP_HEADERS_SENT('remove');
    const field = name.toLowerCase();
    switch (field) {
      case 'connection': this._removedConnection = true; break;
      case 'content-length': this._removedContLen = true; break;
      case 'transfer-encoding': this._removedTE = true; break;
      case 'date': this.sendDate = false; break;
    }
    if (this[kOutHeaders] !== null) delete this[kOutHeaders][field];
  },

  _renderHeaders() {
    if (this[kHeader] !== null) throw new errors.ERR_HTTP_HEADERS_SENT('render');
    const rendered = {};
    const headers = this[kOutHeaders];
    if (headers !== null) for (const field of fieldsOf(headers)) rendered[headers[field][0]] = headers[field][1];
    return rendered;
  },

  _storeHeader(firstLine, headers) {
    const list = headers ? flatten(this, headers) : null;
    const bits = planOf(this);
    const length = typeof this._contentLength === 'number' ? this._contentLength : -1;
    const [text, out] = native.head(
      firstLine, list, bits, keepAliveSecs(this), ~~this._maxRequestsPerSocket, length);
    takeOutcome(this, out);
    if ((out & kOutLength) !== 0) this._removedContLen = false;
    if ((out & kOutBadTrailer) !== 0) throw new errors.ERR_HTTP_TRAILER_INVALID();
    this[kHeader] = text;
    this._headerSent = false;
    // With `Expect: 100-continue` send the head now: the client waits before sending the body (RFC 9110 section
    // 10.1.1).
    if ((out & kOutExpect) !== 0) this._send('');
  },
};

// Defines accessors with Node's names for the flags.
function definePlan(proto) {
  proto[kPlan] = kUsualPlan;
  for (const name of Object.keys(kPlanBits)) {
    const bit = kPlanBits[name];
    Object.defineProperty(proto, name, {
      __proto__: null,
      get() { return (this[kPlan] & bit) !== 0; },
      set(value) {
        const bits = this[kPlan];
        this[kPlan] = value ? bits | bit : bits & ~bit;
      },
      enumerable: true,
      configurable: true,
    });
  }
}

// NaN if there is no keep-alive timeout.
const keepAliveSecs = ({ _keepAliveTimeout: ms }) => (ms ? Math.floor(ms / 1000) : NaN);

function planOf(message) {
  const { statusCode } = message;
  return message[kPlan] | (message.agent ? kHasAgent : 0) | (statusCode === 204 || statusCode === 304 ? kIsBodiless : 0);
}

// Result flags of the native head builder, as in `head.rs`.
const kOutChunked = 1;
const kOutLast = 2;
const kOutKeepAlive = 4;
const kOutConnection = 8;
const kOutLength = 16;
const kOutEncoding = 32;
const kOutExpect = 64;
const kOutKeepAliveHeader = 128;
const kOutBadTrailer = 256;

function takeOutcome(message, out) {
  message.chunkedEncoding = (out & kOutChunked) !== 0;
  message.shouldKeepAlive = (out & kOutKeepAlive) !== 0;
  if (message._removedConnection && (out & kOutConnection) === 0) message._last = (out & kOutLast) !== 0;
  else if ((out & kOutLast) !== 0) message._last = true;
  if ((out & kOutConnection) !== 0) message._removedConnection = false;
  if ((out & kOutEncoding) !== 0) message._removedTE = false;
  if ((out & kOutKeepAliveHeader) !== 0) message._defaultKeepAlive = false;
}

// Flattens headers to a list of names and values. Strings and numbers from `setHeader` are valid already.
function flatten(message, headers) {
  const list = [];
  if (headers === message[kOutHeaders]) {
    for (const field in headers) addLine(message, list, headers[field][0], headers[field][2] ?? headers[field][1], false);
  } else if (!Array.isArray(headers)) {
    for (const name of Object.keys(headers)) addLine(message, list, name, headers[name], true);
  } else if (Array.isArray(headers[0])) {
    for (const [name, value] of headers) addLine(message, list, name, value, true);
  } else {
    if (headers.length % 2 !== 0) throw new errors.ERR_INVALID_ARG_VALUE('headers', headers);
    for (let at = 0; at < headers.length; at += 2) addLine(message, list, headers[at], headers[at + 1], true);
  }
  return list;
}

function addLine(message, list, name, value, isUnchecked) {
  if (isUnchecked) validateHeaderName(name);
  // With a known Content-Length Node converts this header to a Latin-1 Buffer, and then back to a string as UTF-8
  // (`lib/_http_outgoing.js: processHeader`).
  if (name.length === 19 && message._contentLength && name.toLowerCase() === 'content-disposition') {
    value = Array.isArray(value) ? value.map(asLatin1) : asLatin1(value);
  }
  if (Array.isArray(value)) {
    const isJoined = (value.length > 1 && name.length === 6 && name.toLowerCase() === 'cookie') ||
      message[kUniqueHeaders]?.has(name.toLowerCase());
    if (!isJoined) {
      for (let at = 0; at < value.length; at++) {
        const one = value[at];
        if (isUnchecked && one === undefined) throw new errors.ERR_HTTP_INVALID_HEADER_VALUE(one, name);
        push(message, list, name, one, true);
      }
      return;
    }
    value = value.join('; ');
    isUnchecked = true;
  }
  if (isUnchecked && value === undefined) throw new errors.ERR_HTTP_INVALID_HEADER_VALUE(value, name);
  push(message, list, name, value, isUnchecked);
}

const asLatin1 = (value) => `${Buffer.from(value, 'latin1')}`;

function push(message, list, name, value, isUnchecked) {
  const text = isUnchecked || isObject(value) ? checkedText(name, value) : `${value}`;
  if (name.length === 14 && name.toLowerCase() === 'content-length') message._contentLength = +(isObject(value) ? text : value);
  list.push(name, text);
}

module.exports = {
  definePlan,
  flatten,
  keepAliveSecs,
  kHeader,
  kOutHeaders,
  kPlan,
  kShouldKeepAlive,
  kUniqueHeaders,
  methods,
  parseUniqueHeadersOption,
  planOf,
  takeOutcome,
  validateHeaderName,
  validateHeaderValue,
};
