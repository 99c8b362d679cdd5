'use strict';
// `http.ServerResponse`.

const errors = require('internal/errors');
const STATUS_CODES = require('internal/http/status');
const { _checkInvalidHeaderChar: isInvalidValue } = require('internal/http/characters');
const { OutgoingMessage } = require('internal/http/outgoing');
const { chunkExpression, kOutHeaders } = require('internal/http/outgoing_headers');
const { kSpan, watched } = require('internal/performance/timeline');
const { channel } = require('diagnostics_channel');

const createdChannel = channel('http.server.response.created');

// Keys of the connection of a response that a server has created, and of the request that the response answers.
const kConnection = Symbol('kConnection');
const kRequest = Symbol('kRequest');

function beginSpan(response, { method, url, headers }) {
  response[kSpan] = require('internal/performance/spans').begin('http', 'HttpRequest', { req: { method, url, headers } });
}

function ServerResponse(req, options) {
  OutgoingMessage.call(this, options);
  if (req.method === 'HEAD') this._hasBody = false;
  this.req = req;
  this.sendDate = true;
  this._sent100 = false;
  this._expect_continue = false;
  this[kConnection] = null;
  this[kRequest] = null;
  if (req.httpVersionMajor < 1 || req.httpVersionMinor < 1) {
    this.useChunkedEncodingByDefault = chunkExpression.test(req.headers.te);
    this.shouldKeepAlive = false;
  }
  if (watched.http > 0) beginSpan(this, req);
  if (createdChannel.hasSubscribers) createdChannel.publish({ request: req, response: this });
}
const proto = ServerResponse.prototype;
Object.setPrototypeOf(proto, OutgoingMessage.prototype);
Object.setPrototypeOf(ServerResponse, OutgoingMessage);

proto.statusCode = 200;
proto.statusMessage = undefined;

proto._finish = function _finish() {
  if (watched.http > 0) {
    const { statusCode, statusMessage } = this;
    this[kSpan]?.end({ res: { statusCode, statusMessage, headers: this.getHeaders() } });
  }
  OutgoingMessage.prototype._finish.call(this);
};

// ---- The socket

function emitClose(response) {
  if (response._closed) return;
  response.destroyed = true;
  response._closed = true;
  response.emit('close');
}

function onSocketClose() {
  // An earlier 'close' listener may already have detached the response.
  if (this._httpMessage) emitClose(this._httpMessage);
}

proto.assignSocket = function assignSocket(socket) {
  if (socket._httpMessage) throw new errors.ERR_HTTP_SOCKET_ASSIGNED();
  socket._httpMessage = this;
  socket.on('close', onSocketClose);
  this.socket = socket;
  this.emit('socket', socket);
  this._flush();
};

proto.detachSocket = function detachSocket(socket) {
  if (socket._httpMessage !== this) throw new errors.ERR_INTERNAL_ASSERTION();
  socket.removeListener('close', onSocketClose);
  socket._httpMessage = null;
  // Assigning `socket` uncorks the old socket, if the response was corked after `end()`.
  this.socket = null;
};

// ---- Interim responses

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
    // Node does not validate these names and values. To prevent header injection, CR, LF and all else that is invalid in a header is rejected.
    validateHeaderName(name);
    const value = `${hints[name]}`;
    if (isInvalidValue(value)) throw new errors.ERR_INVALID_CHAR('header content', name);
    head += `${name}: ${value}\r\n`;
  }
  this._writeRaw(`${head}\r\n`, 'ascii', callback);
};

// ---- The head

function writeHead(statusCode, reason, headers) {
  if (this._header) throw new errors.ERR_HTTP_HEADERS_SENT('write');
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
  // The value is converted only once. Node converts it a second time to send it, and does not check the second text.
  const reasonPhrase = `${this.statusMessage}`;
  if (isInvalidValue(reasonPhrase)) throw new errors.ERR_INVALID_CHAR('statusMessage');
  if (isBodiless(code)) this._hasBody = false;
  // The client may send its body although it received no 100, so the connection cannot be reused.
  if (this._expect_continue && !this._sent100) this.shouldKeepAlive = false;
  this._storeHeader(`HTTP/1.1 ${code} ${reasonPhrase}\r\n`, headers);
  return this;
}
proto.writeHead = writeHead;
proto.writeHeader = writeHead;

const isBodiless = (code) => code === 204 || code === 304 || (code >= 100 && code <= 199);

function mergeHeaders(response, headers) {
  if (Array.isArray(headers)) {
    if (headers.length % 2 !== 0) throw new errors.ERR_INVALID_ARG_VALUE('headers', headers);
    // Headers in a list replace headers that were set before; duplicates within the list are kept.
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

module.exports = { ServerResponse, emitClose, kConnection, kRequest };
