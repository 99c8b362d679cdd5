'use strict';
// `ServerResponse`. A response whose body comes with `end` and whose socket is free goes out by one native call.

const process = require('process');
const { Buffer } = require('buffer');
const errors = require('internal/errors');
const STATUS_CODES = require('internal/http/status');
const { Socket: { prototype: { write: socketWrite } } } = require('internal/net/socket');
const { kHandle, kTimeout } = require('internal/net/stream_io');
const { kConstructed, kDestroyed, kErrored, kState } = require('internal/streams/flags');
const writableBits = require('internal/streams/writable_state');
const { _checkInvalidHeaderChar: checkInvalidHeaderChar, chunkExpression, kIncomingMessage } = require('internal/http/common');
const { IncomingMessage, answered, isUnheard, keepShapes, kBlock, kFlags, kPhase } = require('internal/http/incoming');
const { OutgoingMessage, finish, kCorked, kOutput, kSocket } = require('internal/http/outgoing');
const { flatten, kHeader, kOutHeaders, kPlan, kUniqueHeaders } = require('internal/http/outgoing_headers');
const { kSpan, watched } = require('internal/performance/timeline');
const { Channel, channel } = require('diagnostics_channel');

const createdChannel = channel('http.server.response.created');
const finishChannel = channel('http.server.response.finish');

// The connection of a response that a server made.
const kConnection = Symbol('kConnection');
// Of a socket: nothing was written to it as to a stream, which therefore has no state.
const kIsUnwritten = Symbol('kIsUnwritten');
// What a server makes responses with.
const kServerResponse = Symbol('ServerResponse');
// It listens to its socket's 'close' itself.
const kListens = Symbol('kListens');

const { LENGTH: kLength, NOT_SENT: kNotSent, UNFINISHED: kUnfinished } = native;
// The words for the numbers, for the native.
const kCodes = Symbol('kCodes');

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
  sendDate: true,
  _sent100: false,
  _expect_continue: false,
  [kConnection]: undefined,
  [kListens]: false,
  [kCodes]: STATUS_CODES,
});

// ---- What became of it

// Of a response that went out whole, by the short way below, `kHeader` is a number: what its head was made with, and the
// length of its body above that. Once it is closed it is below zero, one more than it stands for. All that Node has
// properties for follows from it; so only what took a longer way has any.
const isSent = (response) => typeof response[kHeader] === 'number';
const isGone = (response) => isSent(response) && response[kHeader] < 0;
const sentWith = (header) => (header < 0 ? -1 - header : header);

const kOwnFinished = answered(proto, 'finished', isSent);
const kOwnDestroyed = answered(proto, 'destroyed', isGone);
const kOwnHeaderSent = answered(proto, '_headerSent', isSent);
answered(proto, '_closed', isGone);
answered(proto, '_contentLength', (response) => {
  const header = response[kHeader];
  return typeof header === 'number' ? Math.floor(sentWith(header) / kLength) : null;
});
const kOwnReason = answered(proto, 'statusMessage', (response) =>
  (isSent(response) ? STATUS_CODES[response.statusCode] || 'unknown' : undefined));

// What a server says counts until the response says something else.
const ofServer = (response, option) =>
  (response[kConnection] === undefined ? 0 : response[kConnection].server[option]);
const kOwnKeepAlive = answered(proto, '_keepAliveTimeout', (response) => ofServer(response, 'keepAliveTimeout'));
answered(proto, '_maxRequestsPerSocket', (response) => ofServer(response, 'maxRequestsPerSocket'));

function setClosed(response) {
  const header = response[kHeader];
  if (typeof header === 'number') {
    response[kHeader] = -1 - header;
  } else {
    response.destroyed = true;
    response._closed = true;
  }
}

// ---- The socket

function emitClose(response) {
  if (response._closed) return;
  setClosed(response);
  response.emit('close');
}

function onSocketClose() {
  // Whoever heard of it before may have detached the response.
  if (this._httpMessage) emitClose(this._httpMessage);
}

proto.assignSocket = function assignSocket(socket) {
  if (socket._httpMessage) throw new errors.ERR_HTTP_SOCKET_ASSIGNED();
  socket._httpMessage = this;
  listenToClose(this, socket);
  this.socket = socket;
  this.emit('socket', socket);
  this._flush();
};

// A response of a connection that minds its socket no more.
function listenToClose(response, socket) {
  if (response[kListens]) return;
  socket.on('close', onSocketClose);
  response[kListens] = true;
}

