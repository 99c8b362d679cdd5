'use strict';
// `http.Server`: connections, requests in pipeline order, timeouts and client errors.
//
// The native parser reports head and end of a request without a body in one call. All state of a connection is in one `Connection` object; the
// listeners are functions that all connections share.

const process = require('process');
const { Buffer } = require('buffer');
const tracking = require('internal/async_hooks/tracking');
const { clearInterval, setInterval, watchRequests } = require('internal/scheduler');
const { WATCHED, asyncState, watched } = require('internal/scheduler/state');
const { endSpan, flags, kinds: spanKinds, kTraceSpan, TRACE } = require('internal/scheduler/trace');
const { beginHandleSpan } = require('internal/net/handles');
const EventEmitter = require('events');
const net = require('net');
const errors = require('internal/errors');
const { kState } = require('internal/streams/flags');
const { kNeedDrain: kSocketNeedsDrain } = require('internal/streams/writable_state');
const { allMethods, continueExpression, freeParser, kIncomingMessage, parseError, setHead } = require('internal/http/common');
const { Connection, Connections, kConnections } = require('internal/http/connection');
const { IncomingMessage, hasOwnLines, setHeaderText } = require('internal/http/incoming');
const { kNeedDrain } = require('internal/http/outgoing');
const { kUniqueHeaders, parseUniqueHeadersOption } = require('internal/http/outgoing_headers');
const { ServerResponse, emitClose, kConnection, kRequest } = require('internal/http/response');
const STATUS_CODES = require('internal/http/status');
const { channel } = require('diagnostics_channel');
const {
  validateBoolean, validateFunction, validateInteger, validateObject,
} = require('internal/validators');

const FastBuffer = Buffer[Symbol.species];

const kServerResponse = Symbol('ServerResponse');
const kConnectionsCheckingInterval = Symbol('http.server.connectionsCheckingInterval');

const startChannel = channel('http.server.request.start');
const finishChannel = channel('http.server.response.finish');

const noop = () => {};

// ---- The server

function integerOption(options, name, fallback) {
  const value = options[name];
  if (value === undefined) return fallback;
  validateInteger(value, name, 0);
  return value;
}

function booleanOption(options, name, fallback) {
  const value = options[name];
  if (value === undefined) return fallback;
  validateBoolean(value, `options.${name}`);
  return value;
}

function storeHTTPOptions(options) {
  this[kIncomingMessage] = options.IncomingMessage || IncomingMessage;
  this[kServerResponse] = options.ServerResponse || ServerResponse;
  this.maxHeaderSize = integerOption(options, 'maxHeaderSize', undefined);
  this.insecureHTTPParser = booleanOption(options, 'insecureHTTPParser', undefined);
  this.requestTimeout = integerOption(options, 'requestTimeout', 300_000);
  this.headersTimeout = integerOption(options, 'headersTimeout', Math.min(60_000, this.requestTimeout));
  if (this.requestTimeout > 0 && this.headersTimeout > 0 && this.headersTimeout > this.requestTimeout) {
    throw new errors.ERR_OUT_OF_RANGE('headersTimeout', '<= requestTimeout', options.headersTimeout);
  }
  this.keepAliveTimeout = integerOption(options, 'keepAliveTimeout', 5_000);
  this.keepAliveTimeoutBuffer = integerOption(options, 'keepAliveTimeoutBuffer', 1_000);
  this.connectionsCheckingInterval = integerOption(options, 'connectionsCheckingInterval', 30_000);
  this.requireHostHeader = booleanOption(options, 'requireHostHeader', true);
  this.joinDuplicateHeaders = booleanOption(options, 'joinDuplicateHeaders', undefined);
  this.rejectNonStandardBodyWrites = booleanOption(options, 'rejectNonStandardBodyWrites', false);
  const { shouldUpgradeCallback } = options;
  if (shouldUpgradeCallback !== undefined) validateFunction(shouldUpgradeCallback, 'options.shouldUpgradeCallback');
  this.shouldUpgradeCallback = shouldUpgradeCallback ?? function() { return this.listenerCount('upgrade') > 0; };
}

