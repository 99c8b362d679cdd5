'use strict';
// A server connection: the request parser and the state of unanswered requests. Most connections are idle, so objects
// are small and default values are on the prototype.

const process = require('process');
const { MessageParser, isLenient } = require('internal/http/common');
const { clearTimeout, setTimeout } = require('internal/scheduler');
const { derived, kEnded, kPhase, pushEnd, readStart } = require('internal/http/incoming');
const { kHighWaterMark } = require('internal/http/outgoing');
const {
  ServerResponse, isHeardAtFinish, isSent, kConnection, kRequest, tellEndOfRequest,
} = require('internal/http/response');
const { duration, kTimeout } = require('internal/net/stream_io');

const kConnections = Symbol('http.server.connections');
const kResponseOptions = Symbol('kResponseOptions');

class Connection extends MessageParser {
  constructor(server, socket) {
    super();
    this.server = server;
    this.socket = socket;
    // The number of the handle that the parser reads from.
    this.at = undefined;
    this.incoming = null;
    this._consumed = false;
    // Links of the server's connection list.
    this.before = undefined;
    this.next = undefined;
    socket.parser = socket[kConnection] = this;
    if (typeof server.maxHeadersCount === 'number') this.maxHeaderPairs = server.maxHeadersCount << 1;
    const lenient = server.insecureHTTPParser === undefined ? isLenient() : server.insecureHTTPParser;
    this.initialize(true, server.maxHeaderSize || 0, lenient, socket);
    const { highWaterMark, rejectNonStandardBodyWrites } = this.options;
    if (highWaterMark !== ServerResponse.prototype[kHighWaterMark] || rejectNonStandardBodyWrites) {
      this.isUsual = this.hasUsualOptions = false;
    }
  }

  // Constructor options of responses. Connections with equal options share one object.
  get options() {
    const { server, socket } = this;
    const { rejectNonStandardBodyWrites } = server;
    const highWaterMark = socket.writableHighWaterMark;
    const before = server[kResponseOptions];
    if (before?.highWaterMark === highWaterMark && before.rejectNonStandardBodyWrites === rejectNonStandardBodyWrites) {
      return before;
    }
    return server[kResponseOptions] = { highWaterMark, rejectNonStandardBodyWrites };
  }

  // Called after a request without a body was dispatched.
  told(request) {
    if (request.complete) return;
    // The response may be sent already and finish in the next tick.
    const { _httpMessage: response } = this.socket;
    const isOver = response?.[kRequest] === request && isSent(response);
    pushEnd(request, isOver ? 1 : 0);
    if (isOver && request[kPhase] === kEnded && isHeardAtFinish(response)) process.nextTick(tellEndOfRequest, response);
    // Reading may have been paused for the body of the previous request.
    if (this.socket._handle?.reading === false || !native.isUntouched()) readStart(this.socket);
  }

  // Requests that have no finished response.
  get unanswered() {
    const { _httpMessage: response } = this.socket;
    const responses = this.queued ?? [];
    return (response?.[kConnection] === this ? [response, ...responses] : responses).map((one) => one[kRequest]);
  }

  // ---- Keep-alive timeout between requests

  beginIdleTime() {
    const { server, socket } = this;
    const { keepAliveTimeout, keepAliveTimeoutBuffer } = server;
    const isTime = Number.isFinite(keepAliveTimeout) && keepAliveTimeout > 0;
    if (!isTime || typeof socket.setTimeout !== 'function') return;
    const hasBuffer = Number.isFinite(keepAliveTimeoutBuffer) && keepAliveTimeoutBuffer >= 0;
    const ms = duration(keepAliveTimeout + (hasBuffer ? keepAliveTimeoutBuffer : 1000));
    this.isKeptAlive = true;
    // Use one timer for the life of the connection, unless the program has set a timeout on the socket.
    if (socket[kTimeout] !== null || !native.isUntouched()) {
      this.isOnSocket = true;
      socket.setTimeout(ms);
      return;
    }
    if (this.showsTime) {
      this.showsTime = false;
      if (!Object.hasOwn(socket, 'timeout')) derived(socket, 'timeout', idleTimeOf);
    }
    if (this.timer !== null && this.timerMs === ms) {
      this.timer.refresh();
    } else {
      clearTimeout(this.timer);
      this.timer = setTimeout(onIdleTimeout, ms, this).unref();
      this.timerMs = ms;
    }
  }

  endIdleTime() {
    this.isKeptAlive = false;
    const { server, socket } = this;
    if (!this.isOnSocket && !socket[kTimeout] && !server.timeout) return;
    this.isOnSocket = false;
    socket.setTimeout(server.timeout || 0);
  }

  // The socket's `timeout` as Node shows it: Node stores the keep-alive timeout on the socket.
  get timeout() {
    if (this.timerMs === 0) return undefined;
    return this.isKeptAlive ? this.timerMs : 0;
  }

  // ---- The end

  // Removes the connection from the server's list.
  leave() {
    this.server[kConnections]?.delete(this);
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  release() {
    this.free();
    this._consumed = false;
    this.incoming = null;
  }
}

function idleTimeOf() { return this[kConnection].timeout; }

function onIdleTimeout(connection) {
  const { isKeptAlive, socket } = connection;
  // A timeout that the program has set on the socket meanwhile, even 0, replaces the keep-alive timeout.
  if (isKeptAlive && socket[kTimeout] === null && !socket.destroyed) socket.emit('timeout');
}

Object.assign(Connection.prototype, {
  // True if the socket gets an own `timeout` property once it was idle between two requests.
  showsTime: false,
  // Pipelined responses that wait for their turn, or null, and the number of bytes queued in them.
  queued: null,
  outgoingData: 0,
  requestsCount: 0,
  isKeptAlive: false,
  // The keep-alive timeout uses the socket's own timer.
  isOnSocket: false,
  // Keep-alive timer. It is not cancelled when a request arrives, to save re-arming it.
  timer: null,
  timerMs: 0,
  // The server's options are the defaults, so responses need no options object.
  hasUsualOptions: true,
  // Like `hasUsualOptions`, and the program has added no 'close' listener to the socket: its order relative to the
  // response's 'close' would be visible.
  isUsual: true,
});

// The connections of a server in the order of arrival, as a linked list.
class Connections {
  first = null;
  last = null;

  add(connection) {
    connection.before = this.last;
    connection.next = null;
    if (this.last === null) this.first = connection;
    else this.last.next = connection;
    this.last = connection;
  }

  delete(connection) {
    const { before, next } = connection;
    if (before === undefined) return;
    if (before === null) this.first = next;
    else before.next = next;
    if (next === null) this.last = before;
    else next.before = before;
    connection.before = connection.next = undefined;
  }

  all() {
    const all = [];
    for (let connection = this.first; connection !== null; connection = connection.next) all.push(connection);
    return all;
  }
}

module.exports = { Connection, Connections, kConnections };
