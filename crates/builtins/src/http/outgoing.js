'use strict';
// `OutgoingMessage`, the base class of ServerResponse and ClientRequest: body, chunked encoding, end, and the queue
// of data written before a socket is assigned. Headers are in outgoing_headers.js.
//
// The constructor sets every property, in Node's order, so that all messages of a class have one hidden class.

const process = require('process');
const { Buffer } = require('buffer');
const { Socket } = require('net');
const { Stream } = require('internal/streams/legacy');
const EventEmitter = require('events');
const errors = require('internal/errors');
const { deprecate } = require('internal/util');
const { getDefaultHighWaterMark } = require('internal/streams/state');
const { _checkInvalidHeaderChar: isInvalidValue } = require('internal/http/characters');
const headerPart = require('internal/http/outgoing_headers');

const { isUint8Array } = require('internal/util/types');
const { kOutHeaders, kUniqueHeaders, parseUniqueHeadersOption, validateHeaderName, validateHeaderValue } = headerPart;

const kSocket = Symbol('kSocket');
const kCorked = Symbol('corked');
const kChunked = Symbol('kChunkedBuffer');
const kChunkedLength = Symbol('kChunkedLength');
const kBytesWritten = Symbol('kBytesWritten');
const kErrored = Symbol('errored');
const kHighWaterMark = Symbol('kHighWaterMark');
const kRejectNonStandardBodyWrites = Symbol('kRejectNonStandardBodyWrites');
const kNeedDrain = Symbol('kNeedDrain');

// The methods of a socket that no program has replaced.
const socketMethods = {};
for (const name of ['write', 'cork', 'uncork', '_write', '_writev']) socketMethods[name] = Socket.prototype[name];

const nop = () => {};
const noChunks = [];

function OutgoingMessage(options) {
  Stream.call(this);
  this.outputData = [];
  this.outputSize = 0;
  this.writable = true;
  this.destroyed = false;
  this._last = false;
  this.chunkedEncoding = false;
  this.shouldKeepAlive = true;
  this.maxRequestsOnConnectionReached = false;
  this._defaultKeepAlive = true;
  this.useChunkedEncodingByDefault = true;
  this.sendDate = false;
  this._removedConnection = false;
  this._removedContLen = false;
  this._removedTE = false;
  this.strictContentLength = false;
  this[kBytesWritten] = 0;
  this._contentLength = null;
  this._hasBody = true;
  this._trailer = '';
  this[kNeedDrain] = false;
  this.finished = false;
  this._headerSent = false;
  this[kCorked] = 0;
  this[kChunked] = noChunks;
  this[kChunkedLength] = 0;
  this._closed = false;
  this[kSocket] = null;
  this._header = null;
  this[kOutHeaders] = null;
  this._keepAliveTimeout = 0;
  this._onPendingData = nop;
  this[kErrored] = null;
  this[kHighWaterMark] = options?.highWaterMark ?? getDefaultHighWaterMark();
  this[kRejectNonStandardBodyWrites] = options?.rejectNonStandardBodyWrites ?? false;
  this[kUniqueHeaders] = null;
}
const proto = OutgoingMessage.prototype;
Object.setPrototypeOf(proto, Stream.prototype);
Object.setPrototypeOf(OutgoingMessage, Stream);

const kOldHeaders = ['OutgoingMessage.prototype._headers is deprecated', 'DEP0066'];
const kOldNames = ['OutgoingMessage.prototype._headerNames is deprecated', 'DEP0066'];
const accessors = {
  errored: { get() { return this[kErrored]; } },
  closed: { get() { return this._closed; } },
  writableFinished: {
    get() { return this.finished && this.outputSize === 0 && (!this[kSocket] || this[kSocket].writableLength === 0); },
  },
  writableObjectMode: { get() { return false; } },
  writableLength: {
    get() { return this.outputSize + this[kChunkedLength] + (this[kSocket] ? this[kSocket].writableLength : 0); },
  },
  writableHighWaterMark: {
    get() { return this[kSocket] ? this[kSocket].writableHighWaterMark : this[kHighWaterMark]; },
  },
  writableCorked: { get() { return this[kCorked]; } },
  writableEnded: { get() { return this.finished; } },
  writableNeedDrain: { get() { return !this.destroyed && !this.finished && this[kNeedDrain]; } },
  headersSent: { get() { return Boolean(this._header); }, enumerable: true },
  connection: {
    get() { return this[kSocket]; },
    set(value) { this.socket = value; },
  },
  socket: {
    get() { return this[kSocket]; },
    set(value) {
      // Cork the new socket as often as the message was corked.
      for (let count = 0; count < this[kCorked]; count++) {
        value?.cork();
        this[kSocket]?.uncork();
      }
      this[kSocket] = value;
    },
  },
  _headers: {
    get: deprecate(function() { return this.getHeaders(); }, ...kOldHeaders),
    set: deprecate(function(value) {
      if (value == null) {
        this[kOutHeaders] = null;
      } else if (typeof value === 'object') {
        const headers = this[kOutHeaders] = { __proto__: null };
        for (const name of Object.keys(value)) headers[name.toLowerCase()] = [name, value[name]];
      }
    }, ...kOldHeaders),
  },
  _headerNames: {
    get: deprecate(function() {
      const headers = this[kOutHeaders];
      if (headers === null) return null;
      const names = { __proto__: null };
      for (const field of Object.keys(headers)) names[field] = headers[field][0];
      return names;
    }, ...kOldNames),
    set: deprecate(function(value) {
      const headers = this[kOutHeaders];
      if (typeof value !== 'object' || value === null || !headers) return;
      for (const field of Object.keys(value)) if (headers[field]) headers[field][0] = value[field];
    }, ...kOldNames),
  },
};
for (const name of Object.keys(accessors)) {
  Object.defineProperty(proto, name, { __proto__: null, configurable: true, ...accessors[name] });
}