function setupConnectionsTracking() {
  this[kConnections] ||= new Connections();
  clearInterval(this[kConnectionsCheckingInterval]);
  // The timer is started even without timeouts: they may be set later.
  this[kConnectionsCheckingInterval] = setInterval(checkConnections, this.connectionsCheckingInterval, this).unref();
}

function checkConnections(server) {
  const { headersTimeout, requestTimeout } = server;
  if (headersTimeout === 0 && requestTimeout === 0) return;
  const late = server[kConnections].all().filter((connection) => connection.isExpired(headersTimeout, requestTimeout));
  for (const { socket } of late) onError.call(socket, new errors.ERR_HTTP_REQUEST_TIMEOUT());
}

function httpServerPreClose(server) {
  server.closeIdleConnections();
  clearInterval(server[kConnectionsCheckingInterval]);
}

function Server(options, requestListener) {
  if (!(this instanceof Server)) return new Server(options, requestListener);
  if (typeof options === 'function') {
    requestListener = options;
    options = { __proto__: null };
  } else if (options == null) {
    options = { __proto__: null };
  } else {
    validateObject(options, 'options');
  }
  storeHTTPOptions.call(this, options);
  net.Server.call(this, {
    allowHalfOpen: true,
    noDelay: options.noDelay ?? true,
    keepAlive: options.keepAlive,
    keepAliveInitialDelay: options.keepAliveInitialDelay,
    highWaterMark: options.highWaterMark,
  });
  if (requestListener) this.on('request', requestListener);
  this.httpAllowHalfOpen = false;
  this.on('connection', connectionListener);
  this.on('listening', setupConnectionsTracking);
  this.timeout = 0;
  this.maxHeadersCount = null;
  this.maxRequestsPerSocket = 0;
  this[kUniqueHeaders] = parseUniqueHeadersOption(options.uniqueHeaders);
}
Object.setPrototypeOf(Server.prototype, net.Server.prototype);
Object.setPrototypeOf(Server, net.Server);

const serverMethods = {
  close(...args) {
    httpServerPreClose(this);
    net.Server.prototype.close.apply(this, args);
    return this;
  },

  closeAllConnections() {
    for (const { socket } of this[kConnections]?.all() ?? []) socket.destroy();
  },

  closeIdleConnections() {
    for (const { isIdle, socket } of this[kConnections]?.all() ?? []) {
      if (isIdle && (!socket._httpMessage || socket._httpMessage.finished)) socket.destroy();
    }
  },

  setTimeout(msecs, callback) {
    this.timeout = msecs;
    if (callback) this.on('timeout', callback);
    return this;
  },

  async [Symbol.asyncDispose]() { await require('util').promisify(this.close).call(this); },

  [EventEmitter.captureRejectionSymbol](error, event, ...args) {
    if (event !== 'request') {
      net.Server.prototype[EventEmitter.captureRejectionSymbol].call(this, error, event, ...args);
      return;
    }
    const [, response] = args;
    if (response.headersSent || response.writableEnded) {
      response.destroy();
      return;
    }
    // Remove the headers that the failed handler has set.
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    response.statusCode = 500;
    response.end(STATUS_CODES[500]);
  },
};
for (const name of Reflect.ownKeys(serverMethods)) {
  Object.defineProperty(Server.prototype, name, {
    __proto__: null, value: serverMethods[name], writable: true, enumerable: typeof name === 'string', configurable: true,
  });
}

// ---- A connection

function connectionListener(socket) {
  tracking.triggeredBy(socket._handle, connected, this, socket);
}

function connected(server, socket) {
  socket.server = server;
  if (server.timeout && typeof socket.setTimeout === 'function') socket.setTimeout(server.timeout);
  socket.on('timeout', onTimeout);

  const connection = new Connection(server, socket);
  server[kConnections]?.add(connection);

  socket.on('data', onData);
  socket.on('error', onError);
  socket.on('end', onEnd);
  socket.on('close', onClose);
  socket.on('drain', onDrain);
  socket.on('resume', onResume);
  socket.on('pause', onPause);
  // The native parser reads from the handle directly, until a 'data' or 'readable' listener switches back to reads by the stream
  // (`lib/_http_server.js: generateSocketListenerWrapper`).
  Object.assign(socket, wrapped);
  socket.setEncoding = setEncoding;
  if (socket._handle?.isStreamBase && !socket._handle._consumed) {
    socket._handle._consumed = true;
    connection.consume(socket._handle);
  }
  socket._paused = false;
}

