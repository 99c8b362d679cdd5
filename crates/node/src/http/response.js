'use strict';
// `ServerResponse`. A response whose body comes with `end` and whose socket is free goes out by one native call.

const errors = require('internal/errors');
const STATUS_CODES = require('internal/http/status');
const { isUint8Array } = require('internal/util/types');
const { StreamHandle, numberOf } = require('internal/net/handles');
const { Socket } = require('internal/net/socket');
const { kTimeout } = require('internal/net/stream_io');
const { kConstructed, kDestroyed, kErrored, kState } = require('internal/streams/flags');
const writableBits = require('internal/streams/writable_state');
const { _checkInvalidHeaderChar: checkInvalidHeaderChar, chunkExpression } = require('internal/http/common');
const { kFlags } = require('internal/http/incoming');
const { OutgoingMessage, finish, kSocket } = require('internal/http/outgoing');
const { kHeader, kOutHeaders, kSentWith, kUniqueHeaders, planOf } = require('internal/http/outgoing_headers');
const { kSpan, watched } = require('internal/performance/timeline');
const createdChannel = require('diagnostics_channel').channel('http.server.response.created');

// The connection of a response that a server made.
const kConnection = Symbol('kConnection');
// It listens to its socket's 'close' itself.
const kListens = Symbol('kListens');

const { LENGTH: kLength, UNFINISHED: kUnfinished } = native;
const kOutLast = 2;

const { nextTick } = process;

function beginSpan(response, { method, url, headers }) {
  response[kSpan] = require('internal/performance/spans').begin('http', 'HttpRequest', { req: { method, url, headers } });
}

function ServerResponse(req, options) {
  OutgoingMessage.call(this, options);
  this.req = req;
  if (req.method === 'HEAD') this._hasBody = false;
  // 1.1 in the parser's bits.
  const flags = req[kFlags];
  if ((flags === undefined || (flags & 0xff00) !== 0x1100) && (req.httpVersionMajor < 1 || req.httpVersionMinor < 1)) {
    this.useChunkedEncodingByDefault = chunkExpression.test(req.headers.te);
    this.shouldKeepAlive = false;
  }
  if (watched.http > 0) beginSpan(this, req);
  if (createdChannel.hasSubscribers) createdChannel.publish({ request: req, response: this });
}
const proto = ServerResponse.prototype;
Object.setPrototypeOf(proto, OutgoingMessage.prototype);
Object.setPrototypeOf(ServerResponse, OutgoingMessage);

Object.assign(proto, {
  statusCode: 200,
  statusMessage: undefined,
  sendDate: true,
  _sent100: false,
  _expect_continue: false,
  [kConnection]: undefined,
  [kListens]: false,
  [kSentWith]: undefined,
});

// What a server says counts until the response says something else.
for (const [name, option] of [['_keepAliveTimeout', 'keepAliveTimeout'], ['_maxRequestsPerSocket', 'maxRequestsPerSocket']]) {
  Object.defineProperty(proto, name, {
    __proto__: null,
    get() { return this[kConnection] === undefined ? 0 : this[kConnection].server[option]; },
    set(value) {
      Object.defineProperty(this, name, {
        __proto__: null, value, writable: true, enumerable: true, configurable: true,
      });
    },
    configurable: true,
  });
}

// ---- The socket

function emitClose(response) {
  if (response._closed) return;
  response.destroyed = true;
  response._closed = true;
  response.emit('close');
}

function onSocketClose() {
  // Whoever heard of it before may have detached the response.
  if (this._httpMessage) emitClose(this._httpMessage);
}

proto.assignSocket = function assignSocket(socket) {
  if (socket._httpMessage) throw new errors.ERR_HTTP_SOCKET_ASSIGNED();
  socket._httpMessage = this;
  socket.on('close', onSocketClose);
  this[kListens] = true;
  this.socket = socket;
  this.emit('socket', socket);
  this._flush();
};

proto.detachSocket = function detachSocket(socket) {
  socket._httpMessage = null;
  if (!this[kListens]) {
    this[kSocket] = null;
    return;
  }
  socket.removeListener('close', onSocketClose);
  this.socket = null;
};

// ---- Before the response