Object.assign(proto, headerPart.methods);

// ---- Corking

proto.cork = function cork() {
  this[kCorked]++;
  this[kSocket]?.cork();
};

proto.uncork = uncork;
function uncork() {
  this[kCorked]--;
  this[kSocket]?.uncork();
  const held = this[kChunked];
  if (this[kCorked] || held.length === 0) return;
  // Write the data of all corked `write()` calls as one chunk.
  const callbacks = [];
  this._send(this[kChunkedLength].toString(16), 'latin1', null);
  this._send(crlf, null, null);
  for (let at = 0; at < held.length; at += 3) {
    this._send(held[at], held[at + 1], null);
    if (held[at + 2]) callbacks.push(held[at + 2]);
  }
  const done = callbacks.length === 0 ? null : (error) => callbacks.forEach((callback) => callback(error));
  this._send(crlf, null, done);
  this[kChunked] = noChunks;
  this[kChunkedLength] = 0;
}

// ---- The socket

proto.setTimeout = function setTimeout(msecs, callback) {
  if (callback) this.on('timeout', callback);
  if (this[kSocket]) this[kSocket].setTimeout(msecs);
  else this.once('socket', (socket) => socket.setTimeout(msecs));
  return this;
};

proto.destroy = function destroy(error) {
  if (this.destroyed) return this;
  this.destroyed = true;
  this[kErrored] = error;
  if (this[kSocket]) this[kSocket].destroy(error);
  else this.once('socket', (socket) => socket.destroy(error));
  return this;
};

// Sends data, preceded by the head if that was not sent yet.
proto._send = _send;
function _send(data, encoding, callback, byteLength) {
  if (!this._headerSent && this._header !== null) {
    const header = this._header;
    if (typeof data === 'string' && (encoding === 'utf8' || encoding === 'latin1' || !encoding)) {
      data = header + data;
    } else {
      this.outputData.unshift({ data: header, encoding: 'latin1', callback: null });
      this.outputSize += header.length;
      this._onPendingData(header.length);
    }
    this._headerSent = true;
  }
  return this._writeRaw(data, encoding, callback, byteLength);
}

proto._writeRaw = _writeRaw;
function _writeRaw(data, encoding, callback) {
  const socket = this[kSocket];
  // The socket is destroyed and will emit 'close'.
  if (socket?.destroyed) return false;
  if (typeof encoding === 'function') {
    callback = encoding;
    encoding = null;
  }
  if (socket && socket._httpMessage === this && socket.writable) {
    if (this.outputData.length > 0) this._flushOutput(socket);
    return socket.write(data, encoding, callback);
  }
  this.outputData.push({ data, encoding, callback });
  this.outputSize += data.length;
  this._onPendingData(data.length);
  return this.outputSize < this[kHighWaterMark];
}

proto._flush = function _flush() {
  const socket = this[kSocket];
  if (!socket?.writable) return;
  const result = this._flushOutput(socket);
  if (this.finished) {
    this._finish();
  } else if (result && this[kNeedDrain]) {
    this[kNeedDrain] = false;
    this.emit('drain');
  }
};

