'use strict';
// A server connection: the request parser and the state of unanswered requests.

const { MessageParser, isLenient } = require('internal/http/common');
const { kConnection } = require('internal/http/response');

const kConnections = Symbol('http.server.connections');
const kResponseOptions = Symbol('kResponseOptions');

class Connection extends MessageParser {
  constructor(server, socket) {
    super();
    this.server = server;
    this.socket = socket;
    // Neighbours in the server's list of connections.
    this.before = undefined;
    this.next = undefined;
    // Requests whose response has not finished.
    this.unanswered = [];
    // Pipelined responses that wait for their turn, and the number of bytes queued in them.
    this.queued = [];
    this.outgoingData = 0;
    this.requestsCount = 0;
    // While a recording is made: the number of bytes that had been written when the last response finished.
    this.tracedBytes = -1;
    // True while the keep-alive timeout between two requests runs.
    this.isKeptAlive = false;
    socket.parser = socket[kConnection] = this;
    if (typeof server.maxHeadersCount === 'number') this.maxHeaderPairs = server.maxHeadersCount << 1;
    const lenient = server.insecureHTTPParser === undefined ? isLenient() : server.insecureHTTPParser;
    this.initialize(true, server.maxHeaderSize || 0, lenient, socket);
  }

  // The constructor options of responses. Connections with equal options share one object.
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

  // ---- Keep-alive timeout between requests

  beginIdleTime() {
    const { server, socket } = this;
    const { keepAliveTimeout, keepAliveTimeoutBuffer } = server;
    const isTime = Number.isFinite(keepAliveTimeout) && keepAliveTimeout > 0;
    if (!isTime || typeof socket.setTimeout !== 'function') return;
    const hasBuffer = Number.isFinite(keepAliveTimeoutBuffer) && keepAliveTimeoutBuffer >= 0;
    socket.setTimeout(keepAliveTimeout + (hasBuffer ? keepAliveTimeoutBuffer : 1000));
    this.isKeptAlive = true;
  }

  endIdleTime() {
    this.isKeptAlive = false;
    this.socket.setTimeout(this.server.timeout || 0);
  }

  // ---- End of the connection

  // Removes the connection from the server's list.
  leave() { this.server[kConnections]?.delete(this); }

  release() {
    this.free();
    this._consumed = false;
    this.incoming = null;
  }
}

// The connections of a server, as a linked list in the order of arrival.
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
