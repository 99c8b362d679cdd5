'use strict';
// Headers of an OutgoingMessage: `setHeader` and related methods, validation, and the text of the head.

const { Buffer } = require('buffer');
const errors = require('internal/errors');
const { _checkInvalidHeaderChar: isInvalidValue, _checkIsHttpToken: isToken } = require('internal/http/characters');
const { validateString } = require('internal/validators');

// Key of the text of the head; null until the head has been made.
const kHeader = '_header';
const kOutHeaders = Symbol('kOutHeaders');
const kUniqueHeaders = Symbol('kUniqueHeaders');

// Patterns that find a word in a header value (`lib/_http_outgoing.js: RE_CONN_CLOSE`, `lib/_http_common.js: chunkExpression`).
const closeExpression = /(?:^|\W)close(?:$|\W)/i;
const chunkExpression = /(?:^|\W)chunked(?:$|\W)/i;

function validateHeaderName(name, label) {
  if (typeof name !== 'string' || !isToken(name)) {
    throw new errors.ERR_INVALID_HTTP_TOKEN(label || 'Header name', name);
  }
}

function validateHeaderValue(name, value) {
  if (value === undefined) throw new errors.ERR_HTTP_INVALID_HEADER_VALUE(value, name);
  if (isInvalidValue(value)) throw new errors.ERR_INVALID_CHAR('header content', name);
}

// Converts a value once, and returns the text that was checked. Node converts the value a second time to send it
// (`lib/_http_outgoing.js: processHeader`, `storeHeader`): if its `toString` returns another text then, the result is response splitting.
function checkedText(name, value) {
  const text = typeof value === 'string' ? value : `${value}`;
  if (isInvalidValue(text)) throw new errors.ERR_INVALID_CHAR('header content', name);
  return text;
}

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

// The option `uniqueHeaders` has the names of headers whose values are joined into one line.
function parseUniqueHeadersOption(names) {
  return Array.isArray(names) ? new SafeSet(names.map((name) => name.toLowerCase())) : null;
}

// ---- The current date, as text (`lib/internal/http.js: utcDate`)

const { Date } = globalThis;
let dateSecond = -1;
let dateText = '';

function utcDate() {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(now).toUTCString();
  }
  return dateText;
}

// ---- The text of a head

// Builds the lines of a head, and records which headers the caller has set (`lib/_http_outgoing.js: _storeHeader`).
class Head {
  constructor(message, firstLine) {
    this.message = message;
    this.text = firstLine;
    this.hasConnection = false;
    this.hasContentLength = false;
    this.hasTransferEncoding = false;
    this.hasDate = false;
    this.hasExpect = false;
    this.hasTrailer = false;
  }

  addAll(headers) {
    const { message } = this;
    if (headers === message[kOutHeaders]) {
      for (const field in headers) {
        const entry = headers[field];
        // `setHeader` has already validated strings and numbers.
        this.addHeader(entry[0], entry.length === 3 ? entry[2] : entry[1], false);
      }
    } else if (!Array.isArray(headers)) {
      for (const name of Object.keys(headers)) this.addHeader(name, headers[name], true);
    } else if (Array.isArray(headers[0])) {
      for (const [name, value] of headers) this.addHeader(name, value, true);
    } else {
      if (headers.length % 2 !== 0) throw new errors.ERR_INVALID_ARG_VALUE('headers', headers);
      for (let at = 0; at < headers.length; at += 2) this.addHeader(headers[at], headers[at + 1], true);
    }
  }