proto._flushOutput = function _flushOutput(socket) {
  const waiting = this.outputData;
  if (waiting.length === 0) return undefined;
  socket.cork();
  let result;
  for (let at = 0, count = waiting.length; at < count; at++) {
    const { data, encoding, callback } = waiting[at];
    // Forget the data, so that it is not written twice if a later write throws.
    waiting[at].data = null;
    result = socket.write(data, encoding, callback);
  }
  socket.uncork();
  this.outputData = [];
  this._onPendingData(-this.outputSize);
  this.outputSize = 0;
  return result;
};

proto.flushHeaders = function flushHeaders() {
  if (!this._header) this._implicitHeader();
  this._send('');
};

proto._implicitHeader = function _implicitHeader() {
  throw new errors.ERR_METHOD_NOT_IMPLEMENTED('_implicitHeader()');
};

// ---- Writing

const crlf = Buffer.from('\r\n');

proto.write = function write(chunk, encoding, callback) {
  if (typeof encoding === 'function') {
    callback = encoding;
    encoding = null;
  }
  const result = writeChunk(this, chunk, encoding, callback, false);
  if (!result) this[kNeedDrain] = true;
  return result;
};

function failLater(message, error, callback) {
  if (message.destroyed) return;
  process.nextTick(() => {
    callback(error);
    if (typeof message.emit === 'function' && !message.destroyed) message.emit('error', error);
  });
}

// True if the body must match `Content-Length` (option `strictContentLength`).
const isStrict = (message) => message.strictContentLength && message._contentLength != null && message._hasBody &&
  !message._removedContLen && !message.chunkedEncoding && !message.hasHeader('transfer-encoding');

const lengthOf = (chunk, encoding) =>
  (typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.byteLength);

function writeChunk(message, chunk, encoding, callback, isLast) {
  if (typeof callback !== 'function') callback = nop;
  if (chunk === null) throw new errors.ERR_STREAM_NULL_VALUES();
  if (typeof chunk !== 'string' && !isUint8Array(chunk)) {
    throw new errors.ERR_INVALID_ARG_TYPE('chunk', ['string', 'Buffer', 'Uint8Array'], chunk);
  }
  if (message.finished) {
    const error = new errors.ERR_STREAM_WRITE_AFTER_END();
    if (message.destroyed) process.nextTick(callback, error);
    else failLater(message, error, callback);
    return false;
  }
  if (message.destroyed) {
    process.nextTick(callback, new errors.ERR_STREAM_DESTROYED('write'));
    return false;
  }

  let length;
  if (message.strictContentLength) {
    length = lengthOf(chunk, encoding);
    const total = message[kBytesWritten] + length;
    if (isStrict(message) && (isLast ? total !== message._contentLength : total > message._contentLength)) {
      throw new errors.ERR_HTTP_CONTENT_LENGTH_MISMATCH(total, message._contentLength);
    }
    message[kBytesWritten] = total;
  }
  if (!message._header) {
    if (isLast) message._contentLength = length ??= lengthOf(chunk, encoding);
    message._implicitHeader();
  }
  if (!message._hasBody) {
    if (message[kRejectNonStandardBodyWrites]) throw new errors.ERR_HTTP_BODY_NOT_ALLOWED();
    process.nextTick(callback);
    return true;
  }
  // Cork until the next tick, so that all writes of this tick leave in one writev.
  const socket = message[kSocket];
  if (!isLast && socket && !socket.writableCorked) {
    socket.cork();
    process.nextTick(uncorkSocket, socket);
  }
  if (!message.chunkedEncoding || chunk.length === 0) return message._send(chunk, encoding, callback, length);
  length ??= lengthOf(chunk, encoding);
  if (message[kCorked] && message._headerSent) {
    if (message[kChunked] === noChunks) message[kChunked] = [];
    message[kChunked].push(chunk, encoding, callback);
    message[kChunkedLength] += length;
    return message[kChunkedLength] < message[kHighWaterMark];
  }
  message._send(length.toString(16), 'latin1', null);
  message._send(crlf, null, null);
  message._send(chunk, encoding, null, length);
  return message._send(crlf, null, callback);
}

function uncorkSocket(socket) { socket.uncork(); }

proto.addTrailers = function addTrailers(headers) {
  this._trailer = '';
  const add = (field, value) => {
    // Converted once: Node sends a second conversion, which it does not check.
    const text = `${value}`;
    if (isInvalidValue(text)) throw new errors.ERR_INVALID_CHAR('trailer content', field);
    this._trailer += `${field}: ${text}\r\n`;
  };
  for (const key of Object.keys(headers)) {
    const [field, value] = Array.isArray(headers) ? headers[key] : [key, headers[key]];
    validateHeaderName(field, 'Trailer name');
    if (!Array.isArray(value)) {
      add(field, value);
    } else if (value.length > 1 && !this[kUniqueHeaders]?.has(field.toLowerCase())) {
      for (const one of value) add(field, one);
    } else {
      add(field, value.join('; '));
    }
  }
};

