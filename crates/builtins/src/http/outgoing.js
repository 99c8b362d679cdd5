'use strict';
// `OutgoingMessage`, the base class of ServerResponse and ClientRequest: body, chunked encoding, end, and the queue of data that is written before a
// socket is assigned. Headers are in outgoing_headers.js.
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

// The original socket methods. The fast path of `end()` compares them with the methods of a socket, which a program may have replaced.
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
      // The corks of the message move from the old socket to the new one.
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
  const chunks = this[kChunked];
  if (this[kCorked] || chunks.length === 0) return;
  // The data of all corked `write()` calls is sent as one chunk.
  const callbacks = [];
  this._send(this[kChunkedLength].toString(16), 'latin1', null);
  this._send(crlf, null, null);
  for (let at = 0; at < chunks.length; at += 3) {
    this._send(chunks[at], chunks[at + 1], null);
    if (chunks[at + 2]) callbacks.push(chunks[at + 2]);
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

// Sends data. The head is sent first, unless it has been sent already.
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
  // A destroyed socket emits 'close' soon; nothing is written.
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
  const queue = this.outputData;
  if (queue.length === 0) return undefined;
  socket.cork();
  let result;
  for (let at = 0, count = queue.length; at < count; at++) {
    const { data, encoding, callback } = queue[at];
    // Clear the data, so that it is not written twice if a later write throws.
    queue[at].data = null;
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

function failOnNextTick(message, error, callback) {
  if (message.destroyed) return;
  process.nextTick(() => {
    callback(error);
    if (typeof message.emit === 'function' && !message.destroyed) message.emit('error', error);
  });
}

// True if the length of the body must equal `Content-Length` (option `strictContentLength`).
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
    else failOnNextTick(message, error, callback);
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
  // The socket is corked until the next tick, so that all writes of this tick leave in one writev.
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
    // The value is converted only once. Node converts it a second time to send it, and does not check the second text.
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

// Fast path of `end(string)`: true if the string is the whole body and nothing is corked. Head and body are then one write. The slow path makes two
// writes, corks the socket and sends both by `_writev`.
function isWholeBody(message, socket) {
  return !message._headerSent && socket !== null && !message.finished && !message.destroyed &&
    !message.strictContentLength && message[kCorked] === 0 && socket._httpMessage === message && isIdle(message, socket) &&
    message._send === _send && message._writeRaw === _writeRaw && message.uncork === uncork &&
    socket.write === socketMethods.write && socket.cork === socketMethods.cork && socket.uncork === socketMethods.uncork &&
    socket._write === socketMethods._write && socket._writev === socketMethods._writev;
}

// Checked again after the head has been made, by a method that a program can replace: true if head and body can still be one write. If they would
// fill the socket's buffer, the slow path is needed: its writes count as buffered until they are sent, so 'drain' follows.
function canWriteAtOnce(message, socket, chunk) {
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
  if (typeof chunk === 'string' && isWholeBody(this, socket) && chunk !== '') {
    if (!this._header) {
      this._contentLength = lengthOf(chunk, encoding);
      this._implicitHeader();
    }
    if (canWriteAtOnce(this, socket, chunk) && (!encoding || encoding === 'utf8' || encoding === 'latin1')) {
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
      failOnNextTick(this, new errors.ERR_STREAM_WRITE_AFTER_END(), typeof callback === 'function' ? callback : nop);
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
    // Uncorks the socket completely: it may be corked several times.
    this[kSocket]._writableState.corked = 1;
    this[kSocket].uncork();
  }
  this[kCorked] = 1;
  this.uncork();
  this.finished = true;
  if (this.outputData.length === 0 && this[kSocket] && this[kSocket]._httpMessage === this) this._finish();
  return this;
};

// Called when all data has been passed to the socket. The socket may not have sent the data yet.
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