function setEncoding() { throw new errors.ERR_HTTP_SOCKET_ENCODING(); }

const wrapped = {};
for (const method of ['on', 'addListener', 'prependListener']) {
  wrapped[method] = function(event, listener) {
    const result = net.Socket.prototype[method].call(this, event, listener);
    if (!this.parser) for (const name of Object.keys(wrapped)) this[name] = net.Socket.prototype[name];
    else if (event === 'data' || event === 'readable') unconsume(this.parser, this);
    return result;
  };
}

function unconsume(parser, socket) {
  if (!socket._handle) return;
  if (parser._consumed) parser.unconsume();
  socket.removeListener('pause', onPause);
  socket.removeListener('resume', onResume);
}

function onResume() {
  // For backpressure, the socket stays paused even if other code resumes it.
  if (this._paused) {
    this.pause();
  } else if (this._handle && !this._handle.reading) {
    this._handle.reading = true;
    this._handle.readStart();
  }
}

function onPause() {
  if (this._handle?.reading) {
    this._handle.reading = false;
    this._handle.readStop();
  }
}

function onData(bytes) {
  const { parser } = this;
  if (!parser) return;
  const result = parser.execute(bytes);
  if (typeof result !== 'number') onError.call(this, result);
  else if (parser.incoming?.upgrade) upgrade(parser, bytes.slice(result));
}

// Passes the socket and the bytes that follow the head to the listener of 'upgrade' or 'connect' (`lib/_http_server.js: onParserExecuteCommon`).
function upgrade(connection, rest) {
  const { incoming, server, socket } = connection;
  if (socket === null) return;
  socket.removeListener('data', onData);
  socket.removeListener('end', onEnd);
  socket.removeListener('close', onClose);
  socket.removeListener('drain', onDrain);
  // A destroyed socket emits 'error' in a later tick: without a listener the error would be uncaught.
  if (!socket.destroyed) socket.removeListener('error', onError);
  socket.removeListener('timeout', onTimeout);
  unconsume(connection, socket);
  connection.leave();
  freeParser(connection, incoming, socket);
  const event = incoming.method === 'CONNECT' ? 'connect' : 'upgrade';
  if (server.listenerCount(event) === 0) {
    socket.destroy();
    return;
  }
  socket.readableFlowing = null;
  server.emit(event, incoming, socket, rest);
}

function onEnd() {
  const { parser, server } = this;
  const error = parser?.finish();
  if (error) {
    onError.call(this, error);
    return;
  }
  const { queued } = this[kConnection];
  if (!server.httpAllowHalfOpen) this.end();
  else if (queued.length > 0) queued.at(-1)._last = true;
  else if (this._httpMessage) this._httpMessage._last = true;
  else this.end();
}

function onClose() {
  const connection = this[kConnection];
  connection.leave();
  freeParser(this.parser, null, this);
  const { unanswered } = connection;
  if (flags[TRACE] !== 0) for (const request of unanswered) endTrace(connection, request, 0);
  while (unanswered.length > 0) unanswered.shift().destroy(new errors.ConnResetException('aborted'));
}

function onTimeout() {
  const request = this.parser?.incoming;
  const byRequest = request && !request.complete && request.emit('timeout', this);
  const response = this._httpMessage;
  const byResponse = response && response.emit('timeout', this);
  const byServer = this.server.emit('timeout', this);
  if (!byRequest && !byResponse && !byServer) this.destroy();
}

// ---- Client errors