// ---- The end

// True if `end(string)` is all that the response sends and nothing is corked: then head and body are one write. The general path makes two
// writes, corks the socket and sends both by `_writev`.
function isAlone(message, socket) {
  return !message._headerSent && socket !== null && !message.finished && !message.destroyed &&
    !message.strictContentLength && message[kCorked] === 0 && socket._httpMessage === message && isIdle(message, socket) &&
    message._send === _send && message._writeRaw === _writeRaw && message.uncork === uncork &&
    socket.write === socketMethods.write && socket.cork === socketMethods.cork && socket.uncork === socketMethods.uncork &&
    socket._write === socketMethods._write && socket._writev === socketMethods._writev;
}

// True if head and body can still be one write once the head was made, by a method that a program can replace. A socket that gets too
// full needs the general path: the writes between cork and uncork count until they are sent, so 'drain' follows.
function isUnsent(message, socket, chunk) {
  return message._header !== null && !message._headerSent && message._hasBody && !message.chunkedEncoding &&
    !message.finished && !message.destroyed && message[kCorked] === 0 && message[kSocket] === socket &&
    isIdle(message, socket) && message._header.length + chunk.length < socket.writableHighWaterMark;
}

function isIdle(message, socket) {
  return message.outputData.length === 0 && socket.writable && !socket.destroyed && socket.writableLength === 0 &&
    socket.writableCorked === 0;
}

function finish(message) {
  if (message[kSocket]?._hadError) return;
  message.emit('finish');
}

proto.end = function end(chunk, encoding, callback) {
  if (typeof chunk === 'function') {
    callback = chunk;
    chunk = null;
    encoding = null;
  } else if (typeof encoding === 'function') {
    callback = encoding;
    encoding = null;
  }
  const socket = this[kSocket];
  if (typeof chunk === 'string' && isAlone(this, socket) && chunk !== '') {
    if (!this._header) {
      this._contentLength = lengthOf(chunk, encoding);
      this._implicitHeader();
    }
    if (isUnsent(this, socket, chunk) && (!encoding || encoding === 'utf8' || encoding === 'latin1')) {
      if (typeof callback === 'function') this.once('finish', callback);
      this._headerSent = true;
      socket.write(this._header + chunk, encoding, () => finish(this));
      this.finished = true;
      this._finish();
      return this;
    }
  }
  if (chunk) {
    if (this.finished) {
      failLater(this, new errors.ERR_STREAM_WRITE_AFTER_END(), typeof callback === 'function' ? callback : nop);
      return this;
    }
    socket?.cork();
    writeChunk(this, chunk, encoding, null, true);
  } else if (this.finished) {
    if (typeof callback === 'function') {
      if (!this.writableFinished) this.on('finish', callback);
      else callback(new errors.ERR_STREAM_ALREADY_FINISHED('end'));
    }
    return this;
  } else if (!this._header) {
    socket?.cork();
    this._contentLength = 0;
    this._implicitHeader();
  }
  if (typeof callback === 'function') this.once('finish', callback);
  if (isStrict(this) && this[kBytesWritten] !== this._contentLength) {
    throw new errors.ERR_HTTP_CONTENT_LENGTH_MISMATCH(this[kBytesWritten], this._contentLength);
  }

  const done = () => finish(this);
  if (this._hasBody && this.chunkedEncoding) this._send(`0\r\n${this._trailer}\r\n`, 'latin1', done);
  else if (!this._headerSent || this.writableLength || chunk) this._send('', 'latin1', done);
  else process.nextTick(done);

  if (this[kSocket]) {
    // Uncork completely, whatever the nesting.
    this[kSocket]._writableState.corked = 1;
    this[kSocket].uncork();
  }
  this[kCorked] = 1;
  this.uncork();
  this.finished = true;
  if (this.outputData.length === 0 && this[kSocket] && this[kSocket]._httpMessage === this) this._finish();
  return this;
};

// All data was handed to the socket; it may not have been sent yet.
proto._finish = function _finish() {
  this.emit('prefinish');
};

proto.pipe = function pipe() {
  this.emit('error', new errors.ERR_STREAM_CANNOT_PIPE());
};

proto[EventEmitter.captureRejectionSymbol] = function(error) { this.destroy(error); };

module.exports = {
  OutgoingMessage,
  kNeedDrain,
  published: {
    kHighWaterMark,
    kUniqueHeaders,
    parseUniqueHeadersOption,
    validateHeaderName,
    validateHeaderValue,
    OutgoingMessage,
  },
};