proto.detachSocket = function detachSocket(socket) {
  socket._httpMessage = null;
  if (!this[kListens]) {
    this[kSocket] = null;
    return;
  }
  socket.removeListener('close', onSocketClose);
  this[kListens] = false;
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
  const { validateHeaderName } = require('internal/http/outgoing_headers');
  validateObject(hints, 'hints');
  if (hints.link === null || hints.link === undefined) return;
  const link = validateLinkHeaderValue(hints.link);
  if (link.length === 0) return;
  let head = `HTTP/1.1 103 Early Hints\r\nLink: ${link}\r\n`;
  for (const name of Object.keys(hints)) {
    if (name === 'link') continue;
    // Node writes whatever it is given here. What would end the line is refused, and with it what no header may have.
    validateHeaderName(name);
    const value = `${hints[name]}`;
    if (checkInvalidHeaderChar(value)) throw new errors.ERR_INVALID_CHAR('header content', name);
    head += `${name}: ${value}\r\n`;
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

const {
  _finish, _implicitHeader, _send, _storeHeader, _writeRaw, detachSocket,
} = proto;
const outgoingEnd = OutgoingMessage.prototype.end;

// What is looked at of a socket, and how it is when nothing is before the response.
const kLooked = kConstructed | writableBits.kDefaultUTF8Encoding | writableBits.kBuffered | writableBits.kCorked |
  kDestroyed | writableBits.kEnding | kErrored | writableBits.kNeedDrain | writableBits.kWriting;
const kFree = kConstructed | writableBits.kDefaultUTF8Encoding;

// What the native looks at, and what it has to find: see short.rs.
const known = {
  response: { _finish, _send, _writeRaw },
  head: { _implicitHeader, _storeHeader, writeHead },
  end: { detachSocket },
  channel: { publish: Channel.prototype.publish },
  emit: proto.emit,
  socketWrite,
  IncomingMessage,
  ServerResponse,
  looked: kLooked,
  free: kFree,
};
// What the messages of a connection are made like.
const models = native.know({
  kBlock, kCodes, kConnection, kCorked, kFlags, kHandle, kHeader, kIncomingMessage, kIsUnwritten, kListens, kOutHeaders,
  kOutput, kOwnDestroyed, kOwnFinished, kOwnHeaderSent, kOwnKeepAlive, kOwnReason, kPhase, kPlan, kServerResponse, kSocket,
  kState, kTimeout, kUniqueHeaders,
}, known);

proto.end = function end(chunk, encoding, callback) {
  const isLong = this[kConnection] === undefined || watched.http !== 0;
  const out = isLong ? kNotSent : native.end(this, chunk, encoding, callback);
  if (out === 0) {
    nextTick(finishQuietly, this);
  } else if (out === kNotSent) {
    return outgoingEnd.call(this, chunk, encoding, callback);
  } else {
    if (typeof chunk === 'function') callback = chunk;
    else if (typeof encoding === 'function') callback = encoding;
    tellSent(this, out, callback);
  }
  return this;
};

// What follows from what was sent, if anybody may want to hear of it.
function tellSent(response, out, callback) {
  const socket = response[kSocket];
  if (callback) response.once('finish', callback);
  if (socket[kTimeout]) socket._unrefTimer();
  if (!isUnheard(response)) response.emit('prefinish');
  if (out < 0) {
    // As of any write: it is done with, and then the socket is.
    nextTick(finish, response);
    nextTick(() => socket.destroy(errors.errnoException(out, 'write')));
    return;
  }
  if ((out & kUnfinished) !== 0) socket.write(Buffer.from(native.rest()), () => finish(response));
  else nextTick(finish, response);
}

function finishQuietly(response) {
  if (!native.finish(response, finishChannel)) finish(response);
}

// The head that went out unseen is made again for who asks for it.
Object.defineProperty(proto, '_header', {
  __proto__: null,
  get() {
    const header = this[kHeader];
    if (typeof header !== 'number') return header;
    const sent = sentWith(header);
    const headers = this[kOutHeaders];
    const firstLine = `HTTP/1.1 ${this.statusCode} ${this.statusMessage}\r\n`;
    const lines = headers === null ? null : flatten(this, headers);
    const keepAlive = this._keepAliveTimeout;
    const seconds = keepAlive ? Math.floor(keepAlive / 1000) : -1;
    const [text] = native.head(firstLine, lines, sent % kLength, seconds, 0, Math.floor(sent / kLength));
    return text;
  },
  set(value) { this[kHeader] = value; },
  configurable: true,
});

// In the order in which a server sets them, where the native does not.
const kept = keepShapes(proto, ['req', kConnection, kSocket, kOutHeaders, kHeader]);

module.exports = {
  ServerResponse, createdChannel, emitClose, finishChannel, kConnection, kIsUnwritten, kListens, kServerResponse, kept,
  known, listenToClose, models, setClosed,
};
