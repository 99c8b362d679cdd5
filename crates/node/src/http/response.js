'use strict';
// `http.ServerResponse`. A response that is ended with its whole body while the socket has nothing queued is written
// by one native call (the fast path); all others go through the socket's stream.

const process = require('process');
const { Buffer } = require('buffer');
const errors = require('internal/errors');
const EventEmitter = require('events');
const keepLayer = require('internal/layers');
const STATUS_CODES = require('internal/http/status');
const { Socket } = require('internal/net/socket');
const { kHandle, kTimeout, tried } = require('internal/net/stream_io');
const { kConstructed, kDestroyed, kErrored, kState } = require('internal/streams/flags');
const { steps } = require('internal/streams/steps');
const writableBits = require('internal/streams/writable_state');
const { _checkInvalidHeaderChar: checkInvalidHeaderChar, chunkExpression, kIncomingMessage } = require('internal/http/common');
const {
  IncomingMessage, answered, derived, isUnheard, keepShapes, kBlock, kFlags, kPhase, ownValue, passAway, readToEnd, tellEnd,
} = require('internal/http/incoming');
const {
  OutgoingMessage, finish, kConnection, kCorked, kOnFinish, kOutput, kSocket, sent: whenSent,
} = require('internal/http/outgoing');
const { flatten, keepAliveSecs, kHeader, kOutHeaders, kPlan, kUniqueHeaders } = require('internal/http/outgoing_headers');
const { kSpan, watched } = require('internal/performance/timeline');
const { Channel, channel } = require('diagnostics_channel');

const startChannel = channel('http.server.request.start');
const createdChannel = channel('http.server.response.created');
const finishChannel = channel('http.server.response.finish');

// The IncomingMessage that a ServerResponse answers.
const kRequest = Symbol('kRequest');
// On a socket: true while the socket has no `_writableState` because nothing was written through the stream. `HOLDS`
// while the native code buffers data or owes a callback. False once the state exists.
const kIsUnwritten = Symbol('kIsUnwritten');
// The ServerResponse class of a server.
const kServerResponse = Symbol('ServerResponse');
// The callback given to `end()`, if 'finish' has no other listener.
const kCallback = Symbol('kCallback');
// The head as a string, rebuilt in JavaScript for a response whose `kHeader` is a number.
const kMadeHeader = Symbol('kMadeHeader');
// On a socket whose `_writableState` was created after a fast-path response was sent: that response, until the state
// has been updated for its write.
const kUntold = Symbol('kUntold');
// The response has its own 'close' listener on the socket.
const kListens = Symbol('kListens');

const { CALLED: kCalled, LEAVES_LATER: kLeavesLater, LENGTH: kLength, NOT_FINISHED: kNotFinished } = native;
const { PARTS: kParts, STATUS: kStatus, TRIED: kTried, UNFINISHED: kUnfinished } = native;
const { FLUSHED: kFlushed, FLUSH_TRIED: kFlushTried, TIMED: kTimed } = native;
// Status codes and reason phrases, read by the native code.
const kCodes = Symbol('kCodes');

const { nextTick } = process;
const { on } = EventEmitter.prototype;

function beginSpan(response, { method, url, headers }) {
  response[kSpan] = require('internal/performance/spans').begin('http', 'HttpRequest', { req: { method, url, headers } });
}

function ServerResponse(req, options) {
  OutgoingMessage.call(this, options);
  this.req = req;
  if (req.method === 'HEAD') this._hasBody = false;
  // Skip the version getters if the parser's flags say HTTP/1.1.
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
  [kRequest]: undefined,
  [kCallback]: undefined,
  [kListens]: false,
  [kMadeHeader]: undefined,
  [kCodes]: STATUS_CODES,
});

// ---- State of a sent response

// `kHeader` of a fast-path response is a number: the head's flags in the low bits, then the status code, then the
// length of the body. A response sent in several writes has the length 1 until it has ended. After 'close' the number
// n becomes -1 - n. Node's properties (`finished`, `headersSent`, ...) are computed from it, so that only slow-path
// responses own them.
const isShort = (response) => typeof response[kHeader] === 'number';
const isGone = (response) => isShort(response) && response[kHeader] < 0;
const sentWith = (header) => (header < 0 ? -1 - header : header);
const isInParts = (response) => (sentWith(response[kHeader]) & kParts) !== 0;
const isSent = (response) => isShort(response) && !(isInParts(response) && sentWith(response[kHeader]) >= kLength);
const sentStatus = (response) => Math.floor(sentWith(response[kHeader]) % kLength / kStatus);
const sentReason = (response) => STATUS_CODES[sentStatus(response)] || 'unknown';