proto.writeContinue = function writeContinue(callback) {
  this._writeRaw('HTTP/1.1 100 Continue\r\n\r\n', 'ascii', callback);
  this._sent100 = true;
};

proto.writeProcessing = function writeProcessing(callback) {
  this._writeRaw('HTTP/1.1 102 Processing\r\n\r\n', 'ascii', callback);
};

proto.writeEarlyHints = function writeEarlyHints(hints, callback) {
  const { validateLinkHeaderValue, validateObject } = require('internal/validators');
  const { validateHeaderName, validateHeaderValue } = require('internal/http/outgoing_headers');
  validateObject(hints, 'hints');
  if (hints.link === null || hints.link === undefined) return;
  const link = validateLinkHeaderValue(hints.link);
  if (link.length === 0) return;
  let head = `HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\n`;
  for (const name of Object.keys(hints)) {
    if (name === 'link') continue;
    validateHeaderName(name);
    validateHeaderValue(name, hints[name]);
    head += `${name}: ${hints[name]}\r\n`;
  }
  this._writeRaw(`${head}\r\n`, 'ascii', callback);
};

// ---- The head

function writeHead(statusCode, reason, headers) {
  if (this[kHeader] !== null) throw new errors.ERR_HTTP_HEADERS_SENT('write');
  const code = statusCode | 0;
  if (code < 100 || code > 999) throw new errors.ERR_HTTP_INVALID_STATUS_CODE(statusCode);
  if (typeof reason === 'string') {
    this.statusMessage = reason;
  } else {
    this.statusMessage ||= STATUS_CODES[code] || 'unknown';
    headers ??= reason;
  }
  this.statusCode = code;
  if (this[kOutHeaders]) {
    mergeHeaders(this, headers);
    headers = this[kOutHeaders];
  }
  if (checkInvalidHeaderChar(this.statusMessage)) throw new errors.ERR_INVALID_CHAR('statusMessage');
  if (isBodiless(code)) this._hasBody = false;
  // The client may send its body all the same.
  if (this._expect_continue && !this._sent100) this.shouldKeepAlive = false;
  this._storeHeader(`HTTP/1.1 ${code} ${this.statusMessage}\r\n`, headers);
  return this;
}
proto.writeHead = writeHead;
proto.writeHeader = writeHead;

const isBodiless = (code) => code === 204 || code === 304 || (code >= 100 && code <= 199);

function mergeHeaders(response, headers) {
  if (Array.isArray(headers)) {
    if (headers.length % 2 !== 0) throw new errors.ERR_INVALID_ARG_VALUE('headers', headers);
    // What was set before gives way; what is there twice stays.
    for (let at = 0; at < headers.length; at += 2) response.removeHeader(headers[at]);
    for (let at = 0; at < headers.length; at += 2) {
      if (headers[at]) response.appendHeader(headers[at], headers[at + 1]);
    }
  } else if (headers) {
    for (const name of Object.keys(headers)) if (name) response.setHeader(name, headers[name]);
  }
}

proto._implicitHeader = function _implicitHeader() {
  this.writeHead(this.statusCode);
};

proto._finish = function _finish() {
  if (watched.http > 0) {
    const { statusCode, statusMessage } = this;
    this[kSpan]?.end({ res: { statusCode, statusMessage, headers: this.getHeaders() } });
  }
  OutgoingMessage.prototype._finish.call(this);
};

// ---- The short way

const { _implicitHeader: implicitHeader, _storeHeader: storeHeader, _send: send, _writeRaw: writeRaw, _finish } = proto;
const outgoingEnd = OutgoingMessage.prototype.end;

// What is looked at of a socket, and how it is when nothing is before the response.
const kLooked = kConstructed | writableBits.kDefaultUTF8Encoding | writableBits.kBuffered | writableBits.kCorked |
  kDestroyed | writableBits.kEnding | kErrored | writableBits.kNeedDrain | writableBits.kWriting;
const kFree = kConstructed | writableBits.kDefaultUTF8Encoding;

// Lines that change what follows the head, or how it is written.
const kNotPlain = new Set(['content-disposition', 'expect', 'trailer', 'transfer-encoding']);

