'use strict';
// `http.IncomingMessage`: a request that a server receives, or a response that a client receives.
//
// The parser passes the headers as one string, which is split when a program reads them: many programs do not.

const process = require('process');
const { Readable, finished } = require('stream');

// The text of the headers from the parser: names and values, separated by line feeds.
const kHeaderText = Symbol('kHeaderText');
// Number of names and values of the text that count; 0 means all.
const kHeaderLimit = Symbol('kHeaderLimit');
const kRawHeaders = Symbol('kRawHeaders');
const kHeaders = Symbol('kHeaders');
// Number of raw headers that count; -1 means as many as the limit allows.
const kHeadersCount = Symbol('kHeadersCount');
const kHeadersDistinct = Symbol('kHeadersDistinct');
const kRawTrailers = Symbol('kRawTrailers');
const kTrailers = Symbol('kTrailers');
const kTrailersCount = Symbol('kTrailersCount');
const kTrailersDistinct = Symbol('kTrailersDistinct');

function readStart(socket) {
  if (socket && !socket._paused && socket.readable) socket.resume();
}

function readStop(socket) {
  if (socket) socket.pause();
}

function IncomingMessage(socket) {
  Readable.call(this, socket ? { highWaterMark: socket.readableHighWaterMark } : undefined);
  // No data is read ahead until the program reads the message.
  this._readableState.readingMore = true;
  this.socket = socket;
  this.httpVersionMajor = null;
  this.httpVersionMinor = null;
  this.httpVersion = null;
  this.complete = false;
  this[kHeaderText] = undefined;
  this[kHeaderLimit] = 0;
  this[kRawHeaders] = null;
  this[kHeaders] = null;
  this[kHeadersCount] = -1;
  this[kHeadersDistinct] = null;
  this[kRawTrailers] = null;
  this[kTrailers] = null;
  this[kTrailersCount] = 0;
  this[kTrailersDistinct] = null;
  this.joinDuplicateHeaders = false;
  this.aborted = false;
  this.upgrade = null;
  this.url = '';
  this.method = null;
  this.statusCode = null;
  this.statusMessage = null;
  this.client = socket;
  this._consuming = false;
  this._dumped = false;
}
const proto = IncomingMessage.prototype;
Object.setPrototypeOf(proto, Readable.prototype);
Object.setPrototypeOf(IncomingMessage, Readable);

// ---- Headers

// llhttp's binding passes headers to JavaScript in groups of 32 fields (`src/node_http_parser.cc: kMaxHeaderFieldsCount`). Node drops headers beyond
// the limit only if a group is full (`lib/_http_common.js: parserOnHeaders`).
const kGroup = 2 * 32;

function rawHeadersOf(message) {
  const raw = message[kRawHeaders];
  if (raw !== null) return raw;
  const text = message[kHeaderText];
  const lines = text === undefined ? [] : text.split('\n');
  const limit = message[kHeaderLimit];
  if (limit > 0 && lines.length > limit && lines.length >= kGroup) lines.length = limit;
  return message[kRawHeaders] = lines;
}

function countOf(message, raw) {
  const count = message[kHeadersCount];
  if (count >= 0) return count;
  const limit = message[kHeaderLimit];
  return limit > 0 ? Math.min(limit, raw.length) : raw.length;
}

// Stores the header text of a message that the parser has read.
function setHeaderText(message, text, limit) {
  message[kHeaderText] = text;
  message[kHeaderLimit] = limit;
  // A subclass that overrides `_addHeaderLines` receives the headers at once.
  if (message._addHeaderLines === _addHeaderLines) return;
  const raw = rawHeadersOf(message);
  message[kRawHeaders] = null;
  message._addHeaderLines(raw, countOf(message, raw));
}

function addLines(message, raw, count, into) {
  for (let at = 0; at < count; at += 2) message._addHeaderLine(raw[at], raw[at + 1], into);
  return into;
}

function addLinesDistinct(message, raw, count, into) {
  for (let at = 0; at < count; at += 2) message._addHeaderLineDistinct(raw[at], raw[at + 1], into);
  return into;
}