const errorResponse = (status) =>
  Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`, 'ascii');
const statusOf = (code) => {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
};

function onError(error) {
  // Only the first error is handled; `noop` ignores the errors that follow.
  this.removeListener('error', onError);
  if (this.listenerCount('error', noop) === 0) this.on('error', noop);
  if (this.server.emit('clientError', error, this)) return;
  // An error response must not be written into the middle of another response.
  if (this.writable && (!this._httpMessage || !this._httpMessage._headerSent)) this.write(errorResponse(statusOf(error.code)));
  this.destroy(error);
}

// ---- Backpressure

function onDrain() {
  drain(this, this[kConnection]);
}

function drain(socket, connection) {
  if (socket._paused && connection.outgoingData <= socket.writableHighWaterMark) {
    socket._paused = false;
    socket.resume();
  }
  const message = socket._httpMessage;
  if (message && !message.finished && message[kNeedDrain]) {
    message[kNeedDrain] = false;
    message.emit('drain');
  }
}

// `_onPendingData` of a response: counts the bytes queued in the responses of the connection.
function onPendingData(delta) {
  const connection = this[kConnection];
  connection.outgoingData += delta;
  drain(connection.socket, connection);
}

// ---- A request

// True if the socket's write buffer is over its high-water mark.
const isFull = (socket) => (socket._writableState[kState] & kSocketNeedsDrain) !== 0;

// Creates the request and the response, and emits 'request' (`lib/_http_common.js: parserOnHeadersComplete`,
// `lib/_http_server.js: parserOnIncoming`). Returns 2 if the connection is upgraded to another protocol, else 0.
function onRequestHead(connection, major, minor, method, url, headers, keepsAlive, isUpgrade, hasHost, hasExpect) {
  const { server, socket } = connection;
  // The native parser reads the data, so no 'data' event restarts the socket's timer (`lib/_http_server.js: onParserExecute`).
  if (connection._consumed) socket._unrefTimer();
  if (connection.isKeptAlive) connection.endIdleTime();

  const request = connection.incoming = new server[kIncomingMessage](socket);
  setHead(request, major, minor, isUpgrade);
  request.joinDuplicateHeaders = server.joinDuplicateHeaders;
  request.url = url;
  // The native parser already limits the headers of a request: 0 means no further limit.
  setHeaderText(request, headers, 0);
  request.method = allMethods[method];
  if (isUpgrade) {
    request.upgrade = request.method === 'CONNECT' || Boolean(server.shouldUpgradeCallback(request));
    if (request.upgrade) return 2;
  }
  connection.unanswered.push(request);
  if (flags[TRACE] !== 0) beginTrace(connection, request);
  // Backpressure: no requests are read while the client does not read the responses.
  if (!socket._paused && (isFull(socket) || connection.outgoingData >= socket.writableHighWaterMark)) {
    socket._paused = true;
    socket.pause();
  }

  const response = new server[kServerResponse](request, connection.options);
  response[kConnection] = connection;
  response[kRequest] = request;
  response._keepAliveTimeout = server.keepAliveTimeout;
  response._maxRequestsPerSocket = server.maxRequestsPerSocket;
  response._onPendingData = onPendingData;
  response.shouldKeepAlive = keepsAlive;
  response[kUniqueHeaders] = server[kUniqueHeaders];
  if (startChannel.hasSubscribers) startChannel.publish({ request, response, socket, server });
  if (socket._httpMessage) connection.queued.push(response);
  else response.assignSocket(socket);
  response.on('finish', onFinish);

  if (major !== 1 || minor !== 1 || !isAnswered(connection, request, response, hasHost, hasExpect)) {
    emitRequest(server, request, response);
  }
  return 0;
}

// Emits 'request' in a context that names the request, for the reports of `--blocked`.
function emitRequest(server, request, response) {
  if (flags[WATCHED] === 0) {
    server.emit('request', request, response);
    return;
  }
  if (!watched.hasRequests) {
    watched.hasRequests = true;
    watchRequests();
  }
  const before = asyncState.context;
  asyncState.context = { key: watched.requestKey, store: { method: request.method, url: request.url }, rest: before };
  try {
    server.emit('request', request, response);
  } finally {
    asyncState.context = before;
  }
}

// Begins the span of a request in a recording. Its label has no query, because each request could have another one.
function beginTrace(connection, request) {
  const { method, url, socket } = request;
  const query = url.indexOf('?');
  if (connection.tracedBytes === -1) connection.tracedBytes = socket._bytesDispatched ?? 0;
  const label = `${method} ${query === -1 ? url : url.slice(0, query)}`;
  request[kTraceSpan] = beginHandleSpan(socket._handle, spanKinds.HTTP_SERVER, label);
}

// The bytes of a response are those that the connection has written since the response before it.
function endTrace(connection, request, status) {
  if (request[kTraceSpan] === undefined) return;
  const before = connection.tracedBytes;
  connection.tracedBytes = connection.socket?._bytesDispatched ?? before;
  endSpan(request[kTraceSpan], status, connection.tracedBytes - before);
}

// Handles the cases in which an HTTP/1.1 request needs more than a 'request' event: no Host header (RFC 9112 section 3.2), too many requests on the
// connection, or `Expect` (RFC 9110 section 10.1.1). Returns true if the request has been handled.
function isAnswered(connection, request, response, hasHost, hasExpect) {
  const { server, socket } = connection;
  if (server.requireHostHeader && !(hasHost && hasOwnLines(request)) && request.headers.host === undefined) {
    response.writeHead(400, ['Connection', 'close']);
    response.end();
    return true;
  }
  const limit = server.maxRequestsPerSocket;
  if (typeof limit === 'number' && limit > 0) {
    connection.requestsCount++;
    response.maxRequestsOnConnectionReached = limit <= connection.requestsCount;
    if (limit < connection.requestsCount) {
      server.emit('dropRequest', request, socket);
      response.writeHead(503);
      response.end();
      return true;
    }
  }
  if (!hasExpect) return false;
  if (continueExpression.test(request.headers.expect)) {
    response._expect_continue = true;
    if (server.listenerCount('checkContinue') > 0) {
      server.emit('checkContinue', request, response);
    } else {
      response.writeContinue();
      emitRequest(server, request, response);
    }
  } else if (server.listenerCount('checkExpectation') > 0) {
    server.emit('checkExpectation', request, response);
  } else {
    response.writeHead(417);
    response.end();
  }
  return true;
}

// The server's 'finish' listener of a response: starts the next pipelined response or the keep-alive timeout
// (`lib/_http_server.js: resOnFinish`).
function onFinish() {
  const connection = this[kConnection];
  const { server, socket } = connection;
  const request = this[kRequest];
  if (finishChannel.hasSubscribers) finishChannel.publish({ request, response: this, socket, server });
  connection.unanswered.shift();
  if (flags[TRACE] !== 0) endTrace(connection, request, this.statusCode);
  if (!request._consuming && !request._readableState.resumeScheduled) request._dump();
  this.detachSocket(socket);
  clearIncoming(request);
  process.nextTick(emitClose, this);

  if (this._last) {
    if (typeof socket.destroySoon === 'function') socket.destroySoon();
    else socket.end();
  } else if (connection.queued.length === 0) {
    connection.beginIdleTime();
  } else {
    connection.queued.shift().assignSocket(socket);
  }
}

function clearIncoming(request) {
  const parser = request.socket?.parser;
  if (!parser || parser.incoming !== request) return;
  if (request.readableEnded) parser.incoming = null;
  else request.on('end', onIncomingEnd);
}

function onIncomingEnd() { clearIncoming(this); }

Object.assign(Connection.prototype, {
  onhead(major, minor, method, url, headers, keepsAlive, isUpgrade, isComplete, hasHost, hasExpect) {
    const follows = onRequestHead(this, major, minor, method, url, headers, keepsAlive, isUpgrade, hasHost, hasExpect);
    if (isComplete) this.onend(undefined);
    return follows;
  },
  onfault(fault, packet) {
    if (this.socket !== null) onError.call(this.socket, parseError(fault, new FastBuffer(packet)));
  },
  onupgrade(rest) { upgrade(this, new FastBuffer(rest)); },
});

module.exports = {
  STATUS_CODES,
  Server,
  ServerResponse,
  connectionListener,
  published: {
    STATUS_CODES,
    Server,
    ServerResponse,
    setupConnectionsTracking,
    storeHTTPOptions,
    _connectionListener: connectionListener,
    kServerResponse,
    httpServerPreClose,
    kConnectionsCheckingInterval,
  },
};
