'use strict';
// A server's connection: the parser of its requests, and what is known of those that are not answered. Most connections
// wait, so little is in each: what one is to begin with is on the prototype.

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
    // The number of the handle that it reads by itself.
    this.at = undefined;
    this.incoming = null;
    this._consumed = false;
    // Its neighbours among the connections of the server.
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

  // What responses are made with. Most connections share it.
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

  // A request whose head was its end has been told.
  told(request) {
    if (request.complete) return;
    // The response may be sent already, and over by a tick.
    const { _httpMessage: response } = this.socket;
    const isOver = response?.[kRequest] === request && isSent(response);
    pushEnd(request, isOver ? 1 : 0);
    if (isOver && request[kPhase] === kEnded && isHeardAtFinish(response)) process.nextTick(tellEndOfRequest, response);
    // It may have been paused for the body of the one before.
    if (this.socket._handle?.reading === false || !native.isUntouched()) readStart(this.socket);
  }

  // The requests that are not answered.
  get unanswered() {
    const { _httpMessage: response } = this.socket;
    const responses = this.queued ?? [];
    return (response?.[kConnection] === this ? [response, ...responses] : responses).map((one) => one[kRequest]);
  }

  // ---- Between requests

  beginIdleTime() {
    const { server, socket } = this;
    const { keepAliveTimeout, keepAliveTimeoutBuffer } = server;
    const isTime = Number.isFinite(keepAliveTimeout) && keepAliveTimeout > 0;
    if (!isTime || typeof socket.setTimeout !== 'function') return;
    const hasBuffer = Number.isFinite(keepAliveTimeoutBuffer) && keepAliveTimeoutBuffer >= 0;
    const ms = duration(keepAliveTimeout + (hasBuffer ? keepAliveTimeoutBuffer : 1000));
    this.isKeptAlive = true;
    // One timer for the life of a connection, unless somebody else has one on the socket.
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

  // A socket's `timeout` while nobody has set one: as if the time between two requests were kept by the socket.
  get timeout() {
    if (this.timerMs === 0) return undefined;
    return this.isKeptAlive ? this.timerMs : 0;
  }

  // ---- The end

  // The server's no more.
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
  // A timeout that was set on the socket meanwhile counts in its place, also that of none.
  if (isKeptAlive && socket[kTimeout] === null && !socket.destroyed) socket.emit('timeout');
}

Object.assign(Connection.prototype, {
  // Whether the socket is to have a `timeout` of its own from the first time between two requests on.
  showsTime: false,
  // Responses whose turn has not come, if there are some, and how much waits in them.
  queued: null,
  outgoingData: 0,
  requestsCount: 0,
  isKeptAlive: false,
  // The time between two requests is kept by the socket's own timer.
  isOnSocket: false,
  // For the time between two requests; it is left to run when one comes.
  timer: null,
  timerMs: 0,
  // Its responses need nothing of the options.
  hasUsualOptions: true,
  // And nobody else may have to hear of the socket's 'close' before them.
  isUsual: true,
});

// The connections of a server, in the order in which they came.
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