  addHeader(name, value, isUnchecked) {
    if (isUnchecked) validateHeaderName(name);
    const { message } = this;
    // If Content-Length is known, Node converts this header to a Latin-1 Buffer, and the Buffer back to a string as UTF-8
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
          this.addLine(name, one, true);
        }
        return;
      }
      value = value.join('; ');
      isUnchecked = true;
    }
    if (isUnchecked && value === undefined) throw new errors.ERR_HTTP_INVALID_HEADER_VALUE(value, name);
    this.addLine(name, value, isUnchecked);
  }

  addLine(name, value, isUnchecked) {
    const text = isUnchecked || isObject(value) ? checkedText(name, value) : `${value}`;
    this.text += `${name}: ${text}\r\n`;
    switch (name.length) {
      case 4: case 6: case 7: case 10: case 14: case 17: this.note(name.toLowerCase(), value, text);
    }
  }

  // Records a header that has a meaning for the connection or the body.
  note(field, value, text) {
    const { message } = this;
    switch (field) {
      case 'date':
        this.hasDate = true;
        break;
      case 'expect':
        this.hasExpect = true;
        break;
      case 'trailer':
        this.hasTrailer = true;
        break;
      case 'connection':
        this.hasConnection = true;
        message._removedConnection = false;
        if (closeExpression.test(text)) message._last = true;
        else message.shouldKeepAlive = true;
        break;
      case 'keep-alive':
        message._defaultKeepAlive = false;
        break;
      case 'content-length':
        this.hasContentLength = true;
        message._contentLength = +(isObject(value) ? text : value);
        message._removedContLen = false;
        break;
      case 'transfer-encoding':
        this.hasTransferEncoding = true;
        message._removedTE = false;
        if (chunkExpression.test(text)) message.chunkedEncoding = true;
        break;
    }
  }

  // Adds the headers that the caller has not set, and the empty line.
  finish() {
    const { message } = this;
    if (message.sendDate && !this.hasDate) this.text += `Date: ${utcDate()}\r\n`;
    // A 204 or 304 response has no body (RFC 9110 sections 15.3.5 and 15.4.5).
    if (message.chunkedEncoding && (message.statusCode === 204 || message.statusCode === 304)) {
      message.chunkedEncoding = false;
      message.shouldKeepAlive = false;
    }
    this.addConnection(message);
    if (!this.hasContentLength && !this.hasTransferEncoding) this.addFraming(message);
    if (this.hasTrailer && !message.chunkedEncoding) throw new errors.ERR_HTTP_TRAILER_INVALID();
    this.text += '\r\n';
  }

  addConnection(message) {
    if (message._removedConnection) {
      // After `removeHeader('connection')`, only `shouldKeepAlive` decides, not an earlier `Connection` header.
      message._last = !message.shouldKeepAlive;
    } else if (!this.hasConnection) {
      const keepsAlive = message.shouldKeepAlive &&
        (this.hasContentLength || message.useChunkedEncodingByDefault || message.agent);
      if (keepsAlive && !message.maxRequestsOnConnectionReached) {
        this.text += message._keepAliveTimeout && message._defaultKeepAlive ?
          `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveParameters(message)}\r\n` :
          'Connection: keep-alive\r\n';
      } else {
        if (!keepsAlive) message._last = true;
        this.text += 'Connection: close\r\n';
      }
    }
  }

  // Adds the header that determines where the body ends (RFC 9112 section 6.3).
  addFraming(message) {
    if (!message._hasBody) {
      message.chunkedEncoding = false;
    } else if (!message.useChunkedEncodingByDefault) {
      message._last = true;
    } else if (!this.hasTrailer && !message._removedContLen && typeof message._contentLength === 'number') {
      this.text += `Content-Length: ${message._contentLength}\r\n`;
    } else if (!message._removedTE) {
      this.text += 'Transfer-Encoding: chunked\r\n';
      message.chunkedEncoding = true;
    } else {
      // Without Content-Length and chunked encoding, the body ends when the connection closes.
      message._last = true;
    }
  }
}

const asLatin1 = (value) => `${Buffer.from(value, 'latin1')}`;

function keepAliveParameters(message) {
  const seconds = Math.floor(message._keepAliveTimeout / 1000);
  return ~~message._maxRequestsPerSocket > 0 ? `${seconds}, max=${message._maxRequestsPerSocket}` : seconds;
}

// ---- Methods of OutgoingMessage

const methods = {
  setHeader(name, value) {
    if (this._header) throw new errors.ERR_HTTP_HEADERS_SENT('set');
    validateHeaderName(name);
    if (value === undefined) throw new errors.ERR_HTTP_INVALID_HEADER_VALUE(value, name);
    const text = checkedText(name, value);
    // An entry keeps an object for `getHeader()`, and the checked text for sending. The elements of an array may change later, so they are checked
    // when they are sent.
    const entry = isObject(value) && !Array.isArray(value) ? [name, value, text] : [name, value];
    (this[kOutHeaders] ??= { __proto__: null })[name.toLowerCase()] = entry;
    return this;
  },

  setHeaders(headers) {
    if (this._header) throw new errors.ERR_HTTP_HEADERS_SENT('set');
    if (!headers || Array.isArray(headers) || typeof headers.keys !== 'function' || typeof headers.get !== 'function') {
      throw new errors.ERR_INVALID_ARG_TYPE('headers', ['Headers', 'Map'], headers);
    }
    // The iterator of `Headers` yields each cookie separately: collect all cookies in one array.
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
    if (this._header) throw new errors.ERR_HTTP_HEADERS_SENT('append');
    validateHeaderName(name);
    const entry = this[kOutHeaders]?.[name.toLowerCase()];
    // `setHeader` validates the value itself. Validating it here too would convert it twice.
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

  getHeaderNames() { return this[kOutHeaders] === null ? [] : Object.keys(this[kOutHeaders]); },

  getRawHeaderNames() {
    const headers = this[kOutHeaders];
    return headers === null ? [] : Object.keys(headers).map((field) => headers[field][0]);
  },

  getHeaders() {
    const headers = this[kOutHeaders];
    const copy = { __proto__: null };
    if (headers) for (const field of Object.keys(headers)) copy[field] = headers[field][1];
    return copy;
  },

  hasHeader(name) {
    validateString(name, 'name');
    return this[kOutHeaders] !== null && Boolean(this[kOutHeaders][name.toLowerCase()]);
  },

  removeHeader(name) {
    validateString(name, 'name');
    if (this._header) throw new errors.ERR_HTTP_HEADERS_SENT('remove');
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
    if (this._header) throw new errors.ERR_HTTP_HEADERS_SENT('render');
    const rendered = {};
    const headers = this[kOutHeaders];
    if (headers !== null) for (const field of Object.keys(headers)) rendered[headers[field][0]] = headers[field][1];
    return rendered;
  },

  _storeHeader(firstLine, headers) {
    const head = new Head(this, firstLine);
    if (headers) head.addAll(headers);
    head.finish();
    this._header = head.text;
    this._headerSent = false;
    // With `Expect: 100-continue` the head is sent immediately: the client waits for the answer before it sends the body (RFC 9110 section 10.1.1).
    if (head.hasExpect) this._send('');
  },
};

module.exports = {
  chunkExpression,
  kHeader,
  kOutHeaders,
  kUniqueHeaders,
  methods,
  parseUniqueHeadersOption,
  validateHeaderName,
  validateHeaderValue,
};