const kOwnFinished = answered(proto, 'finished', isSent);
const kOwnDestroyed = answered(proto, 'destroyed', isGone);
const kOwnHeaderSent = answered(proto, '_headerSent', isShort);
answered(proto, '_closed', isGone);
answered(proto, '_contentLength', (response) => {
  if (!isShort(response)) return null;
  if (!isInParts(response)) return Math.floor(sentWith(response[kHeader]) / kLength);
  const length = response[kOutHeaders]?.['content-length'];
  return length === undefined ? null : +length[1];
});
const kOwnReason = answered(proto, 'statusMessage', (response) =>
  (isShort(response) && response[kMadeHeader] === undefined ? sentReason(response) : undefined));

// The server's option applies until the response sets its own value.
const ofServer = (response, option) =>
  (response[kConnection] === undefined ? 0 : response[kConnection].server[option]);
const kOwnKeepAlive = answered(proto, '_keepAliveTimeout', (response) => ofServer(response, 'keepAliveTimeout'));
answered(proto, '_maxRequestsPerSocket', (response) => ofServer(response, 'maxRequestsPerSocket'));

// The server's 'finish' listener is not stored until `_events` is read; then it is the first one listed.
const listenersOf = (response) => response._events;
derived(proto, '_events', function() {
  if (this[kConnection] === undefined) return undefined;
  ownValue(this, '_events', { __proto__: null, finish: this[kOnFinish] });
  this._eventsCount = 1;
  const callback = this[kCallback];
  if (callback !== undefined) {
    this[kCallback] = undefined;
    addOnce(this, callback);
  }
  return this._events;
});

// Adds a one-time listener without calling a `once` that the program may have patched after `end()`.
function addOnce(response, callback) {
  const listener = (...args) => {
    response.removeListener('finish', listener);
    return callback.apply(response, args);
  };
  listener.listener = callback;
  on.call(response, 'finish', listener);
}

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
  if (!isUnheard(response)) response.emit('close');
}

// True if 'finish' has a listener or `end()` got a callback.
const isHeardAtFinish = (response) => response[kCallback] !== undefined || !isUnheard(response);

// True if the response has no 'close' listener.
const hasNoCloseListener = (response) =>
  isUnheard(response) || (response.emit === EventEmitter.prototype.emit && response._events?.close === undefined);

function tellEndOfRequest(response) {
  tellEnd(response[kRequest], !hasNoCloseListener(response));
}

// Runs two of Node's ticks in one if no other tick is queued between them: reads an unread request to its end and
// closes the response.
function leave(response) {
  const request = response[kRequest];
  if (hasNoCloseListener(response) && passAway(request)) {
    if (!response._closed) setClosed(response);
    return;
  }
  try {
    readToEnd(request);
  } finally {
    emitClose(response);
  }
}