const accessors = {
  connection: {
    get() { return this.socket; },
    set(value) { this.socket = value; },
  },
  rawHeaders: {
    get() { return rawHeadersOf(this); },
    set(value) { this[kRawHeaders] = value; },
  },
  rawTrailers: {
    get() { return this[kRawTrailers] ??= []; },
    set(value) { this[kRawTrailers] = value; },
  },
  headers: {
    get() {
      const headers = this[kHeaders];
      if (headers) return headers;
      const raw = rawHeadersOf(this);
      return addLines(this, raw, countOf(this, raw), this[kHeaders] = {});
    },
    set(value) { this[kHeaders] = value; },
  },
  headersDistinct: {
    get() {
      if (this[kHeadersDistinct]) return this[kHeadersDistinct];
      const raw = rawHeadersOf(this);
      return addLinesDistinct(this, raw, countOf(this, raw), this[kHeadersDistinct] = { __proto__: null });
    },
    set(value) { this[kHeadersDistinct] = value; },
  },
  trailers: {
    get() { return this[kTrailers] ??= addLines(this, this.rawTrailers, this[kTrailersCount], {}); },
    set(value) { this[kTrailers] = value; },
  },
  trailersDistinct: {
    get() {
      return this[kTrailersDistinct] ??=
        addLinesDistinct(this, this.rawTrailers, this[kTrailersCount], { __proto__: null });
    },
    set(value) { this[kTrailersDistinct] = value; },
  },
};
for (const name of Object.keys(accessors)) {
  // In Node `rawHeaders` and `rawTrailers` are data properties, and therefore configurable; the other accessors are not.
  Object.defineProperty(proto, name, { __proto__: null, configurable: name.startsWith('raw'), ...accessors[name] });
}

proto._addHeaderLines = _addHeaderLines;
function _addHeaderLines(headers, count) {
  if (!headers?.length) return;
  let into;
  if (this.complete) {
    this.rawTrailers = headers;
    this[kTrailersCount] = count;
    into = this[kTrailers];
  } else {
    this.rawHeaders = headers;
    this[kHeadersCount] = count;
    into = this[kHeaders];
  }
  if (into) addLines(this, headers, count, into);
}

// True for a header of which only the first value counts. The values of other headers are joined (`lib/_http_incoming.js: matchKnownFields`).
function isSingle(field) {
  switch (field) {
    case 'age': case 'authorization': case 'content-length': case 'content-type': case 'etag': case 'expires': case 'from':
    case 'host': case 'if-modified-since': case 'if-unmodified-since': case 'last-modified': case 'location': case 'max-forwards':
    case 'proxy-authorization': case 'referer': case 'retry-after': case 'server': case 'user-agent':
      return true;
    default:
      return false;
  }
}

// True if neither a subclass nor a program overrides the methods that add header lines: `headers` then has what the parser saw.
const hasOwnLines = (message) => message._addHeaderLines === _addHeaderLines && message._addHeaderLine === _addHeaderLine;

proto._addHeaderLine = _addHeaderLine;
function _addHeaderLine(field, value, into) {
  field = field.toLowerCase();
  const before = into[field];
  if (field === 'set-cookie') {
    if (before === undefined) into[field] = [value];
    else before.push(value);
  } else if (before === undefined) {
    into[field] = value;
  } else if (!isSingle(field)) {
    // `before` may be a property of `Object.prototype`, which is not a header.
    into[field] = typeof before === 'string' ? `${before}${field === 'cookie' ? '; ' : ', '}${value}` : value;
  } else if (this.joinDuplicateHeaders) {
    into[field] = `${before}, ${value}`;
  }
}

proto._addHeaderLineDistinct = function _addHeaderLineDistinct(field, value, into) {
  field = field.toLowerCase();
  if (!into[field]) into[field] = [value];
  else into[field].push(value);
};

// ---- The stream

proto.setTimeout = function setTimeout(msecs, callback) {
  if (callback) this.on('timeout', callback);
  this.socket.setTimeout(msecs);
  return this;
};

proto._read = function _read() {
  if (!this._consuming) {
    this._readableState.readingMore = false;
    this._consuming = true;
  }
  if (this.socket.readable) readStart(this.socket);
};

proto._destroy = function _destroy(error, callback) {
  if (!this.readableEnded || !this.complete) {
    this.aborted = true;
    this.emit('aborted');
  }
  const { socket } = this;
  if (!socket || socket.destroyed || !this.aborted) {
    process.nextTick(destroyed, this, error, callback);
    return;
  }
  socket.destroy(error);
  const cleanup = finished(socket, (ended) => {
    if (ended?.code === 'ERR_STREAM_PREMATURE_CLOSE') ended = null;
    cleanup();
    process.nextTick(destroyed, this, ended || error, callback);
  });
};

// Without an 'error' listener the error is dropped (`lib/_http_incoming.js: IncomingMessage.prototype._destroy`).
function destroyed(message, error, callback) {
  if (message.listenerCount('error') === 0) callback();
  else callback(error);
}

// Discards the rest of the body.
proto._dump = function _dump() {
  if (this._dumped) return;
  this._dumped = true;
  this.removeAllListeners('data');
  this.resume();
};

module.exports = { IncomingMessage, readStart, readStop };
// Internal exports are not enumerable.
Object.defineProperty(module.exports, 'hasOwnLines', { __proto__: null, value: hasOwnLines });
Object.defineProperty(module.exports, 'setHeaderText', { __proto__: null, value: setHeaderText });
