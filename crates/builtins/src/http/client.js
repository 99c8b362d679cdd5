'use strict';
// `http.ClientRequest`: writes a request to its socket and emits the response.

const process = require('process');
const { Buffer } = require('buffer');
const net = require('net');
const errors = require('internal/errors');
const { addAbortSignal, finished } = require('stream');
const { channel } = require('diagnostics_channel');
const {
  _checkIsHttpToken: checkIsHttpToken, freeParser, isLenient, kSkipPendingData, parsers,
} = require('internal/http/common');
const { OutgoingMessage, kNeedDrain } = require('internal/http/outgoing');
const { kHeader, kOutHeaders, kUniqueHeaders, parseUniqueHeadersOption } = require('internal/http/outgoing_headers');
const agents = require('internal/http/agent');
const { kSpan, watched } = require('internal/performance/timeline');
const { beginSpan, endSpan, flags, kinds: spanKinds, kTraceSpan, TRACE } = require('internal/scheduler/trace');
const {
  validateBoolean, validateInteger, validateNumber, validateString,
} = require('internal/validators');

const { ConnResetException } = errors;

const kError = Symbol('kError');
// The number of bytes of a response that a recording has counted.
const kTraceBytes = Symbol('kTraceBytes');
const kMaxDelay = 2 ** 31 - 1;

const createdChannel = channel('http.client.request.created');
const startChannel = channel('http.client.request.start');
const errorChannel = channel('http.client.request.error');
const finishChannel = channel('http.client.response.finish');

function emitError(request, error) {
  if (flags[TRACE] !== 0) endTrace(request);
  if (errorChannel.hasSubscribers) errorChannel.publish({ request, error });
  request.emit('error', error);
}

// ---- The request

function checkHost(host, name) {
  if (host !== null && host !== undefined && typeof host !== 'string') {
    throw new errors.ERR_INVALID_ARG_TYPE(`options.${name}`, ['string', 'undefined', 'null'], host);
  }
  return host;
}

function durationOf(msecs, name) {
  validateNumber(msecs, name);
  if (msecs < 0 || !Number.isFinite(msecs)) {
    throw new errors.ERR_OUT_OF_RANGE(name, 'a non-negative finite number', msecs);
  }
  if (msecs <= kMaxDelay) return msecs;
  process.emitWarning(
    `${msecs} does not fit into a 32-bit signed integer.\nTimer duration was truncated to ${kMaxDelay}.`,
    'TimeoutOverflowWarning');
  return kMaxDelay;
}

// Normalizes the overloads of `(url, options, callback)` to `[options, callback]`.
function readArguments(input, options, callback) {
  const { URL, isURL, urlToHttpOptions } = require('internal/url');
  if (typeof input === 'string') {
    input = urlToHttpOptions(new URL(input));
  } else if (isURL(input)) {
    input = urlToHttpOptions(input);
  } else {
    callback = options;
    options = input;
    input = null;
  }
  if (typeof options === 'function') return [input || {}, options];
  return [Object.assign(input || {}, options), callback];
}

function agentOf(options, defaultAgent) {
  const { agent } = options;
  if (agent === false) return new defaultAgent.constructor();
  if (agent === null || agent === undefined) {
    return typeof options.createConnection === 'function' ? agent : defaultAgent;
  }
  if (typeof agent.addRequest !== 'function') {
    throw new errors.ERR_INVALID_ARG_TYPE('options.agent', ['Agent-like Object', 'undefined', 'false'], agent);
  }
  return agent;
}

function methodOf(method) {
  if (method !== null && method !== undefined) validateString(method, 'options.method');
  if (!method) return 'GET';
  if (!checkIsHttpToken(method)) throw new errors.ERR_INVALID_HTTP_TOKEN('Method', method);
  return method.toUpperCase();
}