// The lines of the head, if they are all plain.
function plainLines(headers) {
  const list = [];
  for (const field in headers) {
    const { 0: name, 1: value } = headers[field];
    if (typeof value === 'string' || typeof value === 'number') {
      if (kNotPlain.has(field)) return undefined;
      list.push(name, value);
    } else if (Array.isArray(value) && field !== 'cookie' && !kNotPlain.has(field)) {
      for (let at = 0; at < value.length; at++) list.push(name, value[at]);
    } else {
      return undefined;
    }
  }
  return list;
}

// Whether all that Node would call on the way is its own.
function isPlain(response) {
  return watched.http === 0 && response.writeHead === writeHead && response._storeHeader === storeHeader &&
    response._send === send && response._implicitHeader === implicitHeader && response._writeRaw === writeRaw &&
    response._finish === _finish && response.strictContentLength === false && response._expect_continue === false &&
    response[kUniqueHeaders] === null && response.finished === false && response.destroyed === false && response.writableCorked === 0;
}

// Sends it all, and tells whether it did.
function respond(response, connection, body) {
  const socket = response[kSocket];
  if (socket === null || !isPlain(response) || connection.server.maxRequestsPerSocket > 0) return false;
  const handle = socket._handle;
  if ((socket._writableState[kState] & kLooked) !== kFree || !(handle instanceof StreamHandle) ||
      socket.write !== Socket.prototype.write || socket.connecting) {
    return false;
  }
  const { statusCode } = response;
  if (typeof statusCode !== 'number' || (statusCode | 0) !== statusCode || statusCode < 200 || statusCode > 999 ||
      statusCode === 204 || statusCode === 304 || response._hasBody === false) {
    return false;
  }
  let reason = response.statusMessage;
  if (reason) {
    if (typeof reason !== 'string' || checkInvalidHeaderChar(reason)) return false;
  } else {
    response.statusMessage = STATUS_CODES[statusCode] || 'unknown';
    reason = statusCode === 200 ? undefined : response.statusMessage;
  }
  const headers = response[kOutHeaders];
  const lines = headers === null ? undefined : plainLines(headers);
  if (headers !== null && lines === undefined) return false;

  const plan = planOf(response);
  const keepAliveTimeout = response._keepAliveTimeout;
  const seconds = keepAliveTimeout ? Math.floor(keepAliveTimeout / 1000) : -1;
  const result = native.respond(numberOf(handle), statusCode, reason, lines, plan, seconds, body);
  response.finished = true;
  response._headerSent = true;
  response[kHeader] = kSentWith;
  if (socket[kTimeout]) socket._unrefTimer();
  if (result < 0) {
    socket.destroy(errors.errnoException(result, 'write'));
    return true;
  }
  const out = result % kLength;
  const length = (result - out) / kLength;
  response._contentLength = length;
  response[kSentWith] = plan;
  if ((out & kOutLast) !== 0) response._last = true;
  if (response._events !== undefined) response.emit('prefinish');
  if ((out & kUnfinished) !== 0) socket.write(Buffer.from(native.rest()), () => finish(response));
  else nextTick(finish, response);
  return true;
}

proto.end = function end(chunk, encoding, callback) {
  const connection = this[kConnection];
  if (connection !== undefined && callback === undefined && this[kHeader] === null &&
      (encoding === undefined || encoding === 'utf8') &&
      (typeof chunk === 'string' || chunk === undefined || isUint8Array(chunk)) && respond(this, connection, chunk)) {
    return this;
  }
  return outgoingEnd.call(this, chunk, encoding, callback);
};

// The head that went out unseen is made again for who asks for it.
Object.defineProperty(proto, '_header', {
  __proto__: null,
  get() {
    const header = this[kHeader];
    if (header !== kSentWith) return header;
    const headers = this[kOutHeaders];
    const keepAliveTimeout = this._keepAliveTimeout;
    const seconds = keepAliveTimeout ? Math.floor(keepAliveTimeout / 1000) : -1;
    const firstLine = `HTTP/1.1 ${this.statusCode} ${this.statusMessage}\r\n`;
    const lines = headers === null ? null : plainLines(headers);
    [this[kHeader]] = native.head(firstLine, lines, this[kSentWith] ?? 0, seconds, 0, this._contentLength ?? 0);
    return this[kHeader];
  },
  set(value) { this[kHeader] = value; },
  configurable: true,
});

module.exports = { ServerResponse, emitClose, kConnection };