function onSocketClose() {
  // An earlier 'close' listener may have detached the response.
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

// Adds a 'close' listener for a response whose connection no longer listens to the socket.
function listenToClose(response, socket) {
  if (response[kListens]) return;
  socket.on('close', onSocketClose);
  response[kListens] = true;
}

proto.detachSocket = function detachSocket(socket) {
  if (socket._httpMessage !== this) throw new errors.ERR_INTERNAL_ASSERTION();
  socket._httpMessage = null;
  if (this[kListens]) {
    socket.removeListener('close', onSocketClose);
    this[kListens] = false;
  }
  // Clearing `socket` uncorks it if the response was corked after `end()`.
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
    // Node does not validate these values. Reject CR and LF here, and all else that is invalid in a header, to
    // prevent header injection.
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
  // Converted once: Node sends a second conversion, which it does not check.
  const reasonPhrase = `${this.statusMessage}`;
  if (checkInvalidHeaderChar(reasonPhrase)) throw new errors.ERR_INVALID_CHAR('statusMessage');
  if (isBodiless(code)) this._hasBody = false;
  // The client may send its body although no 100 was sent, so the connection cannot be reused.
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
    // Headers given as a list replace those set before; duplicates within the list are kept.
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

// ---- Native fast path

// Bits of the socket's writable state that the fast path checks, and their values when nothing is queued.
const kLooked = kConstructed | writableBits.kDefaultUTF8Encoding | writableBits.kBuffered | writableBits.kCorked |
  kDestroyed | writableBits.kEnding | kErrored | writableBits.kNeedDrain | writableBits.kWriting;
const kFree = kConstructed | writableBits.kDefaultUTF8Encoding;

const layersFrom = (layer) =>
  (layer === Object.prototype ? [] : [layer, ...layersFrom(Object.getPrototypeOf(layer))]);
const ofMessages = [proto, OutgoingMessage.prototype, IncomingMessage.prototype];
const heard = ['_events', 'emit'];

// Methods that each step of the fast path skips.
const skippedMethods = {
  heard,
  ending: ['_finish', '_send', '_writeRaw', 'on', 'once', 'uncork'],
  heading: ['_implicitHeader', '_storeHeader', 'writeHead', '200'],
  sending: ['write', 'cork', 'uncork', '_write', '_writev', '_writeGeneric', '_unrefTimer'],
  closing: [...heard, 'detachSocket'],
  leaving: [...heard, '_destroy', '_dump', '_read', 'destroy', 'on', 'push', 'read', 'removeAllListeners', 'resume'],
};
// If one of these properties is monkey-patched, every message takes the slow path from the start.
const guardedNames = new SafeSet([
  ...Object.values(skippedMethods).flat(), '_addHeaderLine', '_addHeaderLines', '_consuming', '_dumped', '_flush', '_flushOutput',
  'aborted', 'assignSocket', 'client', 'complete', 'httpVersion', 'httpVersionMajor', 'httpVersionMinor', 'init',
  'listenerCount', 'method', 'rawHeaders', 'rawTrailers', 'removeListener', 'setTimeout', 'statusCode', 'statusMessage',
  'upgrade', 'url',
]);

// Objects and expected values that the native guards of the fast path compare.
const guardValues = {
  channel: { publish: Channel.prototype.publish },
  startChannel,
  createdChannel,
  finishChannel,
  watched,
  layers: [...ofMessages, ...layersFrom(Socket.prototype), EventEmitter, STATUS_CODES],
  telling: [...guardedNames],
  ...skippedMethods,
  IncomingMessage,
  ServerResponse,
  looked: kLooked,
  free: kFree,
};

Object.assign(whenSent, { finishQuietly, flush, tell: scheduleFinish });

// Writes the data that the native code holds for a corked socket, like `uncork()`.
function flush(socket) {
  const out = native.flush(socket);
  if (out === 0) return;
  if ((out & kFlushed) !== 0) {
    if ((out & kTimed) !== 0) socket._unrefTimer();
    nextTick(afterFlush, socket);
    return;
  }
  // The kernel took only a part: continue with a write of the stream.
  if (out === kFlushTried && socket._writableState.corked) leaveTried(socket);
  socket.uncork();
}

function leaveTried(socket) {
  tried.stream = socket;
  tried.status = native.tried();
}

// Runs in the tick after a flush, like `afterWrite` in `lib/internal/streams/writable.js`.
function afterFlush(socket) {
  const isDrained = native.flushed(socket);
  if (isDrained === undefined) steps.afterWrite(socket, socket._writableState, 1);
  else if (isDrained) socket.emit('drain');
}

// Schedules 'finish' and the callbacks after a native `end()`.
function scheduleFinish(response, out, callback) {
  if (out > 0 && (out & kTried) !== 0) {
    endByStream(response, callback);
    return;
  }
  if (out === kCalled) {
    response[kCallback] = callback;
    nextTick(finishAndCall, response);
    return;
  }
  const socket = response[kSocket];
  if (callback) response.once('finish', callback);
  if (socket[kTimeout]) socket._unrefTimer();
  // Queue the completion tick before 'prefinish' is emitted: ticks that its listeners queue run after it, as they do when
  // the response goes through `socket.write()`.
  if (out < 0) {
    socket[kUntold] = null;
    nextTick(failSent, response, socket, out);
  } else if ((out & kUnfinished) !== 0) {
    socket[kUntold] = null;
    socket.write(Buffer.from(native.rest()), () => finish(response));
  } else {
    nextTick(finishSent, response);
  }
  if (!isUnheard(response)) response.emit('prefinish');
}

// A failed write: emit 'finish' first, then destroy the socket with the error.
function failSent(response, socket, status) {
  finish(response);
  socket.destroy(errors.errnoException(status, 'write'));
}

// Sends the end through the stream because the native code could not write it.
function endByStream(response, callback) {
  const socket = response[kSocket];
  socket[kUntold] = null;
  if (callback) response.once('finish', callback);
  const last = response.chunkedEncoding ? '0\r\n\r\n' : '';
  const done = () => finish(response);
  const state = socket._writableState;
  if (state.corked) socket.write(last, 'latin1', done);
  leaveTried(socket);
  if (state.corked) socket.uncork();
  else socket.write(last, 'latin1', done);
  if (!isUnheard(response)) response.emit('prefinish');
}

// The fast-path response that was written to the socket while the socket had no `_writableState`.
function untoldOf(socket) {
  const response = socket._httpMessage;
  return response && socket[kUntold] === undefined && response[kSocket] === socket && isSent(response) ? response : undefined;
}

// Adds the write of a fast-path response to a `_writableState` that is created after it.
function countUntold(socket, state, highWaterMark) {
  const response = untoldOf(socket);
  if (response === undefined) return;
  socket[kUntold] = response;
  state.pendingcb++;
  if (!isInParts(response)) state.needDrain = response._header.length + response._contentLength >= highWaterMark;
  // Create the listener table: a response with listeners ends in `finishSent`.
  listenersOf(response);
}

function finishSent(response) {
  const { socket } = response[kConnection];
  if (socket[kUntold] !== response) {
    finish(response);
    return;
  }
  socket[kUntold] = null;
  steps.afterWrite(socket, socket._writableState, 1, () => finish(response));
}

function finishQuietly(response) {
  const done = native.finish(response, false);
  if (done === kLeavesLater) nextTick(leave, response);
  else if (done === kNotFinished) finishSent(response);
}

// Calls the callback of `end()` as if it were the only 'finish' listener besides the server's.
function finishAndCall(response) {
  const callback = response[kCallback];
  // If `_events` was read meanwhile, the callback is in the listener table.
  const done = callback === undefined ? kNotFinished : native.finish(response, true);
  if (done === kNotFinished) {
    listenersOf(response);
    finishSent(response);
    return;
  }
  response[kCallback] = undefined;
  nextTick(leave, response);
  callback.call(response);
}

// `_header` of a fast-path response is rebuilt on access.
Object.defineProperty(proto, '_header', {
  __proto__: null,
  get() {
    const header = this[kHeader];
    if (typeof header !== 'number') return header;
    if (this[kMadeHeader] !== undefined) return this[kMadeHeader];
    const sent = sentWith(header);
    const headers = this[kOutHeaders];
    const firstLine = `HTTP/1.1 ${sentStatus(this)} ${sentReason(this)}\r\n`;
    const lines = headers === null ? null : flatten(this, headers);
    const [text] = native.head(
      firstLine, lines, sent % kStatus & ~kParts, keepAliveSecs(this), 0,
      isInParts(this) ? -1 : Math.floor(sent / kLength));
    return text;
  },
  set(value) { this[kHeader] = value; },
  configurable: true,
});

// Snapshots the prototypes (classes are complete now) and enables the fast path. Returns the template objects that a
// connection's messages are created from.
function openShortWay(accepted) {
  guardValues.layers.push(accepted);
  for (const layer of [...ofMessages, accepted]) keepLayer(layer);
  // Keep a reference: the native code reads these templates even if the program deletes other references to them.
  guardValues.models = native.initFastPath({
    kBlock, kCallback, kCodes, kConnection, kCorked, kFlags, kHandle, kHeader, kIncomingMessage, kIsUnwritten, kListens,
    kMadeHeader, kOutHeaders, kOutput, kOwnDestroyed, kOwnFinished, kOwnHeaderSent, kOwnKeepAlive, kOwnReason, kPhase, kPlan, kRequest,
    kServerResponse, kSocket, kState, kTimeout, kUniqueHeaders,
  }, guardValues);
  return guardValues.models;
}

// Keys in the order in which the server assigns them when the native code does not.
const kept = keepShapes(proto, ['req', kConnection, kRequest, kSocket, kOutHeaders, kHeader, kCallback]);

module.exports = {
  ServerResponse, countUntold, emitClose, finishChannel, isHeardAtFinish, isSent, kConnection, kIsUnwritten, kListens, kRequest,
  kServerResponse, kept, known: guardValues, leave, listenToClose, openShortWay, startChannel, tellEndOfRequest, untoldOf,
};