const kWithoutBody = new SafeSet(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

function ClientRequest(input, options, callback) {
  OutgoingMessage.call(this);
  [options, callback] = readArguments(input, options, callback);
  const defaultAgent = options._defaultAgent || agents.globalAgent;
  const agent = this.agent = agentOf(options, defaultAgent);
  const protocol = options.protocol || defaultAgent.protocol;
  const expected = agent?.protocol || defaultAgent.protocol;
  // An object is converted only once, so that the checked text is sent. Node converts it a second time, and does not check the second text.
  const path = typeof options.path === 'object' || typeof options.path === 'function' ? options.path && `${options.path}` : options.path;
  if (path && /[^\u0021-\u00ff]/.test(String(path))) {
    throw new errors.ERR_UNESCAPED_CHARACTERS('Request path');
  }
  if (protocol !== expected) throw new errors.ERR_INVALID_PROTOCOL(protocol, expected);

  const defaultPort = options.defaultPort || agent?.defaultPort;
  const connectOptions = { __proto__: null, ...options };
  const port = connectOptions.port = options.port || defaultPort || 80;
  const host = connectOptions.host =
    checkHost(options.hostname, 'hostname') || checkHost(options.host, 'host') || 'localhost';
  const isBare = options.setDefaultHeaders === false;
  this._removedConnection = isBare;
  this._removedContLen = isBare;
  this._removedTE = isBare;
  this.socketPath = options.socketPath;
  if (options.timeout !== undefined) this.timeout = durationOf(options.timeout, 'timeout');
  if (options.signal) {
    addAbortSignal(options.signal, this);
    delete connectOptions.signal;
  }
  this.method = methodOf(options.method);
  if (options.maxHeaderSize !== undefined) validateInteger(options.maxHeaderSize, 'maxHeaderSize', 0);
  this.maxHeaderSize = options.maxHeaderSize;
  for (const name of ['insecureHTTPParser', 'joinDuplicateHeaders']) {
    if (options[name] !== undefined) validateBoolean(options[name], `options.${name}`);
    this[name] = options[name];
  }
  this.path = path || '/';
  if (callback) this.once('response', callback);
  this.useChunkedEncodingByDefault = !kWithoutBody.has(this.method);
  this._ended = false;
  this.res = null;
  this.aborted = false;
  this.timeoutCb = null;
  this.upgradeOrConnect = false;
  this.parser = null;
  this.maxHeadersCount = null;
  this.reusedSocket = false;
  this.host = host;
  this.protocol = protocol;
  if (agent) {
    // The request asks for keep-alive only if the agent can reuse the connection.
    this.shouldKeepAlive = Boolean(agent.keepAlive) || Number.isFinite(agent.maxSockets);
    this._last = !this.shouldKeepAlive;
  }
  const setHost = options.setHost === undefined ? !isBare : Boolean(options.setHost);
  setHeaders(this, options, setHost ? host : '', port, defaultPort);
  this[kUniqueHeaders] = parseUniqueHeadersOption(options.uniqueHeaders);

  if (agent) agent.addRequest(this, connectOptions);
  else connectAlone(this, connectOptions);
  if (createdChannel.hasSubscribers) createdChannel.publish({ request: this });
  if (flags[TRACE] !== 0) beginTrace(this);
}

// Begins the span of a request in a recording. Its label has no query.
function beginTrace(request) {
  const { host, method, path, protocol } = request;
  const query = path.indexOf('?');
  request[kTraceSpan] = beginSpan(spanKinds.HTTP_CLIENT, `${method} ${protocol}//${host}${query === -1 ? path : path.slice(0, query)}`);
  request[kTraceBytes] = 0;
}

function endTrace(request) {
  if (!(request[kTraceSpan] > 0)) return;
  endSpan(request[kTraceSpan], request.res?.statusCode ?? 0, request[kTraceBytes]);
  request[kTraceSpan] = 0;
}

const proto = ClientRequest.prototype;
Object.setPrototypeOf(proto, OutgoingMessage.prototype);
Object.setPrototypeOf(ClientRequest, OutgoingMessage);

const firstLine = (request) => `${request.method} ${request.path} HTTP/1.1\r\n`;

function setHeaders(request, options, host, port, defaultPort) {
  const { headers } = options;
  if (Array.isArray(headers)) {
    request._storeHeader(firstLine(request), headers);
    return;
  }
  if (headers) for (const name of Object.keys(headers)) request.setHeader(name, headers[name]);
  if (host && !request.getHeader('host')) {
    // Host header: an IPv6 address is enclosed in brackets (RFC 3986 section 3.2.2).
    const colon = host.indexOf(':');
    const isIPv6 = colon !== -1 && host.includes(':', colon + 1) && host[0] !== '[';
    let value = isIPv6 ? `[${host}]` : host;
    if (port && +port !== defaultPort) value += `:${port}`;
    request.setHeader('Host', value);
  }
  if (options.auth && !request.getHeader('Authorization')) {
    request.setHeader('Authorization', `Basic ${Buffer.from(options.auth).toString('base64')}`);
  }
  if (request.getHeader('expect')) {
    if (request[kHeader] !== null) throw new errors.ERR_HTTP_HEADERS_SENT('render');
    request._storeHeader(firstLine(request), request[kOutHeaders]);
  }
}

// Connects a request that has no agent. The socket serves only this request.
function connectAlone(request, options) {
  request._last = true;
  request.shouldKeepAlive = false;
  if (options.socketPath) options = { ...options, path: options.socketPath };
  else if (options.path) options = { ...options, path: undefined };
  if (typeof options.createConnection !== 'function') {
    request.onSocket(net.createConnection(options));
    return;
  }
  let isCalled = false;
  const onCreate = (error, socket) => {
    if (isCalled) return;
    isCalled = true;
    if (error) process.nextTick(() => emitError(request, error));
    else request.onSocket(socket);
  };
  try {
    const socket = options.createConnection(options, onCreate);
    if (socket) onCreate(null, socket);
  } catch (error) {
    onCreate(error);
  }
}

proto._finish = function _finish() {
  OutgoingMessage.prototype._finish.call(this);
  if (watched.http > 0) {
    const { method, protocol, host, path } = this;
    const req = { method, url: `${protocol}//${host}${path}`, headers: this.getHeaders() };
    this[kSpan] = require('internal/performance/spans').begin('http', 'HttpClient', { req });
  }
  if (startChannel.hasSubscribers) startChannel.publish({ request: this });
};

proto._implicitHeader = function _implicitHeader() {
  if (this[kHeader] !== null) throw new errors.ERR_HTTP_HEADERS_SENT('render');
  this._storeHeader(firstLine(this), this[kOutHeaders]);
};

proto.abort = function abort() {
  if (this.aborted) return;
  this.aborted = true;
  process.nextTick(() => this.emit('abort'));
  this.destroy();
};

proto.destroy = function destroy(error) {
  if (this.destroyed) return this;
  this.destroyed = true;
  // Discard the rest of the response body.
  if (this.res) this.res._dump();
  this[kError] = error;
  this.socket?.destroy(error);
  return this;
};

// ---- The request's socket

proto.onSocket = function onSocket(socket, error) {
  process.nextTick(useSocket, this, socket, error);
};

function useSocket(request, socket, error) {
  if (!request.destroyed && !error) {
    attach(request, socket);
    request._flush();
    return;
  }
  request.destroyed = true;
  const end = (reason) => {
    if (!request.aborted && !reason) reason = new ConnResetException('socket hang up');
    if (reason) emitError(request, reason);
    request._closed = true;
    request.emit('close');
  };
  if (!socket) {
    end(error || request[kError]);
  } else if (!error && request.agent && !socket.destroyed) {
    // The request has been destroyed before it used the socket: return the socket to the agent's pool.
    socket.emit('free');
    end(error || request[kError]);
  } else {
    finished(socket.destroy(error || request[kError]), (ended) => {
      if (ended?.code === 'ERR_STREAM_PREMATURE_CLOSE') ended = null;
      end(ended || error);
    });
  }
}

function attach(request, socket) {
  const parser = parsers.alloc();
  request.socket = socket;
  const lenient = request.insecureHTTPParser === undefined ? isLenient() : request.insecureHTTPParser;
  parser.initialize(false, request.maxHeaderSize || 0, lenient, request);
  parser.socket = socket;
  parser.outgoing = request;
  if (typeof request.maxHeadersCount === 'number') parser.maxHeaderPairs = request.maxHeadersCount << 1;
  parser.joinDuplicateHeaders = request.joinDuplicateHeaders;
  parser.onIncoming = onResponseHead;
  request.parser = parser;
  socket.parser = parser;
  socket._httpMessage = request;
  socket.on('error', onError);
  socket.on('data', onData);
  socket.on('end', onEnd);
  socket.on('close', onClose);
  socket.on('drain', onDrain);
  if (request.timeout !== undefined || request.agent?.options?.timeout) listenToTimeout(request);
  request.emit('socket', socket);
}

function onDrain() {
  const request = this._httpMessage;
  if (request && !request.finished && request[kNeedDrain]) {
    request[kNeedDrain] = false;
    request.emit('drain');
  }
}

function releaseParser(socket, request) {
  const { parser } = socket;
  if (!parser) return;
  parser.finish();
  freeParser(parser, request, socket);
}

function onClose() {
  const request = this._httpMessage;
  // The listeners called below may free the parser, and clear `this.parser`.
  const { parser } = this;
  const { res: response } = request;
  if (flags[TRACE] !== 0) endTrace(request);
  request.destroyed = true;
  if (response) {
    if (!response.complete) response.destroy(new ConnResetException('aborted'));
    request._closed = true;
    request.emit('close');
    if (!response.aborted && response.readable) response.push(null);
  } else {
    hangUp(request);
    request._closed = true;
    request.emit('close');
  }
  request.outputData.length = 0;
  if (parser) {
    parser.finish();
    freeParser(parser, request, this);
  }
}

// Emits the error 'socket hang up': the connection has closed before a response arrived.
function hangUp(request) {
  if (request.socket._hadError) return;
  request.socket._hadError = true;
  emitError(request, new ConnResetException('socket hang up'));
}

function onError(error) {
  const request = this._httpMessage;
  if (request) {
    request.socket._hadError = true;
    emitError(request, error);
  }
  releaseParser(this, request);
  this.removeListener('data', onData);
  this.removeListener('end', onEnd);
  this.destroy();
}

function onEnd() {
  const request = this._httpMessage;
  if (!request.res) hangUp(request);
  releaseParser(this, request);
  this.destroy();
}

function stopListening(socket) {
  socket.removeListener('data', onData);
  socket.removeListener('end', onEnd);
  socket.removeListener('drain', onDrain);
}

// True for an interim response, which the final response follows: 1xx except 101 (RFC 9110 section 15.2).
const isInformational = (status) => status < 200 && status >= 100 && status !== 101;

function onData(bytes) {
  const { parser, _httpMessage: request } = this;
  if (flags[TRACE] !== 0) request[kTraceBytes] += bytes.length;
  const result = parser.execute(bytes);
  if (typeof result !== 'number') {
    freeParser(parser, request, this);
    this.removeListener('data', onData);
    this.removeListener('end', onEnd);
    this.destroy();
    request.socket._hadError = true;
    emitError(request, result);
  } else if (parser.incoming?.upgrade) {
    upgrade(this, request, parser, bytes.slice(result));
  } else if (parser.incoming?.complete && !isInformational(parser.incoming.statusCode)) {
    stopListening(this);
    freeParser(parser, request, this);
  }
}

// After 101 Switching Protocols, or a response to CONNECT: passes the socket and the bytes that follow the head to the listener of 'upgrade' or
// 'connect'.
function upgrade(socket, request, parser, rest) {
  const response = request.res = parser.incoming;
  if (flags[TRACE] !== 0) endTrace(request);
  stopListening(socket);
  if (request.timeoutCb) socket.removeListener('timeout', request.timeoutCb);
  socket.removeListener('timeout', onResponseTimeout);
  parser.finish();
  freeParser(parser, request, socket);
  const event = request.method === 'CONNECT' ? 'connect' : 'upgrade';
  if (request.listenerCount(event) === 0) {
    socket.destroy();
    return;
  }
  request.upgradeOrConnect = true;
  socket.emit('agentRemove');
  socket.removeListener('close', onClose);
  socket.removeListener('error', onError);
  socket._httpMessage = null;
  socket.readableFlowing = null;
  request.emit(event, response, socket, rest);
  request.destroyed = true;
  request._closed = true;
  request.emit('close');
}

// ---- The response

// The parser's `onIncoming` (`lib/_http_client.js: parserOnIncomingClient`). Returns 0 if the parser must parse the body that the head announces, 1
// if there is no body, 2 for an upgrade.
function onResponseHead(response, keepsAlive) {
  const { socket } = this;
  const request = socket._httpMessage;
  if (request.res) {
    // A second response to one request: destroy the connection and ignore the rest of its data.
    socket.destroy();
    if (socket.parser) {
      socket.parser.incoming = request.res;
      socket.parser.incoming[kSkipPendingData] = true;
    }
    return 0;
  }
  request.res = response;
  if (response.upgrade) return 2;
  if (request.method === 'CONNECT') {
    response.upgrade = true;
    return 2;
  }
  if (isInformational(response.statusCode)) {
    request.res = null;
    emitInformation(request, response);
    return 1;
  }
  if (request.shouldKeepAlive && !keepsAlive && !request.upgradeOrConnect) request.shouldKeepAlive = false;
  if (watched.http > 0) {
    const { statusCode, statusMessage, headers } = response;
    request[kSpan]?.end({ res: { statusCode, statusMessage, headers } });
  }
  if (finishChannel.hasSubscribers) finishChannel.publish({ request, response });
  response.req = request;
  response.on('end', onResponseEnd);
  request.on('finish', onRequestFinish);
  socket.on('timeout', onResponseTimeout);
  // Without a 'response' listener the body is discarded, so that the socket can be reused.
  if (request.aborted || !request.emit('response', response)) response._dump();
  if (request.method === 'HEAD') return 1;
  if (response.statusCode === 304) {
    response.complete = true;
    return 1;
  }
  return 0;
}

function emitInformation(request, response) {
  if (response.statusCode === 100) request.emit('continue');
  const { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders } = response;
  request.emit('information', {
    statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders,
  });
}

function onResponseEnd() {
  const { req: request } = this;
  if (flags[TRACE] !== 0) endTrace(request);
  const { socket } = request;
  if (socket) {
    if (request.timeoutCb) socket.removeListener('timeout', emitRequestTimeout);
    socket.removeListener('timeout', onResponseTimeout);
  }
  request._ended = true;
  if (!request.shouldKeepAlive) {
    if (!socket.writable) return;
    if (typeof socket.destroySoon === 'function') socket.destroySoon();
    else socket.end();
  } else if (request.writableFinished && !this.aborted) {
    releaseSocket(request);
  }
}

// The response may end before the request has been sent completely; the socket is then released when the request has finished.
function onRequestFinish() {
  if (this.shouldKeepAlive && this._ended && !this.destroyed) releaseSocket(this);
}

// Releases a keep-alive socket. 'free' is emitted in a later tick, after all 'end' listeners of the response have run
// (`lib/_http_client.js: responseKeepAlive`).
function releaseSocket(request) {
  const { socket } = request;
  if (request.timeoutCb) {
    socket.setTimeout(0, request.timeoutCb);
    request.timeoutCb = null;
  }
  socket.removeListener('close', onClose);
  socket.removeListener('error', onError);
  socket.removeListener('data', onData);
  socket.removeListener('end', onEnd);
  process.nextTick(() => {
    request._closed = true;
    request.emit('close');
    if (request.socket) request.socket.emit('free');
  });
  request.destroyed = true;
  // The socket may already serve another request, so destroying this response must not destroy the socket.
  if (request.res) request.res.socket = null;
}

// ---- Timeouts

function onResponseTimeout() { this._httpMessage?.res?.emit('timeout'); }

function emitRequestTimeout() { this._httpMessage?.emit('timeout'); }

function listenToTimeout(request) {
  if (request.timeoutCb) return;
  request.timeoutCb = emitRequestTimeout;
  if (request.socket) request.socket.once('timeout', emitRequestTimeout);
  else request.on('socket', (socket) => socket.once('timeout', emitRequestTimeout));
}

function setSocketTimeout(socket, msecs) {
  if (socket.connecting) socket.once('connect', () => socket.setTimeout(msecs));
  else socket.setTimeout(msecs);
}

proto.setTimeout = function setTimeout(msecs, callback) {
  if (this._ended) return this;
  listenToTimeout(this);
  msecs = durationOf(msecs, 'msecs');
  if (callback) this.once('timeout', callback);
  if (this.socket) setSocketTimeout(this.socket, msecs);
  else this.once('socket', (socket) => setSocketTimeout(socket, msecs));
  return this;
};

proto.clearTimeout = function clearTimeout(callback) { this.setTimeout(0, callback); };

// Calls a method of the socket as soon as the socket is assigned and connected.
proto._deferToConnect = function _deferToConnect(method, args) {
  const call = () => {
    if (method) this.socket[method](...args);
  };
  const onSocket = () => {
    if (this.socket.writable) call();
    else this.socket.once('connect', call);
  };
  if (this.socket) onSocket();
  else this.once('socket', onSocket);
};

proto.setNoDelay = function setNoDelay(noDelay) { this._deferToConnect('setNoDelay', [noDelay]); };

proto.setSocketKeepAlive = function setSocketKeepAlive(enable, initialDelay) {
  this._deferToConnect('setKeepAlive', [enable, initialDelay]);
};

module.exports = { ClientRequest };
